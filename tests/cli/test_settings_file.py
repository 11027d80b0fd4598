"""Tests of changing settings.toml."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest

from nola.cli.settings_file import drop, put
from nola.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    """In a folder that is made too."""
    file = tmp_path / "home" / "settings.toml"
    put(file, "llm.model", "none")
    put(file, "context.threshold", 0.5)
    assert tomllib.loads(file.read_text("utf-8")) == {"llm": {"model": "none"}, "context": {"threshold": 0.5}}
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_group_whose_last_setting_goes_goes_too(tmp_path: Path) -> None:
    """What stands beside it stays; what is not there is no change."""
    file = tmp_path / "settings.toml"
    file.write_text('[llm]\nmodel = "none"\n\n# kept\n[context]\nbudget_l1 = 5\n', encoding="utf-8")
    assert drop(file, "llm.model") is True
    assert drop(file, "llm.model") is False
    assert drop(tmp_path / "other.toml", "llm.model") is False
    assert tomllib.loads(file.read_text("utf-8")) == {"context": {"budget_l1": 5}}


def test_a_file_that_does_not_parse_is_left_alone(tmp_path: Path) -> None:
    """And named."""
    file = tmp_path / "settings.toml"
    file.write_text("[llm\n", encoding="utf-8")
    for change in (lambda: put(file, "llm.model", "none"), lambda: drop(file, "llm.model")):
        with pytest.raises(ConfigError, match=r"settings\.toml can't be read"):
            change()
    assert file.read_text("utf-8") == "[llm\n"
