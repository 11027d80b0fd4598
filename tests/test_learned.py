"""Tests of nola.learned: the learned memory as other programs use it."""

from __future__ import annotations

import threading
from dataclasses import FrozenInstanceError
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

import nola
from nola.errors import ConflictError, DocumentError, NolaError, UsageError
from nola.learned import Memory
from nola.memory.axes import EdgeKind, MemoryClass, Status, Tier
from nola.testing import ManualClock
from tests.memory.fakes import WordVectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
FIELDS: dict[str, Any] = {
    "kind": "episodic", "memory_class": "learned", "level": 3, "trust": "external", "namespace": "work",
    "agent": "nola", "user": "ada", "path": "user.pets", "origin": "chat", "channel": "cli", "conversation": "c1",
    "message": "m1", "author": "Ada", "source": "diary", "at": START - timedelta(days=2),
    "valid_from": START - timedelta(days=1), "valid_until": START + timedelta(days=1),
    "expires_at": START + timedelta(days=9), "importance": 0.75, "confidence": 0.5, "pinned": True, "concept": "pets",
    "tags": ("dog", "home"), "metadata": {"page": 3},
}  # fmt: skip


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at 09:00 on 20 November 2026."""
    return ManualClock(START)


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """An empty memory with vectors of words."""
    with Memory.open(tmp_path / "memory.db", clock=clock, embedder=WordVectors()) as opened:
        yield opened


def contents(found: list[Any]) -> list[str]:
    """What was found, in order."""
    return [one.content for one in found]


def test_it_is_what_nola_offers() -> None:
    """`from nola import Memory` is this class."""
    assert nola.Memory is Memory


def test_opening_makes_no_file(tmp_path: Path) -> None:
    """A memory that nothing was stored in leaves nothing behind, and answers nothing."""
    with Memory.open(tmp_path / "memory.db", embedder=None) as opened:
        assert opened.recall("dog") == []
        assert opened.find() == []
        assert opened.stats().total == 0
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_clock_and_no_flag_is_refused(tmp_path: Path, memory: Memory) -> None:
    """At once, in one sentence."""
    with pytest.raises(UsageError, match="clock is an object or a function that tells the time, not int"):
        Memory.open(tmp_path / "other.db", clock=5)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="count takes true or false, not 'no'"):
        memory.recall("dog", count="no")  # type: ignore[arg-type]


def test_every_field_comes_back(memory: Memory) -> None:
    """What was stored is read as it was given, whichever way it is read."""
    id_ = memory.store("My dog is called Biscuit", **FIELDS)
    record = memory.get(id_)
    for name, value in FIELDS.items():
        assert getattr(record, name) == value, name
    assert (record.id, record.content, record.status) == (id_, "My dog is called Biscuit", Status.ACTIVE)
    assert record.created == record.updated == START
    assert memory.find(namespace="work") == [record]
    assert memory.get(id_[:20]) == record


def test_short_names_of_fields(memory: Memory) -> None:
    """`class` and `speaker` are the same as `memory_class` and `author`."""
    record = memory.get(memory.store("Never share a password", **{"class": "innate", "speaker": "Ada"}))
    assert (record.memory_class, record.speaker) == (MemoryClass.INNATE, "Ada")


def test_a_result_carries_everything(memory: Memory) -> None:
    """A recalled memory has its score, what it is made of, and where it comes from; nobody changes it (D16)."""
    id_ = memory.store("My dog is called Biscuit", **{**FIELDS, "namespace": "default"})
    memory.wait_indexed(30)
    (one,) = memory.recall("What is my dog called?")
    assert (one.id, one.content, one.kind, one.speaker) == (id_, "My dog is called Biscuit", "episodic", "Ada")
    assert (one.conversation, one.source, one.at) == ("c1", "diary", START - timedelta(days=2))
    assert (one.trust, one.level, one.pinned) == ("external", 3, True)
    assert one.relevance == 1.0
    assert 0 < one.strength <= 1
    assert one.score == pytest.approx(one.relevance * (0.8 + 0.2 * one.strength), abs=1e-9)
    assert one.tokens == 6
    assert {"bm25", "cosine"} <= one.parts.keys()
    assert "shares words" in one.why
    with pytest.raises(FrozenInstanceError):
        one.score = 1.0  # type: ignore[misc]


def test_many_are_stored_all_or_none(memory: Memory) -> None:
    """Ids come in order; when one memory is wrong, its number is named and none is stored."""
    ids = memory.store_many([{"content": f"fact {n}"} for n in range(50)])
    assert [memory.get(id_).content for id_ in ids] == [f"fact {n}" for n in range(50)]
    assert memory.store_many([]) == []
    with pytest.raises(UsageError, match="memory 2: importance"):
        memory.store_many([{"content": "good"}, {"content": "bad", "importance": 2}])
    for wrong in ("abc", None):
        with pytest.raises(UsageError, match="memory 2 takes an object with content and other fields, not a "):
            memory.store_many([{"content": "good"}, wrong])  # type: ignore[list-item]
    for whole in ({"content": "x"}, "abc", 5):
        with pytest.raises(UsageError, match="memories are a list of objects, not a "):
            memory.store_many(whole)  # type: ignore[arg-type]
    assert len(memory.find()) == 50


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"content": ""}, "content"), ({"content": " \n"}, "content"), ({"content": "x" * 10_000_000}, "content"),
        ({"content": None}, "content"), ({"content": b"dog"}, "content"), ({"content": "a\0b"}, "content"),
        ({"content": "\ud800"}, "content"), ({"importance": float("nan")}, "importance"),
        ({"importance": 1.1}, "importance"), ({"importance": "high"}, "importance"), ({"level": 0}, "level"),
        ({"at": datetime(2026, 1, 1)}, "at takes a datetime with a time zone"),  # noqa: DTZ001 -- naive on purpose
        ({"at": "yesterday"}, "at takes"), ({"kind": "fact"}, "kind is one of"), ({"kind": 3}, "kind is one of"),
        ({"status": "archived"}, "status"), ({"tags": [1]}, "tags"), ({"metadata": {"x": float("inf")}}, "metadata"),
        ({"imporance": 1}, "importance"), ({"namespace": ""}, "namespace"), ({"derives_from": "nobody"}, "nobody"),
        ({"heat": 0.5}, "heat"), ({"author": "A", "speaker": "B"}, "twice"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_refused(memory: Memory, given: dict[str, Any], said: str) -> None:
    """One sentence names what is wrong, and nothing is stored."""
    with pytest.raises(UsageError) as error:
        memory.store_many([{"content": "A dog", **given}])
    assert said in str(error.value)
    assert "\n" not in str(error.value)
    assert memory.find(namespace=None) == []


def test_kinds_of_their_own_rules(memory: Memory, clock: ManualClock) -> None:
    """An observation expires, a slot belongs to a task, an intention waits, and each kind names its own fields."""
    memory.store("The door bell rings", kind="sensory", modality="audio", ttl=60)
    slot = memory.store("Two eggs", kind="working", task="cake", slot="context", relevance=0.9)
    memory.store("Call the dentist", kind="prospective", trigger="dentist", action="call", priority=2)
    steps = memory.store("Bake a cake", kind="procedural", name="cake", steps=["mix", "bake"])
    assert memory.get(slot).details["task"] == "cake"
    assert memory.get(steps).details["steps"] == ["mix", "bake"]
    assert contents(memory.recall("bell"))[:1] == ["The door bell rings"]
    clock.advance(61)
    assert "The door bell rings" not in contents(memory.recall("bell"))
    with pytest.raises(UsageError, match="steps"):
        memory.store("A fact", steps=["mix"])


def test_filters_of_a_question(memory: Memory) -> None:
    """Each filter keeps what it names, alone or one of several."""
    memory.store("dog one", kind="episodic", tags=["a", "b"], agent="x", speaker="Ada", conversation="c1", concept="p")
    memory.store("dog two", trust="untrusted", user="u", at=START - timedelta(days=9), pinned=True)
    memory.store("dog three", valid_from=START, valid_until=START + timedelta(days=1))

    def seen(**filters: Any) -> set[str]:
        return {one.content.split()[1] for one in memory.recall("dog", count=False, **filters)}

    assert seen() == {"one", "two", "three"}
    assert seen(kind="episodic") == seen(tags=["a"]) == seen(tags=["b", "a"]) == seen(agent="x") == {"one"}
    assert seen(speaker="Ada") == seen(author="Ada") == seen(conversation="c1") == seen(concept="p") == {"one"}
    assert seen(kind=["episodic", "semantic"]) == {"one", "two", "three"}
    assert seen(trust="owner") == {"one", "three"}
    assert seen(user="u") == seen(pinned=True) == seen(until=START - timedelta(days=1)) == {"two"}
    assert seen(since=START) == {"one", "three"}
    assert seen(valid_at=START + timedelta(hours=1)) == {"one", "two", "three"}
    assert seen(valid_at=START + timedelta(days=2)) == {"one", "two"}
    assert seen(status="archived") == seen(namespace="other") == seen(speaker="Eve") == set()
    assert seen(conversation="c9") == seen(agent="y") == seen(tags="c") == set()
    assert seen(conversation="c1", namespace=None) == {"one"}
    assert seen(speaker="") == seen(conversation="") == {"two", "three"}
    assert seen(memory_class="innate") == set()


@pytest.mark.parametrize(
    "given",
    [
        {"query": None}, {"query": b"dog"}, {"limit": -1}, {"limit": "3"}, {"limit": 10**9}, {"budget": -1},
        {"budget": 1.5}, {"now": datetime(2026, 1, 1)}, {"now": 5}, {"as_of": "now"},  # noqa: DTZ001
        {"as_of": START, "now": datetime(2026, 1, 1)}, {"kind": "fact"}, {"kinds": "episodic", "kind": "semantic"},  # noqa: DTZ001
        {"tier": "boiling"}, {"min_heat": 2}, {"colour": "red"}, {"since": 3}, {"tags": [3]}, {"pinned": "yes"},
    ],
    ids=str,
)  # fmt: skip
def test_a_wrong_question_is_refused(memory: Memory, given: dict[str, Any]) -> None:
    """What is unknown, of the wrong type or out of range is named in one sentence."""
    memory.store("A dog")
    with pytest.raises(UsageError) as error:
        memory.recall(**{"query": "dog", **given})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("id_", ["", "zz", "x" * 10_000, "'; DROP TABLE memory", None, 3, "\ud800"])
def test_an_id_that_is_not_there(memory: Memory, id_: Any) -> None:
    """Every call that takes an id says so."""
    memory.store("A dog")
    for call in (memory.get, memory.explain, memory.edges, memory.events):
        with pytest.raises(UsageError):
            call(id_)


def test_wrong_ways_of_opening(tmp_path: Path) -> None:
    """A profile, preset or embedder that does not exist is named."""
    for wrong in ({"profile": "nolla"}, {"preset": "x"}, {"embedder": "bert"}, {"embedder": 42}):
        with pytest.raises(UsageError):
            Memory.open(tmp_path / "memory.db", **wrong)
    assert list(tmp_path.iterdir()) == []


def test_finding_without_a_question(memory: Memory) -> None:
    """The last stored come first; limit and offset cut, and what can't be asked is refused."""
    memory.store_many([{"content": f"fact {n}", "tags": ["odd"] if n % 2 else []} for n in range(6)])
    assert contents(memory.find(limit=2, offset=1)) == ["fact 4", "fact 3"]
    assert contents(memory.find(tags="odd")) == ["fact 5", "fact 3", "fact 1"]
    for wrong in ({"limit": -1}, {"limit": "2"}, {"offset": -1}, {"colour": "red"}):
        with pytest.raises(UsageError):
            memory.find(**wrong)
    assert all(one.statistics.access_count == 0 for one in memory.find())


