"""Tests of conversations as JSON: every column comes back, and what is wrong is named."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.errors import DocumentError
from nola.transfer.talks import conversation_of, json_of
from tests.transfer.fakes import AT, conversation, turn
from tests.transfer.test_layout import JSON

if TYPE_CHECKING:
    from nola.types import Json


def returned(value: Json) -> Json:
    """Send JSON through a file, as an export does."""
    back: Json = orjson.loads(orjson.dumps(value, option=orjson.OPT_INDENT_2))
    return back


def test_a_conversation_reads_like_one() -> None:
    """What is JSON text in the database is JSON in an export, and numbers that say yes or no are true or false."""
    told = json_of(conversation("c1", turn("m1")))
    assert list(told) == ["id", "title", "channel", "started", "updated", "messages"]
    assert told["messages"] == [
        {
            "id": "m1",
            "at": AT,
            "user": "my dog?",
            "reply": "Biscuit.",
            "quoted": "",
            "level": 2,
            "level_why": "a look-up",
            "model_provider": "embedded",
            "model_name": "default",
            "complete": True,
            "report": {"level": 2, "tokens": 6},
            "timings": {},
            "receipts": [],
            "usage": {},
        }
    ]


@given(st.text(), st.text(), JSON)
def test_what_was_stored_comes_back_to_the_byte(user: str, reply: str, report: Json) -> None:
    """Texts of any kind, and payloads as the store writes them."""
    stored = json.dumps(report, ensure_ascii=False, separators=(",", ":"))
    told = conversation("c1", turn("m1", user=user, reply=reply, report=stored))
    assert conversation_of(returned(json_of(told)), "c") == told


@pytest.mark.parametrize(
    "text",
    [
        "[NaN]",
        '{"a": 1}',
        "[1.50]",
        "[18014398509481985]",
        '{"nola:text":"x"}',
        "no JSON" * 0 + "[1e400]",
        "[" * 300 + "]" * 300,
    ],
)
def test_payloads_that_json_would_change_travel_as_text(text: str) -> None:
    """What would not come back as the very same text is wrapped."""
    told = conversation("c1", turn("m1", report=text))
    messages = json_of(told)["messages"]
    assert isinstance(messages, list)
    assert isinstance(messages[0], dict)
    assert messages[0]["report"] == {"nola:text": text}
    assert conversation_of(returned(json_of(told)), "c") == told


def test_small_numbers_stay_json() -> None:
    """Two writers of JSON spell 0.00001 in two ways; the value is the same, and the stored text comes back."""
    told = conversation("c1", turn("m1", timings='{"a":1e-05}'))
    assert b'"a":0.00001' in orjson.dumps(json_of(told))
    assert conversation_of(returned(json_of(told)), "c") == told


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        ((), [], "c is no object"),
        (("messages",), {}, "c.messages is no list"),
        (("id",), 7, "c.id is no text"),
        (("id",), "", "c.id is not 1 to 200 printable characters"),
        (("id",), "a\x00b", "c.id is not 1 to 200 printable characters"),
        (("channel",), "\x1b[2J", "c.channel is not 1 to 200 printable characters"),
        (("title",), None, "c.title is no text"),
        (("started",), "yesterday", "c.started is no UTC time such as 2026-11-20T09:00:00.000000+00:00"),
        (("updated",), "2026-11-20T09:00:00", "c.updated is no UTC time such as 2026-11-20T09:00:00.000000+00:00"),
        (
            ("updated",),
            "0001-01-01T00:00:00+14:00",
            "c.updated is no UTC time such as 2026-11-20T09:00:00.000000+00:00",
        ),
        (("more",), 1, "c has an unknown key 'more'"),
        (("messages", 0), "x", "c.messages.0 is no object"),
        (("messages", 0, "at"), "2026-11-20T09:00:00Z", "c.messages.0.at is no UTC time such as"),
        (("messages", 0, "level"), 4, "c.messages.0.level is not 1, 2 or 3"),
        (("messages", 0, "level"), True, "c.messages.0.level is not 1, 2 or 3"),
        (("messages", 0, "complete"), 1, "c.messages.0.complete is not true or false"),
        (("messages", 0, "reply"), ["x"], "c.messages.0.reply is no text"),
        (
            ("messages", 0, "report"),
            {"nola:text": "no JSON"},
            "c.messages.0.report holds 'nola:text', which is no JSON text",
        ),
        (("messages", 0, "report"), {"nola:text": "[]", "x": 1}, "c.messages.0.report holds 'nola:text'"),
    ],
)
def test_what_is_wrong_is_named(place: tuple[str | int, ...], value: Json, why: str) -> None:
    """One sentence says where, and what should stand there."""
    told: Json = returned(json_of(conversation("c1", turn("m1"))))
    holder: object = told
    for step in place[:-1]:
        holder = holder[step]  # type: ignore[index]
    if place:
        holder[place[-1]] = value  # type: ignore[index]
    with pytest.raises(DocumentError) as refused:
        conversation_of(told if place else value, "c")
    assert str(refused.value).startswith(f"the export: {why}")


def test_nothing_may_be_missing() -> None:
    """A column that is not there can't be placed."""
    told = json_of(conversation("c1"))
    for key in list(told):
        with pytest.raises(DocumentError, match=f"c has no '{key}'"):
            conversation_of({name: item for name, item in told.items() if name != key}, "c")
