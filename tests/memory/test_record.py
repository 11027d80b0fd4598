"""What a caller may say about a memory, and what a stored one shows."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.errors import UsageError
from nola.memory.axes import EdgeKind, Kind, MemoryClass, Status, Trust
from nola.memory.dynamics.base import Statistics
from nola.memory.instants import seconds
from nola.memory.record import Link, NewMemory, Record, new_memory

if TYPE_CHECKING:
    from nola.types import Json

NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)


def record(**changes: Any) -> Record:
    """Return a stored memory with some fields changed."""
    new = new_memory(
        "Ada plays the cello",
        {
            "kind": "episodic",
            "tags": ["music", "Ada"],
            "metadata": {"a": [{}, []]},
            "speaker": "Ada",
            "temporal_index": 4,
        },
    )
    shared = {
        name: getattr(new, name)
        for name in Record.__dataclass_fields__
        if name in NewMemory.__dataclass_fields__ and name not in {"at", "expires_at"}
    }
    made = Record(
        id="01jd",
        status=Status.ACTIVE,
        at=NOW,
        expires_at=None,
        created=NOW,
        updated=NOW,
        statistics=Statistics.fresh(seconds(NOW)),
        **shared,
    )
    return replace(made, **changes)


@pytest.mark.row("A01")
@pytest.mark.row("A32")
def test_what_nobody_says_has_a_default() -> None:
    """A memory is semantic, learned, of level 2, the owner's, of importance 0.5."""
    assert new_memory("x", {}) == NewMemory(content="x")
    new = new_memory("x", {})
    assert (new.kind, new.memory_class, new.trust) == (Kind.SEMANTIC, MemoryClass.LEARNED, Trust.OWNER)
    assert (new.level, new.importance, new.namespace) == (2, 0.5, "default")


def test_every_combination_of_axes_is_a_memory() -> None:
    """Kind, class, level and trust know nothing of each other."""
    for kind, class_, level, trust in product(Kind, MemoryClass, (1, 2, 3), Trust):
        new = new_memory("x", {"kind": kind, "class": class_.value, "level": level, "trust": trust})
        assert (new.kind, new.memory_class, new.level, new.trust) == (kind, class_, level, trust)


@pytest.mark.row("D32")
def test_the_documents_names_are_understood() -> None:
    """Each of them means the field that it was."""
    new = new_memory(
        "x", {"memory_type": "working", "agent_id": "a", "user_id": "u", "task_id": "t", "slot_type": "plan"}
    )
    assert (new.kind, new.agent, new.user) == (Kind.WORKING, "a", "u")
    assert new.details == {"task": "t", "slot": "plan", "relevance": 0.5}
    new = new_memory("x", {"kind": "prospective", "trigger_condition": "rain", "action_on_trigger": "umbrella"})
    assert new.details == {"trigger": "rain", "action": "umbrella", "state": "pending", "priority": 1.0}


@pytest.mark.row("A12")
@pytest.mark.row("P25")
@pytest.mark.parametrize(
    ("content", "given", "sentence"),
    [
        ("", {}, "content is empty"),
        (" \n\t", {}, "content is empty"),
        (None, {}, "content takes text, not None"),
        (b"x", {}, "content takes text, not a bytes"),
        ("x" * 1_000_001, {}, "content takes at most 1,000,000 characters, not 1,000,001"),
        ("a\0b", {}, "content holds a NUL character"),
        ("\udc80", {}, "content holds half of a character"),
        ("x", {"class": "foo"}, "class is one of innate, learned, not 'foo'"),
        ("x", {"kind": "dream"}, "kind is one of sensory"),
        ("x", {"level": 4}, "level takes a whole number from 1 to 3, not 4"),
        ("x", {"importance": float("nan")}, "importance takes 0 to 1, not nan"),
        ("x", {"confidence": 1.01}, "confidence takes 0 to 1, not 1.01"),
        ("x", {"at": datetime(2026, 1, 1)}, "at takes a datetime with a time zone"),  # noqa: DTZ001
        ("x", {"namespace": " "}, "namespace is empty"),
        ("x", {"importence": 0.5}, "no field 'importence': did you mean importance?"),
        ("x", {"contnt": 1}, "no field 'contnt': did you mean content?"),
        ("x", {"heat_tier": "hot"}, "heat_tier is made by Nola and can't be given"),
        ("x", {"speaker": "a", "author": "b"}, "author is given twice"),
        ("x", {"steps": ["a"]}, "steps is a field of procedural memories"),
        ("x", {"ttl": 5, "expires_at": NOW}, "ttl and expires_at say the same thing"),
        ("x", {"ttl": 5, "class": "innate"}, "an innate memory never expires: leave out ttl and expires_at"),
        ("x", {"expires_at": NOW, "class": "innate", "kind": "sensory"}, "an innate memory never expires"),
        ("x", {"kind": "prospective", "state": "resolved"}, "a new intention is pending, not resolved"),
        ("x", {"valid_from": NOW, "valid_until": NOW - timedelta(1)}, "valid_until lies before valid_from"),
        ("x", {"extraction_method": "rules"}, "give derives_from too"),
        ("x", {"tags": "music"}, "tags takes a list of texts"),
        ("x", {"pinned": 1}, "pinned takes true or false"),
    ],
    ids=lambda part: str(part)[:30],
)
def test_nothing_is_guessed(content: object, given: dict[str, object], sentence: str) -> None:
    """What is wrong is refused with one sentence that names the field."""
    with pytest.raises(UsageError, match=sentence):
        new_memory(content, given)


