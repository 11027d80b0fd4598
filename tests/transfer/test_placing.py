"""Tests of carrying an import out: a backup first, then exactly what was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import ConflictError, NolaError, StorageError
from nola.memory.axes import EdgeKind
from nola.memory.filters import Filter
from nola.memory.journal import Taken
from nola.memory.record import new_memory
from nola.transfer import ImportResult, carry_out, plan, read_document
from nola.transfer.writing import written
from tests.memory.making import contents, put
from tests.transfer.fakes import Home, conversation, turn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from nola.memory.rows import WholeConversation


@pytest.fixture
def first(tmp_path: Path) -> Home:
    """A home with a module, a conversation and a memory."""
    made = Home(tmp_path / "first")
    made.state.put("work", '{"data": {"pay": 1.50}, "metadata": {"version": 7, "last_updated": "2026-01-02"}}')
    made.talks.import_rows([conversation("c1")])
    made.memories.insert_many([new_memory("Biscuit likes rain", {})], ["m1"])
    return made


@pytest.fixture
def second(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(tmp_path / "second")


class FullDisk:
    """Conversations and memories that can be read and not be written."""

    def export_rows(self) -> list[WholeConversation]:
        """Hold none."""
        return []

    def import_rows(self, conversations: Iterable[WholeConversation], *, replace: Collection[str] = ()) -> None:
        """Refuse."""
        raise StorageError("memory.db", f"the disk is full: {conversations} {replace}")

    def export_lines(self) -> list[str]:
        """Hold none."""
        return ['{"format": "nola-memory", "version": 1}']

    def import_lines(self, text: Iterable[str], *, skip_known: bool = False, dry_run: bool = False) -> Taken:
        """Try, and refuse to store."""
        if dry_run:
            return Taken(1, 0, 0)
        raise StorageError("memory.db", f"the disk is full: {text} {skip_known}")


def test_a_backup_comes_first_and_what_differs_is_placed(first: Home, second: Home) -> None:
    """Only what is not here is written, as the owner's own, by way of an import."""
    assert second.take_in(first.export()) == ImportResult(("work",), ("c1",), ("m1",), "before-import-0")
    assert second.backups == ["before-import-0"]
    assert second.state.taken == [(("work",), "owner", "import")]
    assert orjson.loads(second.state.path("work").read_bytes())["metadata"] == {
        "version": 7,
        "last_updated": "2026-01-02",
    }
    assert second.export() == first.export()


def test_nothing_to_do_does_nothing(first: Home) -> None:
    """No backup is made for it."""
    assert first.take_in(first.export()) == ImportResult()
    assert (first.backups, first.state.taken) == ([], [])


def test_what_is_not_in_the_file_stays(first: Home, second: Home) -> None:
    """Other modules and conversations are not touched."""
    second.state.put("garden", '{"data": {"beds": 3}}')
    second.talks.import_rows([conversation("c9")])
    second.take_in(first.export())
    assert second.state.path("garden").read_text() == '{"data": {"beds": 3}}'
    assert [talk.id for talk in second.talks.export_rows()] == ["c1", "c9"]


def test_a_parents_time_and_version_go_on(first: Home, second: Home) -> None:
    """They count the pulls of this home; the export brings none, and what is the parent's own is replaced."""
    first.state.put("identity", '{"metadata": {"context_level": 1, "version": 3}, "data": {"motto": 1.50}}')
    second.state.put("identity", '{"metadata": {"last_updated": "2026-05-05", "version": 9}, "data": {"x": "y"}}')
    second.take_in(first.export())
    assert second.state.path("identity").read_text() == (
        '{\n  "metadata": {\n    "context_level": 1,\n    "last_updated": "2026-05-05",\n    "version": 9\n  },\n'
        '  "data": {\n    "motto": 1.50\n  }\n}\n'
    )
    assert second.export() == first.export()


@pytest.mark.parametrize("metadata", ['"none"', None])
def test_a_parent_may_have_odd_metadata(first: Home, second: Home, metadata: str | None) -> None:
    """It is placed as it is."""
    first.state.put("identity", f'{{"metadata": {metadata}, "data": {{}}}}' if metadata else '{"data": {"a": 1}}')
    second.take_in(first.export())
    assert second.export() == first.export()


