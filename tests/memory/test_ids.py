"""Tests of ids: their form, their order, and that no two are the same."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from nola.memory.ids import IdMaker

_AT = datetime(2016, 7, 30, 23, 54, 10, 259_000, tzinfo=UTC)


def test_an_id_begins_with_its_time() -> None:
    """The first ten characters are the milliseconds, as in the ULID specification's own example."""
    made = IdMaker().make(_AT)
    assert made[:10] == "01arz3ndek"
    assert len(made) == 26
    assert set(made) <= set("0123456789abcdefghjkmnpqrstvwxyz")


def test_an_id_before_1970_and_in_the_year_9999_still_has_its_form() -> None:
    """Times outside of common use neither fail nor grow the id."""
    assert IdMaker().make(datetime(1900, 1, 1, tzinfo=UTC))[:10] == "0000000000"
    assert IdMaker().make(datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC))[:10] == "76ez91zpzz"


def test_ids_of_one_instant_are_in_order() -> None:
    """Ten thousand ids that were made in the same millisecond sort as they were made."""
    maker = IdMaker()
    made = [maker.make(_AT) for _ in range(10_000)]
    assert made == sorted(set(made))


def test_ids_stay_in_order_when_the_clock_is_set_back() -> None:
    """An id that is made a day earlier by the clock sorts after the one before it."""
    maker = IdMaker()
    made = [maker.make(_AT - timedelta(days=n)) for n in range(100)]
    assert made == sorted(set(made))


def test_two_makers_do_not_repeat_each_other() -> None:
    """Two processes that start in the same millisecond make different ids."""
    one, other = IdMaker(), IdMaker()
    assert {one.make(_AT) for _ in range(1000)}.isdisjoint({other.make(_AT) for _ in range(1000)})
