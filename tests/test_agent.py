"""The Agent owns the state, the conversations and the model, and answers from any thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import ConflictError, InputError, NolaError, PathError, UsageError
from nola.flow import Stimulus, TurnResult
from nola.testing import ManualClock, ScriptedModel, make_agent
from nola.types import ChangeId, Channel, ConversationId, Level
from tests.llm.conftest import gguf_head

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.agent import Agent
    from nola.types import Json

NOW = ManualClock().now()


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """An agent over a new home, with a model that says little."""
    return make_agent(tmp_path / "home", model=ScriptedModel("Well."))


def ended(agent: Agent, text: str, **asked: object) -> TurnResult:
    """What one turn ended with."""
    last = list(agent.turn(Stimulus(text, NOW, **asked)))[-1]  # type: ignore[arg-type]
    assert isinstance(last, TurnResult)
    return last


# --- generate ---------------------------------------------------------------------------------------------------------
@pytest.mark.row("E40")
@pytest.mark.parametrize(
    ("kind", "level"),
    [
        ("analytical", Level.DEEP),
        ("conversational", Level.CONVERSATION),
        ("Realtime", Level.QUICK),
        (None, Level.QUICK),
    ],
)
def test_generate_answers_whole(agent: Agent, kind: str | None, level: Level) -> None:
    """`generate` gives the finished turn, at the level that its type asks for."""
    said = agent.generate("hi", kind)
    assert (said.reply, said.report.choice.level, said.complete) == ("Well.", level, True)


@pytest.mark.row("E24")
def test_generate_refuses_an_unknown_type(agent: Agent) -> None:
    """A type that does not exist is wrong usage, and nothing is stored."""
    with pytest.raises(UsageError, match="unknown stimuli type 'deep'"):
        agent.generate("hi", "deep")
    assert list(agent.conversations()) == []


def test_generate_refuses_an_empty_message(agent: Agent) -> None:
    """What can't be used is refused as in a turn."""
    with pytest.raises(InputError):
        agent.generate(" ")


# --- context ----------------------------------------------------------------------------------------------------------
def test_context_asks_no_model_and_writes_nothing(tmp_path: Path) -> None:
    """Looking at the context of a message changes no file, stores no turn and learns nothing."""
    model = ScriptedModel()
    agent = make_agent(tmp_path / "home", model=model)
    agent.get_state()
    before = {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()}
    report = agent.context(Stimulus("My cat is called Miso", NOW))
    assert report.budget == 50
    assert {path: path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file()} == before
    assert model.prompts == []


def test_context_knows_its_conversation(agent: Agent) -> None:
    """In a deep thread `go on` is deep, outside of one it is not."""
    deep = ended(agent, "Why do I always feel so tired on Mondays?")
    inside = agent.context(Stimulus("go on", NOW, conversation=deep.conversation))
    outside = agent.context(Stimulus("go on", NOW))
    assert inside.choice.level is Level.DEEP
    assert outside.choice.level is not Level.DEEP


# --- state ------------------------------------------------------------------------------------------------------------
def test_state_is_set_read_unset_and_undone(agent: Agent) -> None:
    """Every write gives a receipt, and the receipt's id takes it back."""
    first = agent.set_state("user.city", "Faro", who="owner")
    assert (first.path, first.old, first.new, first.what) == ("user.city", None, "Faro", "set")
    second = agent.unset_state("user.city", who="owner")
    assert (second.old, second.new, second.what) == ("Faro", None, "unset")
    third = agent.undo(second.undo, who="owner")
    assert (third.old, third.new, third.what) == (None, "Faro", "undo")
    assert agent.get_state("user.city") == "Faro"


def test_what_can_not_be_done_to_the_state_is_refused(agent: Agent) -> None:
    """A path that leads nowhere, a scalar on the way, an unknown change and a changed value are refused."""
    receipt = agent.set_state("user.city", "Faro", who="owner")
    agent.set_state("user.city", "Porto", who="owner")
    refused: list[tuple[type[NolaError], Callable[[], object]]] = [
        (PathError, lambda: agent.get_state("user.nothing")),
        (PathError, lambda: agent.set_state("user.city.district", "Baixa", who="owner")),
        (PathError, lambda: agent.unset_state("user.nothing", who="owner")),
        (NolaError, lambda: agent.undo(ChangeId("nosuch"), who="owner")),
        (ConflictError, lambda: agent.undo(receipt.undo, who="owner")),
    ]
    for kind, attempt in refused:
        with pytest.raises(kind):
            attempt()
    assert agent.get_state("user") == {"city": "Porto"}


def test_changes_are_listed_newest_first_without_wrappers(agent: Agent) -> None:
    """The history tells plain values, below the path that is asked for."""
    agent.set_state("user.city", "Faro", who="owner")
    agent.set_state("user.pets", {"metadata": {"context_level": 3}, "data": {"dog": "Biscuit"}}, who="owner")
    agent.set_state("user.city", "Porto", who="terminal")
    assert [(c.path, c.who, c.new) for c in agent.changes("user")] == [
        ("user.city", "terminal", "Porto"),
        ("user.pets", "owner", {"dog": "Biscuit"}),
        ("user.city", "owner", "Faro"),
    ]
    assert [c.new for c in agent.changes("user.city", limit=1)] == ["Porto"]


def test_a_node_is_told_with_its_wrappers(agent: Agent) -> None:
    """`get_node` shows a module's metadata and data, `get_state` the data alone."""
    agent.set_state("user.city", "Faro", who="owner")
    node = agent.get_node("user")
    assert isinstance(node, dict)
    assert set(node) == {"metadata", "data"}
    assert node["data"] == agent.get_state("user") == {"city": "Faro"}


