"""Editors that slip in between the steps of a commit, disks that refuse, and file systems that can do less."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola import disk
from nola.errors import StorageError
from nola.saves import Group, Save, SlippedError, commit

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[1]


def standing(folder: Path) -> dict[str, bytes]:
    """What stands in a folder; a temporary file would be among it."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def in_place(path: Path, data: bytes) -> None:
    """Save as nano does."""
    path.write_bytes(data)


def by_rename(path: Path, data: bytes) -> None:
    """Save as most editors do."""
    beside = path.with_name(path.name + "~")
    beside.write_bytes(data)
    beside.replace(path)


def anew(path: Path, data: bytes) -> None:
    """Save by deleting and making."""
    path.unlink(missing_ok=True)
    path.write_bytes(data)


EDITORS: dict[str, Callable[[Path, bytes], None]] = {"in place": in_place, "by rename": by_rename, "anew": anew}
editors = pytest.mark.parametrize("edit", EDITORS.values(), ids=list(EDITORS))


class FirstFlush:
    """Flushes; before the first time, which comes between the first look and the exchange, somebody writes."""

    def __init__(self, happens: Callable[[], object]) -> None:
        self._happens: Callable[[], object] | None = happens

    def __call__(self, fd: int) -> None:
        """Flush."""
        happens, self._happens = self._happens, None
        if happens:
            happens()
        os.fsync(fd)


@dataclass
class Exchange:
    """Exchanges, and after the nth time, before anybody looks at what came out, somebody writes."""

    happens: list[Callable[[], object]]
    calls: int = 0

    def __call__(self, folder: int, one: str, other: str) -> bool:
        """Exchange."""
        done = disk.exchange(folder, one, other)
        self.calls += 1
        if self.happens:
            self.happens.pop(0)()
        return done


needs_exchange = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux exchanges names")


def nowhere(folder: int, one: str, other: str) -> bool:
    """Exchange nothing, as where there is no renameat2."""
    del folder, one, other
    return False


# --- between the first look and the exchange --------------------------------------------------------------------------
@needs_exchange
@pytest.mark.bar("B7")
@editors
def test_an_editor_that_slips_in_keeps_its_version(tmp_path: Path, edit: Callable[[Path, bytes], None]) -> None:
    """Its save stands, the whole group is taken back, the line too; the control, which looks once, loses it."""
    first, second, log = tmp_path / "a.json", tmp_path / "b.json", tmp_path / "log"
    saves = [Save(first, b"ours", b"old"), Save(second, b"ours", b"old")]
    for path in (first, second):
        path.write_bytes(b"old")
    log.write_bytes(b"one\n")
    with pytest.raises(SlippedError, match=r"b\.json changed"):
        commit(Group(FirstFlush(lambda: edit(second, b"the owner's"))), saves, log, b"two\n")
    assert standing(tmp_path) == {"a.json": b"old", "b.json": b"the owner's", "log": b"one\n"}
    unsafe = [Save(path, b"ours", None, keep_previous=False) for path in (first, second)]
    commit(Group(FirstFlush(lambda: edit(second, b"the owner's newest")), compare=False), unsafe)
    assert b"the owner's newest" not in standing(tmp_path).values()


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "not kept"])
@editors
def test_an_edited_file_is_not_deleted(tmp_path: Path, edit: Callable[[Path, bytes], None], *, keep: bool) -> None:
    """What was taken away is looked at, and put back when it is something else."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    flush = FirstFlush(lambda: edit(path, b"the owner's"))
    with pytest.raises(SlippedError):
        commit(Group(flush), [Save(tmp_path / "b.json", b"x", None), Save(path, None, b"old", keep)])
    assert standing(tmp_path) == {"a.json": b"the owner's"}


def test_a_file_that_appears_is_not_replaced(tmp_path: Path) -> None:
    """What the owner made in the meantime stands, and ours is gone."""
    path = tmp_path / "a.json"
    with pytest.raises(SlippedError):
        commit(Group(FirstFlush(lambda: path.write_bytes(b"the owner's"))), [Save(path, b"ours", None)])
    assert standing(tmp_path) == {"a.json": b"the owner's"}


@pytest.mark.parametrize("data", [b"ours", None], ids=["replace", "delete"])
def test_a_file_that_goes_is_not_brought_back(tmp_path: Path, data: bytes | None) -> None:
    """A file that the owner deleted meanwhile stays deleted; a write that does not compare makes it anew."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    saves = [Save(tmp_path / "b.json", b"x", None), Save(path, data, b"old")]
    with pytest.raises(SlippedError):
        commit(Group(FirstFlush(path.unlink)), saves)
    assert standing(tmp_path) == {}
    path.write_bytes(b"old")
    commit(Group(FirstFlush(path.unlink), compare=False), [Save(path, b"ours", None)])
    assert standing(tmp_path) == {"a.json": b"ours"}


