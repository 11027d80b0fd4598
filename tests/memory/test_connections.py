"""Tests of the connections to the file: opened on first use, closed when the file changes or the process forks."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import apsw
import pytest

from nola.errors import StorageError
from nola.memory import schema
from nola.memory.connections import Connections

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ADD = "INSERT INTO conversation VALUES (?, 't', 'web', '2026', '2026')"
IDS = "SELECT group_concat(id) FROM (SELECT id FROM conversation ORDER BY id)"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database that is not there yet."""
    return tmp_path / "memory.db"


@pytest.fixture
def connections(path: Path) -> Iterator[Connections]:
    """Connections to it."""
    made = Connections(path)
    yield made
    made.close()


def add(connections: Connections, id_: str) -> None:
    """Store a row."""
    with connections.writing:
        connections.writer().execute(ADD, (id_,))


def seen(connections: Connections) -> object:
    """Return the ids that a reader sees."""
    with connections.reader() as reader:
        return reader.execute(IDS).get


def test_without_a_file_a_reader_gets_empty_tables(connections: Connections, path: Path) -> None:
    """No file is made by reading, and what stands in for it can't be written to either."""
    assert seen(connections) is None
    with pytest.raises(apsw.ReadOnlyError), connections.reader() as reader:
        reader.execute(ADD, ("a",))
    assert not path.exists()


def test_readers_are_used_again(connections: Connections) -> None:
    """A reader that was given back serves the next one."""
    add(connections, "a")
    with connections.reader() as first:
        pass
    with connections.reader() as second:
        assert second is first
        assert second.execute("PRAGMA query_only").get == 1


@pytest.mark.parametrize("replacement", [None, "other"])
def test_another_file_in_its_place_is_noticed(
    connections: Connections, path: Path, tmp_path: Path, replacement: str | None
) -> None:
    """Writer and readers leave a file that was deleted or replaced, and nothing of its log gets into the new one."""
    other = Connections(tmp_path / "other.db")
    add(other, "other")
    other.close()
    add(connections, "old")
    assert seen(connections) == "old"
    (tmp_path / "other.db").replace(path) if replacement else path.unlink()
    assert seen(connections) == replacement
    add(connections, "new")
    assert seen(connections) == ("new,other" if replacement else "new")


def test_a_change_of_files_waits_for_those_who_read_the_old_one(
    connections: Connections, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log of a file that is still read can't be emptied: until then the new file is left alone."""
    monkeypatch.setattr(schema, "_BUSY_MS", 20)
    add(connections, "old")
    with connections.reader() as before:
        assert before.execute(IDS).get == "old"
        path.unlink()
        with pytest.raises(apsw.BusyError):
            add(connections, "new")
        assert before.execute(IDS).get == "old"
    add(connections, "new")
    assert seen(connections) == "new"


def test_closing_waits_for_readers(connections: Connections) -> None:
    """A file is closed when the last reader has finished."""
    add(connections, "a")
    reading, finish = threading.Event(), threading.Event()
    found: list[object] = []

    def read() -> None:
        with connections.reader() as reader:
            reading.set()
            finish.wait(10)
            found.append(reader.execute(IDS).get)

    thread = threading.Thread(target=read)
    thread.start()
    reading.wait(10)
    threading.Timer(0.05, finish.set).start()
    connections.close()
    thread.join()
    assert found == ["a"]
    assert seen(connections) == "a"


def test_held_connections_are_opened_again(connections: Connections) -> None:
    """Between `hold` and `go_on` nothing is open; afterwards everything works, as in a parent and as in a child."""
    add(connections, "a")
    for forked in (False, True):
        connections.hold()
        connections.go_on(forked=forked)
        assert seen(connections) == "a"
    connections.go_on(forked=False)
    assert seen(connections) == "a"


def test_a_read_only_file_of_an_older_version_can_be_read(
    connections: Connections, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can't be brought up to date is still shown."""
    raw = apsw.Connection(str(path))
    raw.execute(schema.MIGRATIONS[0])
    raw.pragma("application_id", schema.APPLICATION_ID)
    raw.pragma("user_version", 1)
    raw.execute(ADD, ("a",))
    raw.close()
    connect = schema.connect

    def read_only(at: Path) -> apsw.Connection:
        connect(at).close()  # refuses what it would refuse
        return apsw.Connection(str(at), flags=apsw.SQLITE_OPEN_READONLY)

    monkeypatch.setattr(schema, "connect", read_only)
    assert seen(connections) == "a"


def test_a_folder_in_the_place_of_the_file_is_an_error(connections: Connections, path: Path) -> None:
    """Nothing is opened, and the next try says the same."""
    path.mkdir()
    for _ in range(2):
        with pytest.raises(StorageError):
            add(connections, "a")
