"""Tests of export and import between two whole homes, with Nola's own state, conversations and backups (E59)."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.testing import ManualClock, ScriptedModel, make_agent
from tests.transfer.test_writing import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nola.agent import Agent

_NAMES = st.from_regex(r"[a-z][a-z0-9_-]{0,20}", fullmatch=True).filter(
    lambda name: name not in {"data", "metadata", "modules", "nola", "identity", "user", "machineid"}
)


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[tuple[Agent, Agent]]:
    """Two homes: one that has been lived in, and one in which only what is born stands."""
    lived, empty = (make_agent(tmp_path / name, model=ScriptedModel(["Hello."] * 9)) for name in ("lived", "empty"))
    lived.set_state("user.pets.dog.name", "Biscuit")
    lived.set_state("work.pay", 812.5)
    lived.generate("Good morning")
    lived.remember("I sold the boat", kind="episodic", speaker="Mara")
    lived.recall("boat")
    lived.memory.wait_indexed(10)
    yield lived, empty
    lived.close()
    empty.close()


@pytest.mark.row("E59")
def test_a_home_moves_and_the_move_can_be_taken_back(homes: tuple[Agent, Agent]) -> None:
    """The same bytes come out of the new home, what came in can be read there, and the backup undoes all of it."""
    lived, empty = homes
    before, export = empty.export_all(), lived.export_all()
    plan = empty.import_plan(export)
    assert [(module.name, module.fate) for module in plan.modules if module.fate != "same"] == [
        ("user", "changes"),
        ("work", "new"),
    ]
    done = empty.import_all(plan)
    assert empty.export_all() == export
    assert empty.get_state("user.pets.dog.name") == "Biscuit"
    assert [found.content for found in empty.recall("boat")] == ["I sold the boat"]
    assert [row.turns for row in empty.conversations("morning")] == [1]
    assert {change.via for change in empty.changes()} == {"import"}
    assert empty.import_plan(export).is_done
    empty.backups.restore(done.backup)
    assert empty.export_all() == before


@pytest.mark.row("E59")
@settings(max_examples=15, deadline=None)
@given(st.dictionaries(_NAMES, files(), max_size=3), files())
def test_whatever_its_owner_wrote_moves_to_the_byte(modules: dict[str, str], user: str) -> None:
    """Odd keys, numbers in any spelling and any text come out of the new home as they came out of the old one."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = (make_agent(Path(folder, name), clock=ManualClock()) for name in ("first", "second"))
        first.get_state()
        for name, text in {**modules, "user": user}.items():
            place = f"{name}.json" if name == "user" else f"modules/{name}.json"
            (first.config.state_dir / place).write_text(text)
        export = first.export_all()
        second.import_all(second.import_plan(export))
        assert second.export_all() == export
        assert set(json.loads(export)["state"]) == {"Nola", "identity", "user", *modules}
        first.close()
        second.close()
