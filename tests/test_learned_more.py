"""Tests of what the library tells of many memories at once, and of taking things in."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nola.errors import ConfigError, UsageError
from nola.learned import Memory
from nola.memory.axes import Tier
from nola.settings import HeatSettings, RetentionSettings, Settings
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory at a time that stands still."""
    with Memory.open(tmp_path / "m.db", embedder="none", clock=ManualClock()) as opened:
        yield opened


def test_heat_and_tier_are_told_of_many_at_once(memory: Memory) -> None:
    """In their order, now or at another time; nothing is counted."""
    ids = [memory.store("a", importance=0.9), memory.store("b"), memory.store("c", memory_class="innate")]
    records = [memory.get(id_) for id_ in ids]
    assert memory.heat(records) == [(0.9, Tier.HOT), (0.5, Tier.WARM), (1.0, Tier.HOT)]
    later = ManualClock().now() + timedelta(days=30)
    assert [tier for _, tier in memory.heat(records, later)] == [Tier.COLD, Tier.COLD, Tier.HOT]
    assert memory.heat([]) == []
    assert [memory.get(id_).statistics.access_count for id_ in ids] == [0, 0, 0]


def test_one_namespace_is_counted_by_itself(memory: Memory) -> None:
    """All of them unless one is named."""
    memory.store("a")
    memory.store("b", namespace="work")
    assert memory.stats().total == 2
    assert memory.stats(namespace="work").total == 1
    assert memory.stats(namespace="work").namespaces == {"work": 1}
    assert memory.stats(namespace="none").total == 0


def test_a_dry_run_takes_everything_back(memory: Memory, tmp_path: Path) -> None:
    """What it would bring is told, and the file stays as it is."""
    memory.store("a\u2028b, one line of JSON")
    memory.export(tmp_path / "x.jsonl")
    with Memory.open(tmp_path / "other.db", embedder="none") as other:
        assert other.import_(tmp_path / "x.jsonl", dry_run=True).memories == 1
        assert other.stats().total == 0
        assert other.import_(tmp_path / "x.jsonl").memories == 1
        assert [one.content for one in other.find()] == ["a\u2028b, one line of JSON"]


@pytest.mark.row("A11")
@pytest.mark.parametrize("alpha", [-0.1, 5, float("nan")])
def test_settings_out_of_range_are_refused(tmp_path: Path, alpha: float) -> None:
    """Those that a program makes as those of the file, in a sentence that names setting and range."""
    with pytest.raises(ConfigError, match=r"^heat\.alpha takes 0 to 1, not "):
        Memory.open(tmp_path / "m.db", embedder="none", settings=Settings(heat=HeatSettings(alpha=alpha)))
    wrong: Any = {"heat": {"alpha": 0.3}}
    with pytest.raises(ConfigError, match="settings takes Settings, not dict"):
        Memory.open(tmp_path / "m.db", embedder="none", settings=wrong)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.row("B08")
def test_slots_and_others_are_stored_all_or_none(memory: Memory) -> None:
    """A third item that is refused takes the two before it back, and what they made room for stays."""
    memory.store_many([{"content": f"slot {n}", "kind": "working", "task": "cake"} for n in range(20)])
    before = memory.find()
    given: list[dict[str, Any]] = [
        {"content": "a fact"},
        {"content": "two eggs", "kind": "working", "task": "cake", "relevance": 0.9},
        {"content": "dull", "kind": "working", "task": "cake", "relevance": 0.1},
    ]
    with pytest.raises(UsageError, match=r"^memory 3: the working memory of this task holds 20 slots") as refused:
        memory.store_many(given)
    assert refused.value.fix == "complete the task, or give the slot a higher relevance"
    assert memory.find() == before
    with pytest.raises(UsageError, match="no memory's id begins with 'nobody'"):
        memory.store_many([*given[:2], {"content": "another", "derives_from": "nobody"}])
    assert memory.find() == before
    ids = memory.store_many(given[:2])
    assert [memory.get(id_).content for id_ in ids] == ["a fact", "two eggs"]


