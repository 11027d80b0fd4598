"""The small names that every room shares: NewTypes, enums and the JSON alias."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NewType, TypeAlias

__all__ = [
    "ChangeId",
    "Channel",
    "ConversationId",
    "Json",
    "Level",
    "MessageId",
    "Place",
    "Profile",
    "Role",
    "Severity",
    "StimuliType",
    "Tokens",
    "Weight",
]

Tokens = NewType("Tokens", int)
Weight = NewType("Weight", float)
ConversationId = NewType("ConversationId", str)
MessageId = NewType("MessageId", str)
ChangeId = NewType("ChangeId", str)

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


class Level(IntEnum):
    """Context level (E03): how deep a message asks to look."""

    QUICK = 1
    CONVERSATION = 2
    DEEP = 3


class Place(StrEnum):
    """Where a node stands in the hierarchy of state files (E01)."""

    GLOBAL = "global"
    AGGREGATOR = "aggregator"
    MODULE = "module"


class StimuliType(StrEnum):
    """The caller's own word for what a message needs (E24)."""

    ANALYTICAL = "analytical"
    CONVERSATIONAL = "conversational"
    REALTIME = "realtime"


class Profile(StrEnum):
    """A set of weighting rules: ours, or the source document's literal ones."""

    NOLA = "nola"
    HEA = "hea"


class Channel(StrEnum):
    """The door by which a message came in."""

    TERMINAL = "terminal"
    WEB = "web"
    API = "api"
    SMS = "sms"
    MAIL = "mail"
    LIBRARY = "library"


class Role(StrEnum):
    """Who speaks in a message to a model."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


class Severity(StrEnum):
    """How much a finding of `nola doctor` matters."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"
