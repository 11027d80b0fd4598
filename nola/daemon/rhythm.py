"""When the state's files are looked at, and which of their problems are told: decided on numbers alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nola.flow import Problem, Seen

__all__ = ["Doubts", "Rhythm"]

_LONGEST_STORM = 5
_SECOND_LOOKS_S = (0.2, 0.5, 1.0)


class Rhythm:
    """When to look next, in seconds of a clock that never goes back.

    A hint is answered once the files rest, or after five times the rest when they never do; without hints there is a
    look every `poll_s` seconds. Between the end of one look and the beginning of the next is at least one rest.

    Args:
        debounce_s: How long the files must rest.
        poll_s: The longest time between looks.
        now: The present; the first look is due at once.
    """

    def __init__(self, debounce_s: float, poll_s: float, now: float) -> None:
        self._debounce = debounce_s
        self._poll = poll_s
        self._looked = now - max(debounce_s, poll_s)
        self._first: float | None = None
        self._last = now
        self._again: float | None = None

    def hint(self, now: float) -> bool:
        """Note that something may have changed; return whether the next look is due earlier than before."""
        first = self._first is None
        if self._first is None:
            self._first = now
        self._last = now
        return first

    def due(self) -> float:
        """Return when to look next."""
        wanted = [self._looked + self._poll]
        if self._first is not None:
            wanted.append(min(self._last + self._debounce, self._first + _LONGEST_STORM * self._debounce))
        if self._again is not None:
            wanted.append(self._again)
        return max(min(wanted), self._looked + self._debounce)

    def begin(self) -> None:
        """Note that a look begins: it answers every hint so far."""
        self._first = None

    def end(self, now: float, again: float | None) -> None:
        """Note that a look has ended, and when a second one is wanted."""
        self._looked = now
        self._again = again


class Doubts:
    """Which problems are told: an error once it has outlived second looks for a second, since half a file is no error.

    Attributes:
        shown: The problems that stand told.
    """

    def __init__(self) -> None:
        self.shown: tuple[Problem, ...] = ()
        self._since: float | None = None

    def judge(self, seen: Seen, began: float) -> Seen | None:
        """Return what is to be told of a look, or None when that is nothing new.

        Args:
            seen: What the look found.
            began: When it began.
        """
        known = {problem.file for problem in self.shown if problem.severity == "error"}
        doubted = {p for p in seen.problems if p.severity == "error" and p.file not in known}
        if not doubted:
            self._since = None
        elif self._since is None:
            self._since = began
        if self._since is not None and began >= self._since + _SECOND_LOOKS_S[-1]:
            doubted, self._since = set(), None
        shown = tuple(problem for problem in seen.problems if problem not in doubted)
        news = bool(seen.changed) or shown != self.shown
        self.shown = shown
        return replace(seen, problems=shown) if news else None

    def again(self, began: float) -> float | None:
        """Return when to look a second time, after a look that began then; None when there is no doubt."""
        return self.second_look(self._since, began)

    @staticmethod
    def second_look(since: float | None, began: float) -> float | None:
        """Return the next of the second looks at what has been in doubt since then, or None when there is none left."""
        if since is None:
            return None
        return next((since + step for step in _SECOND_LOOKS_S if since + step > began), None)
