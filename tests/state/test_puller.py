"""Tests of pulls that really happen: flags, counts, files."""

from __future__ import annotations

from threading import Barrier, Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.state.store import StateStore
    from nola.testing import ManualClock
    from nola.types import Json

    from .conftest import MakeStore

    OwnerWrites = Callable[[str, Json], None]
    OnDisk = Callable[[str], dict[str, Json]]


def module(data: Json, *, level: int = 2, flagged: bool = False) -> dict[str, Json]:
    """Make a file's content as an owner would write it."""
    return {
        "metadata": {"last_updated": "2026-06-21T07:45:00+00:00", "context_level": level, "needs_sync": flagged},
        "data": data,
    }


@pytest.mark.row("E12")
def test_a_change_reaches_the_global_node_once_each_hop(
    store: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk
) -> None:
    """The owner saves user.json; one access later both parents hold the value and were written once."""
    owner_writes("user.json", module({"name": "Ana"}, level=1, flagged=True))
    before = [on_disk(file)["metadata"] for file in ("identity.json", "Nola.json")]
    assert store.get("Nola.identity.user.name") == "Ana"
    assert store.get("Nola.identity.user.name") == "Ana"
    after = [on_disk(file)["metadata"] for file in ("identity.json", "Nola.json")]
    versions = [
        (one["version"], two["version"])
        for one, two in zip(before, after, strict=True)
        if isinstance(one, dict) and isinstance(two, dict)
    ]
    assert versions == [(2, 3), (1, 2)]


@pytest.mark.row("E15")
def test_a_flag_is_pulled_once_at_the_next_access(
    store: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk
) -> None:
    """No pull before the access, exactly one at it, and the flag is lowered in the child's file."""
    pulls = store.pulls
    store.set("user.name", "Ana", who="owner")
    assert store.pulls == pulls
    assert on_disk("user.json")["metadata"]["needs_sync"] is True  # type: ignore[index, call-overload]
    assert store.get("identity.user.name") == "Ana"
    assert store.pulls == pulls + 1
    assert on_disk("user.json")["metadata"]["needs_sync"] is False  # type: ignore[index, call-overload]
    store.candidates()
    store.get("Nola")
    assert store.pulls == pulls + 1
    owner_writes("user.json", module({"name": "Bor"}, flagged=True))
    store.candidates()
    assert store.pulls == pulls + 2


@pytest.mark.row("E16")
def test_a_stale_child_is_looked_at_again(store: StateStore, clock: ManualClock) -> None:
    """At 600 seconds nothing, at 601 a refresh; what did not change is not written."""
    pulls = store.pulls
    clock.advance(600)
    store.get("identity")
    assert store.pulls == pulls
    clock.advance(1)
    store.get("identity")
    assert store.pulls == pulls + 2
    store.get("identity")
    assert store.pulls == pulls + 2


@pytest.mark.row("E19")
def test_one_access_pulls_one_of_a_thousand(make_store: MakeStore, folder: Path, owner_writes: OwnerWrites) -> None:
    """Flagged modules that nobody reads are left alone."""
    for number in range(1000):
        owner_writes(f"modules/m{number}.json", module({"n": number}, flagged=True))
    owner_writes("identity.json", module({}))
    owner_writes("Nola.json", module({}))
    store = make_store(bootstrap=False)
    assert store.get("m7.n") == 7
    assert store.pulls == 1
    assert store.get("m7.n") == 7
    assert store.pulls == 1
    assert b'"needs_sync":true' in (folder / "modules/m8.json").read_bytes()


