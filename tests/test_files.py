"""How bytes reach the disk: whole or not at all, private, flushed, and with nothing left behind."""

from __future__ import annotations

import errno
import os
import resource
import shutil
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola import files
from nola.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Let new files be as open as whoever makes them asks for."""
    before = os.umask(0)
    yield
    os.umask(before)


@contextmanager
def full_disk() -> Iterator[None]:
    """Let every file of this process end at 1000 bytes, as on a full disk; Python ignores the signal for it.

    Only around the call itself: pytest's own output may go to a file too.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def mode(path: Path) -> int:
    """The permission bits of a file."""
    return stat.S_IMODE(path.stat().st_mode)


def names(folder: Path) -> list[str]:
    """What stands in a folder."""
    return sorted(path.name for path in folder.iterdir())


def python(code: str, *arguments: Path | str) -> list[str]:
    """The command line of a Python that runs some code."""
    return [sys.executable, "-c", code, *map(str, arguments)]


# --- write_atomic -----------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("no_umask")
def test_a_new_file_holds_the_bytes_and_is_private(tmp_path: Path) -> None:
    """A file is made with its whole content, 0600 whatever the umask, and nothing stands beside it."""
    files.write_atomic(tmp_path / "a.json", b"{}\n")
    assert (tmp_path / "a.json").read_bytes() == b"{}\n"
    assert mode(tmp_path / "a.json") == 0o600
    assert names(tmp_path) == ["a.json"]


@pytest.mark.usefixtures("no_umask")
def test_a_file_is_replaced_whole_and_becomes_private(tmp_path: Path) -> None:
    """A shorter content leaves nothing of a longer one, and an open file is closed to others."""
    path = tmp_path / "a.json"
    path.write_bytes(b"x" * 10_000)
    path.chmod(0o644)
    inode = path.stat().st_ino
    files.write_atomic(path, b"short")
    assert (path.read_bytes(), mode(path)) == (b"short", 0o600)
    assert path.stat().st_ino != inode


def test_the_previous_content_is_kept_when_asked_for(tmp_path: Path) -> None:
    """`NAME.bak` holds what stood there before the last write, and there is none after the first."""
    path = tmp_path / "a.json"
    files.write_atomic(path, b"one", keep_previous=True)
    assert names(tmp_path) == ["a.json"]
    files.write_atomic(path, b"two", keep_previous=True)
    files.write_atomic(path, b"three", keep_previous=True)
    assert (path.read_bytes(), (tmp_path / "a.json.bak").read_bytes()) == (b"three", b"two")
    assert names(tmp_path) == ["a.json", "a.json.bak"]


def test_a_kept_copy_that_is_the_file_itself_leaves_nothing_behind(tmp_path: Path) -> None:
    """A crash between keeping and replacing leaves two names of one file; the next write tidies that up."""
    path = tmp_path / "a.json"
    path.write_bytes(b"one")
    os.link(path, tmp_path / "a.json.bak")
    files.write_atomic(path, b"two", keep_previous=True)
    assert (path.read_bytes(), (tmp_path / "a.json.bak").read_bytes()) == (b"two", b"one")
    assert names(tmp_path) == ["a.json", "a.json.bak"]


@pytest.mark.parametrize("follow", [True, False])
def test_a_symbolic_link_is_followed_only_when_asked(tmp_path: Path, *, follow: bool) -> None:
    """The file behind a link is replaced, in its own folder, and the link stays; or the link itself is replaced."""
    real, folder = tmp_path / "real", tmp_path / "state"
    real.mkdir()
    folder.mkdir()
    (real / "user.json").write_bytes(b"old")
    link = folder / "user.json"
    link.symlink_to(real / "user.json")
    files.write_atomic(link, b"new", follow=follow)
    assert link.is_symlink() is follow
    assert link.read_bytes() == b"new"
    assert (real / "user.json").read_bytes() == (b"new" if follow else b"old")
    assert names(real) == names(folder) == ["user.json"]


def test_a_disk_that_fills_up_changes_nothing(tmp_path: Path) -> None:
    """A write that does not fit is refused with a reason; the old file stands and no temporary one is left."""
    path = tmp_path / "a.json"
    files.write_atomic(path, b"old")
    with full_disk(), pytest.raises(StorageError, match=r"could not write .*a\.json: File too large") as caught:
        files.write_atomic(path, b"x" * 5000, keep_previous=True)
    assert caught.value.fix
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["a.json"])


