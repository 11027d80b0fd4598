"""Tests of reading a log from its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.state.backwards import lines_backwards

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("ending", [b"", b"\n"])
def test_lines_are_read_from_the_last_one(tmp_path: Path, ending: bytes) -> None:
    """However long they are, and whether or not the last one is ended."""
    lines = [b"a", b"b" * 200_000, b"c" * 65_536, b"d", b"e" * 65_535, b"f"]
    path = tmp_path / "log"
    path.write_bytes(b"\n".join(lines) + ending)
    assert list(lines_backwards(path)) == lines[::-1]
    assert list(lines_backwards(tmp_path / "none")) == []
    with pytest.raises(IsADirectoryError):
        list(lines_backwards(tmp_path))
