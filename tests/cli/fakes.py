"""A stand-in for the assistant, and makers of the values that it gives."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from nola.backup.backups import Backups
from nola.errors import DownloadError, NolaError, PathError, UsageError
from nola.flow import (
    Change,
    Conflict,
    ContextReport,
    Factors,
    LeftOut,
    LevelChoice,
    ModelRef,
    Notice,
    Problem,
    Receipt,
    Remembered,
    Seen,
    Selected,
    Token,
    TurnResult,
    Usage,
)
from nola.llm.choose import Chooser
from nola.llm.manifest import Entry, Manifest, WebMirror
from nola.llm.models import ModelFiles, Progress
from nola.testing import ManualClock
from nola.types import ChangeId, Channel, ConversationId, Json, Level, MessageId, Tokens, Weight
from tests.transfer.fakes import Home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from nola.config import Config
    from nola.flow import Event, Stimulus
    from nola.llm.base import ModelInfo
    from nola.port import ConversationRow, Finding, StoredMessage
    from nola.transfer import ImportPlan, ImportResult

__all__ = ["AT", "FACTORS", "FakeAssistant", "entry", "receipt", "report", "result"]

AT = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
FACTORS = Factors(hierarchy=0.7, level=1.0, recency=0.5, relevance=1.0)


def entry(name: str, purpose: str = "chat", size: int = 491_400_064) -> Entry:
    """Make an entry of the manifest."""
    mirrors = (WebMirror("https://models.example/file"),)
    return Entry(name, purpose, f"{name}.gguf", "0" * 64, size, "Apache-2.0", 4096, 0.5, "small and quick", mirrors)


def receipt(path: str = "user.home.city", old: Json = "Lyon", new: Json = "Porto", what: str = "set") -> Receipt:
    """Make a receipt."""
    return Receipt(path, old, new, ChangeId("abc123"), what)


def report(left_out: int = 1, unknown: tuple[str, ...] = (), notices: tuple[str, ...] = ()) -> ContextReport:
    """Make a report with one fact that goes in and some that do not."""
    out = [
        LeftOut(f"user.other.{number}", "over budget", Tokens(7), Weight(0.2), FACTORS) for number in range(left_out)
    ]
    fact = Selected("user.pets.dog.name", "Your dog is Biscuit.", Tokens(6), Weight(0.35), FACTORS, "user.json")
    choice = LevelChoice(Level.CONVERSATION, "a look-up")
    return ContextReport(choice, Tokens(50), Tokens(6), (fact,), out, unknown, notices)


def result(reply: str = "Biscuit.", *, complete: bool = True, receipts: tuple[Receipt, ...] = ()) -> TurnResult:
    """Make the result of a turn."""
    return TurnResult(
        conversation=ConversationId("conv1"),
        message=MessageId("mess1"),
        reply=reply,
        quoted="",
        report=report(),
        model=ModelRef("embedded", "default"),
        usage=Usage(120, 4, "stop"),
        context_tokens=Tokens(6),
        receipts=receipts,
        complete=complete,
        timings_ms={"context": 10.0, "model": 1490.0},
    )


class FakeFiles(ModelFiles):
    """Model files that are never fetched.

    Attributes:
        asked: The names that were to be fetched.
    """

    def __init__(self, folder: Path) -> None:
        embedder = (entry("minilm", "embedding", 22_928_619), entry("minilm-tokenizer", "tokenizer", 466_247))
        super().__init__(folder, manifest=Manifest((entry("default"), entry("larger"), *embedder)))
        self.asked: list[str] = []

    def fetch(self, name: str, *, progress: Callable[[Progress], None] | None = None) -> Path:
        """Pretend to fetch."""
        self.manifest.entry(name)
        self.asked.append(name)
        if progress:
            progress(Progress(name, 100, 100, "models.example"))
        return self.path(name)


class FakeChooser(Chooser):
    """Chooses among the models that an Ollama is said to have.

    Attributes:
        ollama: Those models.
    """

    ollama: tuple[ModelInfo, ...] = ()

    def installed(self) -> list[ModelInfo]:
        """Give those models."""
        return list(self.ollama)


class FakeAssistant:
    """Answers by heart, and remembers what it was asked.

    Attributes:
        asked: The messages of all turns and contexts.
        state: What get_state gives, by path.
        events: What every turn yields before its result; the result itself when one is there.
        missing: What missing_files names.
        fetch_fails: Fetching raises.
        found: The problems of the state's files.
        clashes: The conflicts that are not settled.
        late: What retry_pending saves, once.
        on_look: Called when somebody looks at the files.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.asked: list[Stimulus] = []
        self.state: dict[str, Json] = {"": {"user": {}}, "user": {}}
        self.nodes: dict[str, Json] = {}
        self.events: list[Event | Exception | KeyboardInterrupt] = []
        self.missing: list[str] = []
        self.fetch_fails = False
        self.fetched = 0
        self.left_early = 0
        self.closed = 0
        self.written: list[tuple[str, Json]] = []
        self.remembered: list[tuple[str, dict[str, object]]] = []
        self.found: list[Problem] = []
        self.clashes: list[Conflict] = []
        self.late: list[Receipt] = []
        self.on_look: Callable[[], object] = lambda: None
        self.findings: list[Finding] = []
        self.stored: list[StoredMessage] = []
        self.rows: list[ConversationRow] = []
        self.changed: list[Change] = []
        self.report = report()
        self.models = FakeFiles(config.models_dir)
        self.chooser = FakeChooser(config.settings, self.models)
        self.backups = Backups(
            config.home,
            state_dir=config.state_dir,
            database=config.database,
            settings=config.settings.backup,
            clock=ManualClock(),
            held=nullcontext,
        )

    def turn(self, stimulus: Stimulus) -> Iterator[Event]:
        """Yield the events that were set, then a result."""
        self.asked.append(stimulus)
        finished: TurnResult | None = None
        try:
            for event in self.events or [Token(f"You said {stimulus.text}.")]:
                if isinstance(event, BaseException):
                    raise event
                if isinstance(event, TurnResult):
                    finished = event
                    continue
                yield event
        except GeneratorExit:
            self.left_early += 1
            raise
        told = tuple(e for e in self.events if isinstance(e, Receipt))
        notices = tuple(e.text for e in self.events if isinstance(e, Notice))
        yield finished or replace(result(f"You said {stimulus.text}.", receipts=told), notices=notices)

    def context(self, stimulus: Stimulus) -> ContextReport:
        """Give the report that was set."""
        self.asked.append(stimulus)
        return self.report

    def recall(self, query: str, *, limit: int = 10, budget: int | None = None) -> Sequence[Remembered]:
        """Remember nothing."""
        del query, limit, budget
        return []

    def remember(self, content: str, **fields: object) -> str:
        """Keep what was to be remembered."""
        self.remembered.append((content, fields))
        return "memo1"

    def get_state(self, path: str = "", *, reload: bool = True) -> Json:
        """Give what was set for the path."""
        del reload
        if path not in self.state:
            raise PathError(path, "nothing stands there")
        return self.state[path]

    def get_node(self, path: str) -> Json:
        """Give the node that was set for the path."""
        if path not in self.nodes:
            raise PathError(path, "nothing stands there")
        return self.nodes[path]

    def get_nodes(self) -> dict[str, Json]:
        """Give the nodes of all modules that were set."""
        return {name: node for name, node in self.nodes.items() if "." not in name}

    def set_state(self, path: str, value: Json, *, who: str) -> Receipt:
        """Keep the write."""
        assert who == "owner"
        self.written.append((path, value))
        return receipt(path, None, value)

    def unset_state(self, path: str, *, who: str) -> Receipt:
        """Tell what would be removed."""
        assert who == "owner"
        return receipt(path, self.get_state(path), None, "unset")

    def update_state(self, path: str, function: Callable[[Json], Json], *, who: str) -> Receipt:
        """Keep what the function makes of what was set for the path."""
        return self.set_state(path, function(self.state.get(path)), who=who)

    def undo(self, change: ChangeId, *, who: str) -> Receipt:
        """Tell what would be undone."""
        assert who == "owner"
        if change != "abc123":
            raise NolaError(f"no change has the id {change}", fix="list them with: nola state history")
        return receipt(old="Porto", new="Lyon", what="undo")

    def changes(self, path: str = "", *, limit: int = 50) -> Sequence[Change]:
        """Give the changes that were set."""
        return [change for change in self.changed if change.path.startswith(path)][:limit]

    def state_at(self, at: datetime, path: str = "") -> Json:
        """Give what was set for the path, whenever that was."""
        del at
        return self.get_state(path)

    def conflicts(self) -> Sequence[Conflict]:
        """Give the conflicts that were set."""
        return self.clashes

    def settle_conflict(self, conflict: str, *, use: bool, who: str) -> Receipt | None:
        """Settle one of them."""
        assert who == "owner"
        for clash in self.clashes:
            if clash.id == conflict:
                self.clashes.remove(clash)
                return receipt(clash.path, clash.theirs, clash.ours) if use else None
        raise UsageError(f"no conflict has the id {conflict!r}")

    def accept_state(self, name: str) -> None:
        """Take every name for a document's."""
        self.found = [problem for problem in self.found if problem.file != f"{name}.json"]

    def problems(self) -> Sequence[Problem]:
        """Give the problems that were set."""
        return self.found

    def look(self) -> Seen:
        """See the problems that were set, and no change."""
        self.on_look()
        return Seen((), tuple(self.found))

    def retry_pending(self) -> Sequence[Receipt]:
        """Save what was set to be late."""
        saved, self.late = self.late, []
        return saved

    def sync_state(self) -> Sequence[str]:
        """Name two modules."""
        return ["machineID", "user"]

    def conversations(self, search: str = "", *, limit: int = 20) -> Sequence[ConversationRow]:
        """Give the rows that were set."""
        return [row for row in self.rows if search in row.title][:limit]

    def conversation(self, conversation: ConversationId) -> Sequence[StoredMessage]:
        """Give the stored turns whose conversation begins so."""
        turns = [turn for turn in self.stored if turn.conversation.startswith(conversation)]
        if not turns:
            raise UsageError(f"no conversation's id begins with {conversation!r}")
        return turns

    def latest_conversation(self, channel: Channel | None = None) -> ConversationId | None:
        """Give the first row's id."""
        assert channel is None
        return self.rows[0].id if self.rows else None

    @cached_property
    def lived(self) -> Home:
        """A home whose content is given out and taken in."""
        return Home(self.config.home / "lived")

    def export_all(self, *, only: str | None = None) -> bytes:
        """Give out that home."""
        return self.lived.export(only)

    def import_plan(self, data: bytes) -> ImportPlan:
        """Plan to take it into that home."""
        return self.lived.plan(data)

    def import_all(self, plan: ImportPlan) -> ImportResult:
        """Take it into that home."""
        return self.lived.carry_out(plan)

    def missing_files(self) -> list[str]:
        """Name the files that are missing."""
        return self.missing

    def fetch_default_models(self, progress: Callable[[str, int, int], None]) -> None:
        """Pretend to fetch."""
        if self.fetch_fails:
            raise DownloadError("no mirror answered", fix="connect to the network")
        self.fetched += 1
        for name in self.missing:
            progress(name, 50, 100)
            progress(name, 100, 100)
        self.missing = []

    def doctor(self) -> Sequence[Finding]:
        """Give the findings that were set."""
        return self.findings

    def close(self) -> None:
        """Count."""
        self.closed += 1
