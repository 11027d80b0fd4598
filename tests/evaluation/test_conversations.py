"""Reading long conversations whose questions have labelled evidence."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from nola.errors import DocumentError
from nola.evaluation.conversations import load_conversations
from nola.llm.tokens import estimate

FILE = Path(__file__).resolve().parent.parent / "fixtures" / "conversations" / "two.json"
PREPARED = {
    "convs": [
        {
            "conv": "harbour",
            "memories": [
                {
                    "id": "h1",
                    "text": "[03 Mar 2025] Oskar: I sold the boat",
                    "ts": "2025-03-03T09:05:00",
                    "speaker": "Oskar",
                    "session": 1,
                    "ntok": 17,
                },
                {
                    "id": "h2",
                    "text": "No date, and that: fine",
                    "ts": "2025-03-03T09:06:00+01:00",
                    "speaker": "Oskar",
                    "session": 2,
                },
            ],
            "queries": [
                {"text": "What did Oskar sell?", "gold": ["h1"], "cat": "single-hop", "answerable": True},
                {"text": "What did Tilda sell?", "gold": ["h1"], "cat": "adversarial", "answerable": False},
                {"text": "What is fine?", "gold": ["h2", "h9"]},
                {"text": "Why?", "gold": []},
            ],
        }
    ]
}


def written(folder: Path, content: object) -> Path:
    """A file with this document."""
    path = folder / "talks.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_locomos_own_form_is_read() -> None:
    """Sessions in the order of their numbers, a minute between two turns, pictures told, blank turns left out."""
    harbour, garden = load_conversations(FILE)
    assert (harbour.name, len(harbour.turns), garden.name, len(garden.turns)) == ("harbour/1", 10, "garden", 5)
    fourth = harbour.turns[3]
    assert (fourth.id, fourth.speaker, fourth.session) == ("D1:4", "Oskar", "session-1")
    assert fourth.at == datetime(2025, 3, 3, 9, 8, tzinfo=UTC)
    assert fourth.text == "Nice. I spent the money on a telescope. [shares a photo of a brass telescope on a balcony]"
    assert fourth.line == f"[03 Mar 2025] Oskar: {fourth.text}"
    assert fourth.tokens == estimate(fourth.line)
    assert [turn.id for turn in harbour.turns[-2:]] == ["D10:1", "D10:3"]
    assert garden.turns[-1].at == datetime(2025, 1, 1, 0, 3, tzinfo=UTC)
    assert garden.asked_at == datetime(2025, 1, 2, 0, 3, tzinfo=UTC)


def test_questions_without_an_answer_are_left_out() -> None:
    """Neither the trick question nor the one without evidence is asked; each label finds its turn however written."""
    harbour, _ = load_conversations(FILE)
    assert [(sorted(one.evidence), one.category) for one in harbour.questions] == [
        (["D1:2"], "single-hop"),
        (["D1:4", "D2:2"], "multi-hop"),
        (["D2:4"], "single-hop"),
        (["D2:1"], "temporal"),
    ]


def test_the_prepared_form_is_read(tmp_path: Path) -> None:
    """With its own counts of tokens where it has them; date and speaker are no part of what was said."""
    (harbour,) = load_conversations(written(tmp_path, PREPARED))
    first, second = harbour.turns
    assert (first.text, first.line, first.tokens) == ("I sold the boat", "[03 Mar 2025] Oskar: I sold the boat", 17)
    assert (second.text, second.tokens) == ("No date, and that: fine", estimate("No date, and that: fine"))
    assert first.at == datetime(2025, 3, 3, 9, 5, tzinfo=UTC)
    assert second.at == datetime(2025, 3, 3, 8, 6, tzinfo=UTC)
    assert [(one.text, sorted(one.evidence), one.category) for one in harbour.questions] == [
        ("What did Oskar sell?", ["h1"], "single-hop"),
        ("What is fine?", ["h2"], ""),
    ]


def changed(**fields: object) -> list[object]:
    """The second conversation with other fields; None takes one out."""
    item = json.loads(FILE.read_text(encoding="utf-8"))[1]
    return [{name: value for name, value in {**item, **fields}.items() if value is not None}]


TALK = changed()[0]["conversation"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"conversation": {}}, "a list of conversations in LoCoMo's format was expected"),
        ("text", "a list of conversations in LoCoMo's format was expected"),
        ([], "it holds no question whose evidence is among its turns"),
        (changed(qa=[]), "it holds no question whose evidence is among its turns"),
        ([3], "conversation 1 is not as it should be"),
        (changed(qa=None), "conversation 1 is not as it should be (qa is missing)"),
        (changed(conversation={**TALK, "session_1_date_time": "May"}), "conversation 1 is not as it should be (time"),
        (changed(conversation={**TALK, "session_1": [{"speaker": "Pia", "text": "x"}]}), "(dia_id is missing)"),
        (changed(conversation={**TALK, "session_1": TALK["session_1"] * 2}), "two of its turns have the same id"),
        (changed() * 2, "two conversations are called garden"),
        ({"convs": [{"conv": "x", "memories": []}]}, "conversation 1 is not as it should be (queries is missing)"),
        ({"convs": [{**PREPARED["convs"][0], "queries": [{"text": "?", "gold": 3}]}]}, "conversation 1 is not"),
    ],
)
def test_a_wrong_file_is_told_in_one_sentence(tmp_path: Path, content: object, said: str) -> None:
    """With the conversation that is not as it should be, and what it lacks."""
    with pytest.raises(DocumentError) as caught:
        load_conversations(written(tmp_path, content))
    assert str(caught.value).startswith("talks.json: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("content", "said"), [(b'[{"a": ]', "line 1, column 8"), (b'["\xff"]', "talks.json, line 1")])
def test_a_file_that_is_no_json_is_told_with_its_place(tmp_path: Path, content: bytes, said: str) -> None:
    """Broken JSON, and bytes that are no text."""
    (tmp_path / "talks.json").write_bytes(content)
    with pytest.raises(DocumentError, match=said):
        load_conversations(tmp_path / "talks.json")
