"""Nola, a personal assistant that runs on its owner's machine and remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.version import __version__

if TYPE_CHECKING:
    from nola.agent import Agent
    from nola.app import get_agent, open_assistant
    from nola.errors import NolaError
    from nola.flow import ContextReport, Receipt, Stimulus, TurnResult
    from nola.learned import Memory
    from nola.port import Assistant
    from nola.types import Level

__all__ = [
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

_HOMES = {
    "Agent": "nola.agent",
    "Assistant": "nola.port",
    "ContextReport": "nola.flow",
    "Level": "nola.types",
    "Memory": "nola.learned",
    "NolaError": "nola.errors",
    "Receipt": "nola.flow",
    "Stimulus": "nola.flow",
    "TurnResult": "nola.flow",
    "get_agent": "nola.app",
    "open_assistant": "nola.app",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first asked for: `import nola` alone loads nothing."""
    if name in _HOMES:
        from importlib import import_module  # noqa: PLC0415 -- keeps start-up fast

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'nola' has no attribute {name!r}")
