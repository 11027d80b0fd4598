"""`nola memory show`, `explain`, `edges` and `events`: one memory and all about it."""

import math
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nola.cli import memory_options as options
from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson
from nola.cli.state_time import read_moment, written
from nola.memory.axes import EdgeKind

if TYPE_CHECKING:
    from nola.memory.dynamics.model import View
    from nola.memory.edges import Edge
    from nola.memory.engine import Explanation
    from nola.memory.finding import Event
    from nola.memory.record import Record
    from nola.types import Json

__all__ = ["edges", "events", "explain", "show"]

_UNITS = ((365.25 * 86_400, "y"), (86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
_YEARS = 10 * 365.25 * 86_400
# Told elsewhere in what is shown, or the same said twice.
_APART = frozenset({"content", "details", "metadata", "statistics", "embedding", "last_access", "access_count"})

_At = Annotated[str, typer.Option("--at", metavar="TIME", help="As it is at this time, past or to come.")]
_Kind = Annotated[EdgeKind | None, typer.Option("--kind", help="Edges of this kind alone.")]


def show(ctx: typer.Context, *, memory: options.IdArgument, as_json: AsJson = False) -> None:
    """Show everything about a memory: its fields, what it is joined to and what happened to it.

    Nothing is counted. Fields that are empty are left out; --json has all of them.

    Examples:
      nola memory show 01m80ywc0t
      nola memory show 01m80ywc0t --json | jq .statistics
    """
    desk = desk_of(ctx)
    record = desk.memory.get(memory)
    document = _document(desk, record)
    joined, past = desk.memory.edges(record.id), desk.memory.events(record.id)
    if as_json:
        output.document({**document, "edges": list(joined), "events": list(past)})
        return
    output.show(record.content)
    output.show("")
    stat = record.statistics
    uses = f"{stat.access_count}, the last {options.moment(_instant(document['last_access']))}"
    fields = {name: value for name, value in document.items() if name not in _APART}
    _print_fields({**fields, "uses": uses, **record.details, **_prefixed(record.metadata)})
    if joined:
        output.show("")
        _print_edges(desk, record.id, joined)
    output.show("")
    _print_events(past)


def explain(ctx: typer.Context, *, memory: options.IdArgument, at: _At = "", as_json: AsJson = False) -> None:
    """Show how each strategy sees a memory: value, strength, tier, half-life, and when it comes into another tier.

    Writes nothing. The half-life is the time after the last use in which the strength halves.

    Examples:
      nola memory explain 01m80ywc0t
      nola memory explain 01m80ywc0t --at "in 30 days"
    """
    desk = desk_of(ctx)
    then = read_moment(at, desk.clock.now(), future=True) if at else None
    found = desk.memory.explain(memory, then)
    if as_json:
        output.document(_explained(found))
        return
    output.show(options.shortened(found.content))
    standing = f"{found.memory_class.value}, {found.tier.value}, strength {found.strength:.3f} in this profile"
    output.show(f"{found.id}: {standing}")
    output.show("")
    heads = ("strategy", "value", "strength", "tier", "half-life", "next tier")
    cells = [_cells(view) for view in found.views.values()]
    output.table(heads, cells, right=("value", "strength", "half-life"))
    output.flush()
    output.say(f"note: as of {written(found.at)}" if at else "to see it at another time: --at TIME")


def edges(ctx: typer.Context, *, memory: options.IdArgument, kind: _Kind = None, as_json: AsJson = False) -> None:
    """List what a memory is joined to, from either end.

    Examples:
      nola memory edges 01m80ywc0t
      nola memory edges 01m80ywc0t --kind similar_to --json
    """
    desk = desk_of(ctx)
    record = desk.memory.get(memory)
    found = desk.memory.edges(record.id, kind)
    if as_json:
        output.document(list(found))
        return
    _print_edges(desk, record.id, found)
    output.flush()
    if not found:
        output.say("it is joined to nothing")


def events(ctx: typer.Context, *, memory: options.IdArgument, as_json: AsJson = False) -> None:
    """List what happened to a memory, the oldest first.

    Examples:
      nola memory events 01m80ywc0t
    """
    found = desk_of(ctx).memory.events(memory)
    if as_json:
        output.document(list(found))
    else:
        _print_events(found)


def _document(desk: Desk, record: "Record") -> dict[str, "Json"]:
    """Return every field of a memory, and what only the present tells (A31)."""
    now = desk.clock.now()
    (heat, tier), *_ = desk.memory.heat([record], now)
    explained = desk.memory.explain(record.id, now)
    models = desk.memory.engine.memories.models(record.id)
    embedder = desk.memory.engine.keeper.embedder
    model = embedder.model_id if embedder and embedder.model_id in models else next(iter(models), None)
    vector: dict[str, Json] | None = None if model is None else {"model": model, "dimensions": models[model]}
    return record.to_json(
        {
            "heat": heat,
            "tier": tier.value,
            "strength": explained.strength,
            "retention": explained.views["retention"].value,
            "embedding": vector,
        }
    )


def _print_fields(fields: Mapping[str, Any]) -> None:
    told = {name: _told(value) for name, value in fields.items()}
    told = {name: value for name, value in told.items() if value}
    width = max(map(len, told))
    for name, value in told.items():
        output.show(f"{output.one_line(name):<{width}}  {value}")


def _told(value: Any) -> str:
    """Write a field's value the way a person reads it; nothing for one that is empty."""
    if value is None or value is False or value in ("", [], {}):
        return ""
    if isinstance(value, bool):
        return "yes"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return output.one_line(", ".join(value))
    if isinstance(value, str):
        at = _instant(value)
        return output.one_line(value) if at is None else options.moment(at)
    return output.inline(value, most=None)


def _instant(value: object) -> datetime | None:
    """Return the instant that a record's JSON tells; None for every other text."""
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) and "T" in value else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo else None


def _prefixed(metadata: Mapping[str, Any]) -> dict[str, Any]:
    return {f"metadata.{name}": value for name, value in metadata.items()}


def _print_edges(desk: Desk, id_: str, found: Sequence["Edge"]) -> None:
    from nola.memory.edges import SYMMETRIC  # noqa: PLC0415 -- keeps start-up fast

    if not found:
        return
    now = desk.clock.now()
    others = {edge.other(id_) for edge in found}
    ids = options.id_cells(desk.memory, others)
    rows = []
    for edge in found:
        other = edge.other(id_)
        way = "with" if edge.kind in SYMMETRIC else ("to" if edge.source == id_ else "from")
        said = options.shortened(desk.memory.get(other).content, most=80)
        rows.append((edge.kind.value, way, f"{edge.weight:.2f}", output.ago(now - edge.last), ids[other], said))
    output.table(("edge", "way", "weight", "when", "id", "content"), rows)


def _print_events(found: Sequence["Event"]) -> None:
    rows = [(options.moment(event.at), event.what, output.inline(dict(event.detail), most=200)) for event in found]
    output.table(("when", "event", "detail"), ((at, what, "" if told == "{}" else told) for at, what, told in rows))


def _cells(view: "View") -> tuple[str, ...]:
    upcoming = "stays"
    if view.crossing is not None:
        upcoming = f"{view.crossing.tier.value} in {_length(view.crossing.in_s)}"
    half = "none" if math.isinf(view.half_life_s) else _length(view.half_life_s)
    return (view.strategy, f"{view.value:.3f}", f"{view.strength:.3f}", view.tier.value, half, upcoming)


def _length(seconds: float) -> str:
    """Write a length of time with two decimals in days, and in years when it is very long."""
    for size, unit in _UNITS:
        if seconds >= size and (unit != "y" or seconds >= _YEARS):
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds:.2f} s"


def _explained(found: "Explanation") -> dict[str, Any]:
    return {
        "id": found.id,
        "content": found.content,
        "at": found.at,
        "class": found.memory_class.value,
        "tier": found.tier.value,
        "strength": found.strength,
        "strategies": {name: _view(view, found.at) for name, view in found.views.items()},
        "statistics": found.statistics,
    }


def _view(view: "View", at: datetime) -> dict[str, Any]:
    crossing = view.crossing
    endless = math.isinf(view.half_life_s)
    return {
        "value": view.value,
        "strength": view.strength,
        "tier": view.tier.value,
        "half_life_days": None if endless else view.half_life_s / 86_400,
        "next": None
        if crossing is None
        else {
            "tier": crossing.tier.value,
            "at": at + timedelta(seconds=crossing.in_s),
            "days": crossing.in_s / 86_400,
        },
        "parts": dict(view.parts),
    }
