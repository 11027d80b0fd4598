"""Properties of the learned memory as a whole: hostile questions, namespaces, budgets, purity, the past."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.memory.axes import Status
from tests.memory.engines import contents, counts, memory_of
from tests.memory.fakes import WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.learned import Memory
    from nola.testing import ManualClock

WORDS = "dog cat ferry piano garden meeting Tuesday Bergen Oslo blue sister doctor bread boat letter cheese".split()
PIECES = [
    "?", "'", '"', "-", "(", ")", ":", "*", "^", "NOT", "AND", "OR", "NEAR(", "C++", "\0", "🐕", "👩‍👩‍👧", "\u202e",
    "\ud800", "\u0301", "%", "_", ";", "--", "DROP TABLE memory", "\\", "\n", "\t", "é", "日本語", "ß", "İ", "1e999",
    "2026-02-30", "99/99/9999", "yesterday", "0000", "last year", "{}", "${x}", "<script>", "\x1b[31m", "I", "Ada's",
]  # fmt: skip
ONCE = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """A memory of sixty sentences with vectors."""
    with memory_of(tmp_path / "memory.db", clock, WordVectors()) as opened:
        draw = random.Random(3)  # noqa: S311 -- the same sentences each time
        opened.store_many(
            [{"content": " ".join(draw.choices(WORDS, k=8)), "speaker": draw.choice(["Ada", "Eve"])} for _ in range(60)]
        )
        assert opened.wait_indexed(30)
        yield opened


def state(memory: Memory) -> tuple[Any, ...]:
    """All bytes of the file and its log."""
    path = memory.engine.database.path
    return tuple(file.read_bytes() for file in sorted(path.parent.glob(f"{path.name}*")) if "shm" not in file.name)


@pytest.mark.row("P02")
def test_ten_thousand_hostile_questions(memory: Memory) -> None:
    """No text whatever raises anything, and what comes back is in order."""
    draw = random.Random(7)  # noqa: S311 -- the same questions each time
    for n in range(10_000):
        some = draw.choices([*PIECES, *WORDS], k=draw.randint(0, 12))
        text = draw.choice(["", " "]).join(some)
        if n % 100 == 0:
            text = "".join(chr(draw.randrange(1, 0x110000)) for _ in range(300))
        if n % 2_500 == 0:
            text = (text or "dog ") * (100_000 // max(1, len(text)) + 1)
        found = memory.recall(text, limit=3, count=False)
        assert len(found) <= 3
        assert all(0 <= one.relevance <= 1 for one in found)


@ONCE
@given(text=st.text(max_size=200))
def test_any_text_is_a_question(memory: Memory, text: str) -> None:
    """Whatever characters there are; counting it is as harmless."""
    assert len(memory.recall(text, limit=2)) <= 2


@pytest.mark.row("P01")
def test_ids_never_collide(memory: Memory) -> None:
    """A hundred thousand of one instant are distinct, ascending and of 128 bits."""
    ids = memory.engine.memories.new_ids(100_000)
    assert len(set(ids)) == 100_000
    assert ids == sorted(ids)
    assert {len(id_) for id_ in ids} == {26}


@pytest.mark.row("A30")
def test_namespaces_never_leak(tmp_path: Path, clock: ManualClock) -> None:
    """Of a thousand rows in five namespaces with the same words, each question, list and count sees its own."""
    draw = random.Random(11)  # noqa: S311 -- the same rows each time
    with memory_of(tmp_path / "memory.db", clock, WordVectors()) as memory:
        spaces = [f"space{n}" for n in range(5)]
        given_ = [
            {
                "content": f"{' '.join(draw.choices(WORDS, k=6))} secret of {space}",
                "namespace": space,
                "conversation": f"c{draw.randrange(3)}",
                "speaker": draw.choice(["Ada", "Eve"]),
                "pinned": draw.random() < 0.1,
            }
            for space in draw.choices(spaces, k=1_000)
        ]
        memory.store_many(given_)
        assert memory.wait_indexed(60)
        for n in range(150):
            space = draw.choice(spaces)
            text = " ".join(draw.choices([*WORDS, "secret", "space1", "Ada"], k=n % 5))
            filters: dict[str, Any] = draw.choice(
                [{}, {"conversation": "c1"}, {"speaker": "Ada"}, {"min_heat": 0.1}, {"tags": []}]
            )
            found = memory.recall(text, namespace=space, limit=400, **filters)
            assert all(one.content.endswith(space) for one in found)
        for space in spaces:
            own = sum(one["namespace"] == space for one in given_)
            assert {one.namespace for one in memory.find(namespace=space)} == {space}
            assert memory.stats(namespace=space).total == own
            assert memory.stats(namespace=space).namespaces == {space: own}
            some = memory.find(namespace=space, limit=5)
            near = {edge.other(one.id) for one in some for edge in memory.edges(one.id)}
            assert all(memory.get(id_).namespace == space for id_ in near)
        assert memory.recall("secret", count=False) == []
        assert len(memory.recall("secret", namespace=None, limit=1_000, count=False)) > 100


ASKED = (
    "apple or pear?", "Did Bob take the ferry to Oslo?", "dog piano bread", "What did Ada say on 3 May 2024?", "",
    "the doctor and her sister in Bergen", "cheese",
)  # fmt: skip


def said(draw: random.Random, count: int, who: list[str], **fields: Any) -> list[dict[str, Any]]:
    """Memories of anybody at any time, in a conversation or not."""
    return [
        {
            "content": " ".join(draw.choices([*WORDS, "apple", "pear", "apple"], k=draw.randint(1, 9))),
            "speaker": draw.choice(who),
            "conversation": draw.choice(["", "c1", "c2"]),
            "at": datetime(2024, 5, 1, tzinfo=UTC) + timedelta(minutes=draw.randrange(6_000)),
            **fields,
        }
        for _ in range(count)
    ]


def answers(memory: Memory, **filters: Any) -> list[Any]:
    """What is found for each question, with all that is told of it."""
    return [memory.recall(text, limit=40, count=False, **filters) for text in ASKED]


@pytest.mark.row("A30")
@pytest.mark.parametrize("vectors", [None, WordVectors()])
def test_full_namespaces_change_nothing_in_others(
    tmp_path: Path, clock: ManualClock, vectors: WordVectors | None
) -> None:
    """Ids, scores and parts are the same, whatever stands elsewhere, who said it there, and what is archived."""
    draw = random.Random(21)  # noqa: S311 -- the same rows each time
    with memory_of(tmp_path / "memory.db", clock, vectors) as memory:
        memory.store_many(said(draw, 60, ["Ada", "Robert", ""]))
        memory.wait_indexed(30)
        before = answers(memory, now=clock.now())
        assert all(before)
        secret = said(draw, 2_500, ["Bob", "Adam", "Robert"], namespace="secret")
        ids = memory.store_many(secret + [{"content": "apple", "namespace": "secret"}] * 200)
        memory.wait_indexed(60)
        assert answers(memory, now=clock.now()) == before
        for id_ in ids[:100]:
            memory.engine.memories.set_status(id_, Status.ARCHIVED)
        memory.store_many(said(draw, 50, ["Bobby"], namespace="secret"))
        memory.wait_indexed(30)
        assert answers(memory, now=clock.now()) == before


@pytest.mark.row("P15")
def test_what_is_stored_later_changes_nothing_before(tmp_path: Path, clock: ManualClock) -> None:
    """A question about a time has the same answer, whatever was stored, said or archived since."""
    draw = random.Random(22)  # noqa: S311 -- the same rows each time
    with memory_of(tmp_path / "memory.db", clock) as memory:
        ids = memory.store_many(said(draw, 60, ["Ada", "Robert", ""]))
        then = clock.now()
        clock.advance(60)
        before = answers(memory, as_of=then, now=then)
        assert all(before)
        memory.store_many(said(draw, 3_000, ["Bob", "Adam", "Robert"]))
        assert answers(memory, as_of=then, now=then) == before
        for id_ in ids[::2]:
            memory.engine.memories.set_status(id_, Status.ARCHIVED)
        assert answers(memory, as_of=then, now=then) == before


def test_what_has_a_word_of_the_question_is_found_among_few(tmp_path: Path, clock: ManualClock) -> None:
    """A word that thousands of others have is as good as any for the few that may come."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store_many([{"content": f"apple pie number {n} zebra{n}", "namespace": "a"} for n in range(4_000)])
        memory.store("my apple tree fell", namespace="b")
        memory.store("my apple tree stands", namespace="a", speaker="Bob")
        assert contents(memory.recall("apple zebra7", namespace="b")) == ["my apple tree fell"]
        assert contents(memory.recall("apple zebra7", namespace="a", speaker="Bob")) == ["my apple tree stands"]
        assert contents(memory.recall("apple zebra7", namespace="a"))[0] == "apple pie number 7 zebra7"


