"""Tests of nola.memory.engine: use, links, profiles and time, over a real file."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeVar

import pytest

from nola.errors import StorageError, UsageError
from nola.learned import Memory
from nola.memory.asking import asked
from nola.memory.axes import EdgeKind, Status, Tier
from nola.memory.database import Database
from nola.memory.engine import Engine
from nola.settings import Settings
from tests.memory.engines import contents, counts, memory_of
from tests.memory.fakes import WordVectors
from tests.memory.making import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from concurrent.futures import Future
    from pathlib import Path

    import apsw

    from nola.testing import ManualClock

_T = TypeVar("_T")
DAY = 86_400
TOPICS = {
    "garden": "soil seed rake water bloom", "kitchen": "oven flour pan sugar knife", "sea": "boat sail wave rope anchor"
}  # fmt: skip


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """An empty memory that knows words alone."""
    with memory_of(tmp_path / "memory.db", clock) as opened:
        yield opened


def with_strategy(name: str) -> Settings:
    """Settings under which another strategy ranks, or none."""
    return replace(Settings(), memory=replace(Settings().memory, strategy=name))


@pytest.mark.row("A18")
@pytest.mark.row("A36")
def test_what_is_returned_is_counted_once(memory: Memory, clock: ManualClock) -> None:
    """Of ten matches, the three that came back were used once; reading, finding and explaining count nothing."""
    ids = memory.store_many([{"content": f"dog number {n}"} for n in range(10)])
    clock.advance(60)
    found = memory.recall("dog", limit=3)
    memory.recall("dog", count=False)
    memory.get(ids[0])
    memory.explain(ids[0])
    assert sum(counts(memory).values()) == 3
    assert {one.content for one in found} == {text for text, count in counts(memory).items() if count}
    used = memory.get(found[0].id).statistics
    assert (used.last_access_s, len(used.recent_s)) == (clock.now().timestamp(), 2)


@pytest.mark.row("X10")
@pytest.mark.row("D12")
@pytest.mark.parametrize("profile", ["nola", "ada", "amplihack", "neuromemory", "blah", "hea"])
def test_one_request_is_one_access(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """Whatever ranks, a request is one access event, one revision and one more use of each memory (E-52)."""
    with memory_of(tmp_path / "memory.db", clock, profile=profile) as memory:
        memory.store_many([{"content": f"dog {n}", "importance": 0.7} for n in range(3)])
        clock.advance(3_600)
        before = memory.engine.memories.revision()
        memory.recall("dog")
        assert memory.engine.memories.revision() == before + 1
        assert rows(memory.engine.database, "SELECT count(*), count(DISTINCT request) FROM access") == [(3, 1)]
        assert set(counts(memory).values()) == {1}
        stability = {one.statistics.stability for one in memory.find()}
        assert len(stability) == 1
        assert stability.pop() > 0.3


def test_a_request_of_a_name_counts_once(memory: Memory) -> None:
    """Counting again for the same request, or what is not there any more, changes nothing."""
    (id_,) = memory.store_many([{"content": "dog"}])
    for _ in range(3):
        memory.engine.count([id_, "0" * 26], request="turn-1")
    assert counts(memory) == {"dog": 1}
    memory.engine.memories.purge([id_])
    memory.engine.count([id_])
    assert memory.find() == []


@pytest.mark.row("C11")
@pytest.mark.row("C12")
def test_links_come_of_use(memory: Memory) -> None:
    """Four memories make six pairs; at the third joint use each pair is a link, which grows up to 1."""
    ids = memory.store_many([{"content": f"dog {name}"} for name in ("Rex", "Fido", "Bello", "Luna")])
    database = memory.engine.database
    for use in range(1, 3):
        memory.recall("dog")
        assert rows(database, "SELECT count, count(*) FROM pair GROUP BY 1") == [(use, 6)]
        assert memory.edges(ids[0], EdgeKind.ASSOCIATED) == []
    memory.recall("dog")
    first = {edge.other(ids[0]): edge.weight for edge in memory.edges(ids[0], EdgeKind.ASSOCIATED)}
    assert set(first) == set(ids[1:])
    for _ in range(30):
        memory.recall("dog")
    after = {edge.other(ids[0]): edge.weight for edge in memory.edges(ids[0], EdgeKind.ASSOCIATED)}
    assert all(first[id_] < after[id_] <= 1.0 for id_ in ids[1:])
    assert rows(database, "SELECT count(*) FROM edge WHERE kind = 'associated'") == [(6,)]


@pytest.mark.row("C10")
@pytest.mark.row("C15")
@pytest.mark.row("D23")
def test_what_was_used_together_comes_back_together(memory: Memory) -> None:
    """A memory without the word comes when one with it does, once they were used together three times."""
    memory.store("I write python every day")
    memory.store_many([{"content": f"My aunt grows rose number {n}"} for n in range(60)])
    memory.store("The ferry leaves at nine")
    for _ in range(3):
        before = contents(memory.recall("python", count=False, limit=100))
        assert before[0] == "I write python every day"
        assert "The ferry leaves at nine" not in before
        memory.recall("python ferry", limit=2)
    found = memory.recall("python", count=False, limit=2)
    assert contents(found) == ["I write python every day", "The ferry leaves at nine"]
    assert found[1].parts["link"] > 0
    assert "used together" in found[1].why
    assert found[1].parts["link"] <= 0.1 * max(one.score for one in found)


@pytest.mark.row("C14")
def test_links_follow_topics(memory: Memory) -> None:
    """Of the links that ten questions within each topic make, nearly all stay within it."""
    topic_of: dict[str, str] = {}
    for topic, words in TOPICS.items():
        for word in words.split():
            topic_of[memory.store(f"The {word} belongs here")] = topic
    for _ in range(10):
        for words in TOPICS.values():
            memory.recall(words, limit=5)
    edges = {(edge.source, edge.target) for id_ in topic_of for edge in memory.edges(id_, EdgeKind.ASSOCIATED)}
    assert len(edges) == 30
    assert sum(topic_of[one] == topic_of[other] for one, other in edges) >= 0.95 * len(edges)


@pytest.mark.row("P07")
@pytest.mark.row("X09")
def test_a_year_goes_by_and_nothing_is_written(memory: Memory, clock: ManualClock) -> None:
    """Time alone changes no row and no byte, however often it is asked what it would change."""
    memory.store_many([{"content": f"dog {n}", "importance": 0.9} for n in range(20)])
    memory.recall("dog")
    assert memory.wait_indexed(30)
    memory.close()
    before, records = memory.engine.database.path.read_bytes(), memory.find()
    for _ in range(30):
        clock.advance(365 * DAY / 30)
        memory.stats()
        memory.recall("dog", count=False)
        memory.explain(records[0].id)
    assert memory.stats().tiers[Tier.COLD] == 20
    assert memory.find() == records
    memory.close()
    assert memory.engine.database.path.read_bytes() == before


@pytest.mark.row("P15")
def test_the_past_as_it_was_known(memory: Memory, clock: ManualClock) -> None:
    """As of a time: nothing stored later, words as they were, and what was superseded since is current."""
    old = memory.store("I live in Bergen", speaker="Ada")
    gone = memory.store("I live on a boat", speaker="Ada")
    then = clock.now()
    strength = memory.recall("Where do I live?", as_of=then)[0].strength
    clock.advance(DAY)
    new = memory.store("I live in Oslo", speaker="Ada", supersedes=[old])
    memory.engine.memories.set_status(gone, Status.ARCHIVED)
    clock.advance(DAY)
    memory.engine.memories.update(new, {"content": "I live in Rome"})
    for _ in range(5):
        memory.recall("Where do I live?")
    clock.advance(DAY)
    past = memory.recall("Where do I live?", as_of=then)
    assert {one.id for one in past} == {old, gone}
    assert {one.strength for one in past} == {strength}
    assert contents(memory.recall("Where do I live?", as_of=then + timedelta(days=1.5))) == ["I live in Oslo"]
    assert contents(memory.recall("Where do I live?")) == ["I live in Rome"]
    assert {one.id for one in memory.recall("", as_of=then)} == {old, gone}
    assert memory.recall("live", as_of=then - timedelta(days=1)) == []


def test_asking_about_the_past_counts_nothing(memory: Memory, clock: ManualClock) -> None:
    """What was known then is only looked at."""
    memory.store("dog")
    clock.advance(60)
    memory.recall("dog", as_of=clock.now())
    assert counts(memory) == {"dog": 0}


@pytest.mark.row("A17")
@pytest.mark.row("A20")
@pytest.mark.row("A26")
def test_ada_hides_what_is_cold(tmp_path: Path, clock: ManualClock) -> None:
    """A cold memory is absent from a hundred questions; asked for as cold it comes, is counted and is warm again."""
    with memory_of(tmp_path / "memory.db", clock, profile="ada") as memory:
        cold = memory.store("The dog is a rumour", importance=0.2)
        memory.store_many([{"content": f"dog fact {n}", "importance": 0.7} for n in range(12)])
        for n in range(100):
            assert cold not in {one.id for one in memory.recall("dog rumour" if n % 2 else f"thing {n}", count=False)}
        assert [one.id for one in memory.recall("dog rumour", tier="cold", count=False)] == [cold]
        assert memory.recall("dog rumour", include_cold=True, count=False)[0].id == cold
        for _ in range(9):
            memory.recall("dog rumour", tier=["cold", "warm", "hot"], limit=1)
        assert memory.explain(cold).statistics.access_count == 9
        assert memory.explain(cold).tier is not Tier.COLD
        assert cold in {one.id for one in memory.recall("dog rumour", count=False)}


@pytest.mark.row("A34")
@pytest.mark.row("A35")
def test_least_heat_filters_before_the_limit(tmp_path: Path, clock: ManualClock) -> None:
    """Under ada, heat and relevance are summed .6 to .4; what is too cool is gone before anything is counted."""
    with memory_of(tmp_path / "memory.db", clock, profile="ada") as memory:
        memory.store("dog dog kennel", importance=0.45)
        memory.store_many([{"content": f"a dog and much more besides {n}", "importance": 0.9} for n in range(3)])
        found = memory.recall("dog kennel", min_heat=0.5, limit=2)
        assert all("more" in one.content for one in found)
        assert sum(counts(memory).values()) == 2
        every = memory.recall("dog kennel", count=False)
        assert all(one.score == pytest.approx(0.6 * one.relevance + 0.4 * one.strength, abs=1e-9) for one in every)
        assert [one.score for one in every] == sorted((one.score for one in every), reverse=True)


@pytest.mark.row("P27")
def test_the_best_is_found_wherever_it_was_stored(memory: Memory) -> None:
    """Sorting comes before every limit: the one that answers best, and the one cold one, among two thousand."""
    memory.store_many([{"content": f"dog {n} and other things", "importance": 0.9} for n in range(1_000)])
    memory.store("dog kennel roof", importance=0.1)
    memory.store_many([{"content": f"dog {n} and more things", "importance": 0.9} for n in range(1_000)])
    assert contents(memory.recall("dog kennel roof", limit=1)) == ["dog kennel roof"]
    assert contents(memory.recall("dog", tier="cold", count=False)) == ["dog kennel roof"]
    assert contents(memory.recall("", tier="cold", count=False)) == ["dog kennel roof"]
    assert len(memory.recall("", limit=500, count=False)) == 500


@pytest.mark.row("X02")
@pytest.mark.row("X07")
@pytest.mark.row("C27")
def test_a_strategy_changes_ranking_and_nothing_else(tmp_path: Path, clock: ManualClock) -> None:
    """The same file under every profile and strategy: the rows are the same, the order is not."""
    path = tmp_path / "memory.db"
    with memory_of(path, clock) as memory:
        memory.store("dog old", importance=0.9)
        clock.advance(60 * DAY)
        memory.store("dog new", importance=0.1)
        before, lines = memory.find(), memory.engine.memories.export_lines()
    orders = {}
    for name in ("none", "heat", "actr", "chain", "ebbinghaus", "retention", "hea"):
        with memory_of(path, clock, settings=with_strategy(name)) as other:
            orders[name] = [(one.content, round(one.strength, 3)) for one in other.recall("dog", count=False)]
            assert other.find() == before
            assert other.engine.memories.export_lines() == lines
    assert {strength for _, strength in orders["none"]} == {1.0}
    assert len({str(order) for order in orders.values()}) >= 5
    for profile in ("ada", "amplihack", "neuromemory", "blah", "hea"):
        with memory_of(path, clock, profile=profile) as other:
            other.recall("dog", count=False)
            assert other.find() == before


@pytest.mark.row("D15")
def test_blah_scores_three_times_the_limit(tmp_path: Path, clock: ManualClock) -> None:
    """With limit 5 the fifteen most relevant are scored; a fresher sixteenth can't come back."""
    with memory_of(tmp_path / "memory.db", clock, profile="blah") as memory:
        memory.store_many([{"content": "dog " * (20 - n) + f"other {n}", "importance": 0.2} for n in range(15)])
        memory.store("dog and a hundred other things that have nothing to do with it " * 2, importance=1.0)
        found = memory.recall("dog", limit=5, count=False)
        assert len(found) == 5
        assert all("hundred" not in one.content for one in found)
        assert all(one.score == pytest.approx(one.relevance * one.strength, abs=1e-6) for one in found)


