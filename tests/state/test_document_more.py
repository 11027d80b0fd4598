"""Tests of what the largest and the oddest files cost: a second and 100 MB of memory, in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.faults.table import BarResult

FULL = 5_000_000
# What reads a file as the state does, and tells its time, its most memory, its value's kind and what was said.
CHILD = """
import json, sys, time
from pathlib import Path
from nola.errors import DocumentError
from nola.state import document

data = Path(sys.argv[1]).read_bytes()
start = time.process_time()
try:
    value = document.parse(data, "x.json")
    said = [one.message for one in document.warnings(data, "x.json", value=value)]
except DocumentError as error:
    value, said = None, [error.why]
took = time.process_time() - start
status = Path("/proc/self/status").read_text()
most = int(status.partition("VmHWM:")[2].split()[0]) / 1024
print(json.dumps([took, most, value is not None, said[:1], len(said)]))
"""


def filled(item: str, first: str = '{"a": [', last: str = "0]}") -> bytes:
    """Repeat an item until the file is as large as it may be."""
    count = (FULL - len((first + last).encode())) // len(item.encode())
    return (first + item * count + last).encode()


def keys(count: int, key: str = "%x") -> bytes:
    """Make one object of many keys, the first of which stands twice."""
    return ("{" + ",".join(f'"{key % number}":1' for number in [*range(count), 0]) + "}").encode()


FILES: dict[str, tuple[Callable[[], bytes], str]] = {
    "numbers": (lambda: filled("0,"), ""),
    "fractions": (lambda: filled("1.5,"), ""),
    "long numbers": (lambda: filled("9007199254740991,"), ""),
    "vanishing numbers": (lambda: filled("1e-999,"), "1e-999 is too small"),
    "short texts": (lambda: filled('"",'), ""),
    "objects": (lambda: b"[" + b'{"a":1},' * 199_998 + b"{}]", ""),
    "too many objects": (lambda: filled("{},"), "1,666,665 objects and lists are more"),
    "many keys": (lambda: keys(199_998), "stands twice"),
    "many keys, not ASCII": (lambda: keys(199_998, "é%x😀"), "stands twice"),
    "a million keys": (lambda: keys(1_000_000, "%05x")[:FULL], "keys are more than the limit"),
    "a text of 5 MB": (lambda: filled("x", '{"a": "', '"}'), ""),
    "a text of escapes": (lambda: filled("\\n", '{"a": "', '"}'), ""),
    "a text of wide characters": (lambda: filled("😀", '{"a": "', '"}'), ""),
    "a text of braces": (lambda: filled("[{", '{"a": "', '"}'), ""),
    "a text of NUL": (lambda: filled("\\u0000", '{"a": "', '"}'), "control character U+0000"),
    "NUL to the end": (lambda: filled("\0", '{"a": 1', ""), "NUL bytes"),
    "100,000 levels": (lambda: b"[" * 100_000, "nested deeper than 64"),
    "1,024 levels": (lambda: b"[" * 1024 + b"]" * 1024, "nested deeper than 64"),
    "cut off": (lambda: filled("0,", last=""), 'the file ends here, but "[" of line 1, column 7'),
    "cut off in a text": (lambda: filled('\\"', '{"a": "', ""), "never closed"),
    "wrong at the end": (lambda: filled('"a",', last="}}"), '"}" does not close'),
    "a wide number at the end": (lambda: filled("0,", last="18446744073709551616]}"), "beyond 2^53"),
    "digits": (lambda: filled("9", "[", "]"), "beyond 2^53"),
    "a bad byte at the end": (lambda: filled("x", '{"a": "', "")[:-1] + b"\xff", "not UTF-8"),
    "one byte too many": (lambda: b" " * (FULL + 1), "5,000,001 bytes are more"),
}


def tried(file: Path) -> tuple[float, float, bool, list[str], int]:
    """Read a file in a process of its own."""
    done = subprocess.run([sys.executable, "-c", CHILD, str(file)], capture_output=True, text=True, check=True)
    took, most, loads, first, count = json.loads(done.stdout)
    return took, most, loads, first, count


@pytest.mark.faults
@pytest.mark.bar("D1")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the most memory is read from /proc/self/status")
@pytest.mark.parametrize("name", FILES)
def test_no_file_takes_more_than_a_second_and_100_megabytes(name: str, tmp_path: Path, bar_result: BarResult) -> None:
    """The largest file of any shape, sound or not, gets its verdict; warnings and the parser's own start included."""
    make, said = FILES[name]
    file = tmp_path / "x.json"
    file.write_bytes(make())
    took, most, loads, first, count = tried(file)
    assert said in "".join(first)
    assert loads is (not said or "twice" in said or "U+" in said or "small" in said)
    assert count <= 11
    assert most <= 100
    assert took <= 1.0 or min(tried(file)[0] for _ in range(3)) <= 1.0  # a busy machine may need more tries
    bar_result(1, "of the largest files")
