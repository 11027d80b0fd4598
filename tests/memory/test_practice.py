"""Tests of nola.memory.practice: the same use leaves the same file under every profile, and each reads its own."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import pytest

from nola.memory.axes import EdgeKind, Kind
from nola.memory.dynamics.model import STRATEGIES, Dynamics
from nola.memory.dynamics.profiles import PROFILES
from nola.memory.practice import practised, row_of, seen_under
from nola.settings import Settings
from nola.testing import ManualClock
from tests.memory.engines import contents, memory_of

if TYPE_CHECKING:
    from pathlib import Path

    from nola.learned import Memory

DAY = 86_400
GAPS = (1, 7, 14, 30)
KINDS = ("semantic", "episodic", "procedural")


def dogs(memory: Memory) -> list[str]:
    """Store three memories of different kinds, one with stabilities of its own."""
    own: dict[str, dict[str, object]] = {"episodic": {"stability": 0.5, "stability_days": 2.0}}
    return [memory.store(f"dog {kind}", kind=kind, **own.get(kind, {})) for kind in KINDS]


def used(memory: Memory, clock: ManualClock) -> None:
    """Ask for the dogs, all of which come, after ever longer pauses."""
    for days in GAPS:
        clock.advance(days * DAY)
        assert len(memory.recall("dog", include_cold=True)) == len(KINDS)


def content(memory: Memory) -> list[Any]:
    """Return all that is stored as the export tells it, with numbers in the place of ids that are made by chance."""
    text = "\n".join(memory.engine.memories.export_lines())
    for number, record in enumerate(reversed(memory.find())):
        text = text.replace(record.id, f"memory {number}")
    lines = [json.loads(line) for line in text.split("\n")]
    for line in lines:
        for number, use in enumerate(line.get("uses", [])):
            use[0] = f"request {number}"
    return lines


def kept(path: Path, settings: Settings | None = None, **given: Any) -> list[Any]:
    """Return what a file holds after the same memories and uses."""
    clock = ManualClock()
    with memory_of(path, clock, settings=settings, **given) as memory:
        dogs(memory)
        used(memory, clock)
        return content(memory)


@pytest.mark.row("X02")
def test_the_same_use_leaves_the_same_file_under_every_profile(tmp_path: Path) -> None:
    """Stored and used alike, six files are one: statistics, events, uses, pairs and links."""
    files = {name: kept(tmp_path / f"{name}.db", profile=name) for name in PROFILES}
    assert all(found == files["nola"] for found in files.values())
    memory = files["nola"][1]["memory"]
    assert memory["access_count"] == len(GAPS)
    assert sum("pair" in line for line in files["nola"]) == 3
    assert sum(line.get("edge", {}).get("kind") == "associated" for line in files["nola"]) == 3


@pytest.mark.row("X01")
@pytest.mark.row("X02")
@pytest.mark.parametrize("profile", [name for name in PROFILES if name != "nola"])
def test_a_document_reads_what_its_own_rules_make_of_the_log(tmp_path: Path, clock: ManualClock, profile: str) -> None:
    """Explained under a document's profile, stabilities and traces are those that its formulas give step by step."""
    began = clock.now()
    with memory_of(tmp_path / "memory.db", clock) as memory:
        ids = dogs(memory)
        used(memory, clock)
        written = {id_: memory.get(id_).statistics for id_ in ids}
    with memory_of(tmp_path / "memory.db", clock, profile=profile) as memory:
        for id_, kind in zip(ids, KINDS, strict=True):
            dynamics = memory.engine.dynamics
            own = {"stability": 0.5, "stability_days": 2.0} if kind == "episodic" else {}
            stat = dynamics.first(Kind(kind), began.timestamp(), **own)
            for number in range(len(GAPS)):
                at_s = (began + timedelta(days=sum(GAPS[: number + 1]))).timestamp()
                for strategy in (dynamics.chain, dynamics.ebbinghaus, dynamics.retention):
                    stat = strategy.learned(stat, Kind(kind), at_s)
                stat = replace(stat, last_access_s=at_s)
            seen = memory.explain(id_).statistics
            assert (seen.stability, seen.stability_days) == (stat.stability, stat.stability_days)
            assert (seen.r1, seen.r2, seen.chain_s) == (stat.r1, stat.r2, stat.chain_s)
            assert seen.stability_days == pytest.approx({"semantic": 5, "episodic": 2, "procedural": 10}[kind] * 1.1**4)
            assert memory.get(id_).statistics == written[id_]
            assert seen.stability != written[id_].stability


