"""`nola memory list`, `innate` and `stats`: what is remembered, how warm it is, and how much of it there is."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nola.cli import memory_options as options
from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson
from nola.memory.axes import MemoryClass, Status, Tier

if TYPE_CHECKING:
    from nola.memory.record import Record

__all__ = ["innate", "list_", "stats"]

_ON_A_SCREEN = 50
_EMPTY = 'nothing is remembered yet; to remember something: nola memory add "My dog is called Biscuit"'

_ShowHeat = Annotated[bool, typer.Option("--show-heat", help="Show how warm each is, the hottest first.")]
_All = Annotated[bool, typer.Option("--all", help="Also what is superseded, archived, deleted or expired.")]
_Every = Annotated[bool, typer.Option("--all-namespaces", help="Of every namespace.")]
_Limit = Annotated[
    int | None, typer.Option("--limit", "-n", min=1, max=100_000, help="Show this many at most (50 at a terminal).")
]
_Role = Annotated[
    str | None, typer.Option("--namespace", metavar="NAME", help="As seen from there; loaded for that role (default).")
]
_Folder = Annotated[
    Path | None, typer.Option("--load", metavar="FOLDER", help="Take in a folder with a file for each category.")
]


def list_(
    ctx: typer.Context,
    *,
    show_heat: _ShowHeat = False,
    tier: options.TierOption = None,
    kind: options.KindOption = None,
    memory_class: options.ClassOption = None,
    level: options.LevelOption = None,
    status: options.StatusOption = None,
    tag: options.TagOption = None,
    speaker: options.SpeakerOption = None,
    namespace: options.NamespaceOption = "default",
    every_namespace: _Every = False,
    everything: _All = False,
    limit: _Limit = None,
    plain: options.PlainOption = False,
    as_json: AsJson = False,
) -> None:
    """List what is remembered, the last stored first, and how many are innate, hot, warm and cold.

    Every memory has one tier: innate ones are always hot. With --show-heat or --tier the hottest come first.

    Examples:
      nola memory list
      nola memory list --show-heat --tier hot
      nola memory list --kind episodic --tag garden --all
      nola memory list --json | jq -r '.[].content'
    """
    desk = desk_of(ctx)
    wanted: dict[str, Any] = {
        "kind": kind or None,
        "memory_class": memory_class,
        "level": level or None,
        "tier": tier or None,
        "status": list(Status) if everything else status or None,
        "tags": tag or None,
        "speaker": speaker,
        "namespace": None if every_namespace else namespace,
        "expired": everything,
    }
    warm = show_heat or bool(tier)
    most = limit or (None if as_json or not output.on_terminal(sys.stdout) else _ON_A_SCREEN)
    order = "heat" if warm else "newest"
    found = desk.memory.find(limit=None if most is None else most + 1, order=order, **wanted)
    shown = list(zip(found[:most], desk.memory.heat(found[:most]), strict=True))
    if as_json:
        _print_documents(shown)
        return
    _print_rows(desk, shown, plain=plain, heat=warm)
    if shown:
        output.show("")
    _print_foot(desk, wanted["namespace"])
    if len(found) > len(shown):
        output.say(f"showing {len(shown)}; --limit for more")


def innate(ctx: typer.Context, *, folder: _Folder = None, namespace: _Role = None, as_json: AsJson = False) -> None:
    """List what is innate: what nothing changes or deletes, and what is always hot.

    --load takes in a folder with one file for each category (safety.md, identity.txt, tools.json): one memory a line,
    or a JSON list. What is there already is not stored again, so a second load does nothing. With --namespace it is
    innate in that role alone, and in the namespace global for all of them.

    Examples:
      nola memory innate
      nola memory innate --load born/
      nola memory innate --load rules/ --namespace global
    """
    desk = desk_of(ctx)
    if folder is not None:
        _load(desk, folder, namespace or "default", as_json=as_json)
        return
    found = desk.memory.find(memory_class=MemoryClass.INNATE, namespace=namespace)
    rows = list(zip(found, desk.memory.heat(found), strict=True))
    if as_json:
        _print_documents(rows)
        return
    ids = options.id_cells(desk.memory, [one.id for one in found])
    heads = ["id", "namespace", "kind", "tags", "source", "content"]
    cells = [
        [ids[one.id], one.namespace, one.kind.value, ", ".join(one.tags), one.source, options.shortened(one.content)]
        for one in found
    ]
    if all(one.namespace == "default" for one in found):
        heads, cells = [heads[0], *heads[2:]], [[cell[0], *cell[2:]] for cell in cells]
    if cells:
        output.table(heads, cells)
    output.flush()
    if not found:
        output.say("nothing is innate; a folder of categories is taken in by: nola memory innate --load FOLDER")


def stats(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Count the memories: innate, hot, warm and cold, and by kind, status and namespace.

    Examples:
      nola memory stats
      nola memory stats --json | jq .tiers.hot
    """
    desk = desk_of(ctx)
    found = desk.memory.stats()
    if as_json:
        output.document(
            {
                **options.counts_document(found),
                "tiers": {tier.value: found.tiers[tier] for tier in Tier},
                "kinds": dict(found.kinds),
                "statuses": dict(found.statuses),
                "namespaces": dict(found.namespaces),
                "vectors": found.vectors,
                "model": found.model,
                "trouble": found.trouble,
            }
        )
        return
    if not found.namespaces:
        output.say(_EMPTY)
        return
    output.show(options.counts_line(found))
    output.show(f"{found.total} in all")
    for name, numbers in (("kind", found.kinds), ("status", found.statuses), ("namespace", found.namespaces)):
        output.show("")
        output.table((name, "memories"), ((one, str(count)) for one, count in numbers.items()), right=("memories",))
    output.show("")
    meaning = f"and by meaning (vectors of {output.model_name(found.model)}: {found.vectors})"
    output.show(f"found by words {meaning if found.model else 'alone'}")
    if found.trouble:
        output.say(f"note: {found.trouble}")


