"""The Assistant port is implemented whole by the Agent."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from nola.agent import Agent
from nola.port import Assistant, ConversationRow, Finding, StoredMessage
from nola.types import Severity

METHODS = [name for name, _ in inspect.getmembers(Assistant, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("name", METHODS)
def test_the_agent_implements_the_port(name: str) -> None:
    """Every method of the port stands on the Agent with the same parameters and result; it may have more defaults."""
    wanted, given = inspect.signature(getattr(Assistant, name)), inspect.signature(getattr(Agent, name))
    needed = {parameter.name for parameter in wanted.parameters.values() if parameter.default is parameter.empty}
    bare = [p.replace(default=p.empty) if p.name in needed else p for p in given.parameters.values()]
    assert bare == list(wanted.parameters.values())
    assert given.return_annotation == wanted.return_annotation


def test_the_port_says_what_its_methods_do() -> None:
    """Every method has a docstring, and the port has the methods that its faces need."""
    assert {"turn", "context", "get_state", "set_state", "undo", "conversations", "doctor", "close"} <= set(METHODS)
    assert all(inspect.getdoc(getattr(Assistant, name)) for name in METHODS)


@pytest.mark.parametrize("value", [ConversationRow, StoredMessage, Finding])
def test_rows_are_frozen(value: type) -> None:
    """What an interface gets is a value that nobody can change."""
    assert value.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_a_finding_may_need_no_fix() -> None:
    """A good finding has nothing to mend."""
    assert Finding("home.space", Severity.OK, "9 GB are free").fix == ""
    assert dataclasses.replace(Finding("a", Severity.OK, "b"), fix="c").fix == "c"
