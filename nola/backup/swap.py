"""Puts an unpacked archive in the place of what is there: wholly or not at all, however often it is broken off.

An intent is written down first. Until then nothing has changed and the staging is thrown away; from then on every step
can be done again, and whoever starts next goes on where it ended.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import shutil
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from nola import disk, files
from nola.backup import database
from nola.backup.places import DATABASE, SETTINGS, Places
from nola.errors import ConflictError, NolaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["Intent", "Step", "begin", "clear", "finish_interrupted", "flush", "go_on", "obstacles", "stage", "steps"]

Step = tuple[str, "Callable[[], None]"]
"""One thing that is done, and its name."""

_PATIENCE_S = 60.0
_WRITER_S = 5.0
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Intent:
    """What a restore does, written down before it does it; files are named as in the archive.

    Attributes:
        archive: What is brought back.
        undo: The backup of what was there before.
        place: The files that are put in place, all but the database.
        remove: The files that go.
        aside: What a database that can't be read is called from now on.
    """

    archive: str
    undo: str
    place: tuple[str, ...]
    remove: tuple[str, ...]
    aside: str


def stage(places: Places) -> Path:
    """Make the empty folder into which an archive is unpacked, on the disk of the home."""
    clear(places)
    return files.make_private_dir(places.staged)


def flush(folder: Path) -> None:
    """Wait until everything below a folder, and the folder itself, is on disk.

    Raises:
        StorageError: The disk refused.
    """
    with disk.told(folder):
        for parent, _, names in os.walk(folder):
            for name in (*names, "."):
                fd = os.open(Path(parent, name), disk.LOOK | os.O_NOFOLLOW)
                try:
                    os.fsync(fd)
                finally:
                    os.close(fd)


def obstacles(places: Places, intent: Intent) -> list[str]:
    """Say in sentences what keeps files from their places.

    That is a folder there, a file or a link in a folder's place, or a link of the owner's to what can't be replaced.
    """
    found = set()
    leaving = {places.live(name) for name in intent.remove}
    for name in intent.place:
        target = places.live(name)
        if target.is_dir() and not target.is_symlink():
            found.add(_in_the_way(target))
        elif _is_followed(places, name) and (why := _defect(target)):
            found.add(f"{target} is a link to {os.path.realpath(target)}, which can't be replaced: {why}")
        above = target.parent
        while above not in {places.state, places.home}:
            if os.path.lexists(above) and above not in leaving and (above.is_symlink() or not above.is_dir()):
                found.add(_in_the_way(above))
            above = above.parent
    return sorted(found)


def begin(places: Places, intent: Intent) -> None:
    """Write the intent down and replace the content of the database.

    Raises:
        StorageError: The disk refused; when the intent stands, the next start goes on.
        ConflictError: Another process held the database for too long; nothing changed, and the intent is gone.
    """
    with disk.told(places.home):
        files.sync_dir(places.home)
    files.write_atomic(places.intent, json.dumps(asdict(intent), indent=1).encode())
    staged = places.staged / DATABASE
    if staged.exists() and database.is_usable(places.database):
        try:
            database.copy_over(staged, places.database)
        except ConflictError:
            files.remove(places.intent)
            raise
        files.remove(staged)


def go_on(places: Places, intent: Intent) -> None:
    """Do what is left of a restore.

    Raises:
        StorageError: The disk refused; the next start tries again.
        ConflictError: Another process held the database for too long; the next start tries again.
    """
    for _, do in steps(places, intent):
        do()


def steps(places: Places, intent: Intent) -> Iterator[Step]:
    """List what a restore does after its intent; each step may be done again, and does nothing then."""
    yield "database", lambda: _place_database(places, intent)
    for name in intent.remove:
        yield f"remove {name}", partial(_remove, places.live(name))
    for name, target in _targets(places, intent).items():
        yield f"place {name}", partial(_place, places.staged / name, target)
    yield "tidy", lambda: _tidy(places, intent)
    yield "flush", lambda: _flush_folders(places, intent)
    yield "intent", lambda: files.remove(places.intent)
    yield "clear", lambda: clear(places)


def clear(places: Places) -> None:
    """Remove the work in progress of a restore that is done, or that was given up before its intent.

    Raises:
        StorageError: The disk refused.
    """
    with disk.told(places.restoring):
        if os.path.lexists(places.restoring):
            if places.restoring.is_dir() and not places.restoring.is_symlink():
                shutil.rmtree(places.restoring)
            else:
                places.restoring.unlink()
            files.sync_dir(places.home)


def finish_interrupted(home: Path) -> bool:
    """Bring a restore that was broken off to its end; to be called at every start, before anything is read.

    Args:
        home: Nola's folder.

    Returns:
        Whether something was brought to its end; a restore that had not written its intent is only cleared away.

    Raises:
        StorageError: The disk refused; the next start tries again.
        ConflictError: Another process is bringing something back right now, and takes too long.
        NolaError: The intent can't be read.
    """
    places = Places.of(home)
    if not os.path.lexists(places.restoring):
        return False
    files.make_private_dir(places.backups)
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(files.locked(places.lock, timeout_s=_PATIENCE_S if places.intent.exists() else 0))
        except ConflictError:
            if places.intent.exists():
                raise
            return False  # another process is unpacking something, and has changed nothing yet
        intent = _read(places)
        if intent is None:
            clear(places)
            return False
        files.make_private_dir(places.state)
        held.enter_context(files.locked(places.state / ".lock", timeout_s=_WRITER_S))
        go_on(places, intent)
        return True


def _read(places: Places) -> Intent | None:
    try:
        row = json.loads(places.intent.read_bytes())
        return Intent(row["archive"], row["undo"], tuple(row["place"]), tuple(row["remove"]), row["aside"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NolaError(
            f"{places.intent} can't be read, so a restore that was broken off can't be finished",
            fix=f"move {places.restoring} away, then restore the backup again",
        ) from error


def _place_database(places: Places, intent: Intent) -> None:
    staged, live = places.staged / DATABASE, places.database
    if not staged.exists():
        return
    if database.is_usable(live):
        database.copy_over(staged, live)
        files.remove(staged)
        return
    for suffix in ("-wal", "-shm", ""):  # its log first: beside the new content it would be taken for its log
        damaged = live.with_name(live.name + suffix)
        if os.path.lexists(damaged):
            files.move(damaged, live.with_name(intent.aside + suffix))
    files.move(staged, live)


def _in_the_way(path: Path) -> str:
    return f"{path} stands in the way of what would be brought back"


def _is_followed(places: Places, name: str) -> bool:
    """Tell whether a file's place is a link that every save of Nola's writes through: of a module, or the settings."""
    from nola.backup.verify import is_module  # noqa: PLC0415 -- keeps start-up fast

    return (name == SETTINGS or is_module(name)) and files.is_link(places.live(name))


def _defect(link: Path) -> str:
    """Say why what a link leads to can't be replaced; nothing when it can."""
    real = Path(os.path.realpath(link))
    try:
        why = disk.defect(real.lstat(), (os.geteuid(),))
    except OSError as error:
        return error.strerror or str(error)
    return why or ("" if os.access(real.parent, os.R_OK | os.W_OK | os.X_OK) else "its folder takes no writes")


