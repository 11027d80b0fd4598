"""The system calls of the write protocol one by one."""

from __future__ import annotations

import errno
import fcntl
import os
import signal
import stat
import sys
import termios
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola import disk
from nola.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    """Open a folder."""
    fd = os.open(folder, disk.FOLDER)
    try:
        yield fd
    finally:
        os.close(fd)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    """An open folder with a file `a`."""
    (tmp_path / "a").write_bytes(b"x" * 70_000)
    with opened(tmp_path) as fd:
        yield fd


# --- looking ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("expect", "same"),
    [
        (b"x" * 70_000, True),
        (b"x" * 69_999, False),
        (b"x" * 70_001, False),
        (b"x" * 69_999 + b"y", False),
        (b"y" + b"x" * 69_999, False),
        (b"", False),
    ],
)
def test_a_file_holds_exactly_what_it_holds(folder: int, expect: bytes, *, same: bool) -> None:
    """Length and every byte, also over several reads."""
    assert disk.holds(folder, "a", expect) is same


def test_only_a_regular_file_holds_anything(tmp_path: Path, folder: int) -> None:
    """Nothing, a folder and a pipe hold nothing; a link is not followed."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("a")
    assert not any(disk.holds(folder, name, b"") for name in ("missing", "folder", "pipe"))
    with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
        disk.holds(folder, "link", b"x" * 70_000)
    assert disk.content(folder, "a") == b"x" * 70_000
    assert [disk.content(folder, name) for name in ("missing", "folder", "link")] == [None, None, None]
    assert (disk.inode(folder, "a"), disk.inode(folder, "missing")) == ((tmp_path / "a").stat().st_ino, None)


def test_what_can_be_wrong_with_a_file(tmp_path: Path, folder: int) -> None:
    """A regular file of one's own is fine; a folder, a link, a pipe and another user's file are named."""
    del folder
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    me = os.geteuid()
    said = [
        disk.defect(path.lstat(), (me,)) for path in (tmp_path / "a", tmp_path, tmp_path / "link", tmp_path / "pipe")
    ]
    assert said == ["", "Is a directory", "it is a link", "it is no regular file"]
    assert disk.defect((tmp_path / "a").stat(), (me + 1,)) == "it belongs to another user"
    assert disk.checked((tmp_path / "a").stat()).st_size == 70_000
    with pytest.raises(OSError, match="Is a directory"):
        disk.checked(tmp_path.stat())


# --- writing ----------------------------------------------------------------------------------------------------------
def through_a_pipe(write: Callable[[int, bytes], int], data: bytes) -> tuple[int, bytes]:
    """Write to a pipe that is full for a while; a signal breaks the first write off once a part is written."""
    read, fd = os.pipe()
    full = fcntl.fcntl(read, fcntl.F_GETPIPE_SZ)
    got: list[bytes] = []
    me = threading.get_ident()

    def reader() -> None:
        held = 0
        while held < full:
            held = int.from_bytes(fcntl.ioctl(read, termios.FIONREAD, bytes(4)), sys.byteorder)
        signal.pthread_kill(me, signal.SIGUSR1)
        got.extend(disk.chunks_of(read))

    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    thread = threading.Thread(target=reader)
    thread.start()
    try:
        written = write(fd, data)
    finally:
        os.close(fd)
        thread.join()
        os.close(read)
        signal.signal(signal.SIGUSR1, before)
    return written, b"".join(got)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a pipe holds 64 KiB only on Linux")
def test_a_write_that_takes_a_part_is_gone_on_with() -> None:
    """All is written in the end; the control is told of a part, and no error."""
    data = os.urandom(300_000)
    assert through_a_pipe(disk.write_all, data) == (300_000, data)
    written, got = through_a_pipe(os.write, data)
    assert 0 < written < 300_000
    assert got == data[:written]


@pytest.mark.parametrize("umask", [0o000, 0o777])
def test_a_new_file_is_private_whatever_the_umask(folder: int, umask: int) -> None:
    """Neither an open nor a closed umask changes the mode 0600."""
    before = os.umask(umask)
    try:
        fd = os.open("new", disk.NEW, disk.FILE, dir_fd=folder)
    finally:
        os.umask(before)
    info = disk.fill(fd, (b"ab", b"", b"c"))
    assert (info.st_size, stat.S_IMODE(os.fstat(fd).st_mode)) == (3, 0o600)
    os.close(fd)


def test_a_file_that_is_longer_than_what_was_written_is_refused(tmp_path: Path) -> None:
    """Somebody else's bytes in a new file are found by its size."""
    fd = os.open(tmp_path / "a", disk.NEW, disk.FILE)
    (tmp_path / "a").write_bytes(b"somebody else's")
    with pytest.raises(OSError, match="the disk took only a part of the file"):
        disk.fill(fd, (b"ours",))
    os.close(fd)


def test_a_temporary_name_tells_its_writer_and_is_new() -> None:
    """The number of the process stands in it, and no two are alike."""
    made = {disk.temp_name() for _ in range(1000)}
    assert len(made) == 1000
    assert all(name.startswith(f".nola-{os.getpid()}-") and name.endswith(".tmp") for name in made)


