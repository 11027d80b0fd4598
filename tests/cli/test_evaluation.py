"""Tests of `nola eval`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from nola.flow import Token

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import CommandLine

MESSAGES = [
    {"text": "Good morning", "level": 1, "lang": "en"},
    {"text": "Good morning to you", "level": 3, "lang": "en", "history": []},
]


def test_levels_counts_and_lists_misses(nola: CommandLine, tmp_path: Path) -> None:
    """As a table, or as a document."""
    file = tmp_path / "messages.json"
    file.write_text(json.dumps(MESSAGES), encoding="utf-8")
    said = nola("eval", "levels", str(file))
    assert said.exit_code == 0
    assert any(line.split() == ["all", "1", "2", "50.0%"] for line in said.stdout.splitlines())
    assert "wanted 3, got 1" in said.stdout
    document = json.loads(nola("eval", "levels", str(file), "--json").stdout)
    assert document["shares"]["all"] == {"right": 1, "total": 2, "accuracy": 0.5}
    assert document["misses"][0]["wanted"] == 3


def test_levels_names_a_file_that_is_no_json(nola: CommandLine, tmp_path: Path) -> None:
    """With line and column; one that is not there too."""
    file = tmp_path / "messages.json"
    file.write_text("[{]", encoding="utf-8")
    said = nola("eval", "levels", str(file))
    assert said.exit_code == 1
    assert "messages.json, line 1, column 3" in said.stderr
    assert nola("eval", "levels", str(tmp_path / "none.json")).stderr == (
        f"nola: {tmp_path}/none.json: No such file or directory\n"
    )


def test_persona_asks_its_questions_of_a_copy(nola: CommandLine, tmp_path: Path) -> None:
    """What came out right is counted by kind, and the rest is listed with the reply."""
    folder = tmp_path / "mara"
    (folder / "state").mkdir(parents=True)
    (folder / "state" / "user.json").write_text("{}", encoding="utf-8")
    questions = {
        "now": "2026-11-20T09:00:00+00:00",
        "known": [
            {"q": "dog?", "needs": ["user.pets.dog.name"], "answer": ["Biscuit"]},
            {"q": "cat?", "needs": ["user.pets.cat.name"], "answer": ["Miso"]},
        ],
    }
    (folder / "questions.json").write_text(json.dumps(questions), encoding="utf-8")
    nola.assistant.events = [Token("x")]
    said = nola("eval", "persona", str(folder), "--model", "none")
    assert said.exit_code == 0
    assert [asked.text for asked in nola.assistant.asked] == ["dog?", "cat?"]
    assert "mara, known: cat?\n    You said cat?." in said.stdout
    document = json.loads(nola("eval", "persona", str(folder), "--json").stdout)
    assert [answer["right"] for answer in document[0]["answers"]] == [False, False]
    assert document[0]["answers"][0]["injected"] is True


def test_a_folder_that_is_no_persona_is_wrong_usage(nola: CommandLine, tmp_path: Path) -> None:
    """Exit 2 with what it should hold."""
    said = nola("eval", "persona", str(tmp_path))
    assert said.exit_code == 2
    assert "questions.json" in said.stderr
