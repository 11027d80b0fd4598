"""Turns and contexts as JSON documents, for the command line and the store; their shape is a promise to scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nola.flow import ContextReport, Factors, LeftOut, Receipt, Remembered, Selected, TurnResult

__all__ = ["context_document", "receipt_document", "turn_document"]

_DIGITS = 6


def turn_document(result: TurnResult) -> dict[str, Any]:
    """Make the document of a finished turn."""
    report = result.report
    return {
        "reply": result.reply,
        "level": int(report.choice.level),
        "level_why": report.choice.why,
        "model": {"provider": result.model.provider, "name": result.model.name},
        "usage": {
            "prompt_tokens": result.usage.prompt_tokens,
            "context_tokens": result.context_tokens,
            "reply_tokens": result.usage.reply_tokens,
        },
        "context": [_selected(fact) for fact in report.selected],
        "left_out": [{"path": fact.path, "why": fact.why} for fact in report.left_out],
        "unknown": list(report.unknown),
        "receipts": [receipt_document(receipt) for receipt in result.receipts],
        "notices": list(result.notices),
        "quoted": result.quoted,
        "complete": result.complete,
        "conversation": result.conversation,
        "message": result.message,
        "timings_ms": result.timings_ms,
    }


def context_document(report: ContextReport, *, most_left_out: int | None = None) -> dict[str, Any]:
    """Make the document of a context without a reply; here the left-out facts carry their weights too.

    Args:
        report: The context.
        most_left_out: How many of the left-out facts to tell, the heaviest; None for all.
    """
    return {
        "level": int(report.choice.level),
        "level_why": report.choice.why,
        "budget": report.budget,
        "tokens": report.tokens,
        "memory_budget": report.memory_budget,
        "memory_tokens": report.memory_tokens,
        "context": [_selected(fact) for fact in report.selected],
        "left_out": [_left_out(fact) for fact in report.left_out[:most_left_out]],
        "unknown": list(report.unknown),
        "notices": list(report.notices),
    }


def receipt_document(receipt: Receipt) -> dict[str, Any]:
    """Make the document of a receipt."""
    return {
        "path": receipt.path,
        "old": receipt.old,
        "new": receipt.new,
        "undo": receipt.undo,
        "what": receipt.what,
    }


def _selected(fact: Selected) -> dict[str, Any]:
    return {
        "path": fact.path,
        "text": fact.text,
        "tokens": fact.tokens,
        "weight": round(fact.weight, _DIGITS),
        "factors": _factors(fact.factors),
        "source_file": fact.source_file,
        **_memory(fact.memory),
    }


def _left_out(fact: LeftOut) -> dict[str, Any]:
    return {
        "path": fact.path,
        "why": fact.why,
        "tokens": fact.tokens,
        "weight": round(fact.weight, _DIGITS),
        "factors": _factors(fact.factors),
        **_memory(fact.memory),
    }


def _memory(memory: Remembered | None) -> dict[str, Any]:
    """Tell how recall saw a memory; nothing of a leaf of the state."""
    if memory is None:
        return {}
    return {
        "memory": {
            "id": memory.id,
            "content": memory.content,
            "kind": memory.kind,
            "speaker": memory.speaker,
            "at": memory.at.isoformat(),
            "relevance": round(memory.relevance, _DIGITS),
            "strength": round(memory.strength, _DIGITS),
            "tier": str(memory.tier),
            "score": round(memory.score, _DIGITS),
            "parts": {name: round(part, _DIGITS) for name, part in memory.parts.items()},
            "why": memory.why,
        }
    }


def _factors(factors: Factors) -> dict[str, float]:
    return {
        "hierarchy": round(factors.hierarchy, _DIGITS),
        "level": round(factors.level, _DIGITS),
        "recency": round(factors.recency, _DIGITS),
        "relevance": round(factors.relevance, _DIGITS),
    }
