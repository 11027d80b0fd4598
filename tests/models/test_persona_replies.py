"""The main promise on real input: whole personas, asked in other words, answered by the real embedded model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola import config as configuration
from nola.app import open_assistant
from nola.evaluation.personas import PersonaReport, evaluate, install, load

if TYPE_CHECKING:
    from nola.agent import Agent

FIXTURES = Path(__file__).parent.parent / "fixtures" / "personas"
# These three were written last and never used to train or tune anything.
UNSEEN = ("yusuf", "clara", "patrick")

pytestmark = pytest.mark.models


@pytest.fixture
def home(tmp_path: Path, model_files: Path) -> Path:
    """Make a home folder that shares the real model files."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "models").symlink_to(model_files)
    return tmp_path / "home"


def agent_for(home: Path, name: str) -> Agent:
    """Open an agent over a persona, at the time its questions are asked."""
    persona = load(FIXTURES / name)
    install(persona, home / "state")
    return open_assistant(configuration.load({"NOLA_HOME": str(home), "NOLA_NOW": persona.now.isoformat()}))


def figures(report: PersonaReport) -> str:
    """Say a report in one line, the model's words and the quoted facts counted apart."""
    known, changed = report.of("known"), report.of("changed")
    return (
        f"{report.name}: injected {sum(a.injected for a in known)}/{len(known)}, "
        f"answered {sum(a.right for a in known)} "
        f"(model {sum(a.by_model for a in known)}, quoted {sum(a.by_quote for a in known)}), "
        f"refused {sum(a.refused for a in known)}; unknown named {sum(a.unknown for a in report.of('unknown'))}"
        f"/{len(report.of('unknown'))}; newer told {sum(a.right for a in changed)}/{len(changed)}; "
        f"general refused {sum(a.unknown for a in report.of('general'))}"
    )


def test_mara_is_answered_from_what_nola_knows(home: Path) -> None:
    """On the project's own persona, facts are found, told, admitted as unknown and told at their newest."""
    agent = agent_for(home, "mara")
    report = evaluate(load(FIXTURES / "mara"), agent)
    agent.close()
    print(figures(report))  # noqa: T201 -- the figures are the point
    assert sum(a.injected for a in report.of("known")) >= 36
    assert sum(a.right for a in report.of("known")) >= 34
    assert sum(a.refused for a in report.of("known")) <= 2
    assert sum(a.unknown for a in report.of("unknown")) >= 18
    assert sum(a.right for a in report.of("changed")) >= 9


@pytest.mark.parametrize("name", UNSEEN)
def test_the_facts_of_an_unseen_persona_are_injected(home: Path, name: str) -> None:
    """On unseen personas nine of ten needed facts are injected, and hardly a general question is refused."""
    agent = agent_for(home, name)
    report = evaluate(load(FIXTURES / name), agent, speak=False)
    agent.close()
    print(figures(report))  # noqa: T201
    assert sum(a.injected for a in report.of("known")) >= 36
    assert sum(a.unknown for a in report.of("general")) <= 1


def test_an_unseen_persona_is_answered(home: Path) -> None:
    """On a persona that nothing was tuned on, most questions are answered and most gaps admitted."""
    agent = agent_for(home, UNSEEN[0])
    report = evaluate(load(FIXTURES / UNSEEN[0]), agent)
    agent.close()
    print(figures(report))  # noqa: T201
    assert sum(a.right for a in report.of("known")) >= 34
    assert sum(a.unknown for a in report.of("unknown")) >= 15
    assert sum(a.right for a in report.of("changed")) >= 8
