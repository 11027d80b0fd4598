"""Lends the state and the conversations to a turn in the shape that a turn asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from nola.documents import context_document, receipt_document
from nola.state import contract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.flow import Candidate, Change, Exchange, Problem, Proposal, Stimulus, TurnResult
    from nola.memory.store import ConversationStore
    from nola.state.store import StateStore
    from nola.types import ConversationId, Json, MessageId

__all__ = ["KeptConversations", "KeptState", "problem_sentence"]

_MOST_LEFT_OUT = 40
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


def problem_sentence(problem: Problem) -> str:
    """Say a problem of a file in one sentence."""
    where = f", line {problem.line}, column {problem.column}" if problem.line else ""
    return f"{problem.file}{where}: {problem.message}"
