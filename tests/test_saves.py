"""A group of files and a line of the log: all of it or nothing, and never over what somebody else wrote."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING

import pytest

from nola import disk
from nola.errors import ConflictError, StorageError
from nola.saves import Group, Save, SlippedError, commit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

NOBODY = 65534


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Let new files be as open as whoever makes them asks for."""
    before = os.umask(0)
    yield
    os.umask(before)


def standing(folder: Path) -> dict[str, bytes]:
    """What stands in a folder and those below it; a temporary file would be among it."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def fill(folder: Path, **content: bytes) -> None:
    """Write files, each named without its ending."""
    for name, data in content.items():
        (folder / f"{name}.json").write_bytes(data)


class Flush:
    """Flushes, after something else happened before the nth time, from 1; notes the numbers of the files."""

    def __init__(self, **before: Callable[[], object]) -> None:
        self._before = before
        self.seen: list[int] = []
        self._lock = threading.Lock()

    def __call__(self, fd: int) -> None:
        """Flush."""
        with self._lock:
            self.seen.append(os.fstat(fd).st_ino)
            happens = self._before.get(f"no{len(self.seen)}")
        if happens:
            happens()
        os.fsync(fd)


def broken() -> None:
    """Fail as a disk does that lost what it was given."""
    raise OSError(5, "Input/output error")


# --- what is saved ----------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("no_umask")
def test_a_group_is_saved_with_its_line(tmp_path: Path) -> None:
    """One is made, one replaced, one deleted; the previous versions stay, and all is private under umask 000."""
    fill(tmp_path, b=b"old b", c=b"old c")
    saves = [
        Save(tmp_path / "a.json", b"new a", None),
        Save(tmp_path / "b.json", b"new b", b"old b"),
        Save(tmp_path / "c.json", None, b"old c"),
    ]
    stamps = commit(Group(os.fsync), saves, tmp_path / "log", b"line\n")
    assert standing(tmp_path) == {
        "a.json": b"new a",
        "b.json": b"new b",
        "b.json.bak": b"old b",
        "c.json.bak": b"old c",
        "log": b"line\n",
    }
    modes = {
        path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / name for name in ("a.json", "b.json"))
    }
    assert modes == {"a.json": 0o600, "b.json": 0o600}
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600
    info = [path.stat() for path in (tmp_path / "a.json", tmp_path / "b.json")]
    assert stamps == [*((i.st_mtime_ns, i.st_size, i.st_ino) for i in info), None]


def test_the_previous_version_is_kept_only_when_asked_for(tmp_path: Path) -> None:
    """Without it, an older previous version stays as it is, and nothing else remains."""
    fill(tmp_path, a=b"one", b=b"one")
    (tmp_path / "a.json.bak").write_bytes(b"zero")
    saves = [Save(tmp_path / "a.json", b"two", b"one", False), Save(tmp_path / "b.json", None, b"one", False)]  # noqa: FBT003 -- reads well
    commit(Group(os.fsync), saves)
    assert standing(tmp_path) == {"a.json": b"two", "a.json.bak": b"zero"}


def test_a_previous_version_replaces_the_one_before(tmp_path: Path) -> None:
    """Only one step back is kept beside the file, also when a crash left two names of one file."""
    fill(tmp_path, a=b"one", b=b"one")
    os.link(tmp_path / "a.json", tmp_path / "a.json.bak")
    os.link(tmp_path / "b.json", tmp_path / "b.json.bak")
    commit(Group(os.fsync), [Save(tmp_path / "a.json", b"two", b"one"), Save(tmp_path / "b.json", None, b"one")])
    assert standing(tmp_path) == {"a.json": b"two", "a.json.bak": b"one", "b.json.bak": b"one"}
    commit(Group(os.fsync), [Save(tmp_path / "a.json", b"three", b"two")])
    assert standing(tmp_path) == {"a.json": b"three", "a.json.bak": b"two", "b.json.bak": b"one"}


def test_the_line_stands_alone(tmp_path: Path) -> None:
    """A line that an older crash broke off is ended first; deleting what is not there changes nothing."""
    (tmp_path / "log").write_bytes(b"one\nbroken o")
    (tmp_path / "log").chmod(0o644)
    for line in (b"two\n", b"three\n"):
        assert commit(Group(os.fsync), [Save(tmp_path / "a.json", None, None)], tmp_path / "log", line) == [None]
    assert standing(tmp_path) == {"log": b"one\nbroken o\ntwo\nthree\n"}
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_a_file_behind_a_link_is_saved_where_it_is(tmp_path: Path) -> None:
    """The link stays, and the previous version stands beside the real file."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.json").write_bytes(b"old")
    (tmp_path / "a.json").symlink_to("real/a.json")
    commit(Group(os.fsync), [Save(tmp_path / "a.json", b"new", b"old")])
    assert (tmp_path / "a.json").is_symlink()
    assert standing(tmp_path) == {"a.json": b"new", "real/a.json": b"new", "real/a.json.bak": b"old"}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to another user")