@needs_exchange
def test_a_link_that_slips_in_is_put_back(tmp_path: Path) -> None:
    """A link in the place of the file is no file with the expected content, though it leads to one."""
    path, real = tmp_path / "a.json", tmp_path / "real"
    path.write_bytes(b"old")
    real.write_bytes(b"old")

    def link() -> None:
        path.unlink()
        path.symlink_to("real")

    with pytest.raises(StorageError, match="Too many levels of symbolic links"):
        commit(Group(FirstFlush(link)), [Save(path, b"ours", b"old")])
    assert path.is_symlink()
    assert standing(tmp_path) == {"a.json": b"old", "real": b"old"}


# --- between the exchange and the look at what came out ---------------------------------------------------------------
@needs_exchange
@pytest.mark.bar("B7")
@editors
def test_the_newest_version_of_the_owner_stands(tmp_path: Path, edit: Callable[[Path, bytes], None]) -> None:
    """Saves before the exchange and after each swap: the last of them is what stands in the end, and nothing else."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    later = [b"second", b"third", b"fourth"]
    exchange = Exchange([lambda data=data: edit(path, data) for data in later])  # type: ignore[misc]
    with pytest.raises(SlippedError):
        commit(Group(FirstFlush(lambda: edit(path, b"first")), exchange=exchange), [Save(path, b"ours", b"old")])
    assert standing(tmp_path) == {"a.json": b"fourth"}


@needs_exchange
@editors
def test_an_edit_after_the_exchange_is_an_edit_of_ours(tmp_path: Path, edit: Callable[[Path, bytes], None]) -> None:
    """Whoever writes once ours stands has seen it replaced: their version stands, and the old one is kept."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    exchange = Exchange([lambda: edit(path, b"the owner's")])
    commit(Group(os.fsync, exchange=exchange), [Save(path, b"ours", b"old")])
    assert (standing(tmp_path), exchange.calls) == ({"a.json": b"the owner's", "a.json.bak": b"old"}, 1)


@needs_exchange
@editors
def test_an_edit_of_ours_is_not_taken_back(tmp_path: Path, edit: Callable[[Path, bytes], None]) -> None:
    """When a later file of the group fails, a version that was built on ours stays: it is the owner's."""
    path, other = tmp_path / "a.json", tmp_path / "b.json"
    path.write_bytes(b"old")
    other.write_bytes(b"old")
    (tmp_path / "b.json.bak").mkdir()
    exchange = Exchange([lambda: edit(path, b"built on ours")])
    with pytest.raises(StorageError, match=r"b\.json: Is a directory"):
        commit(Group(os.fsync, exchange=exchange), [Save(path, b"ours", b"old"), Save(other, b"ours", b"old")])
    assert standing(tmp_path) == {"a.json": b"built on ours", "b.json": b"old"}


