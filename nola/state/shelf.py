"""The state's files as they stand: read when they change, written safely, else served from the last good version."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias

from nola import files
from nola.errors import DocumentError, NolaError
from nola.flow import Problem
from nola.state import contract, document, paths, sync

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.clock import Clock
    from nola.settings import StateSettings
    from nola.state.contract import Metadata
    from nola.types import Json

__all__ = ["LAST_GOOD", "Loaded", "Shelf"]

LAST_GOOD = ".last-good"
_PARENTS = ("Nola", "identity")
# A parent holds copies of its children, a few objects deeper and many files' worth.
_PARENT_DEPTH = 6
_PARENT_SIZE = 50
# Two saves within one tick of the file system's clock leave the same time and size; until then a file is read again.
_SETTLED_S = 0.05
# Each copy costs two flushes of the disk, so that a first start over a thousand modules must not make them all at once.
_COPIES_PER_LOOK = 8

_Stamp: TypeAlias = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document as it was last read without an error; it is shared and never mutated."""

    name: str
    file: str
    raw: dict[str, Json]
    metadata: Metadata
    data: Json
    digest: bytes
    modified: datetime
    warnings: tuple[Problem, ...] = ()
    ambiguous: str = ""


@dataclass(frozen=True, slots=True)
class _Seen:
    """Which bytes a file held when it was last looked at, and when they were first seen."""

    stamp: _Stamp
    digest: bytes
    since: float
    settled: bool


