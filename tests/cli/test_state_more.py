"""Tests of `nola state`: earlier times, history in detail, conflicts, values from stdin, files that are broken."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from nola.errors import NolaError, UsageError
from nola.flow import Change, Conflict, Problem
from nola.types import ChangeId, Json
from tests.cli.fakes import AT, FakeAssistant, receipt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.flow import Receipt
    from tests.cli.conftest import CommandLine

NOW = "2026-11-20T09:00:00+00:00"
CONFLICT = Conflict("c1", AT, "nola", "user.json", "user.city", "Lyon", "Porto", "Faro")


class Remembering(FakeAssistant):
    """Knows one earlier state and one conflict.

    Attributes:
        looked: The moments that were asked for.
        settled: The conflicts that were settled, and whether Nola's value was used.
        accepted: The files whose emptiness was accepted.
    """

    looked: list[datetime]
    settled: list[tuple[str, bool]]
    accepted: list[str]

    def state_at(self, at: datetime, path: str = "") -> Json:
        """Give what stood there two days ago."""
        self.looked.append(at)
        if at < AT - timedelta(days=7):
            raise NolaError("the history begins a week ago")
        return {"user": {"name": "Mira"}} if not path else {"name": "Mira"}

    def conflicts(self) -> Sequence[Conflict]:
        """Give the one that is not settled."""
        return [] if self.settled else [CONFLICT]

    def settle_conflict(self, conflict: str, *, use: bool, who: str) -> Receipt | None:
        """Settle it."""
        assert who == "owner"
        if conflict != "c1":
            raise UsageError(f"no conflict has the id {conflict!r}")
        self.settled.append((conflict, use))
        return receipt("user.city", "Faro", "Porto") if use else None

    def accept_state(self, name: str) -> None:
        """Keep the name."""
        self.accepted.append(name)


@pytest.fixture
def kept(nola: CommandLine) -> Remembering:
    """The assistant of a command line whose clock is set."""
    nola.environ["NOLA_NOW"] = NOW
    assistant = Remembering(nola.assistant.config)
    assistant.looked, assistant.settled, assistant.accepted = [], [], []
    nola.assistant = assistant
    return assistant


def change(number: int, at: datetime = AT, **more: Json) -> Change:
    """Make a change."""
    patch: tuple[dict[str, Json], ...] = (
        {"op": "test", "path": "/data/age", "value": number - 1},
        {"op": "replace", "path": "/data/age", "value": number},
    )
    return Change(
        ChangeId(f"id{number}"),
        at,
        "owner",
        "user.age",
        number - 1,
        number,
        old_present=True,
        new_present=True,
        via=str(more.get("via", "editor")),
        patch=patch,
    )


def test_an_earlier_state_is_shown(nola: CommandLine, kept: Remembering) -> None:
    """The moment that was meant is told; a path narrows it, and --json prints the values."""
    said = nola("state", "show", "--at", "2 days ago")
    assert said.stdout == 'user\n  name: "Mira"\n'
    assert said.stderr.startswith("note: as of 2026-11-18 ")
    assert nola("state", "show", "--at", "2026-11-18T09:00:00Z", "user").stdout == 'user\n  name: "Mira"\n'
    assert json.loads(nola("state", "show", "--at", "yesterday", "--json").stdout) == {"user": {"name": "Mira"}}
    asked = [moment.isoformat(timespec="minutes") for moment in kept.looked]
    assert asked == ["2026-11-18T09:00+00:00", "2026-11-18T09:00+00:00", "2026-11-19T09:00+00:00"]


def test_an_earlier_state_that_is_not_known_is_refused(nola: CommandLine, kept: Remembering) -> None:
    """Before the history began, and what is no time or has not come yet."""
    said = nola("state", "show", "--at", "2 years ago")
    assert (said.exit_code, said.stdout, said.stderr) == (1, "", "nola: the history begins a week ago\n")
    for text, why in (("gibberish", "this is no time: 'gibberish'"), ("2030-01-01", "lies in the future")):
        said = nola("state", "show", "--at", text)
        assert (said.exit_code, said.stdout) == (2, "")
        assert why in said.stderr
    assert len(kept.looked) == 1


def test_history_tells_through_which_interface(nola: CommandLine) -> None:
    """In a column of its own."""
    nola.assistant.changed = [change(41, via="chat")]
    lines = [line.split() for line in nola("state", "history").stdout.splitlines()]
    assert lines[0] == ["id", "when", "who", "via", "path", "change"]
    assert lines[1][3:] == ["owner", "chat", "user.age", "40", "->", "41"]


def test_history_says_when_it_stopped_at_its_limit(nola: CommandLine) -> None:
    """On stderr, also with --json; not when the last change is the last."""
    nola.assistant.changed = [change(number) for number in range(30)]
    said = nola("state", "history")
    assert (len(said.stdout.splitlines()), said.stderr) == (21, "showing the newest 20; --limit for more\n")
    said = nola("state", "history", "--json", "--limit", "29")
    assert (len(json.loads(said.stdout)), said.stderr) == (29, "showing the newest 29; --limit for more\n")
    said = nola("state", "history", "--limit", "30")
    assert (len(said.stdout.splitlines()), said.stderr) == (31, "")


def test_a_limit_of_none_is_refused(nola: CommandLine) -> None:
    """As wrong usage."""
    said = nola("state", "history", "--limit", "0")
    assert (said.exit_code, said.stdout) == (2, "")
    assert "greater than or equal to 1" in said.stderr


def test_history_since_a_moment(nola: CommandLine, kept: Remembering) -> None:
    """No older changes are listed, and the moment is told."""
    kept.changed = [change(2), change(1, AT - timedelta(days=3))]
    said = nola("state", "history", "--since", "2 days ago")
    assert ("id2" in said.stdout, "id1" in said.stdout) == (True, False)
    assert said.stderr.startswith("note: changes since 2026-11-18 ")
    kept.changed = kept.changed[1:]
    said = nola("state", "history", "user", "--since", "2 days ago")
    assert said.stderr.splitlines()[1:] == ["nothing was changed at user"]


def test_history_shows_patches(nola: CommandLine) -> None:
    """Below their change, one operation a line; --json holds them too."""
    nola.assistant.changed = [change(41)]
    lines = nola("state", "history", "--patch").stdout.splitlines()
    assert lines[0].startswith("id41  2026-11-2")
    assert lines[0].endswith("  owner  editor  user.age: 40 -> 41")
    assert lines[1:] == [
        '    {"op":"test","path":"/data/age","value":40}',
        '    {"op":"replace","path":"/data/age","value":41}',
    ]
    (told,) = json.loads(nola("state", "history", "--patch", "--json").stdout)
    assert told["patch"][1] == {"op": "replace", "path": "/data/age", "value": 41}


def test_conflicts_are_listed(nola: CommandLine, kept: Remembering) -> None:
    """With what to do about them; when there are none, that is said."""
    said = nola("state", "conflicts")
    assert said.stdout.splitlines()[1:] == ['    yours:   "Faro"', '    Nola\'s:  "Porto"', '    before:  "Lyon"']
    assert "nola state conflicts --use ID" in said.stderr
    assert json.loads(nola("state", "conflicts", "--json").stdout)[0]["ours"] == "Porto"
    kept.settled.append(("c1", True))
    said = nola("state", "conflicts")
    assert (said.exit_code, said.stdout, said.stderr) == (0, "", "there are no conflicts\n")


def test_a_conflict_is_settled(nola: CommandLine, kept: Remembering) -> None:
    """Nola's value is used, with a receipt, or thrown away."""
    said = nola("state", "conflicts", "--use", "c1")
    assert said.stdout == 'saved user.city: "Faro" -> "Porto"  (undo: nola state undo abc123)\n'
    assert nola("state", "conflicts", "--drop", "c1").stdout == "dropped c1; nothing in your files was changed\n"
    assert json.loads(nola("state", "conflicts", "--use", "c1", "--json").stdout)["new"] == "Porto"
    assert json.loads(nola("state", "conflicts", "--drop", "c1", "--json").stdout) == {"settled": "c1", "used": False}
    assert kept.settled == [("c1", True), ("c1", False), ("c1", True), ("c1", False)]


