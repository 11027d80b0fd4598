"""Tests of what a write leaves alone: the owner's own spelling, the wrappers of nodes, and everything beside."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.errors import NolaError, PathError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.testing import ManualClock
    from nola.types import Json

    OwnerWrites = Callable[[str, Json], None]
    OnDisk = Callable[[str], dict[str, Json]]

TEXT = """{
    "$schema": "mine",
    "data": {
        "height": 1.70, "weight": 6.5e1,\t"big": 9007199254740992,
        "na\\u006de": "\\u0160pela",

        "tags": [ "a","b" ],
        "empty": {}
    },
    "metadata": {"mine": [1,2], "context_level": 2}
}
"""


@pytest.mark.bar("D4")
def test_the_owners_spelling_survives_a_write(store: StateStore, folder: Path) -> None:
    """Number text, escapes, order, indentation and blank lines: only the changed value is another."""
    (folder / "user.json").write_text(TEXT, encoding="utf-8")
    store.get("user")
    store.set("user.height", 1.71, who="nola")
    text = (folder / "user.json").read_text(encoding="utf-8")
    assert text.partition('"metadata"')[0] == TEXT.partition('"metadata"')[0].replace("1.70", "1.71")
    assert '"metadata": {"mine": [1,2], "context_level": 2' in text
    store.get("Nola")
    assert (folder / "user.json").read_text(encoding="utf-8").startswith(text.partition('"metadata"')[0])


KEYS = st.text(st.sampled_from("abcé .\"'"), max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.bar("D4")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.dictionaries(KEYS.filter(lambda key: key != "new"), VALUES, max_size=5), beside=VALUES, indent=st.booleans()
)
def test_whatever_the_owner_wrote_is_there_after_a_write(
    store: StateStore, folder: Path, data: dict[str, Json], beside: Json, *, indent: bool
) -> None:
    """Unknown keys and their order, in the data and beside it."""
    raw = {"$beside": beside, "data": data, "metadata": {"x": beside}}
    (folder / "user.json").write_bytes(orjson.dumps(raw, option=orjson.OPT_INDENT_2 if indent else 0))
    with contextlib.suppress(NolaError):  # only what was emptied waits for the owner's word
        store.accept("user")
    store.set("user.new", 1, who="nola")
    after = orjson.loads((folder / "user.json").read_bytes())
    assert list(after) == list(raw)
    assert after["$beside"] == beside
    assert after["data"] == {**data, "new": 1}
    assert list(after["data"]) == [*data, "new"]
    assert after["metadata"]["x"] == beside


def test_a_section_that_is_set_as_it_was_given_keeps_its_nodes(
    store: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk
) -> None:
    """`get` gives no wrappers; a level that the owner chose is not lost when the section is written back."""
    private: dict[str, Json] = {"metadata": {"context_level": 3, "mine": 1}, "data": {"blood": "AB", "height": 170}}
    owner_writes("user.json", {"metadata": {"context_level": 2}, "data": {"health": private, "name": "Ana"}})
    section = store.get("user")
    assert isinstance(section, dict)
    store.set("user", {**section, "name": "Bor"}, who="owner")
    assert on_disk("user.json")["data"] == {"health": private, "name": "Bor"}
    store.set("user.health", {"blood": "0", "height": 170}, who="owner")
    node = store.get_node("user.health")
    assert isinstance(node, dict)
    metadata = node["metadata"]
    assert isinstance(metadata, dict)
    assert (metadata["context_level"], metadata["mine"], metadata["version"]) == (3, 1, 1)
    assert store.get("user") == {"health": {"blood": "0", "height": 170}, "name": "Bor"}


def test_the_version_rises_by_one_with_each_change(
    store: StateStore, on_disk: OnDisk, owner_writes: OwnerWrites, clock: ManualClock
) -> None:
    """Set, append, unset, update, undo and a settled edit alike; reading and pulling raise nothing."""

    def version() -> int:
        metadata = on_disk("user.json")["metadata"]
        assert isinstance(metadata, dict)
        assert isinstance(metadata["version"], int)
        return metadata["version"]

    before = version()
    store.set("user.a", 1, who="nola")
    change = store.append("user.tags", "x", who="nola")
    store.update("user.a", lambda _: 2, who="nola")
    store.undo(change.id, who="nola")
    store.unset("user.a", who="nola")
    assert version() == before + 5
    clock.advance(1000)
    store.get()
    store.sync()
    assert version() == before + 5
    raw = on_disk("user.json")
    owner_writes("user.json", {**raw, "data": {"b": 1}})
    store.set("user.c", 1, who="nola")
    assert version() == before + 6
    assert [one.version for one in store.changes("user", limit=3)] == [before + 6, before + 5, before + 5]


def test_a_null_that_had_to_make_room_comes_back(store: StateStore) -> None:
    """Undo gives back what was there, and not an empty object."""
    store.set("user.a", None, who="owner")
    change = store.set("user.a.b.c", 1, who="owner")
    store.undo(change.id, who="owner")
    assert store.get("user") == {"a": None}


def test_an_update_keeps_a_module_an_object(store: StateStore) -> None:
    """As a set does."""
    store.set("work.a", 1, who="owner")
    with pytest.raises(PathError, match="a module holds an object"):
        store.update("work", lambda _: None, who="owner")
    assert store.get("work") == {"a": 1}


def test_documents_are_taken_in_exactly_as_they_are_given(store: StateStore, on_disk: OnDisk) -> None:
    """One group, one record each, undone by itself; what is the same already is no change."""
    store.set("work", {"employer": "Harbour", "since": 2019}, who="owner")
    before = store.document("work")
    given: dict[str, dict[str, Json]] = {
        "work": {"metadata": {"context_level": 1, "version": 40}, "data": {"employer": "Mill"}},
        "boat": {"just": "data"},
        "user": store.document("user"),
    }
    changes = store.take_in(given, who="owner", via="import")
    assert [(one.path, one.via) for one in changes] == [("work", "import"), ("boat", "import")]
    assert on_disk("modules/work.json") == given["work"]
    assert on_disk("modules/boat.json") == given["boat"]
    for change in changes:
        store.undo(change.id, who="owner")
    assert store.module_names() == ["machineID", "user", "work"]
    assert store.document("work")["data"] == before["data"]


def test_facts_that_change_are_one_change(store: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk) -> None:
    """Nola's own, with all that is new; undone together."""
    raw = on_disk("machineID.json")
    data = raw["data"]
    assert isinstance(data, dict)
    owner_writes(
        "machineID.json", {**raw, "metadata": {"needs_sync": True}, "data": {**data, "os": "x", "cores": 9999}}
    )
    store.get("machineID")
    change = store.changes("machineID", limit=1)[0]
    assert (change.path, change.who, change.via) == ("machineID", "nola", "machine")
    assert change.old == {"os": "x", "cores": 9999}
    assert change.new == {"os": data["os"], "cores": data["cores"]}
    store.undo(change.id, who="owner")
    assert on_disk("machineID.json")["data"] == {**data, "os": "x", "cores": 9999}
