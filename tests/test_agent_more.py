"""What the Agent does with state over time: updates, earlier times, conflicts, exports, imports, backups."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from nola.app import open_assistant
from nola.errors import ConflictError, DocumentError, NolaError, PathError, StorageError, UsageError
from nola.flow import Stimulus, TurnResult
from nola.testing import ManualClock, ScriptedModel, make_agent
from nola.types import Channel, ConversationId

if TYPE_CHECKING:
    from pathlib import Path

    from nola.agent import Agent
    from nola.types import Json


@pytest.fixture
def clock() -> ManualClock:
    """A clock that is set by hand."""
    return ManualClock()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of the test; not made yet."""
    return tmp_path / "home"


@pytest.fixture
def agent(home: Path, clock: ManualClock) -> Agent:
    """An agent over a new home, with a model that says little."""
    return make_agent(home, model=ScriptedModel("Well."), clock=clock)


def edit(home: Path, old: str, new: str) -> None:
    """Change a text in user.json by hand."""
    file = home / "state" / "user.json"
    file.write_text(file.read_text("utf-8").replace(old, new), encoding="utf-8")


def clash(agent: Agent, home: Path) -> str:
    """Have the owner and Nola change the same place at once; return the conflict's id."""
    agent.set_state("user.city", "Lyon")
    edit(home, "Lyon", "Porto")
    with pytest.raises(ConflictError, match=r"user\.city was changed in its file meanwhile"):
        agent.set_state("user.city", "Faro", who="nola")
    (conflict,) = agent.conflicts()
    return conflict.id


# --- updates ----------------------------------------------------------------------------------------------------------
@pytest.mark.row("E28")
def test_an_update_gets_a_copy_and_gives_a_receipt(agent: Agent) -> None:
    """The function sees what stands there, None when nothing does, and what it gives is written."""
    assert agent.update_state("user.visits", lambda value: [value]).new == [None]
    seen: list[Json] = []

    def more(value: Json) -> Json:
        seen.append(value)
        assert isinstance(value, list)
        value.append("again")
        return value

    receipt = agent.update_state("user.visits", more, who="owner")
    assert (receipt.old, receipt.new, receipt.what) == ([None], [None, "again"], "set")
    seen[0] = None
    assert agent.get_state("user.visits") == [None, "again"]


def test_an_update_that_fails_changes_nothing(agent: Agent) -> None:
    """What the function raises comes through; so does a path that can't be written."""
    agent.set_state("user.age", 41)

    def fail(_: Json) -> Json:
        raise ZeroDivisionError("no")

    with pytest.raises(ZeroDivisionError, match="no"):
        agent.update_state("user.age", fail)
    with pytest.raises(PathError):
        agent.update_state("user.age.months", lambda _: 1)
    assert agent.get_state("user") == {"age": 41}
    assert len(agent.changes()) == 1


