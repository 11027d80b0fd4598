"""Tests of values that lost against the owner's edit, and wait beside the file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import ConflictError, StorageError, UsageError
from nola.state import conflicts
from nola.state.merge import Clash
from nola.state.patch import ABSENT
from nola.state.paths import StatePath

if TYPE_CHECKING:
    from pathlib import Path

    from nola.flow import Conflict
    from nola.types import Json

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def conflict(name: str, ours: Json = 1, *, module: str = "user", minutes: int = 0) -> Conflict:
    """Make a conflict at a place of a module."""
    at = NOW + timedelta(minutes=minutes)
    return conflicts.of_clash(StatePath(module), Clash((name,), None, ours, "x"), ({}, {}), at=at)


def test_conflicts_stand_beside_their_files(tmp_path: Path) -> None:
    """They come back as they were, the oldest first, and say what they are to whoever opens the file."""
    (tmp_path / "modules").mkdir()
    late, early = conflict("a", minutes=1), conflict("b", module="work")
    conflicts.add(tmp_path, [late, early])
    assert conflicts.listed(tmp_path) == [early, late]
    assert orjson.loads((tmp_path / "user.json.conflict").read_bytes())["about"].startswith("Both you and Nola changed")
    assert (tmp_path / "modules/work.json.conflict").stat().st_mode & 0o777 == 0o600
    assert [(one.file, one.severity) for one in conflicts.problems(tmp_path)] == [
        ("modules/work.json", "warning"), ("user.json", "warning"),
    ]  # fmt: skip


def test_one_place_has_one_conflict(tmp_path: Path) -> None:
    """The newest."""
    conflicts.add(tmp_path, [conflict("a", 1), conflict("b", 2)])
    conflicts.add(tmp_path, [conflict("a", 3)])
    assert sorted((one.path, one.ours) for one in conflicts.listed(tmp_path)) == [("user.a", 3), ("user.b", 2)]


def test_the_last_conflict_takes_its_file_along(tmp_path: Path) -> None:
    """An id that is not there is told."""
    conflicts.add(tmp_path, [conflict("a"), conflict("b")])
    one, two = conflicts.listed(tmp_path)
    assert conflicts.remove(tmp_path, one.id) == one
    assert conflicts.listed(tmp_path) == [two]
    conflicts.remove(tmp_path, two.id)
    assert not (tmp_path / "user.json.conflict").exists()
    with pytest.raises(UsageError, match=f"no conflict has the id '{two.id}'"):
        conflicts.remove(tmp_path, two.id)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'{"conflicts": 1}', b'{"conflicts": [1, {}, {"id": "x"}]}', b'{"conflicts": null}', b"\xff"],
)
def test_a_file_that_somebody_edited_is_passed_over(tmp_path: Path, content: bytes) -> None:
    """What in it is no conflict is none; the next one is written all the same."""
    (tmp_path / "user.json.conflict").write_bytes(content)
    assert conflicts.listed(tmp_path) == []
    conflicts.add(tmp_path, [conflict("a")])
    assert [one.path for one in conflicts.listed(tmp_path)] == ["user.a"]


def test_absence_is_told_apart_from_null() -> None:
    """A removal that lost is a removal."""
    lost = conflicts.of_clash(StatePath("user"), Clash(("a",), 1, ABSENT, ABSENT), ({}, {}), at=NOW)
    assert (lost.base, lost.ours, lost.theirs, lost.removes) == (1, None, None, True)
    assert conflict("a", None).removes is False


@pytest.mark.parametrize(
    ("place", "steps", "ours", "theirs", "path"),
    [
        (("user", ()), ("data", "a"), {"metadata": {}, "data": {"a": 1}}, {"metadata": {}, "data": {"a": 2}}, "user.a"),
        (("user", ()), ("data",), {"data": 1}, {"data": 2}, "user.data"),
        (("user", ("x",)), ("data", "a.b"), ABSENT, {"metadata": {}, "data": {}}, 'user.x."a.b"'),
        (
            ("user", ()),
            ("h", "data", "data", "data"),
            {"h": {"metadata": {}, "data": {"data": {"metadata": {}, "data": 1}}}},
            {},
            "user.h.data",
        ),
        (("user", ("tags",)), ("0",), ["a"], ["b"], "user.tags.0"),
    ],
)
def test_a_place_is_named_without_the_wrappers_of_nodes(
    place: tuple[str, tuple[str, ...]], steps: tuple[str, ...], ours: Json, theirs: Json, path: str
) -> None:
    """As a person names it, by which it can be set."""
    clash = Clash(steps, None, 1, 2)
    assert conflicts.of_clash(StatePath(*place), clash, (ours, theirs), at=NOW).path == path


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    """What could not be kept is not said to be kept."""
    (tmp_path / "user.json.conflict").mkdir()
    with pytest.raises(StorageError):
        conflicts.add(tmp_path, [conflict("a")])


def test_the_error_says_where_and_what_to_do() -> None:
    """It is a conflict like any other to who catches it."""
    error = conflicts.KeptError("user.name")
    assert isinstance(error, ConflictError)
    assert str(error).startswith("user.name was changed in its file meanwhile")
    assert error.fix == "look at both: nola state conflicts"
