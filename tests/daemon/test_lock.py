"""Tests of the instance lock."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from nola.daemon.lock import LOCK_NAME, Holder, InstanceLock, holder
from nola.errors import ConflictError, NolaError, StorageError
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
CLOCK = ManualClock()

# Takes the lock, says so, and keeps it until stdin ends.
_HOLD = """
import sys
from pathlib import Path
from nola.clock import SystemClock
from nola.daemon.lock import InstanceLock
lock = InstanceLock(Path(sys.argv[1]), clock=SystemClock())
lock.acquire()
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds a folder's lock."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@contextmanager
def held(folder: Path) -> Iterator[InstanceLock]:
    """A lock of this process."""
    lock = InstanceLock(folder, clock=CLOCK)
    lock.acquire()
    try:
        yield lock
    finally:
        lock.release()


def test_the_file_says_who_holds_it(tmp_path: Path) -> None:
    """Its process, its command and since when; private, and on one line."""
    with held(tmp_path):
        path = tmp_path / LOCK_NAME
        assert json.loads(path.read_text()) == {
            "pid": os.getpid(),
            "command": "nola daemon run",
            "since": "2026-11-20T09:00:00+00:00",
        }
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert holder(tmp_path) == Holder(os.getpid(), "nola daemon run", CLOCK.now())


@pytest.mark.bar("B6")
def test_a_second_daemon_is_refused_and_told_who_runs(tmp_path: Path) -> None:
    """Within a second, with the other's process and since when, from this process and from others."""
    since = CLOCK.now().astimezone()
    sentence = (
        f"Nola's daemon already runs here: process {os.getpid()}, `nola daemon run`, since {since:%Y-%m-%d %H:%M:%S}"
    )
    with held(tmp_path), pytest.raises(ConflictError) as refused:
        InstanceLock(tmp_path, clock=CLOCK).acquire()
    assert str(refused.value) == sentence
    with another(tmp_path) as other, pytest.raises(ConflictError, match=f"process {other.pid}, `nola daemon run`"):
        InstanceLock(tmp_path, clock=CLOCK).acquire()


def test_a_free_lock_has_no_holder_whatever_its_file_says(tmp_path: Path) -> None:
    """What an earlier holder has left is ignored, and the file stays."""
    assert holder(tmp_path) is None
    with held(tmp_path):
        pass
    assert (tmp_path / LOCK_NAME).exists()
    assert holder(tmp_path) is None
    with held(tmp_path) as lock:
        assert lock.still_ours()


def test_a_shorter_text_leaves_nothing_of_a_longer_one(tmp_path: Path) -> None:
    """Whatever stood in the file before."""
    (tmp_path / LOCK_NAME).write_text("x" * 5000)
    with held(tmp_path):
        assert json.loads((tmp_path / LOCK_NAME).read_text())["pid"] == os.getpid()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "many"}', '{"pid": 4194399, "command": "x", "since": 3}'])
def test_a_holder_that_does_not_tell_is_a_holder_all_the_same(tmp_path: Path, text: str) -> None:
    """The lock counts, not the text; the refusal then names nobody."""
    (tmp_path / LOCK_NAME).write_text(text)
    with (tmp_path / LOCK_NAME).open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert holder(tmp_path) == Holder(0, "", None)
        with pytest.raises(ConflictError, match=r"another process holds \.instance"):
            InstanceLock(tmp_path, clock=CLOCK).acquire()


def test_who_asks_for_the_holder_disturbs_nobody(tmp_path: Path) -> None:
    """A lock that is looked at for a moment is taken as soon as that is over."""
    (tmp_path / LOCK_NAME).touch()
    with (tmp_path / LOCK_NAME).open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)
        assert holder(tmp_path) is None
    with held(tmp_path) as lock:
        assert lock.still_ours()


@pytest.mark.bar("B5")
def test_a_killed_holder_frees_the_lock_at_once(tmp_path: Path) -> None:
    """SIGKILL is enough; its text is ignored."""
    with another(tmp_path) as other:
        assert holder(tmp_path) is not None
        other.send_signal(signal.SIGKILL)
        other.wait(10)
        assert holder(tmp_path) is None
        with held(tmp_path) as lock:
            assert lock.still_ours()


