"""Tests of what machineID.json holds."""

from __future__ import annotations

import getpass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.errors import NolaError
from nola.state import document, machine, sync
from tests.rules.tree import imported_names, parse

if TYPE_CHECKING:
    from types import ModuleType

    from nola.types import Json

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def test_the_machine_is_described_in_plain_values(tmp_path: Path) -> None:
    """Name, system, hardware, disk and time zone, all of them JSON."""
    facts = machine.collect(tmp_path, NOW)
    for key in ("name", "os", "architecture", "cores", "memory_gb", "disk_total_gb", "disk_free_gb", "python"):
        assert facts[key], key
    assert document.defect(facts) == ""
    assert None not in facts.values()


def test_nothing_secret_is_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No environment, no user, no home."""
    monkeypatch.setenv("SOME_TOKEN", "s3cr3t-t0ken")
    text = str(machine.collect(tmp_path, NOW))
    assert "s3cr3t-t0ken" not in text
    assert "/home/" not in text
    assert f"'{getpass.getuser()}'" not in text


def test_probes_add_what_they_can_find(tmp_path: Path) -> None:
    """One that fails adds nothing and stops nothing."""

    def models() -> dict[str, Json]:
        return {"ollama_models": ["llama3.2:3b"]}

    def broken() -> dict[str, Json]:
        raise NolaError("no Ollama answers")

    assert machine.collect(tmp_path, NOW, [broken, models])["ollama_models"] == ["llama3.2:3b"]


def test_small_moves_of_free_space_are_no_difference() -> None:
    """A file is written only when there is something to tell."""
    old: dict[str, Json] = {"name": "vm", "disk_free_gb": 83, "nickname": "lapdog"}
    assert machine.differs(old, {"name": "vm", "disk_free_gb": 79}) is False
    assert machine.differs(old, {"name": "vm", "disk_free_gb": 78}) is True
    assert machine.differs(old, {"name": "box", "disk_free_gb": 83}) is True
    assert machine.differs(old, {"memory_gb": 16}) is True


def of_nola(module: ModuleType) -> list[str]:
    """List what a module imports of Nola, for its types too."""
    names = imported_names(parse(Path(str(module.__file__)))).values()
    return sorted(name for name in names if name.startswith("nola."))


@pytest.mark.row("E18")
def test_no_module_calls_another() -> None:
    """Modules are files; the code of the only one that has some knows no other, and pulls know only the contract."""
    assert of_nola(machine) == ["nola.errors.NolaError", "nola.types.Json"]
    assert of_nola(sync) == ["nola.state.contract", "nola.state.contract.Metadata", "nola.types.Json"]
    born = Path(__file__).parents[2] / "state"
    assert {path.suffix for path in born.rglob("*") if path.is_file() and path.name != ".gitkeep"} == {".json"}
