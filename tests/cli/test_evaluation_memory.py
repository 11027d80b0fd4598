"""Tests of `nola eval memory`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine

FILE = str(Path(__file__).resolve().parent.parent / "fixtures" / "conversations" / "two.json")


@pytest.mark.row("P16")
def test_a_table_with_deviation_count_and_seed(nola: CommandLine) -> None:
    """A line for each way; below it how many questions, what ± means, the standard error, embedder and seed."""
    said = nola("eval", "memory", FILE, "--embedder", "none")
    assert said.exit_code == 0
    lines = said.stdout.splitlines()
    assert lines[0].split() == ["R@5", "R@10", "R@20", "MRR", "T@500", "T@1000", "CPU", "ms"]
    assert [line.split("  ")[0] for line in lines[1:4]] == ["FTS5, any word", "the last turns", "Nola, profile nola"]
    assert lines[2].split()[3:5] == [".583", "±.442"]  # 6 questions find 0, 1/2, 1, 0, 1, 1; means 3/8 and 1
    assert lines[4:6] == [
        "n: 6 questions, 15 turns, 2 conversations",
        "±: standard deviation of the conversations' own means",
    ]
    assert lines[6].startswith("standard error of Nola's R@10 over the questions: ")
    assert lines[7:] == ["embedder: none", "seed: 0 (noise 0); nothing else is drawn by chance"]
    assert "nola: measuring questions: 18 of 18" in said.stderr


@pytest.mark.row("X07")
def test_a_document_with_every_strategy_and_profile(nola: CommandLine) -> None:
    """--ablation adds twelve ways; each tells its figures, also by conversation and category."""
    said = nola("eval", "memory", FILE, "--embedder", "hashing", "--ablation", "--json")
    document = json.loads(said.stdout)
    assert document["conversations"] == [
        {"name": "harbour/1", "turns": 10, "questions": 4},
        {"name": "garden", "turns": 5, "questions": 2},
    ]
    assert (document["embedder"], document["seed"], document["noise"]) == ("hashing/256/1", 0, 0.0)
    names = [way["name"] for way in document["ways"]]
    assert len(names) == 16
    assert {"vectors alone", "strategy none", "strategy chain", "profile ada"} < set(names)
    last = document["ways"][names.index("the last turns")]
    assert last["questions"] == 6
    assert last["measures"]["R@5"]["mean"] == pytest.approx(7 / 12)
    assert last["by_conversation"]["garden"]["R@5"] == 1.0
    assert {name: some["questions"] for name, some in last["by_category"].items()} == {
        "multi-hop": 1,
        "single-hop": 4,
        "temporal": 1,
    }


def test_results_are_kept_and_taken_again(nola: CommandLine, tmp_path: Path) -> None:
    """A file for each conversation; --resume tells the very same figures, times included."""
    folder = tmp_path / "measured"
    arguments = ("eval", "memory", FILE, "--embedder", "none", "--results", str(folder))
    first = nola(*arguments)
    assert sorted(file.name for file in folder.iterdir()) == ["01-harbour-1.json", "02-garden.json"]
    assert nola(*arguments, "--resume").stdout == first.stdout
    assert nola("eval", "memory", FILE, "--resume").exit_code == 2
    assert "--results FOLDER" in nola("eval", "memory", FILE, "--resume").stderr


def test_a_wrong_file_is_told_in_one_sentence(nola: CommandLine, tmp_path: Path) -> None:
    """One that is not there, one that is no JSON, one of another form; nothing on stdout."""
    file = tmp_path / "talks.json"
    for content, sentence in (
        (None, f"nola: {file}: No such file or directory"),
        ("[", "nola: talks.json, line 1, column 2: "),
        ("{}", "nola: talks.json: a list of conversations in LoCoMo's format was expected"),
        ('[{"sample_id": "x"}]', "nola: talks.json: conversation 1 is not as it should be (conversation is missing)"),
    ):
        if content is not None:
            file.write_text(content, encoding="utf-8")
        said = nola("eval", "memory", str(file), "--embedder", "none")
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr.startswith(sentence)


@pytest.mark.parametrize(("option", "value"), [("--embedder", "bert"), ("--profile", "nobody")])
def test_wrong_names_are_wrong_usage(nola: CommandLine, option: str, value: str) -> None:
    """Exit 2 with the names that there are."""
    said = nola("eval", "memory", FILE, "--embedder", "none", option, value)
    assert said.exit_code == 2
    assert "is one of" in said.stderr
