"""What is refused, read and kept aside: links, pipes, other users' files, and files that are written meanwhile."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola import files
from nola.errors import NolaError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
NOBODY = 65534
foreign = pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file to another user")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has /proc")


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Let new files be as open as whoever makes them asks for."""
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    """What stands in a folder."""
    return sorted(path.name for path in folder.iterdir())


def given_away(path: Path, content: bytes | None = b"theirs") -> Path:
    """Make a file, or a folder without content, of another user."""
    path.mkdir() if content is None else path.write_bytes(content)
    try:
        os.chown(path, NOBODY, NOBODY)
    except OSError as error:
        pytest.skip(f"this root may not give a file away: {error.strerror}")
    return path


def piped(path: Path) -> Path:
    """Make a pipe that nobody writes to."""
    os.mkfifo(path)
    return path


# --- write_atomic -----------------------------------------------------------------------------------------------------
@pytest.mark.bar("J1")
@foreign
def test_another_users_file_is_never_replaced(tmp_path: Path) -> None:
    """Neither directly nor behind a link, and it keeps its content."""
    (tmp_path / "there").mkdir()
    theirs = given_away(tmp_path / "there" / "a.json")
    (tmp_path / "a.json").symlink_to(theirs)
    for path in (theirs, tmp_path / "a.json"):
        with pytest.raises(StorageError, match=r"a\.json: it belongs to another user"):
            files.write_atomic(path, b"ours", follow=True)
    assert (theirs.read_bytes(), names(theirs.parent), names(tmp_path)) == (b"theirs", ["a.json"], ["a.json", "there"])


@pytest.mark.parametrize(
    ("make", "why"),
    [(Path.mkdir, "Is a directory"), (piped, "it is no regular file"), (lambda p: p.symlink_to(p), "it is a link")],
    ids=["folder", "pipe", "link to itself"],
)
def test_what_is_no_file_is_never_replaced(tmp_path: Path, make: Callable[[Path], object], why: str) -> None:
    """A folder, a pipe and a link that leads nowhere are refused at once, and stay."""
    make(tmp_path / "a.json")
    with pytest.raises(StorageError, match=why):
        files.write_atomic(tmp_path / "a.json", b"x", follow=True)
    assert names(tmp_path) == ["a.json"]


def test_a_link_to_a_file_that_is_not_there_yet_makes_it(tmp_path: Path) -> None:
    """The file is made where the link leads, and the link stays."""
    (tmp_path / "real").mkdir()
    (tmp_path / "a.json").symlink_to("real/b.json")
    files.write_atomic(tmp_path / "a.json", b"x", follow=True)
    assert (tmp_path / "a.json").is_symlink()
    assert ((tmp_path / "real" / "b.json").read_bytes(), names(tmp_path / "real")) == (b"x", ["b.json"])


@pytest.mark.bar("J2")
def test_a_previous_version_never_goes_through_a_link(tmp_path: Path) -> None:
    """A link in the place of NAME.bak is replaced, and what it led to stays as it was."""
    (tmp_path / "elsewhere").write_bytes(b"not to be touched")
    (tmp_path / "a.json").write_bytes(b"one")
    (tmp_path / "a.json.bak").symlink_to("elsewhere")
    files.write_atomic(tmp_path / "a.json", b"two", keep_previous=True)
    assert not (tmp_path / "a.json.bak").is_symlink()
    assert (tmp_path / "a.json.bak").read_bytes() == b"one"
    assert (tmp_path / "elsewhere").read_bytes() == b"not to be touched"


