"""The append-only history of changes: one JSON line each, from which every change can be undone and any time shown."""

from __future__ import annotations

import contextlib
import secrets
from collections import deque
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import TYPE_CHECKING

import orjson

from nola import files
from nola.errors import NolaError
from nola.flow import Change
from nola.state import paths
from nola.state.backwards import lines_backwards
from nola.state.loaded import digest_of
from nola.types import ChangeId

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from nola.settings import StateSettings
    from nola.types import Json

__all__ = ["FILE", "FOLDER", "History", "Recorded", "new_id"]

FOLDER = ".history"
FILE = f"{FOLDER}/changes.jsonl"
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS = 9
_RANDOM_DIGITS = 7
_MAX_LIMIT = 1_000_000
# A history is kept in about this many pieces, so that the oldest can go without the rest being rewritten.
_PIECES = 8
_TAIL = 262_144


@dataclass(frozen=True, slots=True)
class Recorded(Change):
    """A change as this room makes it.

    Attributes:
        created: The file that the change created, for example `modules/work.json`; empty when it created none.
        made: How many containers had to be made on the way to the value.
        version: The counter of the file's root node after the change; 0 when the file is gone.
        digest: What the file's bytes hash to after the change; empty when the file is gone.
    """

    created: str = ""
    made: int = 0
    version: int = 0
    digest: str = ""

    @property
    def module(self) -> str:
        """The module that changed."""
        return paths.parse(self.path).module


def new_id(now: datetime) -> ChangeId:
    """Make an id: milliseconds and 35 random bits in base 32, so that ids sort by time."""
    bits = 5 * _RANDOM_DIGITS
    number = max(0, int(now.timestamp() * 1000)) << bits | secrets.randbits(bits)
    digits = _TIME_DIGITS + _RANDOM_DIGITS
    return ChangeId("".join([_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(digits))]))


class History:
    """The changes of one state folder.

    Args:
        folder: The state folder.
        settings: How long and how large it may grow.
    """

    def __init__(self, folder: Path, settings: StateSettings) -> None:
        self._folder = folder / FOLDER
        self._settings = settings
        self.file = folder / FILE

    def prepare(self) -> None:
        """Make its folder, private.

        Raises:
            StorageError: The folder could not be made.
        """
        if not files.is_folder(self._folder):
            files.make_private_dir(self._folder)

    def lines(self, changes: Sequence[Recorded]) -> bytes:
        """Write changes as the lines that go to the end of the file."""
        return b"".join(orjson.dumps(change, option=orjson.OPT_APPEND_NEWLINE) for change in changes)

    def own(self, contents: Mapping[str, bytes]) -> bytes:
        """Write the line that goes with a save that changes nothing worth telling, so that nobody takes it for an edit.

        Args:
            contents: The bytes of each document that is saved.
        """
        return _line({"own": {name: digest_of(content).hex() for name, content in contents.items()}})

    def digests(self, names: Collection[str]) -> dict[str, str]:
        """Return what the bytes of documents hash to that Nola saved lately; empty for one that she took away."""
        found: dict[str, str] = {}
        void: set[str] = set()
        for line in self._last_lines():
            if found.keys() >= set(names):
                break
            if line.startswith(b'{"own"'):
                saved = _owned(line)
            else:
                saved = {change.module: change.digest for change in _happened([line], void) if _tells(change)}
            found |= {name: digest for name, digest in saved.items() if name in names and name not in found}
        return found

    def add(self, changes: Sequence[Recorded]) -> None:
        """Append changes; when this returns, they are on disk.

        Raises:
            StorageError: The disk refused.
        """
        self._append(self.lines(changes))

    def void(self, changes: Sequence[Recorded]) -> None:
        """Note that changes were written down and then never happened, because Nola was stopped in between."""
        self._append(_line({"void": [change.id for change in changes]}))

    def newest(self, path: str = "", limit: int = 50) -> list[Recorded]:
        """List changes at, below or above a path, newest first; all of them when it is empty.

        Raises:
            PathError: The path can't be read.
        """
        wanted = _steps(path) if path else ()
        found: list[Recorded] = []
        for change in self.backwards():
            if len(found) >= min(limit, _MAX_LIMIT):
                break
            steps = _steps(change.path)
            if all(a == b for a, b in zip(steps, wanted, strict=False)):
                found.append(change)
        return found

    def find(self, change_id: ChangeId) -> Recorded:
        """Return one change.

        Raises:
            NolaError: No change has this id.
        """
        for change in self.backwards():
            if change.id == change_id:
                return change
        raise NolaError(f"no change has the id {change_id!r}", fix="list them: nola state history")

    def is_undone(self, change_id: ChangeId) -> bool:
        """Say whether a change was taken back, by a change that was not itself taken back."""
        undone: set[ChangeId] = set()
        # Newest first: an undo that was undone before it is met no longer counts.
        for change in self.backwards():
            if change.undoes and change.id not in undone:
                undone.add(change.undoes)
        return change_id in undone

    def backwards(self) -> Iterator[Recorded]:
        """Go through all changes that happened, newest first."""
        void: set[str] = set()
        for file in [self.file, *reversed(self._pieces())]:
            yield from _happened(_lines(file), void)

    def last_saved(self) -> list[Recorded]:
        """Return the changes that were written down last, newest first: all those of one save."""
        found: list[Recorded] = []
        with contextlib.suppress(NolaError):
            for change in self.backwards():
                if found and change.at != found[0].at:
                    break
                found.append(change)
        return found

    def recent(self) -> Iterator[Recorded]:
        """Go through the last changes, newest first; only what is asked for is read out of its line."""
        return _happened(self._last_lines(), set())

    def _last_lines(self) -> Iterator[bytes]:
        """Yield the last lines, the last one first; it is there however long it is. A disk that refuses has none."""
        left = _TAIL
        with contextlib.suppress(NolaError):
            for line in chain.from_iterable(map(_lines, [self.file, *self._pieces()[-1:]])):
                if left <= 0:
                    return
                left -= len(line)
                yield line

    def tells_of(self, digest: bytes) -> bool:
        """Say whether one of the last changes, or one of Nola's own saves, left a file with this hash."""
        wanted = digest.hex().encode()
        return any(wanted in line for line in self._last_lines())

    def knows(self, digest: bytes) -> bool:
        """Say whether any line tells of a text with this hash.

        Raises:
            NolaError: The history can't be read.
        """
        wanted = digest.hex().encode()
        return any(wanted in line for file in (self.file, *self._pieces()) for line in _lines(file))

    def prune(self, now: datetime) -> None:
        """Put a piece aside when it is large enough, and drop the oldest pieces beyond the limits.

        Raises:
            StorageError: The disk refused.
        """
        try:
            size = self.file.stat().st_size
        except OSError:
            return
        if size > self._settings.history_bytes // _PIECES:
            first = deque((change.id for change in _happened(_lines(self.file), set())), maxlen=1)
            files.move(self.file, self._folder / f"changes-{first[0] if first else new_id(now)}.jsonl")
        pieces = self._pieces()
        oldest = now - timedelta(days=self._settings.history_days)
        room = self._settings.history_bytes - sum(piece.stat().st_size for piece in pieces)
        for piece in pieces:
            size_of = piece.stat().st_size
            last = next(_happened(_lines(piece), set()), None)
            if room >= 0 and (last is None or last.at >= oldest):
                break
            files.remove(piece)
            if room >= 0:
                break  # one at a time for its age: a clock that is wrong once must not cost everything
            room += size_of

    def _pieces(self) -> list[Path]:
        return sorted(self._folder.glob("changes-*.jsonl"))

    def _append(self, line: bytes) -> None:
        self.prepare()
        files.append_line(self.file, line)


