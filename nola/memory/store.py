"""Conversations on disk: every turn stored durably, listed, searched and read back."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import weakref
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import apsw

from nola.errors import NolaError, UsageError
from nola.flow import Exchange, Problem
from nola.memory import schema
from nola.memory.ids import IdMaker
from nola.memory.rows import read_all, write_all
from nola.port import ConversationRow, StoredMessage
from nola.types import ConversationId, Level, MessageId

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from nola.clock import Clock
    from nola.flow import ModelRef
    from nola.memory.rows import WholeConversation
    from nola.types import Channel, Json

__all__ = ["ConversationStore"]

_TITLE = 60
_SEARCH_WORDS = 64
_SHOWN = 40

_ROW = """c.id, c.title, c.channel, c.started, c.updated,
    (SELECT count(*) FROM message AS n WHERE n.conversation = c.id)"""
_LIST = f"SELECT {_ROW} FROM conversation AS c ORDER BY c.updated DESC, c.id DESC LIMIT ?"  # noqa: S608 -- constants only
_SEARCH = f"""
SELECT {_ROW} FROM (
    SELECT m.conversation AS id, min(t.rank) AS best
    FROM message_text AS t JOIN message AS m ON m.seq = t.rowid
    WHERE message_text MATCH ? GROUP BY m.conversation
) AS hit JOIN conversation AS c ON c.id = hit.id
ORDER BY hit.best, c.updated DESC, c.id DESC LIMIT ?"""  # noqa: S608 -- constants only
_MESSAGES = """
SELECT id, conversation, at, user, reply, level, model_provider, model_name, complete, report
FROM message WHERE conversation = ? ORDER BY seq"""
_EXCHANGES = "SELECT user, level, reply, model_provider FROM message WHERE conversation = ? ORDER BY seq DESC LIMIT ?"
_LATEST = """
SELECT m.conversation FROM message AS m JOIN conversation AS c ON c.id = m.conversation
WHERE ?1 IS NULL OR c.channel = ?1 ORDER BY m.seq DESC LIMIT 1"""
_PREFIX = "SELECT id FROM conversation WHERE id >= ?1 AND id < ?1 || '~' ORDER BY id LIMIT 2"
_PUT_CONVERSATION = """
INSERT INTO conversation (id, title, channel, started, updated) VALUES (?1, ?2, ?3, ?4, ?4)
ON CONFLICT (id) DO UPDATE SET updated = max(updated, excluded.updated)"""
_PUT_MESSAGE = """
INSERT INTO message (id, conversation, at, user, reply, quoted, level, level_why, model_provider, model_name, complete,
    report, timings, receipts, usage) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"""


class ConversationStore:
    """The conversations of one database file, from any thread (E34).

    The file is opened on first use and by reading is never made. One connection, guarded by one lock; it is closed
    around a fork and opened again by whoever needs it, since SQLite's locks do not survive in a forked child.

    Args:
        database: The SQLite file.
        clock: Tells when a turn is stored, and dates new ids.
    """

    def __init__(self, database: Path, *, clock: Clock) -> None:
        self._path = database
        self._clock = clock
        self._ids = IdMaker()
        self._lock = threading.RLock()
        self._connection: apsw.Connection | None = None
        self._opened: tuple[int, int] | None = None
        _close_around_forks(self)

    def add_turn(
        self,
        *,
        conversation: ConversationId | None,
        channel: Channel,
        user: str,
        reply: str,
        quoted: str,
        level: Level,
        level_why: str,
        model: ModelRef,
        complete: bool,
        report: Json,
        receipts: Json,
        usage: Json,
        timings: Json,
        message_id: MessageId | None = None,
    ) -> tuple[ConversationId, MessageId]:
        """Store one turn; when this returns, it survives a power cut.

        Args:
            conversation: The conversation that it continues; an id not seen before, or None, starts a new one, named
                after the first words of `user`.
            channel: The door by which the message came in.
            user: The owner's words.
            reply: The model's words.
            quoted: What code added to the reply.
            level: The context level that was chosen.
            level_why: Why that level.
            model: Which model answered.
            complete: False when the reply broke off.
            report: The context report.
            receipts: Proofs of what was written.
            usage: Tokens as the model counted them.
            timings: Milliseconds of each step.
            message_id: An id that was made beforehand, or None.

        Returns:
            The ids of the conversation and of the message.

        Raises:
            StorageError: The disk refused; nothing of the turn was stored.
            ConflictError: Another process held the file for too long.
            NolaError: The file is damaged or of a newer Nola; it was left as it is.
        """
        user = _clean(user)
        texts = (user, _clean(reply), _clean(quoted), int(level), _clean(level_why), model.provider, model.name)
        payloads = tuple(_dumped(payload) for payload in (report, timings, receipts, usage))
        with self._lock, schema.explained(self._path):
            at = _written(self._clock.now())
            conversation = conversation or self.new_conversation_id()
            message = message_id or MessageId(self._new_id())
            connection = self._ready()
            with schema.transaction(connection):
                connection.execute(_PUT_CONVERSATION, (conversation, _title(user), str(channel), at))
                connection.execute(_PUT_MESSAGE, (message, conversation, at, *texts, int(complete), *payloads))
        return conversation, message

    def new_conversation_id(self) -> ConversationId:
        """Make an id for a conversation; nothing is stored before its first turn is."""
        return ConversationId(self._new_id())

    def latest(self, channel: str | None = None) -> ConversationId | None:
        """Return the conversation of the turn stored last, whatever the clock said; None when there is none.

        Args:
            channel: Look only at conversations that began in this channel.
        """
        rows = self._rows(_LATEST, (None if channel is None else _clean(channel),))
        return ConversationId(rows[0][0]) if rows else None

    def conversations(self, search: str = "", limit: int = 20) -> list[ConversationRow]:
        """List conversations, the last used first; with `search`, the best matching first (BM25), then the last used.

        Args:
            search: Any text; a conversation that holds one of its words is found, and the last word may be unfinished.
            limit: The most rows to return.

        Raises:
            NolaError: The file can't be read.
        """
        most = max(0, limit)
        rows = self._rows(_SEARCH, (_match(search), most)) if search.strip() else self._rows(_LIST, (most,))
        return [
            ConversationRow(ConversationId(id_), title, channel, _read(started), _read(updated), turns)
            for id_, title, channel, started, updated, turns in rows
        ]

    def resolve(self, prefix: str) -> ConversationId:
        """Return the one conversation whose id begins so, in either case.

        Raises:
            UsageError: No conversation's id begins so, or several do.
        """
        start = _clean(prefix).strip().lower()
        rows = self._rows(_PREFIX, (start,)) if start else []
        if not rows:
            raise UsageError(f"no conversation's id begins with {start[:_SHOWN]!r}", fix="list them with: nola history")
        if len(rows) > 1 and rows[0][0] != start:
            raise UsageError(f"several conversations' ids begin with {start[:_SHOWN]!r}", fix="give more of the id")
        return ConversationId(rows[0][0])

    def messages(self, conversation: str) -> list[StoredMessage]:
        """Return a conversation's turns, oldest first.

        Args:
            conversation: Its id, or the beginning of it when no other begins so.

        Raises:
            UsageError: No conversation's id begins so, or several do.
        """
        return [
            StoredMessage(
                id=MessageId(id_),
                conversation=ConversationId(owner),
                at=_read(at),
                user=user,
                reply=reply,
                level=level,
                model=f"{provider}:{name}" if name else provider,
                complete=bool(complete),
                report=json.loads(report),
            )
            for id_, owner, at, user, reply, level, provider, name, complete, report in self._rows(
                _MESSAGES, (self.resolve(conversation),)
            )
        ]

    def exchanges(self, conversation: ConversationId, limit: int) -> list[Exchange]:
        """Return the last turns of a conversation, oldest first; none for one that has no turn yet (E26)."""
        rows = self._rows(_EXCHANGES, (conversation, max(0, limit)))
        made_by_code = {"code", "none"}
        return [Exchange(user, Level(level), reply, by in made_by_code) for user, level, reply, by in reversed(rows)]

    def export_rows(self) -> list[WholeConversation]:
        """Return every conversation with all that is stored of it, by id.

        Raises:
            NolaError: The file can't be read.
        """
        with self._lock, schema.explained(self._path):
            if self._connection is None and not schema.exists(self._path):
                return []
            return read_all(self._ready())

    def import_rows(self, conversations: Iterable[WholeConversation], *, replace: Collection[str] = ()) -> None:
        """Place whole conversations with their ids and times, all or none; `replace` names those that may be there.

        Raises:
            ConflictError: One is there already, or another process held the file for too long; nothing was placed.
            StorageError: The disk refused; nothing was placed.
            NolaError: The file is damaged or of a newer Nola; it was left as it is.
        """
        with self._lock, schema.explained(self._path):
            write_all(self._ready(), conversations, replace=replace)

    def check(self) -> list[Problem]:
        """Look the whole file over and change nothing; a file that is not there is no problem (E4)."""
        try:
            with self._lock, schema.explained(self._path):
                found = self._quick_check()
        except NolaError as error:
            found = [str(error)]
        return [Problem(str(self._path), 0, 0, message) for message in found]

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            self._disconnect()

    def _new_id(self) -> str:
        with self._lock:
            return self._ids.make(self._clock.now())

    def _quick_check(self) -> list[str]:
        if self._connection is None and not schema.exists(self._path):
            return []
        connection = self._connection or schema.connect(self._path)
        try:
            answers = [str(message) for (message,) in connection.execute("PRAGMA quick_check")]
        finally:
            if connection is not self._connection:
                connection.close()
        return [] if answers == ["ok"] else answers

    def _rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._lock, schema.explained(self._path):
            if self._connection is None and not schema.exists(self._path):
                return []
            return list(self._ready().execute(sql, values))

    def _ready(self) -> apsw.Connection:
        if self._connection and self._opened != _identity(self._path):
            self._leave_replaced_file()
        if not self._connection:
            self._connection = schema.open_ready(self._path)
            self._opened = _identity(self._path)
        return self._connection

    def _leave_replaced_file(self) -> None:
        """Empty the log of a file that the owner deleted or replaced, lest SQLite apply it to the new one."""
        if self._connection:
            with contextlib.suppress(apsw.Error):
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        self._disconnect()

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection:
            with contextlib.suppress(apsw.Error):  # every commit is on disk already
                connection.close()


def _close_around_forks(store: ConversationStore) -> None:
    weak = weakref.ref(store)

    def before() -> None:
        if held := weak():
            held._lock.acquire()  # noqa: SLF001 -- part of the class
            held._disconnect()  # noqa: SLF001

    def after() -> None:
        if held := weak():
            with contextlib.suppress(RuntimeError):  # the store was made while another thread forked
                held._lock.release()  # noqa: SLF001

    os.register_at_fork(before=before, after_in_parent=after, after_in_child=after)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _match(search: str) -> str:
    words = list(dict.fromkeys(_clean(search).replace("\0", " ").split()))[:_SEARCH_WORDS]
    return " OR ".join('"' + word.replace('"', '""') + '"' for word in words or [""]) + "*"


def _title(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= _TITLE:
        return line
    return (line[: _TITLE + 1].rpartition(" ")[0] or line[:_TITLE]) + "…"


def _clean(text: str) -> str:
    """Replace half characters (lone surrogates), which no UTF-8 file can hold."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _dumped(payload: Json) -> str:
    return _clean(json.dumps(payload, ensure_ascii=False, separators=(",", ":")))


def _written(at: datetime) -> str:
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def _read(at: str) -> datetime:
    return datetime.fromisoformat(at)