# --- folders and locks ------------------------------------------------------------------------------------------------
@pytest.mark.bar("J1")
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    """A link in the last place is no private folder, wherever it leads; a link further up is fine."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "nowhere").symlink_to("missing")
    for name in ("link", "nowhere"):
        with pytest.raises(StorageError, match=r"it is a link$"):
            files.make_private_dir(tmp_path / name)
    assert mode(files.make_private_dir(tmp_path / "link" / "a")) == 0o700
    assert names(tmp_path / "real") == ["a"]


@pytest.mark.bar("J1")
@foreign
def test_another_users_folder_is_refused(tmp_path: Path) -> None:
    """A folder of somebody else keeps its mode and is not used."""
    theirs = given_away(tmp_path / "theirs", None)
    theirs.chmod(0o755)
    with pytest.raises(StorageError, match="it belongs to another user"):
        files.make_private_dir(theirs)
    assert mode(theirs) == 0o755


@pytest.mark.bar("J1")
@pytest.mark.usefixtures("no_umask")
def test_a_lock_is_private_whatever_stood_there(tmp_path: Path) -> None:
    """A new lock file is 0600 under umask 000, and an older one that is open to others is closed."""
    with files.locked(tmp_path / "new"):
        assert mode(tmp_path / "new") == 0o600
    (tmp_path / "old").write_bytes(b"")
    (tmp_path / "old").chmod(0o666)
    with files.locked(tmp_path / "old"):
        assert mode(tmp_path / "old") == 0o600


@pytest.mark.bar("J2")
def test_a_lock_that_is_a_link_or_a_pipe_is_refused(tmp_path: Path) -> None:
    """What a link leads to is neither locked nor made, and a pipe is not waited for."""
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "real").chmod(0o644)
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "nowhere").symlink_to("missing")
    piped(tmp_path / "pipe")
    for name, why in (("link", "it is a link"), ("nowhere", "it is a link"), ("pipe", "it is no regular file")):
        with pytest.raises(StorageError, match=why), files.locked(tmp_path / name, timeout_s=0.05):
            pass
    assert (names(tmp_path), mode(tmp_path / "real")) == (["link", "nowhere", "pipe", "real"], 0o644)


@foreign
def test_another_users_lock_is_refused(tmp_path: Path) -> None:
    """A lock file that somebody else made could be held by them for ever."""
    given_away(tmp_path / "lock", b"")
    with pytest.raises(StorageError, match="it belongs to another user"), files.locked(tmp_path / "lock"):
        pass


# --- reading ----------------------------------------------------------------------------------------------------------
def test_a_stamp_tells_one_version_of_a_file_from_another(tmp_path: Path) -> None:
    """Time, size and number, through a link too; nothing where nothing stands."""
    path = tmp_path / "a.json"
    assert files.stamp_of(path) is None
    assert files.stamp_of(path / "b") is None
    files.write_atomic(path, b"abc")
    os.utime(path, ns=(5, 1_000_000_007))
    (tmp_path / "link").symlink_to(path)
    assert files.stamp_of(path) == (1_000_000_007, 3, path.stat().st_ino)
    assert files.stamp_of(tmp_path / "link") == files.stamp_of(path)


def test_a_file_is_read_with_what_the_file_system_says_of_it(tmp_path: Path) -> None:
    """Bytes and time belong together; a link to one's own file is fine, and a file may be as large as allowed."""
    (tmp_path / "a.json").write_bytes(b"x" * 100_000)
    (tmp_path / "link").symlink_to("a.json")
    for name in ("a.json", "link"):
        data, info = files.read_stable(tmp_path / name, max_bytes=100_000)
        assert (data, info.st_size, info.st_ino) == (b"x" * 100_000, 100_000, (tmp_path / "a.json").stat().st_ino)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    """One byte too many is refused, with the size."""
    (tmp_path / "a.json").write_bytes(b"x" * 1001)
    with pytest.raises(ValueError, match=r"1,001 bytes are too many"):
        files.read_stable(tmp_path / "a.json", max_bytes=1000)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (piped, "it is no regular file"),
        (Path.mkdir, "Is a directory"),
        (lambda path: path.symlink_to("missing"), "No such file or directory"),
    ],
    ids=["pipe", "folder", "broken link"],
)
def test_what_is_no_file_is_not_read(tmp_path: Path, make: Callable[[Path], object], why: str) -> None:
    """A pipe that nobody writes to is refused at once, and so is a folder."""
    make(tmp_path / "a.json")
    with pytest.raises(OSError, match=why):
        files.read_stable(tmp_path / "a.json", max_bytes=1000)


