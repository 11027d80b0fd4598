"""Tests of what the library offers beside storing and asking: use, tasks, observations, intentions, and time."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from nola.errors import ProtectedError, UsageError
from nola.learned import Memory
from nola.memory.axes import EdgeKind, Kind, Status, Tier
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY = 86_400
CATEGORIES = (
    "user preferences", "project context", "lessons learned", "relationship patterns", "domain expertise"
)  # fmt: skip
SCORES = """
import json, sys
sys.addaudithook(lambda name, _: name.startswith("socket.") and sys.exit(f"the network was used: {name}"))
from datetime import timedelta
from nola.learned import Memory
from nola.testing import ManualClock
clock = ManualClock(ManualClock().now() + timedelta(days=9))
with Memory.open(sys.argv[1], embedder="hashing", clock=clock) as memory:
    memory.prune()
    found = memory.recall("a dog and a walk", count=False)
    heat = memory.heat([memory.get(one.id) for one in found])
    print(json.dumps([[one.id, one.score, one.strength, *warm] for one, warm in zip(found, heat)]))
"""


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at 09:00 on 20 November 2026."""
    return ManualClock()


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """An empty memory that knows words alone."""
    with Memory.open(tmp_path / "m.db", embedder="none", clock=clock) as opened:
        yield opened


def contents(found: list[Any]) -> list[str]:
    """Return what was found, in order."""
    return [one.content for one in found]


# --- kinds and categories ---------------------------------------------------------------------------------------------
@pytest.mark.row("A05")
def test_categories_are_tags(memory: Memory) -> None:
    """One memory of each of the five named categories; asking for a category gives exactly it."""
    for name in CATEGORIES:
        memory.store(f"Something of {name}", tags=[name])
    for name in CATEGORIES:
        assert contents(memory.find(tags=[name])) == [f"Something of {name}"]
        assert contents(memory.recall("something", tags=[name], count=False)) == [f"Something of {name}"]


@pytest.mark.row("A29")
def test_kinds_are_told_apart(memory: Memory) -> None:
    """Each of the three kinds is found by itself, and several together."""
    for kind in ("semantic", "episodic", "procedural"):
        memory.store(f"of bread: {kind}", kind=kind)
    for kind in ("semantic", "episodic", "procedural"):
        assert contents(memory.find(kind=kind)) == [f"of bread: {kind}"]
        assert contents(memory.recall("bread", kind=kind, count=False)) == [f"of bread: {kind}"]
    assert len(memory.recall("bread", kind=["episodic", "semantic"], count=False)) == 2