def test_how_strategies_see_a_memory(memory: Memory, clock: ManualClock) -> None:
    """All six are shown at any instant, and nothing is written."""
    id_ = memory.store("A dog", importance=0.6)
    before = memory.get(id_)
    seen = memory.explain(id_, START + timedelta(days=4))
    assert set(seen.views) == {"heat", "actr", "chain", "ebbinghaus", "retention", "hea"}
    assert seen.views["heat"].value == pytest.approx(0.402192, abs=1e-5)
    assert (seen.tier, seen.memory_class) == (Tier.WARM, MemoryClass.LEARNED)
    clock.advance(30 * 86_400)
    assert memory.explain(id_).tier is Tier.COLD
    assert memory.get(id_) == before
    with pytest.raises(UsageError):
        memory.explain(id_, datetime(2026, 1, 1))  # noqa: DTZ001 -- naive on purpose


def test_what_there_is_in_numbers(memory: Memory) -> None:
    """Counts by class, tier, kind, status and namespace; one namespace alone when asked."""
    memory.store("one", importance=0.9)
    memory.store("two", kind="episodic", namespace="work", importance=0.1)
    memory.store("three", memory_class="innate")
    assert memory.wait_indexed(30)
    stats = memory.stats()
    assert (stats.total, stats.innate, stats.vectors, stats.model) == (3, 1, 3, "words")
    assert stats.tiers == {Tier.HOT: 1, Tier.WARM: 0, Tier.COLD: 1}
    assert (stats.kinds["semantic"], stats.kinds["episodic"], stats.statuses["active"]) == (2, 1, 3)
    assert stats.namespaces == {"default": 2, "work": 1}
    assert memory.stats(namespace="work").total == 1
    with pytest.raises(UsageError):
        memory.stats(datetime(2026, 1, 1))  # noqa: DTZ001 -- naive on purpose


