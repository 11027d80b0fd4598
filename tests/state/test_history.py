"""Tests of the history of changes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from nola.errors import NolaError
from nola.state.history import FILE, History, Recorded, new_id
from nola.types import ChangeId

if TYPE_CHECKING:
    from pathlib import Path

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def change(number: int, path: str, undoes: str = "") -> Recorded:
    """Make a change that set a path to its number."""
    return Recorded(
        id=ChangeId(f"c{number}"),
        at=NOW,
        who="owner",
        path=path,
        old=None,
        new=number,
        old_present=False,
        new_present=True,
        undoes=ChangeId(undoes) if undoes else None,
        created="modules/work.json",
        made=1,
    )


def test_ids_are_short_unique_and_sort_by_time() -> None:
    """Later ids are greater; ids of one moment differ."""
    ids = [new_id(NOW + timedelta(milliseconds=number)) for number in range(50)]
    assert ids == sorted(ids)
    assert len({new_id(NOW) for _ in range(2000)}) == 2000
    assert {len(one) for one in ids} == {16}


def test_changes_come_back_newest_first(tmp_path: Path) -> None:
    """Everything about a change survives the file."""
    history = History(tmp_path)
    assert history.newest() == []
    for number, path in enumerate(["user.name", "work.employer", "user.pets.dog"]):
        history.add(change(number, path))
    assert history.newest() == [change(2, "user.pets.dog"), change(1, "work.employer"), change(0, "user.name")]
    assert History(tmp_path).newest(limit=1) == [change(2, "user.pets.dog")]


def test_a_path_selects_what_lies_below_and_above(tmp_path: Path) -> None:
    """A change of a whole module changed what is in it, too; a longer name is another."""
    history = History(tmp_path)
    for number, path in enumerate(["user", "user.pets.dog", "user.petshop", "work"]):
        history.add(change(number, path))
    assert [one.path for one in history.newest("user.pets")] == ["user.pets.dog", "user"]
    assert [one.path for one in history.newest("modules.work")] == ["work"]


def test_a_torn_line_is_skipped_and_swallows_nothing(tmp_path: Path) -> None:
    """A power cut in mid-line costs that line only."""
    history = History(tmp_path)
    history.add(change(0, "user.a"))
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"id": "c9", "at": "2026')
    history.add(change(1, "user.b"))
    assert [one.id for one in history.newest()] == ["c1", "c0"]
    assert (tmp_path / FILE).read_bytes().count(b"\n") == 3


def test_an_undo_can_be_undone(tmp_path: Path) -> None:
    """A change is undone as long as its undo stands."""
    history = History(tmp_path)
    history.add(change(0, "user.a"))
    assert history.is_undone(ChangeId("c0")) is False
    history.add(change(1, "user.a", undoes="c0"))
    assert history.is_undone(ChangeId("c0")) is True
    history.add(change(2, "user.a", undoes="c1"))
    assert history.is_undone(ChangeId("c0")) is False
    assert history.is_undone(ChangeId("c1")) is True


def test_an_unknown_id_is_told(tmp_path: Path) -> None:
    """The sentence names it."""
    with pytest.raises(NolaError, match="no change has the id 'zzz'"):
        History(tmp_path).find(ChangeId("zzz"))
