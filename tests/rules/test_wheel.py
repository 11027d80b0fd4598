"""The wheel holds both packages, every data file beside the code, and what Nola is born with."""

from __future__ import annotations

import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from tests.rules.tree import run

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("nola", "interfaces", "state", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Build the wheel from a copy of the sources and return the names in it."""
    pytest.importorskip("hatchling")
    copy = tmp_path_factory.mktemp("sources")
    for name in SOURCES:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, copy / name, ignore=ignored) if source.is_dir() else shutil.copy(source, copy)
    built = run(copy, sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(copy / "dist"))
    assert built.returncode == 0, built.stderr
    with zipfile.ZipFile(next((copy / "dist").glob("*.whl"))) as wheel:
        return set(wheel.namelist())


def test_the_code_and_its_data_travel(names: set[str]) -> None:
    """Every module, JSON file and type marker of both packages is in the wheel."""
    files = {
        path.relative_to(ROOT).as_posix()
        for package in ("nola", "interfaces")
        for path in (ROOT / package).rglob("*")
        if path.suffix in {".py", ".json"} or path.name == "py.typed"
    }
    assert {"nola/__init__.py", "nola/py.typed", "interfaces/__init__.py"} <= files
    assert files - names == set()


def test_what_nola_is_born_with_travels(names: set[str]) -> None:
    """Every JSON file of state/ is in the wheel as nola/_born."""
    born = {f"nola/_born/{path.relative_to(ROOT / 'state').as_posix()}" for path in (ROOT / "state").rglob("*.json")}
    assert born
    assert born - names == set()


def test_nothing_else_travels(names: set[str]) -> None:
    """Tests, scripts and pages stay at home."""
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"nola", "interfaces"}