@needs_exchange
def test_what_is_deleted_during_the_way_back_is_still_put_back(tmp_path: Path) -> None:
    """The old version is never dropped while nothing stands in its place."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    exchange = Exchange([path.unlink])
    with pytest.raises(SlippedError):
        commit(Group(FirstFlush(lambda: path.write_bytes(b"first")), exchange=exchange), [Save(path, b"ours", b"old")])
    assert standing(tmp_path) == {"a.json": b"first"}


def fails(folder: int, one: str, other: str) -> bool:
    """Exchange nothing, because the disk is broken."""
    del folder, one, other
    raise OSError(5, "Input/output error")


def test_an_exchange_that_fails_changes_nothing(tmp_path: Path) -> None:
    """The old version stands, and nothing is swapped to and fro."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    before = path.stat()
    with pytest.raises(StorageError, match=r"a\.json: Input/output error"):
        commit(Group(os.fsync, exchange=fails), [Save(path, b"ours", b"old")])
    assert (standing(tmp_path), path.stat().st_ctime_ns) == ({"a.json": b"old"}, before.st_ctime_ns)


@needs_exchange
def test_what_can_not_be_put_back_is_not_thrown_away(tmp_path: Path) -> None:
    """When the way back fails too, the old version stays under its temporary name, rather than nowhere."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    ways = [disk.exchange, fails]

    def breaks(folder: int, one: str, other: str) -> bool:
        return ways.pop(0)(folder, one, other)

    flush = FirstFlush(lambda: path.write_bytes(b"the owner's"))
    with pytest.raises(SlippedError):
        commit(Group(flush, exchange=breaks), [Save(path, b"ours", b"old")])
    assert sorted(standing(tmp_path).values()) == [b"ours", b"the owner's"]


def test_an_older_version_outlives_a_group_that_fails(tmp_path: Path) -> None:
    """No NAME.bak is replaced before every file of the group stands."""
    for name, data in (("a.json", b"old"), ("a.json.bak", b"older"), ("b.json", b"old")):
        (tmp_path / name).write_bytes(data)
    before = standing(tmp_path)
    saves = [Save(tmp_path / "a.json", b"ours", b"old"), Save(tmp_path / "c.json", b"ours", None)]
    with pytest.raises(SlippedError):
        commit(Group(FirstFlush(lambda: (tmp_path / "c.json").write_bytes(b"the owner's"))), saves)
    assert standing(tmp_path) == {**before, "c.json": b"the owner's"}


def test_a_folder_that_goes_is_a_disk_that_refuses(tmp_path: Path) -> None:
    """A write that compares nothing can't be in conflict with anybody."""
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(StorageError, match="No such file or directory"):
        commit(Group(FirstFlush(lambda: shutil.rmtree(folder)), compare=False), [Save(folder / "a.json", b"x", None)])


# --- without renameat2 ------------------------------------------------------------------------------------------------
def test_without_an_exchange_the_same_is_saved(tmp_path: Path) -> None:
    """Replaced by rename, the previous version kept or not."""
    for name in "ab":
        (tmp_path / name).write_bytes(b"old")
    saves = [Save(tmp_path / "a", b"new", b"old"), Save(tmp_path / "b", b"new", b"old", keep_previous=False)]
    commit(Group(os.fsync, exchange=nowhere), saves)
    assert standing(tmp_path) == {"a": b"new", "a.bak": b"old", "b": b"new"}


@editors
def test_without_an_exchange_who_slips_in_is_noticed(tmp_path: Path, edit: Callable[[Path, bytes], None]) -> None:
    """A save up to the last look stands."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    flush = FirstFlush(lambda: edit(path, b"the owner's"))
    with pytest.raises(SlippedError):
        commit(Group(flush, exchange=nowhere), [Save(path, b"ours", b"old")])
    assert standing(tmp_path) == {"a.json": b"the owner's"}


@pytest.mark.parametrize("edited", [False, True], ids=["ours", "edited"])
@pytest.mark.parametrize("keep", [True, False], ids=["kept", "not kept"])
def test_without_an_exchange_a_failure_is_taken_back(tmp_path: Path, *, keep: bool, edited: bool) -> None:
    """The old version comes back, unless somebody has written to ours; then that stands."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    calls: list[int] = []

    def flush(fd: int) -> None:
        calls.append(fd)
        if len(calls) == 2:
            if edited:
                by_rename(path, b"built on ours")
            raise OSError(5, "Input/output error")

    with pytest.raises(StorageError):
        commit(Group(flush, exchange=nowhere), [Save(path, b"ours", b"old", keep)])
    left = {"a.json": b"built on ours", **({"a.json.bak": b"old"} if keep else {})} if edited else {"a.json": b"old"}
    assert standing(tmp_path) == left