def test_a_folder_that_is_not_there_is_a_storage_error(tmp_path: Path) -> None:
    """A write into a missing folder is refused, and the folder is not made."""
    with pytest.raises(StorageError, match="No such file or directory"):
        files.write_atomic(tmp_path / "missing" / "a.json", b"x")
    assert names(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission_is_a_storage_error(tmp_path: Path) -> None:
    """A write into a read-only folder is refused, and the old file stands."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StorageError, match="Permission denied"):
            files.write_atomic(path, b"new")
    finally:
        tmp_path.chmod(0o700)
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["a.json"])


def test_a_folder_in_the_files_place_is_a_storage_error(tmp_path: Path) -> None:
    """A folder is never replaced by a file, and the temporary file is gone."""
    (tmp_path / "a.json").mkdir()
    with pytest.raises(StorageError, match="Is a directory"):
        files.write_atomic(tmp_path / "a.json", b"x")
    assert names(tmp_path) == ["a.json"]


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed, so calls can't be seen")
def test_file_and_folder_are_flushed_in_order(tmp_path: Path) -> None:
    """The temporary file is flushed before the rename, and the folder after it."""
    log = tmp_path / "log"
    folder = tmp_path / "folder"
    folder.mkdir()
    code = "import sys, pathlib; from nola.files import write_atomic; write_atomic(pathlib.Path(sys.argv[1]), b'x')"
    traced = ["strace", "-f", "-y", "-o", str(log), "-e", "trace=fsync,fdatasync,rename,renameat,renameat2"]
    ran = subprocess.run(
        [*traced, *python(code, folder / "a.json")], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if not log.exists() or "ptrace" in ran.stderr.lower():
        pytest.skip(f"strace may not trace here: {ran.stderr.strip()[:100]}")
    assert ran.returncode == 0, ran.stderr
    calls = [line for line in log.read_text(encoding="utf-8").splitlines() if str(folder) in line]
    assert len(calls) == 3
    assert "fsync(" in calls[0]
    assert files.TEMP_PREFIX in calls[0]
    assert "rename" in calls[1]
    assert "fsync(" in calls[2]
    assert f"<{folder}>" in calls[2]


# --- streams and appending --------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("no_umask")
def test_a_stream_replaces_a_file(tmp_path: Path) -> None:
    """Chunks become the new content, private, and the size is told."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"older and longer")
    assert files.replace_from_chunks(path, iter([b"ab", b"", b"cde"])) == 5
    assert (path.read_bytes(), mode(path), names(tmp_path)) == (b"abcde", 0o600, ["model.gguf"])


def test_a_stream_that_breaks_off_changes_nothing(tmp_path: Path) -> None:
    """Whatever the chunks raise passes through; the old file stands alone."""
    path = tmp_path / "model.gguf"
    path.write_bytes(b"old")

    def chunks() -> Iterator[bytes]:
        yield b"new"
        raise ValueError("wrong hash")

    with pytest.raises(ValueError, match="wrong hash"):
        files.replace_from_chunks(path, chunks())
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["model.gguf"])


def test_a_stream_onto_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    """A stream that does not fit is refused, and nothing of it stays."""
    with full_disk(), pytest.raises(StorageError):
        files.replace_from_chunks(tmp_path / "a", [b"x" * 900, b"x" * 900])
    assert names(tmp_path) == []


@pytest.mark.usefixtures("no_umask")
def test_a_download_goes_on_where_it_broke_off(tmp_path: Path) -> None:
    """What came before a failure stays, and the next stream is added to it."""
    path = tmp_path / "part"

    def broken() -> Iterator[bytes]:
        yield b"abc"
        raise ConnectionError("gone")

    with pytest.raises(StorageError, match="gone"):
        files.append_chunks(path, broken())
    assert (path.read_bytes(), mode(path)) == (b"abc", 0o600)
    assert files.append_chunks(path, [b"de", b"f"]) == 6
    assert path.read_bytes() == b"abcdef"


@pytest.mark.usefixtures("no_umask")
def test_bytes_are_added_to_a_file(tmp_path: Path) -> None:
    """The first append makes a private file, the next adds to its end."""
    path = tmp_path / "log.jsonl"
    files.append_bytes(path, b"one\n")
    files.append_bytes(path, b"two\n")
    assert (path.read_bytes(), mode(path)) == (b"one\ntwo\n", 0o600)


