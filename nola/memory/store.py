"""Conversations on disk: every turn stored durably, listed, searched and read back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from nola.errors import NolaError, UsageError
from nola.flow import Exchange, Problem
from nola.memory.database import Database
from nola.memory.rows import read_all, write_all
from nola.port import ConversationRow, StoredMessage
from nola.types import ConversationId, Level, MessageId

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    import apsw

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

    The file is opened on first use and by reading is never made.

    Args:
        database: The SQLite file, or what others in this process write to it with.
        clock: Tells when a turn is stored, and dates new ids.
    """

    def __init__(self, database: Path | Database, *, clock: Clock) -> None:
        self._database = database if isinstance(database, Database) else Database(database, clock=clock)
        self._clock = clock

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
        at = _written(self._clock.now())
        placed = conversation or self.new_conversation_id()
        message = message_id or MessageId(self._new_id())

        def put(connection: apsw.Connection) -> None:
            connection.execute(_PUT_CONVERSATION, (placed, _title(user), str(channel), at))
            connection.execute(_PUT_MESSAGE, (message, placed, at, *texts, int(complete), *payloads))

        self._database.write(put)
        return placed, message

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
        with self._database.reading() as connection:
            return read_all(connection)

    def import_rows(self, conversations: Iterable[WholeConversation], *, replace: Collection[str] = ()) -> None:
        """Place whole conversations with their ids and times, all or none; `replace` names those that may be there.

        Raises:
            ConflictError: One is there already, or another process held the file for too long; nothing was placed.
            StorageError: The disk refused; nothing was placed.
            NolaError: The file is damaged or of a newer Nola; it was left as it is.
        """
        placed = list(conversations)
        self._database.write(lambda connection: write_all(connection, placed, replace=replace))

    def check(self) -> list[Problem]:
        """Look the whole file over and change nothing; a file that is not there is no problem (E4)."""
        try:
            found = self._database.check()
        except NolaError as error:
            found = [str(error)]
        return [Problem(str(self._database.path), 0, 0, message) for message in found]

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        self._database.close()

    def _new_id(self) -> str:
        return self._database.new_id(self._clock.now())

    def _rows(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        with self._database.reading() as connection:
            return list(connection.execute(sql, values))


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
