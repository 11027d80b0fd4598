"""Errors are few, shallow, and say in one sentence what happened and what to do."""

from __future__ import annotations

import pytest

from nola import errors
from nola.errors import (
    ConfigError,
    ConflictError,
    DocumentError,
    DownloadError,
    InputError,
    ModelError,
    NolaError,
    PathError,
    ProtectedError,
    StorageError,
    UsageError,
)

LEAVES = (
    ConfigError,
    ConflictError,
    DocumentError,
    DownloadError,
    InputError,
    ModelError,
    PathError,
    ProtectedError,
    StorageError,
    UsageError,
)


def test_the_tree_is_one_level_deep() -> None:
    """Every error's only parent is NolaError, and every one is exported."""
    assert {leaf.__bases__ for leaf in LEAVES} == {(NolaError,)}
    assert NolaError.__bases__ == (Exception,)
    assert {leaf.__name__ for leaf in LEAVES} | {"NolaError"} == set(errors.__all__)


def test_the_drawing_names_every_leaf() -> None:
    """The module's docstring draws the whole tree."""
    assert errors.__doc__
    for leaf in LEAVES:
        assert f"── {leaf.__name__} " in errors.__doc__


def test_exit_codes() -> None:
    """Wrong usage exits with 2, every other failure with 1."""
    assert {leaf.__name__ for leaf in LEAVES if leaf.exit_code == 2} == {"UsageError", "ConfigError"}
    assert {leaf.exit_code for leaf in (NolaError, *LEAVES)} == {1, 2}


@pytest.mark.parametrize("kind", [NolaError, UsageError, InputError, ConflictError, ConfigError, DownloadError])
def test_an_error_carries_its_sentence_and_its_fix(kind: type[NolaError]) -> None:
    """The sentence is the text; what to do next is empty unless it is given."""
    assert (str(kind("it failed")), kind("it failed").fix) == ("it failed", "")
    assert kind("it failed", fix="try again").fix == "try again"


def test_a_path_error_names_its_path() -> None:
    """The path comes first in the sentence and stays readable by code."""
    error = PathError("user.pets", "nothing stands there", fix="see nola state show")
    assert (str(error), error.path, error.fix) == (
        "user.pets: nothing stands there",
        "user.pets",
        "see nola state show",
    )


@pytest.mark.parametrize(
    ("line", "column", "says"),
    [(3, 7, "user.json, line 3, column 7: a comma is missing"), (0, 0, "user.json: a comma is missing")],
)
def test_a_document_error_says_where(line: int, column: int, says: str) -> None:
    """File, line and column stand in the sentence when they are known."""
    error = DocumentError("user.json", line, column, "a comma is missing")
    assert str(error) == says
    assert (error.file, error.line, error.column, error.why) == ("user.json", line, column, "a comma is missing")
    assert error.fix


def test_a_storage_error_says_what_could_not_be_written() -> None:
    """The file and the system's reason stand in the sentence, with something to do."""
    error = StorageError("state/user.json", "No space left on device")
    assert str(error) == "could not write state/user.json: No space left on device"
    assert error.path == "state/user.json"
    assert error.fix


def test_a_model_error_keeps_what_came() -> None:
    """What a model had said before it broke off travels with its error."""
    assert ModelError("it broke off", partial="Your dog is").partial == "Your dog is"
    assert ModelError("it broke off").partial == ""