# --- use --------------------------------------------------------------------------------------------------------------
@pytest.mark.row("B30")
@pytest.mark.parametrize("profile", ["nola", "amplihack"])
def test_a_procedure_grows_stronger_by_being_recalled(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """Recalled three times, it was used three times; one that matched and was cut off was not used."""
    with Memory.open(tmp_path / "m.db", embedder="none", clock=clock, profile=profile) as memory:
        used = memory.store("How to bake bread in an oven", kind="procedural", steps=["knead", "bake"])
        other = memory.store("How to bake", kind="procedural", steps=["bake"])
        strengths = []
        for _ in range(3):
            clock.advance(DAY)
            strengths.append(memory.explain(used).strength - memory.explain(other).strength)
            assert [one.id for one in memory.recall("bake bread in an oven", limit=1)] == [used]
        clock.advance(DAY)
        strengths.append(memory.explain(used).strength - memory.explain(other).strength)
        assert [memory.get(id_).statistics.usage for id_ in (used, other)] == [3, 0]
    assert strengths[0] == 0
    assert strengths == sorted(set(strengths))


@pytest.mark.row("B31")
@pytest.mark.parametrize("profile", ["nola", "amplihack", "ada"])
def test_of_two_procedures_the_more_used_comes_first(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """Both match alike; five uses rank before one, whichever was stored first."""
    for often in (0, 1):
        path = tmp_path / f"{often}.db"
        with Memory.open(path, embedder="none", clock=clock, profile=profile) as memory:
            ids = [memory.store("How to bake bread", kind="procedural", agent=name) for name in "ab"]
            for agent in ("ab"[often] * 4) + "ab":
                clock.advance(60)
                memory.recall("bread", agent=agent)
            clock.advance(60)
            assert [memory.get(id_).statistics.usage for id_ in ids] == ([5, 1], [1, 5])[often]
            found = memory.recall("bake bread", count=False)
            assert found[0].relevance == found[1].relevance
            assert [one.id for one in found] == [ids[often], ids[1 - often]]


@pytest.mark.row("B30")
def test_use_can_be_told(memory: Memory) -> None:
    """It counts as a recall does, each memory once; where one is not there, nothing is counted."""
    ids = [memory.store(f"How to bake {n}", kind="procedural") for n in range(2)]
    for _ in range(3):
        memory.used(ids[0], ids[1][:25], ids[0])
    assert [memory.get(id_).statistics.usage for id_ in ids] == [3, 3]
    assert [edge.other(ids[0]) for edge in memory.edges(ids[0], EdgeKind.ASSOCIATED)] == [ids[1]]
    with pytest.raises(UsageError, match="no memory's id begins with 'nobody'"):
        memory.used(ids[0], "nobody")
    memory.used()
    assert memory.get(ids[0]).statistics.usage == 3


@pytest.mark.row("B32")
def test_prerequisites_are_checked(memory: Memory) -> None:
    """What is missing is named, until something is known about it."""
    id_ = memory.store("Write a loop", kind="procedural", prerequisites=["variables", "conditions"])
    assert memory.get(id_).details["prerequisites"] == ["variables", "conditions"]
    memory.store("A variable holds a value", concept="Variables")
    assert memory.unmet(id_) == ["conditions"]
    memory.store("What is true is done", concept="conditions")
    assert memory.unmet(id_[:25]) == []
    with pytest.raises(UsageError, match="no procedure"):
        memory.unmet(memory.store("a fact"))


# --- tasks, observations, intentions ----------------------------------------------------------------------------------
@pytest.mark.row("B09", "B10", "B13")
def test_a_task_is_completed(memory: Memory) -> None:
    """One episode tells what it held, and is found; the task is empty, and those of others are not."""
    for task, agent in (("tea", ""), ("cake", ""), ("tea", "other")):
        memory.store(f"Boil water for {task}", kind="working", task=task, slot="plan", agent=agent)
    episode = memory.get(memory.complete("tea"))
    assert (episode.kind, episode.content) == (Kind.EPISODIC, "Completed the task tea:\n- plan: Boil water for tea")
    assert memory.recall("completed tea", count=False)[0].id == episode.id
    assert memory.find(kind="working", details={"task": "tea"}, agent="") == []
    assert len(memory.find(kind="working")) == 2
    for wrong in ("tea", "nothing", None):
        with pytest.raises(UsageError, match="task"):
            memory.complete(wrong)  # type: ignore[arg-type]


@pytest.mark.row("B04", "B05")
def test_observations_become_episodes_or_go(memory: Memory, clock: ManualClock) -> None:
    """What is attended to is an episode with the raw data and the reason; the rest can be pruned once it expired."""
    bark = memory.store("a bark", kind="sensory", modality="sound", raw_data="WOOF")
    memory.store("a flash", kind="sensory", modality="light")
    episode = memory.attend(bark[:25], "it was loud")
    assert episode is not None
    assert memory.get(episode).content == "WOOF"
    (edge,) = memory.edges(episode, "attended_to")
    assert (edge.source, edge.properties) == (bark, {"attention_reason": "it was loud"})
    assert memory.prune() == 0
    clock.advance(300)
    assert memory.attend(bark, "too late") is None
    assert memory.prune() == 2
    assert contents(memory.find(expired=True)) == ["WOOF"]
    with pytest.raises(UsageError, match="reason"):
        memory.attend(episode, 3)  # type: ignore[arg-type]


@pytest.mark.row("B03", "B06", "B07")
def test_what_was_seen_first_and_last(memory: Memory, clock: ManualClock) -> None:
    """By modality, with its values: a series, and where and when the session is."""
    for n in range(5):
        now = {"date": clock.now().date().isoformat(), "time": f"{clock.now():%H:%M}", "session": "s1"}
        memory.store(f"It is {now['time']} in session s1", kind="sensory", modality="orientation", raw_data=now)
        memory.store(f"load {n}", kind="sensory", modality="metric", raw_data={"load": n})
        clock.advance(60)
    assert [one.details["raw_data"] for one in memory.observations("metric")] == [{"load": n} for n in range(1, 5)]
    (last,) = memory.observations("orientation", newest=True, limit=1)
    assert last.details["raw_data"] == {"date": "2026-11-20", "time": "09:04", "session": "s1"}
    assert contents(memory.observations("orientation", limit=1)) == ["It is 09:01 in session s1"]
    assert len(memory.observations()) == 8
    assert memory.observations("smell") == memory.observations(agent="other") == memory.observations(limit=0) == []
    assert {one.statistics.access_count for one in memory.observations()} == {0}
    with pytest.raises(UsageError, match="limit"):
        memory.observations(limit=-1)


@pytest.mark.row("B34")
def test_an_intention_goes_one_way(memory: Memory) -> None:
    """Pending, triggered, resolved, or resolved at once; nothing else, and each move is an event."""
    milk, tea = (memory.store(f"Buy {name}", kind="prospective", trigger="shop") for name in ("milk", "tea"))
    memory.trigger(milk)
    memory.resolve(milk[:25])
    memory.resolve(tea)
    assert [memory.get(id_).details["state"] for id_ in (milk, tea)] == ["resolved", "resolved"]
    assert [event.what for event in memory.events(milk)] == ["stored", "changed", "changed"]
    for move in (memory.trigger, memory.resolve):
        with pytest.raises(UsageError, match="an intention that is resolved can become nothing"):
            move(milk)
    with pytest.raises(UsageError, match="store it, then move it on"):
        memory.store("Buy bread", kind="prospective", state="resolved")
    with pytest.raises(ProtectedError):
        memory.trigger(memory.store("Greet", kind="prospective", memory_class="innate"))


@pytest.mark.row("D44")
def test_users_do_not_reach_each_others(tmp_path: Path, clock: ManualClock) -> None:
    """In one file, what is one user's is not there for the other, whatever is asked of it."""
    opened = [Memory.open(tmp_path / "m.db", embedder="none", clock=clock, user=user) for user in ("ada", "ben")]
    ada, ben = opened
    bark = ada.store("a bark", kind="sensory", ttl=60)
    milk = ada.store("Buy milk", kind="prospective")
    loop = ada.store("Loop", kind="procedural", prerequisites=["variables"])
    ada.store("Two eggs", kind="working", task="cake")
    ben.store("A variable holds a value", concept="variables")
    calls = (
        lambda: ben.attend(bark, "loud"),
        lambda: ben.trigger(milk),
        lambda: ben.resolve(milk),
        lambda: ben.used(milk),
        lambda: ben.unmet(loop),
    )
    for call in calls:
        with pytest.raises(UsageError, match="no memory's id begins with"):
            call()
    with pytest.raises(UsageError, match="the task 'cake' holds nothing"):
        ben.complete("cake")
    assert ada.unmet(loop) == ["variables"]
    assert (ben.observations(), contents(ada.observations())) == ([], ["a bark"])
    clock.advance(60)
    assert (ben.prune(), ada.prune()) == (0, 1)
    assert ada.get(ada.complete("cake")).user == "ada"
    for memory in opened:
        memory.close()


# --- time -------------------------------------------------------------------------------------------------------------
@pytest.mark.row("A03", "A21")
def test_ten_years_pass_over_what_is_innate(memory: Memory, clock: ManualClock) -> None:
    """Of every kind: it is there, hot, and nothing happened to it."""
    ids = [memory.store(f"core {kind}", kind=kind, memory_class="innate") for kind in Kind]
    for _ in range(40):
        clock.advance(10 * 365 * DAY / 40)
        assert memory.prune() == 0
        assert memory.stats().innate == len(ids) == len(memory.recall("core", limit=20))
    records = [memory.get(id_) for id_ in ids]
    assert {one.expires_at for one in records} == {None}
    assert memory.heat(records) == [(1.0, Tier.HOT)] * len(ids)
    assert {event.what for id_ in ids for event in memory.events(id_)} == {"stored"}
    with pytest.raises(UsageError, match="an innate memory never expires"):
        memory.store("core", kind="sensory", memory_class="innate", ttl=60)


@pytest.mark.row("A54")
def test_a_clock_that_jumps_deletes_nothing(memory: Memory, clock: ManualClock) -> None:
    """A century ahead and back again: heat is that of the moment, and every memory is there."""
    ids = [memory.store(f"dog {kind}", kind=kind) for kind in ("semantic", "episodic", "procedural", "prospective")]
    ids.append(memory.store("dog slot", kind="working", task="walk"))
    ids.append(memory.store("dog bark", kind="sensory"))
    before = memory.find()
    for jump, heat in ((100 * 365 * DAY, 0.0), (-100 * 365 * DAY, 0.5), (-30 * DAY, 0.5), (30 * DAY, 0.5)):
        clock.advance(jump)
        memory.stats()
        memory.recall("dog", count=False)
        assert {round(warm, 6) for warm, _ in memory.heat(before)} == {heat}
        memory.close()
    assert memory.find() == before
    assert {one.id for one in memory.recall("dog", count=False)} == set(ids)


@pytest.mark.row("A54")
def test_what_is_archived_is_never_deleted(memory: Memory, clock: ManualClock) -> None:
    """Neither by time, nor by pruning, completing, indexing or closing: only a purge takes it."""
    ids = [
        memory.store("dog fact"),
        memory.store("dog bark", kind="sensory"),
        memory.store("dog slot", kind="working", task="walk"),
    ]
    for id_ in ids:
        memory.engine.memories.set_status(id_, Status.ARCHIVED, why="cold")
    memory.store("leash", kind="working", task="walk")
    clock.advance(50 * 365 * DAY)
    assert memory.prune() == 0
    memory.complete("walk")
    memory.reindex()
    memory.close()
    assert [one.id for one in memory.find(status="archived", expired=True)] == ids[::-1]
    assert "dog fact" in contents(memory.recall("dog", status="archived", count=False))
    assert memory.engine.memories.purge(ids) == 3
    assert memory.find(status="archived", expired=True) == []


@pytest.mark.row("A24")
def test_what_flat_memory_lacks(memory: Memory, clock: ManualClock) -> None:
    """Priority differs, what is innate is protected, what is unused fades, and what is used grows stronger."""
    high, low = memory.store("high", importance=0.9), memory.store("low", importance=0.1)
    core, used = memory.store("core", memory_class="innate"), memory.store("used")
    unused = memory.store("idle")

    def heat(*ids: str) -> list[float]:
        return [warm for warm, _ in memory.heat([memory.get(id_) for id_ in ids])]

    assert heat(high, low) == [0.9, 0.1]
    assert contents(memory.recall(""))[0] == "core"
    with pytest.raises(ProtectedError):
        memory.engine.memories.update(core, {"content": "another"})
    start = heat(used, unused)
    clock.advance(5 * DAY)
    assert heat(unused)[0] < start[1]
    assert heat(core) == [1.0]
    memory.recall("used", limit=1)
    assert heat(used)[0] > start[0] > heat(unused)[0]
    assert memory.explain(used).strength > memory.explain(unused).strength


@pytest.mark.row("A23")
def test_two_processes_see_the_same(tmp_path: Path, clock: ManualClock) -> None:
    """The same file at the same time gives the same scores to the last digit, without a word over the network."""
    path = tmp_path / "m.db"
    with Memory.open(path, embedder="hashing", clock=clock) as memory:
        memory.store_many([{"content": f"a dog on walk {n}", "importance": n / 20} for n in range(20)])
        for _ in range(3):
            clock.advance(DAY + timedelta(hours=1).seconds)
            memory.recall("dog walk", limit=5)
        assert memory.wait_indexed(30)
    said = [
        subprocess.run(
            [sys.executable, "-c", SCORES, str(path)],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "NOLA_HOME": str(tmp_path / "home")},
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert len(json.loads(said[0])) == 10
