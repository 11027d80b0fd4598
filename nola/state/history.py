"""The append-only history of changes: one JSON line each, from which every change can be undone."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson

from nola import files
from nola.errors import NolaError
from nola.flow import Change
from nola.state import contract, paths
from nola.types import ChangeId

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.types import Json

__all__ = ["FILE", "History", "Recorded", "new_id"]

FILE = ".history/changes.jsonl"
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS = 9
_RANDOM_DIGITS = 7
_MAX_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Recorded(Change):
    """A change as this room makes it.

    Attributes:
        created: The file that the change created, for example `modules/work.json`; empty when it created none.
        made: How many containers had to be made on the way to the value.
    """

    created: str = ""
    made: int = 0


def new_id(now: datetime) -> ChangeId:
    """Make an id: milliseconds and 35 random bits in base 32, so that ids sort by time."""
    number = max(0, int(now.timestamp() * 1000))
    digits = [_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(_TIME_DIGITS))]
    return ChangeId("".join(digits) + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM_DIGITS)))


class History:
    """The changes of one state folder.

    Args:
        folder: The state folder.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / FILE

    def add(self, change: Recorded) -> None:
        """Append a change; when this returns, it is on disk.

        Raises:
            StorageError: The disk refused.
        """
        files.make_private_dir(self._file.parent)
        line = orjson.dumps({f.name: _written(getattr(change, f.name)) for f in fields(change)}) + b"\n"
        files.append_bytes(self._file, (b"\n" if self._torn() else b"") + line)

    def newest(self, path: str = "", limit: int = 50) -> list[Recorded]:
        """List changes at, below or above a path, newest first; all of them when it is empty.

        Raises:
            PathError: The path can't be read.
        """
        wanted = _steps(path) if path else ()
        found: list[Recorded] = []
        for change in self._backwards():
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
        for change in self._backwards():
            if change.id == change_id:
                return change
        raise NolaError(f"no change has the id {change_id!r}", fix="list them: nola state history")

    def is_undone(self, change_id: ChangeId) -> bool:
        """Say whether a change was taken back, by a change that was not itself taken back."""
        undone: set[ChangeId] = set()
        # Newest first: an undo that was undone before it is met no longer counts.
        for change in self._backwards():
            if change.undoes and change.id not in undone:
                undone.add(change.undoes)
        return change_id in undone

    def _backwards(self) -> Iterator[Recorded]:
        try:
            lines = self._file.read_bytes().splitlines()
        except FileNotFoundError:
            return
        except OSError as error:
            raise NolaError(f"the history can't be read: {error.strerror}", fix=f"mend {self._file}") from error
        for line in reversed(lines):
            change = _read(line)
            if change:
                yield change

    def _torn(self) -> bool:
        try:
            with self._file.open("rb") as file:
                file.seek(-1, 2)
                return file.read(1) != b"\n"
        except OSError:
            return False


def _steps(path: str) -> tuple[str, ...]:
    parsed = paths.parse(path)
    return (parsed.module, *parsed.steps)


def _written(value: object) -> object:
    return contract.stamp(value) if isinstance(value, datetime) else value


def _read(line: bytes) -> Recorded | None:
    """Read one line; a torn one, or one that another program wrote, is no change."""
    try:
        row: dict[str, Json] = orjson.loads(line)
        undoes = row.get("undoes")
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
            created=str(row.get("created", "")),
            made=int(str(row.get("made", 0))),
        )
    except (ValueError, TypeError, KeyError, AttributeError, NolaError):
        return None
