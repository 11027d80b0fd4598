"""Tests of what an export holds of the state."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from nola.transfer.gather import document_of, gather
from tests.transfer.fakes import FolderState

if TYPE_CHECKING:
    from pathlib import Path

    from nola.types import Json


@pytest.fixture
def state(tmp_path: Path) -> FolderState:
    """A state in which only what is born stands."""
    return FolderState(tmp_path / "state")


def text_of(state: FolderState, name: str) -> str:
    """Return a module's text as it travels."""
    return next(document.text.decode() for document in gather(state) if document.name == name)


def test_modules_come_by_name_and_the_machine_stays(state: FolderState) -> None:
    """MachineID describes the machine that it is on, so it does not travel."""
    state.put("work", '{"data": {}}')
    assert [document.name for document in gather(state)] == ["Nola", "identity", "user", "work"]


def test_a_module_comes_as_its_owner_wrote_it(state: FolderState) -> None:
    """Order, unknown keys and digits stay; the flag that Nola raises and lowers does not come along."""
    state.put("work", '{"note":"x","data":{"pay":1.50},"metadata":{"version":3,"needs_sync":true,"by":"me"}}')
    assert text_of(state, "work") == (
        '{\n  "note": "x",\n  "data": {\n    "pay": 1.50\n  },\n'
        '  "metadata": {\n    "version": 3,\n    "by": "me"\n  }\n}\n'
    )


def test_a_parent_comes_without_what_was_pulled(state: FolderState) -> None:
    """Copies of modules, and the time and version of the pull, are worked out again wherever they are needed."""
    metadata = '{"version": 9, "needs_sync": false, "last_updated": "x", "context_level": 1}'
    copy = '{"metadata": {"source_file": "user.json"}, "data": {"name": "Mara"}}'
    state.put("identity", f'{{"metadata": {metadata}, "data": {{"user": {copy}, "motto": "be 1.0"}}}}')
    assert text_of(state, "identity") == (
        '{\n  "metadata": {\n    "context_level": 1\n  },\n  "data": {\n    "motto": "be 1.0"\n  }\n}\n'
    )


def test_a_parent_that_is_no_node_is_treated_alike() -> None:
    """A copy goes wherever the parent's data stands."""
    copy: Json = {"metadata": {"source_file": "work.json"}, "data": {}}
    raised: Json = {"metadata": {"source_file": "identity.json"}, "data": {}}
    assert document_of("identity", {"work": copy, "x": "y"}).value == {"work": copy, "x": "y"}
    assert document_of("Nola", {"identity": raised, "x": "y"}).value == {"x": "y"}


def test_a_broken_module_comes_as_it_last_was(state: FolderState) -> None:
    """The last good version lends its digits too."""
    state.put("work", '{"data": {"pay": 1.50}}')
    whole = text_of(state, "work")
    state.break_("work")
    assert text_of(state, "work") == whole
    assert "1.50" in whole


@pytest.mark.parametrize("odd", ["gone", "other", "pipe"])
def test_a_file_that_says_something_else_lends_nothing(state: FolderState, odd: str) -> None:
    """The store has the word: what it says is given out, whatever the file holds at this moment."""
    state.put("work", '{"data": {"pay": 1.50}}')
    with state.held():
        state.says = state.documents()
    path = state.path("work")
    path.unlink()
    if odd == "other":
        path.write_text('{"data": {"pay": 2.50}}')
    elif odd == "pipe":
        os.mkfifo(path)
    assert text_of(state, "work") == '{\n  "data": {\n    "pay": 1.5\n  }\n}\n'


def test_of_a_key_that_stands_twice_the_last_counts(state: FolderState) -> None:
    """It is given out as it is understood everywhere else."""
    state.put("work", '{"data": {"a": 1.0, "b": 2, "a": 3.0}}')
    assert text_of(state, "work") == '{\n  "data": {\n    "a": 3.0,\n    "b": 2\n  }\n}\n'