def test_settling_what_is_not_there_is_wrong_usage(nola: CommandLine, kept: Remembering) -> None:
    """So is using and dropping at once."""
    assert nola("state", "conflicts", "--use", "zzz").exit_code == 2
    assert nola("state", "conflicts", "--use", "c1", "--drop", "c1").exit_code == 2
    assert kept.settled == []


def test_an_emptied_file_is_accepted(nola: CommandLine, kept: Remembering) -> None:
    """By its name."""
    assert nola("state", "accept", "user").stdout == "accepted user\n"
    assert json.loads(nola("state", "accept", "modules", "--json").stdout) == {"accepted": "modules"}
    assert kept.accepted == ["user", "modules"]


def test_a_value_comes_from_stdin(nola: CommandLine) -> None:
    """As JSON, or with --text as text without its last line end."""
    nola("state", "set", "user.big", "-", text='{"a": [1, 2]}\n')
    nola("state", "set", "--text", "user.letter", "-", text="Dear\r\n\r\nyou\r\n")
    nola("state", "set", "--text", "user.letter", "-", text="two\n\n")
    nola("state", "set", "user.dash", '"-"')
    assert nola.assistant.written == [
        ("user.big", {"a": [1, 2]}),
        ("user.letter", "Dear\r\n\r\nyou"),
        ("user.letter", "two\n"),
        ("user.dash", "-"),
    ]


