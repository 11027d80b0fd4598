"""Tests of group commit: many writers, one flush, nobody told before it is done."""

from __future__ import annotations

from threading import Barrier, Event, Thread
from typing import TYPE_CHECKING

import pytest

from nola.errors import ConflictError, StorageError
from nola.state.commit import GroupCommit, Ticket, TimedLock

if TYPE_CHECKING:
    from collections.abc import Sequence

Group = list[int]


class Log:
    """Carries groups out by noting them; the first one waits until it is told to end."""

    def __init__(self, *, timeout_s: float = 10.0, fails: frozenset[int] = frozenset()) -> None:
        self.groups: list[Group] = []
        self.first = Event()
        self.go_on = Event()
        self.lock = TimedLock(timeout_s)
        self._fails = fails
        self.commit: GroupCommit[int, int] = GroupCommit(self.lock, self._carry_out, window_s=0.0, timeout_s=timeout_s)

    def _carry_out(self, group: Sequence[Ticket[int, int]]) -> None:
        self.groups.append([ticket.wish for ticket in group])
        if len(self.groups) == 1:
            self.first.set()
            self.go_on.wait(10)
        for ticket in group:
            if ticket.wish in self._fails:
                ticket.error = StorageError("x", "no room")
            else:
                ticket.outcome.append(ticket.wish * 10)

    def waiting(self, count: int) -> bool:
        """Wait until so many wishes are in the queue; return whether they are."""
        tick = Event()
        return any(len(self.commit._waiting) >= count or tick.wait(0.005) for _ in range(2000))


def submit(log: Log, wish: int, results: dict[int, object], *, own_thread: bool = False) -> Thread:
    """Submit a wish in a thread of its own, and keep what came of it."""

    def run() -> None:
        try:
            results[wish] = log.commit.submit(wish, own_thread=own_thread)
        except (ConflictError, StorageError) as error:
            results[wish] = str(error)

    thread = Thread(target=run)
    thread.start()
    return thread


def test_who_is_alone_waits_for_nobody() -> None:
    """One wish is one group."""
    log = Log()
    log.go_on.set()
    assert log.commit.submit(1) == 10
    assert log.commit.submit(2) == 20
    assert log.groups == [[1], [2]]


def test_those_who_wait_share_the_next_group() -> None:
    """Each gets what came of its own wish, or its own error."""
    log = Log(fails=frozenset({3}))
    results: dict[int, object] = {}
    threads = [submit(log, 1, results)]
    assert log.first.wait(10)
    threads += [submit(log, number, results) for number in (2, 3, 4)]
    assert log.waiting(3)
    assert results == {}
    log.go_on.set()
    for thread in threads:
        thread.join(10)
    assert [sorted(group) for group in log.groups] == [[1], [2, 3, 4]]
    assert {wish: results[wish] for wish in (1, 2, 4)} == {1: 10, 2: 20, 4: 40}
    assert "no room" in str(results[3])


def test_who_runs_its_own_code_leads_and_comes_first() -> None:
    """Its code may write too, and has to begin from what is on disk; two such never share a group."""
    log = Log()
    results: dict[int, object] = {}
    threads = [submit(log, 1, results)]
    assert log.first.wait(10)
    for number, own in ((2, False), (3, True), (4, True), (5, False)):
        threads.append(submit(log, number, results, own_thread=own))
        assert log.waiting(number - 1)
    log.go_on.set()
    for thread in threads:
        thread.join(10)
    assert log.groups == [[1], [2, 5], [3], [4]]
    assert results == {number: number * 10 for number in range(1, 6)}


def test_a_leader_of_its_own_takes_the_others_along() -> None:
    """It leads, so its wish is carried out first."""
    log = Log()
    results: dict[int, object] = {}
    threads = [submit(log, 1, results)]
    assert log.first.wait(10)
    for number, own in ((2, True), (3, False), (4, False)):
        threads.append(submit(log, number, results, own_thread=own))
        assert log.waiting(number - 1)
    log.go_on.set()
    for thread in threads:
        thread.join(10)
    assert log.groups == [[1], [2, 3, 4]]


def test_a_call_from_inside_is_carried_out_at_once() -> None:
    """The thread that holds the lock waits for nobody."""
    log = Log()
    log.go_on.set()
    with log.lock:
        assert log.lock.is_mine()
        assert log.commit.submit(7) == 70
    assert not log.lock.is_mine()


def test_a_turn_that_never_comes_is_told_in_time() -> None:
    """The wish is taken out of the queue and not carried out later."""
    log = Log(timeout_s=0.1)
    results: dict[int, object] = {}
    first = submit(log, 1, results)
    assert log.first.wait(10)
    second = submit(log, 2, results)
    second.join(10)
    assert results == {2: "other writes have gone before this one for 0.1 s"}
    log.go_on.set()
    first.join(10)
    assert (results[1], log.groups) == (10, [[1]])


def test_a_lock_that_is_not_free_is_told_in_time() -> None:
    """Whoever holds it does so for something else; the next one leads as usual."""
    log = Log(timeout_s=0.1)
    results: dict[int, object] = {}
    log.go_on.set()
    with log.lock:
        submit(log, 1, results).join(10)
    assert results == {1: "another thread has held the state for 0.1 s"}
    assert log.commit.submit(2) == 20
    assert log.groups == [[2]]


def test_a_group_that_breaks_off_leaves_nobody_waiting() -> None:
    """An error that is no one's wish reaches the leader; the others are told that nothing was done."""

    def breaks(_: Sequence[Ticket[int, int]]) -> None:
        raise ZeroDivisionError

    commit: GroupCommit[int, int] = GroupCommit(TimedLock(1), breaks, window_s=0, timeout_s=1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            commit.submit(1)
    ticket: Ticket[int, int] = Ticket(1, error=ConflictError("x"))
    with pytest.raises(ConflictError, match="x"):
        ticket.result()


def test_many_writers_are_all_told_once() -> None:
    """Sixteen threads, ten wishes each: every wish is in exactly one group, and groups are shared."""
    log = Log()
    log.go_on.set()
    barrier = Barrier(16)
    results: dict[int, int] = {}

    def work(number: int) -> None:
        barrier.wait()
        for item in range(10):
            wish = number * 100 + item
            results[wish] = log.commit.submit(wish, own_thread=item % 3 == 0)

    threads = [Thread(target=work, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    done = [wish for group in log.groups for wish in group]
    assert sorted(done) == sorted(results)
    assert results == {wish: wish * 10 for wish in done}
    assert len(done) == 160


def test_the_lock_is_re_entrant_and_belongs_to_one_thread() -> None:
    """Another thread gives up after the time that was set."""
    lock = TimedLock(0.05)
    said: list[str] = []

    def other() -> None:
        assert not lock.is_mine()
        try:
            with lock:
                said.append("got it")
        except ConflictError as error:
            said.append(str(error))

    with lock, lock:
        thread = Thread(target=other)
        thread.start()
        thread.join(10)
    thread = Thread(target=other)
    thread.start()
    thread.join(10)
    assert said == ["another thread has held the state for 0.05 s", "got it"]
