"""Drills: whatever was there comes back, and what is saved while others write is of one moment."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.backup import database
from nola.backup.manifest import belongs
from nola.backup.pack import Member, packed
from nola.backup.unpack import unpack
from tests.backup.conftest import Home

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.table import BarResult

ROOT = Path(__file__).resolve().parents[2]
DRILLS, QUICK_DRILLS = 100, 10
ROUNDS, QUICK_ROUNDS = 40, 6
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- a file system in memory; the folder in it is private

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, width=32) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
CONTENT = JSON.map(lambda value: json.dumps({"metadata": {}, "data": value}).encode()) | st.binary(max_size=3000)
NAMES = (
    st.text(
        st.characters(exclude_characters="\0/", exclude_categories=["Cs"]) | st.just("\udcfe"), min_size=1, max_size=40
    )
    .filter(lambda name: name not in {".", ".."} and len(os.fsencode(name)) < 200)
    .map(lambda name: f"state/modules/{name}.json")
    .filter(belongs)
)
CORE = st.sampled_from(
    ["state/Nola.json", "state/user.json", "state/user.json.conflict", "state/.history/changes.jsonl", "settings.toml"]
)
STATE = st.dictionaries(NAMES | CORE, CONTENT, max_size=12)
SAID = st.lists(st.text(min_size=1), max_size=5)

# Writes turns, and the same number into two modules under the write lock; says after each what is on disk.
WRITER = """
import sys
import threading
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from nola import files
from nola.memory.store import ConversationStore
from tests.backup.conftest import Home
home = Home(Path(sys.argv[1]))
files.make_private_dir(home.places.state / "modules")
store = ConversationStore(home.places.database, clock=home.clock)
number = 0
while True:
    number += 1
    with home.held():
        for name in ("one", "two"):
            files.write_atomic(home.places.state / "modules" / f"{name}.json", b'{"data": {"n": %d}}' % number)
    home.tell(store, f"turn {number} " + "x" * 200)
    print(number, flush=True)
    threading.Event().wait(0.003)
"""


@contextmanager
def new_home() -> Iterator[Home]:
    """A home that is gone afterwards, in memory where there is some."""
    with tempfile.TemporaryDirectory(dir=SHARED_MEMORY if os.access(SHARED_MEMORY, os.W_OK) else None) as folder:
        home = Home(Path(folder) / "home")
        home.path.mkdir(mode=0o700)
        yield home


def drill(files: dict[str, bytes], said: list[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Fill a home, save it, wipe it and bring it back; return every hash before and after."""
    with new_home() as home:
        home.replace_all(files)
        home.say(*said)
        before = home.content()
        assert len(before) == len(files) + bool(said)
        made = home.backups.create(output=home.path.parent)
        assert home.backups.verify(str(made.path)).defects == ()
        shutil.rmtree(home.path)
        home.path.mkdir(mode=0o700)
        home.backups.restore(str(made.path))
        return before, home.content()


@pytest.mark.bar("A11")
@settings(max_examples=QUICK_DRILLS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STATE, SAID)
def test_whatever_was_there_comes_back(files: dict[str, bytes], said: list[str]) -> None:
    """Random files, broken ones too, and conversations: saved, wiped, restored, and every hash is the same."""
    before, after = drill(files, said)
    assert after == before