def test_edges_and_events(memory: Memory) -> None:
    """Facts that are much alike are joined, of one kind when asked; what happened is told."""
    one = memory.store("Ada won 9 gold medals in Rome")
    two = memory.store("Ada won 10 gold medals in Rome")
    (edge,) = memory.edges(one)
    assert (edge.kind, edge.other(one)) == (EdgeKind.SIMILAR_TO, two)
    assert memory.edges(two, "similar_to") == [edge]
    assert memory.edges(one, EdgeKind.CITES) == []
    assert [event.what for event in memory.events(one)] == ["stored"]
    with pytest.raises(UsageError):
        memory.edges(one, "friend")


@pytest.mark.row("E59")
def test_export_and_import_bring_everything(memory: Memory, tmp_path: Path, clock: ManualClock) -> None:
    """Exported, imported into an empty memory and exported again, also once all is indexed: not a byte differs."""
    awkward = ["line\u2028 separators \x85 and \x0b tabs\r\n too", "emoji 🐕 and “quotes” \\ / \x1c"]
    ids = [memory.store(text, **FIELDS) for text in awkward]
    ids += memory.store_many([{"content": f"Ada has {n} gold medals", "speaker": "Ada"} for n in range(40)])
    for _ in range(4):
        clock.advance(3_600)
        memory.recall("gold medals", limit=4)
    memory.store("Ada has no medals", supersedes=[ids[5]])
    assert memory.wait_indexed(30)
    first = tmp_path / "first.jsonl"
    count = memory.export(first)
    assert len(first.read_text(encoding="utf-8").split("\n")) == count + 1
    with Memory.open(tmp_path / "copy.db", clock=clock, embedder=WordVectors()) as copy:
        assert copy.import_(first).memories == 43
        assert copy.wait_indexed(30)
        copy.export(tmp_path / "second.jsonl")
        assert copy.recall("gold medals", count=False) == memory.recall("gold medals", count=False)
        with pytest.raises(ConflictError):
            copy.import_(first)
        assert copy.import_(first, skip_known=True).known == 43
    assert (tmp_path / "second.jsonl").read_bytes() == first.read_bytes()


