"""What is innate belongs to a role, its namespace, or to all of them, the namespace `global` (A52, A53)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.memory.axes import EdgeKind
from tests.memory.engines import contents, memory_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from nola.learned import Memory
    from nola.testing import ManualClock

ROLES = ("default", "doctor", "cook", "global")


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Iterator[Memory]:
    """An empty memory."""
    with memory_of(tmp_path / "memory.db", clock) as opened:
        yield opened


@pytest.fixture
def born(tmp_path: Path) -> Path:
    """A folder with one category."""
    folder = tmp_path / "born"
    folder.mkdir()
    (folder / "safety.md").write_text("- Never harm anybody.\n- Ask before deleting.\n")
    return folder


def seen(memory: Memory, role: str) -> set[str]:
    """What a role sees, which is the same in every way of reading."""
    found = set(contents(memory.find(namespace=role)))
    assert set(contents(memory.find(namespace=role, order="heat"))) == found
    assert set(contents(memory.recall("", namespace=role, limit=99, count=False))) == found
    assert set(contents(memory.recall("never always secret", namespace=role, limit=99, count=False))) <= found
    assert set(contents(memory.recall("", namespace=role, limit=99, tags=[], details={}, count=False))) == found
    assert memory.stats(namespace=role).total == len(found)
    return found


@pytest.mark.row("A52")
def test_what_is_innate_in_a_role_is_invisible_to_others(memory: Memory) -> None:
    """Each sees its own, and no other's."""
    for role in ROLES[:-1]:
        memory.store(f"Always be a {role}", memory_class="innate", namespace=role)
        memory.store(f"A secret of the {role}", namespace=role)
    for role in ROLES[:-1]:
        assert seen(memory, role) == {f"Always be a {role}", f"A secret of the {role}"}
        assert contents(memory.find(namespace=role, memory_class="innate")) == [f"Always be a {role}"]
    assert seen(memory, "global") == set()


@pytest.mark.row("A53", "A30")
def test_what_is_innate_in_global_is_seen_from_everywhere(memory: Memory) -> None:
    """What is learned there is not, and a role's own stays its own."""
    memory.store("Never harm anybody", memory_class="innate", namespace="global")
    memory.store("A secret that was learned", namespace="global")
    memory.store("Always wash your hands", memory_class="innate", namespace="cook")
    assert seen(memory, "global") == {"Never harm anybody", "A secret that was learned"}
    assert seen(memory, "cook") == {"Never harm anybody", "Always wash your hands"}
    for role in ("default", "doctor"):
        assert seen(memory, role) == {"Never harm anybody"}
        assert memory.stats(namespace=role).innate == 1
        assert memory.find(namespace=role, memory_class="learned") == []


@pytest.mark.row("A53")
def test_a_conversation_is_told_apart_in_every_namespace(memory: Memory) -> None:
    """What is innate in global was said in a conversation of global, and is found by its name."""
    memory.store("Never harm anybody", memory_class="innate", namespace="global", conversation="c")
    memory.store("I cook", namespace="cook", conversation="c")
    memory.store("I heal", namespace="doctor", conversation="c")
    found = memory.recall("", namespace="cook", conversation="c", count=False)
    assert sorted(contents(found)) == ["I cook", "Never harm anybody"]


def test_use_joins_nothing_across_namespaces(memory: Memory) -> None:
    """A role's memory and a shared one are found together and stay apart."""
    ids = [
        memory.store("Never harm a dog", memory_class="innate", namespace="global"),
        memory.store("My dog is called Biscuit"),
    ]
    for _ in range(5):
        assert len(memory.recall("dog")) == 2
    assert [memory.edges(id_, EdgeKind.ASSOCIATED) for id_ in ids] == [[], []]


@pytest.mark.row("A52", "A04")
def test_each_role_is_born_with_its_own_folder(memory: Memory, born: Path) -> None:
    """The same words are stored once for each role, and a second load does nothing."""
    for role in ("cook", "doctor"):
        assert len(memory.load_innate(born, namespace=role)) == 2
        assert memory.load_innate(born, namespace=role) == []
        assert seen(memory, role) == {"Never harm anybody.", "Ask before deleting."}
    assert seen(memory, "default") == set()
    assert len(memory.load_innate(born)) == 2
    assert seen(memory, "default") == seen(memory, "cook")


@pytest.mark.row("A53")
def test_what_all_are_born_with_is_not_stored_again_for_one(memory: Memory, born: Path) -> None:
    """A role sees it already; what a file says of its own namespace stands."""
    assert len(memory.load_innate(born, namespace="global")) == 2
    assert memory.load_innate(born, namespace="cook") == []
    (born / "tools.json").write_text(
        '[{"content": "A knife cuts.", "namespace": "cook"}, {"content": "Ask.", "namespace": null}]'
    )
    memory.load_innate(born, namespace="doctor")
    assert seen(memory, "cook") == {"Never harm anybody.", "Ask before deleting.", "A knife cuts."}
    assert seen(memory, "doctor") == {"Never harm anybody.", "Ask before deleting.", "Ask."}