@pytest.mark.parametrize("is_new", [True, False])
def test_a_log_is_cut_back(tmp_path: Path, *, is_new: bool) -> None:
    """What was added is taken back; a log that was not there is gone again."""
    path = tmp_path / "log"
    if not is_new:
        path.write_bytes(b"one")
    with disk.Tail(path) as tail:
        tail.add_line(b"two\n")
        assert path.read_bytes() == (b"two\n" if is_new else b"one\ntwo\n")
        tail.cut()
    assert path.exists() is not is_new
    assert is_new or path.read_bytes() == b"one"


def test_a_log_is_a_file_of_its_own(tmp_path: Path) -> None:
    """A link, a pipe and a folder are no log, and nothing is waited for."""
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / "link").symlink_to("elsewhere")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("link", "symbolic link"), ("folder", "Is a directory"), ("pipe", "it is no regular file")):
        with pytest.raises(OSError, match=why):
            disk.Tail(tmp_path / name)


# --- renaming ---------------------------------------------------------------------------------------------------------
def test_a_log_with_a_second_name_is_parted_from_it(tmp_path: Path) -> None:
    """A backup made of hard links keeps what it had; what is added stands in the log alone."""
    log, kept = tmp_path / "log", tmp_path / "backup"
    log.write_bytes(b"one\ntw")
    os.link(log, kept)
    kept.chmod(0o640)
    with disk.Tail(log) as tail:
        assert tail.is_torn()
        tail.add_line(b"three\n")
    assert (log.read_bytes(), kept.read_bytes()) == (b"one\ntw\nthree\n", b"one\ntw")
    assert [stat.S_IMODE(path.stat().st_mode) for path in (log, kept)] == [0o600, 0o640]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["backup", "log"]


def test_a_lock_file_that_nobody_holds_loses_its_second_name(tmp_path: Path) -> None:
    """One that is held stays: whoever holds it and whoever waits for it must mean the same file."""
    lock, other = tmp_path / ".lock", tmp_path / "other"
    lock.write_bytes(b"mine")
    os.link(lock, other)
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        disk.part(lock)
        assert lock.exists()
    disk.part(lock)
    assert (lock.exists(), other.read_bytes()) == (False, b"mine")
    with pytest.raises(FileNotFoundError):
        disk.part(lock)
    disk.part(other)
    assert other.exists()


def test_names_are_exchanged_in_one_moment(tmp_path: Path, folder: int) -> None:
    """Both names exist before and after; where it can't be done, nothing happens."""
    (tmp_path / "b").write_bytes(b"b")
    one, other = disk.inode(folder, "a"), disk.inode(folder, "b")
    done = disk.exchange(folder, "a", "b")
    assert (disk.inode(folder, "a"), disk.inode(folder, "b")) == ((other, one) if done else (one, other))
    assert done or not sys.platform.startswith("linux")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux exchanges names")
def test_an_exchange_with_nothing_is_an_error(folder: int) -> None:
    """What is not there is an error like any other, and no sign of a file system that can do less."""
    with pytest.raises(FileNotFoundError):
        disk.exchange(folder, "a", "missing")


@pytest.mark.parametrize("place", [disk.place, disk.place_by_link])
def test_a_place_that_is_taken_stays_taken(tmp_path: Path, folder: int, place: Callable[[int, str, str], None]) -> None:
    """A free name is given, and one that is not free refused, by either way; the control overwrites it."""
    (tmp_path / "b").write_bytes(b"b")
    place(folder, "b", "c")
    (tmp_path / "d").write_bytes(b"d")
    with pytest.raises(FileExistsError):
        place(folder, "d", "c")
    assert {p.name: p.read_bytes()[:1] for p in tmp_path.iterdir()} == {"a": b"x", "c": b"b", "d": b"d"}
    disk.rename(folder, "d", "c")
    assert (tmp_path / "c").read_bytes() == b"d"


def test_a_second_name_keeps_a_file(tmp_path: Path, folder: int) -> None:
    """What is put in the place of the first name does not reach the second."""
    disk.copy_aside(folder, "a", "b")
    (tmp_path / "new").write_bytes(b"new")
    disk.rename(folder, "new", "a")
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").stat().st_size) == (b"new", 70_000)
    with pytest.raises(FileExistsError):
        disk.copy_aside(folder, "a", "b")


# --- flushing ---------------------------------------------------------------------------------------------------------
def test_many_are_flushed_side_by_side_and_all_waited_for() -> None:
    """A failure of one is told with its path, after the others are done; several at once tell the first."""
    done: list[int] = []
    all_there = threading.Barrier(4, timeout=20)

    def flush(fd: int) -> None:
        all_there.wait()
        if fd in {1, 2}:
            raise OSError(errno.EIO, f"broken {fd}")
        done.append(fd)

    with pytest.raises(StorageError, match=r"could not write file1: broken 1"):
        disk.flush_all(flush, [(fd, Path(f"file{fd}")) for fd in range(4)])
    assert sorted(done) == [0, 3]
    disk.flush_all(flush, [])


def test_the_first_failure_waits_for_the_others_too() -> None:
    """The thread that saves fails first and still waits, or a file would be closed while it is flushed."""
    failed = threading.Event()
    done: list[int] = []

    def flush(fd: int) -> None:
        if fd == 0:
            failed.set()
            raise OSError(errno.EIO, "broken")
        failed.wait(20)
        done.append(fd)

    with pytest.raises(StorageError, match="file0: broken"):
        disk.flush_all(flush, [(0, Path("file0")), (1, Path("file1"))])
    assert done == [1]
