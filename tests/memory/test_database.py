"""Tests of the one way into the file: what is acknowledged is stored, jobs share a flush, readers see one moment."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any

import apsw
import pytest

from nola.errors import ConflictError, NolaError, StorageError
from nola.memory import schema
from nola.memory.database import Database
from tests.memory.making import rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.testing import ManualClock

COUNT = "SELECT count(*) FROM conversation"


def add(id_: str) -> Callable[[apsw.Connection], int]:
    """Make a job that stores a row."""

    def job(connection: apsw.Connection) -> int:
        connection.execute("INSERT INTO conversation VALUES (?, 't', 'web', '2026', '2026')", (id_,))
        return connection.changes()

    return job


def ids(database: Database) -> list[str]:
    """Return the ids of all rows."""
    return [id_ for (id_,) in rows(database, "SELECT id FROM conversation ORDER BY id")]


def test_a_job_is_stored_and_its_outcome_comes_back(opened: Database) -> None:
    """What a job returns comes back once its rows are in the file."""
    assert opened.write(add("a")) == 1
    with apsw.Connection(str(opened.path)) as other:
        assert other.execute(COUNT).get == 1


def test_a_job_that_fails_leaves_nothing(opened: Database) -> None:
    """Its rows are taken back, its error comes to its caller, and the next job works."""

    def fails(connection: apsw.Connection) -> None:
        add("a")(connection)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        opened.write(fails)
    opened.write(add("b"))
    assert ids(opened) == ["b"]


def test_a_job_that_fails_does_not_harm_its_neighbours(opened: Database) -> None:
    """Of jobs that wait together, the one that fails is the only one that is told so."""
    opened.write(add("first"))
    ready = threading.Event()
    waiting = opened.submit(lambda _: ready.wait(10))
    handed_in = [opened.submit(add(id_)) for id_ in ("a", "first", "b")]
    ready.set()
    assert waiting.result(10)
    assert [handed_in[0].result(10), handed_in[2].result(10)] == [1, 1]
    assert isinstance(handed_in[1].exception(10), apsw.ConstraintError)
    assert ids(opened) == ["a", "b", "first"]


def test_jobs_that_wait_share_a_transaction(opened: Database) -> None:
    """Whoever comes while the writer is busy is committed with the others, by one commit."""
    commits: list[int] = []

    def counting(connection: apsw.Connection) -> None:
        def committed() -> bool:
            commits.append(1)
            return False

        connection.set_commit_hook(committed)

    opened.write(counting)
    ready = threading.Event()
    opened.submit(lambda _: ready.wait(10))
    handed_in = [opened.submit(add(f"{n}")) for n in range(20)]
    ready.set()
    assert [job.result(10) for job in handed_in] == [1] * 20
    assert ids(opened) == sorted(f"{n}" for n in range(20))
    assert len(commits) <= 2


def test_a_job_that_was_called_off_is_not_done(opened: Database) -> None:
    """A job that is cancelled while it waits leaves nothing, and those behind it are done."""
    ready = threading.Event()
    opened.submit(lambda _: ready.wait(10))
    off, on = opened.submit(add("off")), opened.submit(add("on"))
    assert off.cancel()
    ready.set()
    assert on.result(10) == 1
    assert ids(opened) == ["on"]


def test_a_job_that_waits_for_another_is_told(opened: Database) -> None:
    """A job has the connection already; to wait for itself would be for ever."""
    with pytest.raises(RuntimeError, match="can't wait for another job"):
        opened.write(lambda _: opened.write(add("a")))
    assert opened.write(add("b")) == 1


def test_many_threads_lose_nothing(opened: Database) -> None:
    """Rows of sixteen threads are all there, each acknowledged to its own thread."""

    def work(name: int) -> None:
        for n in range(20):
            assert opened.write(add(f"{name:02d} {n:02d}")) == 1

    threads = [threading.Thread(target=work, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ids(opened) == [f"{name:02d} {n:02d}" for name in range(16) for n in range(20)]


def test_reading_makes_no_file_and_finds_nothing(opened: Database) -> None:
    """Without a file every table is there and empty, and the disk is left alone."""
    assert rows(opened, COUNT) == rows(opened, "SELECT count(*) FROM memory") == [(0,)]
    assert opened.check() == []
    assert not opened.path.parent.exists()


def test_a_reader_sees_one_moment(opened: Database) -> None:
    """What is written meanwhile is not seen before the next reading."""
    opened.write(add("a"))
    with opened.reading() as connection:
        opened.write(add("b"))
        assert connection.execute(COUNT).get == 1
        with opened.reading() as another:
            assert another.execute(COUNT).get == 2
    assert ids(opened) == ["a", "b"]


def test_a_reader_can_not_write(opened: Database) -> None:
    """The database refuses, whatever a reader tries."""
    opened.write(add("a"))
    with pytest.raises(StorageError, match="read-only"), opened.reading() as connection:
        add("b")(connection)
    assert ids(opened) == ["a"]


def test_many_readers_at_once(opened: Database) -> None:
    """More readers than are kept all read the same, also after an error in one of them."""
    opened.write(add("a"))
    together = threading.Barrier(12)
    found: list[Any] = []

    def read() -> None:
        with opened.reading() as connection:
            together.wait(10)
            found.append(connection.execute(COUNT).get)

    threads = [threading.Thread(target=read) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 12
    with pytest.raises(apsw.SQLError), opened.reading() as connection:
        connection.execute("SELECT nothing")
    assert ids(opened) == ["a"]


def test_closing_finishes_what_was_handed_in(opened: Database) -> None:
    """Jobs that wait are done before the file is closed, its log is gone, and the next use opens it again."""
    handed_in = [opened.submit(add(f"{n}")) for n in range(5)]
    opened.close()
    assert [job.result(0) for job in handed_in] == [1] * 5
    assert [file.name for file in opened.path.parent.iterdir() if "-" in file.name] == []
    opened.close()
    assert len(ids(opened)) == 5


def test_no_thread_is_left_behind(tmp_path: Path, clock: ManualClock) -> None:
    """After closing there are as many threads as before."""
    before = threading.active_count()
    database = Database(tmp_path / "memory.db", clock=clock)
    database.write(add("a"))
    database.close()
    assert threading.active_count() == before


def test_a_newer_nola_stops_the_writer(opened: Database) -> None:
    """When another process brings the tables to a version to come, nothing more is written into them."""
    opened.write(add("a"))
    rows(opened, COUNT)
    with schema.connect(opened.path) as other:
        other.pragma("user_version", 99)
    with pytest.raises(NolaError, match="was written by a newer Nola"):
        opened.write(add("b"))
    with pytest.raises(NolaError, match="was written by a newer Nola"):
        ids(opened)
    with apsw.Connection(str(opened.path)) as other:
        assert other.execute(COUNT).get == 1


def test_older_content_put_in_its_place_is_brought_up_to_date(opened: Database, tmp_path: Path) -> None:
    """A backup of version 1 that was restored while the file is open gets the newer tables."""
    opened.write(add("a"))
    old = apsw.Connection(str(tmp_path / "old.db"))
    old.execute(schema.MIGRATIONS[0])
    old.pragma("application_id", schema.APPLICATION_ID)
    old.pragma("user_version", 1)
    add("old")(old)
    other = schema.connect(opened.path)
    with other.backup("main", old, "main") as backup:
        backup.step(-1)
    old.close()
    other.close()
    assert ids(opened) == ["old"]
    opened.write(add("new"))
    assert ids(opened) == ["new", "old"]
    assert rows(opened, "SELECT count(*) FROM memory") == [(0,)]


def test_another_process_that_holds_the_file_is_named(opened: Database) -> None:
    """Those who wait together wait once, and are told together."""
    opened.write(add("a"))
    other = schema.connect(opened.path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ConflictError, match=r"another process has held memory\.db for 5 s"):
        opened.write(add("b"))
    other.execute("ROLLBACK")
    other.close()
    assert opened.write(add("b")) == 1


def test_ids_grow_whoever_asks(opened: Database, clock: ManualClock) -> None:
    """Ids of several threads are all different, and each is greater than the ones before."""
    first = opened.new_id()
    clock.advance(-60)
    assert opened.new_id() > first
    made: list[str] = []
    threads = [threading.Thread(target=lambda: made.extend(opened.new_id() for _ in range(200))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(made)) == 800


@pytest.mark.bar("E5")
def test_a_forked_child_writes_for_itself(opened: Database) -> None:
    """A child that is forked while a reader is open elsewhere writes its own row; the parent goes on."""
    opened.write(add("parent"))
    rows(opened, COUNT)
    child = os.fork()
    if not child:
        try:
            opened.write(add("child"))
        finally:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    opened.write(add("parent again"))
    assert ids(opened) == ["child", "parent", "parent again"]
    assert opened.check() == []


@pytest.mark.bar("E4")
def test_a_damaged_file_is_named_and_kept(opened: Database) -> None:
    """Reading, writing and checking say in one sentence what is wrong; the file stays byte for byte."""
    opened.path.parent.mkdir()
    opened.path.write_bytes(b"no database " * 1024)
    for use in (lambda: opened.write(add("a")), lambda: ids(opened), opened.check):
        with pytest.raises(NolaError, match="can't be read as Nola's memory"):
            use()
    assert opened.path.read_bytes() == b"no database " * 1024
    opened.path.unlink()
