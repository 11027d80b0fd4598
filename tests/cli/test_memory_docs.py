"""The pages on the memory are true: every example is run, and every field, filter and attribute is named."""

from __future__ import annotations

import doctest
import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

from nola.memory.axes import EdgeKind, Kind, Status, Tier, Trust
from nola.memory.engine import Stats
from nola.memory.filters import Filter
from nola.memory.kinds import OWN_FIELDS, SlotType
from nola.memory.recall import Recalled
from nola.memory.record import ALIASES, NewMemory, Record

if TYPE_CHECKING:
    import pytest

    from tests.cli.conftest import CommandLine

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference" / "memory.md"
GUIDE = ROOT / "docs" / "guide" / "memory.md"
COMMANDS = ROOT / "docs" / "reference" / "commands.md"

_ID = re.compile(r"\b01[0-9a-hjkmnp-tv-z]{24}\b")
_AGE = re.compile(r"\b(now|\d+ s ago) +")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def test_the_examples_of_the_reference_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They run one after the other, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NOLA_HOME", str(tmp_path / "home"))
    text = "\n".join(blocks(REFERENCE, "python"))
    example = doctest.DocTestParser().get_doctest(text, {}, "memory.md", str(REFERENCE), 0)
    told: list[str] = []
    runner = doctest.DocTestRunner()
    outcome = runner.run(example, out=told.append)
    assert outcome.attempted > 30
    assert outcome.failed == 0, "".join(told)


def test_the_reference_names_everything() -> None:
    """Every field, alias, filter, kind, status, edge, and attribute of what is returned."""
    named = set(
        re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", REFERENCE.read_text(), flags=re.DOTALL | re.MULTILINE))
    )
    names = {name for text in named for name in re.findall(r"\w+", text)}
    inner = {"links", "details", "expired", "seen_by"}
    assert {field.name for field in fields(NewMemory)} - inner <= names
    assert OWN_FIELDS | ALIASES.keys() - {"class"} <= names
    assert {field.name for field in fields(Recalled)} | {field.name for field in fields(Stats)} <= names
    plural = {
        "kinds": "kind", "classes": "memory_class", "levels": "level", "statuses": "status", "author": "speaker",
    }  # fmt: skip
    assert {plural.get(field.name, field.name) for field in fields(Filter)} - inner <= names
    for enum in (Kind, Trust, EdgeKind, Status, SlotType):
        assert {member.value for member in enum} <= names
    assert {tier.value for tier in Tier} <= set(re.findall(r"\w+", REFERENCE.read_text()))
    shown = {"embedding", "heat", "tier", "strength", "retention", "access_count", "last_access", "class"}
    assert {field.name for field in fields(Record)} - {"memory_class", "status"} | shown <= names


def shown_commands(text: str) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that it prints."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


def test_the_examples_of_the_guide_are_true(nola: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command runs, and prints what the guide shows; an id in the guide stands for the one that was made."""
    monkeypatch.chdir(tmp_path)
    nola.environ.update({"NOLA_NOW": "2026-11-20T09:00:00+00:00", "NOLA_HOME": str(tmp_path / "home")})
    (tmp_path / "notes.txt").write_text("The shed key hangs behind the door.\n\nTomatoes go out in May.\n")
    (tmp_path / "born").mkdir()
    (tmp_path / "born" / "safety.md").write_text("Never harm anybody.\nAsk before deleting.\n")
    (tmp_path / "born" / "tools.json").write_text('["A calculator adds."]')
    ids: dict[str, str] = {}
    ran = 0
    for command, lines in (one for text in blocks(GUIDE, "console") for one in shown_commands(text)):
        words, _, file = command.partition(" < ")
        arguments = shlex.split(_ID.sub(lambda match: ids[match.group()], words))[1:]
        said = nola(*arguments, text=(tmp_path / file).read_text() if file else None)
        assert said.exit_code == 0, said.output
        for line, printed in zip(lines, said.stdout.splitlines(), strict=False):
            ids.update(zip(_ID.findall(line), _ID.findall(printed), strict=True))
            assert shape(line) == shape(printed)
        assert len(said.stdout.splitlines()) >= len(lines)
        ran += 1
    assert ran == 11


def shape(line: str) -> str:
    """A line without what differs from run to run: ids and ages."""
    return re.sub(r" +", " ", _AGE.sub("now ", _ID.sub("ID", line)).replace("when ", "when"))


def test_every_option_stands_in_the_reference_of_commands(nola: CommandLine) -> None:
    """Each long option of each command, in its own section."""
    text = COMMANDS.read_text(encoding="utf-8")
    for name in re.findall(r"^### `nola memory (\w+)`$", text, re.MULTILINE):
        section = text.split(f"### `nola memory {name}`\n")[1].split("\n#")[0]
        options = set(re.findall(r"(--[a-z-]+)", nola("memory", name, "--help").stdout.split("Options:")[1]))
        told = options - {"--help", "--json"}
        missing = {option for option in told if option not in section}
        assert not missing, f"nola memory {name}: {sorted(missing)}"
