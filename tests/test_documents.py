"""The documents that scripts read keep their shape."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

from nola.documents import context_document, receipt_document, turn_document
from nola.flow import (
    ContextReport,
    Factors,
    LeftOut,
    LevelChoice,
    ModelRef,
    Receipt,
    Remembered,
    Selected,
    TurnResult,
    Usage,
)
from nola.types import ChangeId, ConversationId, Level, MessageId, Tokens, Weight

FACTORS = Factors(0.4, 1.0, 0.98765432, 1 / 3)
CHOSEN = Selected(
    "user.pets.dog.name", "Your dog's name is Biscuit.", Tokens(8), Weight(0.1316872), FACTORS, "user.json"
)
OTHERS = [LeftOut(f"user.n{i}", "over the budget", Tokens(5), Weight(0.01), FACTORS) for i in range(3)]
REPORT = ContextReport(
    LevelChoice(Level.CONVERSATION, "a question"),
    budget=Tokens(50),
    tokens=Tokens(8),
    selected=(CHOSEN,),
    left_out=OTHERS,
    unknown=("your cat's name",),
    notices=("user.json, line 2, column 1: a comma is missing",),
)
RECEIPT = Receipt("user.city", "Faro", "Porto", ChangeId("1m7"), "I moved to Porto")
FACTORS_DOCUMENT = {"hierarchy": 0.4, "level": 1.0, "recency": 0.987654, "relevance": 0.333333}
CHOSEN_DOCUMENT = {
    "path": "user.pets.dog.name",
    "text": "Your dog's name is Biscuit.",
    "tokens": 8,
    "weight": 0.131687,
    "factors": FACTORS_DOCUMENT,
    "source_file": "user.json",
}
OTHER_DOCUMENT = {
    "path": "user.n0",
    "why": "over the budget",
    "tokens": 5,
    "weight": 0.01,
    "factors": FACTORS_DOCUMENT,
}


def test_a_turn_is_one_document() -> None:
    """Reply, level, model, usage, context, what was left out and the receipts stand in one document."""
    result = TurnResult(
        ConversationId("c1"),
        MessageId("m1"),
        reply="Biscuit.",
        quoted="",
        report=REPORT,
        model=ModelRef("ollama", "llama3.2:3b"),
        usage=Usage(120, 4, "stop"),
        context_tokens=Tokens(8),
        receipts=(RECEIPT,),
        notices=("a notice",),
        timings_ms={"level": 1.5},
    )
    assert turn_document(result) == {
        "reply": "Biscuit.",
        "level": 2,
        "level_why": "a question",
        "model": {"provider": "ollama", "name": "llama3.2:3b"},
        "usage": {"prompt_tokens": 120, "context_tokens": 8, "reply_tokens": 4},
        "context": [CHOSEN_DOCUMENT],
        "left_out": [{"path": f"user.n{i}", "why": "over the budget"} for i in range(3)],
        "unknown": ["your cat's name"],
        "receipts": [receipt_document(RECEIPT)],
        "notices": ["a notice"],
        "quoted": "",
        "complete": True,
        "conversation": "c1",
        "message": "m1",
        "timings_ms": {"level": 1.5},
    }


def test_a_context_is_the_same_without_a_reply() -> None:
    """A context tells its budget, and of what was left out the weights too."""
    document = context_document(REPORT)
    assert list(document) == [
        "level",
        "level_why",
        "budget",
        "tokens",
        "memory_budget",
        "memory_tokens",
        "context",
        "left_out",
        "unknown",
        "notices",
    ]
    assert (document["level"], document["budget"], document["tokens"]) == (2, 50, 8)
    assert document["context"] == [CHOSEN_DOCUMENT]
    assert document["left_out"][0] == OTHER_DOCUMENT


def test_a_memory_tells_how_recall_saw_it() -> None:
    """Beside what every fact has, a memory has its relevance, strength, tier, parts and why; a leaf has none of it."""
    memory = Remembered(
        "01ab", "I planted quince", "episodic", 0.9, 1.0, 0.5, "warm", Tokens(4), {"bm25": 0.4000004}, "shares words",
        datetime(2026, 5, 3, 12, 0, tzinfo=UTC), "Ana",
    )  # fmt: skip
    report = replace(
        REPORT,
        selected=(CHOSEN, replace(CHOSEN, path="memory:01ab", memory=memory)),
        left_out=[replace(OTHERS[0], memory=memory)],
    )
    told = {
        "id": "01ab",
        "content": "I planted quince",
        "kind": "episodic",
        "speaker": "Ana",
        "at": "2026-05-03T12:00:00+00:00",
        "relevance": 1.0,
        "strength": 0.5,
        "tier": "warm",
        "score": 0.9,
        "parts": {"bm25": 0.4},
        "why": "shares words",
    }
    document = context_document(report)
    assert document["context"] == [CHOSEN_DOCUMENT, {**CHOSEN_DOCUMENT, "path": "memory:01ab", "memory": told}]
    assert document["left_out"] == [{**OTHER_DOCUMENT, "memory": told}]


def test_only_the_heaviest_left_out_facts_are_told_when_asked() -> None:
    """A limit keeps the first ones, zero keeps none, none keeps all."""
    kept = [len(context_document(REPORT, most_left_out=most)["left_out"]) for most in (0, 2, 10, None)]
    assert kept == [0, 2, 3, 3]


def test_a_receipt_is_a_document() -> None:
    """Where, from what to what, the id that undoes it, and the words that asked for it."""
    assert receipt_document(RECEIPT) == {
        "path": "user.city",
        "old": "Faro",
        "new": "Porto",
        "undo": "1m7",
        "what": "I moved to Porto",
    }


def test_a_level_is_a_plain_number_in_json() -> None:
    """Enums and counted values become plain JSON."""
    assert json.loads(json.dumps(context_document(REPORT))) == context_document(REPORT)
    assert type(context_document(REPORT)["level"]) is int
