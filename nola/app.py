"""The composition root: builds everything once, and hands out the one agent of the process."""

from __future__ import annotations

import contextlib
import os
import threading
from ipaddress import ip_address
from typing import TYPE_CHECKING

from nola import config as configuration
from nola.agent import Agent, Parts
from nola.backup.backups import Backups
from nola.backup.names import Kind
from nola.backup.schedule import latest
from nola.backup.spare import spare_copy
from nola.backup.swap import finish_interrupted
from nola.clock import ShiftedClock, SystemClock
from nola.context.prompt import Persona
from nola.context.select import Selector
from nola.errors import NolaError
from nola.files import make_private_dir
from nola.keeping import KeptConversations, KeptMemory, KeptState
from nola.llm.calibration import Calibration
from nola.llm.choose import Chooser
from nola.llm.models import ModelFiles
from nola.llm.tokens import estimate
from nola.memory.database import Database
from nola.memory.store import ConversationStore
from nola.port import Finding
from nola.reason.metacognition import Metacognition
from nola.state.birth import find_born, is_gone
from nola.state.store import StateStore
from nola.turn import Services
from nola.types import Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.clock import Clock
    from nola.config import Config
    from nola.context.select import Vectoriser
    from nola.llm.base import ChatModel
    from nola.llm.embed import Embedder
    from nola.llm.vectors import CachedEmbedder
    from nola.memory.engine import Engine
    from nola.types import Json

__all__ = ["get_agent", "open_assistant"]

_lock = threading.Lock()
_agent: list[Agent] = []


def get_agent() -> Agent:
    """Return the one agent of this process, from any thread; the first call builds it and syncs once (E27, E39).

    Raises:
        ConfigError: A setting is wrong.
    """
    with _lock:
        if not _agent:
            agent = open_assistant()
            agent.get_state("Nola")
            _agent.append(agent)
        return _agent[0]


def open_assistant(
    config: Config | None = None,
    *,
    choose: Callable[[str | None], ChatModel] | None = None,
    clock: Clock | None = None,
    vectoriser: Vectoriser | None = None,
    embedder: Embedder | None = None,
    via: str = "library",
) -> Agent:
    """Build an agent; nothing heavy is loaded before it is used.

    Args:
        config: The settings; None reads the environment.
        choose: Gives the model that answers, by the name that was asked for; None chooses among what is there.
        clock: Tells the time; None for the machine's, or where `NOLA_NOW` starts it.
        vectoriser: The embedder of facts; None for the one that the settings name.
        embedder: The embedder of memories, of the same space; None for the one that the settings name.
        via: The interface that changes come through, as the history names it.

    Raises:
        ConfigError: A setting is wrong.
        StorageError: The home folder can't be made.
    """
    config = config or configuration.load(os.environ)
    settings = config.settings
    clock = clock or (ShiftedClock(config.now) if config.now else SystemClock())
    make_private_dir(config.home)
    finish_interrupted(config.home)
    files = ModelFiles(config.models_dir)
    chooser = Chooser(settings, files, ollama_host=os.environ.get("OLLAMA_HOST", ""))
    state, backups = _state_and_backups(config, clock, chooser)
    notices = _made_anew(state, backups, clock)
    database = Database(config.database, clock=clock)
    conversations = ConversationStore(database, clock=clock)
    vectors = _Vectors(config, files, clock)
    memory = KeptMemory(lambda: _engine(database, config, embedder or vectors.inner()))
    services = Services(
        state=KeptState(state),
        conversations=KeptConversations(conversations),
        memory=memory,
        selector=Selector(settings.relevance, turn_budget_s=settings.embed.turn_budget),
        metacognition=Metacognition(settings.unknown),
        vectoriser=(lambda: vectoriser) if vectoriser else vectors.get,
        choose=choose or (lambda name: chooser.choose(name).model),
        calibration=Calibration(config.cache_dir / "tokens.json", smoothing=settings.tokens.smoothing),
        persona=lambda: _persona(state),
        settings=settings,
        clock=clock,
    )
    parts = Parts(config, state, conversations, memory, chooser, files, services, vectors.close, backups, via, notices)
    return Agent(parts)


def _state_and_backups(config: Config, clock: Clock, chooser: Chooser) -> tuple[StateStore, Backups]:
    """Build what needs each other: a migration is preceded by a backup, and a backup holds the writers back."""
    settings = config.settings
    state = StateStore(
        config.state_dir,
        clock=clock,
        settings=settings.state,
        born=find_born(),
        probes=(lambda: _ollama_models(chooser),),
        ablate_metadata=settings.context.ablate_metadata,
        before_migration=lambda: _back_up(backups),
        spare=lambda file: spare_copy(backups.list(), f"state/{file}"),
    )
    backups = Backups(
        config.home,
        state_dir=config.state_dir,
        database=config.database,
        settings=settings.backup,
        clock=clock,
        held=state.held,
    )
    return state, backups


