"""The state's files as they stand: read when they change, saved as one group, else served from the last good one."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola import files
from nola.errors import DocumentError, StorageError
from nola.flow import Problem
from nola.state import contract, paths
from nola.state.agreed import Agreed
from nola.state.emptied import FEW, is_emptied
from nola.state.listing import list_documents
from nola.state.loaded import Late, Loaded, Reader, Turned, digest_of, file_of, problem
from nola.state.replaced import Replaced
from nola.state.spares import Spares

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from nola.clock import Clock
    from nola.files import Stamp
    from nola.settings import StateSettings
    from nola.types import Json

__all__ = ["Shelf"]

# Two saves within one tick of the file system's clock leave the same time and size; until then a file is read again.
_SETTLED_S = 0.05
# A file that somebody else wrote less than this ago may still be half written, and is given the rest of it to end.
_REST_S = 0.1
# An error in a file that was written less than this ago may be half a save; it is looked at again before it is told.
_FRESH_S = 1.0
# The copy of a save is made when the file has been left alone for this long, so that a burst of saves makes one.
_QUIET_S = 0.2
# A burst that does not end is copied now and then all the same.
_LAG_S = 2.0


@dataclass(frozen=True, slots=True)
class _Seen:
    """Which bytes a file held when it was last looked at, and when they were first seen."""

    stamp: Stamp
    digest: bytes
    since: float
    settled: bool


class Shelf:
    """Every document of one state folder. Not thread-safe: its owner holds the lock.

    Args:
        folder: The state folder.
        born: The folder of what Nola is born with, for a core file that never was readable.
        settings: Limits of depth and size.
        clock: Tells how long ago a file was read or written.
        spare: Reads a file's content from the newest backup, for the day when everything else is gone.

    Attributes:
        caught_up: Brings a version that was agreed on up to what is recorded of Nola's own changes since.
        is_recorded: Says whether the history's end tells of a text with this hash.
    """

    def __init__(
        self,
        folder: Path,
        born: Path,
        settings: StateSettings,
        clock: Clock,
        spare: Callable[[str], bytes | None] = lambda _: None,
    ) -> None:
        self._folder = folder
        self._reader = Reader(settings)
        self._clock = clock
        self._agreed = Agreed(folder)
        self._loaded: dict[str, Loaded] = {}
        self._seen: dict[str, _Seen] = {}
        self._broken: dict[str, Problem] = {}
        self._rotten: set[str] = set()
        self._accepted: set[str] = set()
        self._stray: tuple[Problem, ...] = ()
        self._replaced = Replaced(folder, self._reader)
        self._spares = Spares(folder, born, agreed=self._agreed, reader=self._reader, backup=spare)
        self._uncopied: dict[str, tuple[float, float]] = {}
        self._begun = False
        self.caught_up: Callable[[str, dict[str, Json]], dict[str, Json]] = lambda _, base: base
        self.is_recorded: Callable[[bytes], bool] = lambda _: False

    def __contains__(self, name: object) -> bool:
        return name in self._loaded

    def __getitem__(self, name: str) -> Loaded:
        return self._loaded[name]

    def find(self, name: str) -> Loaded | None:
        """Return a document, or None when there is none of that name."""
        return self._loaded.get(name)

    def names(self) -> list[str]:
        """List all documents: the core ones in their order, then the modules by name."""
        return [*(name for name in paths.CORE if name in self._loaded), *sorted(self._loaded.keys() - set(paths.CORE))]

    def snapshot(self) -> dict[str, Loaded]:
        """Return all documents as this process knows them now."""
        return dict(self._loaded)

    def look(self) -> dict[str, Turned]:
        """Look which files changed and read them; return those whose content changed, came or went."""
        known = set(self._loaded) if self._begun else {*self._loaded, *self._agreed.modules()}
        listing = list_documents(self._folder, sorted(known - set(paths.CORE)))
        found, self._stray = listing.found, listing.stray
        turned = [self._look_at(name, path) for name, path in found.items()]
        gone = self._gone(sorted(known - found.keys()), remaining=found)
        self._begun = True
        self._accepted.clear()
        self.copy(rested_s=_QUIET_S)
        return {change.name: change for change in (*turned, *gone) if change}

    def late(self) -> list[Late]:
        """Find saves of editors that went into a version which Nola had replaced meanwhile."""
        return self._replaced.late()

    def lost(self, name: str) -> bytes | None:
        """Return the last good bytes of a document whose file is gone; None when the folder holds none."""
        return self._spares.lost(name)

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

    def is_fresh(self, name: str) -> bool:
        """Say whether a file that can't be read was written so lately that its save may not have ended."""
        return name in self._broken and self._age(self._folder / file_of(name)) < _FRESH_S

    def encoded(self, name: str, raw: dict[str, Json], text: bytes | None = None) -> bytes:
        """Write a document as the bytes of its file; what did not change keeps the owner's own spelling.

        Args:
            name: The document.
            raw: Its value.
            text: Bytes that spell it; they are used if they say just that.

        Raises:
            DocumentError: The content could not be read back.
        """
        return self._reader.encoded(name, raw, self._loaded.get(name), text)

    def save(self, contents: Mapping[str, tuple[bytes, dict[str, Json]] | None], log: Path, line: bytes) -> None:
        """Replace documents as one group, on disk first, and append to the history with the same flush.

        Args:
            contents: Each document's bytes and their value, or None to remove the file.
            log: The history's file.
            line: What is appended to it.

        Raises:
            SlippedError: Somebody else wrote one of the files since it was looked at; nothing was replaced.
            StorageError: The disk refused; the old files stand.
        """
        before = {name: self._loaded.get(name) for name in contents}
        saves = []
        for name, new in contents.items():
            old = before[name]
            path = self._folder / file_of(name)
            saves.append(files.Save(path, new[0] if new else None, old.content if old else None))
        stamps = files.save_all(saves, log=log if line else None, line=line)
        for (name, new), stamp in zip(contents.items(), stamps, strict=True):
            if new is None or stamp is None:
                self._forget(name)
                continue
            seen = self._seen.get(name)
            self._install(name, new[1], new[0], stamp)
            if old := before[name]:
                self._replaced.note(old, seen.stamp if seen else None)

    def copy(self, *, rested_s: float = 0.0) -> None:
        """Copy what was saved as the last good versions; of a burst of saves only the last one is.

        Args:
            rested_s: Leave alone what was saved less than this ago, in seconds.
        """
        now = self._clock.monotonic()
        for name, (first, last) in list(self._uncopied.items()):
            if now - last >= rested_s or now - first >= _LAG_S:
                del self._uncopied[name]
                if name in self._loaded:
                    seen = self._seen.get(name)
                    stamp = (0, 0, 0) if name in self._broken or not seen else seen.stamp
                    self._agreed.keep(file_of(name), self._loaded[name].content, stamp)

    def agree(self, name: str) -> None:
        """Note that a document's present content is recorded: it is the last good version from now on."""
        seen = self._seen.get(name)  # a file that went away since is looked at again, and told
        if seen and not self._agreed.matches(file_of(name), seen.stamp):
            self._agreed.keep(file_of(name), self._loaded[name].content, seen.stamp)

    def disown(self, name: str) -> None:
        """Forget the copy of a document that is gone."""
        self._agreed.forget(file_of(name))

    def accept(self, name: str) -> None:
        """Take an emptied document for what its owner wants; the next look reads it as it stands."""
        self._accepted.add(name)
        self._seen.pop(name, None)

    def waits_for(self, name: str) -> bool:
        """Say whether an emptied document, or the loss of all modules, waits for its owner's word."""
        asked = f"nola state accept {name}"
        return any(found.message.endswith(asked) for found in (*self._broken.values(), *self._stray))

    def problems(self) -> list[Problem]:
        """List what is wrong with the files, errors first."""
        warnings = [
            warning for name in self.names() for warning in self._loaded[name].warnings if name not in self._broken
        ]
        return [*self._broken.values(), *self._stray, *warnings]

    def version_in(self, name: str, content: bytes) -> int:
        """Return how often a document had been saved when its file held these bytes.

        Raises:
            DocumentError: They are no document.
        """
        return _version(self._reader.parsed(name, content))

    def copied(self, name: str) -> bytes | None:
        """Return the bytes of a document's copy, which is made after every save; None when there is none."""
        return self._agreed.content(file_of(name))

    def rotten(self) -> list[str]:
        """List documents whose bytes went bad under Nola: unreadable now, and nobody has written them since she did."""
        return sorted(self._rotten)

    def _gone(self, names: list[str], *, remaining: Mapping[str, Path]) -> list[Turned]:
        # Where the copy is gone too, another process knows that the file was meant to go.
        held = {*self._agreed.modules(), *self._uncopied}
        modules = [name for name in names if name not in paths.CORE and name in held]
        left = [name for name in remaining if name not in paths.CORE]
        all_at_once = len(modules) >= FEW and len(modules) > len(left) and "modules" not in self._accepted
        if all_at_once:
            why = f"{'most' if left else 'all'} modules are gone at once; the last good versions are in use"
            self._stray += (problem("modules", f"{why}; if you meant it: nola state accept modules"),)
        gone = []
        for name in names:
            self._seen.pop(name, None)
            if name in paths.CORE or all_at_once:
                self._serve(name)
                self._broken[name] = problem(file_of(name), "the file is missing; the last good version is in use")
            else:
                base = self._base(name)
                self._forget(name)
                gone.append(Turned(name, base, foreign=True))
        return gone

    def _look_at(self, name: str, path: Path) -> Turned | None:
        try:
            read = self._read_if_new(name, path)
            if read is None:
                return None
            content, stamp = read
            raw = self._reader.parsed(name, content)
        except DocumentError as error:
            return self._fail(name, path, Problem(error.file, error.line, error.column, error.why))
        except (OSError, StorageError) as error:
            self._seen.pop(name, None)
            said = error.strerror if isinstance(error, OSError) else str(error)
            why = "the file is a link that leads nowhere" if path.is_symlink() else f"it can't be read: {said}"
            return self._fail(name, path, problem(file_of(name), why))
        foreign = self._is_foreign(name, content, stamp)
        base = self._base(name)
        if foreign and base is not None and self._is_emptied(name, base, raw):
            self._seen.pop(name, None)  # looked at again each time: another process may have it accepted
            why = "the file was emptied; the last good values are in use"
            return self._fail(name, path, problem(file_of(name), f"{why}; if you meant it: nola state accept {name}"))
        self._broken.pop(name, None)
        self._rotten.discard(name)
        before = self._loaded.get(name)
        self._uncopied.pop(name, None)
        self._loaded[name] = self._reader.made(name, raw, content, stamp)
        if before is not None and before.digest == self._loaded[name].digest and not foreign:
            return None
        return Turned(name, base, foreign)

    def _read_if_new(self, name: str, path: Path) -> tuple[bytes, Stamp] | None:
        """Return a file's bytes and stamp, or None when they are the ones that were seen last."""
        seen = self._seen.get(name)
        now = self._clock.monotonic()
        stamp = files.stamp_of(path)
        if seen and seen.stamp == stamp and seen.settled:
            return None
        content, info = self._reader.bytes_of(name, path)
        if (not seen or seen.stamp != stamp) and not self._is_whole(name, content, info):
            self._let_rest(path)
            content, info = self._reader.bytes_of(name, path)
        stamp = (info.st_mtime_ns, info.st_size, info.st_ino)
        digest = digest_of(content)
        since = seen.since if seen and seen.stamp == stamp else now
        self._seen[name] = _Seen(stamp, digest, since, settled=now - since >= _SETTLED_S)
        return None if seen and seen.digest == digest and seen.stamp == stamp else (content, stamp)

    def _is_whole(self, name: str, content: bytes, info: os.stat_result) -> bool:
        """Say whether a file was saved by Nola, and so at once: it is as it was agreed on, or its text is recorded."""
        stamp = (info.st_mtime_ns, info.st_size, info.st_ino)
        return self._agreed.matches(file_of(name), stamp) or self.is_recorded(digest_of(content))

    def _let_rest(self, path: Path) -> None:
        """Wait until nobody has written a file for an instant, so that half of a save is not taken for all of it."""
        age = self._age(path)
        if age < _REST_S:
            time.sleep(_REST_S - age)

    def _age(self, path: Path) -> float:
        """Return how long ago a file was written, in seconds; infinite when the clocks can't tell."""
        try:
            age = self._clock.now().timestamp() - path.stat().st_mtime
        except OSError:
            return float("inf")
        return age if age >= 0 else float("inf")

    def _fail(self, name: str, path: Path, found: Problem) -> Turned | None:
        """Note why a file can't be used; serve what was last good in memory, on disk, or at birth."""
        self._broken[name] = found
        stamp = files.stamp_of(path)
        if found.line and stamp and self._agreed.matches(file_of(name), stamp):
            self._rotten.add(name)
        return self._serve(name)

    def _is_foreign(self, name: str, content: bytes, stamp: Stamp) -> bool:
        """Say whether nobody has recorded a content: its copy is of another time, size, or text."""
        file = file_of(name)
        if not self._agreed.matches(file, stamp):
            return True
        return self._agreed.content(file) != content

    def _serve(self, name: str) -> Turned | None:
        if name in self._loaded:
            return None
        raw, content = self._spares.find(name)
        self._loaded[name] = self._reader.made(name, raw, content, (0, 0, 0))
        return Turned(name, raw, foreign=False)

    def _base(self, name: str) -> dict[str, Json] | None:
        """Return the version that was agreed on last: as this process knows it, or its copy on disk."""
        return self._loaded[name].raw if name in self._loaded else self._spares.agreed(name)

    def _is_emptied(self, name: str, base: dict[str, Json], raw: dict[str, Json]) -> bool:
        if name in self._accepted or not is_emptied(name, base, raw):
            return False
        return is_emptied(name, self.caught_up(name, base), raw)

    def _install(self, name: str, raw: dict[str, Json], content: bytes, stamp: Stamp) -> None:
        self._seen[name] = _Seen(stamp, digest_of(content), self._clock.monotonic(), settled=False)
        self._loaded[name] = self._reader.made(name, raw, content, stamp, ours=True)
        self._broken.pop(name, None)
        now = self._clock.monotonic()
        self._uncopied[name] = (self._uncopied.get(name, (now, now))[0], now)

    def _forget(self, name: str) -> None:
        for table in (self._loaded, self._seen, self._broken, self._uncopied):
            table.pop(name, None)
        self._replaced.forget(name)
        self._rotten.discard(name)


def _version(raw: dict[str, Json]) -> int:
    return contract.version_of(contract.split_root(raw)[0])
