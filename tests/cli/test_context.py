"""Tests of `nola context`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nola.types import Level
from tests.cli.fakes import report

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


def test_it_shows_level_budget_and_candidates(nola: CommandLine) -> None:
    """What goes in with its text, what does not with the reason; no model is called."""
    said = nola("context", "--level", "2", "What is my dog's name?")
    assert said.exit_code == 0
    lines = said.stdout.splitlines()
    assert lines[:2] == ["level 2: a look-up", "budget: 6 of 50 tokens used, 1 fact"]
    assert "+   user.pets.dog.name       6   0.350       0.70   1.00     0.50       1.00" in lines
    assert "  Your dog is Biscuit." in lines
    assert any(line.startswith("-    user.other.0") and line.endswith("over budget") for line in lines)
    assert nola.assistant.asked[0].level is Level.CONVERSATION


def test_json_holds_every_left_out_fact_with_its_factors(nola: CommandLine) -> None:
    """One document, without reply and usage."""
    nola.assistant.report = report(left_out=30)
    document = json.loads(nola("context", "--json", "-", text="dog?").stdout)
    assert len(document["left_out"]) == 30
    assert document["left_out"][0]["factors"]["recency"] == 0.5
    assert "reply" not in document
    assert "usage" not in document


def test_an_empty_message_shows_what_is_in_mind(nola: CommandLine) -> None:
    """As an argument or from stdin; bytes that are no text are refused with one sentence."""
    for said in (nola("context", " "), nola("context", ""), nola("context", "-", text="\n")):
        assert (said.exit_code, said.stderr) == (0, "")
    assert [message.text for message in nola.assistant.asked] == ["", "", ""]
    refused = nola("context", "a\0b")
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert refused.stderr.startswith("nola: the message is no text")
