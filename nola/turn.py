"""One turn, top to bottom: stimulus -> level -> candidates -> weigh -> budget -> prompt -> model -> reply -> learn."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from nola.context.budget import budget_for, memory_budget_for, pack
from nola.context.level import choose_level, is_greeting
from nola.context.weigh import weigh
from nola.errors import InputError, NolaError
from nola.flow import ContextReport, Notice, Receipt, Token, TurnResult, Usage
from nola.llm.tokens import estimate
from nola.reason.question import read_question
from nola.reason.reply import Speech, Spoken, speak
from nola.types import ConversationId, Level, MessageId, Profile, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from datetime import datetime

    from nola.clock import Clock
    from nola.context.memories import Memories
    from nola.context.prompt import Persona
    from nola.context.select import Ranking, Selector, Vectoriser
    from nola.flow import Candidate, Change, Event, Exchange, LevelChoice, Proposal, Remembered, Stimulus
    from nola.llm.base import ChatModel
    from nola.llm.calibration import Calibration
    from nola.reason.metacognition import Assessment, Metacognition
    from nola.settings import Settings
    from nola.types import Json

__all__ = [
    "Conversations",
    "Looked",
    "Memory",
    "Services",
    "State",
    "check_input",
    "level_of",
    "look",
    "owners_name",
    "take_turn",
]


_OWNERS_NAME = "user.name"
_CODE = "code"
_HEAD, _TAIL = 6_000, 2_000


class State(Protocol):
    """What a turn asks of the state."""

    def candidates(self) -> Sequence[Candidate]:
        """Return all leaves after a lazy pull."""

    def revision(self) -> str:
        """Return a text that changes whenever the candidates may have."""

    def get(self, path: str) -> Json:
        """Return what stands at a path."""

    def write(self, proposal: Proposal, via: str) -> Change:
        """Write one proposal."""

    def problems(self) -> Sequence[str]:
        """Return a sentence for each module that can't be read."""


class Conversations(Protocol):
    """What a turn asks of the stored conversations."""

    def exchanges(self, conversation: ConversationId, limit: int) -> list[Exchange]:
        """Return the last turns, oldest first."""

    def keep(self, stimulus: Stimulus, result: TurnResult) -> tuple[ConversationId, MessageId]:
        """Store a finished turn durably."""


class Memory(Protocol):
    """What a turn asks of the learned memory."""

    def brought_to_mind(
        self, text: str, *, now: datetime, owner: str, former: bool, level: Level | None = None
    ) -> Sequence[Remembered]:
        """Return what answers a message best, the best first, and all innate memories; nothing is counted."""

    def used(self, memories: Sequence[Remembered], request: str) -> None:
        """Count one access of each, once for each request."""


@dataclass(frozen=True, slots=True)
class Services:
    """Everything that a turn uses, built by the composition root.

    Attributes:
        state: The JSON modules.
        conversations: The stored turns.
        memory: The learned memory.
        selector: Ranks facts.
        metacognition: Knows what is known.
        vectoriser: Gives the embedder, or None when there is none.
        choose: Gives the model for a name, and a sentence why.
        calibration: Token counts per model.
        persona: Reads who answers.
        settings: All constants.
        clock: Tells the time.
    """

    state: State
    conversations: Conversations
    memory: Memory
    selector: Selector
    metacognition: Metacognition
    vectoriser: Callable[[], Vectoriser | None]
    choose: Callable[[str | None], ChatModel]
    calibration: Calibration
    persona: Callable[[], Persona]
    settings: Settings
    clock: Clock


@dataclass(frozen=True, slots=True)
class Looked:
    """What looking at a message gave: its report, the ranking behind it, and what is known about its question."""

    report: ContextReport
    ranking: Ranking
    assessment: Assessment


def check_input(text: str, settings: Settings, *, may_be_empty: bool = False) -> None:
    """Refuse a message that can't be used.

    Args:
        text: The message.
        settings: How long it may be.
        may_be_empty: Whether saying nothing is a message too.

    Raises:
        InputError: It is empty, binary, or longer than the setting `chat.max_bytes`.
    """
    if not (may_be_empty or text.strip()):
        raise InputError("the message is empty", fix="type something, for example: nola chat 'hello'")
    if "\0" in text or any("\ud800" <= sign <= "\udfff" for sign in text):
        raise InputError("the message is binary, not text", fix="send text in UTF-8")
    size = len(text.encode("utf-8", "replace"))
    if size > settings.chat.max_bytes:
        raise InputError(
            f"the message has {size:,} bytes, more than {settings.chat.max_bytes:,}",
            fix="shorten it, or raise the setting chat.max_bytes",
        )


