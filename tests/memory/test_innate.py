"""Tests of reading what an assistant is born with."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from nola.errors import DocumentError, NolaError, UsageError
from nola.learned import Memory
from nola.memory.innate import read_folder, unknown

if TYPE_CHECKING:
    from pathlib import Path


def test_a_line_of_text_is_a_memory(tmp_path: Path) -> None:
    """Marks of lists are left out, indented lines go on, headings and rules are passed over."""
    (tmp_path / "safety.md").write_text(
        "\ufeff# Safety\n\n- Never harm\n  anybody.\n* Ask first.\n1. Keep secrets.\nNo mark.\n\n---\n  - Indented.\n"
    )
    found = read_folder(tmp_path)
    assert [one["content"] for one in found] == [
        "Never harm anybody.",
        "Ask first.",
        "Keep secrets.",
        "No mark.",
        "Indented.",
    ]
    assert {(one["source"], *one["tags"]) for one in found} == {("safety.md", "safety", "safety.md")}
    assert {one["memory_class"] for one in found} == {"innate"}


def test_json_may_give_other_fields(tmp_path: Path) -> None:
    """Its tags come after those of the file; its class is innate whatever it says."""
    (tmp_path / "tools.json").write_text(
        '["a text", {"content": "more", "kind": "procedural", "steps": ["one"], "tags": ["x"], "class": "learned"}]'
    )
    first, second = read_folder(tmp_path)
    assert first["content"] == "a text"
    assert (second["kind"], second["steps"], second["tags"]) == ("procedural", ["one"], ["tools", "tools.json", "x"])
    assert second["memory_class"] == "innate"


def test_what_is_no_category_is_passed_over(tmp_path: Path) -> None:
    """Hidden files, a README, folders."""
    (tmp_path / ".hidden.md").write_text("no")
    (tmp_path / "README.md").write_text("no")
    (tmp_path / "more").mkdir()
    (tmp_path / "identity.txt").write_text("I am Nola")
    assert [one["content"] for one in read_folder(tmp_path)] == ["I am Nola"]


@pytest.mark.parametrize(
    ("name", "content", "kind", "sentence"),
    [
        ("a.yaml", b"x", UsageError, "a.yaml is none of .md, .txt, .json"),
        ("a.md", b"caf\xe9", DocumentError, "it is not UTF-8 from byte 4 on"),
        ("a.json", b"[", DocumentError, "a.json, line 1, column 2: it is no JSON"),
        ("a.json", b"[" * 100_000, DocumentError, "a.json"),
        ("a.json", b'{"a": 1}', UsageError, "is no list of texts"),
        ("a.json", b"[1]", UsageError, "is no list of texts"),
        ("a.json", b'["fine", {"content": "x", "importance": 2}]', UsageError, "a.json, memory 2: importance takes"),
        ("a.json", b'[{"contents": "x"}]', UsageError, "a.json, memory 1:"),
        ("a.md", b"# only a title\n", UsageError, "holds no memories"),
    ],
)
def test_what_is_wrong_is_named(
    tmp_path: Path, name: str, content: bytes, kind: type[NolaError], sentence: str
) -> None:
    """The file, and where in it."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(kind) as told:
        read_folder(tmp_path)
    assert sentence in str(told.value)


def test_a_folder_has_to_be_one(tmp_path: Path) -> None:
    """Neither nothing nor a file is one."""
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "none", tmp_path / "file"):
        with pytest.raises(UsageError, match="is no folder"):
            read_folder(path)


def test_the_same_words_in_the_same_category_are_the_same() -> None:
    """What comes twice is new once; another namespace or category makes it another memory."""
    given = [
        {"content": "Never harm", "tags": [tag], "namespace": space}
        for tag, space in (("safety", "a"), ("safety", "a"), ("rules", "a"), ("safety", "b"))
    ]
    assert unknown(given, {}) == [given[0], given[2], given[3]]


@pytest.mark.row("A03", "A21")
def test_what_is_born_never_expires(tmp_path: Path) -> None:
    """A file that gives an end is refused, with its place."""
    (tmp_path / "a.json").write_text('["fine", {"content": "x", "kind": "sensory", "ttl": 5}]')
    with pytest.raises(UsageError, match=r"a\.json, memory 2: an innate memory never expires"):
        read_folder(tmp_path)


def test_two_who_load_at_once_store_it_once(tmp_path: Path) -> None:
    """What is there is looked up in the transaction that stores, whoever else stores meanwhile."""
    folder = tmp_path / "born"
    folder.mkdir()
    (folder / "safety.md").write_text("".join(f"Rule {number}\n" for number in range(40)))
    doors = [Memory.open(tmp_path / "m.db", embedder="none") for _ in range(6)]
    ready = threading.Barrier(len(doors))

    def load(memory: Memory) -> int:
        ready.wait(10)
        return len(memory.load_innate(folder))

    with ThreadPoolExecutor(len(doors)) as pool:
        assert sum(pool.map(load, doors)) == 40
    assert doors[0].stats().innate == 40
    for memory in doors:
        memory.close()


@pytest.mark.row("A04")
def test_a_second_load_stores_nothing(tmp_path: Path) -> None:
    """The same words may stand in two categories, and twice in one file."""
    folder = tmp_path / "born"
    folder.mkdir()
    for name in ("safety.md", "identity.md", "reasoning.md", "language.md", "tools.md"):
        (folder / name).write_text(f"Of {name}\nShared\nShared\n")
    with Memory.open(tmp_path / "m.db", embedder="none") as memory:
        ids = memory.load_innate(folder)
        assert len(ids) == 10
        assert {memory.get(id_).tags[0] for id_ in ids} == {"safety", "identity", "reasoning", "language", "tools"}
        assert all(memory.get(id_).is_innate for id_ in ids)
        assert memory.load_innate(folder) == []
        (folder / "tools.md").write_text("Of tools.md\nShared\nNew\n")
        assert [memory.get(id_).content for id_ in memory.load_innate(folder)] == ["New"]
