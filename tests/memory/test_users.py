"""One file, many users: what is open for one of them shows nothing of the others, whichever way it is read (D44)."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from nola.errors import UsageError
from nola.learned import Memory
from nola.memory.axes import EdgeKind
from tests.memory.engines import contents, counts, memory_of
from tests.memory.fakes import WordVectors
from tests.memory.making import rows

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.testing import ManualClock

WORDS = "dog cat ferry piano garden meeting Tuesday Bergen Oslo blue sister doctor bread boat letter cheese".split()
USERS = ["ada", "eve", "Ada", "a b", ""]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file that they share."""
    return tmp_path / "memory.db"


@pytest.fixture
def ada(path: Path, clock: ManualClock) -> Iterator[Memory]:
    """The file as Ada sees it."""
    with memory_of(path, clock, user="ada") as opened:
        yield opened


@pytest.fixture
def eve(path: Path, clock: ManualClock) -> Iterator[Memory]:
    """The same file as Eve sees it."""
    with memory_of(path, clock, user="eve") as opened:
        yield opened


@pytest.mark.row("D44", "A30")
def test_users_never_see_each_other(path: Path, clock: ManualClock) -> None:
    """Of a thousand random rows recall, find, stats and edges show each user their own, and what all are born with."""
    draw = random.Random(13)  # noqa: S311 -- the same rows each time
    given: list[dict[str, Any]] = [
        {
            "content": f"{' '.join(draw.choices(WORDS, k=5))} {draw.choice(['9', '10'])} secret {n}",
            "user": draw.choice(USERS),
            "namespace": draw.choice(["default", "default", "work", "global"]),
            "memory_class": draw.choice(["learned"] * 9 + ["innate"]),
            "conversation": draw.choice(["", "c1", "c2"]),
            "speaker": draw.choice(["", "Ada", "Eve"]),
            "pinned": draw.random() < 0.1,
            "importance": draw.random(),
        }
        for n in range(1_000)
    ]
    with memory_of(path, clock, WordVectors()) as everybody:
        ids = everybody.store_many(given)
        for _ in range(40):  # joint use across all users
            everybody.engine.count(draw.sample(ids[:20], k=8))
        assert everybody.wait_indexed(60)
        assert rows(everybody.engine.database, "SELECT count(*) FROM edge WHERE kind = 'associated'")[0][0] > 5
    owner_of = {id_: (one["user"], one["memory_class"], one["namespace"]) for id_, one in zip(ids, given, strict=True)}

    def seen(user: str, space: str | None) -> set[str]:
        return {
            id_
            for id_, (owner, class_, there) in owner_of.items()
            if (owner == user or (owner == "" and class_ == "innate"))
            and (space in {None, there} or (there == "global" and class_ == "innate"))
        }

    for user in USERS[:-1]:
        with memory_of(path, clock, WordVectors(), user=user) as memory:
            for space in ("default", "work", "global", None):
                own = seen(user, space)
                assert {one.id for one in memory.find(namespace=space)} == own
                assert {one.id for one in memory.find(namespace=space, order="heat", limit=2_000)} == own
                assert {one.id for one in memory.recall("", namespace=space, limit=2_000, count=False)} == own
                assert memory.stats(namespace=space).total == memory.stats(namespace=space).vectors == len(own)
                assert sum(memory.stats(namespace=space).namespaces.values()) == len(own)
                for n in range(10):
                    text = " ".join(draw.choices([*WORDS, "secret", "Ada"], k=1 + n % 4))
                    found = memory.recall(text, namespace=space, limit=200, count=n % 5 == 0)
                    assert {one.id for one in found} <= own
                earlier = memory.recall("secret dog", namespace=space, limit=20, as_of=clock.now())
                assert {one.id for one in earlier} <= own
            for id_ in draw.sample(sorted(seen(user, None)), k=20):
                assert all(owner_of[edge.other(id_)][0] == owner_of[id_][0] for edge in memory.edges(id_))
            for id_ in draw.sample(sorted(set(ids) - seen(user, None)), k=20):
                for look in (memory.get, memory.edges, memory.events, memory.explain):
                    with pytest.raises(UsageError, match="no memory's id begins with"):
                        look(id_)


def test_what_is_stored_is_the_users(ada: Memory, eve: Memory) -> None:
    """Without a word about it; for another user nothing is stored, and nothing is asked."""
    mine = ada.store("My dog is called Biscuit")
    assert (ada.get(mine).user, ada.find(user="ada")) == ("ada", [ada.get(mine)])
    assert (eve.find(), eve.recall("dog"), eve.stats().total, eve.stats().namespaces) == ([], [], 0, {})
    for refused in (
        lambda: ada.store("x", user="eve"), lambda: ada.store("x", user_id="eve"), lambda: ada.find(user="eve"),
        lambda: ada.recall("dog", user="eve"), lambda: ada.find(user=""),
        lambda: ada.store_many([{"content": "y"}, {"content": "x", "user": "eve"}]),
    ):  # fmt: skip
        with pytest.raises(UsageError, match="is open for user 'ada'"):
            refused()
    assert contents(ada.find()) == ["My dog is called Biscuit"]


def test_a_use_is_counted_only_of_what_is_seen(ada: Memory, eve: Memory) -> None:
    """Another user's id is passed over."""
    mine, theirs = ada.store("dog"), eve.store("cat")
    ada.engine.count([mine, theirs])
    assert (counts(ada), counts(eve)) == ({"dog": 1}, {"cat": 0})


@pytest.mark.row("D44")
def test_an_edge_does_not_lead_to_another_user(ada: Memory, eve: Memory, path: Path, clock: ManualClock) -> None:
    """Neither one that is asked for nor one that comes of use; one that is there from before is not shown."""
    mine, theirs = ada.store("one"), eve.store("two")
    with pytest.raises(UsageError, match="can't lead to another user's memory"):
        ada.store("three", cites=[theirs])
    with memory_of(path, clock) as everybody:
        for _ in range(5):
            everybody.engine.count([mine, theirs])
        assert rows(everybody.engine.database, "SELECT * FROM pair") == []
        assert everybody.edges(mine) == []
        everybody.engine.database.write(
            lambda c: c.execute("INSERT INTO edge (source, kind, target, created, last) VALUES (1, 'cites', 2, 1, 1)")
        )
        assert [edge.kind for edge in everybody.edges(mine)] == [EdgeKind.CITES]
    assert ada.edges(mine) == eve.edges(theirs) == []


def test_the_whole_is_nobodys_alone(ada: Memory, tmp_path: Path) -> None:
    """An export would show the others, and an import bring them."""
    ada.store("dog")
    for refused in (lambda: ada.export(tmp_path / "x"), lambda: ada.import_(tmp_path / "x")):
        with pytest.raises(UsageError, match="is open for user 'ada'"):
            refused()
    assert not (tmp_path / "x").exists()


def test_a_memory_is_opened_for_a_user(path: Path) -> None:
    """By name; what is no text is refused."""
    with Memory.open(path, embedder="none", user="ada") as memory:
        assert memory.get(memory.store("dog")).user == "ada"
    with pytest.raises(UsageError, match="user takes text"):
        Memory.open(path, user=3)  # type: ignore[arg-type]
