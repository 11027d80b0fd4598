"""What is done to a home in the tests that cut it off or let it fail: saves, a deletion, an undo."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.faults import tracing
from tests.faults.drivers.payload import number_of
from tests.faults.wholeness import own_data

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.faults.harness import Child, Zygote

__all__ = ["DEEDS", "FILE", "SIZE", "Deed", "calls_of", "number_in", "prepared", "warm", "writes"]

FILE = "state/modules/notes.json"
"""The module that the deeds are about."""
SIZE = 3_000


@dataclass(frozen=True)
class Deed:
    """Something that is done to a home, and cut off.

    Attributes:
        name: What it is.
        before: Payloads that were written into `notes.text` before it.
        order: What is done.
        new: The payload that stands there afterwards; None when the module is gone.
    """

    name: str
    before: tuple[int, ...]
    order: dict[str, Any] = field(hash=False)
    new: int | None

    def is_new(self, content: bytes | None) -> bool:
        """Tell whether a module's bytes are those after it."""
        return content is None if self.new is None else number_in(content) == self.new

    def is_recorded(self, changes: Sequence[dict[str, Any]]) -> bool:
        """Tell whether the newest change of the history leads to what stands there after it."""
        if not changes:
            return False
        value = changes[0]["new"]
        value = value.get("text") if isinstance(value, dict) else value
        return value is None if self.new is None else number_of(value) == self.new


def writes(number: int) -> dict[str, Any]:
    """Return the order to write a payload."""
    return {"do": "set", "path": "notes.text", "value": number, "size": SIZE}


DEEDS = (
    Deed("creation of a module", (), writes(1), 1),
    Deed("first save", (1,), writes(2), 2),
    Deed("save with a previous version", (1, 2, 3), writes(4), 4),
    Deed("undo", (1, 2), {"do": "undo", "path": "notes"}, 1),
    Deed("deletion of a module", (1,), {"do": "unset", "path": "notes"}, None),
)


def number_in(content: bytes | None) -> int:
    """Return the number of the payload that a module's bytes hold; -1 when they hold none."""
    value: Any = (own_data(content) or {}).get("text")
    return number_of(value["data"] if isinstance(value, dict) else value)


def prepared(zygote: Zygote, home: Path, deed: Deed) -> None:
    """Make the home in which a deed is done again and again."""
    with zygote.desk(home) as desk:
        assert desk.ask("start")["ok"]
        warm(desk)
        for number in deed.before:
            assert desk.ask(**writes(number))["ok"]
        assert desk.ask("start")["ok"]
        assert desk.ask("close")["ok"]


def warm(desk: Child) -> None:
    """Let a process save something else first, so that its threads are there and its caches are filled."""
    assert desk.ask("set", path="warm.text", value=0, size=SIZE)["ok"]


def calls_of(zygote: Zygote, template: Path, deed: Deed, log: Path) -> list[list[tracing.Call]]:
    """Return the system calls of a deed, for each thread of the process that does it."""
    home = log.with_suffix(".home")
    shutil.copytree(template, home)
    with zygote.desk(home) as desk:
        warm(desk)
        return tracing.traced(desk, log, **deed.order)