def test_conversations_that_differ_are_replaced_only_when_told(first: Home, second: Home) -> None:
    """Without leave nothing is written, not even a backup."""
    second.talks.import_rows([conversation("c1", turn("other"))])
    before = second.export()
    offered = second.plan(first.export())
    with pytest.raises(ConflictError, match="c1 is here already and differs"):
        second.carry_out(offered)
    assert (second.export(), second.backups) == (before, [])
    done = second.carry_out(offered.replacing())
    assert (done.conversations, second.export()) == (("c1",), first.export())


def test_what_changed_since_it_was_shown_is_not_written(first: Home, second: Home) -> None:
    """Nobody agreed to that."""
    offered = second.plan(first.export())
    second.state.put("work", '{"data": {"pay": 9}}')
    with pytest.raises(ConflictError, match="something here changed while the plan was looked at"):
        second.carry_out(offered)
    assert second.state.taken == []
    assert second.talks.export_rows() == []


def test_memories_that_changed_since_they_were_shown_are_not_written(first: Home, second: Home) -> None:
    """A memory that was to be new is here by now; what else is stored meanwhile is no matter."""
    offered = second.plan(first.export())
    put(second.memories, "I like tea")
    assert second.plan(first.export()) == offered
    second.memories.import_lines(first.memories.export_lines())
    with pytest.raises(ConflictError, match="something here changed while the plan was looked at"):
        second.carry_out(offered)
    assert (second.state.taken, second.talks.export_rows()) == ([], [])


def test_memories_that_are_here_are_passed_over(first: Home, second: Home) -> None:
    """Nothing that is remembered here is changed or lost by what a file says of it."""
    second.memories.insert_many([new_memory("Biscuit hates rain", {})], ["m1"])
    first.memories.insert_many([new_memory("I like tea", {})], ["m2"])
    assert second.take_in(first.export()).memories == ("m2",)
    assert contents(second.memories.find(Filter(), oldest_first=True)) == ["Biscuit hates rain", "I like tea"]
    assert second.plan(first.export()).is_done


def test_what_goes_with_memories_is_stored_without_new_ones(first: Home, second: Home) -> None:
    """A link between two that are here, and what was purged, are news as well."""
    for home in (first, second):
        home.memories.insert_many([new_memory("I like tea", {})], ["m2"])
    second.take_in(first.export())
    first.memories.link("m1", EdgeKind.CITES, "m2")
    first.memories.purge([put(first.memories, "a secret")])
    second.state.taken.clear()
    done = second.take_in(first.export("memories"))
    assert done == ImportResult(backup="before-import-1")
    assert second.memories.export_lines() == first.memories.export_lines()
    assert second.memories.is_purged("default", "A secret")


def test_without_a_backup_nothing_is_written(first: Home, second: Home) -> None:
    """A disk that has no room for the backup has none for the import."""

    def full() -> str:
        raise StorageError("backups", "the disk is full")

    with pytest.raises(StorageError):
        carry_out(second.plan(first.export()), second.state, second.talks, second.memories, backup=full)
    assert second.state.taken == []
    assert second.memories.find(Filter()) == []


def test_half_an_import_is_told_with_the_way_back(first: Home, second: Home) -> None:
    """When the modules went in and the conversations did not, both are said."""
    offered = plan(read_document(first.export()), second.state, FullDisk(), FullDisk())
    with pytest.raises(NolaError, match="the modules were taken in, the conversations were not: could not") as told:
        carry_out(offered, second.state, FullDisk(), FullDisk(), backup=second.backup)
    assert told.value.fix.endswith("or take it back: nola backup restore before-import-0")
    talk = written(None, [conversation("c1")], first.memories.export_lines())
    alone = plan(read_document(talk), second.state, FullDisk(), FullDisk())
    with pytest.raises(StorageError):
        carry_out(alone, second.state, FullDisk(), FullDisk(), backup=lambda: "b")


def test_memories_come_last_and_their_failure_is_told(first: Home, second: Home) -> None:
    """Modules and conversations went in before; both are named."""
    offered = plan(read_document(first.export()), second.state, second.talks, FullDisk())
    with pytest.raises(NolaError, match="the modules and the conversations were taken in, the memories were not: cou"):
        carry_out(offered, second.state, second.talks, FullDisk(), backup=second.backup)
    assert [talk.id for talk in second.talks.export_rows()] == ["c1"]