@pytest.mark.bar("J1")
def test_what_belongs_to_others_is_left_alone(tmp_path: Path) -> None:
    """Another user's file or log is refused before anything is written, though its content is as expected."""
    fill(tmp_path, a=b"old", b=b"old")
    (tmp_path / "log").write_bytes(b"")
    for name in ("b.json", "log"):
        try:
            os.chown(tmp_path / name, NOBODY, NOBODY)
        except OSError as error:
            pytest.skip(f"this root may not give a file away: {error.strerror}")
    with pytest.raises(StorageError, match=r"b\.json: it belongs to another user"):
        commit(Group(os.fsync), [Save(tmp_path / "a.json", b"new", b"old"), Save(tmp_path / "b.json", b"new", b"old")])
    with pytest.raises(StorageError, match="log: it belongs to another user"):
        commit(Group(os.fsync), [Save(tmp_path / "a.json", b"new", b"old")], tmp_path / "log", b"line\n")
    assert standing(tmp_path) == {"a.json": b"old", "b.json": b"old", "log": b""}


# --- in which order ---------------------------------------------------------------------------------------------------
@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="only Linux tells which file is flushed")  # noqa: PTH112 -- as short as can be
def test_nothing_is_replaced_before_it_is_on_disk(tmp_path: Path) -> None:
    """First the new content is flushed, nothing else done; then log and folder, everything else done."""
    fill(tmp_path, a=b"old")
    (tmp_path / "log").write_bytes(b"")
    found: dict[str, dict[str, bytes]] = {}

    def look(fd: int) -> None:
        flushed = os.readlink(f"/proc/self/fd/{fd}").rpartition("/")[2]  # noqa: PTH115 -- as short as can be
        found["temp" if flushed.startswith(disk.TEMP_PREFIX) else flushed] = standing(tmp_path)

    commit(Group(look), [Save(tmp_path / "a.json", b"new", b"old")], tmp_path / "log", b"line\n")
    after = {"a.json": b"new", "a.json.bak": b"old", "log": b"line\n"}
    assert {**found, "temp": sorted(found["temp"].values())} == {
        "temp": [b"", b"new", b"old"],
        "log": after,
        tmp_path.name: after,
    }


def test_log_and_folder_are_flushed_side_by_side(tmp_path: Path) -> None:
    """Each of the two waits for the other here, so that one after the other would never end."""
    fill(tmp_path, a=b"old")
    (tmp_path / "log").write_bytes(b"")
    both = threading.Barrier(2, timeout=20)
    flush = Flush(no2=both.wait, no3=both.wait)
    commit(Group(flush), [Save(tmp_path / "a.json", b"new", b"old")], tmp_path / "log", b"line\n")
    assert (len(flush.seen), both.broken) == (3, False)


def test_the_folder_of_a_new_log_is_flushed(tmp_path: Path) -> None:
    """A new log's entry in its folder is made durable too; later lines need only the log."""
    (tmp_path / "history").mkdir()
    log = tmp_path / "history" / "log"
    for wanted in ({tmp_path, log.parent, log}, {tmp_path, log}):
        flush = Flush()
        commit(Group(flush), [Save(tmp_path / "a.json", None, None)], log, b"line\n")
        assert sorted(flush.seen) == sorted(path.stat().st_ino for path in wanted)


def test_a_single_file_needs_no_thread(tmp_path: Path) -> None:
    """What is alone is flushed by the thread that saves."""
    flushed: list[int] = []
    commit(Group(lambda _: flushed.append(threading.get_ident())), [Save(tmp_path / "a.json", b"new", None)])
    assert flushed == [threading.get_ident()] * 2


