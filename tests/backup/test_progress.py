"""Progress."""

from __future__ import annotations

from nola.backup.progress import teller


def test_bytes_add_up() -> None:
    """Every call tells the sum so far; nobody needs to listen."""
    told: list[tuple[str, int, int]] = []
    for listener in (lambda *step: told.append(step), None):
        tell = teller(listener, "a", 10)
        tell(3)
        tell(7)
    assert told == [("a", 3, 10), ("a", 10, 10)]
