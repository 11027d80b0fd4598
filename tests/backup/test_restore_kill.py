"""A restore that is killed at every system call which changes the disk; and the same for making a backup."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.backup.swap import finish_interrupted
from tests.backup.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

ROOT = Path(__file__).resolve().parents[2]
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- a file system in memory; the folder in it is private
CALLS = """rename renameat renameat2 unlink unlinkat link linkat mkdir mkdirat rmdir fsync fdatasync ftruncate
    pwrite64 write fchmod chmod utimensat""".split()
FAILING = {"rename", "unlink", "link", "mkdir", "fsync", "fdatasync", "ftruncate", "pwrite64", "write"}
LANES = min(2, os.cpu_count() or 1)

CODE = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.backup.conftest import Home
home = Home(Path(sys.argv[1]))
home.backups.{do}
"""
# What a careless program does: it unpacks over what is there, file by file.
CARELESS = """
import shutil, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from nola.backup.unpack import unpack
from tests.backup.conftest import Home
home = Home(Path(sys.argv[1]))
home.places.staged.mkdir(parents=True)
manifest, _ = unpack(home.backups.find("latest"), home.places.staged)
for path in manifest.paths:
    home.places.live(path).write_bytes((home.places.staged / path).read_bytes())
for path in set(home.content()) - manifest.paths:
    home.places.live(path).unlink()
shutil.rmtree(home.places.restoring)
"""


def why_no_strace() -> str:
    """Say why processes can't be traced here; empty when they can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"strace may not trace here: {done.stderr.strip()[:80]}"


needs_strace = pytest.mark.skipif(bool(why_no_strace()), reason=why_no_strace() or "it can")


@pytest.fixture
def fast() -> Iterator[Path]:
    """A folder in memory where there is one: what a kill leaves behind needs no disk."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None) as folder:
        yield Path(folder)


def lived(folder: Path) -> tuple[Home, dict[str, str], dict[str, str]]:
    """Make a home with a backup in which everything is different now; return it with its content then and now."""
    home = Home(folder / "home")
    home.path.mkdir(mode=0o700)
    home.fill()
    then = home.content()
    home.backups.create()
    home.write("state/user.json", b'{"data": {"changed": true}}')
    (home.places.state / "modules/work.json").unlink()
    home.write("state/modules/garden.json", b"{}")
    home.write("settings.toml", b"[llm]\nseed = 7\n")
    home.say("three")
    return home, then, home.content()


def traced(code: str, home: Path, *options: str, log: str = os.devnull) -> tuple[int, str]:
    """Run some code on a home under strace; return its exit code, negative for a signal, and what it complained of."""
    python = os.path.realpath(sys.executable)
    command = ["strace", "-f", "-qq", "-o", log, *options, python, "-c", code, str(home), str(ROOT)]
    environ = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, env=environ, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    return done.returncode, done.stderr


def counted(code: str, home: Home, folder: Path) -> list[tuple[str, int]]:
    """Return every call of the code that may change the disk, as its name and the how-manieth of this name it is."""
    trial = folder / "trial"
    shutil.copytree(home.path, trial)
    log = folder / "log"
    assert traced(code, trial, "-e", f"trace={','.join(CALLS)}", log=str(log)) == (0, "")
    shutil.rmtree(trial)
    counts: dict[str, int] = {}
    for name in re.findall(r"^(?:\d+\s+)?(\w+)\(", log.read_text(encoding="utf-8", errors="replace"), re.MULTILINE):
        counts[name] = counts.get(name, 0) + 1
    return [(name, nth) for name, count in counts.items() for nth in range(1, count + 1)]


def killed_everywhere(code: str, home: Home, folder: Path) -> list[tuple[str, Home]]:
    """Kill the code at each of its calls, each time in a copy of the home; return the copies."""

    def kill(point: tuple[str, int]) -> tuple[str, Home]:
        name, nth = point
        copy = folder / f"{name}-{nth}"
        shutil.copytree(home.path, copy)
        ended, said = traced(code, copy, "-e", f"trace={name}", "-e", f"inject={name}:signal=SIGKILL:when={nth}")
        assert ended in {-9, 137}, (point, said)
        return f"{name} {nth}", Home(copy)

    points = counted(code, home, folder)
    with ThreadPoolExecutor(LANES) as pool:
        return list(pool.map(kill, points))