def take_turn(stimulus: Stimulus, services: Services) -> Iterator[Event]:
    """Answer one message.

    Args:
        stimulus: The message.
        services: What the turn uses.

    Yields:
        LevelChoice, ContextReport, receipts, notices, tokens, and the TurnResult last.

    Raises:
        InputError: The message can't be used.
    """
    settings, clock = services.settings, services.clock
    check_input(stimulus.text, settings)
    timer = _Timer(clock)
    history = _history(stimulus, services)
    choice = level_of(stimulus, history, settings)
    yield choice
    timer.mark("level")
    model = services.choose(stimulus.model)  # before anything is written: the name may be wrong
    timer.mark("choose")
    receipts, notices = _learn(stimulus, services)
    timer.mark("learn")
    looked = look(stimulus, choice, services, window=_window(model))
    timer.mark("context")
    yield looked.report
    yield from receipts
    for notice in (*looked.report.notices, *notices):
        yield Notice(notice)
    speech = Speech(looked.report, looked.ranking, looked.assessment, receipts, history, stimulus.text)
    words: list[str] = []
    try:
        spoken = yield from _overheard(
            speak(speech, model, services.persona(), services.calibration, settings, clock.now().astimezone()), words
        )
    except (GeneratorExit, KeyboardInterrupt, SystemExit):  # closed, Ctrl-C, or told to end: also while it waits
        stopped = Spoken("".join(words), "", model.ref, Usage(stop_reason="stopped"), complete=False)
        timer.mark("model")
        _stored(stimulus, _result(stimulus, looked.report, receipts, notices, stopped, timer), services)
        raise
    timer.mark("model")
    result = _result(stimulus, looked.report, receipts, notices, spoken, timer)
    yield _stored(stimulus, result, services)


def _overheard(speech: Generator[Token | Notice, None, Spoken], heard: list[str]) -> Generator[Event, None, Spoken]:
    """Pass a reply on and keep its words, so that a turn that is stopped can still be stored."""
    with closing(speech):
        while True:
            try:
                event = next(speech)
            except StopIteration as end:
                spoken: Spoken = end.value
                return spoken
            if isinstance(event, Token):
                heard.append(event.text)
            yield event


def _result(
    stimulus: Stimulus,
    report: ContextReport,
    receipts: tuple[Receipt, ...],
    notices: tuple[str, ...],
    spoken: Spoken,
    timer: _Timer,
) -> TurnResult:
    return TurnResult(
        conversation=stimulus.conversation or ConversationId(""),
        message=MessageId(""),
        reply=spoken.text,
        quoted=spoken.quoted,
        report=report,
        model=spoken.model,
        usage=spoken.usage,
        context_tokens=Tokens(report.tokens + report.memory_tokens),
        receipts=receipts,
        notices=(*report.notices, *notices, *spoken.notices),
        complete=spoken.complete,
        timings_ms=timer.marks,
    )


def level_of(stimulus: Stimulus, history: Sequence[Exchange], settings: Settings) -> LevelChoice:
    """Choose the level of a message (E03, E24-E26)."""
    return choose_level(
        stimulus.text,
        history,
        level=stimulus.level,
        stimuli_type=stimulus.stimuli_type,
        profile=Profile(settings.context.profile),
        deep_turns=settings.chat.deep_turns,
    )


