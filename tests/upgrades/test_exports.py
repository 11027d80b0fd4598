"""Exports that earlier versions wrote: each is read, and all that was in it is placed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.testing import make_agent
from nola.transfer.content import VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.agent import Agent

FROZEN = Path(__file__).parent
VERSIONS = range(1, VERSION)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Agent]:
    """A new home."""
    made = make_agent(tmp_path / "home")
    yield made
    made.close()


def test_every_earlier_version_is_frozen() -> None:
    """For each version that was written there is a file; a new part of the document needs one more."""
    found = sorted(FROZEN.glob("export-*.json"))
    assert [path.name for path in found] == [f"export-{n}.json" for n in VERSIONS]
    assert [json.loads(path.read_bytes())["version"] for path in found] == list(VERSIONS)


@pytest.mark.row("E59")
@pytest.mark.parametrize("version", VERSIONS)
def test_what_an_earlier_version_gave_out_is_taken_in(empty: Agent, version: int) -> None:
    """State and conversations come out again as they stood in the file; the memory stays as it is."""
    empty.remember("I like rain")
    old = (FROZEN / f"export-{version}.json").read_bytes()
    done = empty.import_all(empty.import_plan(old))
    assert (done.modules, len(done.conversations), done.memories) == (("user", "work"), 2, ())
    given, taken = json.loads(old), json.loads(empty.export_all())
    assert {part: taken[part] for part in ("state", "conversations")} == {
        part: given[part] for part in ("state", "conversations")
    }
    assert b'"rent": 812.50' in empty.export_all(only="state")
    assert [row.title for row in empty.conversations("cafe")] == ["Où est le café de Łódź?"]
    assert [found.content for found in empty.recall("rain")] == ["I like rain"]
    assert empty.import_plan(old).is_done
