"""Tests of when the files are looked at and which problems are told."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nola.daemon.rhythm import Doubts, Rhythm
from nola.flow import Problem, Seen

BROKEN = Problem("modules/garden.json", 3, 5, "unexpected end of data")
WORSE = Problem("modules/garden.json", 9, 1, "trailing comma")
TWICE = Problem("user.json", 2, 1, "the key name stands twice", "warning")
QUIET = Seen((), ())


def rested(now: float = 100.0) -> Rhythm:
    """A rhythm whose first look has just ended."""
    rhythm = Rhythm(0.2, 5.0, now)
    rhythm.begin()
    rhythm.end(now, None)
    return rhythm


def test_the_first_look_is_due_at_once() -> None:
    """Whatever changed while nobody watched is seen at the start."""
    assert Rhythm(0.2, 5.0, 100.0).due() <= 100.0


def test_without_hints_there_is_a_look_every_poll() -> None:
    """Counted from the end of the last one."""
    assert rested().due() == 105.0


def test_a_hint_is_answered_when_the_files_have_rested() -> None:
    """Every further hint begins the rest anew."""
    rhythm = rested()
    assert rhythm.hint(101.0)
    assert rhythm.due() == 101.2
    assert not rhythm.hint(101.1)
    assert round(rhythm.due(), 6) == 101.3


def test_a_storm_is_answered_in_its_midst() -> None:
    """After five times the rest, however many hints come."""
    rhythm = rested()
    for step in range(100):
        rhythm.hint(101.0 + step / 10)
    assert rhythm.due() == 102.0


def test_between_two_looks_is_a_rest() -> None:
    """Also when a hint came during the look, or a second look is wanted at once."""
    rhythm = rested()
    rhythm.hint(99.0)
    assert rhythm.due() == 100.2
    rhythm.end(100.0, 99.5)
    assert rhythm.due() == 100.2


def test_a_look_answers_the_hints_before_it_and_no_later_one() -> None:
    """What changes while the files are read is looked at again."""
    rhythm = rested()
    rhythm.hint(101.0)
    rhythm.begin()
    rhythm.hint(101.25)
    rhythm.end(101.3, None)
    assert round(rhythm.due(), 6) == 101.5
    rhythm.begin()
    rhythm.end(101.5, None)
    assert rhythm.due() == 106.5


@given(
    steps=st.lists(st.floats(0.0, 0.5), max_size=200),
    debounce=st.floats(0.02, 5.0),
    poll=st.floats(0.2, 60.0),
    took=st.floats(0.0, 2.0),
)
def test_no_storm_makes_looks_crowd_or_stay_away(steps: list[float], debounce: float, poll: float, took: float) -> None:
    """Of any hints: at most one look in a debounce, and none that is later than five of them or the poll."""
    rhythm = Rhythm(debounce, poll, 0.0)
    now, ended, first = 0.0, None, None
    for step in steps:
        now += step
        while rhythm.due() <= now:
            began = max(rhythm.due(), 0.0)
            if ended is not None:
                assert began >= ended + debounce - 1e-9
                latest = poll if first is None else min(poll, max(0.0, first - ended) + 5 * debounce)
                assert began <= ended + max(latest, debounce) + 1e-9
            rhythm.begin()
            ended, first = began + took, None
            rhythm.end(ended, None)
        if ended is None or now >= ended:
            first = now if first is None else first
            rhythm.hint(now)


def test_half_a_file_is_no_error() -> None:
    """An error that is gone at the second look is never told."""
    doubts = Doubts()
    assert doubts.judge(Seen((), (BROKEN,)), 10.0) is None
    assert doubts.again(10.0) == 10.2
    assert doubts.judge(QUIET, 10.2) is None
    assert doubts.again(10.2) is None


def test_an_error_that_stays_is_told_after_a_second() -> None:
    """After looks at 0.2, 0.5 and 1 s, and once."""
    doubts = Doubts()
    broken = Seen((), (BROKEN,))
    looks = [10.0, 10.2, 10.5]
    assert [doubts.judge(broken, began) for began in looks] == [None, None, None]
    assert [doubts.again(began) for began in looks] == [10.2, 10.5, 11.0]
    assert doubts.judge(broken, 11.0) == broken
    assert doubts.again(11.0) is None
    assert doubts.judge(broken, 16.0) is None


def test_an_error_is_told_in_time_while_it_keeps_changing() -> None:
    """A writer that never ends well does not put the telling off."""
    doubts = Doubts()
    told = [doubts.judge(Seen((), (Problem("user.json", 1, n, "half"),)), 10.0 + n / 4) for n in range(5)]
    assert told[:4] == [None] * 4
    assert told[4] is not None


def test_a_change_is_told_without_the_doubtful_error_beside_it() -> None:
    """The change of one module does not wait for another that may be half written."""
    assert Doubts().judge(Seen(("user",), (BROKEN, TWICE)), 10.0) == Seen(("user",), (TWICE,))


def test_a_warning_is_told_at_once() -> None:
    """A key that stands twice is no half of a file."""
    assert Doubts().judge(Seen((), (TWICE,)), 10.0) == Seen((), (TWICE,))


def test_mending_is_told() -> None:
    """Once, as a look without problems."""
    doubts = Doubts()
    doubts.judge(Seen((), (BROKEN,)), 10.0)
    doubts.judge(Seen((), (BROKEN,)), 11.0)
    assert doubts.judge(QUIET, 20.0) == QUIET
    assert doubts.judge(QUIET, 25.0) is None


def test_another_error_in_a_broken_file_is_told_at_once() -> None:
    """A file that is known to be broken is not called mended for a moment when it breaks elsewhere."""
    doubts = Doubts()
    doubts.judge(Seen((), (BROKEN,)), 10.0)
    doubts.judge(Seen((), (BROKEN,)), 11.0)
    assert doubts.judge(Seen((), (WORSE,)), 20.0) == Seen((), (WORSE,))


def test_own_saves_are_no_news() -> None:
    """A look that found no change by others and no new problem tells nothing (C5)."""
    assert Doubts().judge(QUIET, 10.0) is None
