"""Conversations as JSON and back: every column, what is JSON text in the database as JSON."""

from __future__ import annotations

import json
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import orjson

from nola.errors import DocumentError
from nola.memory.rows import MessageRow, WholeConversation
from nola.state import document
from nola.transfer.content import PLACE, RAW

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.types import Json

__all__ = ["conversation_of", "json_of"]

_PAYLOADS = ("report", "timings", "receipts", "usage")
_TEXTS = ("user", "reply", "quoted", "level_why", "model_provider", "model_name")
_HEAD = ("id", "title", "channel", "started", "updated", "messages")
_MESSAGE = tuple(field.name for field in fields(MessageRow) if field.name != "conversation")
_DEEPEST_PAYLOAD = 100
_LONGEST_NAME = 200


def json_of(conversation: WholeConversation) -> dict[str, Json]:
    """Write a conversation as JSON."""
    head: dict[str, Json] = {key: getattr(conversation, key) for key in _HEAD if key != "messages"}
    return {**head, "messages": [_message_json(message) for message in conversation.messages]}


def conversation_of(value: Json, where: str) -> WholeConversation:
    """Read a conversation from JSON.

    Args:
        value: What `json_of` returned.
        where: Its place, for messages.

    Raises:
        DocumentError: Something is missing, unknown, or not what it should be.
    """
    given = _object(value, _HEAD, where)
    messages = given["messages"]
    if not isinstance(messages, list):
        raise _wrong(f"{where}.messages", "is no list")
    id_ = _name(given, "id", where)
    return WholeConversation(
        id=id_,
        title=_words(given, "title", where),
        channel=_name(given, "channel", where),
        started=_time(given, "started", where),
        updated=_time(given, "updated", where),
        messages=tuple(
            _message_of(message, id_, f"{where}.messages.{number}") for number, message in enumerate(messages)
        ),
    )


def _message_json(message: MessageRow) -> dict[str, Json]:
    row: dict[str, Json] = {key: getattr(message, key) for key in _MESSAGE}
    row["complete"] = bool(message.complete)
    return {**row, **{key: _payload_json(getattr(message, key)) for key in _PAYLOADS}}


def _message_of(value: Json, conversation: str, where: str) -> MessageRow:
    given = _object(value, _MESSAGE, where)
    level, complete = given["level"], given["complete"]
    if isinstance(level, bool) or not isinstance(level, int) or level not in (1, 2, 3):
        raise _wrong(f"{where}.level", "is not 1, 2 or 3")
    if not isinstance(complete, bool):
        raise _wrong(f"{where}.complete", "is not true or false")
    return MessageRow(
        id=_name(given, "id", where),
        conversation=conversation,
        at=_time(given, "at", where),
        level=level,
        complete=int(complete),
        **{key: _words(given, key, where) for key in _TEXTS},
        **{key: _payload_of(given[key], f"{where}.{key}") for key in _PAYLOADS},
    )


def _payload_json(text: str) -> Json:
    """Return stored JSON text as JSON when that leads back to the very text, else the text itself in an object."""
    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {RAW: text}
    wrapped = isinstance(value, dict) and RAW in value
    if wrapped or document.defect(value, _DEEPEST_PAYLOAD) or _payload_text(value) != text:
        return {RAW: text}
    return value


def _payload_of(value: Json, where: str) -> str:
    if not (isinstance(value, dict) and RAW in value):
        return _payload_text(value)
    text = value[RAW]
    if not isinstance(text, str) or len(value) != 1 or not _is_json(text):
        raise _wrong(where, f"holds {RAW!r}, which is no JSON text")
    return text


def _payload_text(value: Json) -> str:
    """Write JSON the way the database holds it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _object(value: Json, keys: tuple[str, ...], where: str) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise _wrong(where, "is no object")
    missing = next((key for key in keys if key not in value), None)
    if missing:
        raise _wrong(where, f"has no {missing!r}")
    unknown = next((key for key in value if key not in keys), None)
    if unknown is not None:
        raise _wrong(where, f"has an unknown key {unknown[:_LONGEST_NAME]!r}")
    return value


def _words(given: Mapping[str, Json], key: str, where: str) -> str:
    value = given[key]
    if not isinstance(value, str):
        raise _wrong(f"{where}.{key}", "is no text")
    return value


def _name(given: Mapping[str, Json], key: str, where: str) -> str:
    value = _words(given, key, where)
    if not 0 < len(value) <= _LONGEST_NAME or not value.isprintable():
        raise _wrong(f"{where}.{key}", f"is not 1 to {_LONGEST_NAME} printable characters")
    return value


def _time(given: Mapping[str, Json], key: str, where: str) -> str:
    value = _words(given, key, where)
    try:
        at = datetime.fromisoformat(value)
        written = at.astimezone(UTC).isoformat(timespec="microseconds") if at.tzinfo else ""
    except (ValueError, OverflowError):
        written = ""
    # Times are compared as texts, so that all of them have to be written in the one way.
    if written != value:
        raise _wrong(f"{where}.{key}", "is no UTC time such as 2026-11-20T09:00:00.000000+00:00")
    return value


def _wrong(where: str, why: str) -> DocumentError:
    return DocumentError(PLACE, 0, 0, f"{where} {why}")