@ONCE
@given(budget=st.integers(0, 120), limit=st.integers(0, 30), words=st.lists(st.sampled_from(WORDS), max_size=4))
def test_budgets_are_never_exceeded(memory: Memory, budget: int, limit: int, words: list[str]) -> None:
    """Tokens stay within the budget, results within the limit, and a bigger budget never brings less."""
    memory.store("a longer sentence about the dog that goes on and on and on for many words more than the others do")
    found = memory.recall(" ".join(words), budget=budget, limit=limit, count=False)
    assert sum(one.tokens for one in found) <= budget
    assert sum(len(one.content.split()) for one in found) <= budget
    assert len(found) <= limit
    more = memory.recall(" ".join(words), budget=budget + 30, limit=limit, count=False)
    assert sum(one.tokens for one in more) >= min(sum(one.tokens for one in found), budget)


def test_what_does_not_fit_is_skipped(memory: Memory) -> None:
    """A long memory that answers best does not keep shorter ones out."""
    memory.store("zeppelin " * 50)
    memory.store("a zeppelin flies")
    assert contents(memory.recall("zeppelin", budget=5, limit=1, count=False)) == ["a zeppelin flies"]


@pytest.mark.row("P09")
def test_reading_is_pure(memory: Memory, clock: ManualClock) -> None:
    """A hundred readings of one instant are the same to the last figure, and not a byte was written."""
    memory.recall("dog and ferry")
    assert memory.wait_indexed(30)
    before = state(memory)
    first = [memory.recall(text, count=False, now=clock.now()) for text in ("dog in Bergen", "", "Ada's piano")]
    for _ in range(100):
        again = [memory.recall(text, count=False, now=clock.now()) for text in ("dog in Bergen", "", "Ada's piano")]
        assert again == first
    memory.explain(first[0][0].id)
    memory.stats()
    memory.find(limit=3)
    assert state(memory) == before
    assert sum(counts(memory).values()) == 10


