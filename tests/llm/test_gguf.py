"""Tests of reading a GGUF head."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.errors import ModelError
from nola.llm.gguf import GgufHead, read_head
from tests.llm.conftest import gguf_head

if TYPE_CHECKING:
    from pathlib import Path


def test_head(gguf: Path) -> None:
    """Architecture, name and window are read, past arrays and before the vocabulary."""
    assert read_head(gguf) == GgufHead("llama", "Tiny", 2048)


def test_head_without_window(tmp_path: Path) -> None:
    """A head that says nothing is an empty head."""
    path = tmp_path / "m.gguf"
    path.write_bytes(b"GGUF" + (3).to_bytes(4, "little") + bytes(16))
    assert read_head(path) == GgufHead()


@pytest.mark.parametrize("content", [b"", b"hello world, no model", b"GGUF", b"GGUF" + b"\xff" * 40, gguf_head()[:60]])
def test_no_gguf(tmp_path: Path, content: bytes) -> None:
    """What is no GGUF file, or a torn one, is refused."""
    path = tmp_path / "m.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="is no GGUF model file"):
        read_head(path)


def test_missing(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(ModelError, match="can't be read: No such file"):
        read_head(tmp_path / "m.gguf")


@pytest.mark.models
def test_real_head(small_model: Path) -> None:
    """The head of the real model says what its publisher says."""
    assert read_head(small_model) == GgufHead("llama", "Smollm2 135M 8k Lc100K Mix1 Ep2", 8192)
