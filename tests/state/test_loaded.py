"""Tests of how bytes become a document."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from nola.errors import DocumentError
from nola.settings import StateSettings
from nola.state.loaded import Reader, digest_of, file_of, problem

if TYPE_CHECKING:
    from pathlib import Path

READER = Reader(replace(StateSettings(), max_bytes=1024, max_depth=8))
STAMP = (1_000_000_000, 2, 3)


def test_each_document_has_its_file() -> None:
    """Core files lie in the folder, modules below it."""
    assert [file_of(name) for name in ("Nola", "identity", "machineID", "user", "work")] == [
        "Nola.json", "identity.json", "machineID.json", "user.json", "modules/work.json",
    ]  # fmt: skip


def test_a_document_is_made_of_its_parts() -> None:
    """Metadata and data apart, the time of its file, and a digest of its bytes."""
    content = b'{"metadata": {"context_level": 1}, "data": {"a": 1}}'
    raw = READER.parsed("user", content)
    loaded = READER.made("user", raw, content, STAMP)
    assert (loaded.file, loaded.metadata, loaded.data) == ("user.json", {"context_level": 1}, {"a": 1})
    assert (loaded.digest, loaded.modified) == (digest_of(content), datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC))
    assert (loaded.warnings, loaded.ambiguous) == ((), "")
    assert len(digest_of(b"")) == 16


def test_keys_that_stand_twice_make_a_document_ambiguous() -> None:
    """Unless Nola wrote it, and so knows that none does."""
    content = b'{\n "a": 1, "a": 2}'
    raw = READER.parsed("work", content)
    loaded = READER.made("work", raw, content, STAMP)
    assert loaded.ambiguous.startswith("line 2: the key 'a' stands twice")
    assert READER.made("work", raw, content, STAMP, ours=True).ambiguous == ""


def test_odd_metadata_is_a_warning() -> None:
    """The file is used all the same."""
    content = b'{"metadata": {"context_level": 9}, "data": {}}'
    (warning,) = READER.made("user", READER.parsed("user", content), content, STAMP).warnings
    assert (warning.file, warning.severity) == ("user.json", "warning")


def test_parents_may_be_larger_and_deeper() -> None:
    """They hold copies of all the others."""
    assert READER.limits("user") == (8, 1024)
    assert READER.limits("Nola") == READER.limits("identity") == (14, 51_200)
    deep = b'{"a":' * 10 + b"1" + b"}" * 10
    assert READER.parsed("identity", deep)
    with pytest.raises(DocumentError, match="nested deeper than 8 levels"):
        READER.parsed("user", deep)


def test_a_file_is_read_whole_or_refused(tmp_path: Path) -> None:
    """What is too large is not read, and what is no file is no document."""
    file = tmp_path / "user.json"
    file.write_bytes(b"{}")
    content, info = READER.bytes_of("user", file)
    assert (content, info.st_size) == (b"{}", 2)
    file.write_bytes(b" " * 1025)
    with pytest.raises(DocumentError, match=r"user\.json: 1,025 bytes are too many"):
        READER.bytes_of("user", file)
    with pytest.raises(OSError, match="Is a directory"):
        READER.bytes_of("user", tmp_path)


def test_a_problem_of_a_whole_file_has_no_line() -> None:
    """And is an error unless it says otherwise."""
    found = problem("user.json", "gone")
    assert (found.file, found.line, found.column, found.message, found.severity) == ("user.json", 0, 0, "gone", "error")