def _lines(file: Path) -> Iterator[bytes]:
    try:
        yield from lines_backwards(file)
    except OSError as error:
        raise NolaError(f"the history can't be read: {error.strerror}", fix=f"mend {file}") from error


def _happened(lines: Iterable[bytes], void: set[str]) -> Iterator[Recorded]:
    """Read lines, the last one first; what a later line calls void never happened."""
    for line in lines:
        if line.startswith(b'{"void"'):
            void.update(_voided(line))
            continue
        change = _read(line)
        if change and change.id not in void:
            yield change


def _voided(line: bytes) -> list[str]:
    try:
        ids = orjson.loads(line)["void"]
        return [str(change_id) for change_id in ids]
    except (ValueError, TypeError, KeyError):
        return []


def _owned(line: bytes) -> dict[str, str]:
    try:
        return {str(name): str(digest) for name, digest in orjson.loads(line)["own"].items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}


def _tells(change: Recorded) -> bool:
    """Say whether a change tells what its file holds afterwards; of several of one file, only the last one does."""
    return bool(change.digest) or (not change.new_present and not paths.parse(change.path).steps)


def _steps(path: str) -> tuple[str, ...]:
    parsed = paths.parse(path)
    return (parsed.module, *parsed.steps)


def _line(row: dict[str, object]) -> bytes:
    return orjson.dumps(row) + b"\n"


def _read(line: bytes) -> Recorded | None:
    """Read one line; a torn one, or one that another program wrote, is no change."""
    try:
        row: dict[str, Json] = orjson.loads(line)
        undoes = row.get("undoes")
        patch = row.get("patch", [])
        return Recorded(
            id=ChangeId(str(row["id"])),
            at=datetime.fromisoformat(str(row["at"])).astimezone(UTC),
            who=str(row["who"]),
            path=str(paths.parse(str(row["path"]))),
            old=row["old"],
            new=row["new"],
            old_present=bool(row["old_present"]),
            new_present=bool(row["new_present"]),
            undoes=ChangeId(str(undoes)) if undoes else None,
            via=str(row.get("via", "")),
            patch=tuple(step for step in patch if isinstance(step, dict)) if isinstance(patch, list) else (),
            created=str(row.get("created", "")),
            made=int(str(row.get("made", 0))),
            version=int(str(row.get("version", 0))),
            digest=str(row.get("digest", "")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, NolaError):
        return None
