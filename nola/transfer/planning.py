"""Plans an import: what every module, conversation and memory of an export would be here; nothing is written."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from nola.errors import ConflictError
from nola.state import patch, sync
from nola.transfer.compare import changes
from nola.transfer.gather import gather
from nola.transfer.memories import MemoriesPlan, compared
from nola.transfer.reading import check_twins

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.memory.rows import WholeConversation
    from nola.transfer.compare import ValueChange
    from nola.transfer.content import Conversations, Document, Export, Memories, Source
    from nola.types import Json

    ModuleFate: TypeAlias = Literal["new", "same", "changes"]
    ConversationFate: TypeAlias = Literal["new", "same", "differs"]

__all__ = ["ConversationPlan", "ImportPlan", "ModulePlan", "plan", "plan_document"]


@dataclass(frozen=True, slots=True)
class ModulePlan:
    """What becomes of one module.

    Attributes:
        name: The module.
        fate: It is new here, the same in every value, or changes.
        changes: The values that change; none when only times and versions do.
    """

    name: str
    fate: ModuleFate
    changes: tuple[ValueChange, ...] = ()


@dataclass(frozen=True, slots=True)
class ConversationPlan:
    """What becomes of one conversation: it is new here, the same, or differs from the one that has its id."""

    id: str
    title: str
    turns: int
    fate: ConversationFate


@dataclass(frozen=True, slots=True)
class ImportPlan:
    """What an import comes to.

    Attributes:
        export: What is imported.
        modules: What becomes of its modules.
        conversations: What becomes of its conversations.
        memories: What becomes of its memories.
        replaces: Conversations that differ may be replaced.
    """

    export: Export
    modules: tuple[ModulePlan, ...] = ()
    conversations: tuple[ConversationPlan, ...] = ()
    memories: MemoriesPlan = field(default_factory=MemoriesPlan)
    replaces: bool = False

    @property
    def documents(self) -> tuple[Document, ...]:
        """The documents that would be written."""
        wanted = {module.name for module in self.modules if module.fate != "same"}
        return tuple(document for document in self.export.documents if document.name in wanted)

    @property
    def talks(self) -> tuple[WholeConversation, ...]:
        """The conversations that would be placed."""
        wanted = {talk.id for talk in self.conversations if talk.fate != "same"}
        return tuple(talk for talk in self.export.conversations if talk.id in wanted)

    @property
    def differing(self) -> tuple[str, ...]:
        """Ids of the conversations that differ from those that are here."""
        return tuple(talk.id for talk in self.conversations if talk.fate == "differs")

    @property
    def is_done(self) -> bool:
        """Everything is here already."""
        return not self.documents and not self.talks and self.memories.is_done

    def check(self) -> None:
        """Refuse what this plan may not do.

        Raises:
            ConflictError: A conversation differs and may not be replaced.
        """
        if not self.differing or self.replaces:
            return
        more = f", and {len(self.differing) - 1} more do" if self.differing[1:] else ""
        raise ConflictError(
            f"the conversation {self.differing[0]} is here already and differs{more}; nothing was changed",
            fix="take it out of the file, or add --replace to put the file's in its place",
        )

    def replacing(self) -> ImportPlan:
        """Return the plan with leave to replace conversations that differ."""
        return replace(self, replaces=True)


def plan(export: Export, state: Source, conversations: Conversations, memories: Memories) -> ImportPlan:
    """Compare an export with what is here.

    Args:
        export: What is to be imported.
        state: The state; only looked at.
        conversations: The conversations; only looked at.
        memories: The learned memory; what storing would come to is tried there, and taken back.

    Raises:
        DocumentError: A module's name differs from one that is here only in case, or a memory can't be stored.
        ConflictError: A turn has the id of another conversation's turn, or another process kept writing for too long.
        NolaError: The conversations or memories that are here can't be read.
    """
    here = {document.name: document for document in gather(state)} if export.documents else {}
    check_twins([document.name for document in export.documents], [*here, sync.MACHINE])
    return ImportPlan(
        export,
        tuple(_module(document, here.get(document.name)) for document in export.documents),
        tuple(_talks(export.conversations, conversations.export_rows())) if export.conversations else (),
        compared(export.memories, memories),
    )


def plan_document(shown: ImportPlan) -> dict[str, Json]:
    """Make the JSON document of a plan, for scripts."""
    return {
        "modules": [
            {"name": module.name, "fate": module.fate, "changes": [_change_document(c) for c in module.changes]}
            for module in shown.modules
        ],
        "conversations": [
            {"id": talk.id, "title": talk.title, "turns": talk.turns, "fate": talk.fate} for talk in shown.conversations
        ],
        "memories": {**asdict(shown.memories), "new": [asdict(memory) for memory in shown.memories.new]},
    }


def _module(document: Document, here: Document | None) -> ModulePlan:
    if here and patch.same(here.value, document.value):
        return ModulePlan(document.name, "same")
    found = changes(document.name, here.value if here else None, document.value)
    return ModulePlan(document.name, "changes" if here else "new", found)


def _talks(given: Sequence[WholeConversation], here: Sequence[WholeConversation]) -> list[ConversationPlan]:
    stored = {talk.id: talk for talk in here}
    owners = {message.id: talk.id for talk in here for message in talk.messages}
    found = []
    for talk in given:
        taken = next((m.id for m in talk.messages if owners.get(m.id, talk.id) != talk.id), None)
        if taken:
            raise ConflictError(
                f"the turn {taken} of the conversation {talk.id} stands in another one here, {owners[taken]}",
                fix="take that conversation out of the file; nothing was changed",
            )
        fate: ConversationFate = "new" if talk.id not in stored else "same" if stored[talk.id] == talk else "differs"
        found.append(ConversationPlan(talk.id, talk.title, len(talk.messages), fate))
    return found


def _change_document(change: ValueChange) -> dict[str, Json]:
    told: dict[str, Json] = {"path": change.path}
    if change.old_present:
        told["old"] = change.old
    if change.new_present:
        told["new"] = change.new
    return told
