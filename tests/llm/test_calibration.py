"""Tests of the calibration of token counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.flow import ModelRef
from nola.llm.calibration import Calibration

if TYPE_CHECKING:
    from pathlib import Path

QWEN = ModelRef("embedded", "default")


def test_learns_and_remembers(tmp_path: Path) -> None:
    """The first report sets the factor, later ones move it a little, and it outlives the process."""
    file = tmp_path / "cache" / "tokens.json"
    calibration = Calibration(file, smoothing=0.2)
    assert calibration.ratio(QWEN) == 1.0
    assert calibration.observe(QWEN, estimated=100, actual=110) == pytest.approx(1.1)
    assert calibration.observe(QWEN, estimated=100, actual=160) == pytest.approx(1.2)
    assert Calibration(file).ratio(QWEN) == pytest.approx(1.2)
    assert Calibration(file).ratio(ModelRef("ollama", "other")) == 1.0


@pytest.mark.parametrize(("estimated", "actual"), [(100, None), (10, 15), (100, 49), (100, 0)])
def test_what_teaches_nothing(tmp_path: Path, estimated: int, actual: int | None) -> None:
    """A missing count, a tiny prompt and the count of an uncached tail are passed over."""
    assert Calibration(tmp_path / "t.json").observe(QWEN, estimated=estimated, actual=actual) == 1.0


def test_bounded(tmp_path: Path) -> None:
    """No report moves the factor above 2."""
    assert Calibration(tmp_path / "t.json").observe(QWEN, estimated=100, actual=1000) == 2.0


@pytest.mark.parametrize("content", ["nonsense", "[1]", '{"embedded:default": 9}', '{"embedded:default": "x"}'])
def test_bad_file(tmp_path: Path, content: str) -> None:
    """A damaged file is no calibration."""
    file = tmp_path / "t.json"
    file.write_text(content, encoding="utf-8")
    assert Calibration(file).ratio(QWEN) == 1.0


def test_folder_that_takes_nothing(tmp_path: Path) -> None:
    """A cache that can't be written still calibrates this process."""
    (tmp_path / "file").touch()
    calibration = Calibration(tmp_path / "file" / "t.json")
    assert calibration.observe(QWEN, estimated=100, actual=150) == 1.5
    assert calibration.ratio(QWEN) == 1.5
