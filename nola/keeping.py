"""Lends the state, the conversations and the memory to a turn in the shape that a turn asks for."""

from __future__ import annotations

from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

from nola.documents import context_document, receipt_document
from nola.flow import Remembered
from nola.state import contract
from nola.types import Level, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from nola.flow import Candidate, Change, Exchange, Problem, Proposal, Stimulus, TurnResult
    from nola.memory.engine import Engine
    from nola.memory.journal import Taken
    from nola.memory.recall import Recalled
    from nola.memory.store import ConversationStore
    from nola.state.store import StateStore
    from nola.types import ConversationId, Json, MessageId

__all__ = ["KeptConversations", "KeptMemory", "KeptState", "problem_sentence"]

_MOST_LEFT_OUT = 40
_MOST_RECALLED = 60
_MOST_SALIENT = 200
_MOST_INNATE = 50
_NOLA = "nola"


class KeptState:
    """The state as a turn sees it.

    Args:
        store: The JSON modules.
    """

    def __init__(self, store: StateStore) -> None:
        self._store = store

    def candidates(self) -> Sequence[Candidate]:
        """Return all leaves after a lazy pull."""
        return self._store.candidates()

    def revision(self) -> str:
        """Return a text that changes whenever the candidates may have."""
        return self._store.revision()

    def get(self, path: str) -> Json:
        """Return what stands at a path."""
        return self._store.get(path)

    def write(self, proposal: Proposal, via: str) -> Change:
        """Write one proposal of Nola's; the change tells values without the wrappers of nodes."""
        if proposal.remove:
            change = self._store.unset(proposal.path, who=_NOLA, via=via)
        elif proposal.append:
            change = self._store.append(proposal.path, proposal.value, who=_NOLA, via=via)
        else:
            change = self._store.set(proposal.path, proposal.value, who=_NOLA, via=via)
        return replace(change, old=contract.plain(change.old), new=contract.plain(change.new))

    def problems(self) -> Sequence[str]:
        """Return a sentence for each module that can't be read."""
        return [problem_sentence(p) for p in self._store.problems() if p.severity == "error"]


class KeptConversations:
    """The stored conversations as a turn sees them.

    Args:
        store: The database of conversations.
    """

    def __init__(self, store: ConversationStore) -> None:
        self._store = store

    def exchanges(self, conversation: ConversationId, limit: int) -> list[Exchange]:
        """Return the last turns, oldest first."""
        return self._store.exchanges(conversation, limit)

    def keep(self, stimulus: Stimulus, result: TurnResult) -> tuple[ConversationId, MessageId]:
        """Store a finished turn durably."""
        return self._store.add_turn(
            conversation=stimulus.conversation,
            channel=stimulus.channel,
            user=stimulus.text,
            reply=result.reply,
            quoted=result.quoted,
            level=result.report.choice.level,
            level_why=result.report.choice.why,
            model=result.model,
            complete=result.complete,
            report=context_document(result.report, most_left_out=_MOST_LEFT_OUT),
            receipts=[receipt_document(r) for r in result.receipts],
            usage={"prompt_tokens": result.usage.prompt_tokens, "reply_tokens": result.usage.reply_tokens},
            timings=dict(result.timings_ms),
        )


