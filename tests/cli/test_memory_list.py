"""Tests of `nola memory list`, `innate` and `stats`."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import TYPE_CHECKING, Any

import pytest
import typer

from nola.cli import memory_list, memory_options
from nola.memory.axes import Tier
from tests.cli.terminal import seated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import CommandLine

NOW = "2026-11-20T09:00:00+00:00"


@pytest.fixture
def aged(nola: CommandLine) -> CommandLine:
    """Return a command line whose memory holds memories of every tier, and innate ones."""
    nola.environ["NOLA_NOW"] = NOW
    for text, options in (
        ("Never harm anybody", "--class innate --tag safety"),
        ("The house burns", "--importance 0.95"),
        ("My dog is called Biscuit", "--importance 0.5"),
        ("Tomatoes go out in May", "--importance 0.6 --tag garden"),
        ("It rained", "--kind episodic --importance 0.3 --at 2026-10-01T08:00Z"),
        ("The plumber came", "--kind episodic --at 2026-09-01T08:00Z --speaker Mara"),
    ):
        assert nola("memory", "add", text, *options.split()).exit_code == 0
    return nola


def listed(nola: CommandLine, *options: str) -> list[dict[str, Any]]:
    """The memories that the list shows."""
    found: list[dict[str, Any]] = json.loads(nola("memory", "list", *options, "--json").stdout)
    return found


def test_the_last_stored_comes_first(aged: CommandLine) -> None:
    """One row for each, with its id, kind, age and marks."""
    said = aged("memory", "list")
    rows = said.stdout.splitlines()
    assert (said.exit_code, said.stderr) == (0, "")
    assert rows[0].split() == ["id", "kind", "when", "mark", "content"]
    assert [row.split("  ")[-1].strip() for row in rows[1:7]] == [
        "The plumber came",
        "It rained",
        "Tomatoes go out in May",
        "My dog is called Biscuit",
        "The house burns",
        "Never harm anybody",
    ]
    assert "innate" in rows[6]


@pytest.mark.row("A37")
def test_heat_is_shown_as_symbol_word_and_score(aged: CommandLine) -> None:
    """Each row has one of three symbols and a score with two decimals; --plain has words alone."""
    shown = aged("memory", "list", "--show-heat").stdout.splitlines()[1:7]
    assert all(re.match(r"(🔥 hot |🟠 warm|🧊 cold) [01]\.\d\d  ", row) for row in shown)
    scores = [float(row.split()[2]) for row in shown]
    assert scores == sorted(scores, reverse=True)
    assert shown[0].startswith("🔥 hot  1.00")
    plain = aged("memory", "list", "--show-heat", "--plain").stdout.splitlines()[1:7]
    assert [row[2:] for row in shown] == plain
    assert all(re.match(r"(hot |warm|cold) [01]\.\d\d  ", row) for row in plain)


@pytest.mark.row("A37")
def test_a_stream_without_the_symbols_gets_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """An encoding that lacks them would spell them out."""
    assert memory_options.heat_cell(0.5, Tier.WARM).startswith("🟠 warm 0.50")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="latin-1"))
    assert memory_options.heat_cell(0.5, Tier.WARM) == "warm 0.50"


@pytest.mark.row("A38")
def test_three_tiers_partition_the_memories(aged: CommandLine) -> None:
    """Their union is everything, and no two of them share a memory."""
    parts = [{one["id"] for one in listed(aged, "--tier", tier)} for tier in ("hot", "warm", "cold")]
    assert [len(part) for part in parts] == [2, 2, 2]
    assert parts[0] | parts[1] | parts[2] == {one["id"] for one in listed(aged)}
    assert sum(map(len, parts)) == len(parts[0] | parts[1] | parts[2])
    assert {one["tier"] for one in listed(aged, "--tier", "hot", "--tier", "cold")} == {"hot", "cold"}


@pytest.mark.row("A43")
def test_the_foot_has_the_four_numbers(aged: CommandLine) -> None:
    """They are those of stats, and their sum is all that is active."""
    foot = aged("memory", "list").stdout.splitlines()[-1]
    numbers = json.loads(aged("memory", "stats", "--json").stdout)
    assert foot == "Innate 1 (protected) · Hot 1 (in working memory) · Warm 2 (active cache) · Cold 2 (archive)"
    assert [numbers[name] for name in ("innate", "hot", "warm", "cold")] == [1, 1, 2, 2]
    assert sum(numbers[name] for name in ("innate", "hot", "warm", "cold")) == numbers["total"] == 6
    assert aged("memory", "stats").stdout.splitlines()[0] == foot


@pytest.mark.row("B01")
def test_every_kind_is_counted_by_itself(aged: CommandLine) -> None:
    """The six kinds are named, those without a memory too."""
    found = json.loads(aged("memory", "stats", "--json").stdout)
    kinds = found["kinds"]
    assert {name: kinds[name] for name in kinds if name != "summary"} == {
        "sensory": 0,
        "working": 0,
        "episodic": 2,
        "semantic": 4,
        "procedural": 0,
        "prospective": 0,
    }
    assert sum(kinds.values()) == found["total"] == 6
    said = aged("memory", "stats").stdout
    assert re.search(r"^episodic +2$", said, re.MULTILINE)
    assert "found by words and by meaning (vectors of hashing/256/1: 6)" in said


def test_filters_narrow_the_list(aged: CommandLine) -> None:
    """By kind, class, tag, speaker and namespace; other namespaces are named."""
    assert [one["content"] for one in listed(aged, "--tag", "garden")] == ["Tomatoes go out in May"]
    assert [one["content"] for one in listed(aged, "--speaker", "Mara")] == ["The plumber came"]
    assert len(listed(aged, "--kind", "episodic", "--kind", "semantic")) == 6
    assert len(listed(aged, "--class", "innate")) == 1
    aged("memory", "add", "A secret of the office", "--namespace", "work")
    assert len(listed(aged)) == 6
    assert len(listed(aged, "--all-namespaces")) == 7
    assert [one["content"] for one in listed(aged, "--namespace", "work")] == ["A secret of the office"]
    assert aged("memory", "list").stderr == ("note: there is more in other namespaces (work): --all-namespaces\n")


@pytest.mark.row("X04")
def test_levels_and_tiers_narrow_it_together(aged: CommandLine) -> None:
    """One level or several, of one tier, of one kind; a fourth level is refused."""
    for level in (1, 3):
        aged("memory", "add", f"A thing of level {level}", "--level", str(level), "--importance", "0.9")
    assert [one["content"] for one in listed(aged, "--level", "1")] == ["A thing of level 1"]
    assert len(listed(aged, "--level", "1", "--level", "3")) == 2
    hot = [one["content"] for one in listed(aged, "--level", "2", "--tier", "hot", "--kind", "semantic")]
    assert hot == ["Never harm anybody", "The house burns"]
    assert listed(aged, "--level", "3", "--tier", "cold") == []
    assert aged("memory", "list", "--level", "4").exit_code == 2


@pytest.mark.row("A33")
def test_the_hottest_are_counted_off_in_order(aged: CommandLine) -> None:
    """So many at most, and it is said when there are more."""
    said = aged("memory", "list", "--show-heat", "-n", "2")
    assert [row.split("  ")[-1].strip() for row in said.stdout.splitlines()[1:3]] == [
        "Never harm anybody",
        "The house burns",
    ]
    assert said.stderr == "showing 2; --limit for more\n"
    aged("memory", "add", "Warmer than tomatoes", "--importance", "0.7")
    warm = [one["content"] for one in listed(aged, "--tier", "warm", "-n", "2")]
    assert warm == ["Warmer than tomatoes", "Tomatoes go out in May"]


def test_what_no_longer_counts_is_listed_on_request(aged: CommandLine) -> None:
    """What has expired and what was superseded."""
    first = listed(aged, "--tag", "garden")[0]["id"]
    aged("memory", "add", "Tomatoes go out in June", "--field", f"supersedes={first}")
    aged("memory", "add", "Gone already", "--at", "2026-11-01T08:00Z", "--expires", "2026-11-02T08:00Z")
    now = {one["content"] for one in listed(aged)}
    everything = {one["content"] for one in listed(aged, "--all")}
    assert everything - now == {"Tomatoes go out in May", "Gone already"}
    assert re.search(r" superseded +Tomatoes go out in May", aged("memory", "list", "--all").stdout)
    assert [one["content"] for one in listed(aged, "--status", "superseded")] == ["Tomatoes go out in May"]


def test_a_limit_is_kept_and_said(aged: CommandLine) -> None:
    """A pipe gets everything unless it is told otherwise; a terminal gets fifty."""
    assert len(listed(aged, "--limit", "2")) == 2
    assert aged("memory", "list", "-n", "2").stderr == "showing 2; --limit for more\n"
    aged("memory", "add", "--lines", "-", text="".join(f"note {number}\n" for number in range(60)))
    assert len(aged("memory", "list").stdout.splitlines()) == 1 + 66 + 2
    assert aged("memory", "list", "--show-heat", "-n", "66").stderr == ""


def test_a_terminal_shows_fifty(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long contents are cut, and what could command the terminal is spelled out."""
    nola("memory", "add", "--lines", "-", text="".join(f"note {number}\n" for number in range(60)))
    nola("memory", "add", "\x1b[31mred" + "x" * 1000)
    desk = nola.desk()
    context = typer.Context(typer.main.get_command(typer.Typer(callback=lambda: None)), obj=desk)
    with seated(monkeypatch) as screen:
        memory_list.list_(context)
        desk.close()
    assert screen.out.getvalue().count("note ") == 49
    assert r"\x1b[31mred" in screen.out.getvalue()
    assert "x…" in screen.out.getvalue()
    assert "showing 50; --limit for more" in screen.err.getvalue()


