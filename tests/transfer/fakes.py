"""A stand-in for the state, an empty home around it, and makers of what travels."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from nola import files
from nola.errors import ConflictError, DocumentError
from nola.memory.database import Database
from nola.memory.memories import Memories
from nola.memory.rows import MessageRow, WholeConversation
from nola.memory.store import ConversationStore
from nola.state import contract, document, sync
from nola.state.birth import bear
from nola.testing import ManualClock
from nola.transfer import carry_out, export_document, plan, read_document
from tests.state.conftest import BORN

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from nola.transfer import ImportPlan, ImportResult
    from nola.types import Json

__all__ = ["AT", "FolderState", "Home", "conversation", "turn"]

AT = "2026-11-20T09:00:00.000000+00:00"
_CORE = ("Nola", "identity", "machineID", "user")


class FolderState:
    """The state of one folder, in the simplest way that keeps what `Sink` promises.

    Args:
        folder: The state folder; what is born is put there.
        keeps_texts: Writes documents with the digits that came with them, as it should.

    Attributes:
        taken: Who brought what, and by which way.
        busy: Somebody else keeps writing.
        says: What it answers, whatever the files hold; None while they count.
    """

    def __init__(self, folder: Path, *, keeps_texts: bool = True) -> None:
        self._folder = folder
        self._keeps_texts = keeps_texts
        self._holds = 0
        self.taken: list[tuple[tuple[str, ...], str, str]] = []
        self.busy = False
        self.says: Mapping[str, dict[str, Json]] | None = None
        bear(BORN, folder)

    @property
    def folder(self) -> Path:
        """The state folder."""
        return self._folder

    @contextmanager
    def held(self) -> Iterator[None]:
        """Count that somebody holds it."""
        if self.busy:
            raise ConflictError("another process has held .lock for 5 s")
        self._holds += 1
        try:
            yield
        finally:
            self._holds -= 1

    def documents(self) -> Mapping[str, dict[str, Json]]:
        """Return the documents without copies; of one that does not parse, the last good version."""
        assert self._holds
        if self.says is not None:
            return self.says
        modules = sorted(path.stem for path in (self._folder / "modules").glob("*.json"))
        return {name: self._own(name, self._read(name)) for name in (*_CORE, *modules)}

    def take_in(
        self, documents: Mapping[str, dict[str, Json]], *, who: str, via: str, texts: Mapping[str, bytes]
    ) -> Sequence[object]:
        """Write each document."""
        self.taken.append((tuple(documents), who, via))
        for name, raw in documents.items():
            text = texts[name] if self._keeps_texts else document.dump(raw)
            assert document.parse_object(text, name) == raw
            files.write_atomic(self.path(name), text)
        return []

    def path(self, name: str) -> Path:
        """Return a document's file."""
        return self._folder / (f"{name}.json" if name in _CORE else f"modules/{name}.json")

    def put(self, name: str, text: str | bytes) -> None:
        """Save a file the way its owner does."""
        self.path(name).write_bytes(text.encode() if isinstance(text, str) else text)

    def break_(self, name: str) -> None:
        """Keep the present version as the last good one, and leave half of the file."""
        good = self._folder / ".last-good" / self.path(name).relative_to(self._folder)
        good.parent.mkdir(parents=True, exist_ok=True)
        good.write_bytes(self.path(name).read_bytes())
        self.path(name).write_bytes(self.path(name).read_bytes()[:-9])

    def _read(self, name: str) -> dict[str, Json]:
        path = self.path(name)
        try:
            return document.parse_object(path.read_bytes(), name)
        except DocumentError:
            good = self._folder / ".last-good" / path.relative_to(self._folder)
            return document.parse_object(good.read_bytes(), name)

    def _own(self, name: str, raw: dict[str, Json]) -> dict[str, Json]:
        if name not in {"Nola", "identity"}:
            return raw
        metadata, data = contract.split_root(raw)
        return contract.join_root(raw, metadata, sync.own_data(name, data))


class Home:
    """A home with a state, conversations and memories.

    Args:
        folder: Where it is made.
        keeps_texts: As for `FolderState`.

    Attributes:
        state: The state.
        database: The file of what follows.
        talks: The conversations.
        memories: The learned memory.
        backups: Those that were made.
    """

    def __init__(self, folder: Path, *, keeps_texts: bool = True) -> None:
        self.state = FolderState(folder / "state", keeps_texts=keeps_texts)
        self.database = Database(folder / "memory.db", clock=ManualClock())
        self.talks = ConversationStore(self.database, clock=self.database.clock)
        self.memories = Memories(self.database)
        self.backups: list[str] = []

    def backup(self) -> str:
        """Pretend to make a backup, before anything was written."""
        assert not self.state.taken
        self.backups.append(f"before-import-{len(self.backups)}")
        return self.backups[-1]

    def export(self, only: str | None = None) -> bytes:
        """Give out everything, or one part of it."""
        return export_document(self.state, self.talks, self.memories, only=only)

    def plan(self, text: bytes) -> ImportPlan:
        """Plan the import of an export."""
        return plan(read_document(text), self.state, self.talks, self.memories)

    def take_in(self, text: bytes) -> ImportResult:
        """Import an export."""
        return self.carry_out(self.plan(text))

    def carry_out(self, shown: ImportPlan) -> ImportResult:
        """Do what a plan says."""
        return carry_out(shown, self.state, self.talks, self.memories, backup=self.backup)


def turn(id_: str, of: str = "c1", **columns: str) -> MessageRow:
    """Make a stored turn."""
    given = {"user": "my dog?", "reply": "Biscuit.", "report": '{"level":2,"tokens":6}', **columns}
    return MessageRow(
        id=id_,
        conversation=of,
        at=AT,
        user=given["user"],
        reply=given["reply"],
        quoted=given.get("quoted", ""),
        level=2,
        level_why="a look-up",
        model_provider="embedded",
        model_name="default",
        complete=1,
        report=given["report"],
        timings=given.get("timings", "{}"),
        receipts=given.get("receipts", "[]"),
        usage=given.get("usage", "{}"),
    )


def conversation(id_: str = "c1", *messages: MessageRow, title: str = "my dog?") -> WholeConversation:
    """Make a conversation."""
    return WholeConversation(id_, title, "terminal", AT, AT, messages or (turn(f"{id_}-m1", id_),))