def test_what_is_no_export_is_refused(memory: Memory, tmp_path: Path) -> None:
    """Nothing of it is stored."""
    memory.store("A dog")
    file = tmp_path / "export.jsonl"
    memory.export(file)
    lines = file.read_text(encoding="utf-8").split("\n")
    wrong: dict[str, tuple[bytes, type[NolaError]]] = {
        "text": (b"hello", DocumentError), "bytes": (b"\xff\xfe\x00", UsageError),
        "half": ("\n".join(lines)[:-40].encode(), DocumentError),
        "id": (file.read_bytes().replace(b'"status": "active"', b'"status": "asleep"'), DocumentError),
    }  # fmt: skip
    with Memory.open(tmp_path / "copy.db", embedder=None) as copy:
        for name, (data, kind) in wrong.items():
            (tmp_path / name).write_bytes(data)
            with pytest.raises(kind):
                copy.import_(tmp_path / name)
        for path in (tmp_path, tmp_path / "nothing"):
            with pytest.raises(UsageError):
                copy.import_(path)
        assert copy.find() == []
    with pytest.raises(NolaError):
        memory.export(tmp_path)


def test_closing_is_not_the_end(memory: Memory) -> None:
    """A closed memory opens again by being used."""
    id_ = memory.store("A dog")
    memory.close()
    memory.close()
    assert memory.get(id_).content == "A dog"
    assert contents(memory.recall("dog")) == ["A dog"]


def test_many_threads(memory: Memory) -> None:
    """Threads that store and ask at once disturb nobody, and each finds at once what it stored."""
    wrong: list[object] = []

    def work(number: int) -> None:
        try:
            for n in range(20):
                word = f"word{number}x{n}"
                memory.store(f"The {word} is mine")
                if contents(memory.recall(word, limit=1)) != [f"The {word} is mine"]:
                    wrong.append(word)
        except Exception as error:  # noqa: BLE001 -- told below
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert memory.wait_indexed(60)
    assert memory.stats().vectors == 80
