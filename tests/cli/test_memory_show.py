"""Tests of `nola memory show`, `explain`, `edges` and `events`."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from nola.cli.memory_show import _length, _told

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine

NOW = "2026-11-20T09:00:00+00:00"


@pytest.fixture
def lived(nola: CommandLine) -> CommandLine:
    """Return a command line whose clock starts at one time for every command."""
    nola.environ["NOLA_NOW"] = NOW
    return nola


def added(nola: CommandLine, *arguments: str) -> str:
    """Remember something; its id."""
    said = nola("memory", "add", *arguments, "--json")
    assert said.exit_code == 0
    return str(json.loads(said.stdout)["id"])


@pytest.mark.row("A31")
@pytest.mark.row("D01")
def test_the_document_has_every_field(lived: CommandLine) -> None:
    """Those of both documents, by names that the reference tells; the beginning of an id is enough."""
    id_ = added(lived, "My dog is called Biscuit", "--tag", "pets")
    found = json.loads(lived("memory", "show", id_[:20], "--json").stdout)
    names = {
        *("id", "content", "embedding", "tags", "namespace", "created", "class", "heat", "access_count"),
        *("last_access", "importance", "tier", "user", "kind", "stability", "retention", "updated"),
        *(
            "strength",
            "statistics",
            "edges",
            "events",
            "status",
            "trust",
            "level",
            "at",
            "author",
            "details",
            "metadata",
        ),
    }
    assert names <= found.keys()
    assert found["id"] == id_
    assert 0 <= found["heat"] <= 1
    assert found["events"][0]["what"] == "stored"


def test_a_person_sees_what_says_something(lived: CommandLine) -> None:
    """The whole content, the fields that are not empty, edges with what they lead to, and events."""
    other = added(lived, "It rained all day", "--kind", "episodic")
    id_ = added(
        lived,
        *("The garden was wet\nand cold", "--speaker", "Mara", "--pinned", "--expires", "in 3 days"),
        *(
            "--field",
            f"derives_from={other}",
            "--field",
            'metadata={"mood": "calm"}',
            "--tag",
            "garden",
            "--tag",
            "rain",
        ),
    )
    lines = lived("memory", "show", id_).stdout.splitlines()
    fields = dict(re.split(" {2,}", line, maxsplit=1) for line in lines[3:] if re.match(r"[a-z_.]+ {2,}\S", line))
    assert lines[:3] == ["The garden was wet", "and cold", ""]
    assert fields["author"] == "Mara"
    assert fields["pinned"] == "yes"
    assert fields["tags"] == "garden, rain"
    assert fields["metadata.mood"] == "calm"
    assert (fields["tier"], fields["heat"], fields["importance"]) == ("warm", "0.5", "0.5")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", fields["expires_at"])
    assert fields["uses"].startswith("0, the last 2026-11-")
    assert "concept" not in fields
    assert any(re.match(rf"derives_from +to +1\.00 +.* {other} +It rained all day", line) for line in lines)
    assert re.match(r"2026-11-.* stored", lines[-1])


@pytest.mark.row("D08")
def test_the_true_half_lives_are_printed(lived: CommandLine) -> None:
    """Of a fresh fact and a fresh event, and of reinforced ones: not the 9 and 67 days of the document."""
    for kind, stability, importance, half in (
        ("semantic", "0.3", "0.5", "37.43 d"),
        ("episodic", "0.3", "0.5", "12.48 d"),
        ("semantic", "0.8", "0.9", "139.74 d"),
        ("episodic", "0.8", "0.9", "46.58 d"),
    ):
        id_ = added(lived, "x", "--kind", kind, "--importance", importance, "--field", f"stability={stability}")
        rows = lived("memory", "explain", id_).stdout.splitlines()
        row = next(re.split(" {2,}", row.strip()) for row in rows if row.startswith("retention"))
        assert row[4] == half
        document = json.loads(lived("memory", "explain", id_, "--json").stdout)
        assert f"{document['strategies']['retention']['half_life_days']:.2f} d" == half


@pytest.mark.row("X03")
def test_every_strategy_is_explained_and_nothing_written(lived: CommandLine) -> None:
    """Value, strength, tier, half-life and the next tier, now or at another time."""
    id_ = added(lived, "My dog is called Biscuit")
    before = lived("memory", "export").stdout
    said = lived("memory", "explain", id_)
    lines = said.stdout.splitlines()
    assert lines[:2] == [
        "My dog is called Biscuit",
        f"{id_}: learned, warm, strength {lines[1].split()[4]} in this profile",
    ]
    assert re.split(" {2,}", lines[3].strip()) == ["strategy", "value", "strength", "tier", "half-life", "next tier"]
    assert [line.split()[0] for line in lines[4:]] == ["heat", "actr", "chain", "ebbinghaus", "retention", "hea"]
    heat = re.split(" {2,}", lines[4].strip())
    assert heat[0:5] == ["heat", "0.500", "0.500", "warm", "6.93 d"]
    assert heat[5].startswith("cold in 2.23 d")
    later = lived("memory", "explain", id_, "--at", "in 10 days", "--json")
    found = json.loads(later.stdout)
    assert found["tier"] == "cold"
    assert found["strategies"]["heat"]["value"] == pytest.approx(0.5 * 2.718281828**-1, abs=1e-4)
    assert found["strategies"]["heat"]["next"] is None
    assert lived("memory", "explain", id_, "--at", "in 10 days").stderr.startswith("note: as of 2026-11-30 ")
    assert lived("memory", "export").stdout == before


def test_an_innate_memory_stays(lived: CommandLine) -> None:
    """It has no half-life and no other tier to come to."""
    id_ = added(lived, "Never harm", "--class", "innate")
    said = lived("memory", "explain", id_)
    assert f"{id_}: innate, hot, strength 1.000 in this profile" in said.stdout
    assert all(line.endswith("none  stays") for line in said.stdout.splitlines()[4:])
    found = json.loads(lived("memory", "explain", id_, "--json").stdout)
    assert {view["half_life_days"] for view in found["strategies"].values()} == {None}


def test_edges_are_read_from_both_ends(lived: CommandLine) -> None:
    """Facts that are alike are joined; a citation leads one way."""
    first = added(lived, "The team has 9 golds this year")
    second = added(lived, "The team has 10 golds this year", "--field", f"cites={first}")
    rows = [re.split(" {2,}", row) for row in lived("memory", "edges", first).stdout.splitlines()]
    assert rows[0] == ["edge", "way", "weight", "when", "id", "content"]
    assert {(row[0], row[1], row[4]) for row in rows[1:]} == {("cites", "from", second), ("similar_to", "with", second)}
    assert [row[5] for row in rows[1:]] == ["The team has 10 golds this year"] * 2
    found = json.loads(lived("memory", "edges", second, "--kind", "cites", "--json").stdout)
    assert [(edge["source"], edge["target"]) for edge in found] == [(second, first)]
    alone = lived("memory", "edges", added(lived, "Something else", "--kind", "episodic"))
    assert (alone.exit_code, alone.stdout, alone.stderr) == (0, "", "it is joined to nothing\n")


def test_events_tell_the_past(lived: CommandLine) -> None:
    """Each with its time, and old and new values."""
    first = added(lived, "I live in Lyon")
    added(lived, "I live in Porto", "--field", f"supersedes={first}")
    found = json.loads(lived("memory", "events", first, "--json").stdout)
    assert found[0]["what"] == "stored"
    assert {"old": "active", "new": "superseded"}.items() <= found[-1]["detail"].items()
    lines = lived("memory", "events", first).stdout.splitlines()
    assert lines[0].split() == ["when", "event", "detail"]
    assert '"superseded"' in lines[-1]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.5, "0.50 s"),
        (90, "1.50 min"),
        (7200, "2.00 h"),
        (86_400 * 12.482, "12.48 d"),
        (86_400 * 1386.29, "1386.29 d"),
        (86_400 * 36_525, "100.00 y"),
    ],
)
def test_lengths_of_time_are_in_days(seconds: float, text: str) -> None:
    """Below a day in smaller units, above ten years in years."""
    assert _length(seconds) == text


def test_values_are_told_plainly() -> None:
    """What is empty says nothing; a number has at most three decimals."""
    empty: list[object] = [None, "", [], {}, False]
    assert [_told(value) for value in empty] == [""] * 5
    assert [_told(value) for value in (0, 0.0, 0.12345, 1.0, True)] == ["0", "0", "0.123", "1", "yes"]
    assert (_told(["a", "b"]), _told([1, 2]), _told("a\nb")) == ("a, b", "[1,2]", "a\\nb")
    assert _told("Tomorrow") == "Tomorrow"