def test_half_an_append_is_cut_off_again(tmp_path: Path) -> None:
    """An append that does not fit leaves the file as long as it was."""
    path = tmp_path / "log.jsonl"
    files.append_bytes(path, b"x" * 900)
    with full_disk(), pytest.raises(StorageError, match="File too large"):
        files.append_bytes(path, b"y" * 900)
    assert path.read_bytes() == b"x" * 900


@pytest.mark.parametrize(
    "append", [lambda path: files.append_bytes(path, b"x"), lambda p: files.append_chunks(p, [b"x"])]
)
def test_nothing_is_added_through_a_link(tmp_path: Path, append: object) -> None:
    """An append does not follow a symbolic link out of its folder."""
    (tmp_path / "elsewhere").write_bytes(b"")
    (tmp_path / "log").symlink_to(tmp_path / "elsewhere")
    assert callable(append)
    with pytest.raises(StorageError, match=os.strerror(errno.ELOOP)):
        append(tmp_path / "log")
    assert (tmp_path / "elsewhere").read_bytes() == b""


# --- folders and locks ------------------------------------------------------------------------------------------------
@pytest.mark.usefixtures("no_umask")
def test_new_folders_are_private(tmp_path: Path) -> None:
    """Every folder that had to be made is 0700, one that was there is closed to others, those above keep their mode."""
    tmp_path.chmod(0o755)
    made = files.make_private_dir(tmp_path / "a" / "b")
    assert made == tmp_path / "a" / "b"
    assert (mode(made), mode(made.parent), mode(tmp_path)) == (0o700, 0o700, 0o755)
    made.chmod(0o2755)
    assert mode(files.make_private_dir(made)) == 0o2700
    made.chmod(0o500)
    assert mode(files.make_private_dir(made)) == 0o500


def test_a_file_in_a_folders_place_is_a_storage_error(tmp_path: Path) -> None:
    """A folder can't be made where a file stands, and the error says so."""
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(StorageError, match="File exists"):
        files.make_private_dir(tmp_path / "a")
    with pytest.raises(StorageError, match="Not a directory"):
        files.make_private_dir(tmp_path / "a" / "b")


def test_removing_is_done_once(tmp_path: Path) -> None:
    """A file is deleted; deleting it again is fine."""
    (tmp_path / "a").write_bytes(b"x")
    files.remove(tmp_path / "a")
    files.remove(tmp_path / "a")
    assert names(tmp_path) == []
    with pytest.raises(StorageError):
        files.remove(tmp_path / "missing" / "a")


def test_a_lock_keeps_another_process_out(tmp_path: Path) -> None:
    """A lock that another process holds is waited for no longer than asked, and then named in the error."""
    lock = tmp_path / "state.lock"
    code = (
        "import sys, pathlib; from nola.files import locked\n"
        "with locked(pathlib.Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        python(code, lock), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        with pytest.raises(ConflictError, match=r"another process has held state\.lock for 0\.05 s") as caught:
            files.locked(lock, timeout_s=0.05).__enter__()
        other.communicate("", timeout=20)
    assert caught.value.fix
    with files.locked(lock, timeout_s=5):
        assert mode(lock) == 0o600
    assert lock.exists()


def test_a_lock_keeps_another_thread_out_whatever_its_patience(tmp_path: Path) -> None:
    """Threads of one process exclude each other too, also when they wait for different times."""
    lock = tmp_path / "lock"
    seen: list[str] = []

    def other() -> None:
        try:
            with files.locked(lock, timeout_s=0.05):
                seen.append("two threads hold the lock")
        except ConflictError as error:
            seen.append(str(error))

    with files.locked(lock, timeout_s=5), files.locked(lock, timeout_s=1):
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert seen == ["another process has held lock for 0.05 s"]


def test_a_lock_that_can_not_be_made_is_a_storage_error(tmp_path: Path) -> None:
    """A lock in a missing folder is refused by the disk, not by somebody else."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError):
        files.locked(tmp_path / "file" / "lock", timeout_s=0.05).__enter__()


def test_a_temporary_file_of_a_living_process_is_no_orphan(tmp_path: Path) -> None:
    """Only what a writer that is gone left behind may be swept away."""
    assert not files.is_orphan(tmp_path / f"{files.TEMP_PREFIX}{os.getppid()}-0a.tmp")
    assert files.is_orphan(tmp_path / f"{files.TEMP_PREFIX}999999999-0a.tmp")
