"""The public surface of the package is small, and loads what it names only when it is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import nola

ROOT = Path(__file__).resolve().parents[1]


def test_the_public_names_are_these() -> None:
    """The public surface changes only together with this list."""
    assert nola.__all__ == [
        "Agent",
        "Assistant",
        "ContextReport",
        "Level",
        "Memory",
        "NolaError",
        "Receipt",
        "Stimulus",
        "TurnResult",
        "__version__",
        "get_agent",
        "open_assistant",
    ]


@pytest.mark.parametrize("name", [name for name in nola.__all__ if name != "__version__"])
def test_every_public_name_leads_to_its_object(name: str) -> None:
    """A public name is the object of that name, wherever it lives."""
    assert getattr(nola, name).__name__ == name


def test_another_name_is_no_attribute() -> None:
    """What is not there fails as on any module."""
    with pytest.raises(AttributeError, match="module 'nola' has no attribute 'Nothing'"):
        _ = nola.Nothing


def test_importing_nola_loads_nothing_else() -> None:
    """`import nola` alone loads no other module of Nola but her version, and no third-party package."""
    code = "import sys; before = set(sys.modules); import nola; print(*(set(sys.modules) - before))"
    said = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(said.stdout.split())
    assert {name for name in loaded if name.split(".")[0] not in sys.stdlib_module_names} == {"nola", "nola.version"}
