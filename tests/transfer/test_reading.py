"""Tests of reading an export: what is none, or would do harm, is refused in one sentence before anything is written."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.errors import DocumentError, NolaError
from nola.transfer import Export
from nola.transfer.reading import check_twins, read_document
from nola.transfer.talks import json_of
from tests.transfer.fakes import Home, conversation, turn

if TYPE_CHECKING:
    from pathlib import Path


def export(**parts: Any) -> bytes:
    """Write an export by hand."""
    whole = {"format": "nola-export", "version": 2, "nola": "0.1.0", **parts}
    return json.dumps({key: part for key, part in whole.items() if part is not ...}).encode()


def test_an_export_is_read() -> None:
    """Modules come by name and conversations by id, wherever they stood; a byte order mark is passed over."""
    talks = [json_of(conversation("c2")), json_of(conversation("c1"))]
    read = read_document(
        b"\xef\xbb\xbf" + export(conversations=talks, state={"work": {"data": {"x": 1.5}}, "Nola": {"data": {}}})
    )
    assert [document.name for document in read.documents] == ["Nola", "work"]
    assert read.documents[1].value == {"data": {"x": 1.5}}
    assert read.conversations == (conversation("c1"), conversation("c2"))
    assert (read.memories, read.nola) == ((), "0.1.0")
    assert read_document(export(memories=[{"b": 1.50, "a": "é"}])).memories == ('{"b":1.5,"a":"é"}',)


def test_parts_may_be_missing() -> None:
    """An export of one part alone, or of nothing, is one."""
    assert read_document(export()).documents == ()
    assert read_document(export(state={})).conversations == ()
    assert read_document(export(version=1, state={})).memories == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "the export, line 1, column 1: the file is empty"),
        (b"[]", "the export, line 1, column 1: the top level has to be an object, in braces"),
        (b"PK\x03\x04\xff", "the export, line 1, column 5: a byte that is not UTF-8"),
        (b'{"format": "nola-export",', "the export, line 1, column 26: "),
        (b"{}", "this is no export of Nola's: it does not say"),
        (export(format="other"), "this is no export of Nola's: it does not say"),
        (export(version=3), "the export was written by a newer Nola (version 3, this one reads up to 2)"),
        (export(version="1"), "the export: version is no number of a version"),
        (export(version=True), "the export: version is no number of a version"),
        (export(version=0), "the export: version is no number of a version"),
        (export(version=1.5), "the export: version is no number of a version"),
        (export(nola=...), "the export: it does not say which version of nola wrote it"),
        (export(more=1), "the export: there is an unknown part, 'more'"),
        (export(state=[]), "the export: state is no object"),
        (export(state={"work": []}), "the export: the module 'work' is no object, as every module is"),
        (export(conversations={}), "the export: conversations is no list"),
        (export(conversations=[1]), "the export: conversations.0 is no object"),
        (export(memories={}), "the export: memories is no list"),
        (export(memories=[{}, 1]), "the export: memories.1: it is no object"),
        (export(version=1, memories=[]), "the export: there is an unknown part, 'memories'"),
        (export(state={"w": {"a": 2**53 + 1}}), "the export, line 1, column"),
        (
            b'{"format": "nola-export", "version": 1, "nola": "", "state": {"w": {"a": NaN}}}',
            "the export, line 1, column",
        ),
        (
            b'{"format": "nola-export", "version": 1, "nola": "", "state": {"w": {"a": "\x1b"}}}',
            "the export, line 1, column",
        ),
        (
            b'{"format": "nola-export", "version": 1, "nola": "", "state": {"w": {"a": "\\ud800"}}}',
            "the export, line 1, column",
        ),
        (
            b'{"format": "nola-export", "version": 1, "nola": "",\n "state": {"w": {"a": 1, "a": 2}}}',
            "the export, line 2, column 26: the key 'a' stands twice",
        ),
        (
            b'{"format": "nola-export", "version": 1, "nola": "", "state": {}, "state": {"w": {}}}',
            "the export, line 1, column 66: the key 'state' stands twice",
        ),
    ],
)
def test_what_is_no_sound_export_is_refused(text: bytes, why: str) -> None:
    """Other formats, newer versions and damage are each told in one sentence."""
    with pytest.raises(NolaError) as refused:
        read_document(text)
    assert str(refused.value).startswith(why)
    assert "\n" not in str(refused.value)
    assert refused.value.fix


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../evil", "it would lead elsewhere"),
        ("..", "it would lead elsewhere"),
        ("a/b", "it would lead elsewhere"),
        ("a\\b", "it would lead elsewhere"),
        ("/etc/passwd", "it would lead elsewhere"),
        (".hidden", "it would lead elsewhere"),
        ("", "it is empty or holds control characters"),
        ("  ", "it is empty or holds control characters"),
        ("a\x00b", "it is empty or holds control characters"),
        ("a\nb", "it is empty or holds control characters"),
        ("\x1b[2J", "it is empty or holds control characters"),
        ("a\u202eb", "it is empty or holds control characters"),
        ("x" * 300, "it has more than 200 bytes"),
        ("é" * 101, "it has more than 200 bytes"),
        ("metadata", "that word is reserved"),
        ("Data", "that word is reserved"),
        ("modules", "that word is reserved"),
        ("machineID", "describes its own machine and does not travel"),
        ("User", "differs from 'user' only in case"),
        ("NOLA", "differs from 'Nola' only in case"),
    ],
)
def test_hostile_names_are_refused_and_nothing_is_written(tmp_path: Path, name: str, why: str) -> None:
    """No name leads out of the folder of modules, over another file, or onto a terminal."""
    home = Home(tmp_path)
    before = sorted(path.name for path in tmp_path.rglob("*"))
    with pytest.raises(DocumentError) as refused:
        home.take_in(export(state={"work": {"data": {}}, name: {"data": {}}}))
    assert why in str(refused.value)
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) < 200
    assert (home.state.taken, home.backups) == ([], [])
    assert sorted(path.name for path in tmp_path.rglob("*")) == before


def test_case_twins_are_refused() -> None:
    """Two names that some disks can't tell apart would overwrite each other; composed letters count alike."""
    with pytest.raises(DocumentError, match="the module 'work' differs from 'Work' only in case"):
        read_document(export(state={"Work": {}, "work": {}}))
    with pytest.raises(DocumentError, match="only in case"):
        check_twins(["caf\u00e9"], ["cafe\u0301"])
    check_twins(["work", "work"], ["work", "other"])


