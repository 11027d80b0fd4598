"""`nola doctor` checks everything, says how bad each finding is and what to do, and changes nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.testing import make_agent
from nola.types import Severity
from tests.llm.fake_ollama import FakeOllama

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from nola.port import Finding


class OneVector:
    """An embedder to which all texts are alike."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same unit vector for each text."""
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_within(self, texts: Sequence[str], budget_s: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the same unit vector for each text, in no time."""
        del budget_s
        return self.embed(texts), np.ones(len(texts), dtype=np.bool_)


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    """A running Ollama without a model."""
    server = FakeOllama()
    yield server
    server.stop()


def by_id(findings: Sequence[Finding]) -> dict[str, Finding]:
    """The findings by their ids."""
    return {finding.id: finding for finding in findings}


def test_a_new_home_is_well_but_for_its_model(tmp_path: Path) -> None:
    """On a fresh machine only the model is missing, and its finding says how to get one."""
    findings = by_id(make_agent(tmp_path / "home").doctor())
    assert set(findings) == {
        "home.permissions",
        "home.space",
        "state.files",
        "memory.file",
        "ollama.answers",
        "model.chosen",
        "vectors.off",
    }
    assert [f.id for f in findings.values() if f.severity is not Severity.OK] == ["model.chosen"]
    assert findings["model.chosen"].severity is Severity.ERROR
    assert "nola model get default" in findings["model.chosen"].fix


def test_every_bad_finding_has_a_fix(tmp_path: Path) -> None:
    """Whatever is not well says what to do."""
    home = tmp_path / "home"
    agent = make_agent(home, settings={"embed.provider": "minilm"})
    agent.doctor()
    home.chmod(0o755)
    (home / "state" / "user.json").write_text("{", encoding="utf-8")
    bad = [f for f in agent.doctor() if f.severity is not Severity.OK]
    assert {f.id for f in bad} == {"home.permissions", "state.file", "model.chosen", "vectors.missing"}
    assert all(f.fix for f in bad)


def test_an_open_home_is_a_warning(tmp_path: Path) -> None:
    """A home that others can read is named with the command that closes it."""
    agent = make_agent(tmp_path / "home")
    (tmp_path / "home").chmod(0o750)
    found = by_id(agent.doctor())["home.permissions"]
    assert (found.severity, found.fix) == (Severity.WARNING, f"chmod 700 {tmp_path / 'home'}")


def test_little_space_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than a gigabyte free is said."""
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=500_000_000))
    found = by_id(make_agent(tmp_path / "home").doctor())["home.space"]
    assert (found.severity, found.message) == (Severity.WARNING, "0.5 GB are free")


def test_a_broken_module_is_an_error_with_its_place(tmp_path: Path) -> None:
    """A module that does not parse is named with line and column."""
    agent = make_agent(tmp_path / "home")
    agent.doctor()
    (tmp_path / "home" / "state" / "user.json").write_text('{\n"data": }', encoding="utf-8")
    found = by_id(agent.doctor())["state.file"]
    assert found.severity is Severity.ERROR
    assert found.message.startswith("user.json, line 2, column ")


def test_a_damaged_database_is_an_error_and_the_rest_is_checked(tmp_path: Path) -> None:
    """A file that is no database is one finding among the others."""
    agent = make_agent(tmp_path / "home")
    (tmp_path / "home" / "memory.db").write_bytes(b"this is no database, " * 500)
    findings = by_id(agent.doctor())
    assert findings["memory.file"].severity is Severity.ERROR
    assert "state.files" in findings
    assert (tmp_path / "home" / "memory.db").read_bytes().startswith(b"this is no database")


def test_an_embedder_is_well(tmp_path: Path) -> None:
    """With an embedder facts are found by meaning too."""
    findings = by_id(make_agent(tmp_path / "home", vectoriser=OneVector()).doctor())
    assert findings["vectors.embedder"].severity is Severity.OK


def test_an_ollama_without_a_model_is_a_warning(tmp_path: Path, ollama: FakeOllama) -> None:
    """An Ollama that answers and has nothing to answer with is told what to pull."""
    settings = {"ollama.host": ollama.url, "ollama.default_model": "gemma3:4b"}
    found = by_id(make_agent(tmp_path / "home", settings=settings).doctor())["ollama.models"]
    assert (found.severity, found.fix) == (Severity.WARNING, "ollama pull gemma3:4b")


def test_an_ollama_with_a_model_is_well(tmp_path: Path, ollama: FakeOllama) -> None:
    """An Ollama with a chat model answers with it, and its window is told."""
    ollama.tags = [
        {"name": "llama3.2:3b", "model": "llama3.2:3b", "size": 2_000_000_000, "details": {"parameter_size": "3.2B"}}
    ]
    findings = by_id(make_agent(tmp_path / "home", settings={"ollama.host": ollama.url}).doctor())
    assert findings["ollama.answers"].message.endswith("has 1 models")
    assert findings["model.chosen"].severity is Severity.OK
    assert "ollama:llama3.2:3b answers" in findings["model.chosen"].message
    assert "window 8,192 tokens" in findings["model.chosen"].message


def test_a_check_that_fails_is_a_finding(tmp_path: Path) -> None:
    """A setting that names no model fails one check, and the others still run."""
    findings = by_id(make_agent(tmp_path / "home", settings={"llm.model": "nosuch"}).doctor())
    assert findings["model.failed"].severity is Severity.ERROR
    assert "no model is called 'nosuch'" in findings["model.failed"].message
    assert "vectors.off" in findings
