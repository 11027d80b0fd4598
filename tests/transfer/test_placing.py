"""Tests of carrying an import out: a backup first, then exactly what was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from nola.errors import ConflictError, NolaError, StorageError
from nola.transfer import ImportResult, carry_out, plan, read_document
from nola.transfer.writing import written
from tests.transfer.fakes import Home, conversation, turn

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path

    from nola.memory.rows import WholeConversation
    from nola.transfer import ImportPlan


@pytest.fixture
def first(tmp_path: Path) -> Home:
    """A home with a module and a conversation."""
    made = Home(tmp_path / "first")
    made.state.put("work", '{"data": {"pay": 1.50}, "metadata": {"version": 7, "last_updated": "2026-01-02"}}')
    made.talks.import_rows([conversation("c1")])
    return made


@pytest.fixture
def second(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(tmp_path / "second")


class FullDisk:
    """Conversations that can be read and not be written."""

    def export_rows(self) -> list[WholeConversation]:
        """Hold none."""
        return []

    def import_rows(self, conversations: Iterable[WholeConversation], *, replace: Collection[str] = ()) -> None:
        """Refuse."""
        raise StorageError("memory.db", f"the disk is full: {conversations} {replace}")


def shown(home: Home, text: bytes) -> ImportPlan:
    """Plan an import."""
    return plan(read_document(text), home.state, home.talks)


def test_a_backup_comes_first_and_what_differs_is_placed(first: Home, second: Home) -> None:
    """Only what is not here is written, as the owner's own, by way of an import."""
    assert second.take_in(first.export()) == ImportResult(("work",), ("c1",), "before-import-0")
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
    offered = shown(second, first.export())
    with pytest.raises(ConflictError, match="c1 is here already and differs"):
        carry_out(offered, second.state, second.talks, backup=second.backup)
    assert (second.export(), second.backups) == (before, [])
    done = carry_out(offered.replacing(), second.state, second.talks, backup=second.backup)
    assert (done.conversations, second.export()) == (("c1",), first.export())


def test_what_changed_since_it_was_shown_is_not_written(first: Home, second: Home) -> None:
    """Nobody agreed to that."""
    offered = shown(second, first.export())
    second.state.put("work", '{"data": {"pay": 9}}')
    with pytest.raises(ConflictError, match="something here changed while the plan was looked at"):
        carry_out(offered, second.state, second.talks, backup=second.backup)
    assert second.state.taken == []
    assert second.talks.export_rows() == []


def test_without_a_backup_nothing_is_written(first: Home, second: Home) -> None:
    """A disk that has no room for the backup has none for the import."""

    def full() -> str:
        raise StorageError("backups", "the disk is full")

    with pytest.raises(StorageError):
        carry_out(shown(second, first.export()), second.state, second.talks, backup=full)
    assert second.state.taken == []


def test_half_an_import_is_told_with_the_way_back(first: Home, second: Home) -> None:
    """When the modules went in and the conversations did not, both are said."""
    offered = plan(read_document(first.export()), second.state, FullDisk())
    with pytest.raises(NolaError, match="the modules were taken in, the conversations were not: could not") as told:
        carry_out(offered, second.state, FullDisk(), backup=second.backup)
    assert told.value.fix.endswith("or take it back: nola backup restore before-import-0")
    alone = plan(read_document(written(None, [conversation("c1")])), second.state, FullDisk())
    with pytest.raises(StorageError):
        carry_out(alone, second.state, FullDisk(), backup=lambda: "b")
