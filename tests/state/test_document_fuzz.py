"""A fuzz of parser, splice and merge: whatever the bytes, nothing crashes, hangs, or is written as something else.

Run by hand it goes on until it is stopped: python tests/state/test_document_fuzz.py CORPUS_FOLDER
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.errors import DocumentError
from nola.state import document
from nola.state.merge import three_way
from nola.state.splice import respliced

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.types import Json
    from tests.faults.table import BarResult

BROKEN = json.loads((Path(__file__).parents[1] / "faults" / "corpus" / "broken.json").read_text(encoding="utf-8"))
SEEDS = [row[1].encode("latin-1") for row in BROKEN]
# How long atheris runs; `FUZZ_SECONDS=1800` is the full half hour.
SECONDS = os.environ.get("FUZZ_SECONDS", "60")


def same(one: Json, other: Json) -> bool:
    """Say whether two values are strictly the same."""
    return orjson.dumps(one, option=orjson.OPT_SORT_KEYS) == orjson.dumps(other, option=orjson.OPT_SORT_KEYS)


def check_load(data: bytes, parse: Callable[[bytes, str], dict[str, Json]]) -> dict[str, Json]:
    """Load a document, or refuse it with a place; what loads can be saved and loads again as the same."""
    try:
        value = parse(data, "x.json")
    except DocumentError as error:
        if min(error.line, error.column) < 1:
            raise AssertionError(f"no place: {error}") from error
        return {}
    document.warnings(data, "x.json", value=value)
    assert same(document.parse(document.dump(value), "x.json"), value)
    return value


def check(data: bytes, parse: Callable[[bytes, str], dict[str, Json]] = document.parse_object) -> None:
    """Load three documents, make one of the other, and merge them."""
    texts = [*data.split(b"\n---\n", 2), b"{}", b"{}"][:3]
    base, ours, theirs = (check_load(text, parse) for text in texts)
    for new in (ours, theirs):
        found = respliced(texts[0], base, new)
        assert same(orjson.loads(found.removeprefix(b"\xef\xbb\xbf")), new)
    assert same(merged(base, base, theirs), theirs)
    assert same(merged(base, ours, base), ours)
    assert same(merged(base, ours, ours), ours)
    document.dump(merged(base, ours, theirs))


def merged(base: Json, ours: Json, theirs: Json) -> Json:
    """Merge three documents; none of them is absent, nor is what they come to."""
    value = three_way(base, ours, theirs).value
    assert value is None or isinstance(value, bool | int | float | str | list | dict)
    return value


TOKENS = ['"a"', '"b"', '"metadata"', '"data"', '"\\u0061"', '"x\\ud83d\\ude00"', '"version"', '"\\u0000"', "1", "1.0"]
TOKENS += ["1.50", "-0.0", "9007199254740993", "1e-999", "true", "null", "{}", "[]", '{"a": 1}', "[1, 2]", "//", "'"]
PIECES = st.sampled_from([*TOKENS, *"{}[]:,", " ", "\r\n", "\n---\n", "\ufeff"]).map(str.encode)
VALUES = st.recursive(
    st.sampled_from(TOKENS[8:18]),
    lambda inner: (
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(st.sampled_from(TOKENS[:8]), inner, max_size=4).map(
            lambda members: "{" + ",\n".join(f"{key}: {value}" for key, value in members.items()) + "}"
        )
    ),
    max_leaves=8,
)
SOUND = st.dictionaries(st.sampled_from(TOKENS[:8]), VALUES, max_size=4).map(
    lambda members: ("{" + ", ".join(f"{key}:{value}" for key, value in members.items()) + "}").encode()
)


INPUTS = (
    st.lists(SOUND | st.sampled_from(SEEDS), min_size=3, max_size=3).map(b"\n---\n".join)
    | st.lists(PIECES, max_size=30).map(b"".join)
    | st.binary(max_size=60)
)


@pytest.mark.bar("D3")
def test_no_bytes_crash_loader_splice_or_merge(bar_result: BarResult) -> None:
    """Two thousand inputs: sound documents, nearly sound ones, and noise; none takes more than a second."""
    done = 0

    @settings(max_examples=2_000, deadline=1_000)
    @given(INPUTS)
    def fuzz(data: bytes) -> None:
        nonlocal done
        check(data)
        done += 1

    fuzz()
    bar_result(done, "inputs")
    assert done >= 2_000


@pytest.mark.bar("D3")
def test_every_broken_file_passes_the_fuzz(bar_result: BarResult) -> None:
    """The corpus is where the guided fuzz starts; it holds nothing that loads."""
    loaded = []
    for data in SEEDS:
        check(data)
        loaded += [data] * bool(check_load(data, document.parse_object))
    assert loaded == []
    bar_result(len(SEEDS), "broken files")


@pytest.mark.bar("D3")
def test_the_bare_library_fails_the_fuzz(bar_result: BarResult) -> None:
    """The control: with a parser that has no rules, the fuzz finds what can't be kept."""

    def bare(data: bytes, file: str) -> dict[str, Json]:
        try:
            value: dict[str, Json] = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise DocumentError(file, error.lineno, error.colno, error.msg) from error
        return value

    inputs = (b'{"a": 9007199254740993}', b'{"a": 18446744073709551615}', b'{"a": %s}' % (b"[" * 300 + b"]" * 300))
    failed = 0
    for data in inputs:
        check(data)
        with pytest.raises((AssertionError, ValueError)):
            check(data, bare)
        failed += 1
    bar_result(0, "inputs", control=f"the bare library: {failed} of {len(inputs)} fail")


@pytest.mark.faults
@pytest.mark.bar("D3")
@pytest.mark.skipif(importlib.util.find_spec("atheris") is None, reason="atheris is not installed")
def test_a_guided_fuzz_finds_nothing(tmp_path: Path) -> None:
    """Coverage guides the inputs; a crash, a failed check or a second's wait ends the run."""
    for number, data in enumerate(SEEDS):
        (tmp_path / f"{number}.json").write_bytes(data)
    limits = [f"-max_total_time={SECONDS}", "-timeout=1", "-max_len=4096", f"-artifact_prefix={tmp_path}/found-"]
    done = subprocess.run(
        [sys.executable, __file__, str(tmp_path), *limits],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == 0, done.stderr[-4000:]


if __name__ == "__main__":
    atheris = importlib.import_module("atheris")
    atheris.instrument_all()
    atheris.Setup(sys.argv, check)
    atheris.Fuzz()
