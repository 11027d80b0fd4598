"""Columns: conversations stand in the order of time, whatever the order of adding and removing."""

from __future__ import annotations

import random
import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nola.memory.columns import NONE, Columns


def talk(times: list[float], session: str = "one") -> Columns:
    """A conversation whose turns come in at these times."""
    columns = Columns()
    for at_s in times:
        columns.add(session=session, speaker="Ana", at_s=at_s, traits=0)
    return columns


def chain(columns: Columns, session: int) -> list[int]:
    """The rows of a conversation, in order."""
    rows = columns.line().rows
    return rows[columns.session[rows] == session].tolist()  # type: ignore[no-any-return]


def beside(columns: Columns, *rows: int) -> list[list[int]]:
    """The rows before and the rows after these."""
    return [some.tolist() for some in columns.line().beside(np.array(rows, dtype=np.int32))]


def neighbours(columns: Columns, row: int, steps: int) -> list[int]:
    """The rows around one."""
    return columns.line().neighbours(np.array([row], dtype=np.int32), steps).tolist()  # type: ignore[no-any-return]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=30))
def test_turns_stand_in_the_order_of_time(times: list[float]) -> None:
    """Equal times stand in the order of adding."""
    assert chain(talk(times), 0) == sorted(range(len(times)), key=lambda row: times[row])


_steps = st.tuples(st.sampled_from(["add", "change", "remove", "look"]), st.integers(0, 99), st.integers(0, 9))


@given(st.integers(0, 200), st.lists(_steps, max_size=40), st.sets(st.integers(0, 250)))
def test_what_moved_stands_where_sorting_puts_it(
    many: int, steps: list[tuple[str, int, int]], hidden: set[int]
) -> None:
    """Looked at in between or not, few or many at a time: the order is that of conversation, time and number."""
    columns, left = talk([n * 7 % 10 for n in range(many)]), {n: n * 7 % 10 for n in range(many)}
    for what, number, value in steps:
        row = number * len(columns) // 100
        if what == "look":
            columns.line()
        elif what == "add" or not len(columns):
            left[len(columns)] = value
            columns.add(session=("one", "two")[value % 2], speaker="", at_s=value, traits=0)
        elif what == "remove":
            columns.remove(row)
            left.pop(row, None)
        else:
            columns.change(row, session="one", speaker="", at_s=value)
            left[row] = value
    expected = [row for *_, row in sorted((columns.session[row], at, row) for row, at in left.items())]
    assert columns.line().rows.tolist() == expected
    mask = np.array([row not in hidden for row in range(len(columns))], dtype=np.bool_)
    mask.flags.writeable = False
    for _ in range(2):
        line = columns.line(mask)
        assert line.rows.tolist() == [row for row in expected if row not in hidden]
        assert line.place[line.rows].tolist() == list(range(len(line.rows)))


def test_any_order_of_coming_takes_as_long() -> None:
    """Twenty thousand turns at random, newest first or oldest first: taking them in costs about the same."""
    times = {"up": list(range(20_000)), "down": list(range(20_000, 0, -1))}
    times["random"] = random.Random(1).sample(times["up"], 20_000)  # noqa: S311 -- the same order each time
    took = {}
    for name, some in times.items():
        began = time.thread_time()
        columns = talk([float(at) for at in some], session="")
        columns.line()
        for at in (0.5, 9.5):  # one that comes later costs no sorting
            columns.add(session="", speaker="", at_s=at, traits=0)
            columns.line()
        took[name] = time.thread_time() - began
    assert max(took.values()) < 5 * took["up"] + 0.1


def test_hidden_turns_are_as_if_they_were_not() -> None:
    """What is left of a mask stands side by side; one that is hidden, or beyond the end, has no place."""
    columns = talk([1, 2, 3, 4])
    line = columns.line(np.array([True, False, True]))
    before, after = line.beside(np.array([0, 1, 2], dtype=np.int32))
    assert (before.tolist(), after.tolist()) == ([NONE, NONE, 0], [2, NONE, NONE])
    assert line.place.tolist() == [0, NONE, 1, NONE]
    nothing = columns.line(np.zeros(0, dtype=np.bool_))
    assert nothing.neighbours(np.array([0, 3], dtype=np.int32), 2).tolist() == []


