"""Brings an archive back: proved first, what is there saved, and then all of it at once or nothing."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola import files
from nola.backup import database, swap
from nola.backup.gather import caches, fingerprint
from nola.backup.make import make
from nola.backup.names import Kind
from nola.backup.places import DATABASE
from nola.backup.swap import Intent
from nola.backup.unpack import unpack
from nola.backup.verify import judge, refuse_defects
from nola.errors import ConflictError, NolaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from nola.backup.manifest import Manifest
    from nola.backup.names import BackupInfo
    from nola.backup.places import Places
    from nola.backup.progress import Progress

__all__ = ["Restored", "restore"]

_TRIES = 3
_TIMES = 3  # what is there is saved, the new content goes into the log, and from there into the database
_MEGA = 1_000_000
_INSTANCE = ".instance"
_GRACE_S = 0.3  # whoever asks who holds the lock of the service holds it for a moment


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restore brought back, the backup of what was there before, and what the archive lacked."""

    info: BackupInfo
    undo: BackupInfo
    warnings: tuple[str, ...]


def restore(
    places: Places,
    path: Path,
    now: Callable[[], datetime],
    held: Callable[[], AbstractContextManager[None]],
    *,
    passphrase: str | None = None,
    progress: Progress | None = None,
) -> Restored:
    """Bring an archive back in the place of everything that is there.

    Args:
        places: The home; nobody else works on its backups.
        path: The archive.
        now: Tells the time.
        held: Keeps every writer out of the state folder meanwhile; it is entered twice.
        passphrase: What it was encrypted with.
        progress: Is told how far the unpacking is.

    Raises:
        ConflictError: Nola's service is running, or what is there keeps being changed.
        StorageError: The disk refused; nothing changed, or the next start goes on.
        NolaError: The archive is defective, or something stands in its way.
    """
    files.make_private_dir(places.state)
    with _nobody_serves(places):
        try:
            manifest, found = unpack(path, swap.stage(places), passphrase=passphrase, progress=progress)
            verdict = judge(path, manifest, places.staged, found)
            refuse_defects(verdict)
            if not (DATABASE in manifest.paths or manifest.lacks(DATABASE)) and os.path.lexists(places.database):
                database.make_empty(places.staged / DATABASE)
            swap.flush(places.staged)
            with held():
                _need_room(places)
                undo, before = _save_what_is_there(places, now, held)
                try:
                    intent = _intent(places, path.name, manifest, undo, before)
                except NolaError:
                    files.remove(undo.path)  # nothing is to be undone, and it would be the latest one
                    raise
                swap.begin(places, intent)
                swap.go_on(places, intent)
        finally:
            if not places.intent.exists():
                swap.clear(places)
    return Restored(verdict.info, undo, verdict.warnings)


def _need_room(places: Places) -> None:
    """Refuse to begin what the disk has no room to end: the new content of a database stands in its log first."""
    staged = places.staged / DATABASE
    needed = _TIMES * staged.stat().st_size if staged.exists() else 0
    if shutil.disk_usage(places.home).free < needed:
        raise NolaError(
            f"a restore needs {needed / _MEGA:,.1f} MB of free space", fix="free some space, then restore again"
        )


def _save_what_is_there(
    places: Places, now: Callable[[], datetime], held: Callable[[], AbstractContextManager[None]]
) -> tuple[BackupInfo, Manifest]:
    """Make the backup that undoes a restore; nothing has changed since it was made when this returns."""
    for _ in range(_TRIES):
        with database.watched(places.database) as changed:
            undo, before = make(places, Kind.BEFORE_RESTORE, now(), held)
            saved = {entry.path: entry.sha256 for entry in before.files if entry.path != DATABASE}
            if fingerprint(places) == saved and not changed():
                return undo, before
        files.remove(undo.path)
    raise ConflictError("another program keeps changing what is there", fix="close it, then restore again")


def _intent(places: Places, archive: str, manifest: Manifest, undo: BackupInfo, before: Manifest) -> Intent:
    place = tuple(sorted(manifest.paths - {DATABASE}))
    lost = next((left for left in before.left_out if left.path in place), None)
    if lost is not None:
        raise NolaError(f"{places.live(lost.path)} could not be saved before: {lost.why}", fix="move it away")
    remove = tuple(sorted({*before.paths, *caches(places)} - manifest.paths - {DATABASE}))
    aside = f"{places.database.name}.aside-{undo.created:%Y%m%dT%H%M%SZ}"
    intent = Intent(archive, undo.name, place, remove, aside)
    in_the_way = swap.obstacles(places, intent)
    if in_the_way:
        raise NolaError(in_the_way[0], fix="move it away")
    return intent


@contextlib.contextmanager
def _nobody_serves(places: Places) -> Iterator[None]:
    """Keep the service from running meanwhile."""
    lock = places.state / _INSTANCE
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(files.locked(lock, timeout_s=_GRACE_S))
        except ConflictError:
            raise ConflictError(f"Nola's daemon is running{_holder(lock)}", fix="stop it, then restore again") from None
        yield


def _holder(lock: Path) -> str:
    """Say who holds the lock of the service, as far as its file tells."""
    try:
        row = json.loads(lock.read_bytes().partition(b"\n")[0])
        return f": process {row['pid']}, `{row['command']}`, since {row['since']}"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
