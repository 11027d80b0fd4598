"""Tests of earlier times: what was known at an instant, found by taking back one recorded change after another."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.errors import NolaError, PathError
from nola.settings import StateSettings
from nola.state import past, patch
from nola.state.history import Recorded
from nola.state.store import StateStore
from nola.testing import ManualClock
from nola.types import ChangeId

from .conftest import BORN

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.types import Json

    OwnerWrites = Callable[[str, Json], None]

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def recorded(old: dict[str, Json], new: dict[str, Json], *, version: int, via: str = "") -> Recorded:
    """Make the record of a change of user.json."""
    return Recorded(
        id=ChangeId(f"c{version}"),
        at=NOW,
        who="nola",
        path="user.name",
        old=None,
        new=None,
        old_present=True,
        new_present=True,
        via=via,
        patch=tuple(patch.diff(old, new)),
        version=version,
    )


def document(version: int, name: str) -> dict[str, Json]:
    """Make a version of user.json."""
    return {"metadata": {"version": version}, "data": {"name": name}}


def test_a_version_that_lags_behind_is_caught_up() -> None:
    """By Nola's own changes that came later; never by the owner's, which are agreed on at once."""
    one, two, three = document(1, "Ana"), document(2, "Bor"), document(3, "Cene")
    changes = [recorded(two, three, version=3), recorded(one, two, version=2)]
    assert past.caught_up("user", one, changes) == three
    assert past.caught_up("user", two, changes) == three
    assert past.caught_up("user", three, changes) is three
    assert past.caught_up("work", one, changes) is one
    by_hand = [recorded(two, three, version=3), recorded(one, two, version=2, via=past.EDITOR)]
    assert past.caught_up("user", two, by_hand) == three
    assert past.caught_up("user", one, by_hand) is one


def test_another_version_than_the_recorded_one_stays_as_it_is() -> None:
    """What does not fit is not forced."""
    odd = document(1, "Zoe")
    assert past.caught_up("user", odd, [recorded(document(1, "Ana"), document(2, "Bor"), version=2)]) is odd


def test_the_state_is_shown_as_it_was(store: StateStore, clock: ManualClock, owner_writes: OwnerWrites) -> None:
    """By path, by module, and everything, Nola's changes and the owner's."""
    start = clock.now()
    clock.advance(60)
    store.set("user.name", "Ana", who="nola")
    clock.advance(60)
    owner_writes("modules/work.json", {"metadata": {"context_level": 1}, "data": {"employer": "Harbour"}})
    store.get()
    clock.advance(60)
    store.set("user.name", "Bor", who="nola")
    store.set("Nola.manner", "curt", who="owner")
    store.get("Nola")
    assert store.at(clock.now(), "user.name") == "Bor"
    assert store.at(start + timedelta(seconds=130), "user.name") == "Ana"
    assert store.at(start + timedelta(seconds=130), "work") == {"employer": "Harbour"}
    assert store.at(start + timedelta(seconds=70), "user") == {"name": "Ana"}
    everything = store.at(start + timedelta(seconds=70))
    assert isinstance(everything, dict)
    assert sorted(everything) == ["Nola", "identity", "machineID", "user"]
    assert everything["identity"] == {}
    assert store.at(start + timedelta(seconds=70), "Nola.manner") != "curt"
    with pytest.raises(PathError, match="no module of that name"):
        store.at(start + timedelta(seconds=70), "work.employer")


def test_a_time_before_the_history_is_refused(store: StateStore, clock: ManualClock) -> None:
    """In one sentence that says how far it goes back."""
    with pytest.raises(NolaError, match="nothing was recorded yet"):
        store.at(clock.now())
    store.set("user.name", "Ana", who="owner")
    with pytest.raises(NolaError, match="the history begins 2026-11-20 09:00:00"):
        store.at(clock.now() - timedelta(days=1))


# A disk in memory where there is one: what counts here is not whether it survives.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 -- a folder of its own is made in it


# --- any sequence of edits --------------------------------------------------------------------------------------------
Step: TypeAlias = "tuple[str, str, object]"

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["a", "é", 1.5, -0.0]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=5,
)
PATHS = st.sampled_from(
    ["user.a", "user.b", "user.a.c", "work.a", "work.b", "user.list", "work", "boat.a.b", "identity.x"]
)
STEPS = st.lists(st.tuples(st.sampled_from(["set", "unset", "append", "hand", "update"]), PATHS, VALUES), max_size=12)


class Life:
    """A state over which a sequence of edits is carried out; what can't be done is passed over."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = ManualClock()
        self.store = StateStore(folder, clock=self.clock, settings=StateSettings(), born=BORN)
        self.store.bootstrap()

    def step(self, step: Step) -> None:
        """Carry out one edit, a second after the one before."""
        self.clock.advance(1)
        kind, path, value = step
        try:
            if kind == "set":
                self.store.set(path, value, who="nola")  # type: ignore[arg-type]
            elif kind == "unset":
                self.store.unset(path, who="nola")
            elif kind == "append":
                self.store.append("user.list", value, who="nola")  # type: ignore[arg-type]
            elif kind == "update":
                self.store.update(path, lambda _: value, who="nola")  # type: ignore[arg-type, return-value]
            else:
                self.by_hand(path.partition(".")[0], value)
        except PathError:
            pass
        self.store.get("Nola")

    def by_hand(self, name: str, value: object) -> None:
        """Write a file the way its owner does, or delete it."""
        core = name in {"user", "identity"}
        path = self.folder / (f"{name}.json" if core else f"modules/{name}.json")
        if value is None and not core:
            path.unlink(missing_ok=True)
            return
        raw = orjson.loads(path.read_bytes()) if path.exists() else {"metadata": {"context_level": 3}, "data": {}}
        raw["data"] = {**raw["data"], "hand": value}
        path.write_bytes(orjson.dumps(raw))

    def everything(self) -> Json:
        """Return all that is known, without the machine."""
        return self.store.get()


@settings(max_examples=80, deadline=None)
@given(steps=STEPS)
def test_every_instant_is_shown_as_it_was_and_every_change_can_be_undone(steps: list[Step]) -> None:
    """After any edits, `at` equals what was there then; undone from the last to the first, all is as it began."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as temp:
        life = Life(Path(temp) / "state")
        life.step(("set", "user.begin", 1))
        begin = len(life.store.changes())
        snapshots = [(life.clock.now(), life.everything())]
        for step in steps:
            life.step(step)
            snapshots.append((life.clock.now(), life.everything()))
        for when, then in snapshots:
            assert life.store.at(when) == then
        restarted = StateStore(life.folder, clock=life.clock, settings=StateSettings(), born=BORN)
        restarted.bootstrap()
        changes = restarted.changes(limit=1000)
        assert changes == life.store.changes(limit=1000)
        for when, then in snapshots:
            assert restarted.at(when) == then
        for change in changes[: len(changes) - begin]:
            life.clock.advance(1)
            restarted.undo(change.id, who="owner")
        assert restarted.get() == snapshots[0][1]
        life.clock.advance(1)
        assert restarted.at(snapshots[-1][0]) == snapshots[-1][1]