@pytest.mark.faults
@pytest.mark.bar("A11")
def test_whatever_was_there_comes_back_a_hundred_times(bar_result: BarResult) -> None:
    """The same drill, a hundred times."""
    done = 0

    @settings(max_examples=DRILLS, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(STATE, SAID)
    def drills(files: dict[str, bytes], said: list[str]) -> None:
        nonlocal done
        before, after = drill(files, said)
        assert after == before
        done += 1

    drills()
    bar_result(done, "drills")
    assert done >= DRILLS


@contextmanager
def writing(home: Home) -> Iterator[list[int]]:
    """Let another process write all the time; what it says is on disk stands in the list."""
    command = [sys.executable, "-c", WRITER, str(home.path), str(ROOT)]
    said: list[int] = []
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as writer:
        started = threading.Event()

        def listen() -> None:
            for line in writer.stdout or ():
                said.append(int(line))
                started.set()
            started.set()

        listening = threading.Thread(target=listen)
        listening.start()
        assert started.wait(60)
        assert said, "the writer does not write"
        try:
            yield said
        finally:
            writer.kill()
            listening.join(60)


def back_up_live(home: Home, rounds: int) -> None:
    """Save a home while it is written to; each backup is whole, of one moment, and has all that was acknowledged."""
    with writing(home) as said:
        for number in range(rounds):
            acknowledged = said[-1]
            name = home.backups.create().name
            found = home.backups.verify(name)
            assert found.ok, (number, found)
            assert acknowledged <= found.messages <= said[-1] + 1
            inside = home.path / f"opened{number}"
            inside.mkdir()
            unpack(home.backups.find(name), inside)
            one, two = ((inside / f"state/modules/{name}.json").read_bytes() for name in ("one", "two"))
            assert one == two, f"round {number}: a backup between two writes of one change"
            assert json.loads(one)["data"]["n"] >= acknowledged


@pytest.mark.bar("A11")
def test_a_backup_of_a_live_home_is_whole() -> None:
    """Another process writes all the time; no backup is torn, and none lacks what was acknowledged."""
    with new_home() as home:
        back_up_live(home, QUICK_ROUNDS)
        assert len(home.backups.list()) == QUICK_ROUNDS


@pytest.mark.faults
@pytest.mark.bar("A11")
def test_many_backups_of_a_live_home_are_whole(bar_result: BarResult) -> None:
    """The same, forty times."""
    with new_home() as home:
        back_up_live(home, ROUNDS)
        bar_result(len(home.backups.list()), "backups of a live home")
        assert len(home.backups.list()) == ROUNDS


@pytest.mark.faults
@pytest.mark.bar("A11")
def test_a_plain_copy_of_a_live_home_is_not(bar_result: BarResult) -> None:
    """The control: copies of the live files, without lock and without SQLite, are bad or stale at least once."""
    bad = 0
    with new_home() as home, writing(home) as said:
        for number in range(ROUNDS):
            acknowledged = said[-1]
            copy = home.path / f"copy{number}.db"
            one = (home.places.state / "modules/one.json").read_bytes()
            shutil.copyfile(home.places.database, copy)
            two = (home.places.state / "modules/two.json").read_bytes()
            bad += bool(database.defects(copy)) or database.count(copy)[1] < acknowledged or one != two
    bar_result(0, "backups of a live home", control=f"plain copies: {bad} of {ROUNDS} bad or stale")
    assert bad > 0


@pytest.mark.faults
@pytest.mark.bar("A11")
def test_a_lost_byte_is_found_in_every_file(bar_result: BarResult) -> None:
    """The control of the drill: an archive in which one file lacks its last byte does not pass."""
    with new_home() as home:
        home.fill()
        path = home.backups.create().path
        inside = home.path / "inside"
        inside.mkdir()
        manifest, _ = unpack(path, inside)
        for entry in manifest.files:
            content = (inside / entry.path).read_bytes()[:-1]
            head = home.path / "head"
            head.write_bytes(b"".join(packed(_members(path, entry.path, content))))
            found = home.backups.verify(str(head))
            assert found.defects, entry.path
        bar_result(0, "drills", control=f"a byte less: found in {len(manifest.files)} of {len(manifest.files)} files")


def _members(path: Path, changed: str, content: bytes) -> Iterator[Member]:
    with tarfile.open(path) as tar:
        for info in tar:
            opened = tar.extractfile(info)
            data = content if info.name == changed else opened.read() if opened else b""
            yield Member(info.name, len(data), 0, [data])