@pytest.mark.bar("J1")
@foreign
def test_another_users_file_is_not_read(tmp_path: Path) -> None:
    """Whoever else can write a file decides what stands in it."""
    given_away(tmp_path / "theirs")
    (tmp_path / "a.json").symlink_to("theirs")
    for name in ("theirs", "a.json"):
        with pytest.raises(OSError, match="it belongs to another user"):
            files.read_stable(tmp_path / name, max_bytes=1000)


@pytest.mark.bar("C1")
def test_bytes_and_time_are_of_one_moment(tmp_path: Path) -> None:
    """What is read of a file that grows is as long as the file system says; the control mixes two moments."""
    path = tmp_path / "a.json"
    path.write_bytes(b"")
    stop = threading.Event()

    def editor() -> None:
        with path.open("r+b", buffering=0) as file:
            while not stop.is_set():
                if file.tell() > 50_000:
                    file.truncate(0)
                    file.seek(0)
                file.write(b"x" * 64)

    def looked() -> tuple[bytes, int]:
        return path.read_bytes(), path.stat().st_size

    thread = threading.Thread(target=editor)
    thread.start()
    mixed = whole = 0
    try:
        while mixed < 5 or whole < 5:
            data, size = looked()
            mixed += len(data) != size
            with contextlib.suppress(BlockingIOError):
                data, info = files.read_stable(path, max_bytes=1_000_000)
                assert len(data) == info.st_size
                whole += 1
    finally:
        stop.set()
        thread.join()


@linux
def test_a_file_that_never_rests_is_given_up(tmp_path: Path) -> None:
    """What says another size than it holds, as the files of /proc do, is tried three times and then refused."""
    del tmp_path
    with pytest.raises(BlockingIOError, match="it kept changing while it was read"):
        files.read_stable(Path("/proc/self/status"), max_bytes=1000)


def test_bytes_or_nothing(tmp_path: Path) -> None:
    """A file that is not there is nothing; one that can't be read is an error."""
    (tmp_path / "a").write_bytes(b"x")
    assert files.read_or_none(tmp_path / "a") == b"x"
    assert files.read_or_none(tmp_path / "b") is None
    assert files.read_or_none(tmp_path / "a" / "b") is None
    with pytest.raises(IsADirectoryError):
        files.read_or_none(tmp_path)


# --- copies and moves -------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("no_umask")
def test_a_copy_is_written_loosely_with_the_time_of_the_original(tmp_path: Path) -> None:
    """Whole, private, and with the time that it is given; a link in its place is replaced."""
    (tmp_path / "elsewhere").write_bytes(b"untouched")
    (tmp_path / "a.json").symlink_to("elsewhere")
    files.write_loosely(tmp_path / "a.json", b"copy", modified_ns=1_500_000_000_123_456_789)
    info = (tmp_path / "a.json").lstat()
    assert (stat.S_IMODE(info.st_mode), info.st_mtime_ns) == (0o600, 1_500_000_000_123_456_789)
    assert ((tmp_path / "a.json").read_bytes(), (tmp_path / "elsewhere").read_bytes()) == (b"copy", b"untouched")
    files.write_loosely(tmp_path / "b.json", b"new")
    assert names(tmp_path) == ["a.json", "b.json", "elsewhere"]
    with pytest.raises(StorageError):
        files.write_loosely(tmp_path / "missing" / "a.json", b"")


def test_a_file_is_kept_aside(tmp_path: Path) -> None:
    """The copy is a file of its own, so that what is done to the original does not reach it."""
    (tmp_path / "real.json").write_bytes(b"rotten")
    (tmp_path / "a.json").symlink_to("real.json")
    files.copy_aside(tmp_path / "a.json", tmp_path / "a.json.corrupt")
    (tmp_path / "real.json").write_bytes(b"mended")
    assert (tmp_path / "a.json.corrupt").read_bytes() == b"rotten"
    assert (mode(tmp_path / "a.json.corrupt"), (tmp_path / "a.json.corrupt").is_symlink()) == (0o600, False)
    with pytest.raises(StorageError):
        files.copy_aside(tmp_path / "missing", tmp_path / "b")
    assert names(tmp_path) == ["a.json", "a.json.corrupt", "real.json"]