# --- disks that refuse ------------------------------------------------------------------------------------------------
TINY = """
import os, pathlib, subprocess, sys
from nola.errors import StorageError
from nola.files import Save, save_all
folder = pathlib.Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", str(folder)], check=True)
old, new, log = b"o" * 100_000, b"n" * 200_000, folder / "log"
(folder / "a").write_bytes(old)
log.write_bytes(b"one\\n")
before = {p.name: p.read_bytes() for p in folder.iterdir()}
try:
    save_all([Save(folder / "a", new, old)], log=log, line=b"two\\n")
except StorageError as error:
    print(str(error).rpartition(": ")[2])
print({p.name: p.read_bytes() for p in folder.iterdir()} == before)
save_all([Save(folder / "a", new[:1000], old)], log=log, line=b"two\\n")
print((folder / "a").read_bytes() == new[:1000], log.read_bytes())
fd = os.open(folder / "c", os.O_WRONLY | os.O_CREAT)
print("control:", os.write(fd, new) < len(new))
"""


@pytest.mark.bar("A4")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no unshare")
def test_a_really_full_disk_changes_nothing(tmp_path: Path) -> None:
    """The old bytes and the log stand, what fits is saved at once; the control, a plain write, is told of no error."""
    apart = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-Urm"]
    if subprocess.run([*apart, "mount", "-t", "tmpfs", "none", tmp_path], capture_output=True, check=False).returncode:
        pytest.skip("no disk may be mounted here")
    done = subprocess.run(
        [*apart, sys.executable, "-c", TINY, tmp_path], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.stdout.splitlines()) == (
        "",
        ["No space left on device", "True", "True b'one\\ntwo\\n'", "control: True"],
    )


@dataclass(frozen=True)
class Plan:
    """A group over three files, and at which flush the disk fails or the owner writes."""

    before: tuple[bytes | None, ...]
    after: tuple[bytes | None, ...]
    keep: tuple[bool, ...]
    fails_at: int
    slips: bool
    exchanges: bool


content = st.none() | st.sampled_from([b"", b"one", b"two", b"x" * 70_000])
three = st.tuples(content, content, content)
plans = st.builds(Plan, three, three, st.tuples(*[st.booleans()] * 3), st.integers(1, 9), st.booleans(), st.booleans())


@pytest.mark.bar("A3")
@given(plan=plans)
@settings(max_examples=150, deadline=None)
def test_a_group_is_all_or_nothing(plan: Plan) -> None:
    """Whatever is saved and whenever it fails: all files are as before, or all are new; nothing else remains."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        paths = [folder / name for name in "abc"]
        for path, data in zip(paths, plan.before, strict=True):
            if data is not None:
                path.write_bytes(data)
        saves = [Save(p, a, b, k) for p, a, b, k in zip(paths, plan.after, plan.before, plan.keep, strict=True)]
        calls: list[int] = []

        def flush(fd: int) -> None:
            calls.append(fd)
            if len(calls) == plan.fails_at:
                if not plan.slips:
                    raise OSError(5, "Input/output error")
                (folder / "c").write_bytes(b"the owner's")

        group = Group(flush, exchange=disk.exchange if plan.exchanges else nowhere)
        try:
            commit(group, saves, folder / "log", b"line\n")
            wanted, line = plan.after, b"line\n"
        except (StorageError, SlippedError):
            wanted, line = plan.before, None
        found = standing(folder)
        owners = plan.slips and len(calls) >= plan.fails_at
        last = b"the owner's" if owners else wanted[2]
        assert [found.get(name) for name in "abc"] == [*wanted[:2], last]
        assert found.get("log") == line
        assert set(found) <= {"a", "b", "c", "a.bak", "b.bak", "c.bak", "log"}
