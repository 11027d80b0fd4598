"""Tests of `nola config`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


def test_list_shows_value_range_origin_and_source(nola: CommandLine) -> None:
    """One line per setting; a part of the key narrows the list."""
    lines = nola("config", "list", "context.budget").stdout.splitlines()
    assert lines[0].split() == ["setting", "value", "default", "takes", "from", "meaning", "source"]
    assert lines[1].split()[:8] == ["context.budget_l1", "10", "tokens", "10", "0", "to", "100000", "default"]
    assert len(lines) == 4


def test_list_json_says_everything(nola: CommandLine) -> None:
    """And where a value was set."""
    nola.environ["NOLA_CONTEXT_BUDGET_L2"] = "80"
    rows = {row["key"]: row for row in json.loads(nola("config", "list", "--json").stdout)}
    told = rows["context.budget_l2"]
    assert (told["value"], told["default"], told["origin"], told["unit"]) == (80, 50, "environment", "tokens")
    assert rows["context.profile"]["choices"] == ["nola", "hea"]


def test_get_prints_one_value(nola: CommandLine) -> None:
    """Bare, or as JSON; an unknown key exits 2."""
    assert nola("config", "get", "context.budget_l2").stdout == "50\n"
    assert nola("config", "get", "context.profile").stdout == "nola\n"
    assert nola("config", "get", "context.profile", "--json").stdout == '"nola"\n'
    said = nola("config", "get", "context.zzz")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "no setting is called 'context.zzz'" in said.stderr


def test_set_writes_and_unset_takes_back(nola: CommandLine) -> None:
    """A comment in the file stays."""
    file = nola.home / "settings.toml"
    file.write_text("# mine\n[context]\nbudget_l1 = 20  # more\n", encoding="utf-8")
    assert nola("config", "set", "context.budget_l2", "80").stdout == "context.budget_l2: 50 -> 80\n"
    assert nola("config", "set", "llm.seed", "-1").exit_code == 0
    text = file.read_text(encoding="utf-8")
    assert "# mine\n[context]\nbudget_l1 = 20  # more\nbudget_l2 = 80\n" in text
    assert nola("config", "get", "llm.seed").stdout == "-1\n"
    assert nola("config", "unset", "context.budget_l2").stdout == "context.budget_l2: 80 -> 50\n"
    assert "does not stand in" in nola("config", "unset", "context.budget_l2").stderr


@pytest.mark.parametrize(
    ("key", "value"), [("context.budget_l2", "many"), ("context.budget_l2", "-1"), ("context.profile", "other")]
)
def test_a_wrong_value_is_refused(nola: CommandLine, key: str, value: str) -> None:
    """Exit 2, and no file is made."""
    said = nola("config", "set", key, value)
    assert (said.exit_code, said.stdout) == (2, "")
    assert said.stderr.startswith(f"nola: {key}")
    assert not (nola.home / "settings.toml").exists()


def test_the_environment_has_the_last_word(nola: CommandLine) -> None:
    """That is said when the file is changed."""
    nola.environ["NOLA_CONTEXT_BUDGET_L2"] = "60"
    assert "environment" in nola("config", "set", "context.budget_l2", "80", "--json").stderr


def test_path(nola: CommandLine) -> None:
    """Bare, or as a document."""
    file = str(nola.home / "settings.toml")
    assert nola("config", "path").stdout == f"{file}\n"
    assert json.loads(nola("config", "path", "--json").stdout) == {"path": file}
