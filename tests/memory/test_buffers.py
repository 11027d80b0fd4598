"""Tests of the kinds that come and go: observations, slots of tasks, intentions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.errors import ProtectedError, UsageError
from nola.memory import buffers
from nola.memory.axes import EdgeKind, Kind, State, Status, Trust
from nola.memory.database import Database
from nola.memory.filters import Filter
from nola.memory.memories import Memories
from nola.memory.record import NewMemory, new_memory
from nola.testing import ManualClock
from tests.memory.making import contents, put, rows


def slot(content: str, relevance: float = 0.5, task: str = "t", slot: str = "context") -> NewMemory:
    """Make a slot of a task."""
    return new_memory(content, {"kind": "working", "task": task, "slot": slot, "relevance": relevance})


def held(memories: Memories, task: str = "t") -> list[str]:
    """Return what a task holds."""
    return contents(memories.slots(task))


@pytest.mark.row("B02")
def test_an_observation_is_there_for_its_time(memories: Memories, clock: ManualClock) -> None:
    """It is visible until 300 s have passed, and not at 300 s; a time of its own is kept."""
    put(memories, "a bark", kind="sensory")
    put(memories, "a flash", kind="sensory", ttl=1.5)
    clock.advance(1.5)
    assert contents(memories.find(Filter())) == ["a bark"]
    clock.advance(298.4)
    assert contents(memories.observations()) == contents(memories.find(Filter())) == ["a bark"]
    clock.advance(0.1)
    assert memories.observations() == memories.find(Filter()) == []


@pytest.mark.row("B04")
def test_pruning_tells_how_many_it_removed(memories: Memories, clock: ManualClock, opened: Database) -> None:
    """Ten thousand observations are held; those that expired go, and their number is told."""
    short = [new_memory(f"blink {n}", {"kind": "sensory", "ttl": 10}) for n in range(9_990)]
    long = [new_memory(f"stare {n}", {"kind": "sensory"}) for n in range(10)]
    memories.insert_many([*short, *long])
    assert memories.prune() == 0
    clock.advance(10)
    assert memories.prune() == 9_990
    assert memories.prune() == 0
    assert rows(opened, "SELECT count(*) FROM memory") == [(10,)]
    assert opened.check() == []


@pytest.mark.row("A54", "A03", "A21")
def test_what_is_archived_or_innate_is_not_pruned(memories: Memories, clock: ManualClock) -> None:
    """An archived observation stays, however long it has expired, and an innate one never expires."""
    kept = put(memories, "a bark", kind="sensory")
    memories.set_status(kept, Status.ARCHIVED)
    core = put(memories, "hum", kind="sensory", memory_class="innate")
    later = put(memories, "a flash", kind="sensory")
    memories.promote(later)
    put(memories, "a blink", kind="sensory")
    clock.advance(400 * 365 * 86_400)
    assert memories.prune() == 1
    assert memories.get(kept).record.status is Status.ARCHIVED
    assert [row.record.id for row in memories.observations()] == [core, later]


@pytest.mark.row("B03", "B06", "B07")
def test_observations_are_read_in_their_order(memories: Memories, clock: ManualClock) -> None:
    """First and last of a modality, and a series of snapshots with their values."""
    for n in range(5):
        put(memories, f"load {n}", kind="sensory", modality="metric", raw_data={"load": n})
        put(memories, f"picture {n}", kind="sensory", modality="image")
        clock.advance(1)
    series = memories.observations(modality="metric")
    assert [row.record.details["raw_data"] for row in series] == [{"load": n} for n in range(5)]
    assert contents(memories.observations(modality="image", limit=1)) == ["picture 0"]
    assert contents(memories.observations(modality="image", newest=True, limit=1)) == ["picture 4"]
    assert memories.observations(agent="other") == memories.observations(namespace="other") == []


@pytest.mark.row("B05")
def test_attending_makes_an_episode(memories: Memories, clock: ManualClock) -> None:
    """One episode holds the raw data, trusted as the observation was, and one edge tells the reason."""
    seen = put(
        memories, "a bark", kind="sensory", modality="sound", raw_data="WOOF", trust="external", speaker="Biscuit"
    )
    clock.advance(10)
    episode = memories.attend(seen, "it was loud")
    assert episode is not None
    record = memories.get(episode).record
    assert (record.kind, record.content, record.trust, record.author) == (
        Kind.EPISODIC,
        "WOOF",
        Trust.EXTERNAL,
        "Biscuit",
    )
    assert record.details["source_label"] == "sound"
    (edge,) = memories.edges(seen)
    assert (edge.kind, edge.source, edge.target, edge.properties) == (
        EdgeKind.ATTENDED_TO,
        seen,
        episode,
        {"attention_reason": "it was loud"},
    )
    clock.advance(300)
    memories.prune()
    assert memories.get(episode).record.metadata == {"attended": {"observation": seen, "reason": "it was loud"}}


@pytest.mark.row("B05")
def test_what_expired_is_not_attended_to(memories: Memories, clock: ManualClock) -> None:
    """Nothing is made of it; what is no observation is refused."""
    seen = put(memories, "a bark", kind="sensory")
    clock.advance(300)
    assert memories.attend(seen, "late") is None
    assert memories.find(Filter(kinds=frozenset({Kind.EPISODIC}))) == []
    with pytest.raises(UsageError, match="only observations are attended to"):
        memories.attend(put(memories), "why")


@pytest.mark.row("B08")
def test_a_task_holds_twenty_slots(memories: Memories, clock: ManualClock) -> None:
    """The least relevant goes, the oldest of equals first; a newcomer below all is refused."""
    for n in range(20):
        assert memories.push(slot(f"slot {n}", 0.2 if n in {7, 9} else 0.6)).evicted == ()
        clock.advance(1)
    seventh = memories.slots("t")[7].record.id
    pushed = memories.push(slot("new", 0.6))
    assert pushed.evicted == (seventh,)
    assert len(held(memories)) == 20
    assert "slot 7" not in held(memories)
    assert memories.push(slot("dull", 0.1)).id is None
    assert memories.push(slot("as dull as the dullest", 0.2)).id is not None
    assert "slot 9" not in held(memories)
    assert len(held(memories)) == 20


@pytest.mark.row("B08")
@settings(max_examples=25, deadline=None)
@given(relevances=st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=12))
def test_the_most_relevant_are_kept(relevances: list[float], tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever is pushed, a task holds the most relevant that were, up to its bound."""
    clock = ManualClock()
    database = Database(tmp_path_factory.mktemp("slots") / "memory.db", clock=clock)
    memories = Memories(database)
    for n, relevance in enumerate(relevances):
        memories.push(slot(f"{n}", relevance), most=4)
        clock.advance(1)
    kept = sorted(float(str(row.record.details["relevance"])) for row in memories.slots("t"))
    database.close()
    assert kept == sorted(relevances)[-4:]