@pytest.mark.row("D11")
@pytest.mark.row("X02")
def test_ranking_follows_the_documents_growth(tmp_path: Path, clock: ManualClock) -> None:
    """In blah a memory is as strong in recall as explained, whoever counted its uses, and was so as of a time."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        dogs(memory)
        used(memory, clock)
    clock.advance(20 * DAY)
    then = clock.now()
    with memory_of(tmp_path / "memory.db", clock, profile="blah") as memory:
        before = {one.content: one.strength for one in memory.recall("dog", count=False)}
        clock.advance(DAY)
        for _ in range(2):
            for one in memory.recall("dog"):
                clock.advance(3_600)
                again = next(two for two in memory.recall("dog", count=False) if two.id == one.id)
                assert again.strength == pytest.approx(memory.explain(one.id).strength, rel=1e-12)
        past = {one.content: one.strength for one in memory.recall("dog", as_of=then)}
    assert past == pytest.approx(before, rel=1e-12)
    assert before["dog procedural"] == 1.0
    assert before["dog episodic"] < before["dog semantic"] < 1.0


@pytest.mark.row("D20")
@pytest.mark.row("X02")
def test_a_document_reads_its_own_links_of_the_pairs(tmp_path: Path, clock: ManualClock) -> None:
    """In blah one joint use is a link of 0.1 from either end, where nola has none before the third."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        one, other = memory.store("dog Rex"), memory.store("dog Fido")
        memory.recall("dog")
        assert memory.edges(one, EdgeKind.ASSOCIATED) == []
    with memory_of(tmp_path / "memory.db", clock, profile="blah") as memory:
        for id_ in (one, other):
            assert [edge.weight for edge in memory.edges(id_, EdgeKind.ASSOCIATED)] == [0.1]
        assert [edge.kind for edge in memory.edges(one)].count(EdgeKind.ASSOCIATED) == 1
        assert EdgeKind.ASSOCIATED not in {edge.kind for edge in memory.edges(one, EdgeKind.SIMILAR_TO)}


def test_a_log_that_is_not_whole_tells_nothing(tmp_path: Path, clock: ManualClock) -> None:
    """What was used more often than is logged, and what is innate, stays as it is written."""
    dynamics = Dynamics(Settings(), profile="blah")
    with memory_of(tmp_path / "memory.db", clock) as memory:
        ids = dogs(memory)
        used(memory, clock)
        core = memory.store("dog of old", memory_class="innate")
        memory.recall("dog")
        database = memory.engine.database
        database.write(
            lambda c: c.execute("DELETE FROM access WHERE memory = 1 AND at IN (SELECT min(at) FROM access)")
        )
        rows = {number: row_of(memory.get(id_)) for number, id_ in enumerate([*ids, core], 1)}
        with database.reading() as connection:
            seen = practised(connection, dynamics, rows)
            assert practised(connection, Dynamics(Settings()), rows) == rows
    assert [number for number, row in seen.items() if row == rows[number]] == [1, 4]
    assert list(seen) == [1, 2, 3, 4]


def test_a_row_knows_its_memory(tmp_path: Path, clock: ManualClock) -> None:
    """Id, level and time of the last change go with the statistics."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        record = memory.get(memory.store("dog", kind="episodic", level=3, confidence=0.4))
    row = row_of(record)
    assert (row.id, row.kind, row.level, row.confidence) == (record.id, Kind.EPISODIC, 3, 0.4)
    assert (row.statistics, row.updated_s) == (record.statistics, clock.now().timestamp())


def test_nothing_is_read_anew_where_nothing_differs() -> None:
    """Only a profile that ranks by its own growth looks into the log when the index is filled."""
    assert [name for name in PROFILES if seen_under(Dynamics(Settings(), profile=name))] == ["blah"]


# --- the four parts of the dynamics -----------------------------------------------------------------------------------
PARTS = {
    "activation": ("recent",),
    "hebbian": (),
    "forgetting": ("stability", "stability_days"),
    "consolidation": ("r1", "r2", "chain"),
}


def without(*parts: str, **memory: Any) -> Settings:
    """Return settings under which parts of the dynamics are off."""
    switched: dict[str, Any] = dict.fromkeys(parts, False)
    return Settings(memory=replace(Settings().memory, **switched, **memory))


def bare(lines: list[Any], parts: tuple[str, ...] | list[str], fresh: list[Any]) -> list[Any]:
    """Return the content as it would be if parts had never done anything."""
    found = [line for line in lines if "hebbian" not in parts or not line.keys() & {"pair", "edge"}]
    for line, start in zip(found, fresh, strict=False):
        if "memory" in line:
            for name in [name for part in parts for name in PARTS[part]]:
                line["memory"]["statistics"][name] = start["memory"]["statistics"][name]
                if name == "stability":
                    line["memory"][name] = start["memory"][name]
    return found


@pytest.mark.row("C27")
@pytest.mark.parametrize("parts", [*([part] for part in PARTS), list(PARTS)], ids="-".join)
def test_a_part_that_is_off_leaves_nothing_in_the_file(tmp_path: Path, parts: list[str]) -> None:
    """Off, it is as if the part had never been: all else is written, and its own columns and rows are untouched."""
    with memory_of(tmp_path / "fresh.db", ManualClock()) as memory:
        dogs(memory)
        fresh = content(memory)
    on = kept(tmp_path / "on.db")
    off = kept(tmp_path / "off.db", without(*parts))
    assert off != on
    assert off == bare(on, parts, fresh)


@pytest.mark.row("C27")
def test_links_that_are_off_lend_nothing(tmp_path: Path, clock: ManualClock) -> None:
    """What was used together comes back together, and with the part off, or without any use, it does not."""
    found = {}
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store_many([{"content": text} for text in ("I write python", "The ferry leaves", "My aunt grows roses")])
        before = contents(memory.recall("python", count=False))
        for _ in range(4):
            memory.recall("python ferry", limit=2)
    for name, settings in (("on", Settings()), ("off", without("hebbian"))):
        with memory_of(tmp_path / "memory.db", clock, settings=settings) as memory:
            found[name] = memory.recall("python", count=False)
    assert contents(found["on"]) != before
    assert contents(found["off"]) == before
    assert all("link" not in one.parts for one in found["off"])


@pytest.mark.row("C27")
@pytest.mark.parametrize(("part", "strategy"), [
    ("activation", "actr"), ("consolidation", "chain"), ("forgetting", "ebbinghaus"), ("forgetting", "retention")
])  # fmt: skip
def test_a_part_that_is_off_ranks_nothing(tmp_path: Path, clock: ManualClock, part: str, strategy: str) -> None:
    """With the part off its strategy ranks as none does, in the order of relevance; the others rank as ever."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store("dog old", importance=0.1)
        clock.advance(90 * DAY)
        memory.store("dog new", importance=0.9)
    clock.advance(DAY)

    def ranked(settings: Settings) -> list[tuple[str, float]]:
        with memory_of(tmp_path / "memory.db", clock, settings=settings) as memory:
            return [(one.content, one.score) for one in memory.recall("dog", count=False)]

    plain = ranked(without(strategy="none"))
    for name in STRATEGIES:
        assert (ranked(without(part, strategy=name)) == plain) is (name == strategy or (part, name) in {
            ("forgetting", "ebbinghaus"), ("forgetting", "retention")
        })  # fmt: skip
    assert ranked(without(part, strategy=strategy)) != ranked(without(strategy=strategy))


