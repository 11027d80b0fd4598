"""Whether what many processes saw of one value fits into one order of events, in which nothing is lost.

Every written value is unique, and the order of the writes is known: from the list itself for appends, from the history
for plain writes. Then it is enough to compare places in that order with the clock: what had ended before something else
began must not come after it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Op", "appends", "registers"]


@dataclass(frozen=True)
class Op:
    """One operation as the one who asked saw it.

    Attributes:
        kind: `get`, `set` or `append`.
        key: Which value.
        value: What was written, or read.
        start: When it was asked for.
        end: When it was answered; infinite when it never was.
        ok: Whether it was acknowledged; None when nobody knows.
    """

    kind: str
    key: str
    value: Any
    start: float
    end: float
    ok: bool | None


def appends(ops: Sequence[Op], final: Sequence[Any]) -> list[str]:
    """Check one list to which unique items were appended; return a sentence for each contradiction."""
    wrong = _written(ops, final)
    places: list[tuple[Op, int, int]] = []
    where = {item: at for at, item in enumerate(final)}
    for op in ops:
        if op.kind == "append" and op.value in where:
            places.append((op, where[op.value], where[op.value] + 1))
        elif op.kind == "get" and op.ok:
            seen = op.value or []
            if list(final[: len(seen)]) != seen:
                wrong.append(f"{op.key}: {seen} was read, which is no beginning of {list(final)}")
            else:
                places.append((op, len(seen), len(seen)))
    return wrong + _in_order(places)


def registers(ops: Sequence[Op], order: Sequence[Any]) -> list[str]:
    """Check one value that was overwritten with unique ones, in this order; return what contradicts it."""
    wrong = _written(ops, order)
    places: list[tuple[Op, int, int]] = []
    where = {value: at for at, value in enumerate(order)}
    for op in ops:
        if op.kind == "set" and op.value in where:
            places.append((op, where[op.value], where[op.value] + 1))
        elif op.kind == "get" and op.ok:
            if op.value is not None and op.value not in where:
                wrong.append(f"{op.key}: {op.value} was read, which nobody wrote")
            else:
                at = -1 if op.value is None else where[op.value]
                places.append((op, at + 1, at + 1))
    return wrong + _in_order(places)


def _written(ops: Iterable[Op], order: Sequence[Any]) -> list[str]:
    """Acknowledged writes are there once, refused ones are not."""
    wrong = [f"{value} stands there {order.count(value)} times" for value in set(order) if order.count(value) > 1]
    for op in ops:
        if op.kind != "get" and op.ok is True and op.value not in order:
            wrong.append(f"{op.key}: {op.kind} of {op.value} was acknowledged, and is lost")
        if op.kind != "get" and op.ok is False and op.value in order:
            wrong.append(f"{op.key}: {op.kind} of {op.value} was refused, and yet stands there")
    return wrong


def _in_order(places: Sequence[tuple[Op, int, int]]) -> list[str]:
    """What ended before another began must have happened before it; a write takes from its place to the next one."""
    wrong = []
    for first, _, after in places:
        for second, before, _ in places:
            if first.end < second.start and after > before:
                wrong.append(
                    f"{first.key}: {first.kind} of {str(first.value)[-40:]} had ended before {second.kind} of "
                    f"{str(second.value)[-40:]} began, and comes after it"
                )
    return wrong