@given(
    st.text(min_size=1).filter(str.strip), st.dictionaries(st.text(max_size=12), st.none() | st.integers() | st.text())
)
def test_only_one_kind_of_error_ever_comes(content: str, given: dict[str, object]) -> None:
    """Whatever is given, there is a memory or one sentence."""
    made = None
    with suppress(UsageError):
        made = new_memory(content, given)
    assert made is None or made.content == content


def test_none_means_not_given() -> None:
    """A field that is None keeps its default."""
    assert new_memory("x", {"importance": None, "tags": None, "conversation": None}) == NewMemory(content="x")


@pytest.mark.row("B02")
def test_observations_expire() -> None:
    """After 300 s, or after their own time, counted from when they were made; nothing else expires by itself."""
    assert new_memory("x", {"kind": "sensory"}).expiry(NOW) == NOW + timedelta(seconds=300)
    assert new_memory("x", {"kind": "sensory", "ttl": 5}).expiry(NOW) == NOW + timedelta(seconds=5)
    then = NOW - timedelta(hours=1)
    assert new_memory("x", {"kind": "sensory", "at": then}).expiry(NOW) == then + timedelta(seconds=300)
    assert new_memory("x", {"kind": "sensory", "expires_at": then}).expiry(NOW) == then
    assert new_memory("x", {}).expiry(NOW) is None


@pytest.mark.row("A03", "A21")
def test_what_is_innate_never_expires() -> None:
    """An innate observation has no end, and one that was stored with an end is read without it."""
    assert new_memory("x", {"kind": "sensory", "class": "innate"}).expiry(NOW) is None
    assert NewMemory(content="x", memory_class=MemoryClass.INNATE, ttl=5).expiry(NOW) is None
    old = record(memory_class=MemoryClass.INNATE, expires_at=NOW)
    assert Record.from_json(old.to_json()) == replace(old, expires_at=None)


@pytest.mark.row("B34")
def test_an_intention_is_read_back_in_its_state() -> None:
    """What was stored may be anywhere in its life."""
    details: dict[str, Json] = {"trigger": "", "action": "", "state": "resolved", "priority": 1.0}
    assert Record.from_json(record(kind=Kind.PROSPECTIVE, details=details).to_json()).details == details


@pytest.mark.row("B03")
def test_an_observation_holds_its_raw_data() -> None:
    """It is the content unless something else is given."""
    assert new_memory("beep", {"kind": "sensory"}).details == {"modality": "text", "raw_data": "beep"}


@pytest.mark.row("B26")
@pytest.mark.row("B33")
def test_sources_become_edges() -> None:
    """A fact derives from an episode with method and confidence, a procedure with its method."""
    given = {"derives_from": ["e1", "e2", "e1"], "extraction_method": "rules", "confidence": 0.8}
    said: dict[str, Json] = {"extraction_method": "rules", "confidence": 0.8}
    assert new_memory("x", given).links == (
        Link(EdgeKind.DERIVES_FROM, "e1", said),
        Link(EdgeKind.DERIVES_FROM, "e2", said),
    )
    assert new_memory("x", {**given, "kind": "procedural", "derives_from": "e1"}).links == (
        Link(EdgeKind.PROCEDURE_DERIVES_FROM, "e1", {"extraction_method": "rules"}),
    )
    assert new_memory("x", {"cites": ["a"], "supersedes": "b"}).links == (
        Link(EdgeKind.CITES, "a"),
        Link(EdgeKind.SUPERSEDES, "b"),
    )


@pytest.mark.row("A31")
@pytest.mark.row("D01")
def test_the_json_has_every_field_of_the_documents() -> None:
    """Those of both records, with what only the present tells among them."""
    shown = record().to_json({"heat": 0.5, "tier": "warm", "retention": 1.0, "embedding": None})
    first = "id content embedding tags namespace created class heat access_count last_access importance tier"
    second = "id user content embedding kind importance stability access_count last_access retention created updated"
    assert not set(f"{first} {second}".split()) - set(shown)
    assert list(shown) == sorted(shown)


def test_a_record_comes_back_from_json() -> None:
    """Through text, with all fields, and what was shown only is passed over."""
    for stored in (
        record(),
        record(valid_from=NOW, valid_until=NOW + timedelta(1), expires_at=NOW, status=Status.SUPERSEDED),
        record(kind=Kind.SENSORY, details={"modality": "m", "raw_data": {"a": 1}, "observation_order": 3}),
        record(memory_class=MemoryClass.INNATE, pinned=True, concept="ß", at=NOW - timedelta(days=400)),
    ):
        text = json.dumps(stored.to_json({"heat": 0.5, "tier": "warm"}))
        assert Record.from_json(json.loads(text)) == stored


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"status": "gone"}, "status is one of"),
        ({"created": None}, "created is missing"),
        ({"at": "soon"}, "at takes an ISO-8601 time"),
        ({"details": {"steps": []}}, "steps is a field of procedural memories"),
        ({"details": 3}, "details takes an object"),
        ({"colour": "red"}, "no field 'colour'"),
        ({"importance": 3}, "importance takes 0 to 1"),
    ],
)
def test_a_file_with_a_fault_is_told(change: dict[str, Any], sentence: str) -> None:
    """The same checks hold as for a new memory."""
    with pytest.raises(UsageError, match=sentence):
        Record.from_json({**record().to_json(), **change})


@pytest.mark.row("A31")
def test_the_tier_can_not_be_set() -> None:
    """It is neither stored nor read back."""
    assert not hasattr(Record.from_json({**record().to_json(), "tier": "hot"}), "tier")


def test_a_record_says_what_it_is() -> None:
    """Who spoke, and whether anything may change it."""
    assert record().speaker == record().author == "Ada"
    assert record(memory_class=MemoryClass.INNATE).is_innate
    assert not record().is_innate