@pytest.mark.row("E20")
def test_sixteen_threads_pull_once(store: StateStore) -> None:
    """Check and pull are one step."""
    store.set("user.name", "Ana", who="owner")
    pulls = store.pulls
    barrier = Barrier(16)
    seen: list[Json] = []

    def read() -> None:
        barrier.wait()
        seen.append(store.get("identity.user.name"))

    threads = [Thread(target=read) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == ["Ana"] * 16
    assert store.pulls == pulls + 1


@pytest.mark.row("E51")
def test_without_the_contract_every_access_pulls_everything(make_store: MakeStore) -> None:
    """The ablation's count differs, and what it reads does not."""
    lazy, direct = make_store(), make_store(ablate_metadata=True)
    lazy_before, direct_before = lazy.pulls, direct.pulls
    for store in (lazy, direct):
        for _ in range(3):
            store.get("user")
    assert lazy.pulls - lazy_before == 0
    assert direct.pulls - direct_before == 6
    assert lazy.get() == direct.get()


def test_a_hand_edit_without_a_flag_is_pulled_all_the_same(store: StateStore, owner_writes: OwnerWrites) -> None:
    """Owners do not know about flags."""
    owner_writes("modules/work.json", {"employer": "Harbour"})
    assert store.get("identity.work.employer") == "Harbour"
    owner_writes("modules/work.json", module({"employer": "Lighthouse"}, level=3))
    assert store.get("identity") == {"machineID": store.get("machineID")}


def test_a_module_that_is_deleted_vanishes_above(store: StateStore, owner_writes: OwnerWrites, folder: Path) -> None:
    """Its copies go with it, the last good one too."""
    owner_writes("modules/work.json", module({"employer": "Harbour"}, level=1))
    assert store.get("Nola.identity.work.employer") == "Harbour"
    (folder / "modules/work.json").unlink()
    assert "work" not in str(store.get("Nola"))
    assert store.module_names() == ["machineID", "user"]
    assert not (folder / ".last-good/modules/work.json").exists()


def test_a_copy_that_was_edited_by_hand_is_pulled_again(
    store: StateStore, owner_writes: OwnerWrites, on_disk: OnDisk
) -> None:
    """The module decides; the parent's own data stays."""
    store.set("user.name", "Ana", who="owner")
    store.get("identity")
    identity = on_disk("identity.json")
    identity["data"]["user"]["data"]["name"] = "Zoe"  # type: ignore[index, call-overload]
    identity["data"]["motto"] = "mine"  # type: ignore[index, call-overload]
    owner_writes("identity.json", identity)
    assert store.get("identity.user.name") == "Ana"
    assert store.get("identity.motto") == "mine"


def test_the_machine_is_refreshed_when_it_is_stale(store: StateStore, clock: ManualClock, on_disk: OnDisk) -> None:
    """The owner's own keys in machineID.json survive, and an unchanged machine is not written again."""
    store.set("machineID.nickname", "lapdog", who="owner")
    store.set("machineID.name", "wrong", who="owner")
    store.get("identity")
    clock.advance(601)
    refreshed = store.get("machineID")
    assert isinstance(refreshed, dict)
    assert refreshed["nickname"] == "lapdog"
    assert refreshed["name"] != "wrong"
    before = on_disk("machineID.json")
    clock.advance(601)
    store.get("machineID")
    assert on_disk("machineID.json") == before


def test_temporary_files_of_killed_writers_are_swept(make_store: MakeStore, folder: Path) -> None:
    """The owner's own dotfiles are not touched."""
    make_store()
    (folder / ".nola-123-abc.tmp").write_text("half", encoding="utf-8")
    (folder / "modules" / ".nola-123-def.tmp").write_text("half", encoding="utf-8")
    (folder / ".mine.tmp").write_text("mine", encoding="utf-8")
    make_store()
    assert sorted(path.name for path in folder.rglob("*.tmp")) == [".mine.tmp"]


def test_an_own_value_in_the_way_of_a_copy_is_told(store: StateStore, owner_writes: OwnerWrites) -> None:
    """It stays, and problems says why there is no copy."""
    owner_writes("identity.json", {"metadata": {}, "data": {"work": "my note"}})
    owner_writes("modules/work.json", module({"employer": "Harbour"}))
    assert store.get("identity.work") == "my note"
    assert [problem.message for problem in store.problems()] == [
        "identity.work is the owner's, so no copy is put there"
    ]
