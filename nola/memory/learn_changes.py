"""Turn a fact that a clause tells into changes of the owner's data, or into none when it says nothing new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.flow import Proposal
from nola.memory.learn_paths import Spot, find, find_in_list, item_for, leaves, same
from nola.memory.learn_words import COUNTRIES
from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.memory.learn_patterns import Fact, Rule
    from nola.types import Json

__all__ = ["Saying", "corrected", "noted", "proposed"]

_OPPOSITE = {"likes": "dislikes", "dislikes": "likes"}


@dataclass(frozen=True, slots=True)
class Saying:
    """A clause that a rule has recognised.

    Attributes:
        known: The owner's data as plain nested JSON.
        rule: The rule that recognised it.
        evidence: Its words.
        called: The name that it gives in passing, as in `my sister Anna lives in Lyon`.
    """

    known: Mapping[str, Json]
    rule: Rule
    evidence: str
    called: str = ""

    def change(self, keys: tuple[str, ...], value: Json, *, remove: bool = False, append: bool = False) -> Proposal:
        """Propose one change."""
        path = ".".join(("user", *keys))
        return Proposal(path, value, self.rule.name, self.evidence, remove=remove, append=append)

    def has(self, path: str) -> bool:
        """Tell whether a fact is known."""
        spot = find(self.known, path)
        return bool(spot and spot.present)


def proposed(saying: Saying, part: Fact, path: str, value: Json) -> list[Proposal] | None:
    """Turn one understood fact into proposals.

    Args:
        saying: The clause.
        part: What its rule fills.
        path: The documented path below the owner.
        value: What the clause says.

    Returns:
        The changes, none when it is known already; None when this rule must not speak of it.
    """
    path = _meant(saying, path, value)
    if part.mode == "drop":
        return _dropped(saying, path)
    called = str(value) if path.endswith(".name") else saying.called
    spot = find(saying.known, path, name=called, another=saying.rule.another)
    if spot is None or (saying.rule.need == "known" and not spot.present):
        return None if saying.rule.need else []
    if part.mode == "remove":
        return _removed(saying, spot, value)
    if _is_settled(saying, part, spot, path, value):
        return []
    return _appended(saying, spot, path, value) if part.mode == "append" else _set(saying, spot, path, value)


def noted(known: Mapping[str, Json], text: str, rule: Rule) -> list[Proposal]:
    """Add a free text to the owner's notes, unless it stands there."""
    spot = find(known, "notes")
    return _appended(Saying(known, rule, text), spot, "notes", text) if spot and text else []


def corrected(known: Mapping[str, Json], old: Json, new: Json, rule: Rule, evidence: str) -> list[Proposal]:
    """Replace a value by another where exactly one known value is the old one."""
    spots = [spot for spot in leaves(known) if isinstance(old, str) and same(spot.value, old)]
    if new is None or len(spots) != 1:
        return []
    return [Saying(known, rule, evidence).change(spots[0].keys, new)]


def _meant(saying: Saying, path: str, value: Json) -> str:
    """Settle what depends on what is known: the first name told is the name, a country alone is no city."""
    if path == "nickname" and not saying.has("nickname") and not saying.has("name"):
        return "name"
    if path == "home.city" and fold(str(value)) in COUNTRIES and not saying.has(path):
        return "home.country"
    return path


def _is_settled(saying: Saying, part: Fact, spot: Spot, path: str, value: Json) -> bool:
    """Tell whether a fact adds nothing, or would overwrite what it only mentions in passing."""
    if part.group == "n" and spot.present:
        return True
    return path.endswith(".count") and value == 1 and saying.has(path.removesuffix("count") + "name")


def _set(saying: Saying, spot: Spot, path: str, value: Json) -> list[Proposal]:
    if _is_known(path, spot.value, value):
        return []
    name = find(saying.known, "name") if path == "nickname" and not spot.present else None
    if name and same(name.value, value):
        return []
    if isinstance(spot.value, list) and not isinstance(value, list):
        item = item_for(spot, path, value)
        fresh = item is not None and not any(_holds(old, value) for old in spot.value)
        return [saying.change(spot.keys, item, append=True)] if fresh else []
    return [saying.change(spot.keys, value)]


def _appended(saying: Saying, spot: Spot, path: str, value: Json) -> list[Proposal]:
    items = value if isinstance(value, list) else [value]
    if isinstance(spot.value, str):
        fresh = [item for item in items if not same(spot.value, item)]
        made = [saying.change(spot.keys, [spot.value, *fresh])] if fresh else []
    elif isinstance(spot.value, list) or spot.value is None:
        made = [saying.change(spot.keys, item, append=True) for item in items if not find_in_list(spot, str(item))]
    else:
        made = []
    opposite = find(saying.known, _OPPOSITE[path]) if path in _OPPOSITE else None
    stands = [find_in_list(opposite, str(item)) for item in items] if opposite else []
    return made + [saying.change(place.keys, None, remove=True) for place in stands if place]


def _removed(saying: Saying, spot: Spot, value: Json) -> list[Proposal]:
    """Remove what is known to be so, and nothing else."""
    wanted = value if isinstance(value, list) else [value]
    spots = [find_in_list(spot, str(item)) if isinstance(spot.value, list) else spot for item in wanted]
    gone = [s for s, item in zip(spots, wanted, strict=True) if s and s.present and same(s.value, item)]
    return [saying.change(s.keys, None, remove=True) for s in gone]


def _dropped(saying: Saying, path: str) -> list[Proposal]:
    """Remove a whole person, animal or thing that is known."""
    spot = find(saying.known, f"{path}.name" if path.startswith(("family.", "pets.")) else path)
    if spot is None or not spot.present:
        return []
    nested = spot.keys[-1] in {"name", "model", "called"} and len(spot.keys) > 1
    return [saying.change(spot.keys[:-1] if nested else spot.keys, None, remove=True)]


def _is_known(path: str, old: Json, new: Json) -> bool:
    """Tell whether a value says nothing new; `Mara Vesel` already says `Mara`."""
    named = path == "name" or path.endswith(".name")
    shorter = isinstance(old, str) and isinstance(new, str) and fold(old).startswith(fold(new) + " ")
    return same(old, new) or (named and shorter)


def _holds(old: Json, value: Json) -> bool:
    return any(same(v, value) for v in old.values()) if isinstance(old, dict) else same(old, value)
