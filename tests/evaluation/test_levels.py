"""Tests of the measure of the choice of level, and the measure itself on the labelled files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nola.errors import DocumentError
from nola.evaluation.levels import Labelled, Share, evaluate_levels, load_labelled
from nola.flow import Exchange
from nola.types import Level, Profile

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "levels"


@pytest.mark.row("E46")
@pytest.mark.row("E25")
@pytest.mark.parametrize(
    ("name", "least"), [("a", 0.95), ("b", 0.95), ("own", 0.95), ("c", 0.93), ("held_out", 0.93), ("d", 0.92)]
)
def test_labelled_messages_get_their_level(name: str, least: float) -> None:
    """A labelled file is right to its share; the misses are listed. d.json alone was never trained on."""
    report = evaluate_levels(load_labelled(FOLDER / f"{name}.json"))
    assert report.overall.total >= 60
    listed = "\n".join(map(str, report.misses))
    assert report.overall.accuracy >= least, f"{report.overall.accuracy:.3f}\n{listed}"


@pytest.mark.row("E46")
def test_what_personas_are_asked_is_looked_up() -> None:
    """Questions about facts of the owner are level 2, whatever words of depth or play they hold."""
    files = sorted((FOLDER.parent / "personas").glob("*/questions.json"))
    asked = [
        q["q"] for f in files for group in ("known", "unknown", "changed") for q in json.loads(f.read_text())[group]
    ]
    report = evaluate_levels([Labelled(text, Level.CONVERSATION) for text in asked])
    assert report.overall.total >= 500
    assert report.overall.accuracy >= 0.95, "\n".join(map(str, report.misses))


def test_a_report_counts_by_level_and_language() -> None:
    """A report tells right from total per group, and names each miss with its history."""
    deep = Exchange("Why do I sleep badly?", Level.DEEP, "Late meetings.")
    items = [
        Labelled("Hi!", Level.QUICK),
        Labelled("Danke!", Level.QUICK, language="de"),
        Labelled("go on", Level.QUICK, (deep,)),
    ]
    report = evaluate_levels(items)
    assert report.overall == Share(2, 3)
    assert report.by_level[Level.QUICK] == Share(2, 3)
    assert report.by_language == {"de": Share(1, 1), "en": Share(1, 2)}
    assert report.confusion[Level.QUICK, Level.DEEP] == 1
    assert str(report.misses[0]).startswith("wanted 1, got 3 [en] Why do I sleep badly? (3) >> go on -- ")
    assert evaluate_levels([], profile=Profile.HEA).overall.accuracy == 1.0


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[{", "line 1, column 3"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b'{"a": 1}', "a list of labelled messages"),
        (b'[{"text": "x"}]', "message 1 is not labelled"),
        (b'[{"text": "x", "level": 7}]', "message 1 is not labelled"),
        (b"[3]", "message 1 is not labelled"),
    ],
)
def test_a_bad_file_is_named(tmp_path: Path, content: bytes, why: str) -> None:
    """A file that is no labelled list is refused with the place and the reason."""
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(DocumentError, match=why):
        load_labelled(path)


def test_an_item_is_read_with_its_history(tmp_path: Path) -> None:
    """Text, level, history, language and note are read; the last three may be missing."""
    path = tmp_path / "one.json"
    path.write_text('[{"history": [{"user": "hi", "level": 1, "assistant": "Hi!"}], "text": "x", "level": 2}]', "utf-8")
    assert load_labelled(path) == (Labelled("x", Level.CONVERSATION, (Exchange("hi", Level.QUICK, "Hi!"),)),)
