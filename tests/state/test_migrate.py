"""Tests of the steps from one format of the folder to the next."""

from __future__ import annotations

import orjson
import pytest

from nola.state import migrate

FILE = ".history/changes.jsonl"


def line(**row: object) -> bytes:
    """Write a line of the history."""
    return orjson.dumps(row) + b"\n"


@pytest.mark.bar("A10")
@pytest.mark.parametrize(("who", "new", "via"), [("owner", "owner", "command line"), ("chat", "nola", "chat")])
def test_a_line_learns_its_interface(who: str, new: str, via: str) -> None:
    """Who made the change, and through what, are two things."""
    changed = migrate.migrated({FILE: line(id="a", who=who), "user.json": b"{}"}, 1)
    assert list(changed) == [FILE]
    assert orjson.loads(changed[FILE]) == {"id": "a", "who": new, "via": via}


def test_every_other_line_stays_as_it_is() -> None:
    """Torn ones, foreign ones, and those that were changed already."""
    content = b'{torn\n[1]\n"x"\n' + line(id="b", who="nola", via="chat") + line(void=["b"])
    assert migrate.migrated({FILE: content}, 1) == {}


def test_a_step_may_run_again() -> None:
    """Over what it left, it does nothing."""
    files = {FILE: line(id="a", who="owner") + line(id="b", who="sms")}
    once = files | migrate.migrated(files, 1)
    assert migrate.migrated(once, 1) == {}


def test_what_is_up_to_date_is_left_alone() -> None:
    """There is one step for each earlier format."""
    assert len(migrate.MIGRATIONS) + 1 == migrate.FORMAT == 2
    assert migrate.migrated({FILE: line(id="a", who="owner")}, migrate.FORMAT) == {}
    assert migrate.migrated({}, 1) == {}


def test_text_of_any_kind_survives() -> None:
    """Letters of other scripts are not escaped."""
    changed = migrate.migrated({FILE: '{"id": "a", "who": "owner", "new": "žoga 駅"}\n'.encode()}, 1)
    assert "žoga 駅" in changed[FILE].decode()
