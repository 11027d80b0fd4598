"""Tests of the plan of an import: it says what would happen, and changes nothing."""

from __future__ import annotations

import orjson
import pytest

from nola.errors import ConflictError, DocumentError
from nola.transfer import read_document
from nola.transfer.compare import ValueChange
from nola.transfer.planning import ConversationPlan, ImportPlan, ModulePlan, plan, plan_document
from nola.transfer.writing import written
from tests.transfer.fakes import Home, conversation, turn


@pytest.fixture
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a module, and two conversations."""
    made = Home(tmp_path_factory.mktemp("home"))
    made.state.put("work", '{"data": {"pay": 1.50, "job": "mechanic"}}')
    made.talks.import_rows([conversation("c1"), conversation("c2")])
    return made


def planned(home: Home, **modules: str) -> ImportPlan:
    """Plan the import of some modules."""
    text = orjson.dumps({"format": "nola-export", "version": 1, "nola": "", "state": {}})
    state = ", ".join(f'"{name}": {raw}' for name, raw in modules.items())
    return plan(read_document(text.replace(b'"state":{}', f'"state":{{{state}}}'.encode())), home.state, home.talks)


def test_the_own_export_changes_nothing(home: Home) -> None:
    """Everything in it is here already."""
    found = plan(read_document(home.export()), home.state, home.talks)
    assert {module.fate for module in found.modules} == {talk.fate for talk in found.conversations} == {"same"}
    assert found.is_done
    assert (found.documents, found.talks) == ((), ())


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
    found = plan(read_document(written(None, given)), home.state, home.talks)
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
        plan(read_document(written(None, given)), home.state, home.talks).check()


def test_a_turn_belongs_to_one_conversation(home: Home) -> None:
    """An id that stands in another conversation here can't be placed."""
    with pytest.raises(ConflictError, match="the turn c1-m1 of the conversation c9 stands in another one here, c1"):
        plan(read_document(written(None, [conversation("c9", turn("c1-m1", "c9"))])), home.state, home.talks)


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
    }
    given = written(None, [conversation("c1")])
    told = plan_document(plan(read_document(given), home.state, home.talks))
    assert told["conversations"] == [{"id": "c1", "title": "my dog?", "turns": 1, "fate": "same"}]