@pytest.mark.row("B08", "A02")
def test_innate_slots_are_counted_and_never_give_way(memories: Memories) -> None:
    """The learned ones share the room that is left; where there is none, a newcomer is refused."""
    core = [put(memories, f"core {n}", kind="working", task="t", memory_class="innate", relevance=0) for n in range(2)]
    for n in range(3):
        assert memories.push(slot(f"slot {n}", 0.5), most=4).id is not None
    assert held(memories) == ["core 0", "core 1", "slot 1", "slot 2"]
    memories.promote(memories.slots("t")[2].record.id)
    memories.promote(memories.slots("t")[3].record.id)
    assert memories.push(slot("urgent", 1.0), most=4) == (None, ())
    assert held(memories) == ["core 0", "core 1", "slot 1", "slot 2"]
    assert {row.record.id for row in memories.slots("t")} > set(core)


@pytest.mark.row("B10", "A02")
def test_completing_leaves_innate_slots(memories: Memories) -> None:
    """They are told of and stay; where there is nothing else, no episode is written."""
    put(memories, "always ask", kind="working", task="t", memory_class="innate")
    memories.push(slot("two eggs"))
    told = memories.get(memories.complete("t")).record.content
    assert told.splitlines() == ["Completed the task t:", "- context: always ask", "- context: two eggs"]
    assert held(memories) == ["always ask"]
    with pytest.raises(UsageError, match="the task 't' holds nothing but what is innate"):
        memories.complete("t")
    assert len(memories.find(Filter(kinds=frozenset({Kind.EPISODIC})))) == 1


@pytest.mark.row("B08")
def test_slots_and_others_are_stored_in_their_order(memories: Memories, opened: Database) -> None:
    """Each as if it came by itself: numbers rise, and a slot makes room for the one behind it."""
    new = [slot("a"), new_memory("fact", {}), new_memory("event", {"kind": "episodic"}), slot("b"), slot("c", task="u")]
    ids = memories.new_ids(5)
    opened.write(lambda c: buffers.store(c, new, ids, most=1, now=opened.clock.now()))
    assert [(row.seq, row.record.content) for row in memories.find(Filter(), oldest_first=True)] == [
        (2, "fact"),
        (3, "event"),
        (4, "b"),
        (5, "c"),
    ]
    assert [memories.get(id_).record.id for id_ in ids[1:]] == ids[1:]
    with pytest.raises(UsageError, match=r"^the working memory of this task holds 1 slots"):
        opened.write(lambda c: buffers.store(c, [slot("d", 0.1)], ["d"], most=1, now=opened.clock.now()))