@pytest.mark.row("E29")
def test_state_is_a_copy_and_reload_sees_the_disk(agent: Agent, tmp_path: Path) -> None:
    """Changing what was returned changes nothing; an edit on disk is seen with reload and not without."""
    agent.set_state("user.likes", ["tea"], who="owner")
    copy = agent.get_state("user.likes")
    assert isinstance(copy, list)
    copy.append("rain")
    assert agent.get_state("user.likes") == ["tea"]
    file = tmp_path / "home" / "state" / "user.json"
    document = orjson.loads(file.read_bytes())
    document["data"]["likes"] = ["snow"]
    file.write_bytes(orjson.dumps(document))
    assert agent.get_state("user.likes", reload=False) == ["tea"]
    assert agent.get_state("user.likes") == ["snow"]


def test_problems_and_sync_are_told(agent: Agent, tmp_path: Path) -> None:
    """A file that can't be read is listed, and syncing names the modules that were pulled."""
    agent.set_state("user.city", "Faro", who="owner")
    assert "user" in agent.sync_state()
    assert list(agent.problems()) == []
    (tmp_path / "home" / "state" / "user.json").write_text("{", encoding="utf-8")
    (problem,) = agent.problems()
    assert (problem.file, problem.line) == ("user.json", 1)


@pytest.mark.row("E28")
@pytest.mark.row("P30")
def test_no_update_is_lost_among_threads(agent: Agent) -> None:
    """Eight threads that each write fifty values leave four hundred."""

    def write(thread: int) -> None:
        for n in range(50):
            agent.set_state(f"user.t{thread}.n{n}", n, who="owner")

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected: Json = {f"t{thread}": {f"n{n}": n for n in range(50)} for thread in range(8)}
    assert agent.get_state("user") == expected


def test_the_lock_is_not_held_while_the_model_speaks(tmp_path: Path) -> None:
    """While a reply is under way another thread reads and writes the state."""
    agent = make_agent(tmp_path / "home", model=ScriptedModel(["Once upon a time, ", "there was a sea."]))
    events = agent.turn(Stimulus("Tell me a long story about the sea", NOW))
    for _ in range(3):
        next(events)
    other = threading.Thread(target=agent.set_state, args=("user.city", "Faro"), kwargs={"who": "owner"})
    other.start()
    other.join(10)
    assert not other.is_alive()
    assert agent.get_state("user.city") == "Faro"
    assert isinstance(list(events)[-1], TurnResult)


# --- conversations ----------------------------------------------------------------------------------------------------
@pytest.mark.row("E34")
def test_conversations_are_listed_searched_and_read(agent: Agent) -> None:
    """A chat can be listed, found by its words and read back by the beginning of its id."""
    sea = ended(agent, "Tell me about the sea", channel=Channel.TERMINAL)
    ended(agent, "Tell me about the moon", channel=Channel.WEB)
    assert [row.title for row in agent.conversations()] == ["Tell me about the moon", "Tell me about the sea"]
    assert [row.id for row in agent.conversations("sea")] == [sea.conversation]
    assert len(agent.conversations(limit=1)) == 1
    (message,) = agent.conversation(sea.conversation)
    assert (message.user, message.reply, message.model) == ("Tell me about the sea", "Well.", "scripted:scripted")
    assert agent.latest_conversation(Channel.TERMINAL) == sea.conversation
    with pytest.raises(UsageError, match="no conversation's id begins with 'nosuch'"):
        agent.conversation(ConversationId("nosuch"))


def test_without_a_turn_there_is_no_latest_conversation(agent: Agent) -> None:
    """A new home has no conversation."""
    assert agent.latest_conversation() is None


# --- models -----------------------------------------------------------------------------------------------------------
def test_the_embedders_files_are_missing_unless_it_is_off(tmp_path: Path) -> None:
    """The embedder's files are asked for when it is on and they are not there."""
    home = tmp_path / "home"
    off = make_agent(home, settings={"llm.model": "none"})
    assert off.missing_files() == []
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tokenizers")
    on = make_agent(home, settings={"llm.model": "none", "embed.provider": "minilm"})
    assert on.missing_files() == ["minilm", "minilm-tokenizer"]


def test_the_default_model_is_missing_on_a_new_machine(tmp_path: Path) -> None:
    """Without Ollama, without a file and without a setting the default model ought to be fetched."""
    pytest.importorskip("xllamacpp")
    home = tmp_path / "home"
    assert make_agent(home).missing_files() == ["default"]
    own = tmp_path / "own.gguf"
    own.write_bytes(gguf_head())
    assert make_agent(home, settings={"llm.model": str(own)}).missing_files() == []


def test_nothing_is_fetched_when_nothing_is_missing(tmp_path: Path) -> None:
    """Fetching the missing files of a whole installation does nothing."""
    told: list[tuple[str, int, int]] = []
    agent = make_agent(tmp_path / "home", settings={"llm.model": "none"})
    agent.fetch_default_models(lambda name, done, size: told.append((name, done, size)))
    assert told == []


def test_a_closed_agent_starts_anew(agent: Agent) -> None:
    """Closing lets go of the files; the next use opens them again."""
    first = ended(agent, "hello")
    agent.close()
    agent.close()
    assert [message.user for message in agent.conversation(first.conversation)] == ["hello"]
    assert ended(agent, "hello again").reply == "Well."
