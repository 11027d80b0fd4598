"""Tests of the daemon's log."""

from __future__ import annotations

import json
import logging
import os
import stat
from typing import TYPE_CHECKING, Any

import pytest

from nola.daemon.log import LOG_NAME, Log, follow, last_lines, overhear
from nola.settings import DaemonSettings
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CLOCK = ManualClock()


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Log]:
    """A log in a folder that does not exist yet."""
    made = Log(tmp_path / "logs", DaemonSettings(), clock=CLOCK)
    yield made
    made.close()


def lines(folder: Path) -> list[dict[str, Any]]:
    """The lines of a log."""
    return [json.loads(line) for line in (folder / LOG_NAME).read_text(encoding="utf-8").splitlines()]


def test_a_line_is_a_document(log: Log, tmp_path: Path) -> None:
    """With the time, how bad it is, what happened, and facts about it."""
    log.info("daemon.ready", pid=12, mode="normal")
    log.warning("state.problems", problems=["user.json, line 3, column 5: unexpected end"])
    log.error("daemon.crashed")
    assert lines(tmp_path / "logs") == [
        {
            "time": "2026-11-20T09:00:00.000+00:00",
            "level": "info",
            "event": "daemon.ready",
            "pid": 12,
            "mode": "normal",
        },
        {
            "time": "2026-11-20T09:00:00.000+00:00",
            "level": "warning",
            "event": "state.problems",
            "problems": ["user.json, line 3, column 5: unexpected end"],
        },
        {"time": "2026-11-20T09:00:00.000+00:00", "level": "error", "event": "daemon.crashed"},
    ]


def test_facts_stand_after_the_head_and_never_replace_it(log: Log, tmp_path: Path) -> None:
    """Whatever they are called, and whatever they are; a long text is cut."""
    log.info("x", time="never", level=5, path=tmp_path, note="a" * 900)
    (line,) = lines(tmp_path / "logs")
    assert list(line) == ["time", "level", "event", "path", "note"]
    assert (line["level"], line["path"], line["note"]) == ("info", str(tmp_path), "a" * 500 + "…")


@pytest.mark.bar("J1")
def test_the_log_is_private_whatever_the_umask(log: Log, tmp_path: Path) -> None:
    """Folder 0700 and file 0600."""
    before = os.umask(0)
    try:
        log.info("x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "logs").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "logs" / LOG_NAME).stat().st_mode) == 0o600


def test_a_full_file_is_put_aside(tmp_path: Path) -> None:
    """As many as the settings keep, beside the one that is written to; all of them private."""
    log = Log(tmp_path, DaemonSettings(log_bytes=10_000, log_files=2), clock=CLOCK)
    for number in range(1000):
        log.info("x", number=number)
    log.close()
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == [LOG_NAME, f"{LOG_NAME}.1", f"{LOG_NAME}.2"]
    assert all(path.stat().st_size <= 10_000 for path in tmp_path.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    assert lines(tmp_path)[-1]["number"] == 999


@pytest.mark.bar("J2")
def test_a_link_in_its_place_is_not_followed(log: Log, tmp_path: Path) -> None:
    """What it leads to stays as it is, and whoever logs goes on."""
    target = tmp_path / "owners.txt"
    target.write_text("mine")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / LOG_NAME).symlink_to(target)
    log.info("x")
    assert target.read_text() == "mine"


def test_lines_that_the_disk_did_not_take_are_counted(log: Log, tmp_path: Path) -> None:
    """Nobody is disturbed by them, and the next line that can be written tells how many."""
    (tmp_path / "logs").write_text("in the way")
    log.info("one")
    log.info("two")
    (tmp_path / "logs").unlink()
    log.info("three")
    log.info("four")
    assert [(line["event"], line.get("lost")) for line in lines(tmp_path / "logs")] == [("three", 2), ("four", None)]


def test_a_line_that_was_cut_off_spoils_no_other(log: Log, tmp_path: Path) -> None:
    """Whoever was killed in mid-line leaves it on a line of its own."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / LOG_NAME).write_text('{"time": "2026-1')
    log.info("x")
    cut, whole = last_lines(tmp_path / "logs", 5)
    assert cut == '{"time": "2026-1'
    assert json.loads(whole)["event"] == "x"


def test_the_last_lines_reach_back_into_the_file_before(tmp_path: Path) -> None:
    """Oldest first; none when there is no log."""
    assert last_lines(tmp_path, 5) == []
    (tmp_path / f"{LOG_NAME}.1").write_text("one\ntwo\n")
    (tmp_path / LOG_NAME).write_text("three\n")
    assert last_lines(tmp_path, 2) == ["two", "three"]
    assert last_lines(tmp_path, 9) == ["one", "two", "three"]
    assert last_lines(tmp_path, 0) == []


def test_following_shows_new_lines_across_rotations(tmp_path: Path) -> None:
    """Whole lines only, each once, from the log's birth on."""
    path = tmp_path / LOG_NAME

    def appended(text: str) -> None:
        with path.open("a") as file:
            file.write(text)

    def rotated() -> None:
        appended("five\n")
        path.rename(tmp_path / f"{LOG_NAME}.1")
        appended("six\n")

    def both() -> None:
        appended("two\nthree\n")

    steps = iter([lambda: appended("one\n"), both, lambda: appended("fo"), lambda: appended("ur\n"), rotated])
    left = 4

    def pause() -> bool:
        nonlocal left
        step = next(steps, None)
        if step is None:
            left -= 1
            return left == 0
        step()
        return False

    assert list(follow(tmp_path, 5, pause)) == ["one", "two", "three", "four", "five", "six"]


def test_following_begins_with_the_last_lines(tmp_path: Path) -> None:
    """Whole ones; what is written while they are shown comes next."""
    (tmp_path / LOG_NAME).write_text("older\nold\nhal")
    pauses = iter([False, True])
    shown = follow(tmp_path, 1, lambda: next(pauses))
    assert next(shown) == "old"
    with (tmp_path / LOG_NAME).open("a") as file:
        file.write("f\n")
    assert list(shown) == ["half"]


def test_a_librarys_warnings_are_heard_and_not_printed(capfd: pytest.CaptureFixture[str]) -> None:
    """Until that is ended; what is less than a warning is not heard."""
    heard: list[str] = []
    stop = overhear("nola-test-library", heard.append)
    logger = logging.getLogger("nola-test-library.inner")
    logger.warning("lost %d events", 3)
    logger.info("nothing")
    stop()
    assert heard == ["lost 3 events"]
    assert capfd.readouterr().err == ""
    assert logging.getLogger("nola-test-library").handlers == []