@pytest.mark.row("D17")
@pytest.mark.row("C43")
def test_a_cold_start_ranks_by_relevance(tmp_path: Path, clock: ManualClock) -> None:
    """Memories of one moment rank by relevance; words that a row lacks find it by meaning (P08)."""
    embedder = WordVectors(same={"puppy": "dog", "pet": "dog"})
    with memory_of(tmp_path / "memory.db", clock, embedder) as memory:
        memory.store("My dog sleeps a lot")
        memory.store("The ferry leaves at nine")
        assert memory.wait_indexed(30)
        found = memory.recall("puppy", count=False)
        assert found[0].content == "My dog sleeps a lot"
        assert [one.relevance for one in found] == sorted((one.relevance for one in found), reverse=True)


@pytest.mark.row("C38")
def test_old_and_relevant_before_new_and_tangential(memory: Memory, clock: ManualClock) -> None:
    """What answers and is thirty days old stands before what is an hour old and only touches it."""
    words = "piano bicycle dentist passport garden guitar camera kettle ladder mirror".split()
    cases = [(word, place) for word in words for place in ("Rome", "Oslo", "Lima", "Cairo", "Delhi")]
    for word, place in cases:
        memory.store(f"I bought the {word} for my flat in {place} from a neighbour")
    clock.advance(30 * DAY)
    for word, place in cases:
        memory.store(f"The weather in {place} was fine when I thought of a {word}shop", importance=0.9)
    clock.advance(3_600)
    right = sum(
        memory.recall(f"Where did I get the {word} in {place}?", count=False)[0].content.startswith(
            f"I bought the {word} for my flat in {place}"
        )
        for word, place in cases
    )
    assert right >= 0.9 * len(cases)


