"""Every test but those of tier `models` runs without a model and without another machine (C29)."""

from __future__ import annotations

import socket
import subprocess
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.llm.embedded import WORKER

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]
ELSEWHERE = "192.0.2.1"
"""An address that is nobody's (RFC 5737)."""


@pytest.mark.row("C29")
@pytest.mark.parametrize(
    "speak",
    [
        lambda: socket.create_connection((ELSEWHERE, 80), timeout=1),
        lambda: socket.create_connection(("example.org", 80), timeout=1),
        lambda: socket.getaddrinfo("example.org", 443),
        lambda: socket.gethostbyname("example.org"),
    ],
    ids=["connect", "connect by name", "look up", "look up an address"],
)
def test_a_test_that_speaks_to_another_machine_fails(speak: Callable[[], object]) -> None:
    """Before anything leaves this one, by name or by number."""
    with pytest.raises(RuntimeError, match="a test spoke to"):
        speak()


@pytest.mark.row("C29")
def test_a_message_to_another_machine_fails() -> None:
    """One that needs no connection does too."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, pytest.raises(RuntimeError, match=ELSEWHERE):
        sender.sendto(b"x", (ELSEWHERE, 53))


@pytest.mark.row("C29")
def test_a_test_that_starts_a_model_fails() -> None:
    """The embedded model's worker is not started."""
    with pytest.raises(RuntimeError, match="a test started the embedded model"):
        subprocess.run(WORKER, check=True)


@pytest.mark.row("C29")
def test_tests_of_models_are_left_out() -> None:
    """Unless they are asked for, so that the whole suite runs like this."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    assert "not models" in settings["addopts"][-1]
