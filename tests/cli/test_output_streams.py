"""Tests of the process's streams; what a whole process does with them is a journey (test_bad_input.py)."""

from __future__ import annotations

import codecs
import errno
import io
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from nola.cli import output_streams as streams
from nola.errors import NolaError


class Refusing(io.StringIO):
    """A stream to which nothing can be written.

    Attributes:
        refused: What was to be written.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.refused: list[str] = []

    def write(self, text: str) -> int:
        """Refuse."""
        self.refused.append(text)
        raise OSError(self.number, os.strerror(self.number), text)

    def flush(self) -> None:
        """Refuse."""
        raise OSError(self.number, os.strerror(self.number))


def encoded(text: str, encoding: str) -> bytes:
    """Write text the way a stream of that encoding does."""
    codecs.register_error(streams.ERRORS, streams.spelled)
    return text.encode(encoding, streams.ERRORS)


def test_signs_that_an_encoding_lacks_are_spelled() -> None:
    """Letters as escapes, Nola's own signs by plain ones, and nothing by a question mark."""
    assert encoded("Zoë 日 😀", "ascii") == rb"Zo\xeb \u65e5 \U0001f600"
    assert encoded("Zoë 日", "latin-1") == b"Zo\xeb \\u65e5"
    assert encoded(" ▁▂▃▄▅▆▇█ → … · “x” – ×", "ascii") == b' .:-=+*#@ -> ... - "x" - x'
    assert encoded("Zoë → 日", "utf-8") == "Zoë → 日".encode()


def test_the_bytes_of_a_file_name_pass_as_they_were() -> None:
    """So that what is printed for a program names the file; half characters of another kind are spelled."""
    assert encoded("caf\udce9 \ud83d", "utf-8") == b"caf\xe9 \\ud83d"


def test_only_what_can_not_be_written_is_spelled() -> None:
    """An error of reading is none of its business."""
    with pytest.raises(UnicodeDecodeError):
        streams.spelled(UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"))


def test_a_reader_that_went_away_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the shell's code for that, and without a word."""
    monkeypatch.setattr(sys, "stdout", Refusing(errno.EPIPE))
    for write in (partial(streams.put, "x"), streams.flush):
        with pytest.raises(SystemExit) as caught:
            write()
        assert caught.value.code == 141


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one sentence."""
    monkeypatch.setattr(sys, "stdout", Refusing(errno.ENOSPC))
    with pytest.raises(NolaError, match="stdout can't be written to: No space left on device"):
        streams.put("x")


def test_a_message_that_nobody_can_read_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It stops nothing."""
    stream = Refusing(errno.EPIPE)
    monkeypatch.setattr(sys, "stderr", stream)
    streams.put_aside("x\n")
    streams.put_aside("y\n")
    assert stream.refused == ["x\n", "y\n"]


def test_a_muted_stream_holds_nothing_back() -> None:
    """What it held goes nowhere, so that leaving it does not fail."""
    reader, writer = os.pipe()
    os.close(reader)
    stream = open(writer, "w", encoding="utf-8")  # noqa: SIM115, PTH123 -- a pipe has no path
    stream.write("x")
    streams.mute(stream)
    assert os.path.samestat(os.fstat(writer), Path(os.devnull).stat())
    stream.close()
    assert stream.closed


@pytest.mark.parametrize("mended", [True, False], ids=["mended", "control"])
def test_the_number_of_a_closed_stream_goes_to_no_file(tmp_path: str, mended: bool) -> None:  # noqa: FBT001
    """What a child prints to a stdout that was closed lands in no file that was opened since; unmended, it does."""
    file = f"{tmp_path}/data"
    program = (
        "import os, subprocess\n"
        f"from nola.cli import output_streams as streams\n{'streams.mend()' if mended else ''}\n"
        f"data = os.open({file!r}, os.O_WRONLY | os.O_CREAT)\nos.set_inheritable(data, True)\n"
        "subprocess.run(['echo', 'gossip'], close_fds=False)\n"
    )
    subprocess.run(["sh", "-c", 'exec "$0" -c "$1" >&-', sys.executable, program], check=True)
    with open(file, "rb") as data:  # noqa: PTH123
        assert data.read() == (b"" if mended else b"gossip\n")