@needs_strace
@pytest.mark.bar("A2")
def test_a_restore_killed_anywhere_is_whole_after_the_next_start(fast: Path, bar_result: BarResult) -> None:
    """At every call that changes the disk: wholly the old or wholly the new, and nothing lies about."""
    home, then, now = lived(fast)
    old = new = 0
    for point, killed in killed_everywhere(CODE.format(do=f"restore('{home.backups.list()[0].name}')"), home, fast):
        finish_interrupted(killed.path)
        content = killed.content()
        assert content in (then, now), f"killed at {point}"
        old += content == now
        new += content == then
        assert not killed.places.restoring.exists()
        names = [info.name for info in killed.backups.list()]
        assert all(killed.backups.verify(name).ok for name in names), f"killed at {point}"
        assert not [name for name in killed.names("backups") if name.startswith(".nola")], f"killed at {point}"
        if content == then and len(names) > 1:
            killed.backups.restore(names[0])
            assert killed.content() == now, f"killed at {point}, and not to be undone"
    bar_result(old + new, "kills in a restore")
    assert old > 20
    assert new > 20


@needs_strace
@pytest.mark.bar("A3")
@pytest.mark.parametrize("fault", ["ENOSPC", "EIO"])
def test_a_disk_that_fails_anywhere_leaves_it_whole(fast: Path, fault: str, bar_result: BarResult) -> None:
    """At every call: a typed error or success, and after the next start wholly the old or wholly the new."""
    home, then, now = lived(fast)
    code = CODE.format(do=f"restore('{home.backups.list()[0].name}')")

    def fail(point: tuple[str, int]) -> str:
        name, nth = point
        copy = fast / f"{name}-{nth}"
        shutil.copytree(home.path, copy)
        ended, said = traced(code, copy, "-e", f"trace={name}", "-e", f"inject={name}:error={fault}:when={nth}")
        finish_interrupted(copy)
        content = Home(copy).content()
        shutil.rmtree(copy)
        if content not in (then, now) or (content == now and ended == 0):
            return f"{fault} at {point}: neither old nor new"
        typed = "nola.errors." in (said.strip().splitlines() or [""])[-1]
        return "" if ended == 0 or typed else f"{fault} at {point}: {said[-300:]}"

    points = [point for point in counted(code, home, fast) if point[0] in FAILING]
    with ThreadPoolExecutor(LANES) as pool:
        wrong = [sentence for sentence in pool.map(fail, points) if sentence]
    bar_result(len(points), "errors in a restore", failures=len(wrong))
    assert not wrong, "\n".join(wrong)
    assert len(points) > 50


@needs_strace
@pytest.mark.bar("A2")
def test_a_careless_restore_is_not(fast: Path, bar_result: BarResult) -> None:
    """The control: files copied over what is there one by one leave a home that is neither."""
    home, then, now = lived(fast)
    neither = 0
    homes = killed_everywhere(CARELESS, home, fast)
    for _, killed in homes:
        finish_interrupted(killed.path)
        try:
            neither += killed.content() not in (then, now)
        except Exception:  # noqa: BLE001 -- a database that can't be read any more is neither as well
            neither += 1
    bar_result(0, "kills in a restore", control=f"file by file: {neither} of {len(homes)} neither old nor new")
    assert neither > 0


@needs_strace
@pytest.mark.bar("A2")
def test_a_backup_killed_anywhere_is_whole_or_not_there(fast: Path, bar_result: BarResult) -> None:
    """At every call: no archive by its name is half, nothing else is touched, and the next one sweeps the rest away."""
    home, _, now = lived(fast)
    homes = killed_everywhere(CODE.format(do="create()"), home, fast)
    bar_result(len(homes), "kills in a backup")
    for point, killed in homes:
        assert killed.content() == now
        for info in killed.backups.list():
            assert killed.backups.verify(info.name).ok, f"killed at {point}"
        killed.backups.create()
        assert not [name for name in killed.names("backups") if name.startswith(".nola")], f"killed at {point}"
