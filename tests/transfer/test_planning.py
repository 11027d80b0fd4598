"""Tests of the plan of an import: it says what would happen, and changes nothing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import ConflictError, DocumentError
from nola.memory.filters import Filter
from nola.transfer.compare import ValueChange
from nola.transfer.memories import MemoriesPlan, MemoryPlan
from nola.transfer.planning import ConversationPlan, ImportPlan, ModulePlan, plan_document
from nola.transfer.writing import written
from tests.memory.making import contents, put
from tests.transfer.fakes import Home, conversation, turn

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a module, two conversations and a memory."""
    made = Home(tmp_path_factory.mktemp("home"))
    made.state.put("work", '{"data": {"pay": 1.50, "job": "mechanic"}}')
    made.talks.import_rows([conversation("c1"), conversation("c2")])
    put(made.memories, "Biscuit likes rain")
    return made


def planned(home: Home, **modules: str) -> ImportPlan:
    """Plan the import of some modules."""
    text = orjson.dumps({"format": "nola-export", "version": 2, "nola": "", "state": {}})
    state = ", ".join(f'"{name}": {raw}' for name, raw in modules.items())
    return home.plan(text.replace(b'"state":{}', f'"state":{{{state}}}'.encode()))


def test_the_own_export_changes_nothing(home: Home) -> None:
    """Everything in it is here already."""
    found = home.plan(home.export())
    assert {module.fate for module in found.modules} == {talk.fate for talk in found.conversations} == {"same"}
    assert found.is_done
    assert (found.documents, found.talks, found.memories) == ((), (), MemoriesPlan(known=1))


def test_modules_are_new_the_same_or_change(home: Home) -> None:
    """What changes is listed; modules that are not in the file are not spoken of."""
    found = planned(home, work='{"data": {"pay": 2.50}}', garden='{"data": {"beds": 3}}', user="{}")
    assert [(module.name, module.fate) for module in found.modules] == [
        ("garden", "new"),
        ("user", "changes"),
        ("work", "changes"),
    ]
    assert found.modules[0].changes == (ValueChange("garden.beds", None, 3, old_present=False),)
    assert found.modules[2].changes == (
        ValueChange("work.pay", 1.5, 2.5),
        ValueChange("work.job", "mechanic", None, new_present=False),
    )
    assert [document.name for document in found.documents] == ["garden", "user", "work"]
    assert home.state.taken == []


@pytest.mark.parametrize(
    "raw", ['{"data": {"job": "mechanic", "pay": 1.50}}', '{"data": {"pay": 1.5, "job": "mechanic"}}']
)
def test_order_and_digits_are_no_difference(home: Home, raw: str) -> None:
    """A module that is here keeps its own spelling of the same values."""
    assert planned(home, work=raw).modules == (ModulePlan("work", "same"),)


def test_times_and_versions_are_a_change_without_values(home: Home) -> None:
    """They are placed as they are given, and no value is listed."""
    raw = '{"data": {"pay": 1.50, "job": "mechanic"}, "metadata": {"version": 3}}'
    assert planned(home, work=raw).modules == (ModulePlan("work", "changes"),)


def test_the_flag_is_no_difference(home: Home) -> None:
    """It goes up and down without anything being known or forgotten."""
    raw = '{"data": {"pay": 1.50, "job": "mechanic"}, "metadata": {"needs_sync": %s}}'
    home.state.put("work", raw % "true")
    assert planned(home, work=raw % "false").is_done


def test_conversations_are_new_the_same_or_differ(home: Home) -> None:
    """Equal ids with other contents are told, and refused until somebody says that they may be replaced."""
    given = [conversation("c1"), conversation("c2", turn("other", "c2")), conversation("c3")]
    found = home.plan(written(None, given))
    assert found.conversations == (
        ConversationPlan("c1", "my dog?", 1, "same"),
        ConversationPlan("c2", "my dog?", 1, "differs"),
        ConversationPlan("c3", "my dog?", 1, "new"),
    )
    assert [talk.id for talk in found.talks] == ["c2", "c3"]
    assert found.differing == ("c2",)
    with pytest.raises(ConflictError, match="the conversation c2 is here already and differs; nothing was changed"):
        found.check()
    found.replacing().check()


def test_several_differing_conversations_are_counted(home: Home) -> None:
    """One sentence, whatever their number."""
    given = [conversation("c1", title="x"), conversation("c2", title="x")]
    with pytest.raises(ConflictError, match="c1 is here already and differs, and 1 more do; nothing was changed"):
        home.plan(written(None, given)).check()


def test_a_turn_belongs_to_one_conversation(home: Home) -> None:
    """An id that stands in another conversation here can't be placed."""
    with pytest.raises(ConflictError, match="the turn c1-m1 of the conversation c9 stands in another one here, c1"):
        home.plan(written(None, [conversation("c9", turn("c1-m1", "c9"))]))


def test_a_case_twin_of_what_is_here_is_refused(home: Home) -> None:
    """On some disks the one would overwrite the other."""
    with pytest.raises(DocumentError, match="the module 'WORK' differs from 'work' only in case"):
        planned(home, WORK="{}")


def test_a_plan_can_be_read_by_scripts(home: Home) -> None:
    """A value that is missing has no key; null is a value."""
    assert plan_document(planned(home, work='{"data": {"pay": null, "job": "mechanic", "b": 1}}')) == {
        "modules": [
            {
                "name": "work",
                "fate": "changes",
                "changes": [{"path": "work.pay", "old": 1.5, "new": None}, {"path": "work.b", "new": 1}],
            }
        ],
        "conversations": [],
        "memories": {
            "new": [], "known": 0, "events": 0, "uses": 0, "edges": 0, "pairs": 0, "purged": 0, "counters": 0,
        },
    }  # fmt: skip
    given = written(None, [conversation("c1")])
    told = plan_document(home.plan(given))
    assert told["conversations"] == [{"id": "c1", "title": "my dog?", "turns": 1, "fate": "same"}]


def test_memories_are_new_or_known(home: Home, tmp_path: Path) -> None:
    """What is here already is passed over, what is new is listed; nothing is stored."""
    other = Home(tmp_path / "other")
    new = put(other.memories, "We walked", kind="episodic")
    found = home.plan(other.export())
    assert found.memories.new == (MemoryPlan(new, "episodic", "We walked"),)
    assert not found.is_done
    told = plan_document(found)["memories"]
    assert isinstance(told, dict)
    assert told["new"] == [{"id": new, "kind": "episodic", "content": "We walked"}]
    assert contents(home.memories.find(Filter())) == ["Biscuit likes rain"]


def test_a_memory_that_can_not_be_stored_stops_the_plan(home: Home) -> None:
    """Its place is named before anything is written."""
    export = json.loads(home.export())
    export["memories"][1]["memory"]["importance"] = 7
    with pytest.raises(DocumentError, match=r"^the export: memories\.1: importance takes 0 to 1, not 7$"):
        home.plan(json.dumps(export).encode())