@pytest.mark.bar("A6")
@pytest.mark.parametrize("nth", ["no1", "no2", "no3"])
def test_a_failed_flush_is_never_tried_again(tmp_path: Path, nth: str) -> None:
    """Content, folder or log: no file is flushed twice, everything stands as before, and a new try succeeds."""
    fill(tmp_path, a=b"old")
    (tmp_path / "log").write_bytes(b"one\n")
    save = Save(tmp_path / "a.json", b"new", b"old")
    flush = Flush(**{nth: broken})
    with pytest.raises(StorageError, match="Input/output error") as caught:
        commit(Group(flush), [save], tmp_path / "log", b"two\n")
    assert caught.value.path in {str(tmp_path / "a.json"), str(tmp_path / "log")}
    assert len(flush.seen) == len(set(flush.seen))
    assert standing(tmp_path) == {"a.json": b"old", "log": b"one\n"}
    commit(Group(os.fsync), [save], tmp_path / "log", b"two\n")
    assert standing(tmp_path) == {"a.json": b"new", "a.json.bak": b"old", "log": b"one\ntwo\n"}


# --- what is believed and what stands there ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "data", "expect"),
    [("a", b"new", b"OLD"), ("a", b"new", b"ol"), ("a", b"new", None), ("c", b"new", b"old"), ("a", None, b"OLD")],
    ids=["other text", "shorter", "none believed", "none there", "deleting"],
)
def test_a_wrong_belief_changes_nothing(tmp_path: Path, name: str, data: bytes | None, expect: bytes | None) -> None:
    """Nothing is flushed, nothing written; the control, which believes nothing, replaces what it never saw."""
    fill(tmp_path, a=b"old", b=b"old")
    saves = [Save(tmp_path / "b.json", b"new", b"old"), Save(tmp_path / f"{name}.json", data, expect)]
    flush = Flush()
    with pytest.raises(SlippedError, match=rf"{name}\.json changed while it was being saved") as caught:
        commit(Group(flush), saves, tmp_path / "log", b"line\n")
    assert isinstance(caught.value, ConflictError)
    assert flush.seen == []
    assert standing(tmp_path) == {"a.json": b"old", "b.json": b"old"}
    if data is not None:
        commit(Group(flush, compare=False), saves)
        assert standing(tmp_path)[f"{name}.json"] == b"new"


def test_an_empty_file_is_not_nothing(tmp_path: Path) -> None:
    """A file of no bytes is expected as b"", and is no free place."""
    fill(tmp_path, a=b"")
    with pytest.raises(SlippedError):
        commit(Group(os.fsync), [Save(tmp_path / "a.json", b"new", None)])
    commit(Group(os.fsync), [Save(tmp_path / "a.json", b"new", b"")])
    assert standing(tmp_path) == {"a.json": b"new", "a.json.bak": b""}


def test_ctrl_c_leaves_nothing_half_done(tmp_path: Path) -> None:
    """Whatever breaks a commit off passes through, and everything stands as before."""
    fill(tmp_path, a=b"old")

    def interrupt() -> None:
        raise KeyboardInterrupt

    for nth in ("no1", "no2"):
        with pytest.raises(KeyboardInterrupt):
            commit(Group(Flush(**{nth: interrupt})), [Save(tmp_path / "a.json", b"new", b"old")])
        assert standing(tmp_path) == {"a.json": b"old"}


def test_no_descriptor_is_left_open(tmp_path: Path) -> None:
    """Neither a save nor a failure keeps a file open."""
    fill(tmp_path, a=b"old")
    (tmp_path / "log").write_bytes(b"")
    commit(Group(os.fsync), [], tmp_path / "log", b"line\n")
    lowest = os.dup(0)
    os.close(lowest)
    for nth in ("no1", "no2", "no3"):
        with pytest.raises(StorageError):
            commit(Group(Flush(**{nth: broken})), [Save(tmp_path / "a.json", b"new", b"old")], tmp_path / "log", b"x\n")
    with pytest.raises(SlippedError):
        commit(Group(os.fsync), [Save(tmp_path / "a.json", b"new", b"else")])
    commit(Group(os.fsync), [Save(tmp_path / "a.json", b"new", b"old")], tmp_path / "log", b"x\n")
    now = os.dup(0)
    os.close(now)
    assert now == lowest
