"""Tests of stored conversations: what was acknowledged comes back and is found, and a bad file is named and kept."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nola.errors import NolaError, StorageError, UsageError
from nola.flow import Exchange, ModelRef, Problem
from nola.memory import schema
from nola.memory.store import ConversationStore
from nola.port import ConversationRow, StoredMessage
from nola.types import Channel, ConversationId, Level, MessageId
from tests.memory.making import add_turn, texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.testing import ManualClock
    from tests.faults.table import BarResult

_ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=60)
_HOSTILE = st.text(alphabet="\0\"'()*:^+-{}[]ANDORTE bé😀\ud800\n", max_size=60)


def _titles(store: ConversationStore, search: str) -> list[str]:
    return [row.title for row in store.conversations(search)]


@contextmanager
def _without_root() -> Iterator[Path]:
    """Give a folder, and the powers of nobody when we run as root, whom no mode stops."""
    folder = Path(tempfile.mkdtemp())
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(folder)


@pytest.mark.row("E34")
def test_a_turn_comes_back_as_it_was_stored(store: ConversationStore, clock: ManualClock) -> None:
    """All that the port shows of a turn is what was handed in."""
    ids = store.add_turn(
        conversation=None,
        channel=Channel.WEB,
        user="What is my dog's name?\n\0 🐕",
        reply="Biscuit.",
        quoted="You told me: your dog is called Biscuit.",
        level=Level.DEEP,
        level_why="asks why",
        model=ModelRef("embedded", "default"),
        complete=False,
        report={"selected": [{"path": "user.pets.dog.name", "weight": 0.4}], "tokens": 7},
        receipts=[{"path": "user.city"}],
        usage={"prompt_tokens": 9},
        timings={"model": 12.5},
        message_id=MessageId("m1"),
    )
    assert ids[1] == "m1"
    assert store.messages(ids[0]) == [
        StoredMessage(
            id=MessageId("m1"),
            conversation=ids[0],
            at=clock.now(),
            user="What is my dog's name?\n\0 🐕",
            reply="Biscuit.",
            level=3,
            model="embedded:default",
            complete=False,
            report={"selected": [{"path": "user.pets.dog.name", "weight": 0.4}], "tokens": 7},
        )
    ]


def test_a_turn_keeps_what_the_port_does_not_show(store: ConversationStore, database: Path) -> None:
    """Quoted text, the level's reason, receipts, usage, timings and the instant stand in the file as readable text."""
    store.add_turn(
        conversation=None,
        channel=Channel.SMS,
        user="hi",
        reply="Hi.",
        quoted="quoted",
        level=Level.QUICK,
        level_why="a greeting",
        model=ModelRef("none", ""),
        complete=True,
        report=None,
        receipts=[{"path": "user.city", "new": "Łódź"}],
        usage={"reply_tokens": None},
        timings={"model": 12.5},
    )
    store.close()
    connection = schema.connect(database)
    row = connection.execute("SELECT quoted, level_why, receipts, usage, timings, at FROM message").get
    connection.close()
    assert row == (
        "quoted",
        "a greeting",
        '[{"path":"user.city","new":"Łódź"}]',
        '{"reply_tokens":null}',
        '{"model":12.5}',
        "2026-11-20T09:00:00.000000+00:00",
    )


def test_a_conversation_goes_on(store: ConversationStore, clock: ManualClock) -> None:
    """A second turn joins the first; the row counts them and keeps title, channel and start."""
    first = add_turn(store, "hello")
    clock.advance(60)
    assert add_turn(store, "and my cat?", conversation=first, channel=Channel.WEB) == first
    started = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    updated = datetime(2026, 11, 20, 9, 1, tzinfo=UTC)
    assert store.conversations() == [ConversationRow(first, "hello", "terminal", started, updated, 2)]
    assert texts(store, first) == ["hello", "and my cat?"]