def test_working_slots_give_way(memory: Memory) -> None:
    """The twenty-first slot of a task takes the least relevant one's place, or is refused."""
    for n in range(20):
        memory.store(f"slot {n}", kind="working", task="cake", slot="context", relevance=0.5)
    memory.store("slot new", kind="working", task="cake", slot="context", relevance=0.9)
    assert "slot 0" not in contents(memory.find())
    with pytest.raises(UsageError, match="slots"):
        memory.store("slot dull", kind="working", task="cake", slot="context", relevance=0.1)
    assert len(memory.find(kind="working")) == 20


def test_what_is_innate_is_used_and_never_changes(memory: Memory) -> None:
    """It is found and counted as an event, and its row stays as it is."""
    id_ = memory.store("Never share a password", memory_class="innate")
    before = memory.get(id_)
    for _ in range(3):
        assert memory.recall("password")[0].id == id_
    assert memory.get(id_) == before
    assert memory.explain(id_).strength == 1.0
    assert rows(memory.engine.database, "SELECT count(*) FROM access") == [(3,)]


def test_a_profile_refuses_kinds_that_it_does_not_know(tmp_path: Path, clock: ManualClock) -> None:
    """Profile blah knows three."""
    with memory_of(tmp_path / "memory.db", clock, profile="blah") as memory, pytest.raises(UsageError, match="blah"):
        memory.store("a summary", kind="summary")