@pytest.mark.row("B08")
def test_many_slots_at_once_are_as_many_one_by_one(tmp_path: Path) -> None:
    """Of twenty-five of one task the same twenty are left, in the same order, whichever way they came."""
    chosen = [0.5, 0.9, 0.5, 0.2, 0.5, *[0.5, 0.7, 0.6, 0.8] * 5]
    slots = [{"content": f"slot {n}", "kind": "working", "task": "t", "relevance": x} for n, x in enumerate(chosen)]
    left = []
    for name in ("many", "single"):
        with Memory.open(tmp_path / f"{name}.db", embedder="none", clock=ManualClock()) as opened:
            if name == "many":
                assert len(set(opened.store_many(slots))) == 25
            else:
                for one in slots:
                    opened.store_many([one])
            left.append([one.content for one in opened.find(kind="working")])
    assert left[0] == left[1]
    assert len(left[0]) == 20
    assert {"slot 0", "slot 2", "slot 3", "slot 4", "slot 5"}.isdisjoint(left[0])


@pytest.mark.row("D38")
def test_the_curve_decides_the_order(tmp_path: Path) -> None:
    """Exponential, power, or one's own: what is old and matters, and what is young and does not, change places."""
    clock = ManualClock()
    with Memory.open(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        memory.store("dog Rex", importance=0.9)
        clock.advance(5 * 86_400)
        memory.store("dog Fido", importance=0.1)
        clock.advance(9 * 86_400)

    def order(**given: Any) -> list[str]:
        with Memory.open(tmp_path / "m.db", profile="blah", embedder="none", clock=clock, **given) as memory:
            return [one.content for one in memory.recall("dog", count=False) if one.score > 0]

    assert order() == ["dog Rex", "dog Fido"]
    assert order(curve=lambda days, _: np.where(days < 10, 1.0, 0.0)) == ["dog Fido"]
    steep = RetentionSettings(curve="power", exponent=5.0, importance_boost=0.0)
    assert order(settings=Settings(retention=steep)) == ["dog Fido", "dog Rex"]
    with pytest.raises(UsageError, match="curve is a function of days and stabilities, not str"):
        order(curve="power")


@pytest.mark.parametrize("path", ["", " ", ".", "~nosuchuser/x", "a\0b", None, b"memory.db", 7, ":memory:"])
def test_a_path_that_is_none(path: Any) -> None:
    """One sentence, before anything is made."""
    with pytest.raises(UsageError):
        Memory.open(path, embedder="none")


def test_another_folder_does_not_make_another_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path means the folder in which it was opened."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with Memory.open("memory.db", embedder="none") as memory:
        memory.store("My dog sleeps")
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert [one.content for one in memory.recall("dog")] == ["My dog sleeps"]
        memory.store("My cat purrs")
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("at", [datetime.max.replace(tzinfo=UTC), datetime.min.replace(tzinfo=UTC)])
def test_the_ends_of_time(tmp_path: Path, at: datetime) -> None:
    """What happened in the first or the last microsecond there is does no harm."""
    with Memory.open(tmp_path / "memory.db", embedder="none") as memory:
        ids = [memory.store("My dog sleeps", at=at), memory.store("My dog barks", at=at, ttl=86_400.0)]
        assert memory.wait_indexed(30)
        later = at.year > 1  # a day after the beginning of time is over
        assert {one.id for one in memory.recall("dog")} == set(ids[: 1 + later])
        assert memory.stats().total == 1 + later
        assert memory.get(ids[0]).at == at
        assert memory.explain(ids[0]).id == ids[0]
        memory.export(tmp_path / "out.jsonl")
        assert len(memory.recall("dog", as_of=at, count=False)) == later


@pytest.mark.parametrize("name", ["m.db", "m.db-wal", "link"])
def test_an_export_does_not_replace_the_memory(memory: Memory, tmp_path: Path, name: str) -> None:
    """Its own file is refused, also under another name."""
    memory.store("My dog sleeps")
    (tmp_path / "link").symlink_to(tmp_path / "m.db")
    with pytest.raises(UsageError, match="belongs to the memory itself"):
        memory.export(tmp_path / name)
    assert [one.content for one in memory.recall("dog")] == ["My dog sleeps"]


@pytest.mark.parametrize("mode", [0o755, 0o1777])
def test_a_folder_that_others_share_stays_as_it_is(tmp_path: Path, mode: int) -> None:
    """A memory closes its own files to others, and not the folder that somebody put it into."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(mode)
    with Memory.open(shared / "new" / "memory.db", embedder="none") as memory:
        memory.store("My dog sleeps")
    with Memory.open(shared / "memory.db", embedder="none") as memory:
        memory.store("My dog sleeps")
    assert shared.stat().st_mode & 0o7777 == mode
    assert (shared / "new").stat().st_mode & 0o7777 == 0o700
    assert {file.stat().st_mode & 0o777 for file in shared.glob("memory.*")} == {0o600}