@pytest.mark.row("P15")
def test_the_past_never_shows_the_future(tmp_path: Path, clock: ManualClock) -> None:
    """Whatever happened in 120 steps, each earlier day is recalled with what was active then, in its words."""
    draw = random.Random(5)  # noqa: S311 -- the same steps each time
    with memory_of(tmp_path / "memory.db", clock, WordVectors()) as memory:
        now: dict[str, tuple[str, Status]] = {}
        days = []
        for _ in range(120):
            clock.advance(3_600)
            deed = draw.random()
            if deed < 0.4 or not now:
                text = " ".join(draw.choices(WORDS, k=5))
                now[memory.store(text)] = text, Status.ACTIVE
            else:
                id_ = draw.choice(list(now))
                if deed < 0.6:
                    text = " ".join(draw.choices(WORDS, k=5))
                    memory.engine.memories.update(id_, {"content": text})
                    now[id_] = text, now[id_][1]
                elif deed < 0.8:
                    status = draw.choice([Status.ACTIVE, Status.SUPERSEDED, Status.ARCHIVED])
                    memory.engine.memories.set_status(id_, status)
                    now[id_] = now[id_][0], status
                else:
                    memory.recall(" ".join(draw.choices(WORDS, k=2)))
            days.append((clock.now(), dict(now)))
        clock.advance(86_400)
        for then, known in days[::8]:
            active = {id_: text for id_, (text, status) in known.items() if status is Status.ACTIVE}
            for text in ("", " ".join(draw.choices(WORDS, k=3))):
                found = {one.id: one.content for one in memory.recall(text, as_of=then, limit=100)}
                assert found.items() <= active.items()
            assert {one.id for one in memory.recall("", as_of=then, limit=100)} == set(active)
        assert memory.recall("dog", as_of=days[0][0] - timedelta(days=1)) == []
