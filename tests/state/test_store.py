"""Tests of the store: what it serves, to how many, and how fresh."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

import pytest

from nola.errors import PathError
from nola.types import Level, Place

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.types import Json

    from .conftest import MakeStore

    OwnerWrites = Callable[[str, Json], None]


def node(level: int, data: Json, updated: str = "2026-06-21T07:45:00+00:00") -> dict[str, Json]:
    """Make a node."""
    return {"metadata": {"last_updated": updated, "context_level": level}, "data": data}


@pytest.mark.row("E39")
def test_the_first_bootstrap_syncs_and_the_second_does_nothing(make_store: MakeStore, folder: Path) -> None:
    """Files are born once, every child is pulled once."""
    store = make_store(bootstrap=False)
    assert store.bootstrap() is True
    assert store.pulls == 2
    assert store.bootstrap() is False
    assert store.pulls == 2
    assert sorted(path.name for path in folder.glob("*.json")) == [
        ".format.json", "Nola.json", "identity.json", "machineID.json", "user.json",
    ]  # fmt: skip
    assert store.problems() == []


@pytest.mark.row("E29")
def test_reload_sees_the_owners_edit(store: StateStore, owner_writes: OwnerWrites) -> None:
    """Without it memory answers."""
    store.get("user")
    owner_writes("user.json", node(2, {"name": "Ana"}))
    assert store.get("user", reload=False) == {}
    assert store.get("user", reload=True) == {"name": "Ana"}
    assert store.get("user", reload=False) == {"name": "Ana"}


@pytest.mark.row("E29")
def test_what_is_returned_is_a_copy(store: StateStore) -> None:
    """Changing an answer, or a value after it was set, changes nothing inside."""
    value: dict[str, Json] = {"tags": ["a"]}
    change = store.set("user.x", value, who="owner")
    value["tags"] = "gone"
    for answer in (store.get("user"), store.get_node("user"), store.document("user"), change.new):
        assert isinstance(answer, dict)
        answer.clear()
    assert store.get("user") == {"x": {"tags": ["a"]}}
    listed = store.candidates()[-1].value
    assert isinstance(listed, list)
    listed.clear()
    assert store.get("user.x.tags") == ["a"]


def test_get_strips_wrappers_and_get_node_keeps_them(store: StateStore, owner_writes: OwnerWrites) -> None:
    """Nested nodes read as plain data."""
    private = node(3, {"blood": "AB"})
    owner_writes("user.json", node(2, {"health": private}))
    assert store.get("user.health.blood") == "AB"
    assert store.get("user") == {"health": {"blood": "AB"}}
    assert store.get_node("user.health") == private
    assert store.get_node("user") == node(2, {"health": private})


def test_everything_is_shown_once(store: StateStore) -> None:
    """Without a path, each document is under its name and copies are left out."""
    store.set("work.employer", "Harbour", who="owner")
    everything = store.get()
    assert isinstance(everything, dict)
    assert list(everything) == ["Nola", "identity", "machineID", "user", "work"]
    assert everything["identity"] == {}
    assert everything["work"] == {"employer": "Harbour"}
    assert store.get("modules") == {"work": {"employer": "Harbour"}}
    assert store.get("modules.work.employer") == "Harbour"


def test_an_unknown_module_is_told(store: StateStore) -> None:
    """With close names, and how to make it."""
    with pytest.raises(PathError, match="did you mean user"):
        store.get("usr.name")
    with pytest.raises(PathError, match="no module of that name"):
        store.document("../../etc/passwd")
    with pytest.raises(PathError, match="no module of that name"):
        store.sync(["nowhere"])


@pytest.mark.row("E01")
def test_candidates_stand_once_at_their_highest_place(store: StateStore, owner_writes: OwnerWrites) -> None:
    """Three depths, each leaf once, under the path that its owner sets."""
    owner_writes(
        "user.json", node(2, {"name": "Ana", "sizes": node(1, {"shoes": 38}), "health": node(3, {"blood": "AB"})})
    )
    store.set("identity.motto", "slowly", who="owner")
    found = {leaf.path: leaf for leaf in store.candidates() if not leaf.path.startswith("machineID.")}
    assert {path: (leaf.place, leaf.level, leaf.source_file) for path, leaf in found.items()} == {
        "Nola.name": (Place.GLOBAL, Level.QUICK, "Nola.json"),
        "Nola.role": (Place.GLOBAL, Level.QUICK, "Nola.json"),
        "Nola.manner": (Place.GLOBAL, Level.QUICK, "Nola.json"),
        "identity.motto": (Place.AGGREGATOR, Level.QUICK, "identity.json"),
        "user.name": (Place.AGGREGATOR, Level.CONVERSATION, "user.json"),
        "user.sizes.shoes": (Place.GLOBAL, Level.QUICK, "user.json"),
        "user.health.blood": (Place.MODULE, Level.DEEP, "user.json"),
    }
    assert len(found) == len([leaf for leaf in store.candidates() if not leaf.path.startswith("machineID.")])


@pytest.mark.row("E17")
def test_a_changed_level_counts_at_once(store: StateStore, owner_writes: OwnerWrites) -> None:
    """The next candidates have it."""
    owner_writes("modules/work.json", node(1, {"a": 1}))
    assert store.candidates()[-1].level == Level.QUICK
    owner_writes("modules/work.json", node(3, {"a": 1}))
    leaf = store.candidates()[-1]
    assert (leaf.path, leaf.level, leaf.place) == ("work.a", Level.DEEP, Place.MODULE)


def test_candidates_are_kept_until_something_changes(store: StateStore) -> None:
    """The same tuple under the same revision."""
    first, revision = store.candidates(), store.revision()
    assert store.candidates() is first
    assert store.revision() == revision
    store.set("user.name", "Ana", who="owner")
    assert store.revision() != revision
    assert store.candidates()[-1].value == "Ana"


@pytest.mark.row("E14")
def test_odd_keys_live_through_the_whole_room(store: StateStore) -> None:
    """Dots, blanks, quotes and other scripts are set, found and unset by their path."""
    for key in ('"favourite things".tea', "žoga", '"a.b"."say \\"hi\\""', "駅", '"metadata.x"', '""'):
        store.set(f"user.{key}", "x", who="owner")
        assert store.get(f"user.{key}") == "x"
        assert f"user.{key}" in [leaf.path for leaf in store.candidates()]
        store.unset(f"user.{key}", who="owner")
    assert [leaf.path for leaf in store.candidates() if leaf.path.startswith("user")] == []


@pytest.mark.row("E14")
def test_a_file_of_a_hundred_levels_is_refused_and_told(store: StateStore, folder: Path) -> None:
    """Deeper than the cap is a problem with a sentence, and everything else goes on."""
    (folder / "modules/deep.json").write_text('{"a":' * 100 + "1" + "}" * 100, encoding="utf-8")
    store.set("user.name", "Ana", who="owner")
    assert [(p.file, p.line, p.column, p.message) for p in store.problems()] == [
        ("modules/deep.json", 1, 321, "nested deeper than 64 levels")
    ]
    assert store.get("user.name") == "Ana"


def test_a_module_at_the_depth_cap_is_pulled(store: StateStore, owner_writes: OwnerWrites) -> None:
    """Its copies lie deeper than it does, and still load."""
    value: Json = 1
    for _ in range(63):
        value = {"a": value}
    owner_writes("modules/deep.json", {"metadata": {"context_level": 1}, "data": value})
    store.get("Nola")
    owner_writes("modules/other.json", {"x": 1})
    store.get("Nola")
    assert store.problems() == []


def test_threads_lose_no_update(store: StateStore) -> None:
    """Eight threads append a dozen items each."""

    def work(number: int) -> None:
        for item in range(12):
            store.append("user.log", f"{number}-{item}", who="owner")
            store.candidates()

    threads = [Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    log = store.get("user.log")
    assert isinstance(log, list)
    assert len(set(map(str, log))) == 96
    assert len(store.changes(limit=1000)) == 96


def test_two_stores_on_one_folder_see_each_other(make_store: MakeStore) -> None:
    """As two processes would."""
    one, two = make_store(), make_store()
    one.set("user.name", "Ana", who="owner")
    assert two.get("identity.user.name") == "Ana"
    two.set("user.city", "Ptuj", who="owner")
    assert one.get("user") == {"name": "Ana", "city": "Ptuj"}


def test_sync_pulls_on_request(store: StateStore) -> None:
    """All modules, or those that are named."""
    pulls = store.pulls
    assert store.sync() == ["machineID", "user"]
    assert store.sync(["user"]) == ["user"]
    assert store.pulls == pulls + 3


def test_reading_goes_on_when_nothing_can_be_written(
    store: StateStore, owner_writes: OwnerWrites, folder: Path
) -> None:
    """A lock that can't be taken is a problem, not an end."""
    (folder / ".lock").unlink(missing_ok=True)
    (folder / ".lock").symlink_to("/nowhere/lock")
    owner_writes("user.json", node(1, {"name": "Ana"}))
    assert store.get("user.name") == "Ana"
    assert store.candidates()[-1].value == "Ana"
    assert "could not be pulled" in store.problems()[0].message
    (folder / ".lock").unlink()
    store.sync()
    assert store.problems() == []


def test_all_nodes_come_without_what_was_pulled(store: StateStore) -> None:
    """Each document once, with its metadata, a name with dots among them."""
    store.set("user.name", "Ana", who="owner")
    (store.folder / "modules" / "a.b.json").write_text('{"metadata": {}, "data": {"x": 1}}', encoding="utf-8")
    nodes = store.nodes()
    assert set(nodes) == {"Nola", "identity", "machineID", "user", "a.b"}
    assert str(nodes).count("'Ana'") == 1
    assert nodes["a.b"] == {"metadata": {}, "data": {"x": 1}}
