"""Tests of exports as a whole: readable, always the same, and the same again after an import (E58, E59)."""

from __future__ import annotations

import json
import tempfile
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nola import __version__
from nola.errors import ConflictError, NolaError
from nola.memory.record import new_memory
from nola.transfer import export_document
from nola.transfer.writing import written
from tests.transfer.fakes import Home, conversation, turn
from tests.transfer.test_layout import JSON

if TYPE_CHECKING:
    from nola.types import Json

# How people write numbers, beside the way in which programs do.
_DIGITS = ("1.50", "1E3", "-0", "1e-05", "0.10", "100.00", "2.50E+2", "9007199254740992")
_CORE = ("Nola", "identity", "machineID", "user")
_NAMES = st.text(st.characters(exclude_characters="/\\.", categories=("L", "N", "P", "S")), min_size=1, max_size=40)


@pytest.mark.row("E58")
def test_an_export_is_one_readable_document(tmp_path: Path) -> None:
    """It says what it is, by whom it was written, and everything that is known, with no time of its own."""
    home = Home(tmp_path)
    home.state.put("work", '{"data": {"pay": 1.50}}')
    home.talks.import_rows([conversation("c2"), conversation("c1")])
    home.memories.insert_many([new_memory("Biscuit likes rain", {})], ["m1"])
    text = home.export()
    told = json.loads(text)
    assert list(told) == ["format", "version", "nola", "state", "conversations", "memories"]
    assert (told["format"], told["version"], told["nola"]) == ("nola-export", 2, __version__)
    assert list(told["state"]) == ["Nola", "identity", "user", "work"]
    assert [talk["id"] for talk in told["conversations"]] == ["c1", "c2"]
    assert told["memories"] == [json.loads(line) for line in home.memories.export_lines()]
    assert told["memories"][1]["memory"]["content"] == "Biscuit likes rain"
    assert text.startswith(b'{\n  "format": "nola-export",\n  "version": 2,\n')
    assert b'    "work": {\n      "data": {\n        "pay": 1.50\n      }\n    }\n  },\n  "conversations": [' in text
    assert text.endswith(b"  ]\n}\n")
    assert home.export() == text


def test_a_part_can_be_left_out(tmp_path: Path) -> None:
    """What is not asked for does not stand there at all."""
    home = Home(tmp_path)
    head = ["format", "version", "nola"]
    for part in ("state", "conversations", "memories"):
        assert list(json.loads(home.export(part))) == [*head, part]
    assert written([], [], []).endswith(b'"state": {},\n  "conversations": [],\n  "memories": []\n}\n')


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    """An export that no import could take is refused at once, with another way."""
    home = Home(tmp_path)
    with pytest.raises(NolaError, match="more than the 100 that can be read again") as refused:
        export_document(home.state, home.talks, home.memories, max_bytes=100)
    assert "nola backup create" in refused.value.fix


@st.composite
def files(draw: st.DrawFn) -> str:
    """Draw a module's file: any keys and values, numbers as people write them, in any spacing."""
    raw: dict[str, Json] = draw(st.dictionaries(st.text(max_size=8), JSON, max_size=3))
    if draw(st.booleans()):
        raw = {"metadata": {"version": 3, "context_level": 2, "needs_sync": draw(st.booleans())}, "data": raw}
    raw = {**raw, "digits": [f"digits-{number}" for number in range(draw(st.integers(0, 4)))]}
    text = orjson.dumps(raw, option=draw(st.sampled_from([0, orjson.OPT_INDENT_2]))).decode()
    for number in range(4):
        text = text.replace(f'"digits-{number}"', draw(st.sampled_from(_DIGITS)))
    return text


@pytest.mark.row("E59")
@settings(max_examples=60, deadline=None)
@given(st.dictionaries(_NAMES, files(), max_size=3), files(), st.lists(st.tuples(st.text(), JSON), max_size=3))
def test_export_import_export_gives_the_same_bytes(
    modules: dict[str, str], user: str, turns: list[tuple[str, Json]]
) -> None:
    """Whatever keys, numbers and texts a home holds: an empty home that takes them in gives out the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = Home(Path(folder, "first")), Home(Path(folder, "second"))
        for name, text in {**modules, "user": user}.items():
            first.state.put(name, text)
        rows = [
            turn(f"m{number}", user=said, report=json.dumps(report, ensure_ascii=False, separators=(",", ":")))
            for number, (said, report) in enumerate(turns)
        ]
        first.talks.import_rows([conversation("c1", *rows)])
        export = first.export()
        assume(len({unicodedata.normalize("NFC", name).casefold() for name in [*modules, *_CORE]}) == len(modules) + 4)
        second.take_in(export)
        assert second.export() == export
        assert second.talks.export_rows() == first.talks.export_rows()
        for name, text in {**modules, "user": user}.items():
            assert flagless(orjson.loads(second.state.path(name).read_bytes())) == flagless(orjson.loads(text))
        second.state.taken.clear()
        assert second.take_in(export).modules == ()


@pytest.mark.row("E59")
def test_without_the_digits_the_bytes_would_differ(tmp_path: Path) -> None:
    """The control: a home that takes in values alone gives out 1.5 where 1.50 stood."""
    first, careless = Home(tmp_path / "first"), Home(tmp_path / "second", keeps_texts=False)
    first.state.put("work", '{"data": {"pay": 1.50}}')
    careless.take_in(first.export())
    assert careless.export() == first.export().replace(b"1.50", b"1.5")


def test_a_home_that_changes_meanwhile_is_held(tmp_path: Path) -> None:
    """All modules are of one moment: when others keep writing, the export says so and gives up."""
    home = Home(tmp_path)
    home.state.busy = True
    with pytest.raises(ConflictError):
        home.export()


def flagless(raw: dict[str, Json]) -> dict[str, Json]:
    """Return a document without its flag."""
    metadata = raw.get("metadata")
    if not isinstance(metadata, dict):
        return raw
    return {**raw, "metadata": {key: value for key, value in metadata.items() if key != "needs_sync"}}