@pytest.mark.row("E28")
def test_no_update_is_lost_among_threads(agent: Agent) -> None:
    """Eight threads that count to fifty count to four hundred; reading and writing apart, the control, loses some."""
    agent.set_state("user.count", 0)
    agent.set_state("user.control", 0)
    together = threading.Barrier(8)

    def one_more(value: Json) -> Json:
        assert isinstance(value, int)
        return value + 1

    def count() -> None:
        together.wait()
        for _ in range(50):
            agent.update_state("user.count", one_more)
        together.wait()
        control = one_more(agent.get_state("user.control"))
        together.wait()
        agent.set_state("user.control", control)

    threads = [threading.Thread(target=count) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert agent.get_state("user.count") == 400
    assert agent.get_state("user.control") == 1


# --- who and through which interface ----------------------------------------------------------------------------------
def test_the_history_tells_who_and_through_which_interface(home: Path, agent: Agent) -> None:
    """The owner through the library, an editor or the command line; Nola through the channel of the message."""
    agent.set_state("user.name", "Mara")
    agent.look()
    edit(home, '"Mara"', '"Maria"')
    assert agent.look().changed == ("user",)
    list(agent.turn(Stimulus("My dog is called Biscuit.", ManualClock().now(), Channel.TERMINAL)))
    open_assistant(agent.config, via="command line").set_state("user.age", 41)
    told = [(change.path, change.who, change.via) for change in agent.changes("user")]
    assert told == [
        ("user.age", "owner", "command line"),
        ("user.pets.dog.name", "nola", "terminal"),
        ("user.name", "owner", "editor"),
        ("user.name", "owner", "library"),
    ]


# --- earlier times ----------------------------------------------------------------------------------------------------
def test_the_state_of_an_earlier_time(agent: Agent, clock: ManualClock) -> None:
    """Each instant has its own state, as plain values; before the first change there is none to be shown."""
    born = clock.now()
    clock.advance(60)
    agent.set_state("user", {"name": "Mara", "pets": {"data": {"dog": "Biscuit"}, "metadata": {}}})
    first = clock.now()
    clock.advance(60)
    agent.unset_state("user.pets")
    second = clock.now()
    clock.advance(60)
    assert agent.state_at(first, "user") == {"name": "Mara", "pets": {"dog": "Biscuit"}}
    assert agent.state_at(second, "user") == {"name": "Mara"}
    whole = agent.state_at(second)
    assert isinstance(whole, dict)
    assert {"Nola", "identity", "machineID", "user"} <= set(whole)
    with pytest.raises(PathError):
        agent.state_at(second, "user.pets")
    with pytest.raises(NolaError, match="the history begins"):
        agent.state_at(born, "user")


# --- conflicts --------------------------------------------------------------------------------------------------------
@pytest.mark.bar("B7")
def test_a_conflict_is_used_or_dropped(home: Path, agent: Agent) -> None:
    """The owner's value stands; Nola's waits, and then replaces it, with a receipt that undoes that, or goes."""
    conflict = clash(agent, home)
    (told,) = agent.conflicts()
    assert (told.path, told.base, told.ours, told.theirs, told.who) == ("user.city", "Lyon", "Faro", "Porto", "nola")
    assert agent.get_state("user.city") == "Porto"
    receipt = agent.settle_conflict(conflict, use=True)
    assert receipt is not None
    assert (receipt.path, receipt.old, receipt.new) == ("user.city", "Porto", "Faro")
    assert list(agent.conflicts()) == []
    agent.undo(receipt.undo)
    assert agent.get_state("user.city") == "Porto"
    with pytest.raises(UsageError, match="no conflict has the id"):
        agent.settle_conflict(conflict, use=False)


def test_a_conflict_that_is_dropped_leaves_the_files_alone(home: Path, agent: Agent) -> None:
    """Nothing of the owner's changes, and nothing is left beside the file."""
    conflict = clash(agent, home)
    before = (home / "state" / "user.json").read_bytes()
    assert agent.settle_conflict(conflict, use=False) is None
    assert (home / "state" / "user.json").read_bytes() == before
    assert not (home / "state" / "user.json.conflict").exists()


def test_a_file_that_was_emptied_is_accepted(home: Path, agent: Agent) -> None:
    """An accident until the owner says that it was meant."""
    agent.set_state("user", {"a": 1, "b": 2, "c": 3})
    (home / "state" / "user.json").write_text('{"data": {}}', encoding="utf-8")
    (problem,) = agent.look().problems
    assert "nola state accept user" in problem.message
    assert agent.get_state("user") == {"a": 1, "b": 2, "c": 3}
    agent.accept_state("user")
    assert agent.get_state("user") == {}
    assert list(agent.problems()) == []
    with pytest.raises(PathError):
        agent.accept_state("nosuch")


@pytest.mark.bar("A4")
def test_what_the_disk_refused_is_saved_when_it_takes_it(home: Path, agent: Agent) -> None:
    """The caller is told, and a later retry gives the receipt."""
    agent.set_state("user.city", "Lyon")
    history = home / "state" / ".history"
    history.rename(home / "away")
    history.write_bytes(b"a file where a folder has to be")
    with pytest.raises(StorageError):
        agent.set_state("user.city", "Porto")
    assert list(agent.retry_pending()) == []
    assert agent.get_state("user.city") == "Lyon"
    history.unlink()
    (home / "away").rename(history)
    assert [(receipt.path, receipt.new) for receipt in agent.retry_pending()] == [("user.city", "Porto")]
    assert agent.get_state("user.city") == "Porto"


# --- export and import ------------------------------------------------------------------------------------------------
@pytest.mark.row("E59")
def test_an_export_is_taken_in_elsewhere_and_given_out_again(tmp_path: Path, home: Path, agent: Agent) -> None:
    """Byte for byte the same, after a backup of what was there; a second import has nothing to do."""
    agent.set_state("user", {"name": "Mara", "rent": 812.5})
    list(agent.turn(Stimulus("Tell me about the sea", ManualClock().now(), Channel.TERMINAL)))
    edit(home, "812.5", "812.50")
    known = agent.remember("I sold the boat")
    data = agent.export_all()
    assert b'"rent": 812.50' in data
    other = make_agent(tmp_path / "other")
    plan = other.import_plan(data)
    assert (other.get_state("user"), other.backups.list()) == ({}, [])
    result = other.import_all(plan)
    assert (result.modules, len(result.conversations), result.memories) == (("user",), 1, (known,))
    assert [info.name for info in other.backups.list()] == [result.backup]
    assert other.export_all() == data
    assert other.import_plan(data).is_done
    assert [change.via for change in other.changes("user")] == ["import"]
    assert [row.title for row in other.conversations()] == ["Tell me about the sea"]
    assert [found.content for found in other.recall("boat")] == ["I sold the boat"]


def test_a_part_of_everything_can_be_given_out(agent: Agent) -> None:
    """The state alone, the conversations alone, or the memories alone."""
    list(agent.turn(Stimulus("hello", ManualClock().now())))
    agent.remember("I sold the boat")
    parts = ["state", "conversations", "memories"]
    assert list(json.loads(agent.export_all()))[3:] == parts
    assert [list(json.loads(agent.export_all(only=part)))[3:] for part in parts] == [[part] for part in parts]


def test_an_import_that_came_too_late_writes_nothing(tmp_path: Path, agent: Agent) -> None:
    """What changed since the plan was made is not overwritten."""
    agent.set_state("user.name", "Mara")
    other = make_agent(tmp_path / "other")
    plan = other.import_plan(agent.export_all())
    other.set_state("user.name", "Ada")
    with pytest.raises(ConflictError):
        other.import_all(plan)
    assert other.get_state("user.name") == "Ada"
    with pytest.raises(NolaError):
        other.import_plan(b"{}")


def test_a_damaged_memory_keeps_everything_out(tmp_path: Path, agent: Agent) -> None:
    """Its place is told when the plan is made; neither state nor conversations nor other memories are written."""
    agent.set_state("user.name", "Mara")
    agent.generate("hello")
    agent.remember("I sold the boat")
    export = json.loads(agent.export_all())
    export["memories"][1]["memory"]["kind"] = "dream"
    other = make_agent(tmp_path / "other")
    with pytest.raises(DocumentError, match=r"the export: memories\.1: kind is one of sensory, "):
        other.import_plan(json.dumps(export).encode())
    assert (other.get_state("user"), other.conversations(), other.recall("boat")) == ({}, [], [])


# --- backups ----------------------------------------------------------------------------------------------------------
@pytest.mark.bar("A11")
def test_a_backup_brings_everything_back_and_can_be_undone(home: Path, agent: Agent) -> None:
    """State and conversations are what they were, for the agent that runs too; the undo has the newer ones again."""
    agent.set_state("user.name", "Mara")
    first = list(agent.turn(Stimulus("hello", ManualClock().now())))[-1]
    assert isinstance(first, TurnResult)
    made = agent.backups.create()
    agent.set_state("user.name", "Ada")
    list(agent.turn(Stimulus("hello again", ManualClock().now())))
    agent.close()
    undo = agent.backups.restore(made.name).undo
    again = make_agent(home)
    assert again.get_state("user.name") == "Mara"
    assert [row.id for row in again.conversations()] == [ConversationId(first.conversation)]
    again.close()
    again.backups.restore(undo.name)
    assert agent.get_state("user.name") == "Ada"
    assert len(agent.conversations()) == 2
