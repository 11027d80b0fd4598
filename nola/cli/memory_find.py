"""`nola memory search`: asks the memory a question, and shows what answers it best and why."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nola.cli import memory_options as options
from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson
from nola.cli.state_time import read_moment, written
from nola.memory.axes import Trust

if TYPE_CHECKING:
    from nola.memory.recall import Recalled

__all__ = ["search"]

_Query = Annotated[str, typer.Argument(metavar="QUERY", help="A question, or words; an empty one lists the strongest.")]
_Limit = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Show this many at most.")]
_Budget = Annotated[int | None, typer.Option("--budget", min=0, metavar="TOKENS", help="So many tokens at most.")]
_AsOf = Annotated[str, typer.Option("--as-of", metavar="TIME", help="As everything was known at this time.")]
_Since = Annotated[str, typer.Option("--since", metavar="TIME", help="It happened then or later.")]
_Until = Annotated[str, typer.Option("--until", metavar="TIME", help="It happened before that.")]
_NoCount = Annotated[bool, typer.Option("--no-count", help="Do not count this as a use of what is found.")]
_Why = Annotated[bool, typer.Option("--why", help="Show every part of each score.")]
_TrustOption = Annotated[Trust | None, typer.Option("--trust", help="Trusted at least so far.")]
_MinHeat = Annotated[float | None, typer.Option("--min-heat", metavar="0..1", help="At least so warm.")]
_Cold = Annotated[bool, typer.Option("--include-cold", help="Cold ones too, where the profile hides them.")]


def search(
    ctx: typer.Context,
    *,
    query: _Query,
    limit: _Limit = 10,
    budget: _Budget = None,
    as_of: _AsOf = "",
    since: _Since = "",
    until: _Until = "",
    no_count: _NoCount = False,
    kind: options.KindOption = None,
    memory_class: options.ClassOption = None,
    level: options.LevelOption = None,
    tier: options.TierOption = None,
    status: options.StatusOption = None,
    trust: _TrustOption = None,
    tag: options.TagOption = None,
    speaker: options.SpeakerOption = None,
    namespace: options.NamespaceOption = "default",
    min_heat: _MinHeat = None,
    include_cold: _Cold = False,
    why: _Why = False,
    as_json: AsJson = False,
) -> None:
    """Find the memories that answer a question best, by words, meaning, people, dates and strength.

    What is found counts as used: it grows stronger, and what is used together is linked; --no-count leaves all as it
    is, and --as-of does too. Only what fits into --budget is found and counted.

    Examples:
      nola memory search "What is my dog's name?"
      nola memory search "the plumber" --kind episodic --limit 3 --why
      nola memory search "where do I live" --as-of "2 months ago"
      nola memory search "garden" --budget 200 --json | jq -r '.[].content'
    """
    desk = desk_of(ctx)
    now = desk.clock.now()
    times = _times(now, as_of=as_of, since=since, until=until)
    wanted: dict[str, Any] = {
        "kind": kind or None,
        "memory_class": memory_class,
        "level": level or None,
        "status": status or None,
        "trust": trust,
        "tags": tag or None,
        "speaker": speaker,
        "namespace": namespace,
        "include_cold": include_cold,
        "tier": tier or None,
        "min_heat": min_heat,
        **times,
    }
    found = desk.memory.recall(query, limit=limit, budget=budget, now=now, count=not no_count, **wanted)
    if as_json:
        output.document(found)
    else:
        _print(desk, found, why=why)
    output.flush()
    _say_notes(desk, times.get("as_of"), found=bool(found) or as_json)


def _times(now: datetime, **texts: str) -> dict[str, datetime]:
    """Read the times that were given; only what happened before one may be told by the future."""
    return {name: read_moment(text, now, future=name == "until") for name, text in texts.items() if text}


def _say_notes(desk: Desk, as_of: datetime | None, *, found: bool) -> None:
    if as_of is not None:
        output.say(f"note: as of {written(as_of)}")
    if trouble := desk.memory.engine.keeper.trouble:
        output.say(f"note: by words alone, since {output.sentence(trouble)}")
    if not found:
        output.say("nothing is found")


def _print(desk: Desk, found: list["Recalled"], *, why: bool) -> None:
    now = desk.clock.now()
    ids = options.id_cells(desk.memory, [one.id for one in found])
    if not why:
        cells = [
            (
                f"{one.score:.2f}",
                ids[one.id],
                "" if one.at is None else output.ago(now - one.at),
                one.speaker,
                options.shortened(one.content),
            )
            for one in found
        ]
        shown = [place for place in range(5) if place != 3 or any(one.speaker for one in found)]  # noqa: PLR2004
        heads = ("score", "id", "when", "speaker", "content")
        if found:
            output.table([heads[place] for place in shown], [[cell[place] for place in shown] for cell in cells])
        return
    for one in found:
        output.show(f"{one.score:.3f}  {ids[one.id]}  {options.shortened(one.content)}")
        parts = ", ".join(f"{name} {value:.3f}" for name, value in one.parts.items())
        strength = f"relevance {one.relevance:.3f}, strength {one.strength:.3f}, {one.tier.value}, {one.tokens} tokens"
        output.show(f"       {strength}")
        if parts:
            output.show(f"       {parts}")
        if one.why:
            output.show(f"       {one.why}")