def look(stimulus: Stimulus, choice: LevelChoice, services: Services, *, window: int = 0) -> Looked:
    """Choose the context of a message: a pure function of the input, what is known and the time (E02).

    Args:
        stimulus: The message.
        choice: Its level.
        services: State, memory, index and settings.
        window: The model's window in tokens, 0 when no model will see the context.
    """
    from nola.context.memories import lifted  # noqa: PLC0415 -- keeps start-up fast

    settings = services.settings
    candidates = services.state.candidates()
    vectoriser = services.vectoriser()
    text = _head_and_tail(stimulus.text)
    memory_budget = memory_budget_for(choice.level, window, settings.context)
    memories, trouble = _recalled(text, choice.level, services) if memory_budget else (None, "")
    ranking = services.selector.rank(
        text,
        candidates,
        revision=services.state.revision(),
        vectoriser=vectoriser,
        wants_former=read_question(text).former,
        greet=choice.level is Level.QUICK,
        memories=memories,
    )
    assessment = services.metacognition.assess(text, ranking, vectoriser)
    judged = services.metacognition.sharpen(ranking.scores, assessment)
    weighed = weigh(
        ranking.candidates,
        ranking.rows,
        lifted(ranking.facts, ranking.scores, judged),
        level=choice.level,
        now=services.clock.now(),
        settings=settings.context,
    )
    budget = budget_for(choice.level, window, settings.context)
    packed = pack(ranking.facts, ranking.candidates, weighed, budget, estimate, settings.context, memory_budget)
    notices = [*services.state.problems(), *([trouble] if trouble else [])]
    if ranking.without_vectors:
        notices.append(f"{ranking.without_vectors} facts have no vector yet and were found by their words alone")
    report = ContextReport(
        choice=choice,
        budget=budget,
        tokens=packed.tokens,
        selected=packed.selected,
        left_out=packed.left_out,
        unknown=assessment.unknown,
        notices=tuple(notices),
        memory_budget=memory_budget,
        memory_tokens=packed.memory_tokens,
    )
    return Looked(report, ranking, assessment)


def owners_name(services: Services) -> str:
    """Return the owner's name as the state tells it; empty when it does not."""
    try:
        name = services.state.get(_OWNERS_NAME)
    except NolaError:
        return ""
    return name if isinstance(name, str) else ""


def _recalled(text: str, level: Level, services: Services) -> tuple[Memories | None, str]:
    """Return what a message brings to mind, and why nothing could; a greeting asks for what is hot or pinned."""
    from nola.context.memories import Memories  # noqa: PLC0415 -- keeps start-up fast

    owner = owners_name(services)
    greeting = is_greeting(text)
    now = services.clock.now()
    asked = "" if greeting else text
    try:
        former = read_question(text).former
        found = services.memory.brought_to_mind(asked, now=now, owner=owner, former=former, level=level)
    except NolaError as error:
        return None, f"memories could not be looked at: {error}"
    return Memories(now.astimezone(), found, salient=greeting, owner=owner), ""


def _head_and_tail(text: str) -> str:
    """What is asked stands at the beginning or the end of a long text; a megabyte needs no ranking of its own."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]} {text[-_TAIL:]}"


def _history(stimulus: Stimulus, services: Services) -> list[Exchange]:
    if stimulus.conversation is None:
        return []
    limit = max(services.settings.llm.history_turns, services.settings.chat.deep_turns)
    return services.conversations.exchanges(stimulus.conversation, limit)


def _window(model: ChatModel) -> int:
    try:
        return model.window()
    except NolaError:
        return 0


def _learn(stimulus: Stimulus, services: Services) -> tuple[tuple[Receipt, ...], tuple[str, ...]]:
    """Write what the owner said about herself; the model has no part in it."""
    if not stimulus.learn or services.settings.learn.policy == "off":
        return (), ()
    from nola.memory.learn import recognise  # noqa: PLC0415 -- keeps start-up fast

    known = services.state.get("user")
    receipts, notices = [], []
    for proposal in recognise(stimulus.text, known=known if isinstance(known, dict) else {}):
        try:
            change = services.state.write(proposal, str(stimulus.channel))
        except NolaError as error:
            notices.append(f"not saved: {error}")
            continue
        receipts.append(Receipt(change.path, change.old, change.new, change.id, proposal.evidence))
    return tuple(receipts), tuple(notices)


def _stored(stimulus: Stimulus, result: TurnResult, services: Services) -> TurnResult:
    """Keep a finished turn, and count the use of the memories that were put before the model."""
    try:
        conversation, message = services.conversations.keep(stimulus, result)
    except NolaError as error:
        result = replace(result, notices=(*result.notices, f"this turn was not stored: {error}"))
    else:
        result = replace(result, conversation=conversation, message=message)
    used = () if result.model.provider == _CODE else result.report.memories
    try:
        services.memory.used(used, result.message)
    except NolaError as error:
        return replace(result, notices=(*result.notices, f"the use of memories was not counted: {error}"))
    return result


class _Timer:
    """Milliseconds since the step before, by name."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last = clock.monotonic()
        self.marks: dict[str, float] = {}

    def mark(self, step: str) -> None:
        now = self._clock.monotonic()
        self.marks[step] = round((now - self._last) * 1000, 1)
        self._last = now
