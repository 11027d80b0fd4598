"""Tests of `nola memory search`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from nola.errors import ModelError
from nola.llm.hashing import HashingEmbedder

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


@pytest.fixture
def lived(nola: CommandLine) -> CommandLine:
    """Return a command line whose memory holds a few things, stored two days before what is now."""
    nola.environ["NOLA_NOW"] = "2026-11-18T09:00:00+00:00"
    for text, options in (
        ("My dog is called Biscuit", "--tag pets"),
        ("I live in Bergen", "--speaker Mara"),
        ("The shed key hangs behind the door", "--kind procedural"),
        ("I live in Lyon", "--namespace work"),
    ):
        assert nola("memory", "add", text, *options.split()).exit_code == 0
    nola.environ["NOLA_NOW"] = "2026-11-20T10:00:00+00:00"
    return nola


def found(nola: CommandLine, *arguments: str) -> list[dict[str, Any]]:
    """What a search finds."""
    said = nola("memory", "search", *arguments, "--json")
    assert said.exit_code == 0
    rows: list[dict[str, Any]] = json.loads(said.stdout)
    return rows


@pytest.mark.row("D33")
def test_what_answers_best_comes_first(lived: CommandLine) -> None:
    """With score, relevance, strength, tier, tokens, and every part of the score."""
    best = found(lived, "What is my dog's name?")[0]
    assert best["content"] == "My dog is called Biscuit"
    assert best["relevance"] == 1
    assert 0 < best["strength"] < 1
    assert best["score"] == pytest.approx(0.8 + 0.2 * best["strength"])
    assert (best["tier"], best["tokens"]) == ("warm", 6)
    assert {"bm25", "cosine"} <= best["parts"].keys()
    said = lived("memory", "search", "What is my dog's name?", "--limit", "1")
    assert said.stdout.splitlines()[0].split() == ["score", "id", "when", "content"]
    assert said.stdout.splitlines()[1].split("  ")[-2:] == ["2 d ago", "My dog is called Biscuit"]


def test_filters_limit_and_budget_hold(lived: CommandLine) -> None:
    """Nothing of another kind, tag, speaker or namespace; no more memories or tokens than allowed."""
    assert [one["kind"] for one in found(lived, "key dog live", "--kind", "procedural")] == ["procedural"]
    assert [one["content"] for one in found(lived, "dog", "--tag", "pets")] == ["My dog is called Biscuit"]
    assert [one["content"] for one in found(lived, "live", "--speaker", "Mara")] == ["I live in Bergen"]
    assert [one["content"] for one in found(lived, "live", "--namespace", "work")] == ["I live in Lyon"]
    assert "I live in Lyon" not in [one["content"] for one in found(lived, "I live in Lyon")]
    assert len(found(lived, "dog key live", "--limit", "2")) == 2
    assert sum(one["tokens"] for one in found(lived, "dog key live", "--budget", "11")) <= 11
    assert found(lived, "dog", "--tier", "cold") == found(lived, "dog", "--level", "1", "--level", "3") == []
    assert found(lived, "dog", "--level", "2") != []
    assert found(lived, "dog", "--min-heat", "1") == []
    assert found(lived, "dog", "--since", "yesterday") == []
    assert found(lived, "dog", "--until", "yesterday") != []


def test_a_search_counts_as_a_use_unless_it_must_not(lived: CommandLine) -> None:
    """Only what is shown is counted; --no-count and --as-of leave everything as it is."""
    before = lived("memory", "export").stdout
    found(lived, "dog", "--no-count")
    found(lived, "dog", "--as-of", "yesterday")
    assert lived("memory", "export").stdout == before
    id_ = found(lived, "dog", "--limit", "1")[0]["id"]
    shown = json.loads(lived("memory", "show", id_, "--json").stdout)
    assert shown["access_count"] == 1
    rest = json.loads(lived("memory", "list", "--json", "--all-namespaces").stdout)
    assert sum(one["access_count"] for one in rest) == 1


def test_the_past_is_seen_as_it_was(lived: CommandLine) -> None:
    """What was stored later is not there, and the time is said."""
    said = lived("memory", "search", "dog", "--as-of", "2026-11-01T00:00Z")
    assert (said.exit_code, said.stdout) == (0, "")
    assert said.stderr.startswith("note: as of 2026-11-01 ")
    assert said.stderr.endswith("nothing is found\n")


def test_why_tells_every_part(lived: CommandLine) -> None:
    """Four lines for each memory: itself, how its score is made, the parts, and the same in words."""
    lines = lived("memory", "search", "dog", "--limit", "1", "--why").stdout.splitlines()
    assert lines[0].endswith("My dog is called Biscuit")
    assert lines[1].strip().startswith("relevance 1.000, strength 0.")
    assert "bm25" in lines[2]
    assert "shares words" in lines[3]


def test_the_owners_i_is_one_speaker(lived: CommandLine) -> None:
    """Who owns this Nola is read from user.json."""
    lived.assistant.state["user.name"] = "Mara"
    first = found(lived, "Where do I live?")[0]
    assert first["content"] == "I live in Bergen"
    assert first["parts"]["speaker"] > 0


@pytest.mark.parametrize("query", ["", " ", "\"'*()-", "x\0y" * 3, "NEAR/5 AND OR NOT", "🦊" * 50, "w " * 50_000])
def test_any_text_is_a_question(lived: CommandLine, query: str) -> None:
    """Nothing that is typed is an error."""
    assert lived("memory", "search", query).exit_code == 0


def test_an_embedder_that_fails_is_told(lived: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found by words comes all the same."""

    def fail(_: object, __: object) -> None:
        raise ModelError("the model broke off")

    monkeypatch.setattr(HashingEmbedder, "embed", fail)
    said = lived("memory", "search", "dog", "--limit", "1")
    assert said.exit_code == 0
    assert said.stdout.endswith("My dog is called Biscuit\n")
    assert said.stderr == "note: by words alone, since the model broke off\n"
