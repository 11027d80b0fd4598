"""A conversation through a pipe, and finding it again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journeys.machine import Machine

LINES = ("hello", "What is my dog's name?", "my cat is called Miso")
KEYS = (
    "reply level level_why model usage context left_out unknown receipts notices quoted complete conversation message"
    " timings_ms"
).split()


@pytest.mark.row("E34")
def test_three_lines_are_one_conversation(served: Machine) -> None:
    """Each line of a pipe gives one JSON line of the same conversation, which is listed, shown and found."""
    served.knows(pets={"dog": {"name": "Biscuit"}})
    said = served("chat", "--json", text="\n\n".join(LINES))
    turns = [json.loads(line) for line in said.out.splitlines()]
    assert [sorted(turn) for turn in turns] == [sorted(KEYS)] * 3
    (conversation,) = {turn["conversation"] for turn in turns}
    assert len({turn["message"] for turn in turns}) == 3
    assert [fact["text"] for fact in turns[1]["context"]] == ["Your dog's name is Biscuit."]
    assert [receipt["path"] for receipt in turns[2]["receipts"]] == ["user.pets.cat.name"]
    (row,) = served("history", "--json").json
    assert (row["id"], row["turns"], row["title"]) == (conversation, 3, "hello")
    shown = served("history", "show", "--json", conversation[:12]).json
    assert [(turn["user"], turn["reply"]) for turn in shown] == [
        (line, turn["reply"]) for line, turn in zip(LINES, turns, strict=True)
    ]
    assert conversation in served("history", "search", "Miso").out
    nothing = served("history", "search", "zeppelin")
    assert (nothing.out, nothing.err) == ("", "no conversation holds these words\n")
