"""More tests of nola.memory.recall: filters before every limit, matches alone, and the documents' own scores."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.memory.axes import Status, Tier
from nola.testing import ManualClock
from tests.memory.engines import contents, memory_of
from tests.memory.fakes import WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime
    from pathlib import Path

    from numpy.typing import NDArray

    from nola.learned import Memory

DAY = 86_400
PROFILES = ["nola", "ada", "amplihack", "neuromemory", "blah", "hea"]
MANY = 300
EVERY = 1_000


class Cosines:
    """Gives each text the cosine with every question that it is told.

    Args:
        cosines: For each text its cosine; all other texts are questions.
    """

    model_id = "cosines"
    dimensions = 64

    def __init__(self, cosines: dict[str, float]) -> None:
        self._cosines = cosines

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one unit vector a text."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        vectors[:, 0] = [self._cosines.get(text, 1.0) for text in texts]
        vectors[:, 1] = np.sqrt(1 - vectors[:, 0] ** 2)
        return vectors


# --- filters ----------------------------------------------------------------------------------------------------------
@pytest.mark.row("A34", "P27", "A17")
@pytest.mark.parametrize("given", [{"tags": ["t"]}, {"concept": "pets"}, {"details": {"name": "n"}}, {}], ids=str)
def test_heat_is_filtered_before_the_best_are_taken(tmp_path: Path, clock: ManualClock, given: dict[str, Any]) -> None:
    """The one warm memory behind three hundred cold ones is found, whatever else is asked for, also in the past."""
    fields = {"kind": "procedural", "tags": ["t"], "concept": "pets", "name": "n", "steps": ["mix"]}
    path = tmp_path / "memory.db"
    with memory_of(path, clock) as memory:
        memory.store_many([{"content": f"dog {n}", "importance": 0.1, **fields} for n in range(MANY)])
        warm = memory.store("a dog and many other things that make it answer worse", importance=0.6, **fields)
        then = clock.now()
        for wanted in ({"tier": "warm"}, {"min_heat": 0.5}):
            assert [one.id for one in memory.recall("dog", count=False, **given, **wanted)] == [warm]
        clock.advance(60 * DAY)
        for wanted in ({"tier": "warm"}, {"min_heat": 0.5}):
            assert memory.recall("dog", count=False, **given, **wanted) == []
            assert [one.id for one in memory.recall("dog", as_of=then, **given, **wanted)] == [warm]
    with memory_of(path, clock, profile="ada") as memory:
        assert memory.recall("dog", count=False, **given) == []
        assert [one.id for one in memory.recall("dog", as_of=then, **given)] == [warm]
        assert len(memory.recall("dog", count=False, include_cold=True, limit=EVERY, **given)) == MANY + 1


@dataclass(frozen=True)
class Known:
    """What a plain filter needs to know of one memory, and of it as it was before it was used."""

    content: str
    fields: dict[str, Any]
    at: datetime
    uses: int
    is_archived: bool
    is_late: bool

    def heat(self, now: datetime, used: datetime | None) -> float:
        """Heat by the document's formula."""
        last = used if used is not None and self.uses else self.at
        count = self.uses if used is not None else 0
        days = (now - last).total_seconds() / DAY
        return min(0.99, float(self.fields["importance"] * math.exp(-0.1 * days) * (count + 1) ** 0.4))


