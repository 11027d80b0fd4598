"""Texts that show whether they are whole: each says its number from beginning to end."""

from __future__ import annotations

__all__ = ["number_of", "payload"]


def payload(number: int, size: int) -> str:
    """Return a text of `size` characters that holds a number and nothing else."""
    piece = f"<{number}>"
    return (piece * (size // len(piece) + 1))[: max(size, len(piece))]


def number_of(text: object) -> int:
    """Return the number that a payload holds; -1 when it is no payload, or not a whole one."""
    if not isinstance(text, str) or not text.startswith("<") or ">" not in text:
        return -1
    digits = text[1 : text.index(">")]
    if not digits.isdigit():
        return -1
    return int(digits) if payload(int(digits), len(text)) == text else -1
