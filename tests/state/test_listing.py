"""Tests of which files of a state folder are documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.errors import PathError
from nola.state.listing import is_file_name, list_documents
from nola.state.paths import check_new_module

if TYPE_CHECKING:
    from pathlib import Path

LONG = {"ascii": ("a" * 200, "a" * 201), "wide": ("\U00010400" * 50, "\U00010400" * 51)}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder with two core files and two modules."""
    (tmp_path / "modules").mkdir()
    for file in ("Nola.json", "user.json", "modules/work.json", "modules/boat.json"):
        (tmp_path / file).write_bytes(b"{}")
    return tmp_path


def test_documents_are_named_after_their_files(made: Path) -> None:
    """Core files in their order, then the modules by name."""
    listing = list_documents(made, [])
    assert list(listing.found) == ["Nola", "user", "boat", "work"]
    assert listing.found["work"] == made / "modules/work.json"
    assert listing.stray == ()


def test_what_is_beside_the_documents_is_none(made: Path) -> None:
    """Backups, conflicts, hidden files, damaged ones, other kinds of files."""
    beside = (".x.json", "work.json.bak", "work.json.conflict", "work.json.corrupt.20261120T090000Z", "a.txt", "b~")
    for name in (*beside, ".json", ".nola-1-abc.tmp"):
        (made / "modules" / name).write_bytes(b"{}")
    assert list(list_documents(made, []).found) == ["Nola", "user", "boat", "work"]


def test_names_that_can_not_be_used_are_told(made: Path) -> None:
    """A core name among the modules, and a name that is no plain text."""
    (made / "modules/identity.json").write_bytes(b"{}")
    (made / "modules/a\nb.json").write_bytes(b"{}")
    listing = list_documents(made, [])
    assert list(listing.found) == ["Nola", "user", "boat", "work"]
    assert [problem.message for problem in listing.stray] == [
        "ignored, because its name is no plain text; rename it",
        "ignored, because identity is the name of a file of Nola's own",
    ]


@pytest.mark.parametrize(("longest", "too_long"), LONG.values(), ids=LONG)
def test_a_name_that_leaves_no_room_beside_it_is_told(made: Path, longest: str, too_long: str) -> None:
    """A name of 200 bytes is a module's; of a longer one no other file could stand beside it, so it is ignored."""
    for name in (longest, too_long):
        (made / f"modules/{name}.json").write_bytes(b"{}")
    (made / f"modules/{longest}.json.corrupt.20261120T090000Z").write_bytes(b"{}")
    listing = list_documents(made, [])
    assert set(listing.found) == {"Nola", "user", "boat", "work", longest}
    (problem,) = listing.stray
    assert problem.file == f"modules/{too_long}.json"
    assert problem.message == "ignored, because its name has more than 200 bytes; rename it"
    assert (is_file_name(longest), is_file_name(too_long)) == (True, False)


@pytest.mark.parametrize("name", ["a" * 201, "\U00010400" * 51])
def test_no_module_is_begun_under_a_name_that_is_too_long(name: str) -> None:
    """In one sentence, which shows the beginning of the name; letters count by their bytes."""
    with pytest.raises(PathError, match="in 200 bytes at most") as caught:
        check_new_module(name, [])
    assert len(str(caught.value)) < 150
    check_new_module("\U00010400" * 50, [])


def test_a_link_that_leads_nowhere_is_there(made: Path) -> None:
    """It is a document that can't be read, not one that is gone."""
    (made / "user.json").unlink()
    (made / "user.json").symlink_to(made / "nowhere")
    assert "user" in list_documents(made, []).found


def test_a_link_in_place_of_the_last_good_versions_is_told(made: Path) -> None:
    """Nothing is kept through it, and its owner can know."""
    (made / ".last-good").symlink_to(made)
    (problem,) = list_documents(made, []).stray
    assert (problem.file, problem.severity) == (".last-good", "warning")
    assert "no last good versions are kept; delete it" in problem.message


def test_a_folder_of_modules_that_is_gone_takes_none_along(made: Path) -> None:
    """What was known counts as there; in a folder where nothing was known, nothing is missing."""
    for file in (made / "modules").iterdir():
        file.unlink()
    (made / "modules").rmdir()
    assert list_documents(made, []).stray == ()
    listing = list_documents(made, ["work"])
    assert list(listing.found) == ["Nola", "user", "work"]
    assert [problem.message for problem in listing.stray] == ["the folder is gone; the last good versions are in use"]


def test_a_file_in_place_of_the_folder_is_told(made: Path) -> None:
    """Whether or not anything was known."""
    (made / "modules").rename(made / "away")
    (made / "modules").write_bytes(b"")
    assert [problem.message for problem in list_documents(made, []).stray] == [
        "the folder can't be read: Not a directory; the last good versions are in use"
    ]
