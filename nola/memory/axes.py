"""The axes on which a memory stands: kind, class, status, trust and tier; and the kinds of edges (X04, X05)."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["EdgeKind", "Kind", "MemoryClass", "State", "Status", "Tier", "Trust"]


class Kind(StrEnum):
    """What sort of memory it is (B01); a summary is a consolidated episode (B53)."""

    SENSORY = "sensory"
    WORKING = "working"
    EPISODIC = "episodic"
    SEMANTIC = "semantic"
    PROCEDURAL = "procedural"
    PROSPECTIVE = "prospective"
    SUMMARY = "summary"


class MemoryClass(StrEnum):
    """Whether experience may change it (A01)."""

    INNATE = "innate"
    LEARNED = "learned"


class Status(StrEnum):
    """Whether it counts (E-07, E-56)."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    DELETED = "deleted"


class Trust(StrEnum):
    """How far its origin is trusted, from the least to the most."""

    UNTRUSTED = "untrusted"
    EXTERNAL = "external"
    ASSISTANT = "assistant"
    OWNER = "owner"

    @property
    def rank(self) -> int:
        """Place in the order, 0 for the least trusted."""
        return tuple(Trust).index(self)


class Tier(StrEnum):
    """How warm it is; derived from heat, never stored (A14, E-07)."""

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


class EdgeKind(StrEnum):
    """What an edge between two memories says (X05)."""

    SIMILAR_TO = "similar_to"
    DERIVES_FROM = "derives_from"
    PROCEDURE_DERIVES_FROM = "procedure_derives_from"
    CONSOLIDATES = "consolidates"
    ATTENDED_TO = "attended_to"
    ASSOCIATED = "associated"
    CITES = "cites"
    CONTRADICTS = "contradicts"
    SUPERSEDES = "supersedes"
    PARENT_OF = "parent_of"


class State(StrEnum):
    """How far an intention is (B34)."""

    PENDING = "pending"
    TRIGGERED = "triggered"
    RESOLVED = "resolved"