@dataclass(frozen=True)
class Store:
    """Two hundred and forty memories that all match, of every sort, in one file under two profiles."""

    nola: Memory
    ada: Memory
    known: list[Known]
    then: datetime
    used: datetime
    now: datetime

    def reference(self, wanted: dict[str, Any], *, hides_cold: bool) -> set[str]:
        """Return what a filter lets through, one memory at a time."""
        return {one.content for one in self.known if self._passes(one, wanted, hides_cold=hides_cold)}

    def _passes(self, one: Known, wanted: dict[str, Any], *, hides_cold: bool) -> bool:
        past = wanted.get("as_of") is not None
        if past and one.is_late:
            return False
        status = "archived" if one.is_archived and not past else "active"
        heat = one.heat(self.then, None) if past else one.heat(self.now, self.used)
        tier = Tier.HOT if heat > 0.8 else Tier.WARM if heat >= 0.4 else Tier.COLD
        tiers = wanted.get("tier", [])
        return (
            status in wanted.get("status", ["active"])
            and all(
                one.fields[name] == wanted[name] for name in ("kind", "concept", "speaker", "pinned") if name in wanted
            )
            and set(wanted.get("tags", [])) <= set(one.fields["tags"])
            and heat >= wanted.get("min_heat", 0.0)
            and (not tiers or tier in tiers)
            and not (hides_cold and tier is Tier.COLD and not tiers and not wanted.get("include_cold", False))
        )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Memories of two days, of which some were used and some archived in between."""
    clock, path = ManualClock(), tmp_path_factory.mktemp("varied") / "memory.db"
    known = []
    with memory_of(path, clock) as nola, memory_of(path, clock, profile="ada") as ada:
        for late in (False, True):
            for n in range(120):
                fields = {
                    "kind": ("semantic", "episodic")[n % 2], "concept": ("", "pets", "work")[n % 3],
                    "speaker": ("", "Ada")[n // 2 % 2], "pinned": n % 5 == 0, "importance": (n * 7 % 20) / 20,
                    "tags": [["a"], ["b"], ["a", "b"], []][n // 3 % 4],
                }  # fmt: skip
                uses, archived = (3 if n % 4 == 1 and not late else 0), n % 7 == 3
                known.append(Known(f"dog {'late ' if late else ''}{n}", fields, clock.now(), uses, archived, late))
            ids = nola.store_many({"content": one.content, **one.fields} for one in known if one.is_late is late)
            if not late:
                then = clock.now()
                clock.advance(5 * DAY)
                used = clock.now()
                for _ in range(3):
                    nola.engine.count([id_ for id_, one in zip(ids, known, strict=True) if one.uses])
            for id_, one in zip(ids, known[-120:], strict=True):
                if one.is_archived:
                    nola.engine.memories.set_status(id_, Status.ARCHIVED)
            clock.advance(2 * DAY)
        yield Store(nola, ada, known, then, used, clock.now())


_wanted = st.fixed_dictionaries(
    {},
    optional={
        "kind": st.sampled_from(["semantic", "episodic"]),
        "concept": st.sampled_from(["", "pets", "work"]),
        "speaker": st.sampled_from(["", "Ada"]),
        "pinned": st.booleans(),
        "tags": st.sampled_from([["a"], ["b"], ["a", "b"]]),
        "tier": st.lists(st.sampled_from(["hot", "warm", "cold"]), min_size=1, max_size=2),
        "min_heat": st.sampled_from([0.1, 0.3, 0.5, 0.85]),
        "include_cold": st.booleans(),
        "status": st.sampled_from([["active"], ["archived"], ["active", "archived"]]),
        "as_of": st.just("then"),
    },
)


@pytest.mark.row("A34", "P27", "A30")
@given(_wanted)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_exactly_what_a_filter_lets_through_comes(store: Store, wanted: dict[str, Any]) -> None:
    """Under any filters, all that match and no others, whatever their number: what a plain filter says."""
    given_ = {**wanted, "as_of": store.then} if "as_of" in wanted else wanted
    for memory, hides_cold in ((store.nola, False), (store.ada, True)):
        found = contents(memory.recall("dog", limit=EVERY, count=False, **given_))
        assert len(found) == len(set(found))
        assert set(found) == store.reference(wanted, hides_cold=hides_cold)


# --- matches ----------------------------------------------------------------------------------------------------------
@pytest.mark.row("A16")
@pytest.mark.parametrize("profile", PROFILES)
def test_what_does_not_match_does_not_come(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """The weaker match comes, and not the stronger ones that were stored next to it; when nothing matches, nothing."""
    with memory_of(tmp_path / "memory.db", clock, profile=profile) as memory:
        memory.store("My aunt grows roses", importance=0.9, confidence=0.9)
        memory.store("I write python every day", importance=0.5, confidence=0.5)
        memory.store("The ferry leaves at nine", importance=0.9, confidence=0.9)
        assert contents(memory.recall("python", count=False)) == ["I write python every day"]
        assert memory.recall("xylophone", count=False) == []


@pytest.mark.row("A16", "B27")
@pytest.mark.parametrize("profile", PROFILES)
def test_what_means_nothing_like_it_does_not_come(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """By meaning alone a memory comes from a cosine of 0.25 on, in profile nola the closest ones come, best first."""
    cosines = {"far": 0.05, "near": 0.2, "close": 0.6}
    with memory_of(tmp_path / "memory.db", clock, Cosines(cosines), profile=profile) as memory:
        for text, cosine in cosines.items():
            memory.store(text, kind="episodic", confidence=1 - cosine)
        assert memory.wait_indexed(30)
        found = contents(memory.recall("Which one?", count=False))
        assert found == (["close", "near", "far"] if profile == "nola" else ["close"])


def test_what_was_said_comes_with_what_stands_beside_it(tmp_path: Path, clock: ManualClock) -> None:
    """In profile nola the turn after a match belongs to it, in a conversation or by a speaker; not in a document's."""
    for given_ in ({"speaker": "Ada"}, {"conversation": "talk"}):
        path = tmp_path / f"{min(given_)}.db"
        with memory_of(path, clock) as memory:
            memory.store("I write python every day", **given_)
            memory.store("Since I was a child", **given_)
            assert len(memory.recall("python", count=False)) == 2
        with memory_of(path, clock, profile="amplihack") as memory:
            assert contents(memory.recall("python", count=False)) == ["I write python every day"]


