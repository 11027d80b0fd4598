"""Find the path where a fact belongs: the one that the owner's file already has for it, else the documented one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.memory.learn_synonyms import ABOUT, ATTRIBUTES, DOMAINS, KIND_KEYS, ROLES_IN, SYNONYMS
from nola.memory.learn_words import PETS, PLURALS, RELATIONS, ROLES, canonical
from nola.text import fold, humanise

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nola.types import Json

__all__ = ["Spot", "find", "find_in_list", "item_for", "leaves", "same"]

_DEPTH = 8
_ENTITY_STEPS = 3
_ROLE_KEYS = frozenset(canonical(noun) for noun in ROLES)


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the owner's data: its steps, and what stands there now."""

    keys: tuple[str, ...]
    value: Json = None
    present: bool = False


def find(known: Mapping[str, Json], path: str, *, name: str = "", another: bool = False) -> Spot | None:
    """Find where a fact belongs.

    Args:
        known: The owner's data as plain nested JSON.
        path: Its documented path below the owner, for example `home.city` or `pets.dog.name`.
        name: The person's or animal's own name when the statement says it; picks the right one of several.
        another: The statement introduces one more ("I have a cat called"), so that a known namesake is left alone.

    Returns:
        The path already in use for it, else the documented one; None when there is no unambiguous or free place.
    """
    steps = tuple(path.split("."))
    if steps[0] in {"family", "pets"} and len(steps) == _ENTITY_STEPS:
        return _find_entity(known, steps, name, another=another)
    if steps[0] == "favourites":
        return _find_favourite(known, steps)
    group = SYNONYMS.get(path, (path, steps[-1]))
    around = ABOUT | DOMAINS.get(steps[0], ROLES_IN if steps[0] in _ROLE_KEYS else frozenset())
    nodes = list(_walk(dict(known)))
    for wanted in group:
        for norm, keys, value in nodes:
            if _matches(norm, tuple(wanted.split(".")), around) and not isinstance(value, dict):
                return Spot(keys, value, present=True)
    for norm, keys, value in nodes:
        key = _attribute(value, "name")[0] if isinstance(value, dict) and len(steps) == 1 else ""
        if isinstance(value, dict) and key in value and _matches(norm, steps, around):
            return Spot((*keys, key), value[key], present=True)
    return _free_spot(known, steps)


def find_in_list(spot: Spot, item: str) -> Spot | None:
    """Return the place of an item in the list at a spot; None when it is not in it."""
    if isinstance(spot.value, list):
        for index, value in enumerate(spot.value):
            if same(value, item):
                return Spot((*spot.keys, str(index)), value, present=True)
    return None


def item_for(spot: Spot, path: str, value: Json) -> Json:
    """Shape a value as one more item of the list at a spot, as its other items are.

    Args:
        spot: A place that holds a list.
        path: The documented path of the fact, whose last step names the attribute.
        value: What the statement says.

    Returns:
        The value itself for a list of plain values, an object for a list of objects; None when it has no such shape.
    """
    items = spot.value if isinstance(spot.value, list) else []
    if not any(isinstance(item, dict) for item in items):
        return value
    steps = path.split(".")
    keys = {key for item in items if isinstance(item, dict) for key in item}
    attribute = next((key for key in ATTRIBUTES.get(steps[-1], (steps[-1],)) if key in keys), None)
    if attribute is None:
        return None
    made: dict[str, Json] = {attribute: value}
    kind = _kind_key(items)
    if kind and len(steps) == _ENTITY_STEPS:
        made[kind] = steps[1].replace("_", " ")
    return made


def leaves(known: Mapping[str, Json]) -> Iterator[Spot]:
    """Yield every plain value of the owner's data with its path."""
    for _, keys, value in _walk(dict(known)):
        if isinstance(value, (str, int, float)):
            yield Spot(keys, value, present=True)


def same(old: Json, new: Json) -> bool:
    """Tell whether two values say the same; `Porto, Portugal` already says `Porto`, `Mara Vesel` says `Mara`."""
    if isinstance(old, bool) or isinstance(new, bool) or old is None:
        return old is new
    if isinstance(old, (list, dict)) or isinstance(new, (list, dict)):
        return old == new
    left, right = _plain(old), _plain(new)
    return left == right or left.startswith(right + ",")


def _plain(value: float | str | None) -> str:
    return " ".join(fold(str(value)).rstrip(".").split())


def _norm(key: str) -> str:
    return fold(humanise(key)).replace("'", " ").replace(" ", "_")