def test_depth_and_size_have_the_limits_of_the_state() -> None:
    """What the state would not load is not taken in; what it would, is."""
    deep: Any = {}
    for _ in range(62):
        deep = {"a": deep}
    assert read_document(export(state={"w": {"data": deep}})).documents[0].name == "w"
    with pytest.raises(DocumentError, match="the module 'w' is nested deeper than 64 levels"):
        read_document(export(state={"w": {"data": {"a": deep}}}))
    with pytest.raises(DocumentError, match=r"the module 'w' has 2,0\d\d bytes, more than the limit of 2,000"):
        read_document(export(state={"w": {"data": "x" * 1990}}), max_bytes=2000)
    with pytest.raises(DocumentError, match="the export, line 1, column"):
        read_document(b'{"state": ' + b"[" * 100_000)
    with pytest.raises(DocumentError, match="nested deeper than 210 levels"):
        read_document(export(state={"w": json.loads("[" * 250 + "]" * 250)}))


def test_ids_are_unique() -> None:
    """A conversation, or a turn, that stands twice is refused."""
    with pytest.raises(DocumentError, match="two conversations have the id 'c1'"):
        read_document(export(conversations=[json_of(conversation("c1")), json_of(conversation("c1", turn("m9")))]))
    with pytest.raises(DocumentError, match="two turns have the id 'm1'"):
        read_document(
            export(
                conversations=[json_of(conversation("c1", turn("m1"))), json_of(conversation("c2", turn("m1", "c2")))]
            )
        )


@settings(deadline=None)
@given(st.binary(max_size=60), st.integers(0, 400), st.integers(0, 20))
def test_damage_is_told_and_never_crashes(junk: bytes, at: int, cut: int) -> None:
    """An export with bytes changed anywhere is read, or refused with a sentence."""
    memories = [{"format": "nola-memory", "version": 1}, {"counters": {"a": 1}}]
    whole = export(
        state={"work": {"data": {"pay": 1.5}}}, conversations=[json_of(conversation("c1"))], memories=memories
    )
    damaged = whole[:at] + junk + whole[at + cut :]
    with contextlib.suppress(NolaError):
        assert isinstance(read_document(damaged), Export)
