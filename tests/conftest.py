"""What all tests share: no test reaches a real model, another machine or the owner's Nola by accident."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

import pytest

from nola.llm.embedded import WORKER
from tests.faults import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.faults.table import BarResult

_STUB = "stub_engine"
_INTERNET = ("socket.connect", "socket.sendto", "socket.getaddrinfo", "socket.gethostbyname")


# A run in the background ignores these, and so would every process that a test starts.
for _number, _default in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _default)


@dataclass
class _Guard:
    """Tells whether a test that is not about real models runs now."""

    on: bool = False


_guard = _Guard()


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse, as an audit hook, to start the embedded model's worker and to speak to another machine."""
    if not _guard.on:
        return
    if event == "subprocess.Popen":
        if WORKER[-1] in map(str, arguments[1]) and _STUB not in os.environ.get("PYTHONPATH", ""):
            raise RuntimeError("a test started the embedded model: use ScriptedModel, or mark the test `models`")
    elif event in _INTERNET:
        host = _host(event, arguments)
        if host is not None and not _is_loopback(host):
            raise RuntimeError(f"a test spoke to {host}: use a server of its own, or mark the test `models`")


def _host(event: str, arguments: tuple[Any, ...]) -> str | None:
    """Return the host that is spoken to; None for a Unix socket and for what names no host."""
    found = arguments[0] if event.startswith("socket.get") else arguments[1]
    if not event.startswith("socket.get"):
        found = found[0] if isinstance(found, tuple) else None
    if isinstance(found, bytes):
        found = found.decode("ascii", "replace")
    return found if isinstance(found, str) and found else None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


sys.addaudithook(_refuse)


@pytest.fixture(autouse=True)
def _no_real_models(request: pytest.FixtureRequest) -> Iterator[None]:
    """Forbid real models and other machines, unless the test is marked `models`."""
    _guard.on = request.node.get_closest_marker("models") is None
    yield
    _guard.on = False


@pytest.fixture(autouse=True)
def _no_own_nola(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the settings of whoever runs the tests out of them."""
    for name in [name for name in os.environ if name.startswith(("NOLA_", "OLLAMA_"))]:
        monkeypatch.delenv(name)


@pytest.fixture
def bar_result(record_property: Callable[[str, object], None]) -> BarResult:
    """Report what a test of the bar counted, for the table of results of the fault tests."""

    def report(count: int, unit: str, *, failures: int = 0, control: str = "") -> None:
        record_property(table.PROPERTY, {"count": count, "unit": unit, "failures": failures, "control": control})

    return report