@pytest.mark.bar("B5")
def test_a_forked_child_owns_nothing_and_frees_nothing(tmp_path: Path) -> None:
    """The parent keeps the lock while the child ends, and frees it although the child lives on."""
    with held(tmp_path) as lock:
        report, send = os.pipe()
        stay, leave = os.pipe()
        child = os.fork()
        if child == 0:
            lock.release()
            os.write(send, b"y" if lock.still_ours() else b"n")
            os.read(stay, 1)
            os._exit(0)
        assert os.read(report, 1) == b"n"
        assert lock.still_ours()
        assert holder(tmp_path) is not None
    assert holder(tmp_path) is None
    os.write(leave, b".")
    os.waitpid(child, 0)
    for fd in (report, send, stay, leave):
        os.close(fd)


@pytest.mark.bar("B5")
@pytest.mark.parametrize("how", ["deleted", "replaced", "folder replaced"])
def test_a_lock_whose_file_goes_is_noticed_and_can_be_taken_again(tmp_path: Path, how: str) -> None:
    """Nobody else took it meanwhile, so its owner goes on."""
    folder = tmp_path / "state"
    folder.mkdir()
    with held(folder) as lock:
        if how == "folder replaced":
            folder.rename(tmp_path / "old")
            folder.mkdir()
        else:
            (folder / LOCK_NAME).unlink()
        if how == "replaced":
            (folder / LOCK_NAME).touch()
        assert not lock.still_ours()
        lock.acquire()
        assert lock.still_ours()
        assert holder(folder) == Holder(os.getpid(), "nola daemon run", CLOCK.now())


@pytest.mark.bar("B5")
def test_a_lock_that_another_took_meanwhile_is_not_taken_again(tmp_path: Path) -> None:
    """Its file was deleted, and another daemon came first."""
    with held(tmp_path) as lock:
        (tmp_path / LOCK_NAME).unlink()
        with another(tmp_path) as other:
            assert not lock.still_ours()
            with pytest.raises(ConflictError, match=f"process {other.pid}"):
                lock.acquire()
            assert not lock.still_ours()


@pytest.mark.bar("J2")
def test_a_link_in_its_place_is_refused(tmp_path: Path) -> None:
    """What it leads to is neither locked nor written."""
    target = tmp_path / "owners.txt"
    target.write_text("mine")
    folder = tmp_path / "state"
    folder.mkdir()
    (folder / LOCK_NAME).symlink_to(target)
    with pytest.raises(NolaError, match="is a symbolic link") as refused:
        InstanceLock(folder, clock=CLOCK).acquire()
    assert not isinstance(refused.value, StorageError)
    assert target.read_text() == "mine"
    assert holder(folder) is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_somebody_else_is_refused(tmp_path: Path) -> None:
    """Whoever owns it could free the lock, or read along."""
    path = tmp_path / LOCK_NAME
    path.touch()
    os.chown(path, 12345, 12345)
    with pytest.raises(NolaError, match="belongs to somebody else"):
        InstanceLock(tmp_path, clock=CLOCK).acquire()
    os.chown(path, 0, 0)
    with held(tmp_path):
        pass


def test_a_folder_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    """A daemon whose state folder was removed does not put an empty one in its place."""
    with pytest.raises(StorageError, match="the folder is not there"):
        InstanceLock(tmp_path / "state", clock=CLOCK).acquire()
    assert not (tmp_path / "state").exists()


def test_releasing_twice_is_fine(tmp_path: Path) -> None:
    """And so is releasing what was never taken."""
    lock = InstanceLock(tmp_path, clock=CLOCK)
    lock.release()
    lock.acquire()
    lock.release()
    lock.release()
    assert not lock.still_ours()


@pytest.mark.bar("B6")
def test_control_without_the_lock_two_would_serve(tmp_path: Path) -> None:
    """A lock file that only exists, as others use it, lets a second one in: the refusal is the kernel's doing."""
    (tmp_path / LOCK_NAME).write_text(json.dumps({"pid": os.getpid(), "command": "nola daemon run", "since": ""}))
    with FileLock(tmp_path / LOCK_NAME, timeout=0):
        pass
    with held(tmp_path) as lock:
        assert lock.still_ours()
