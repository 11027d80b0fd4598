"""Columns: conversations are linked in the order of time, whatever the order of adding and removing."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nola.memory.columns import NONE, Columns


def talk(times: list[float], session: str = "one") -> Columns:
    """A conversation whose turns come in at these times."""
    columns = Columns()
    for time in times:
        columns.add(session=session, speaker="Ana", at_s=time, traits=0)
    return columns


def chain(columns: Columns, session: int) -> list[int]:
    """The rows of a conversation, along its links."""
    rows = range(len(columns))
    row = next((r for r in rows if columns.session[r] == session and columns.previous[r] == NONE), NONE)
    found = []
    while row != NONE:
        found.append(int(row))
        row = int(columns.following[row])
    return found


@given(st.lists(st.floats(0, 100), min_size=1, max_size=30))
def test_turns_are_linked_in_the_order_of_time(times: list[float]) -> None:
    """Equal times stand in the order of adding, and places ascend along the conversation."""
    columns = talk(times)
    order = chain(columns, 0)
    assert order == sorted(range(len(times)), key=lambda row: times[row])
    assert (np.diff(columns.place[order]) > 0).all()


def test_room_is_made_before_it_is_needed() -> None:
    """As much as was asked for and no more; what is there stays, and more comes by itself."""
    columns = talk([1.0, 2.0])
    columns.reserve(5_000)
    columns.reserve(2_000)
    assert {len(getattr(columns, name)) for name in ("session", "at_s", "traits", "previous", "place")} == {5_000}
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
    assert (columns.following[0], columns.previous[2], columns.following[2]) == (2, 0, NONE)
    columns.add(session="one", speaker="", at_s=9, traits=0)
    assert columns.previous[4] == 2


def test_a_conversation_may_end_and_begin_again() -> None:
    """When every turn is removed, the next one is the first."""
    columns = talk([1])
    columns.remove(0)
    assert columns.add(session="one", speaker="Ben", at_s=0, traits=0) == 1
    assert columns.previous[1] == NONE


def test_conversations_are_apart() -> None:
    """Turns that alternate between two conversations are neighbours of their own."""
    columns = Columns()
    for n in range(6):
        columns.add(session="ab"[n % 2], speaker="Ana", at_s=n, traits=0)
    assert columns.neighbours(np.array([2], dtype=np.int32), 1).tolist() == [0, 4]
    assert columns.neighbours(np.array([2], dtype=np.int32), 2).tolist() == [0, 4]
    assert columns.neighbours(np.array([0], dtype=np.int32), 2).tolist() == [2, 4]
    assert columns.neighbours(np.array([0], dtype=np.int32), 0).tolist() == []


def test_without_a_conversation_only_what_is_near_in_time_is_beside() -> None:
    """A pause of more than an hour ends what nobody called a conversation."""
    columns = talk([0, 60, 90_000], session="")
    before, after = columns.beside(np.array([0, 1, 2], dtype=np.int32))
    assert before.tolist() == [NONE, 0, NONE]
    assert after.tolist() == [1, NONE, NONE]


def test_speakers_have_numbers() -> None:
    """Everybody who said something is known; who did not has a number that no row has."""
    columns = Columns()
    for name in ("Ana", "Ben", "Ana", ""):
        columns.add(session="", speaker=name, at_s=0, traits=0)
    assert columns.speakers == ["Ana", "Ben"]
    assert columns.speaker[:4].tolist() == [0, 1, 0, NONE]
    assert columns.speaker_number("Ben") == 1
    assert columns.speaker_number("Cy") not in columns.speaker.tolist()


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
    assert columns.previous[4_999] == 4_998
    assert columns.following[4_999] == NONE
