"""Tests of `nola memory reindex`, `export` and `import`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import CommandLine


@pytest.fixture
def lived(nola: CommandLine) -> CommandLine:
    """Return a command line whose memory holds three memories, of which two are alike and one is innate."""
    text = "My dog is called Biscuit\nMy dog is called Rex\n"
    assert nola("memory", "add", "--lines", "-", text=text).exit_code == 0
    assert nola("memory", "add", "Never harm", "--class", "innate").exit_code == 0
    return nola


def test_every_index_is_made_again(lived: CommandLine) -> None:
    """How far it is stands on stderr, and what was made on stdout."""
    before = lived("memory", "search", "dog", "--no-count", "--json").stdout
    said = lived("memory", "reindex")
    assert (said.exit_code, said.stdout) == (0, "indexed 3 memories, 3 vectors (hashing/256/1)\n")
    assert said.stderr.splitlines() == ["nola: indexing words: 3 of 3", "nola: indexing vectors: 3 of 3"]
    found = json.loads(lived("memory", "reindex", "--json").stdout)
    assert found == {"memories": 3, "vectors": 3, "model": "hashing/256/1", "trouble": ""}
    again = lived("memory", "search", "dog", "--no-count", "--json").stdout
    assert [one["id"] for one in json.loads(again)] == [one["id"] for one in json.loads(before)]


def test_without_an_embedder_words_are_indexed(lived: CommandLine) -> None:
    """There are no vectors then, and nothing is wrong."""
    lived.environ["NOLA_EMBED_PROVIDER"] = "none"
    assert lived("memory", "reindex").stdout == "indexed 3 memories\n"
    assert lived("memory", "reindex", "--missing").stdout == "no vector is missing\n"


def test_only_missing_vectors_are_made(nola: CommandLine) -> None:
    """As when memories were stored while there was no embedder."""
    nola.environ["NOLA_EMBED_PROVIDER"] = "none"
    nola("memory", "add", "--lines", "-", text="one\ntwo\n")
    nola.environ["NOLA_EMBED_PROVIDER"] = "minilm"
    said = nola("memory", "reindex", "--missing")
    assert (said.exit_code, said.stdout) == (0, "made 2 vectors (hashing/256/1)\n")
    assert nola("memory", "reindex", "--missing").stdout == "no vector is missing\n"


@pytest.mark.row("E59")
def test_what_is_exported_comes_back_the_same(lived: CommandLine, tmp_path: Path) -> None:
    """By file or by pipe, byte for byte; the file is private, and stays unless --force is given."""
    file = tmp_path / "memory.jsonl"
    said = lived("memory", "export", str(file))
    assert (said.exit_code, said.stdout) == (0, "")
    assert said.stderr.startswith(f"wrote {file} (")
    assert file.stat().st_mode & 0o777 == 0o600
    whole = lived("memory", "export").stdout_bytes
    assert file.read_bytes() == lived("memory", "export", "-").stdout_bytes == whole
    assert "is there already" in lived("memory", "export", str(file)).stderr
    told = json.loads(lived("memory", "export", str(file), "--force", "--json").stdout)
    assert told == {"file": str(file), "bytes": len(whole)}

    lived.environ["NOLA_HOME"] = str(tmp_path / "other")
    assert lived("memory", "import", "--dry-run", str(file)).stdout == "would import 3 memories and 1 edge\n"
    assert json.loads(lived("memory", "stats", "--json").stdout)["total"] == 0
    done = lived("memory", "import", "-", text=whole)
    assert (done.exit_code, done.stdout) == (0, "imported 3 memories and 1 edge\n")
    assert lived("memory", "export").stdout_bytes == whole


def test_what_is_here_already_is_passed_over_on_request(lived: CommandLine, tmp_path: Path) -> None:
    """Else it stops the import, and nothing is stored."""
    file = tmp_path / "memory.jsonl"
    lived("memory", "export", str(file))
    said = lived("memory", "import", str(file))
    assert (said.exit_code, said.stdout) == (1, "")
    assert "is there already; nothing was stored" in said.stderr
    assert lived("memory", "import", "--skip-known", str(file)).stdout == "all of it is here already\n"
    lived.environ["NOLA_HOME"] = str(tmp_path / "other")
    lines = file.read_text().splitlines(keepends=True)
    assert lived("memory", "import", "-", text="".join([*lines[:2], lines[-1]])).stdout == "imported 1 memory\n"
    rest = lived("memory", "import", "--skip-known", str(file))
    assert rest.stdout == "imported 2 memories and 1 edge; 1 memory was here already\n"
    told = json.loads(lived("memory", "import", "--skip-known", "--json", str(file)).stdout)
    assert told == {"memories": 0, "edges": 0, "known": 3, "gone": [], "dry_run": False}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b'{"format": "nola-memory", "version": 99}\n', "it was written by a newer Nola"),
        (b'{"format": "nola-export", "version": 1}\n', "this is no export of Nola's memory"),
        (b"not json\n", "line 1, column 1"),
        (b"\xff\xfe\x00", "is no text"),
    ],
)
def test_what_is_no_export_is_refused(nola: CommandLine, text: bytes, sentence: str) -> None:
    """In one sentence, and nothing is stored."""
    said = nola("memory", "import", "-", text=text)
    assert (said.exit_code, said.stdout) == (1, "")
    assert sentence in said.stderr
    assert json.loads(nola("memory", "stats", "--json").stdout)["total"] == 0


def test_a_file_that_is_not_there_is_told(nola: CommandLine, tmp_path: Path) -> None:
    """Nor is an empty one taken for an export."""
    said = nola("memory", "import", str(tmp_path / "none.jsonl"))
    assert (said.exit_code, "No such file or directory" in said.stderr) == (1, True)
    said = nola("memory", "import", "-", text="")
    assert (said.exit_code, said.stdout) == (1, "")
    assert "its last line, that with the counters, is missing" in said.stderr
