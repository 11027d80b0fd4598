"""Group commit: writers queue up, the first one through writes for all, and nobody is told before it is done."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from nola.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

__all__ = ["GroupCommit", "Ticket", "TimedLock"]

_Wish = TypeVar("_Wish")
_Result = TypeVar("_Result")


class TimedLock:
    """A re-entrant lock that gives up with a sentence instead of waiting for ever (decision D2).

    Args:
        timeout_s: Longest wait, in seconds.
    """

    def __init__(self, timeout_s: float) -> None:
        self._lock = threading.RLock()
        self._timeout_s = timeout_s
        self._holder: int | None = None
        self._depth = 0

    def __enter__(self) -> None:
        if not self._lock.acquire(timeout=self._timeout_s):
            raise ConflictError(
                f"another thread has held the state for {self._timeout_s:g} s", fix="try again, or restart Nola"
            )
        self._holder = threading.get_ident()
        self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if not self._depth:
            self._holder = None
        self._lock.release()

    def is_mine(self) -> bool:
        """Say whether this thread holds it."""
        return self._holder == threading.get_ident()


@dataclass(slots=True, eq=False)
class Ticket(Generic[_Wish, _Result]):
    """One wish on its way, and how it ended.

    Attributes:
        wish: What is asked for.
        own_thread: Only the thread that asks may carry it out, since that runs the caller's code.
        outcome: What came of it.
        error: Why nothing did.
        done: It is on disk, or failed.
        called: Wakes the thread that asks, when it is done or that thread is to lead the next group.
    """

    wish: _Wish
    own_thread: bool = False
    outcome: list[_Result] = field(default_factory=list)
    error: Exception | None = None
    done: bool = False
    called: threading.Event = field(default_factory=threading.Event)

    def result(self) -> _Result:
        """Return what came of it, or raise what went wrong."""
        if self.error is not None:
            raise self.error
        return self.outcome[0]


class GroupCommit(Generic[_Wish, _Result]):
    """Lets the writes of many threads share one flush of the disk (decision D4).

    One thread leads: it carries out all wishes that wait, wakes those who asked, and hands over to the next one that
    waits. A writer that is alone waits for nobody. After a group of several, the next leader waits until as many are
    there, for no longer than twice what a group takes, nor than `window_s`.

    Args:
        lock: Guards the state.
        carry_out: Carries out a group; sets each ticket's outcome or error. Called with the lock held.
        window_s: Longest wait for others, in seconds.
        timeout_s: Longest wait for one's turn, in seconds.
    """

    def __init__(
        self,
        lock: TimedLock,
        carry_out: Callable[[Sequence[Ticket[_Wish, _Result]]], None],
        *,
        window_s: float,
        timeout_s: float,
    ) -> None:
        self._lock = lock
        self._carry_out = carry_out
        self._window_s = window_s
        self._timeout_s = timeout_s
        self._waiting: list[Ticket[_Wish, _Result]] = []
        self._guard = threading.Lock()
        self._leading = False
        self._enough = threading.Event()
        self._expected = 1
        self._took_s = 0.0

    def submit(self, wish: _Wish, *, own_thread: bool = False) -> _Result:
        """Have a wish carried out; when this returns, it is on disk.

        A call from inside another one, on the same thread, is carried out at once and by itself.

        Raises:
            ConflictError: The lock, or one's turn, could not be had; nothing was done.
            Exception: Whatever the wish failed with.
        """
        ticket: Ticket[_Wish, _Result] = Ticket(wish, own_thread)
        if self._lock.is_mine():
            self._carry_out([ticket])
            return ticket.result()
        if self._queue(ticket) or self._called(ticket):
            self._lead(ticket)
        return ticket.result()

    def _queue(self, ticket: Ticket[_Wish, _Result]) -> bool:
        """Take one's place; return whether nobody leads, so that this thread has to."""
        with self._guard:
            self._waiting.append(ticket)
            if len(self._waiting) >= self._expected:
                self._enough.set()
            first, self._leading = not self._leading, True
            return first

    def _called(self, ticket: Ticket[_Wish, _Result]) -> bool:
        """Wait until the wish is carried out, or this thread is to lead; return whether it is."""
        while not ticket.called.wait(self._timeout_s):
            with self._guard:
                if ticket in self._waiting and not ticket.called.is_set():
                    self._waiting.remove(ticket)
                    raise ConflictError(
                        f"other writes have gone before this one for {self._timeout_s:g} s", fix="try again"
                    )
        return not ticket.done

    def _lead(self, own: Ticket[_Wish, _Result]) -> None:
        group = [own]
        try:
            with self._lock:
                self._linger()
                group = self._taken(own)
                began = time.perf_counter()
                self._carry_out(group)
                self._took_s = time.perf_counter() - began
        except ConflictError as error:
            own.error = own.error or error
        finally:
            self._end(group, own)

    def _linger(self) -> None:
        patience = min(self._window_s, 2 * self._took_s)
        if self._expected > 1 and patience > 0 and len(self._waiting) < self._expected:
            self._enough.wait(patience)

    def _taken(self, own: Ticket[_Wish, _Result]) -> list[Ticket[_Wish, _Result]]:
        with self._guard:
            # One's own first: the code that it may call writes too, and so has to begin from what is on disk.
            group = [own, *(ticket for ticket in self._waiting if not ticket.own_thread and ticket is not own)]
            self._waiting = [ticket for ticket in self._waiting if ticket.own_thread and ticket is not own]
            self._enough.clear()
            self._expected = len(group)
            return group

    def _end(self, group: list[Ticket[_Wish, _Result]], own: Ticket[_Wish, _Result]) -> None:
        """Wake everybody whose wish is done, and hand over to the next who waits."""
        for ticket in group:
            if not ticket.outcome and ticket.error is None:
                ticket.error = ConflictError("the write was broken off before it was done", fix="try again")
            ticket.done = True
        with self._guard:
            if own in self._waiting:
                self._waiting.remove(own)
            successor = self._waiting[0] if self._waiting else None
            self._leading = successor is not None
            if successor is not None:
                successor.called.set()
        for ticket in group:
            ticket.called.set()