@pytest.mark.row("P21")
def test_a_better_match_comes_before_a_surer_one(tmp_path: Path, clock: ManualClock) -> None:
    """Four words of the question at a confidence of 0.80 stand before one word at 0.99."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store("A car is a thing", confidence=0.99)
        memory.store("My old red car broke down", confidence=0.8)
        memory.store_many([{"content": f"filler {n}"} for n in range(20)])
        found = contents(memory.recall("Which old red car broke?", count=False))
        assert found == ["My old red car broke down", "A car is a thing"]


@pytest.mark.row("C05")
def test_what_has_no_access_at_all_is_not_retrieved_by_activation(tmp_path: Path, clock: ManualClock) -> None:
    """In profile neuromemory it is left out and nothing breaks; in profile nola strength hides nothing."""
    path = tmp_path / "memory.db"
    with memory_of(path, clock) as memory:
        lost = memory.store("A dog called Rex")
        memory.store("A dog called Fido")
        memory.engine.database.write(lambda c: c.execute("UPDATE memory SET recent = x'' WHERE id = ?", (lost,)))
    with memory_of(path, clock, profile="neuromemory") as memory:
        assert contents(memory.recall("dog", count=False)) == ["A dog called Fido"]
    with memory_of(path, clock) as memory:
        assert {one.id: one.strength for one in memory.recall("dog", count=False)}[lost] == 0.0


# --- the documents' own scores ----------------------------------------------------------------------------------------
@pytest.mark.row("A35")
def test_ada_adds_up_the_cosine_and_heat(tmp_path: Path, clock: ManualClock) -> None:
    """A cosine of 0.92 with heat 0.30 gives 0.672, below 0.60 with heat 0.99, which gives 0.756."""
    cosines = {"an idle thought": 0.92, "a busy one": 0.6}
    with memory_of(tmp_path / "memory.db", clock, Cosines(cosines), profile="ada") as memory:
        memory.store("an idle thought", importance=0.3)
        busy = memory.store("a busy one", importance=0.9)
        assert memory.wait_indexed(30)
        memory.engine.count([busy])
        first, second = memory.recall("What now?", include_cold=True, count=False)
        assert (first.content, second.content) == ("a busy one", "an idle thought")
        assert [first.score, second.score] == pytest.approx([0.756, 0.672], abs=2e-3)
        assert [first.strength, second.strength] == pytest.approx([0.99, 0.3])
        assert second.parts == {"cosine": pytest.approx(second.relevance, abs=1e-6)}
        assert second.relevance == pytest.approx(0.92, abs=2e-3)


@pytest.mark.row("D14", "D16", "D18")
def test_the_beach_is_ranked_as_in_the_document(tmp_path: Path, clock: ManualClock) -> None:
    """In profile blah the confirmed plan scores 0.89 and the passing thought 0.41, 2.2 times less."""
    plan, thought = "Beach day is Thursday, confirmed reservation", "We should go to the beach on Thursday"
    embedder = Cosines({plan: 0.92, thought: 0.91})
    with memory_of(tmp_path / "memory.db", clock, embedder, profile="blah") as memory:
        now = clock.now()
        memory.store(thought, kind="semantic", importance=0.0, at=now - timedelta(days=21))
        memory.store(plan, kind="episodic", importance=0.9, stability=0.39, at=now - timedelta(days=1))
        assert memory.wait_indexed(30)
        found = memory.recall("When is the beach?", count=False)
        assert contents(found) == [plan, thought]
        assert [one.score for one in found] == pytest.approx([0.89, 0.41], abs=0.01)
        assert found[0].score / found[1].score == pytest.approx(2.2, abs=0.1)
        assert [one.relevance for one in found] == pytest.approx([0.92, 0.91], abs=2e-3)
        assert all(one.score == pytest.approx(one.relevance * one.strength) for one in found)


@pytest.mark.row("D17")
@pytest.mark.parametrize("profile", ["ada", "blah"])
def test_what_has_no_vector_yet_is_ranked_by_its_words(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """Beside vectors, and without any."""
    embedder = WordVectors()
    with memory_of(tmp_path / "memory.db", clock, embedder, profile=profile) as memory:
        memory.store("My dog sleeps a lot")
        assert memory.wait_indexed(30)
        embedder.go_on.clear()
        memory.store("The dog Rex barks")
        embedder.failing = True
        embedder.go_on.set()
        assert not memory.wait_indexed(30)
        embedder.failing = False
        old, new = sorted(memory.recall("Does Rex bark, the dog?", count=False), key=lambda one: one.content)
        assert new.content == "The dog Rex barks"
        assert new.relevance == pytest.approx(old.relevance)
        assert (set(new.parts), set(old.parts)) == ({"bm25"}, {"cosine"})
    with memory_of(tmp_path / "memory.db", clock, profile=profile) as memory:
        assert memory.recall("Does Rex bark, the dog?", count=False)[0].relevance == 1.0


def test_a_good_answer_is_fully_active(tmp_path: Path, clock: ManualClock) -> None:
    """What answers half as well as the best is as active, by which links grow; what answers worse is less."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store("My old red car broke down")
        memory.store("My old red bicycle broke")
        memory.store("The car of somebody else who has nothing at all to do with this, and does not want to")
        found = memory.recall("Which old red car broke?", count=False)
        assert [one.active for one in found[:2]] == [1.0, 1.0]
        assert 0 < found[2].active < 1
        assert found[2].active == pytest.approx(2 * found[2].relevance)