@pytest.mark.row("A42")
def test_innate_lists_exactly_the_innate_ones(aged: CommandLine) -> None:
    """In every namespace, and nothing that is learned."""
    aged("memory", "add", "Ask first", "--class", "innate", "--namespace", "work")
    found = json.loads(aged("memory", "innate", "--json").stdout)
    assert {one["content"] for one in found} == {"Never harm anybody", "Ask first"}
    assert {(one["class"], one["heat"], one["tier"]) for one in found} == {("innate", 1.0, "hot")}
    assert "Biscuit" not in aged("memory", "innate").stdout


@pytest.mark.row("A52", "A53")
def test_each_role_is_born_with_its_own(aged: CommandLine, tmp_path: Path) -> None:
    """A folder is loaded for a role, or in `global` for all of them; a list shows what a role sees."""
    for name, role in (("safety.md", "global"), ("tools.md", "cook")):
        folder = tmp_path / role
        folder.mkdir()
        (folder / name).write_text(f"What {role} is born with")
        said = aged("memory", "innate", "--load", str(folder), "--namespace", role)
        assert said.stdout == "1 memory is innate now\n"

    def innate(*options: str) -> set[str]:
        return {one["content"] for one in json.loads(aged("memory", "innate", *options, "--json").stdout)}

    assert innate("--namespace", "cook") == {"What global is born with", "What cook is born with"}
    assert innate("--namespace", "default") == {"What global is born with", "Never harm anybody"}
    assert innate() == {"What global is born with", "What cook is born with", "Never harm anybody"}
    assert aged("memory", "innate").stdout.split()[:3] == ["id", "namespace", "kind"]
    assert aged("memory", "innate", "--namespace", "none").stdout.count("\n") == 2
    assert "What global is born with" in aged("memory", "list").stdout
    assert aged("memory", "list").stderr == "note: there is more in other namespaces (cook): --all-namespaces\n"


