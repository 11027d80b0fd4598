"""What every command works with: the settings, the clock and the assistant, each made when first asked for."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from nola import config as configuration
from nola.cli import output
from nola.clock import ShiftedClock, SystemClock
from nola.errors import NolaError
from nola.port import Assistant

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    import typer

    from nola.backup.backups import Backups
    from nola.clock import Clock
    from nola.config import Config
    from nola.flow import Receipt, Seen
    from nola.learned import Memory
    from nola.llm.choose import Chooser
    from nola.llm.models import ModelFiles
    from nola.transfer import ImportPlan, ImportResult
    from nola.types import Channel, ConversationId, Json

__all__ = ["Desk", "LocalAssistant", "desk_of"]

_PATIENCE_S = 1.0
"""How long a command that remembered something waits for the vectors it owes; the next one makes the rest."""


class LocalAssistant(Assistant, Protocol):
    """An assistant of this process: what the port has, and what only its own command line asks for."""

    @property
    def models(self) -> ModelFiles:
        """The model files."""

    @property
    def chooser(self) -> Chooser:
        """What chooses the model that answers."""

    @property
    def backups(self) -> Backups:
        """The backups."""

    def get_node(self, path: str) -> Json:
        """Return what stands at a path with the wrappers of its nodes; of a module, its metadata and data."""

    def get_nodes(self) -> dict[str, Json]:
        """Return every module by name, with the wrappers of its nodes and without what it holds from others."""

    def latest_conversation(self, channel: Channel | None = None) -> ConversationId | None:
        """Return the conversation that was used last, or None."""

    def missing_files(self) -> list[str]:
        """Name the files of the manifest without which there is no model, or facts are found by words alone."""

    def fetch_default_models(self, progress: Callable[[str, int, int], None]) -> None:
        """Fetch what is missing; `progress` gets name, bytes done, bytes in all.

        Raises:
            DownloadError: A file could not be had.
        """

    def look(self) -> Seen:
        """Look at the state's files now; return what others changed in them, and every problem."""

    def retry_pending(self) -> Sequence[Receipt]:
        """Try again what the disk refused; return what is saved now."""

    def export_all(self, *, only: str | None = None) -> bytes:
        """Return everything that Nola knows as one JSON text, or its part `state`, `conversations` or `memories`."""

    def import_plan(self, data: bytes) -> ImportPlan:
        """Say what importing an export would change; nothing is written.

        Raises:
            NolaError: It is no export, of a newer version, or damaged.
        """

    def import_all(self, plan: ImportPlan) -> ImportResult:
        """Make a backup, then do what a plan says.

        Raises:
            ConflictError: Something here changed since the plan was made; nothing was written.
        """


class Desk:
    """The things at hand while one command runs.

    Args:
        environ: The process environment.
        assistant: Makes the assistant; Nola's own by default.
    """

    def __init__(
        self, environ: Mapping[str, str], *, assistant: Callable[[Config], LocalAssistant] | None = None
    ) -> None:
        self._environ = environ
        self._make_assistant = assistant or _open_assistant
        self._assistant: LocalAssistant | None = None
        self._memory: Memory | None = None
        self._owes = False
        self._config: Config | None = None
        self._clock: Clock | None = None

    @property
    def config(self) -> Config:
        """The settings, read once."""
        if self._config is None:
            self._config = configuration.load(self._environ)
        return self._config

    @property
    def clock(self) -> Clock:
        """The machine's clock, or one that starts at `NOLA_NOW`."""
        if self._clock is None:
            self._clock = ShiftedClock(self.config.now) if self.config.now else SystemClock()
        return self._clock

    @property
    def logs(self) -> Path:
        """The folder of logs."""
        return self.config.home / "logs"

    @property
    def assistant(self) -> LocalAssistant:
        """The assistant; the first call makes it."""
        if self._assistant is None:
            self._assistant = self._make_assistant(self.config)
        return self._assistant

    @property
    def memory(self) -> Memory:
        """The learned memory, which knows the owner by name; the first call opens it."""
        if self._memory is None:
            from nola.learned import Memory  # noqa: PLC0415 -- keeps start-up fast
            from nola.llm.choose_embedder import embedder_here  # noqa: PLC0415 -- keeps start-up fast

            config = self.config
            owner = self._owner()
            self._memory = Memory.open(
                config.database,
                clock=self.clock,
                embedder=embedder_here(config),
                settings=config.settings,
                owner=owner,
            )
        return self._memory

    def remembered(self) -> None:
        """Note that this command stored memories, whose vectors are made before it ends if that is quick."""
        self._owes = True

    def another(self, config: Config) -> LocalAssistant:
        """Make one more assistant, with settings of its own; who asks for it closes it."""
        return self._make_assistant(config)

    def close(self) -> None:
        """Stop what was started."""
        if self._memory is not None:
            if self._owes:
                self._memory.wait_indexed(_PATIENCE_S)
            self._memory.close()
        if self._assistant is not None:
            self._assistant.close()

    def _owner(self) -> str:
        """Return the owner's name as user.json tells it; empty when it does not."""
        with suppress(NolaError):
            name = self.assistant.get_state("user.name")
            return name if isinstance(name, str) else ""
        return ""


def desk_of(ctx: typer.Context) -> Desk:
    """Return the desk of a running command; the first call of a process makes it."""
    root = ctx.find_root()
    if not isinstance(root.obj, Desk):
        root.obj = Desk(os.environ)
    if "nola.desk" not in root.meta:
        root.meta["nola.desk"] = True
        root.call_on_close(root.obj.close)
    desk: Desk = root.obj
    return desk


def _open_assistant(config: Config) -> LocalAssistant:
    from nola.app import open_assistant  # noqa: PLC0415 -- keeps start-up fast

    agent = open_assistant(config, via="command line")
    for notice in agent.notices:
        output.say(f"note: {output.sentence(notice.message)}; {output.sentence(notice.fix)}")
    return agent
