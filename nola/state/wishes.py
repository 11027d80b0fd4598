"""What can be asked of the state's writer: one frozen value for each kind of change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nola.state.loaded import Loaded
    from nola.types import ChangeId, Json

__all__ = ["Append", "Facts", "Late", "Put", "TakeIn", "Undo", "Unset", "Update", "Wish"]


@dataclass(frozen=True, slots=True)
class Put:
    """Write a value at a path."""

    path: str
    value: Json
    who: str
    via: str


@dataclass(frozen=True, slots=True)
class Append:
    """Add an item to the list at a path."""

    path: str
    value: Json
    who: str
    via: str


@dataclass(frozen=True, slots=True)
class Unset:
    """Remove what stands at a path, or a whole module."""

    path: str
    who: str
    via: str


@dataclass(frozen=True, slots=True)
class Update:
    """Write what a function makes of the value at a path."""

    path: str
    function: Callable[[Json], Json]
    who: str
    via: str


@dataclass(frozen=True, slots=True)
class Undo:
    """Take one change back."""

    change: ChangeId
    who: str
    via: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Write down what the machine is now."""

    facts: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class TakeIn:
    """Place whole documents exactly as they are given; `texts` are the bytes of those whose spelling counts."""

    documents: Mapping[str, dict[str, Json]]
    who: str
    via: str
    texts: Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Late:
    """Carry out a wish that had to wait, unless its place was written since: `before` is its module as it was."""

    wish: Put | Append | Unset
    before: Loaded


Wish: TypeAlias = "Put | Append | Unset | Update | Undo | Facts | TakeIn | Late"