def _load(desk: Desk, folder: Path, namespace: str, *, as_json: bool) -> None:
    ids = desk.memory.load_innate(folder, namespace=namespace)
    desk.remembered()
    if as_json:
        output.document({"ids": ids})
    elif ids:
        output.show(f"{len(ids)} {'memory is' if len(ids) == 1 else 'memories are'} innate now")
    else:
        output.show("all of it is here already")


def _print_documents(rows: Sequence[tuple["Record", tuple[float, Tier]]]) -> None:
    output.document([record.to_json({"heat": heat, "tier": tier.value}) for record, (heat, tier) in rows])


def _print_rows(desk: Desk, rows: Sequence[tuple["Record", tuple[float, Tier]]], *, plain: bool, heat: bool) -> None:
    now = desk.clock.now()
    ids = options.id_cells(desk.memory, [record.id for record, _ in rows])
    heads = ["id", "kind", "when", "mark", "content"]
    cells = [
        [
            ids[record.id],
            record.kind.value,
            output.ago(now - record.at),
            _mark(record),
            options.shortened(record.content),
        ]
        for record, _ in rows
    ]
    if heat:
        heads = ["heat", *heads]
        cells = [
            [options.heat_cell(*warmth, plain=plain), *cell] for cell, (_, warmth) in zip(cells, rows, strict=True)
        ]
    if not any(record.is_innate or record.pinned or record.status is not Status.ACTIVE for record, _ in rows):
        place = heads.index("mark")
        heads, cells = heads[:place] + heads[place + 1 :], [cell[:place] + cell[place + 1 :] for cell in cells]
    if rows:
        output.table(heads, cells)


def _mark(record: "Record") -> str:
    marks = ["innate"] if record.is_innate else []
    marks += ["pinned"] if record.pinned else []
    return ", ".join(marks + ([] if record.status is Status.ACTIVE else [record.status.value]))


def _print_foot(desk: Desk, namespace: str | None) -> None:
    found = desk.memory.stats(namespace=namespace)
    if found.namespaces:
        output.show(options.counts_line(found))
        output.flush()
    everywhere = found if namespace is None else desk.memory.stats()
    others = [name for name, number in everywhere.namespaces.items() if number > found.namespaces.get(name, 0)]
    if others:
        output.say(f"note: there is more in other namespaces ({', '.join(others[:5])}): --all-namespaces")
    elif not found.namespaces:
        output.say(_EMPTY)
