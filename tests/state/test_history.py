"""Tests of the history of changes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from nola.errors import NolaError, StorageError
from nola.settings import StateSettings
from nola.state.history import FILE, History, Recorded, new_id
from nola.state.loaded import digest_of
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
    history = History(tmp_path, StateSettings())
    assert history.newest() == []
    for number, path in enumerate(["user.name", "work.employer", "user.pets.dog"]):
        history.add([change(number, path)])
    assert history.newest() == [change(2, "user.pets.dog"), change(1, "work.employer"), change(0, "user.name")]
    assert History(tmp_path, StateSettings()).newest(limit=1) == [change(2, "user.pets.dog")]


def test_a_path_selects_what_lies_below_and_above(tmp_path: Path) -> None:
    """A change of a whole module changed what is in it, too; a longer name is another."""
    history = History(tmp_path, StateSettings())
    for number, path in enumerate(["user", "user.pets.dog", "user.petshop", "work"]):
        history.add([change(number, path)])
    assert [one.path for one in history.newest("user.pets")] == ["user.pets.dog", "user"]
    assert [one.path for one in history.newest("modules.work")] == ["work"]


def test_a_torn_line_is_skipped_and_swallows_nothing(tmp_path: Path) -> None:
    """A power cut in mid-line costs that line only."""
    history = History(tmp_path, StateSettings())
    history.add([change(0, "user.a")])
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'{"id": "c9", "at": "2026')
    history.add([change(1, "user.b")])
    assert [one.id for one in history.newest()] == ["c1", "c0"]
    assert (tmp_path / FILE).read_bytes().count(b"\n") == 3


def test_an_undo_can_be_undone(tmp_path: Path) -> None:
    """A change is undone as long as its undo stands."""
    history = History(tmp_path, StateSettings())
    history.add([change(0, "user.a")])
    assert history.is_undone(ChangeId("c0")) is False
    history.add([change(1, "user.a", undoes="c0")])
    assert history.is_undone(ChangeId("c0")) is True
    history.add([change(2, "user.a", undoes="c1")])
    assert history.is_undone(ChangeId("c0")) is False
    assert history.is_undone(ChangeId("c1")) is True


def test_an_unknown_id_is_told(tmp_path: Path) -> None:
    """The sentence names it."""
    with pytest.raises(NolaError, match="no change has the id 'zzz'"):
        History(tmp_path, StateSettings()).find(ChangeId("zzz"))


# --- what never happened, and what grows too old ----------------------------------------------------------------------
def test_what_never_happened_is_not_listed(tmp_path: Path) -> None:
    """A later line calls it void; it is neither found, undone nor in the tail."""
    history = History(tmp_path, StateSettings())
    history.add([change(0, "user.a"), change(1, "user.b")])
    history.void([change(1, "user.b")])
    history.add([change(2, "user.c", undoes="c0")])
    history.void([change(2, "user.c")])
    assert [one.id for one in history.newest()] == ["c0"]
    assert list(history.recent()) == history.newest() == history.last_saved()
    assert history.is_undone(ChangeId("c0")) is False
    with pytest.raises(NolaError):
        history.find(ChangeId("c1"))


def test_lines_of_others_are_no_changes(tmp_path: Path) -> None:
    """Whatever stands in the file, what can be read is read."""
    history = History(tmp_path, StateSettings())
    history.add([change(0, "user.a")])
    with (tmp_path / FILE).open("ab") as file:
        file.write(b'[]\n1\n\n{"id": 1}\n{"void": 3}\n{"void": \n\xff\xfe\n{"id": "x", "at": "never", "who": 1}\n')
    history.add([change(1, "user.b")])
    assert [one.id for one in history.newest()] == ["c1", "c0"]


def test_recent_changes_are_the_end_of_a_long_file(tmp_path: Path) -> None:
    """Newest first, each whole, and no more than about a quarter of a megabyte is read."""
    history = History(tmp_path, StateSettings())
    history.add([change(number, "user.a") for number in range(3000)])
    recent = list(history.recent())
    assert recent == history.newest(limit=len(recent))
    assert 500 < len(recent) < 3000


def test_a_change_larger_than_the_end_of_the_file_is_found(tmp_path: Path) -> None:
    """However long the last lines are, what they tell of is known; all those of one save belong together."""
    history = History(tmp_path, StateSettings())
    history.add([dated(0, 1)])
    saved = [replace(dated(number, 0), new="x" * 1_000_000, digest=f"{number:064x}") for number in (1, 2)]
    history.add(saved)
    assert history.last_saved() == saved[::-1]
    assert next(history.recent()) == saved[1]
    assert history.digests(["user"]) == {"user": f"{2:064x}"}
    assert history.tells_of(bytes.fromhex(f"{2:064x}"))


def test_a_folder_that_is_no_folder_is_told(tmp_path: Path) -> None:
    """Reading it is an error with a sentence, the tail is empty."""
    (tmp_path / FILE).mkdir(parents=True)
    history = History(tmp_path, StateSettings())
    assert list(history.recent()) == history.last_saved() == []
    with pytest.raises(NolaError, match="the history can't be read: Is a directory"):
        history.newest()
    with pytest.raises(StorageError):
        history.add([change(0, "user.a")])


SMALL = StateSettings(history_bytes=10_000, history_days=30)


def dated(number: int, days: int) -> Recorded:
    """Make a change of an earlier day."""
    at = NOW - timedelta(days=days)
    return replace(change(number, "user.a"), at=at, id=new_id(at))


def test_a_large_history_is_kept_in_pieces(tmp_path: Path) -> None:
    """Everything is found across them, newest first, up to the limit."""
    history = History(tmp_path, SMALL)
    changes = [dated(number, 20 - number) for number in range(20)]
    for start in range(0, 20, 5):
        history.add(changes[start : start + 5])
        history.prune(NOW)
    assert len(list((tmp_path / ".history").glob("changes-*.jsonl"))) > 1
    assert history.newest() == changes[::-1]
    assert history.newest(limit=7) == changes[::-1][:7]
    assert history.find(changes[0].id) == changes[0]
    assert next(history.recent()) == changes[-1]
    assert {path.stat().st_mode & 0o777 for path in (tmp_path / ".history").iterdir()} == {0o600}


def test_a_history_is_bounded_by_its_size(tmp_path: Path) -> None:
    """The oldest pieces go; the newest changes stay."""
    history = History(tmp_path, SMALL)
    for number in range(200):
        at = NOW - timedelta(days=1, seconds=-number)
        history.add([replace(change(number, "user.a"), at=at, id=new_id(at))])
        history.prune(NOW)
    total = sum(path.stat().st_size for path in (tmp_path / ".history").iterdir())
    assert 5_000 < total < 12_500
    assert [one.new for one in history.newest(limit=3)] == [199, 198, 197]


def test_a_history_is_bounded_by_its_age(tmp_path: Path) -> None:
    """A piece goes when its last change is too old."""
    history = History(tmp_path, SMALL)
    for days in (100, 90, 29, 2):
        history.add([dated(days, days) for _ in range(10)])
        history.prune(NOW)
    assert {one.new for one in history.newest()} == {29, 2}


def test_a_small_history_is_left_alone(tmp_path: Path) -> None:
    """Nothing is moved or dropped."""
    history = History(tmp_path, StateSettings())
    history.prune(NOW)
    history.add([change(0, "user.a")])
    history.prune(NOW)
    assert [path.name for path in (tmp_path / ".history").iterdir()] == ["changes.jsonl"]


NAMES = ["user", "work", "boat", "Nola", "nowhere"]


def test_the_newest_digest_of_each_document_is_known(tmp_path: Path) -> None:
    """From changes, from saves that are no change, and from removals; not from what never happened."""
    history = History(tmp_path, StateSettings())
    assert history.digests(NAMES) == {}
    history.add([replace(change(0, "user.a"), digest="aa"), change(1, "user.b")])
    history.add([replace(change(2, "work"), new_present=False), replace(change(3, "boat.x"), digest="bb")])
    assert history.digests(NAMES) == {"user": "aa", "work": "", "boat": "bb"}
    with (tmp_path / FILE).open("ab") as file:
        file.write(history.own({"user": b"{}", "Nola": b"{}"}) + b'{"own": 3}\n{"own": \n')
    pulled = digest_of(b"{}").hex()
    assert history.digests(NAMES) == {"user": pulled, "Nola": pulled, "work": "", "boat": "bb"}
    history.void([change(3, "boat.x")])
    history.add([replace(change(4, "user.a"), digest="cc")])
    assert history.digests(NAMES) == {"user": "cc", "Nola": pulled, "work": ""}
    assert history.digests(["user"]) == {"user": "cc"}
    assert [one.id for one in history.newest()] == ["c4", "c2", "c1", "c0"]