def test_room_is_made_before_it_is_needed() -> None:
    """As much as was asked for and no more; what is there stays, and more comes by itself."""
    columns = talk([1.0, 2.0])
    columns.reserve(5_000)
    columns.reserve(2_000)
    assert {len(getattr(columns, name)) for name in ("session", "speaker", "at_s", "traits")} == {5_000}
    assert (len(columns), chain(columns, 0)) == (2, [0, 1])
    for n in range(5_000):
        columns.add(session="one", speaker="Ana", at_s=3.0 + n, traits=0)
    assert chain(columns, 0) == list(range(5_002))
    assert len(columns.session) == 6_250


def test_a_removed_turn_leaves_no_gap() -> None:
    """Those around it become neighbours, also when it was the last one."""
    columns = talk([1, 2, 3, 4])
    columns.remove(1)
    columns.remove(3)
    assert beside(columns, 0, 2) == [[NONE, 0], [2, NONE]]
    columns.add(session="one", speaker="", at_s=9, traits=0)
    assert beside(columns, 4) == [[2], [NONE]]


def test_a_conversation_may_end_and_begin_again() -> None:
    """When every turn is removed, the next one is the first."""
    columns = talk([1])
    columns.remove(0)
    assert chain(columns, 0) == []
    assert columns.add(session="one", speaker="Ben", at_s=0, traits=0) == 1
    assert beside(columns, 1) == [[NONE], [NONE]]


def test_conversations_are_apart() -> None:
    """Turns that alternate between two conversations are neighbours of their own."""
    columns = Columns()
    for n in range(6):
        columns.add(session="ab"[n % 2], speaker="Ana", at_s=n, traits=0)
    assert neighbours(columns, 2, 1) == [0, 4]
    assert neighbours(columns, 2, 2) == [0, 4]
    assert neighbours(columns, 0, 2) == [2, 4]
    assert neighbours(columns, 0, 0) == []


def test_without_a_conversation_only_what_is_near_in_time_is_beside() -> None:
    """A pause of more than an hour ends what nobody called a conversation."""
    columns = talk([0, 60, 90_000], session="")
    assert beside(columns, 0, 1, 2) == [[NONE, 0, NONE], [1, NONE, NONE]]


def test_speakers_have_numbers() -> None:
    """Everybody who said something is known; who did not has a number that no row has."""
    columns = Columns()
    for name in ("Ana", "Ben", "Ana", ""):
        columns.add(session="", speaker=name, at_s=0, traits=0)
    assert columns.speakers == ["Ana", "Ben"]
    assert columns.speaker[:4].tolist() == [0, 1, 0, NONE]
    assert columns.speaker_number("Ben") == 1
    assert columns.speaker_number("Cy") not in columns.speaker.tolist()


def test_who_is_heard_depends_on_what_is_seen() -> None:
    """Who said only what a mask hides is nobody; changes are noticed, also with a mask that is asked for again."""
    columns = Columns()
    for name in ("Ana", "Ben", "Ana", "", "Cy"):
        columns.add(session="", speaker=name, at_s=0, traits=0)
    mask = np.array([True, False, True, True, True])
    assert columns.speakers_among(mask[:4]) == ("Ana",)
    mask.flags.writeable = False
    assert columns.speakers_among(mask) == columns.speakers_among(mask) == ("Ana", "Cy")
    columns.change(4, session="", speaker="Dan", at_s=0)
    assert columns.speakers_among(mask) == ("Ana", "Dan")
    columns.remove(4)
    assert columns.speakers_among(mask) == ("Ana",)
    columns.change(4, session="", speaker="Eve", at_s=0)
    assert columns.speakers_among(mask) == ("Ana", "Eve")


def test_conversations_have_numbers() -> None:
    """A conversation's number is that of its rows; an unknown one has a number that no row has."""
    columns = talk([1, 2], "one")
    columns.add(session="", speaker="", at_s=0, traits=0)
    assert columns.session_number("one") == columns.session[1] == 0
    assert columns.session_number("other") not in columns.session.tolist()


def test_columns_grow() -> None:
    """Five thousand rows keep what they were given."""
    columns = Columns()
    for n in range(5_000):
        assert columns.add(session=f"s{n // 10}", speaker="Ana", at_s=n, traits=n % 256) == n
    assert len(columns) == 5_000
    assert columns.at_s[4_999] == 4_999
    assert columns.traits[4_999] == 4_999 % 256
    assert beside(columns, 4_999) == [[4_998], [NONE]]
