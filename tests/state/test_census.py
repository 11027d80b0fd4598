"""Tests of the leaves of a whole folder, made again only where something changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.settings import StateSettings
from nola.state.census import own_data
from nola.state.loaded import Reader

if TYPE_CHECKING:
    from nola.state.store import StateStore
    from nola.types import Json


def test_the_same_tuple_comes_until_something_changes(store: StateStore) -> None:
    """Whoever indexes the candidates can tell by identity that there is nothing to do."""
    first = store.candidates()
    assert store.candidates() is first
    store.set("user.name", "Ana", who="owner")
    second = store.candidates()
    assert second is not first
    assert [leaf.value for leaf in second if leaf.path == "user.name"] == ["Ana"]


def test_a_revision_names_a_content(store: StateStore) -> None:
    """It changes with a value, and nothing else does."""
    before = store.revision()
    assert store.revision() == before
    store.set("user.name", "Ana", who="owner")
    assert store.revision() != before


def test_a_parents_own_data_are_not_its_copies() -> None:
    """What was pulled into identity.json stands under its own name already."""
    copy: Json = {"metadata": {"source_file": "user.json"}, "data": {"name": "Ana"}}
    reader = Reader(StateSettings())
    loaded = reader.made("identity", {"metadata": {}, "data": {"motto": "on", "user": copy}}, b"", (0, 0, 0))
    assert own_data(loaded) == {"motto": "on"}
