"""The composition root builds one agent, wires what it is given, and starts the state once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.app import open_assistant
from nola.backup.names import Kind
from nola.errors import ConfigError, StorageError
from nola.flow import ModelRef, Stimulus, TurnResult
from nola.testing import ManualClock, ScriptedModel, echo, make_agent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[1]

# requirements.md E33: each part of the seed's component map, and the module that is it.
COMPONENTS = {
    "core agent": "nola.agent",
    "contract": "nola.state.contract",
    "state file": "nola.state.store",
    "identity and its pull": "nola.state.puller",
    "machine module": "nola.state.machine",
    "user module": "nola.state.writer",
    "stimuli": "nola.flow",
    "conversations": "nola.memory.store",
    "models": "nola.llm.choose",
    "terminal": "nola.cli",
    "faces": "interfaces",
}


class CountingVectors:
    """An embedder that counts the texts it was given, and finds all of them alike."""

    def __init__(self) -> None:
        self.count = 0

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same unit vector for each text."""
        self.count += len(texts)
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_within(self, texts: Sequence[str], budget_s: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the same unit vector for each text, in no time."""
        del budget_s
        return self.embed(texts), np.ones(len(texts), dtype=np.bool_)


def run(code: str, home: Path) -> list[str]:
    """What a fresh Python prints, line by line, with this home."""
    environ = {**os.environ, "NOLA_HOME": str(home), "NOLA_OLLAMA_HOST": "http://127.0.0.1:9", "NOLA_MODEL": "none"}
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environ, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()


@pytest.mark.row("E27")
def test_fifty_threads_get_one_agent(tmp_path: Path) -> None:
    """`get_agent()` gives every thread of a process the same agent, also when they all ask first."""
    code = """
import threading
from nola import get_agent
start, found = threading.Barrier(50), []
def ask():
    start.wait()
    found.append(get_agent())
threads = [threading.Thread(target=ask) for _ in range(50)]
[t.start() for t in threads]; [t.join() for t in threads]
print(len(found), len(set(map(id, found))), get_agent() is found[0])
"""
    assert run(code, tmp_path / "home") == ["50 1 True"]


@pytest.mark.row("E39")
def test_the_first_agent_syncs_once(tmp_path: Path) -> None:
    """The first `get_agent()` bears the state and pulls every module once; the second pulls nothing."""
    code = """
from nola import get_agent
agent = get_agent(); first = agent._state.pulls
get_agent(); print(first, agent._state.pulls, agent._state.bootstrap())
"""
    assert run(code, tmp_path / "home") == ["2 2 False"]
    assert sorted(path.name for path in (tmp_path / "home" / "state").glob("*.json")) == [
        ".format.json",
        "Nola.json",
        "identity.json",
        "machineID.json",
        "user.json",
    ]


def test_the_environment_is_read_when_nothing_is_given(tmp_path: Path) -> None:
    """`open_assistant()` alone takes its home and its clock from the environment."""
    code = """
from nola import open_assistant
agent = open_assistant()
print(agent.config.home); print(agent._parts.services.clock.now().date())
"""
    os.environ["NOLA_NOW"] = "2031-05-04T12:00:00+00:00"
    try:
        assert run(code, tmp_path / "home") == [str(tmp_path / "home"), "2031-05-04"]
    finally:
        del os.environ["NOLA_NOW"]


def test_model_clock_and_embedder_can_be_given(tmp_path: Path) -> None:
    """What is passed in is what the turn uses: the model by the name that was asked for, the clock, the vectors."""
    asked: list[str | None] = []
    model, vectors = ScriptedModel(echo), CountingVectors()

    def choose(name: str | None) -> ScriptedModel:
        asked.append(name)
        return model

    clock = ManualClock(datetime(2031, 5, 4, 12, 0, tzinfo=UTC))
    settings = make_agent(tmp_path / "home").config
    agent = open_assistant(settings, choose=choose, clock=clock, vectoriser=vectors)
    last = list(agent.turn(Stimulus("What is the capital of Portugal?", clock.now(), model="big")))[-1]
    assert isinstance(last, TurnResult)
    assert "2031" in last.reply
    assert (asked, last.model) == (["big"], ModelRef("scripted", "scripted"))
    assert vectors.count > 0


def test_opening_an_agent_makes_only_its_home(tmp_path: Path) -> None:
    """Nothing but the private home folder is made before the agent is used."""
    home = tmp_path / "deep" / "home"
    agent = make_agent(home)
    assert (list(home.iterdir()), home.stat().st_mode & 0o777) == ([], 0o700)
    agent.close()


def test_a_home_that_can_not_be_made_is_a_storage_error(tmp_path: Path) -> None:
    """A home below a file is refused with the path."""
    (tmp_path / "file").write_bytes(b"")
    settings = replace(make_agent(tmp_path / "home").config, home=tmp_path / "file" / "home")
    with pytest.raises(StorageError, match="file/home"):
        open_assistant(settings)


def test_a_home_that_is_a_link_is_refused_with_where_it_leads(tmp_path: Path) -> None:
    """What to do is to name that folder, and nothing is made in it."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with pytest.raises(ConfigError, match="link is a link") as caught:
        make_agent(tmp_path / "link")
    assert caught.value.fix == f"point NOLA_HOME at the folder that it leads to: {tmp_path / 'real'}"
    assert list((tmp_path / "real").iterdir()) == []


def test_a_state_that_is_gone_is_made_anew_and_told_once(tmp_path: Path) -> None:
    """With the backup that brings it back, by its name: another one may be the latest soon."""
    home = tmp_path / "home"
    first = make_agent(home)
    first.set_state("notes.tea", "green")
    made = first.backups.create().name
    first.backups.create(Kind.BEFORE_RESTORE)
    assert first.notices == ()
    shutil.rmtree(home / "state")
    second = make_agent(home)
    (notice,) = second.notices
    assert (home / "state" / "Nola.json").exists()
    assert notice.message == f"the state in {home / 'state'} was gone and was made anew"
    assert notice.fix == f"bring the newest backup back: nola backup restore {made}"
    assert notice in second.doctor()
    third = make_agent(home)
    assert third.notices == ()
    assert "state.made_anew" not in {finding.id for finding in third.doctor()}
    third.backups.restore(made)
    assert third.get_state("notes.tea") == "green"


@pytest.mark.parametrize("left", [".last-good/user.json", "user.json"])
def test_a_state_of_which_something_is_left_is_not_gone(tmp_path: Path, left: str) -> None:
    """What is missing is put back or born, as at every start."""
    first = make_agent(tmp_path)
    first.backups.create()
    first.close()
    for path in (tmp_path / "state").glob("**/*.json*"):
        if path.relative_to(tmp_path / "state").as_posix() != left:
            path.unlink()
    assert make_agent(tmp_path).notices == ()


def test_a_state_that_can_not_be_made_anew_is_told_too(tmp_path: Path) -> None:
    """Opening an agent goes on; whatever needs the state says what is in its way."""
    make_agent(tmp_path).backups.create()
    shutil.rmtree(tmp_path / "state")
    (tmp_path / "state").write_bytes(b"")
    agent = make_agent(tmp_path)
    assert [notice.id for notice in agent.notices] == ["state.made_anew"]
    assert agent.conversations() == []
    with pytest.raises(StorageError):
        agent.get_state("user")


def test_the_persona_comes_from_nola_json(tmp_path: Path) -> None:
    """Name, role and manner in Nola.json are who answers; what is missing or no text has its default."""
    model = ScriptedModel("Hello.")
    agent = make_agent(tmp_path / "home", model=model)
    agent.set_state("Nola.name", "Ada", who="owner")
    agent.set_state("Nola.manner", 7, who="owner")
    agent.unset_state("Nola.role", who="owner")
    agent.generate("hi")
    assert model.prompts[0][0].content.startswith(
        "You are Ada, a personal assistant who remembers. Your manner: warm, brief and plain.\n"
    )


def test_an_embedder_needs_its_files(tmp_path: Path) -> None:
    """With the embedder switched on and no file there, facts are found by words alone, and nothing fails."""
    agent = make_agent(tmp_path / "home", model=ScriptedModel("Hi."), settings={"embed.provider": "minilm"})
    assert agent.generate("hi").reply == "Hi."
    assert "vectors.missing" in {finding.id for finding in agent.doctor()}
    agent.close()


@pytest.mark.row("E33")
def test_the_memory_shares_the_file_of_the_conversations(tmp_path: Path) -> None:
    """One writer serves both; what one agent remembers another recalls, and `numpy` waits until it is needed."""
    agent = make_agent(tmp_path / "home")
    assert agent.memory.database is agent._conversations._database
    id_ = agent.remember("I planted quince", speaker="Ana")
    agent.close()
    other = make_agent(tmp_path / "home")
    assert [(one.id, one.speaker) for one in other.recall("who planted quince?", budget=50)] == [(id_, "Ana")]
    other.close()
    code = """
import sys
from nola import open_assistant
agent = open_assistant(); agent.set_state("user.name", "Mara", who="owner"); agent.get_state("user.name"); agent.close()
print([name for name in ("numpy", "nola.memory.engine", "nola.context.memories") if name in sys.modules])
"""
    assert run(code, tmp_path / "home") == ["[]"]


def test_the_assistant_knows_who_i_am(tmp_path: Path) -> None:
    """`I` in a question to the memory is the owner, by the name that the state tells."""
    agent = make_agent(tmp_path / "home")
    agent.remember("Quince goes behind the barn", speaker="Ana")
    mine = agent.remember("Quince goes beside the gate", speaker="Mara")
    agent.set_state("user.name", "Mara", who="owner")
    found = agent.recall("Where did I say quince goes?")
    assert found[0].id == mine
    assert "speaker" in found[0].parts
    agent.close()


@pytest.mark.parametrize("component", COMPONENTS)
def test_every_component_of_the_map_exists(component: str) -> None:
    """Each part of the seed's component map is a module of its own."""
    assert find_spec(COMPONENTS[component]) is not None
