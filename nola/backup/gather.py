"""Takes everything that goes into a backup as it stands at one moment, so that it can be packed at leisure."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from nola import disk
from nola.backup import database
from nola.backup.manifest import Entry, LeftOut, is_cache, is_lock
from nola.backup.places import DATABASE, SETTINGS, STATE
from nola.errors import ConflictError, NolaError, StorageError
from nola.memory import schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path
    from types import TracebackType

    from nola.backup.places import Places

__all__ = ["CHUNK", "Gathering", "Piece", "caches", "fingerprint"]

CHUNK = 1 << 20
_IN_MEMORY = 32_000_000
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Piece:
    """One file that was taken.

    Attributes:
        entry: Its name, size and hash.
        modified: When it was last changed, in whole seconds.
        start: Where its bytes begin in the scratch file; None when they lie in the snapshot of the database.
    """

    entry: Entry
    modified: int
    start: int | None


class Gathering:
    """The files of one home, copied; used as a context manager, which drops the copies at its end.

    Args:
        places: The home; its folder of backups is there.

    Attributes:
        pieces: What was taken.
        left_out: What could not be.
    """

    def __init__(self, places: Places) -> None:
        self._places = places
        self._snapshot = places.backups / disk.temp_name()
        self.pieces: list[Piece] = []
        self.left_out: list[LeftOut] = []

    def __enter__(self) -> Self:
        """Begin."""
        folder = self._places.backups
        self._scratch = tempfile.SpooledTemporaryFile(_IN_MEMORY, dir=str(folder))  # writes: a file without a name
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop the copies."""
        self._scratch.close()
        with contextlib.suppress(OSError):  # the next piece of work sweeps it away
            self._snapshot.unlink()

    def take(self, held: Callable[[], AbstractContextManager[None]]) -> None:
        """Take everything.

        Args:
            held: Keeps every writer of Nola's out of the state folder while its files are copied.

        Raises:
            StorageError: The disk refused.
            ConflictError: Another process was writing for too long.
        """
        with held():
            for name, path in _state_files(self._places, self.left_out):
                self._take_file(name, path)
        if os.path.lexists(self._places.settings):
            self._take_file(SETTINGS, self._places.settings)
        self._take_database()

    def read(self, piece: Piece) -> Iterator[bytes]:
        """Yield the bytes of a file that was taken."""
        if piece.start is None:
            with self._snapshot.open("rb") as file:
                while chunk := file.read(CHUNK):
                    yield chunk
            return
        self._scratch.seek(piece.start)
        left = piece.entry.size
        while left and (chunk := self._scratch.read(min(left, CHUNK))):
            left -= len(chunk)
            yield chunk

    def _take_file(self, name: str, path: Path) -> None:
        start = self._scratch.seek(0, os.SEEK_END)
        try:
            for _ in range(_TRIES):  # an editor may be writing it in place just now
                self._scratch.seek(start)
                self._scratch.truncate()
                before = path.stat()
                digest, size = hashlib.sha256(), 0
                for chunk in _chunks(path):
                    self._scratch.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                after = path.stat()
                if (after.st_mtime_ns, after.st_size) == (before.st_mtime_ns, size):
                    break
        except OSError as error:
            self.left_out.append(LeftOut(name, _why(path, error)))
            return
        self.pieces.append(Piece(Entry(name, size, digest.hexdigest()), int(after.st_mtime), start))

    def _take_database(self) -> None:
        live = self._places.database
        try:
            if not schema.exists(live):
                return
            database.snapshot(live, self._snapshot)
        except (StorageError, ConflictError):
            raise
        except NolaError as error:
            self.left_out.append(LeftOut(DATABASE, str(error)))
            return
        digest = hashlib.sha256()
        for chunk in _chunks(self._snapshot):
            digest.update(chunk)
        entry = Entry(DATABASE, self._snapshot.stat().st_size, digest.hexdigest())
        self.pieces.append(Piece(entry, int(live.stat().st_mtime), None))


def fingerprint(places: Places) -> dict[str, str]:
    """Return the hashes of the state's files and the settings as they stand now, by their names in an archive."""
    found: dict[str, str] = {}
    candidates = [*_state_files(places, []), (SETTINGS, places.settings)]
    for name, path in candidates:
        try:
            digest = hashlib.sha256()
            for chunk in _chunks(path):
                digest.update(chunk)
            found[name] = digest.hexdigest()
        except OSError:
            continue
    return found


def caches(places: Places) -> list[str]:
    """Name the files of the state folder that are made again from the others, as an archive would name them."""
    return [name for name, _ in _walk(places.state, STATE, []) if is_cache(name)]


def _state_files(places: Places, left_out: list[LeftOut]) -> Iterator[tuple[str, Path]]:
    for name, path in _walk(places.state, STATE, left_out):
        if not is_lock(name) and not is_cache(name):
            yield name, path


def _walk(folder: Path, prefix: str, left_out: list[LeftOut]) -> Iterator[tuple[str, Path]]:
    """Yield every file below a folder by name; a link to a folder is not followed."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    except OSError as error:
        left_out.append(LeftOut(prefix.rstrip("/"), f"the folder can't be read: {error.strerror}"))
        return
    for entry in entries:
        name, path = prefix + entry.name, folder / entry.name
        if not entry.is_dir():
            yield name, path
        elif entry.is_symlink():
            left_out.append(LeftOut(name, "it is a link to a folder"))
        else:
            yield from _walk(path, f"{name}/", left_out)


def _chunks(path: Path) -> Iterator[bytes]:
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for
        raise OSError(0, "it is no regular file")
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def _why(path: Path, error: OSError) -> str:
    return (
        "it is a link that leads nowhere" if path.is_symlink() and not path.exists() else error.strerror or str(error)
    )
