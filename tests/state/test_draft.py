"""Tests of changes on their way to disk."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from nola.errors import DocumentError, PathError
from nola.settings import StateSettings
from nola.state import patch
from nola.state.draft import Draft, bare
from nola.state.history import History, Recorded, new_id
from nola.state.loaded import digest_of
from nola.state.shelf import Shelf

from .conftest import BORN

if TYPE_CHECKING:
    from pathlib import Path

    from nola.testing import ManualClock
    from nola.types import Json

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def document(version: int, data: Json) -> dict[str, Json]:
    """Make a document."""
    return {"metadata": {"version": version, "needs_sync": True}, "data": data}


def record(path: str, *, present: bool = True) -> Recorded:
    """Make a record of a change."""
    return Recorded(new_id(NOW), NOW, "nola", path, None, 1, old_present=False, new_present=present)


@pytest.fixture
def shelf(folder: Path, clock: ManualClock) -> Shelf:
    """A shelf with user.json and one module."""
    (folder / "modules").mkdir(parents=True)
    (folder / "user.json").write_bytes(b'{"metadata": {"version": 1}, "data": {"a": 1}}')
    (folder / "modules/work.json").write_bytes(b'{"metadata": {"version": 4}, "data": {"b": 1}}')
    shelf = Shelf(folder, BORN, StateSettings(), clock)
    shelf.look()
    return shelf


@pytest.fixture
def history(folder: Path) -> History:
    """The history of the folder."""
    return History(folder, StateSettings())


@pytest.fixture
def draft(shelf: Shelf) -> Draft:
    """A draft over the shelf."""
    return Draft(shelf, NOW, StateSettings())


def test_a_draft_shows_what_will_be(draft: Draft, shelf: Shelf) -> None:
    """The shelf, and the files, are as they were."""
    draft.put("user", document(2, {"a": 2}), record("user.a"))
    draft.put("boat", document(1, {}), record("boat"))
    draft.remove("work", record("work", present=False))
    assert draft.names() == ["user", "boat"]
    assert ("work" in draft, "boat" in draft, "nowhere" in draft) == (False, True, False)
    assert draft.known("user").data == {"a": 2}
    assert shelf["user"].data == {"a": 1}
    with pytest.raises(PathError, match="no module of that name"):
        draft.known("work")


def test_each_change_is_recorded_with_its_patch(draft: Draft) -> None:
    """Patch, version and file are filled in; the flag of a file is no part of it."""
    one = draft.put("user", document(2, {"a": 2}), record("user.a"))
    assert (one.version, one.created) == (2, "")
    assert patch.touched(one.patch) == [("metadata", "version"), ("data", "a")]
    made = draft.put("boat", document(1, {}), record("boat"))
    assert (made.created, made.patch[0]["op"], made.patch[0]["path"]) == ("modules/boat.json", "add", "")
    gone = draft.remove("boat", record("boat", present=False))
    assert [step["op"] for step in gone.patch] == ["test", "remove"]
    assert draft.changes == [one, made, gone]


def test_a_wish_that_failed_leaves_nothing(draft: Draft) -> None:
    """Back to the mark."""
    draft.put("user", document(2, {"a": 2}), record("user.a"))
    mark = draft.mark()
    draft.put("user", document(3, {"a": 3}), record("user.a"))
    draft.put("boat", document(1, {}), record("boat"))
    draft.back(mark)
    assert draft.known("user").data == {"a": 2}
    assert "boat" not in draft
    assert len(draft.changes) == 1


def test_a_module_is_begun_under_a_name_that_it_may_have(draft: Draft) -> None:
    """One that is there is opened as it is."""
    assert draft.opened("boat").raw == {}
    assert draft.opened("work").data == {"b": 1}
    with pytest.raises(PathError, match="differs from it only in case"):
        draft.opened("WORK")


def test_a_document_nested_too_deep_is_refused(draft: Draft) -> None:
    """Before anything is written."""
    value: Json = 1
    for _ in range(64):
        value = [value]
    with pytest.raises(PathError, match="nested deeper than 64 levels"):
        draft.put("user", document(2, value), replace(record("user.a"), new=value))
    assert draft.changes == []


def test_a_draft_is_saved_as_one_group(draft: Draft, history: History, folder: Path) -> None:
    """Files made, replaced and taken away; the history tells what the bytes hash to."""
    draft.put("user", document(2, {"a": 2}), record("user.a"))
    draft.put("user", document(3, {"a": 3}), record("user.a"))
    draft.put("boat", document(1, {"c": 1}), record("boat"))
    draft.remove("work", record("work", present=False))
    saved = draft.save(folder, history)
    digests = {file: digest_of((folder / file).read_bytes()).hex() for file in ("user.json", "modules/boat.json")}
    assert [(one.path, one.digest) for one in saved] == [
        ("user.a", ""), ("user.a", digests["user.json"]), ("boat", digests["modules/boat.json"]), ("work", ""),
    ]  # fmt: skip
    assert history.newest() == saved[::-1]
    assert (folder / "user.json").read_bytes().startswith(b'{"metadata": {"version": 3')
    assert not (folder / "modules/work.json").exists()


def test_nothing_to_save_writes_nothing(draft: Draft, history: History, folder: Path) -> None:
    """Not even a line."""
    before = (folder / "user.json").stat()
    assert draft.save(folder, history) == []
    assert (folder / "user.json").stat() == before
    assert not (folder / ".history").exists()


def test_what_came_and_went_within_a_group_is_still_recorded(draft: Draft, history: History, folder: Path) -> None:
    """Both were acknowledged, and so both can be found."""
    draft.put("boat", document(1, {}), record("boat"))
    draft.remove("boat", record("boat", present=False))
    saved = draft.save(folder, history)
    assert [one.path for one in saved] == ["boat", "boat"]
    assert history.newest() == saved[::-1]
    assert not (folder / "modules/boat.json").exists()


def test_what_is_not_recorded_leaves_its_digest(draft: Draft, history: History, folder: Path) -> None:
    """Else nobody could tell later that it was not the owner."""
    draft.put_unrecorded("user", document(2, {"a": 2}))
    assert draft.save(folder, history) == []
    assert history.newest() == []
    assert history.digests(["user"]) == {"user": digest_of((folder / "user.json").read_bytes()).hex()}


def test_what_can_not_be_read_back_is_not_written(draft: Draft, history: History, folder: Path) -> None:
    """Nothing of the group is."""
    before = (folder / "user.json").read_bytes()
    draft.put("user", document(2, {"a": float("nan")}), record("user.a"))
    with pytest.raises(DocumentError, match="nan is no JSON number"):
        draft.save(folder, history)
    assert (folder / "user.json").read_bytes() == before
    assert history.newest() == []


def test_a_flag_alone_is_no_difference() -> None:
    """Everything else in the metadata is."""
    assert bare(document(1, {})) == {"metadata": {"version": 1}, "data": {}}
    assert bare({"a": 1}) == {"a": 1}
    assert bare({"metadata": 3}) == {"metadata": 3}
