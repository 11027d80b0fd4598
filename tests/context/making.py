"""Makers that the tests of the context and the reasoning share: leaves, facts and rankings, without files or models."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from nola.context.facts import facts_of
from nola.context.memories import Memories
from nola.context.select import Selector
from nola.flow import Remembered
from nola.settings import RelevanceSettings
from nola.state.leaves import flatten
from nola.types import Level, Place, Tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nola.context.facts import Fact
    from nola.context.select import Ranking, Vectoriser
    from nola.flow import Candidate
    from nola.types import Json

__all__ = ["NOW", "facts", "leaves", "one", "ranked", "remembered"]

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def leaves(
    module: str, data: Json, *, level: Level = Level.CONVERSATION, updated: datetime = NOW, place: Place = Place.MODULE
) -> list[Candidate]:
    """List the leaves of a module as the state gives them."""
    metadata: dict[str, Json] = {"context_level": int(level)}
    return flatten(module, metadata, data, source_file=f"{module}.json", undated=updated, levels=None, place=place)


def facts(**modules: Json) -> list[Fact]:
    """Say the leaves of some modules."""
    return facts_of([leaf for name, data in modules.items() for leaf in leaves(name, data)])


def one(told: Sequence[Fact], path: str) -> Fact:
    """Return the only fact at a path."""
    (found,) = (fact for fact in told if fact.path == path)
    return found


def ranked(
    text: str,
    modules: Mapping[str, Json],
    *,
    vectoriser: Vectoriser | None = None,
    former: bool = False,
    memories: Sequence[Remembered] = (),
) -> Ranking:
    """Rank the facts of some modules, and some memories, for a message."""
    candidates = [leaf for name, data in modules.items() for leaf in leaves(name, data)]
    selector = Selector(RelevanceSettings(), turn_budget_s=1.0)
    recalled = Memories(NOW, memories) if memories else None
    return selector.rank(text, candidates, revision=1, vectoriser=vectoriser, wants_former=former, memories=recalled)


def remembered(content: str, **fields: object) -> Remembered:
    """Make a memory that recall found best."""
    made = Remembered("01", content, "semantic", 1.0, 1.0, 0.5, "warm", Tokens(5), {}, "", NOW)
    return replace(made, **fields)  # type: ignore[arg-type]
