"""Tests of whole conversations: every column out and in, all or none."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest

from nola.errors import ConflictError
from nola.flow import ModelRef
from nola.memory import schema
from nola.memory.rows import MessageRow, WholeConversation, read_all, write_all
from nola.memory.store import ConversationStore
from nola.testing import ManualClock
from nola.types import Channel, Level

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import apsw

AT = "2026-11-20T09:00:00.000000+00:00"


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    """A connection to an empty database."""
    made = schema.open_ready(tmp_path / "memory.db")
    yield made
    made.close()


def row(id_: str, of: str = "c1", user: str = "my dog?") -> MessageRow:
    """Make a turn."""
    return MessageRow(id_, of, AT, user, "Biscuit.", "", 2, "a look-up", "ollama", "x", 1, "{}", "{}", "[]", "{}")


def talk(id_: str, *messages: MessageRow) -> WholeConversation:
    """Make a conversation."""
    return WholeConversation(id_, "my dog?", "terminal", AT, AT, messages)


def test_every_column_travels(connection: apsw.Connection) -> None:
    """A column that a migration adds has to be added to the rows: nothing is silently left behind."""
    columns = {name for _, name, *_ in connection.execute("PRAGMA table_info(message)")}
    assert columns == {field.name for field in fields(MessageRow)} | {"seq"}
    heads = {name for _, name, *_ in connection.execute("PRAGMA table_info(conversation)")}
    assert heads == {field.name for field in fields(WholeConversation)} - {"messages"}


def test_what_the_store_wrote_is_read_and_placed_elsewhere(store: ConversationStore, tmp_path: Path) -> None:
    """Ids, times and texts are the same there; it can be read, searched and gone on with."""
    id_, message = store.add_turn(
        conversation=None,
        channel=Channel.TERMINAL,
        user="my\0 dog é?",
        reply="Biscuit.",
        quoted="From your notes: Biscuit",
        level=Level.CONVERSATION,
        level_why="a look-up",
        model=ModelRef("ollama", "llama"),
        complete=False,
        report={"tokens": 6, "weight": 1e-05},
        receipts=[],
        usage={},
        timings={"all": 1.5},
    )
    whole = store.export_rows()
    assert [(c.id, c.channel, [m.id for m in c.messages]) for c in whole] == [(id_, "terminal", [message])]
    assert whole[0].messages[0].report == '{"tokens":6,"weight":1e-05}'
    other = ConversationStore(tmp_path / "other.db", clock=ManualClock())
    other.import_rows(whole)
    assert other.export_rows() == whole
    assert other.messages(id_) == store.messages(id_)
    assert [found.id for found in other.conversations("dog")] == [id_]
    assert other.latest() == id_
    assert other.check() == []
    other.close()


def test_a_database_that_is_not_there_is_empty_and_stays_away(store: ConversationStore, tmp_path: Path) -> None:
    """Reading makes no file."""
    assert store.export_rows() == []
    assert list(tmp_path.iterdir()) == []


def test_conversations_come_by_id_and_turns_in_their_order(connection: apsw.Connection) -> None:
    """Turns keep their order within a conversation, whatever their ids are; one without turns is one too."""
    placed = [talk("c2", row("m9", "c2"), row("m1", "c2")), talk("c1"), talk("c3", row("m5", "c3"))]
    write_all(connection, placed)
    assert read_all(connection) == [placed[1], placed[0], placed[2]]


def test_turns_of_several_conversations_are_numbered_in_time(connection: apsw.Connection) -> None:
    """Ids sort by time, so that the turn stored last is the last one here too, and comes after those that were here."""
    write_all(connection, [talk("c0", row("m0", "c0"))])
    write_all(connection, [talk("c1", row("m1"), row("m4")), talk("c2", row("m2", "c2"), row("m3", "c2"))])
    assert [id_ for (id_,) in connection.execute("SELECT id FROM message ORDER BY seq")] == [f"m{n}" for n in range(5)]


def test_what_is_there_is_not_overwritten(connection: apsw.Connection) -> None:
    """All or none: what came before in the same import is not placed either."""
    write_all(connection, [talk("c1", row("m1"))])
    with pytest.raises(ConflictError, match="the conversation c1 is there already"):
        write_all(connection, [talk("c0", row("m0", "c0")), talk("c1", row("m2"))])
    assert read_all(connection) == [talk("c1", row("m1"))]


def test_a_turn_has_one_place(connection: apsw.Connection) -> None:
    """An id that another conversation's turn has is refused, and nothing is placed."""
    write_all(connection, [talk("c1", row("m1"))])
    with pytest.raises(ConflictError, match="the turn m1 of the conversation c2 can't be placed"):
        write_all(connection, [talk("c2", row("m0", "c2"), row("m1", "c2"))])
    assert read_all(connection) == [talk("c1", row("m1"))]


def test_replacing_leaves_nothing_of_the_old(connection: apsw.Connection) -> None:
    """Its turns go from the search too; other conversations stay."""
    write_all(connection, [talk("c1", row("m1", user="holiday")), talk("c2", row("m2", "c2"))])
    fresh = replace(talk("c1", row("m3", user="garden")), title="new")
    write_all(connection, [fresh], replace={"c1"})
    assert read_all(connection) == [fresh, talk("c2", row("m2", "c2"))]
    found = "SELECT count(*) FROM message_text WHERE message_text MATCH ?"
    assert connection.execute(found, ("holiday",)).get == 0
    assert connection.execute(found, ("garden",)).get == 1
    connection.execute("INSERT INTO message_text (message_text) VALUES ('integrity-check')")


def test_columns_are_checked_by_the_database(connection: apsw.Connection) -> None:
    """A level that does not exist is refused, and the transaction is over."""
    with pytest.raises(ConflictError, match="can't be placed"):
        write_all(connection, [talk("c1", replace(row("m1"), level=4))])
    assert not connection.in_transaction
    assert read_all(connection) == []