def _walk(
    node: Json, norm: tuple[str, ...] = (), keys: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], Json]]:
    """Yield (normalised steps, real steps, value) of every node; a list's object goes by its relation or species."""
    if keys:
        yield norm, keys, node
    if len(keys) >= _DEPTH:
        return
    if isinstance(node, dict):
        for key, value in node.items():
            if key and "." not in key:
                yield from _walk(value, (*norm, _norm(key)), (*keys, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            if isinstance(item, dict):
                kind = next((item[k] for k in KIND_KEYS if isinstance(item.get(k), str)), None)
                step = _norm(str(kind)) if kind else str(index)
                yield from _walk(item, (*norm, step), (*keys, str(index)))


def _matches(norm: tuple[str, ...], wanted: tuple[str, ...], around: frozenset[str]) -> bool:
    lead = norm[: len(norm) - len(wanted)]
    return norm[len(lead) :] == wanted and all(step in around for step in lead)


def _free_spot(known: Mapping[str, Json], steps: tuple[str, ...]) -> Spot | None:
    """Return the documented place unless something other than an object stands in its way."""
    node: Json = dict(known)
    for depth, step in enumerate(steps):
        if not isinstance(node, dict):
            return None
        if step not in node:
            return Spot(steps)
        node = node[step]
        if depth == len(steps) - 1:
            return None if isinstance(node, dict) else Spot(steps, node, present=True)
    return None


def _find_favourite(known: Mapping[str, Json], steps: tuple[str, ...]) -> Spot | None:
    thing = canonical(steps[1].replace("_", " "))
    for norm, keys, value in _walk(dict(known)):
        joined = (
            "_".join(norm)
            .replace("favorite", "favourite")
            .replace("color", "colour")
            .replace("favourites", "favourite")
        )
        lead, _, last = joined.rpartition("favourite_")
        if "favourite_" in joined and not isinstance(value, dict) and canonical(last.replace("_", " ")) == thing:
            rest = lead.strip("_")
            if not rest or rest in ABOUT | DOMAINS["favourites"]:
                return Spot(keys, value, present=True)
    container = next(
        (key for key in known if _norm(key) in {"favorites", "favourite", "favorite"} and isinstance(known[key], dict)),
        "favourites",
    )
    return _free_spot(known, (container, *steps[1:]))


def _find_entity(known: Mapping[str, Json], steps: tuple[str, ...], name: str, *, another: bool) -> Spot | None:
    group, noun, attribute = steps
    found = [
        (keys, value) for norm, keys, value in _walk(dict(known)) if _is_entity(norm, noun, ABOUT | DOMAINS[group])
    ]
    named = [
        (keys, value)
        for keys, value in found
        if name and isinstance(value, dict) and same(_attribute(value, "name")[1], name)
    ]
    chosen = named or found
    if not chosen:
        return _in_lists(known, steps, name) or _free_spot(known, _spell(known, steps))
    if len(chosen) > 1:
        return None
    keys, value = chosen[0]
    own = _attribute(value, "name")[1] if isinstance(value, dict) else value
    differs = bool(name) and not named and isinstance(own, str) and not _shorter(own, name)
    if differs and another:
        return _free_spot(known, (group, f"{noun}_2", attribute))
    if not isinstance(value, dict):
        return Spot(keys, value, present=True) if attribute == "name" else None
    key, old = _attribute(value, attribute)
    taken = isinstance(old, dict) or (differs and attribute != "name")
    return None if taken else Spot((*keys, key), old, present=key in value)


def _shorter(own: str, name: str) -> bool:
    return fold(own).split()[:1] == fold(name).split()[:1]


def _spell(known: Mapping[str, Json], steps: tuple[str, ...]) -> tuple[str, ...]:
    """Take the container that the owner uses when it has another name: `animals` for `pets`."""
    aliases = {"pets": ("pets", "animals"), "family": ("family", "relatives")}[steps[0]]
    for key in known:
        if _norm(key) in aliases and isinstance(known[key], dict):
            return (key, *steps[1:])
    return steps


def _kind_key(items: list[Json]) -> str | None:
    return next((key for item in items if isinstance(item, dict) for key in KIND_KEYS if key in item), None)


def _attribute(node: dict[str, Json], attribute: str) -> tuple[str, Json]:
    for wanted in ATTRIBUTES.get(attribute, (attribute,)):
        for key, value in node.items():
            if _norm(key) == wanted and "." not in key:
                return key, value
    return attribute, None


def _is_entity(norm: tuple[str, ...], noun: str, around: frozenset[str]) -> bool:
    if not norm or not all(step in around for step in norm[:-1]):
        return False
    step = norm[-1].replace("_", " ")
    if noun == "spouse" and step in {"wife", "husband", "partner"}:
        return True
    table = step in RELATIONS or step in PETS or step.replace(" ", "-") in RELATIONS
    return (canonical(step) if table else step.replace(" ", "_")) == noun


def _in_lists(known: Mapping[str, Json], steps: tuple[str, ...], name: str) -> Spot | None:
    """Look for the one called `name` in a list such as `daughters` or `pets`; a new one is a new item of that list."""
    group, noun, attribute = steps
    around = ABOUT | DOMAINS[group]
    mixes = {"pets", "animals"} if group == "pets" else {"family", "relatives"}
    plurals = {"children", "siblings", f"{noun}s", *mixes}
    for norm, keys, value in _walk(dict(known)):
        last = canonical(norm[-1].replace("_", " ")) if norm[-1].replace("_", " ") in PLURALS else norm[-1]
        if not isinstance(value, list) or last not in plurals or not all(step in around for step in norm[:-1]):
            continue
        for index, item in enumerate(value):
            if isinstance(item, dict) and name and same(_attribute(item, "name")[1], name):
                key, old = _attribute(item, attribute)
                return Spot((*keys, str(index), key), old, present=key in item)
        mixed = last in mixes and _kind_key(value) is not None
        if mixed or (attribute == "name" and last == f"{noun}s"):
            return Spot(keys, value, present=True)
    return None
