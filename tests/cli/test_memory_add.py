"""Tests of `nola memory add`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


@pytest.mark.row("D32")
def test_a_text_is_remembered_and_found(nola: CommandLine) -> None:
    """The id is printed, and the memory is there for the next command."""
    said = nola("memory", "add", "My dog is called Biscuit")
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout.startswith("remembered ")
    assert said.stdout.endswith(": My dog is called Biscuit\n")
    id_ = said.stdout.split()[1].removesuffix(":")
    shown = json.loads(nola("memory", "show", id_, "--json").stdout)
    assert (shown["content"], shown["kind"], shown["class"]) == ("My dog is called Biscuit", "semantic", "learned")
    assert shown["embedding"] == {"model": "hashing/256/1", "dimensions": 256}


def test_every_option_reaches_its_field(nola: CommandLine) -> None:
    """Those with an option of their own, and any other through --field."""
    nola.environ["NOLA_NOW"] = "2026-11-20T09:00:00+00:00"
    options = (
        "--kind prospective --importance 0.9 --speaker Mara --at 2026-11-19T08:00Z --tag shop --tag food "
        "--namespace home --level 3 --pinned --source note.txt --field trigger=supermarket --field priority=2 "
        "--field confidence=0.25 "
        '--field valid_until=2026-12-24T00:00Z --field metadata={"a":1}'
    )
    said = nola("memory", "add", "Buy milk", *options.split(), "--expires", "in 3 days", "--json")
    found = json.loads(said.stdout)
    assert said.exit_code == 0
    assert {
        name: found[name]
        for name in ("kind", "importance", "author", "tags", "namespace", "level", "pinned", "source", "confidence")
    } == {
        "kind": "prospective",
        "importance": 0.9,
        "author": "Mara",
        "tags": ["shop", "food"],
        "namespace": "home",
        "level": 3,
        "pinned": True,
        "source": "note.txt",
        "confidence": 0.25,
    }
    assert found["at"] == "2026-11-19T08:00:00.000000+00:00"
    assert found["expires_at"].startswith("2026-11-23T09:00:0")
    assert found["valid_until"].startswith("2026-12-24T00:00:00")
    assert found["metadata"] == {"a": 1}
    assert (found["details"]["trigger"], found["details"]["priority"]) == ("supermarket", 2)


def test_stdin_is_one_memory_or_one_for_each_line(nola: CommandLine) -> None:
    """The last line's end is no part of it; blank lines are no memories."""
    whole = json.loads(nola("memory", "add", "-", "--json", text="two\nlines\n").stdout)
    assert whole["content"] == "two\nlines"
    said = nola("memory", "add", "--lines", "-", text="one\n\n  \ntwo\r\nthree")
    assert [line.split(": ")[1] for line in said.stdout.splitlines()] == ["one", "two", "three"]
    ids = json.loads(nola("memory", "add", "--lines", "-", "--json", text="four\nfive\n").stdout)["ids"]
    assert len(ids) == 2
    nothing = nola("memory", "add", "--lines", "-", text="\n\n")
    assert (nothing.exit_code, nothing.stdout) == (0, "")
    assert nothing.stderr == "there is no line with anything in it\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([""], "content is empty"),
        (["x", "--kind", "dream"], "'dream' is not one of"),
        (["x", "--class", "foo"], "'foo' is not one of"),
        (["x", "--importance", "nan"], "importance takes 0 to 1, not nan"),
        (["x", "--importance", "1.5"], "importance takes 0 to 1, not 1.5"),
        (["x", "--level", "4"], "level takes"),
        (["x", "--field", "colour=red"], "a memory has no field 'colour'"),
        (["x", "--field", "colour"], "--field takes NAME=VALUE, not 'colour'"),
        (["x", "--speaker", "A", "--field", "speaker=B"], "speaker is given twice"),
        (["x", "--speaker", "A", "--field", "author=B"], "author is given twice"),
        (["x", "--field", "content=B"], "--field can't give the content: it is TEXT"),
        (["x", "--field", "task=trip"], "task is a field of working memories"),
        (["x", "--at", "some day"], "this is no time: 'some day'"),
        (["x" * 1_000_001], "content takes at most 1,000,000 characters"),
    ],
)
def test_what_can_not_be_remembered_is_refused(nola: CommandLine, arguments: list[str], sentence: str) -> None:
    """One sentence, exit code 2, and nothing is stored (A01, D32)."""
    said = nola("memory", "add", *arguments)
    assert (said.exit_code, said.stdout) == (2, "")
    assert sentence in said.stderr
    assert json.loads(nola("memory", "stats", "--json").stdout)["total"] == 0


def test_lines_are_stored_all_or_none(nola: CommandLine) -> None:
    """The one that is wrong is named by its number."""
    said = nola("memory", "add", "--lines", "-", text="fine\nwith \0 in it\n")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "memory 2: content holds a NUL character" in said.stderr
    assert json.loads(nola("memory", "list", "--json").stdout) == []


def test_stdin_that_is_no_text_is_refused(nola: CommandLine) -> None:
    """The first byte that is wrong is named."""
    said = nola("memory", "add", "-", text=b"caf\xe9")
    assert (said.exit_code, said.stdout) == (1, "")
    assert "the text is not UTF-8 from byte 4 on" in said.stderr


def test_what_becomes_innate_is_said(nola: CommandLine) -> None:
    """Nothing takes it back."""
    said = nola("memory", "add", "Never harm", "--class", "innate")
    assert said.exit_code == 0
    assert said.stderr == "note: it is innate: nothing will change or delete it any more\n"