# --- what else the settings and the opener reach ----------------------------------------------------------------------
@pytest.mark.row("P12")
def test_a_floor_of_strength_reaches_recall(tmp_path: Path, clock: ManualClock) -> None:
    """A memory of ten years falls below 0.4 without the floor and stands at it with it."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store("dog", importance=0.0)
    clock.advance(3650 * DAY)
    strengths = []
    for settings in (Settings(), without(decay_floor=0.4)):
        with memory_of(tmp_path / "memory.db", clock, settings=settings) as memory:
            (found,) = memory.recall("dog", count=False)
            strengths.append(found.strength)
            assert memory.explain(found.id).strength == found.strength
    assert strengths[0] < 0.4
    assert strengths[1] == 0.4


@pytest.mark.row("C08")
def test_noise_is_a_memorys_own(tmp_path: Path, clock: ManualClock) -> None:
    """Five of one batch have five strengths with noise, the same when it is opened again, and one without."""
    noisy = Settings(actr=replace(Settings().actr, noise=0.5, seed=3))
    with memory_of(tmp_path / "memory.db", clock) as memory:
        memory.store_many([{"content": "dog"} for _ in range(5)])
        clock.advance(DAY)
        assert len({one.strength for one in memory.recall("dog", count=False)}) == 1
    seen = []
    for _ in range(2):
        with memory_of(tmp_path / "memory.db", clock, settings=noisy) as memory:
            seen.append({one.id: one.strength for one in memory.recall("dog", count=False)})
            assert {id_: memory.explain(id_).strength for id_ in seen[-1]} == seen[-1]
    assert seen[0] == seen[1]
    assert len(set(seen[0].values())) == 5


@pytest.mark.row("E08")
@pytest.mark.row("X01")
def test_hea_weighs_the_last_change(tmp_path: Path, clock: ManualClock) -> None:
    """Use does not make a memory fresh again under hea, and a change does."""
    with memory_of(tmp_path / "memory.db", clock, profile="hea") as memory:
        id_ = memory.store("dog", level=1)
        clock.advance(100 * DAY)
        faded = memory.recall("dog")[0].strength
        assert memory.recall("dog", count=False)[0].strength == faded < 0.98
        memory.engine.memories.update(id_, {"content": "dog Rex"})
        assert memory.recall("dog", count=False)[0].strength == memory.explain(id_).strength == 1.0


@pytest.mark.row("X02")
def test_stabilities_that_were_given_stay_in_the_log(tmp_path: Path, clock: ManualClock) -> None:
    """Use changes the columns, so the event of the storing tells with what a memory began, if that was given."""
    with memory_of(tmp_path / "memory.db", clock) as memory:
        details = [dict(memory.events(id_)[0].detail) for id_ in dogs(memory)]
    assert details == [{}, {"stability": 0.5, "stability_days": 2.0}, {}]