@pytest.mark.row("A04")
def test_a_folder_of_categories_is_taken_in_once(nola: CommandLine, tmp_path: Path) -> None:
    """Each memory is tagged with its category and its file; a second load does nothing."""
    folder = tmp_path / "born"
    folder.mkdir()
    for name in ("safety.md", "identity.md", "reasoning.md", "language.txt"):
        (folder / name).write_text(f"# Title\n\n- what {name} says\n")
    (folder / "tools.json").write_text('["a tool", {"content": "another", "importance": 0.9}]')
    said = nola("memory", "innate", "--load", str(folder))
    assert (said.exit_code, said.stdout) == (0, "6 memories are innate now\n")
    found = json.loads(nola("memory", "innate", "--json").stdout)
    assert {tuple(one["tags"]) for one in found} == {
        ("identity", "identity.md"),
        ("language", "language.txt"),
        ("reasoning", "reasoning.md"),
        ("safety", "safety.md"),
        ("tools", "tools.json"),
    }
    assert all(one["source"] == one["tags"][1] for one in found)
    before = nola("memory", "export").stdout
    assert nola("memory", "innate", "--load", str(folder)).stdout == "all of it is here already\n"
    assert json.loads(nola("memory", "innate", "--load", str(folder), "--json").stdout) == {"ids": []}
    assert nola("memory", "export").stdout == before
