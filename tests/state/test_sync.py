"""Tests of the plan of lazy pulls."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from nola.state import contract, sync
from nola.state.sync import Child, Levels, Plan

if TYPE_CHECKING:
    from nola.types import Json

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
EMPTY: contract.Metadata = {"metadata": {"version": 1}, "data": {}}


def child(name: str, level: int, data: Json, *, flagged: bool = False) -> Child:
    """Make a module that was never looked at."""
    metadata = contract.create_metadata(level, now=NOW)
    return Child(name, {**metadata, "needs_sync": flagged}, data)


def planned(top: contract.Metadata, identity: contract.Metadata, *children: Child, existing: str = "") -> Plan:
    """Plan a pull with the default levels."""
    names = existing.split() or [one.name for one in children]
    return sync.plan(top, identity, children, names, NOW, levels=Levels())


def data_of(raw: contract.Metadata | None) -> Json:
    """Return the data of a planned file, wrappers stripped."""
    assert raw is not None
    return contract.plain(contract.split_root(raw)[1])


@pytest.mark.row("E16")
def test_a_child_is_due_when_flagged_changed_unseen_or_stale() -> None:
    """600 seconds after the last look are fresh, 601 are stale; the facts' own age does not count."""
    metadata: contract.Metadata = {"last_updated": "2019-01-01T00:00:00+00:00", "stale_threshold_seconds": 600}
    seen = Child("user", metadata, {}, seen=NOW)
    assert sync.due(Child("user", metadata, {}), NOW) is True
    assert sync.due(seen, NOW + timedelta(seconds=600)) is False
    assert sync.due(seen, NOW + timedelta(seconds=601)) is True
    assert sync.due(Child("user", {**metadata, "needs_sync": True}, {}, seen=NOW), NOW) is True
    assert sync.due(Child("user", metadata, {}, seen=NOW, changed=True), NOW) is True


@pytest.mark.row("E51")
def test_without_the_contract_every_child_is_due() -> None:
    """The ablation pulls at every access."""
    fresh = Child("user", contract.create_metadata(now=NOW), {}, seen=NOW)
    assert sync.due(fresh, NOW) is False
    assert sync.due(fresh, NOW, ablate=True) is True


@pytest.mark.row("E12")
def test_levels_decide_how_far_up_a_module_travels() -> None:
    """Level 1 reaches Nola.json, level 2 identity.json, level 3 stays."""
    plan = planned(
        EMPTY, EMPTY, child("user", 1, {"name": "Ana"}), child("work", 2, {"job": "x"}), child("diary", 3, {"d": 1})
    )
    assert data_of(plan.identity) == {"user": {"name": "Ana"}, "work": {"job": "x"}}
    assert data_of(plan.top) == {"identity": {"user": {"name": "Ana"}}}
    assert plan.pulled == ("user", "work", "diary")


def test_nested_nodes_travel_by_their_own_level() -> None:
    """A private node stays behind, a public one goes up out of a private module; lists keep their numbers."""
    private: Json = {"metadata": {"context_level": 3}, "data": {"blood": "AB"}}
    public: Json = {"metadata": {"context_level": 1}, "data": {"shoes": 38}}
    plan = planned(
        EMPTY,
        EMPTY,
        child("user", 2, {"name": "Ana", "health": private, "sizes": [private, public]}),
        child("diary", 3, {"a": {"b": public}, "secret": 1}),
    )
    assert data_of(plan.identity) == {
        "user": {"name": "Ana", "sizes": [None, {"shoes": 38}]},
        "diary": {"a": {"b": {"shoes": 38}}},
    }
    assert data_of(plan.top) == {
        "identity": {"user": {"sizes": [None, {"shoes": 38}]}, "diary": {"a": {"b": {"shoes": 38}}}}
    }