def test_a_question_with_a_limit_of_nothing(memory: Memory, clock: ManualClock) -> None:
    """No rows, and nothing counted; a limit that asked() would refuse is refused here too."""
    memory.store("dog")
    assert memory.recall("dog", limit=0) == []
    ask = asked("dog", now=clock.now(), limit=1, given={})
    with pytest.raises(UsageError, match="limit"):
        memory.engine.recall(replace(ask, limit=-1), count=False)


class _FullDisk(Database):
    """A database whose disk can be filled."""

    is_full = False

    def submit(self, job: Callable[[apsw.Connection], _T]) -> Future[_T]:
        """Store nothing while the disk is full."""
        if self.is_full:
            raise StorageError(str(self.path), "the disk is full")
        return super().submit(job)


@pytest.mark.parametrize("profile", ["nola", "amplihack"])
def test_an_answer_comes_though_its_use_can_t_be_counted(database: Path, clock: ManualClock, profile: str) -> None:
    """What stands still is told by the numbers, until it goes on; edges are read all the same."""
    disk = _FullDisk(database, clock=clock)
    engine = Engine(disk, Settings(), profile=profile, count_tokens=len)
    memory = Memory(engine)
    ids = [memory.store(f"The dog barks {n} times at the big red gate", concept="dog") for n in range(2)]
    disk.is_full = True
    assert len(memory.recall("dog")) == 2
    assert memory.edges(ids[0]) == []
    assert "the disk is full" in memory.stats().trouble
    with pytest.raises(StorageError, match="the disk is full"):
        memory.used(ids[0])
    disk.is_full = False
    assert len(memory.recall("dog")) == 2
    assert memory.wait_indexed(10)
    assert memory.stats().trouble == ""
    assert memory.get(ids[0]).statistics.access_count == 1
    memory.close()