def test_an_id_made_beforehand_starts_a_conversation(store: ConversationStore) -> None:
    """An id for a conversation stores nothing until its first turn, which may carry it."""
    planned = store.new_conversation_id()
    assert store.conversations() == []
    assert add_turn(store, "hello", conversation=planned) == planned
    assert store.latest() == planned


@pytest.mark.parametrize(
    ("user", "title"),
    [
        ("hello", "hello"),
        ("  two\n\tlines ", "two lines"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 60 + "…"),
        ("word " * 12 + "end", "word word word word word word word word word word word word…"),
        ("What did I say about the trip to Porto that we planned for the spring?",
         "What did I say about the trip to Porto that we planned for…"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_title_is_the_first_words(store: ConversationStore, user: str, title: str) -> None:
    """A title has at most sixty characters, cut at a word when there is one."""
    add_turn(store, user)
    assert store.conversations()[0].title == title


def test_latest_is_the_conversation_of_the_last_turn(store: ConversationStore, clock: ManualClock) -> None:
    """The order of storing decides, even when the clock was set back; a channel narrows it."""
    assert store.latest() is None
    web = add_turn(store, "hello", channel=Channel.WEB)
    clock.advance(-86_400)
    terminal = add_turn(store, "hello")
    assert [store.latest(), store.latest("web"), store.latest("sms")] == [terminal, web, None]


def test_exchanges_are_the_last_ones_oldest_first(store: ConversationStore) -> None:
    """What the level and the prompt look back on; an unknown conversation has none."""
    conversation = add_turn(store, "one", "1")
    add_turn(store, "two", "2", conversation=conversation)
    add_turn(store, "three", "3", conversation=conversation)
    last = [Exchange("two", Level.CONVERSATION, "2"), Exchange("three", Level.CONVERSATION, "3")]
    assert store.exchanges(conversation, 2) == last
    assert store.exchanges(conversation, 0) == store.exchanges(conversation, -1) == []
    assert store.exchanges(store.new_conversation_id(), 5) == []


def test_conversations_are_listed_last_used_first(store: ConversationStore, clock: ManualClock) -> None:
    """Without a search the list goes by time, and ends at the limit."""
    for title in ("one", "two", "three"):
        add_turn(store, title)
        clock.advance(1)
    assert _titles(store, " \n") == ["three", "two", "one"]
    assert [row.title for row in store.conversations(limit=2)] == ["three", "two"]
    assert store.conversations(limit=-1) == store.conversations("two", limit=0) == []


def test_a_search_finds_words_in_both_sides_of_a_turn(store: ConversationStore) -> None:
    """Stems, accents and case do not matter; the last word may be unfinished; best match first."""
    add_turn(store, "My dog is called Biscuit", "What a lovely name!")
    add_turn(store, "Où est le café de Łódź?", "It is closed on Mondays; the dogs of the owner sleep in it.")
    add_turn(store, "Don't remind me", "Fine.")
    assert _titles(store, "biscuit dogs") == ["My dog is called Biscuit", "Où est le café de Łódź?"]
    assert _titles(store, "LOVELY") == ["My dog is called Biscuit"]
    assert _titles(store, "cafe") == ["Où est le café de Łódź?"]
    assert _titles(store, "monday") == ["Où est le café de Łódź?"]
    assert _titles(store, "bisc") == ["My dog is called Biscuit"]
    assert _titles(store, "bisc nothing") == []
    assert _titles(store, "don't") == ["Don't remind me"]


def test_equal_matches_are_ordered_by_time(store: ConversationStore, clock: ManualClock) -> None:
    """Of two conversations that match alike, the one used last comes first, once, however often it matches."""
    first = add_turn(store, "Porto")
    clock.advance(1)
    second = add_turn(store, "Porto")
    assert [row.id for row in store.conversations("porto")] == [second, first]
    clock.advance(1)
    add_turn(store, "Porto", conversation=first)
    assert [row.id for row in store.conversations("porto")] == [first, second]


@pytest.mark.parametrize(
    "search",
    ['"', "\0", "*", "a OR", "NEAR(", "user:x", "-x", "^", "!!!", "\ud800", "x" * 100_000, "a " * 50_000,
     " ".join(map(str, range(50_000)))],
)  # fmt: skip
def test_a_hostile_search_finds_nothing_and_does_no_harm(store: ConversationStore, search: str) -> None:
    """Operators, quotes, NUL, half characters and 100 kB are only words that are not there."""
    add_turn(store, "My dog is called Biscuit")
    assert store.conversations(search) == []


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(search=_ANY_TEXT | _HOSTILE)
def test_no_search_raises(store: ConversationStore, search: str) -> None:
    """Whatever is searched for, the answer is a list."""
    if store.latest() is None:
        add_turn(store, "be éé AND OR NOT NEAR 😀")
    assert len(store.conversations(search)) <= 1


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text())
def test_any_text_comes_back_unchanged(store: ConversationStore, text: str) -> None:
    """What was said is stored to the character, and can be read beside its report."""
    conversation = add_turn(store, text, text, report=[text])
    found = store.messages(conversation)[0]
    assert (found.user, found.reply, found.report) == (text, text, [text])


def test_half_characters_are_replaced(store: ConversationStore) -> None:
    """A lone surrogate, which a terminal can hand over, becomes the replacement character and loses no turn."""
    conversation = add_turn(store, "caf\udce9", report={"text": "\ud83d"})
    found = store.messages(conversation)[0]
    assert (found.user, found.report) == ("caf\ufffd", {"text": "\ufffd"})


def test_an_id_can_be_given_by_its_beginning(store: ConversationStore) -> None:
    """A prefix that fits one conversation is enough, in either case; the whole id always is."""
    for name in ("abc", "abcd", "xyz"):
        add_turn(store, name, conversation=ConversationId(name))
    assert [store.resolve("x"), store.resolve("abc"), store.resolve(" ABCD ")] == ["xyz", "abc", "abcd"]
    assert texts(store, "xy") == ["xyz"]
    with pytest.raises(UsageError, match="several conversations' ids begin with 'ab'"):
        store.resolve("ab")


@pytest.mark.parametrize("prefix", ["", "q", "%", "é", "abc\0", "\ud800", "a" * 100_000])
def test_an_id_that_fits_nothing_is_wrong_usage(store: ConversationStore, prefix: str) -> None:
    """A beginning that no conversation has is one short sentence with what to do."""
    add_turn(store, "hello", conversation=ConversationId("abc1"))
    with pytest.raises(UsageError, match=r"no conversation's id begins with '.{0,40}'$") as caught:
        store.messages(prefix)
    assert caught.value.fix == "list them with: nola history"


def test_reading_makes_no_file(store: ConversationStore, database: Path) -> None:
    """Listing, searching and checking before the first turn leave the disk alone."""
    assert store.latest() is None
    assert store.conversations() == store.conversations("x") == []
    assert store.check() == []
    assert not database.parent.exists()


def test_a_closed_store_opens_again(store: ConversationStore) -> None:
    """Closing is never final."""
    conversation = add_turn(store, "one")
    store.close()
    store.close()
    add_turn(store, "two", conversation=conversation)
    assert texts(store, conversation) == ["one", "two"]


def test_many_threads_share_a_store(store: ConversationStore) -> None:
    """Four threads that write at once lose nothing."""
    name = ConversationId("shared")

    def write(worker: int) -> None:
        for n in range(25):
            add_turn(store, f"{worker} {n}", conversation=name)

    threads = [threading.Thread(target=write, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(texts(store, name)) == sorted(f"{worker} {n}" for worker in range(4) for n in range(25))


@pytest.mark.parametrize("replacement", [None, "restored"])
def test_a_file_replaced_while_open_gets_the_next_turn(
    store: ConversationStore, database: Path, tmp_path: Path, clock: ManualClock, replacement: str | None
) -> None:
    """When the owner deletes or replaces the file, later turns land in what stands there, and nothing old mixes in."""
    other = ConversationStore(tmp_path / "other.db", clock=clock)
    add_turn(other, "restored")
    other.close()
    add_turn(store, "old")
    (tmp_path / "other.db").replace(database) if replacement else database.unlink()
    add_turn(store, "new")
    assert sorted(_titles(store, "")) == sorted(filter(None, ["new", replacement]))
    assert store.check() == []


@pytest.mark.bar("E4")
@pytest.mark.parametrize("content", [b"no database " * 1024, b"short"])
@pytest.mark.row("P25")
def test_a_file_that_is_no_database_is_named_and_kept(
    store: ConversationStore, database: Path, content: bytes, bar_result: BarResult
) -> None:
    """Reading and writing both say what is wrong, checking lists it, and the file stays as it was."""
    database.parent.mkdir()
    database.write_bytes(content)
    with pytest.raises(NolaError, match="can't be read as Nola's memory"):
        add_turn(store, "hello")
    with pytest.raises(NolaError, match="can't be read as Nola's memory") as caught:
        store.conversations()
    assert store.check() == [Problem(str(database), 0, 0, str(caught.value))]
    assert database.read_bytes() == content
    bar_result(1, "bad files")


@pytest.mark.bar("E4")
def test_a_file_with_damaged_pages_is_named_and_kept(
    store: ConversationStore, database: Path, bar_result: BarResult
) -> None:
    """Garbage below the header is found by the check and by reading, and the file stays as it was."""
    conversation = add_turn(store, "hello " * 5000)
    store.close()
    content = database.read_bytes()
    damaged = content[:8192] + b"\xff" * (len(content) - 8192)
    database.write_bytes(damaged)
    assert store.check() != []
    with pytest.raises(NolaError, match="can't be read as Nola's memory"):
        store.messages(conversation)
    store.close()
    assert database.read_bytes() == damaged
    bar_result(1, "bad files")


def test_a_newer_file_is_named_and_kept(store: ConversationStore, database: Path) -> None:
    """A turn is not written into a file of a Nola to come."""
    add_turn(store, "hello")
    store.close()
    connection = schema.connect(database)
    connection.pragma("user_version", 99)
    connection.wal_checkpoint()
    connection.close()
    before = database.read_bytes()
    with pytest.raises(NolaError, match="was written by a newer Nola"):
        add_turn(store, "hello")
    assert "newer Nola" in store.check()[0].message
    assert database.read_bytes() == before


def test_a_read_only_file_is_read_but_not_written(clock: ManualClock) -> None:
    """Without the right to write, history is still shown and a new turn is refused in one sentence."""
    with _without_root() as folder:
        store = ConversationStore(folder / "memory.db", clock=clock)
        add_turn(store, "hello")
        store.close()
        (folder / "memory.db").chmod(0o400)
        before = (folder / "memory.db").read_bytes()
        store = ConversationStore(folder / "memory.db", clock=clock)
        assert _titles(store, "hello") == ["hello"]
        with pytest.raises(StorageError, match="it is read-only"):
            add_turn(store, "again")
        store.close()
        assert (folder / "memory.db").read_bytes() == before


def test_a_folder_without_rights_is_an_error(clock: ManualClock) -> None:
    """A folder that can't be written or looked into is one sentence, never an empty history."""
    with _without_root() as folder:
        store = ConversationStore(folder / "memory.db", clock=clock)
        folder.chmod(0o500)
        with pytest.raises(StorageError, match="Permission denied"):
            add_turn(store, "hello")
        folder.chmod(0o000)
        with pytest.raises(StorageError, match="Permission denied"):
            store.conversations()
        folder.chmod(0o700)
