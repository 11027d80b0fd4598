"""The Agent: owns the state, the conversations and the model, and implements the Assistant port."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nola.backup.names import Kind
from nola.errors import NolaError
from nola.flow import Receipt, Stimulus, TurnResult
from nola.health import check_health
from nola.state import contract
from nola.turn import check_input, level_of, look, owners_name, take_turn
from nola.types import Channel, StimuliType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from nola.backup.backups import Backups
    from nola.config import Config
    from nola.flow import Change, Conflict, ContextReport, Event, Problem, Remembered, Seen
    from nola.keeping import KeptMemory
    from nola.llm.choose import Chooser
    from nola.llm.models import ModelFiles, Progress
    from nola.memory.engine import Engine
    from nola.memory.store import ConversationStore
    from nola.port import ConversationRow, Finding, StoredMessage
    from nola.state.store import StateStore
    from nola.transfer import ImportPlan, ImportResult
    from nola.turn import Services
    from nola.types import ChangeId, ConversationId, Json

__all__ = ["Agent", "Parts"]

_OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Parts:
    """What an Agent owns, built by the composition root.

    Attributes:
        config: Where everything lies, and every setting.
        state: The JSON modules.
        conversations: The stored turns.
        memory: The learned memory.
        chooser: Chooses the model that answers.
        files: The model files.
        services: What a turn uses.
        close_vectors: Closes the cache of vectors.
        backups: Archives of everything.
        via: The interface that changes come through, as the history names it.
        notices: What its owner should be told of this start.
    """

    config: Config
    state: StateStore
    conversations: ConversationStore
    memory: KeptMemory
    chooser: Chooser
    files: ModelFiles
    services: Services
    close_vectors: Callable[[], None]
    backups: Backups
    via: str = "library"
    notices: tuple[Finding, ...] = ()


class Agent:
    """Nola in this process; every method may be called from any thread, and no lock is held while the model speaks.

    Args:
        parts: What she owns.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._state = parts.state
        self._conversations = parts.conversations

    @property
    def config(self) -> Config:
        """Where everything lies, and every setting."""
        return self._parts.config

    @property
    def models(self) -> ModelFiles:
        """The model files."""
        return self._parts.files

    @property
    def chooser(self) -> Chooser:
        """What chooses the model that answers."""
        return self._parts.chooser

    @property
    def memory(self) -> Engine:
        """The learned memory, whole."""
        return self._parts.memory.engine

    @property
    def backups(self) -> Backups:
        """Archives of everything that she knows; a state folder of an earlier version is brought up to date first."""
        self._state.bootstrap()
        return self._parts.backups

    @property
    def notices(self) -> Sequence[Finding]:
        """What the owner should be told of this start, once; nothing after an ordinary one."""
        return self._parts.notices

    def turn(self, stimulus: Stimulus) -> Iterator[Event]:
        """Answer a message; the last event is the TurnResult. Closing the iterator stops the model.

        Raises:
            InputError: The message can't be used.
        """
        self._state.bootstrap()
        return take_turn(stimulus, self._parts.services)

    def generate(self, prompt: str, stimuli_type: str | None = None) -> TurnResult:
        """Answer a message and return the whole of it (E40).

        Args:
            prompt: The message.
            stimuli_type: analytical, conversational or realtime; None lets Nola choose the level.

        Raises:
            NolaError: The message can't be used, or the type is unknown.
        """
        from nola.context.level import parse_stimuli_type  # noqa: PLC0415 -- keeps start-up fast

        kind: StimuliType | None = parse_stimuli_type(stimuli_type) if stimuli_type else None
        stimulus = Stimulus(prompt, self._parts.services.clock.now(), Channel.LIBRARY, stimuli_type=kind)
        result: TurnResult | None = None
        for event in self.turn(stimulus):
            if isinstance(event, TurnResult):
                result = event
        if result is None:
            raise NolaError("the turn ended without a result")
        return result

    def context(self, stimulus: Stimulus) -> ContextReport:
        """Choose the context for a message; call no model and write nothing.

        An empty one asks for what is in mind anyway: of the memories, those that are hot or pinned (A15).

        Raises:
            InputError: The message can't be used.
        """
        self._state.bootstrap()
        services = self._parts.services
        check_input(stimulus.text, services.settings, may_be_empty=True)
        earlier = []
        if stimulus.conversation is not None:
            earlier = services.conversations.exchanges(stimulus.conversation, services.settings.chat.deep_turns)
        return look(stimulus, level_of(stimulus, earlier, services.settings), services).report

    def recall(self, query: str, *, limit: int = 10, budget: int | None = None) -> Sequence[Remembered]:
        """Return the memories that answer a question best, best first; their use is counted once."""
        owner = owners_name(self._parts.services)
        return self._parts.memory.recall(query, limit=limit, budget=budget, owner=owner)

    def remember(self, content: str, **fields: object) -> str:
        """Store one memory and return its id; it is found by its words when this returns."""
        return self.memory.store(content, fields)

    def get_state(self, path: str = "", *, reload: bool = True) -> Json:
        """Return a copy of what stands at a dotted path; all modules when it is empty.

        Raises:
            PathError: Nothing stands there.
        """
        self._state.bootstrap()
        return self._state.get(path, reload=reload)

    def get_node(self, path: str) -> Json:
        """Return what stands at a path with the wrappers of its nodes; of a module, its metadata and data."""
        self._state.bootstrap()
        return self._state.get_node(path)

    def get_nodes(self) -> dict[str, Json]:
        """Return every module by name, with the wrappers of its nodes and without what it holds from others."""
        self._state.bootstrap()
        return self._state.nodes()

    def set_state(self, path: str, value: Json, *, who: str = _OWNER) -> Receipt:
        """Write a value at a dotted path; when this returns, it is on disk.

        Raises:
            PathError: The path leads nowhere, or into a scalar.
            ConflictError: The owner changed the same place in the file meanwhile; what was to be written is kept.
            StorageError: The disk refused; nothing changed, and the change waits (`retry_pending`).
        """
        self._state.bootstrap()
        return _receipt(self._state.set(path, value, who=who, via=self._parts.via), "set")

    def update_state(self, path: str, function: Callable[[Json], Json], *, who: str = _OWNER) -> Receipt:
        """Write what a function makes of the value at a path; no other write comes in between (E28).

        The function gets a copy, None when nothing stands there. It may be called again when a file is saved by hand in
        the same instant. Raises as `set_state` does, and what the function raises.
        """
        self._state.bootstrap()
        return _receipt(self._state.update(path, function, who=who, via=self._parts.via), "set")

    def unset_state(self, path: str, *, who: str = _OWNER) -> Receipt:
        """Remove what stands at a dotted path.

        Raises:
            PathError: Nothing stands there.
        """
        self._state.bootstrap()
        return _receipt(self._state.unset(path, who=who, via=self._parts.via), "unset")

    def undo(self, change: ChangeId, *, who: str = _OWNER) -> Receipt:
        """Take one change back.

        Raises:
            ConflictError: The value changed again since.
            NolaError: No change has that id.
        """
        self._state.bootstrap()
        return _receipt(self._state.undo(change, who=who, via=self._parts.via), "undo")

    def changes(self, path: str = "", *, limit: int = 50) -> Sequence[Change]:
        """List changes below a path, newest first."""
        self._state.bootstrap()
        return [
            replace(c, old=contract.plain(c.old), new=contract.plain(c.new)) for c in self._state.changes(path, limit)
        ]

    def problems(self) -> Sequence[Problem]:
        """List what is wrong with the state's files."""
        self._state.bootstrap()
        return self._state.problems()

    def state_at(self, at: datetime, path: str = "") -> Json:
        """Return what stood at a dotted path at an instant; all modules when it is empty.

        Raises:
            NolaError: The history does not reach back so far.
            PathError: Nothing stood there.
        """
        self._state.bootstrap()
        return self._state.at(at, path)

    def conflicts(self) -> Sequence[Conflict]:
        """List Nola's values that lost against the owner's own edits."""
        self._state.bootstrap()
        return self._state.conflicts()

    def settle_conflict(self, conflict: str, *, use: bool, who: str = _OWNER) -> Receipt | None:
        """End a conflict: put Nola's value in place of the owner's, or drop it.

        Raises:
            UsageError: No conflict has this id.
        """
        self._state.bootstrap()
        change = self._state.settle_conflict(conflict, use=use, who=who, via=self._parts.via)
        return None if change is None else _receipt(change, "set")

    def accept_state(self, name: str) -> None:
        """Take an emptied file, or the removal of all modules (`modules`), for what the owner wants.

        Raises:
            PathError: No document has this name.
        """
        self._state.bootstrap()
        self._state.accept(name)

    def look(self) -> Seen:
        """Look at the state's files now; return what others changed in them, and every problem."""
        self._state.bootstrap()
        return self._state.look()

    def retry_pending(self) -> Sequence[Receipt]:
        """Try again what the disk refused; return what is saved now."""
        return [_receipt(change, "set") for change in self._state.retry_pending()]

    def sync_state(self) -> Sequence[str]:
        """Pull every module upward now; return the names of the modules that were pulled."""
        self._state.bootstrap()
        return self._state.sync()

    def export_all(self, *, only: str | None = None) -> bytes:
        """Return everything that she knows as one JSON text.

        Args:
            only: `state`, `conversations` or `memories`; None for all of them.

        Raises:
            NolaError: The conversations or memories can't be read.
        """
        from nola.transfer import export_document  # noqa: PLC0415 -- keeps start-up fast

        self._state.bootstrap()
        return export_document(self._state, self._conversations, self._parts.memory, only=only)

    def import_plan(self, data: bytes) -> ImportPlan:
        """Say what taking an export in would change; nothing is written.

        Raises:
            NolaError: It is no export, of a newer version, or damaged.
        """
        from nola.transfer import plan, read_document  # noqa: PLC0415 -- keeps start-up fast

        self._state.bootstrap()
        limits = self.config.settings.state
        found = read_document(data, max_depth=limits.max_depth, max_bytes=limits.max_bytes)
        return plan(found, self._state, self._conversations, self._parts.memory)

    def import_all(self, plan: ImportPlan) -> ImportResult:
        """Make a backup, then do what a plan says.

        Raises:
            ConflictError: Something here changed since the plan was made; nothing was written.
        """
        from nola.transfer import carry_out  # noqa: PLC0415 -- keeps start-up fast

        own = self._parts
        return carry_out(
            plan, own.state, own.conversations, own.memory, backup=lambda: self.backups.create(Kind.BEFORE_IMPORT).name
        )

    def conversations(self, search: str = "", *, limit: int = 20) -> Sequence[ConversationRow]:
        """List conversations, newest first; with `search` only those that hold its words."""
        return self._conversations.conversations(search, limit)

    def conversation(self, conversation: ConversationId) -> Sequence[StoredMessage]:
        """Return a conversation's turns, oldest first; a unique beginning of the id is enough.

        Raises:
            UsageError: No conversation, or several, begin so.
        """
        return self._conversations.messages(self._conversations.resolve(conversation))

    def latest_conversation(self, channel: Channel | None = None) -> ConversationId | None:
        """Return the conversation that was used last, or None."""
        return self._conversations.latest(None if channel is None else str(channel))

    def missing_files(self) -> list[str]:
        """Name the files of the manifest without which Nola has no model, or finds facts by words alone."""
        from nola.llm.choose_embedder import minilm_can_run  # noqa: PLC0415 -- keeps start-up fast
        from nola.llm.embedded import can_run  # noqa: PLC0415 -- keeps start-up fast

        settings = self.config.settings
        missing = []
        no_model = self.chooser.choose().model.ref.provider == "none"
        if no_model and not settings.llm.model and can_run() and not self.models.is_present("default"):
            missing.append("default")
        if settings.embed.provider == "minilm" and minilm_can_run():
            missing += [name for name in ("minilm", "minilm-tokenizer") if not self.models.is_present(name)]
        return missing

    def fetch_default_models(self, progress: Callable[[str, int, int], None]) -> None:
        """Fetch what `missing_files` names.

        Args:
            progress: Gets name, bytes done and bytes in all.

        Raises:
            DownloadError: A file could not be had.
        """

        def told(step: Progress) -> None:
            progress(step.name, step.done, step.total)

        for name in self.missing_files():
            self.models.fetch(name, progress=told)
        self.chooser.forget()

    def doctor(self) -> Sequence[Finding]:
        """Check the whole installation and change nothing but what is born at first use."""
        self._state.bootstrap()
        services = self._parts.services
        found = check_health(
            self.config,
            self._state,
            self._conversations,
            self.chooser,
            vectors=services.vectoriser() is not None,
            backups=self._parts.backups,
            now=services.clock.now(),
        )
        return [*self._parts.notices, *found]

    def close(self) -> None:
        """Stop the model, close the files."""
        self.chooser.close()
        self._parts.memory.close()
        self._conversations.close()
        self._parts.close_vectors()
        self._state.close()


def _receipt(change: Change, what: str) -> Receipt:
    return Receipt(change.path, contract.plain(change.old), contract.plain(change.new), change.id, what)