def _made_anew(state: StateStore, backups: Backups, clock: Clock) -> tuple[Finding, ...]:
    """Make a state at once that is gone though there are backups of it, and say so: no other start finds it gone."""
    made = []
    if is_gone(state.folder):
        with contextlib.suppress(OSError):
            made = backups.list()
    # What was saved before a restore is what that restore put away.
    newest = latest(clock.now(), [info for info in made if info.kind is not Kind.BEFORE_RESTORE] or made)
    if newest is None:
        return ()
    with contextlib.suppress(NolaError):  # told by the first that needs the state
        state.bootstrap()
    why = f"the state in {state.folder} was gone and was made anew"
    fix = f"bring the newest backup back: nola backup restore {newest.name}"
    return (Finding("state.made_anew", Severity.WARNING, why, fix),)


def _back_up(backups: Backups) -> None:
    backups.create(Kind.BEFORE_MIGRATION)


def _engine(database: Database, config: Config, embedder: Embedder | None) -> Engine:
    """Build the learned memory with the embedder of the facts, or else the best small one that is here."""
    from nola.llm.choose_embedder import embedder_here, embedder_of  # noqa: PLC0415 -- keeps start-up fast
    from nola.memory.engine import Engine  # noqa: PLC0415 -- brings numpy

    return Engine(
        database,
        config.settings,
        embedder=embedder or embedder_here(config),
        count_tokens=estimate,
        former=lambda model: embedder_of(model, config),
    )


class _Vectors:
    """The embedder, made when it is first asked for and its files are there."""

    def __init__(self, config: Config, files: ModelFiles, clock: Clock) -> None:
        self._config = config
        self._files = files
        self._clock = clock
        self._inner: Embedder | None = None
        self._embedder: CachedEmbedder | None = None
        self._lock = threading.Lock()

    def get(self) -> CachedEmbedder | None:
        """Return the embedder, or None when it is off or not installed."""
        with self._lock:
            if self._embedder is None and self._possible():
                self._embedder = self._made()
            return self._embedder

    def inner(self) -> Embedder | None:
        """Return the same without its cache: memories keep their vectors themselves."""
        return self._inner if self.get() else None

    def close(self) -> None:
        """Close its cache."""
        with self._lock:
            if self._embedder is not None:
                self._embedder.close()

    def _possible(self) -> bool:
        from nola.llm.choose_embedder import minilm_can_run  # noqa: PLC0415 -- keeps start-up fast

        if self._config.settings.embed.provider == "none":
            return False
        return minilm_can_run() and all(self._files.is_present(name) for name in ("minilm", "minilm-tokenizer"))

    def _made(self) -> CachedEmbedder:
        from nola.llm.embed import MiniLmEmbedder  # noqa: PLC0415 -- keeps start-up fast
        from nola.llm.vectors import CachedEmbedder  # noqa: PLC0415 -- keeps start-up fast

        embed = self._config.settings.embed
        self._inner = MiniLmEmbedder(
            self._files.path("minilm"),
            self._files.path("minilm-tokenizer"),
            threads=embed.threads,
            batch=embed.batch,
            max_tokens=embed.max_tokens,
        )
        make_private_dir(self._config.cache_dir)
        return CachedEmbedder(self._inner, self._config.cache_dir / "vectors.db", self._clock, batch=embed.batch)


def _persona(state: StateStore) -> Persona:
    """Read who answers from Nola.json; what is missing there has its plain default."""
    try:
        data = state.get("Nola")
    except NolaError:
        data = {}
    known: dict[str, Json] = data if isinstance(data, dict) else {}

    def text(key: str, default: str) -> str:
        value = known.get(key)
        return value if isinstance(value, str) and value.strip() else default

    return Persona(
        text("name", "Nola"), text("role", "personal assistant who remembers"), text("manner", "warm, brief and plain")
    )


def _ollama_models(chooser: Chooser) -> dict[str, Json]:
    """Ask this machine's Ollama for its models; another machine's are not this one's, and are not asked for."""
    if not _is_loopback(chooser.server.host.name):
        return {}
    names: list[Json] = [model.name for model in chooser.installed()]
    return {"ollama_models": names} if names else {}


def _is_loopback(name: str) -> bool:
    """Tell whether a host name or address means this machine."""
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name.lower() == "localhost"