@pytest.mark.row("E13")
def test_what_is_pulled_carries_its_source_file() -> None:
    """A copy says which file to edit, and its flag is down."""
    plan = planned(EMPTY, EMPTY, child("user", 1, {"a": 1}, flagged=True), child("work", 2, {"b": 1}))
    assert plan.identity is not None
    assert plan.top is not None
    copies = plan.identity["data"]
    assert isinstance(copies, dict)
    user, work = (contract.split_node(copies[name])[0] for name in ("user", "work"))
    assert (user["source_file"], user["needs_sync"], user["context_level"]) == ("user.json", False, 1)
    assert work["source_file"] == "modules/work.json"
    above = plan.top["data"]
    assert isinstance(above, dict)
    assert contract.split_node(above["identity"])[0]["source_file"] == "identity.json"
    assert plan.flagged == ("user",)


def test_parents_keep_their_own_data_and_order() -> None:
    """Only copies are replaced; unknown keys stay where they are."""
    top: contract.Metadata = {"x": 1, "metadata": {"version": 6, "mine": True}, "data": {"name": "Nola", "z": [1]}}
    first = planned(top, EMPTY, child("user", 1, {"a": 1}))
    assert first.top is not None
    assert list(first.top) == ["x", "metadata", "data"]
    assert data_of(first.top) == {"name": "Nola", "z": [1], "identity": {"user": {"a": 1}}}
    metadata = first.top["metadata"]
    assert isinstance(metadata, dict)
    assert (metadata["version"], metadata["mine"], metadata["needs_sync"]) == (7, True, False)


def test_a_second_pull_of_the_same_changes_nothing() -> None:
    """No file is written when nothing differs."""
    user = child("user", 1, {"a": 1})
    first = planned(EMPTY, EMPTY, user)
    assert first.identity is not None
    assert first.top is not None
    again = planned(first.top, first.identity, user)
    assert (again.identity, again.top, again.pulled) == (None, None, ("user",))


def test_a_changed_level_and_a_vanished_module_are_taken_out_above() -> None:
    """What no longer travels is removed upward."""
    user = child("user", 1, {"a": 1})
    first = planned(EMPTY, EMPTY, user, child("work", 1, {"b": 1}))
    assert first.identity is not None
    assert first.top is not None
    raised = planned(first.top, first.identity, child("work", 2, {"b": 1}), existing="user work")
    assert data_of(raised.identity) == {"user": {"a": 1}, "work": {"b": 1}}
    assert data_of(raised.top) == {"identity": {"user": {"a": 1}}}
    private = planned(first.top, first.identity, child("work", 3, {"b": 1}), existing="user work")
    assert data_of(private.identity) == {"user": {"a": 1}}
    gone = planned(first.top, first.identity, existing="user")
    assert data_of(gone.identity) == {"user": {"a": 1}}
    assert data_of(gone.top) == {"identity": {"user": {"a": 1}}}
    nothing = planned(first.top, first.identity, existing="other")
    assert (data_of(nothing.identity), data_of(nothing.top)) == ({}, {})


def test_the_owners_own_value_is_never_replaced_by_a_copy() -> None:
    """A key of the same name in a parent stays, and the clash is told."""
    identity: contract.Metadata = {"metadata": {}, "data": {"work": "my own note"}}
    top: contract.Metadata = {"metadata": {}, "data": {"identity": "mine"}}
    plan = planned(top, identity, child("work", 1, {"b": 1}))
    assert (plan.identity, plan.top) == (None, None)
    assert plan.clashes == ("identity.work", "Nola.identity")


def test_own_data_leaves_copies_out() -> None:
    """What a parent holds of itself, without what it pulled."""
    plan = planned(
        {"metadata": {}, "data": {"name": "Nola"}}, {"metadata": {}, "data": {"note": 1}}, child("user", 1, {"a": 1})
    )
    assert plan.identity is not None
    assert plan.top is not None
    assert sync.own_data("identity", plan.identity["data"]) == {"note": 1}
    assert sync.own_data("Nola", plan.top["data"]) == {"name": "Nola"}


def test_the_levels_are_settings() -> None:
    """With level 2 as the global one, everything in identity.json goes up."""
    plan = sync.plan(EMPTY, EMPTY, [child("work", 2, {"a": 1})], ["work"], NOW, levels=Levels(aggregator=2, top=2))
    assert data_of(plan.top) == {"identity": {"work": {"a": 1}}}