class Shelf:
    """Every document of one state folder. Not thread-safe: its owner holds the lock.

    Args:
        folder: The state folder.
        born: The folder of what Nola is born with, for a core file that never was readable.
        settings: Limits of depth and size.
        clock: Tells how long ago a file was read.
    """

    def __init__(self, folder: Path, born: Path, settings: StateSettings, clock: Clock) -> None:
        self._folder = folder
        self._born = born
        self._settings = settings
        self._clock = clock
        self._loaded: dict[str, Loaded] = {}
        self._seen: dict[str, _Seen] = {}
        self._broken: dict[str, Problem] = {}
        self._stray: tuple[Problem, ...] = ()
        self._uncopied: dict[str, bytes] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._loaded

    def __getitem__(self, name: str) -> Loaded:
        return self._loaded[name]

    def names(self) -> list[str]:
        """List all documents: the core ones in their order, then the modules by name."""
        return [*(name for name in paths.CORE if name in self._loaded), *sorted(self._loaded.keys() - set(paths.CORE))]

    def look(self) -> set[str]:
        """Look which files changed and read them; return the names whose content changed, came or went."""
        found = dict(self._files())
        changed = {name for name, path in found.items() if self._look_at(name, path)}
        for name in self._loaded.keys() - found.keys():
            self._seen.pop(name, None)
            if name in paths.CORE:
                self._broken[name] = _problem(
                    self.file_of(name), "the file is missing; the last good version is in use"
                )
            else:
                changed.add(name)
                self._forget(name)
        self._copy_some()
        return changed

    def writable(self, name: str) -> Loaded:
        """Return a document that is about to be written.

        Raises:
            DocumentError: What is on disk can't be read, or writing it would lose a part; it stays as it is.
        """
        broken = self._broken.get(name)
        if broken:
            raise DocumentError(broken.file, broken.line, broken.column, broken.message)
        loaded = self._loaded[name]
        if loaded.ambiguous:
            raise DocumentError(loaded.file, 0, 0, f"{loaded.ambiguous}; a save would lose the others")
        return loaded

    def is_writable(self, name: str) -> bool:
        """Say whether `writable` would return."""
        return name not in self._broken and not self._loaded[name].ambiguous

    def write(self, name: str, raw: dict[str, Json]) -> None:
        """Replace a document, on disk first.

        Raises:
            DocumentError: The content could not be read back; nothing was written.
            StorageError: The disk refused; the old file stands.
        """
        max_depth, max_bytes = self._limits(name)
        try:
            content = document.dump(raw, max_depth=max_depth)
        except ValueError as error:
            raise DocumentError(self.file_of(name), 0, 0, str(error)) from None
        if len(content) > max_bytes:
            raise DocumentError(self.file_of(name), 0, 0, f"{len(content):,} bytes are more than {max_bytes:,}")
        self._put(name, content, raw)

    def content(self, name: str) -> bytes:
        """Return a file's bytes as they stand on disk."""
        return (self._folder / self.file_of(name)).read_bytes()

    def put_back(self, name: str, content: bytes | None) -> None:
        """Restore a file's former bytes after a write that could not be completed; None removes it."""
        if content is None:
            self.remove(name)
        else:
            self._put(name, content, self._parsed(name, content))

    def remove(self, name: str) -> None:
        """Delete a module's file and its last good copy.

        Raises:
            StorageError: The disk refused.
        """
        files.remove(self._folder / self.file_of(name))
        self._forget(name)

    def problems(self) -> list[Problem]:
        """List what is wrong with the files, errors first."""
        warnings = [warning for name in self.names() for warning in self._loaded[name].warnings]
        return [*self._broken.values(), *self._stray, *warnings]

    def file_of(self, name: str) -> str:
        """Return a document's file, relative to the state folder."""
        return f"{name}.json" if name in _PARENTS else sync.file_of(name)

    def _files(self) -> Iterator[tuple[str, Path]]:
        for name in paths.CORE:
            path = self._folder / f"{name}.json"
            if path.exists() or path.is_symlink():
                yield name, path
        stray = []
        try:
            entries = sorted(entry.name for entry in os.scandir(self._folder / "modules"))
        except FileNotFoundError:
            entries = []
        except OSError as error:
            stray.append(_problem("modules", f"the folder can't be read: {error.strerror}"))
            # Unreadable is not gone: what was known keeps being served.
            entries = [f"{name}.json" for name in self._loaded if name not in paths.CORE]
        for entry in entries:
            name = entry.removesuffix(".json")
            if entry.startswith(".") or name == entry or not name:
                continue
            if not name.isprintable():
                shown = name.encode("utf-8", "backslashreplace").decode()
                stray.append(_problem(f"modules/{shown}.json", "ignored, because its name is no plain text; rename it"))
                continue
            if name in paths.CORE:
                stray.append(
                    _problem(f"modules/{entry}", f"ignored, because {name} is the name of a file of Nola's own")
                )
                continue
            yield name, self._folder / "modules" / entry
        self._stray = tuple(stray)

    def _look_at(self, name: str, path: Path) -> bool:
        try:
            read = self._read_if_new(name, path)
            if read is None:
                return False
            content, modified = read
            raw = self._parsed(name, content)
        except DocumentError as error:
            return self._fail(name, _as_problem(error))
        except OSError as error:
            self._seen.pop(name, None)
            why = (
                "the file is a link that leads nowhere" if path.is_symlink() else f"it can't be read: {error.strerror}"
            )
            return self._fail(name, _problem(self.file_of(name), why))
        self._broken.pop(name, None)
        before = self._loaded.get(name)
        self._loaded[name] = self._made(name, raw, content, modified)
        self._uncopied[name] = content
        return before is None or before.digest != self._loaded[name].digest

    def _read_if_new(self, name: str, path: Path) -> tuple[bytes, float] | None:
        """Return a file's bytes and time, or None when they are the ones that were seen last."""
        seen = self._seen.get(name)
        now = self._clock.monotonic()
        info = path.stat()
        stamp = (info.st_mtime_ns, info.st_size, info.st_ino)
        if seen and seen.stamp == stamp and seen.settled:
            return None
        content = self._bytes(name, path, info)
        digest = _digest(content)
        since = seen.since if seen and seen.stamp == stamp else now
        self._seen[name] = _Seen(stamp, digest, since, settled=now - since >= _SETTLED_S)
        return None if seen and seen.digest == digest else (content, info.st_mtime)

    def _bytes(self, name: str, path: Path, info: os.stat_result) -> bytes:
        if not stat.S_ISREG(info.st_mode):
            raise DocumentError(self.file_of(name), 0, 0, "this is no regular file")
        if info.st_size > self._limits(name)[1]:
            raise DocumentError(self.file_of(name), 0, 0, f"{info.st_size:,} bytes are too many")
        return path.read_bytes()

    def _fail(self, name: str, problem: Problem) -> bool:
        """Note why a file can't be used; serve what was last good in memory, on disk, or at birth."""
        self._broken[name] = problem
        if name in self._loaded:
            return False
        raw: dict[str, Json] = {"metadata": {}, "data": {}}
        content = b""
        sources = [self._folder / LAST_GOOD / self.file_of(name)]
        if name in paths.CORE:
            sources.append(self._born / self.file_of(name))
        for source in sources:
            try:
                content = source.read_bytes()
                raw = self._parsed(name, content)
                break
            except (OSError, DocumentError):
                continue
        self._loaded[name] = self._made(name, raw, content, 0.0)
        return True

    def _put(self, name: str, content: bytes, raw: dict[str, Json]) -> None:
        path = self._folder / self.file_of(name)
        files.write_atomic(path, content)
        info = path.stat()
        digest = _digest(content)
        stamp = (info.st_mtime_ns, info.st_size, info.st_ino)
        self._seen[name] = _Seen(stamp, digest, self._clock.monotonic(), settled=False)
        self._loaded[name] = self._made(name, raw, content, info.st_mtime, ours=True)
        if name not in _PARENTS:
            self._uncopied[name] = content

    def _made(self, name: str, raw: dict[str, Json], content: bytes, modified: float, *, ours: bool = False) -> Loaded:
        file = self.file_of(name)
        metadata, data = contract.split_root(raw)
        # What we wrote ourselves can't hold a key twice, and the search is slow for large files.
        twice = [] if ours else document.duplicate_keys(content, file)
        warnings = [*twice, *(_problem(file, why, "warning") for why in contract.violations(metadata))]
        return Loaded(
            name=name,
            file=file,
            raw=raw,
            metadata=metadata,
            data=data,
            digest=_digest(content),
            modified=datetime.fromtimestamp(modified, UTC),
            warnings=tuple(warnings),
            ambiguous=f"line {twice[0].line}: {twice[0].message}" if twice else "",
        )

    def _parsed(self, name: str, content: bytes) -> dict[str, Json]:
        max_depth, max_bytes = self._limits(name)
        return document.parse_object(content, self.file_of(name), max_depth=max_depth, max_bytes=max_bytes)

    def _limits(self, name: str) -> tuple[int, int]:
        if name in _PARENTS:
            return self._settings.max_depth + _PARENT_DEPTH, self._settings.max_bytes * _PARENT_SIZE
        return self._settings.max_depth, self._settings.max_bytes

    def _forget(self, name: str) -> None:
        for table in (self._loaded, self._seen, self._broken, self._uncopied):
            table.pop(name, None)
        copy = self._folder / LAST_GOOD / self.file_of(name)
        if copy.exists():
            # A copy that outlives its module holds what its owner took out; failing to remove it stops nothing.
            with contextlib.suppress(NolaError):
                files.remove(copy)

    def keep_good(self, name: str) -> None:
        """Copy what was just written as the last good version, before anybody else can break it."""
        if name in self._uncopied:
            self._copy([name])

    def _copy_some(self) -> None:
        self._copy(list(self._uncopied)[:_COPIES_PER_LOOK])

    def _copy(self, names: list[str]) -> None:
        for name in names:
            target = self._folder / LAST_GOOD / self.file_of(name)
            try:
                files.make_private_dir(target.parent)
                files.write_atomic(target, self._uncopied[name])
            except NolaError:
                # A copy is a second line of defence; a full disk must not stop the reading. The next look tries again.
                return
            del self._uncopied[name]


def _digest(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=16).digest()


def _as_problem(error: DocumentError) -> Problem:
    return Problem(error.file, error.line, error.column, error.why)


def _problem(file: str, message: str, severity: str = "error") -> Problem:
    return Problem(file, 0, 0, message, severity)