@pytest.mark.row("B09")
def test_tasks_do_not_see_each_other(memories: Memories) -> None:
    """The bound holds for each task of its own."""
    for n in range(25):
        memories.push(slot(f"a {n}", task="a"), most=20)
        memories.push(slot(f"b {n}", task="b"), most=20)
    assert held(memories, "a") == [f"a {n}" for n in range(5, 25)]
    assert held(memories, "b") == [f"b {n}" for n in range(5, 25)]
    assert held(memories, "c") == []


@pytest.mark.row("D44")
def test_users_do_not_share_tasks_or_observations(memories: Memories, clock: ManualClock) -> None:
    """The bound, completing, looking and pruning hold for one user, who sees what is innate and nobody's beside it."""
    core = put(memories, "ask first", kind="working", task="t", memory_class="innate")
    for user in ("ada", "ben"):
        for n in range(3):
            new = new_memory(f"{user} {n}", {"kind": "working", "task": "t", "user": user})
            assert memories.push(new, most=3).id is not None
        put(memories, f"{user} barks", kind="sensory", user=user)
    assert held(memories) == ["ask first", "ada 1", "ada 2", "ben 1", "ben 2"]
    episode = memories.get(memories.complete("t", seen_by="ada")).record
    assert (episode.user, "ben" in episode.content) == ("ada", False)
    assert held(memories) == ["ask first", "ben 1", "ben 2"]
    assert [row.record.id for row in memories.slots("t", seen_by="ada")] == [core]
    assert contents(memories.observations(seen_by="ben")) == ["ben barks"]
    clock.advance(300)
    assert (memories.prune(seen_by="ada"), memories.prune()) == (1, 1)


@pytest.mark.row("B10", "B13", "B11")
def test_completing_writes_one_episode_and_clears(memories: Memories) -> None:
    """The episode names the task and tells what it held; afterwards the task holds nothing, others what they held."""
    for name in ("question", "retrieved_fact", "reasoning_step", "context", "plan", "evaluation"):
        memories.push(slot(f"the {name}", task="tea", slot=name))
    memories.push(slot("else", task="other"))
    episode = memories.get(memories.complete("tea")).record
    assert episode.kind is Kind.EPISODIC
    assert episode.content.splitlines()[:2] == ["Completed the task tea:", "- question: the question"]
    assert (held(memories, "tea"), held(memories, "other")) == ([], ["else"])
    assert len(memories.find(Filter(kinds=frozenset({Kind.EPISODIC})))) == 1
    with pytest.raises(UsageError, match="the task 'tea' holds nothing"):
        memories.complete("tea")


@pytest.mark.row("B12")
def test_an_observation_becomes_a_slot(memories: Memories) -> None:
    """New input is kept for attention as a context slot."""
    seen = memories.get(put(memories, "the kettle boils", kind="sensory")).record
    pushed = memories.push(slot(seen.content, task="tea"))
    assert pushed.id is not None
    assert memories.get(pushed.id).record.details["slot"] == "context"
    with pytest.raises(UsageError, match="holds working memories"):
        memories.push(new_memory("a fact", {}))


@pytest.mark.row("B34")
def test_an_intention_moves_on(memories: Memories) -> None:
    """Pending, triggered, resolved; each move is an event, and no other move is made."""
    id_ = put(memories, "Buy milk", kind="prospective", trigger="shop", action="remind", priority=2)
    details = memories.get(id_).record.details
    assert (details["trigger"], details["action"], details["priority"], details["state"]) == (
        "shop",
        "remind",
        2,
        "pending",
    )
    assert memories.move(id_, State.TRIGGERED) is State.PENDING
    with pytest.raises(UsageError, match="that is triggered can become resolved, not pending"):
        memories.move(id_, State.PENDING)
    assert memories.move(id_, State.RESOLVED) is State.TRIGGERED
    with pytest.raises(UsageError, match="can become nothing"):
        memories.move(id_, State.TRIGGERED)
    assert memories.get(id_).record.details["state"] == "resolved"
    assert [event.what for event in memories.events(id_)] == ["stored", "changed", "changed"]
    other = put(memories, "Buy tea", kind="prospective")
    assert memories.move(other, State.RESOLVED) is State.PENDING


def test_what_is_no_intention_does_not_move(memories: Memories) -> None:
    """Neither a fact nor an innate intention."""
    with pytest.raises(UsageError, match="no intention"):
        memories.move(put(memories), State.TRIGGERED)
    core = put(memories, "Greet", kind="prospective", memory_class="innate")
    with pytest.raises(ProtectedError):
        memories.move(core, State.TRIGGERED)