def test_stdin_that_can_not_be_used_is_refused(nola: CommandLine) -> None:
    """No JSON, with its place; no text; longer than a file may be."""
    nola.environ["NOLA_STATE_MAX_BYTES"] = "2000"
    for arguments, text, why in (
        (["user.big", "-"], '{\n"a": }', "the value is not JSON: stdin, line 2, column 6: "),
        (["user.big", "-"], "", "the value is not JSON: stdin, line 1, column 1: "),
        (["--text", "user.big", "-"], b"caf\xe9", "the text is not UTF-8 from byte 4 on"),
        (["--text", "user.big", "-"], "x" * 2001, "stdin has more than 2,000 bytes"),
    ):
        said = nola("state", "set", *arguments, text=text)
        assert (said.exit_code, said.stdout) == (1, "")
        assert said.stderr.startswith(f"nola: {why}")
    assert nola.assistant.written == []


def test_a_broken_file_is_named_beside_what_is_shown(nola: CommandLine) -> None:
    """Its last good values are on stdout, and the exit code is 0."""
    nola.assistant.found = [Problem("user.json", 3, 5, "a comma is missing")]
    nola.assistant.state = {"": {"user": {"name": "Mara"}}, "user.name": "Mara"}
    nola.assistant.nodes = {"user": {"metadata": {}, "data": {"name": "Mara"}}}
    for arguments in (
        ["show"],
        ["show", "user"],
        ["show", "--json"],
        ["get", "user.name"],
        ["get", "user.name", "--json"],
    ):
        said = nola("state", *arguments)
        assert (said.exit_code, "Mara" in said.stdout) == (0, True)
        assert said.stderr.startswith("note: user.json, line 3, column 5: a comma is missing")


def test_check_shows_the_line(nola: CommandLine) -> None:
    """With a caret under the place; --json has the text and the place in it."""
    (nola.home / "state").mkdir()
    (nola.home / "state" / "user.json").write_text('{\n  "a": 1,,\n}\n', encoding="utf-8")
    nola.assistant.found = [
        Problem("user.json", 2, 10, "a comma too many"),
        Problem("x.json", 0, 0, "mended", "warning"),
    ]
    said = nola("state", "check")
    assert (said.exit_code, said.stdout.splitlines()) == (
        1,
        [
            "error: user.json, line 2, column 10: a comma too many",
            '  2 |   "a": 1,,',
            "    |          ^",
            "warning: x.json: mended",
        ],
    )
    first, second = json.loads(nola("state", "check", "--json").stdout)["problems"]
    assert (first["text"], first["caret"], second["text"]) == ('  "a": 1,,', 10, None)