class KeptMemory:
    """The learned memory as a turn sees it, loaded when it is first asked for.

    What a turn gets is active, not expired, true at this time, of the namespace `default`, and trusted at least as an
    external source is.

    Args:
        make: Makes it.
    """

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._make = make
        self._made: Engine | None = None
        self._lock = Lock()

    @property
    def engine(self) -> Engine:
        """The memory, whole."""
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def brought_to_mind(
        self, text: str, *, now: datetime, owner: str, former: bool, level: Level | None = None
    ) -> Sequence[Remembered]:
        """Return what answers a message best, the best first, and all innate memories; nothing is counted.

        Args:
            text: The message; without a word in it what is hot comes, the strongest first, then what is pinned (A15).
            now: The present.
            owner: The owner's name, if it is known.
            former: The message asks for former times: what is true no longer comes too.
            level: The level of the message, which counts where strategy `hea` ranks.
        """
        from nola.memory.asking import asked  # noqa: PLC0415 -- keeps start-up fast
        from nola.memory.axes import MemoryClass, Tier, Trust  # noqa: PLC0415 -- as above

        engine = self.engine
        trusted = {"trust": Trust.EXTERNAL, "valid_at": None if former else now}
        limit = _MOST_RECALLED if text else _MOST_SALIENT
        ask = replace(asked(text, now=now, limit=limit, owner=owner, given=trusted), level=level)
        found = engine.recall(ask, count=False)
        if not text:
            hot = [one for one in found if one.tier is Tier.HOT]
            found = hot + [one for one in found if one.pinned and one.tier is not Tier.HOT]
        always = {**trusted, "memory_class": MemoryClass.INNATE}
        innate = engine.recall(asked("", now=now, limit=_MOST_INNATE, given=always), count=False)
        there = {one.id for one in found}
        beside = [replace(one, score=one.score if not text else 0.0) for one in innate if one.id not in there]
        return [_remembered(one) for one in (*found, *beside)]

    def used(self, memories: Sequence[Remembered], request: str) -> None:
        """Count one access of each, once for each request, in one transaction (A18, X10).

        Args:
            memories: What was put before the model, the heaviest first.
            request: The id of the message that they were put there for.
        """
        if memories:
            activations = [m.active if m.score > 0 else 0.0 for m in memories]
            self.engine.count([m.id for m in memories], activations=activations, request=request)
        if self._made is not None:
            self._make_missing_vectors(self._made)

    def _make_missing_vectors(self, engine: Engine) -> None:
        """Let vectors be made in the background of memories that another process stored."""
        if engine.keeper.embedder is None:
            return
        with engine.keeper.index() as index:
            missing = len(index) > (0 if index.dense is None else len(index.dense))
        if missing:
            engine.keeper.notice()

    def recall(self, query: str, *, limit: int, budget: int | None, owner: str = "") -> Sequence[Remembered]:
        """Return the memories that answer a question best, best first; their use is counted once."""
        from nola.memory.asking import asked  # noqa: PLC0415 -- keeps start-up fast

        ask = asked(query, now=self.engine.database.clock.now(), limit=limit, budget=budget, owner=owner, given={})
        return [_remembered(one) for one in self.engine.recall(ask, count=True)]

    def export_lines(self) -> list[str]:
        """Return the whole of it as readable lines (see `Memories.export_lines`)."""
        return self.engine.memories.export_lines()

    def import_lines(self, text: Iterable[str], *, skip_known: bool = False, dry_run: bool = False) -> Taken:
        """Store such lines, all or nothing (see `Memories.import_lines`); their vectors are made in the background."""
        taken = self.engine.memories.import_lines(text, skip_known=skip_known, dry_run=dry_run)
        if taken.memories and not dry_run:
            self.engine.keeper.notice()
        return taken

    def close(self) -> None:
        """Stop its work in the background and close the file, if it was loaded."""
        with self._lock:
            if self._made is not None:
                self._made.close()


def _remembered(found: Recalled) -> Remembered:
    """Return what recall found as the value that travels."""
    return Remembered(
        id=found.id,
        content=found.content,
        kind=found.kind,
        score=found.score,
        relevance=found.relevance,
        strength=found.strength,
        tier=found.tier,
        tokens=Tokens(found.tokens),
        parts=found.parts,
        why=found.why,
        at=found.at,
        speaker=found.speaker,
        source=found.source,
        trust=found.trust,
        level=Level(min(max(found.level, Level.QUICK), Level.DEEP)),
        innate=found.memory_class == "innate",
        pinned=found.pinned,
        cosine=found.cosine,
        active=found.active,
    )


def problem_sentence(problem: Problem) -> str:
    """Say a problem of a file in one sentence."""
    where = f", line {problem.line}, column {problem.column}" if problem.line else ""
    return f"{problem.file}{where}: {problem.message}"