def _targets(places: Places, intent: Intent) -> dict[str, Path]:
    """Say where each file goes: to the file that the owner's link leads to, else to its place.

    A link gives way to what is brought back when it has come to lead to what can't be replaced since the intent, to a
    file of Nola's, or to where another link leads: each name has a content of its own.
    """
    own = [Path(os.path.realpath(folder)) for folder in (places.state, places.backups, places.restoring)]
    taken = {Path(os.path.realpath(places.database))}
    found = {}
    for name in intent.place:
        found[name] = live = places.live(name)
        real = Path(os.path.realpath(live)) if name == SETTINGS or files.is_link(live) else live
        free = real not in taken and not any(real.is_relative_to(folder) for folder in own)
        if free and _is_followed(places, name) and not _defect(live):
            found[name] = real
        taken.add(real)
    return found


def _remove(path: Path) -> None:
    with disk.told(path):
        path.unlink(missing_ok=True)


def _place(staged: Path, target: Path) -> None:
    if not staged.exists():
        return
    if not target.parent.is_dir():
        files.make_private_dir(target.parent)
    with disk.told(target):
        try:
            staged.replace(target)  # writes: it was flushed before the intent
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            _carry(staged, target)


def _carry(staged: Path, target: Path) -> None:
    """Bring a file to another disk, where its owner put the folder."""
    modified = staged.stat().st_mtime_ns
    with staged.open("rb") as file:
        files.replace_from_chunks(target, iter(lambda: file.read(_CHUNK), b""))
    os.utime(target, ns=(modified, modified))
    staged.unlink()


def _tidy(places: Places, intent: Intent) -> None:
    """Remove the folders that are empty now."""
    for name in intent.remove:
        for above in places.live(name).parents:
            if above in {places.state, places.home, places.state / "modules"}:
                break
            with contextlib.suppress(OSError):
                above.rmdir()


def _flush_folders(places: Places, intent: Intent) -> None:
    with disk.told(places.home):
        touched = {places.live(name).parent for name in (*intent.place, *intent.remove)}
        linked = {target.parent for target in _targets(places, intent).values()}
        for folder in {*touched, *(folder.parent for folder in touched), *linked, places.home}:
            if folder.is_dir():
                files.sync_dir(folder)