def test_a_file_is_moved(tmp_path: Path) -> None:
    """It has its new name and no other; what had that name is gone."""
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    files.move(tmp_path / "a", tmp_path / "b")
    assert (names(tmp_path), (tmp_path / "b").read_bytes()) == (["b"], b"a")
    with pytest.raises(StorageError, match="No such file"):
        files.move(tmp_path / "a", tmp_path / "b")


# --- the end of a process ---------------------------------------------------------------------------------------------
SAVE = """
import os, pathlib, sys, threading
from nola.files import Save, save_all
folder = pathlib.Path(sys.argv[1])

def save(name):
    save_all([Save(folder / name, b"x", None)], log=folder / "log", line=name.encode() + b"\\n")

save("before")
if sys.argv[2] == "fork":
    child = os.fork()
    if not child:
        save("child")
        os._exit(0)
    os.waitpid(child, 0)
if sys.argv[2] == "late":
    import atexit
    threading._register_atexit(save, "late")
"""


@pytest.mark.parametrize("way", ["plain", "fork", "late"])
def test_helping_threads_never_hang_a_process(tmp_path: Path, way: str) -> None:
    """A process that saved ends by itself; a forked child can save too, and so can one that is about to end."""
    command = [sys.executable, "-W", "ignore", "-c", SAVE, str(tmp_path), way]
    done = subprocess.run(command, cwd=ROOT, timeout=20, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    lines = {"plain": b"before\n", "fork": b"before\nchild\n", "late": b"before\nlate\n"}
    assert (tmp_path / "log").read_bytes() == lines[way]


LESS = """
import os, pathlib, sys
from nola.files import Save, SlippedError, save_all
folder = pathlib.Path(sys.argv[1])
(folder / "b").write_bytes(b"old")
(folder / "c").write_bytes(b"old")
save_all([Save(folder / "a", b"new", None), Save(folder / "b", b"new", b"old"), Save(folder / "c", None, b"old")])
taken = folder / "d"
for path, flush in ((folder / "b", os.fsync), (taken, lambda fd: taken.write_bytes(b"the owner's"))):
    try:
        save_all([Save(path, b"newer", b"old" if path.exists() else None)], flush=flush)
    except SlippedError as error:
        print(error.path.name)
"""


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed, so calls can't be made to fail")
@pytest.mark.parametrize(
    "lacking",
    [["renameat2:error=ENOSYS"], ["renameat2:error=EINVAL", "linkat:error=EPERM"], ["linkat:error=EPERM"]],
    ids=["no exchange", "no exchange and no hard links", "no hard links"],
)
def test_a_file_system_that_can_do_less_is_enough(tmp_path: Path, lacking: list[str]) -> None:
    """Without names that are exchanged, and without hard links too, the same is saved and the same refused."""
    folder = tmp_path / "folder"
    folder.mkdir()
    injected = [part for rule in lacking for part in ("-e", f"inject={rule}")]
    traced = ["strace", "-f", "-o", str(tmp_path / "log"), "-e", "trace=renameat2,linkat", *injected]
    command = [*traced, sys.executable, "-c", LESS, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    if "ptrace" in done.stderr.lower() or not (tmp_path / "log").exists():
        pytest.skip(f"strace may not trace here: {done.stderr.strip()[:100]}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "b\nd\n", "")
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert found == {"a": b"new", "b": b"new", "b.bak": b"old", "c.bak": b"old", "d": b"the owner's"}


def test_errors_are_few(tmp_path: Path) -> None:
    """A file that slipped away is a conflict with its path and something to do."""
    error = files.SlippedError(tmp_path / "a.json")
    assert isinstance(error, NolaError)
    assert str(error) == f"{tmp_path}/a.json changed while it was being saved"
    assert (error.path, bool(error.fix), error.exit_code) == (tmp_path / "a.json", True, 1)
