"""Makes the reply: by code when code knows better, else by the model, and never hides a fact that is known."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.context.prompt import build_prompt
from nola.errors import ModelError
from nola.flow import ModelRef, Notice, Token, Usage
from nola.llm.base import ChatOptions, TooLongError
from nola.llm.tokens import estimate
from nola.reason.metacognition import holds, is_refusal
from nola.types import Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from datetime import datetime

    from nola.context.prompt import Persona
    from nola.context.select import Ranking
    from nola.flow import ContextReport, Exchange, Prompt, Receipt
    from nola.llm.base import ChatModel
    from nola.llm.calibration import Calibration
    from nola.reason.metacognition import Assessment
    from nola.settings import Settings

__all__ = ["QUOTE_MARK", "Speech", "Spoken", "speak"]

QUOTE_MARK = "From your notes: "
_REQUEST = re.compile(
    r"(?:^|[.!;,]\s+)(?:and |so |but )?(?:what|who|when|where|which|how|why|can you|could you|would you|tell me"
    r"|show me|give me|explain|help|write|suggest|recommend)\b",
    re.IGNORECASE,
)
_REMEMBER = re.compile(
    r"\W*(?:please |nola,? )*(?:remember|note|don't forget|do not forget)\b(?: that|:| my| i\b| the| we| our)",
    re.IGNORECASE,
)
_CAREFUL = re.compile(r"\b(?:allerg|intoleran|avoid|must not|should not|cannot|can't)", re.IGNORECASE)
_FORGET = re.compile(r"\W*(?:please |nola,? )*forget\b(?! it\b)", re.IGNORECASE)
_FIRST_PERSON = (
    (re.compile(r"^(\W*)I'm\b"), r"\1You're"), (re.compile(r"^(\W*)I am\b"), r"\1You are"),
    (re.compile(r"^(\W*)I was\b"), r"\1You were"), (re.compile(r"^(\W*)My\b"), r"\1Your"),
    (re.compile(r"^(\W*)I (?=\w+)"), r"\1You "), (re.compile(r"^(\W*)We "), r"\1You "),
    (re.compile(r"^(\W*)Our\b"), r"\1Your"),
)  # fmt: skip
_CODE = ModelRef("code", "nola")
_HELD_BACK = 48
_SHORT_STATEMENT = 60
_HARDER = 0.7
_AS_LIKELY = 0.8


@dataclass(frozen=True, slots=True)
class Speech:
    """What there is to answer.

    Attributes:
        report: The context that was chosen.
        ranking: All facts.
        assessment: What is known about the question.
        receipts: What was written just now.
        history: Earlier turns, oldest first.
        text: What the owner typed.
    """

    report: ContextReport
    ranking: Ranking
    assessment: Assessment
    receipts: Sequence[Receipt]
    history: Sequence[Exchange]
    text: str


@dataclass(frozen=True, slots=True)
class Spoken:
    """The reply and how it came about; `text` ends with `quoted`, which code added."""

    text: str
    quoted: str
    model: ModelRef
    usage: Usage
    notices: tuple[str, ...] = ()
    complete: bool = True


def speak(
    speech: Speech,
    model: ChatModel,
    persona: Persona,
    calibration: Calibration,
    settings: Settings,
    now: datetime,
) -> Generator[Token | Notice, None, Spoken]:
    """Answer, piece by piece.

    Args:
        speech: What there is to answer.
        model: The model that answers where code does not.
        persona: Who answers.
        calibration: Token counts per model.
        settings: All constants.
        now: The time in the owner's zone.
    """
    if reply := _by_code(speech, model):
        yield Token(reply, quoted=True)
        return Spoken(reply, "", _CODE if model.ref.provider != "none" else model.ref, Usage())
    return (yield from _Teller(speech, model, persona, calibration, settings, now).tell())


def _by_code(speech: Speech, model: ChatModel) -> str:
    if speech.receipts and _is_statement(speech):
        return "Noted: " + " ".join(dict.fromkeys(_told(speech, receipt) for receipt in speech.receipts))
    if not speech.receipts and (reply := _not_done(speech.text)):
        return reply
    if unknown := speech.report.unknown:
        asked = "; ".join(f'the answer to "{u}"' if u.endswith("?") else u for u in unknown)
        return f"I don't know {asked}: I have nothing noted about it. Tell me and I will remember it."
    if model.ref.provider == "none":
        owner = speech.assessment.question.owner
        facts = _quotable(speech) or [s.text for s in speech.report.selected if owner]
        known = f" {QUOTE_MARK}{' '.join(facts)}" if facts else ""
        return f"No model is answering (see: nola model list).{known}"
    return ""


def _is_statement(speech: Speech) -> bool:
    asks = "?" in speech.text or _REQUEST.search(speech.text)
    return not asks and len(speech.text.split()) <= _SHORT_STATEMENT


def _told(speech: Speech, receipt: Receipt) -> str:
    """Say what was written as the fact that it became."""
    for fact in speech.ranking.facts:
        if fact.path == receipt.path or receipt.path.startswith(f"{fact.path}."):
            return fact.text
    inside = [fact.text for fact in speech.ranking.facts if fact.path.startswith(f"{receipt.path}.")]
    if inside and receipt.new is not None:
        return inside[-1]
    return f"{receipt.path} is forgotten." if receipt.new is None else f"{receipt.path} is saved."


def _not_done(text: str) -> str:
    """Say that nothing was written when the owner plainly asked for it: a model would only claim that it was."""
    if "?" in text:
        return ""
    if _REMEMBER.match(text):
        return (
            "I have noted nothing new from that. (What I know already is not written twice; passwords, PINs and card "
            "numbers are never stored.) To write it yourself: nola state set PATH VALUE"
        )
    if _FORGET.match(text):
        return "I have changed nothing. To make me forget: nola state unset PATH (nola state show lists the paths)"
    return ""


def _quotable(speech: Speech) -> list[str]:
    return [speech.ranking.facts[row].text for row in speech.assessment.best]


def _to_owner(start: str) -> str:
    """Turn the first words of an answer about the owner to her: small models repeat the question's `I` and `my`."""
    for pattern, said in _FIRST_PERSON:
        if pattern.search(start):
            return pattern.sub(said, start, count=1)
    return start


class _Teller:
    """Lets the model speak, and adds or puts in what it hides."""

    def __init__(
        self,
        speech: Speech,
        model: ChatModel,
        persona: Persona,
        calibration: Calibration,
        settings: Settings,
        now: datetime,
    ) -> None:
        self._speech = speech
        self._model = model
        self._persona = persona
        self._calibration = calibration
        self._settings = settings
        self._now = now
        self._usage = Usage()
        self._said = ""
        self._held: str | None = None
        self._notices: list[str] = []

    def tell(self) -> Generator[Token | Notice, None, Spoken]:
        complete = True
        try:
            refused = yield from self._model_words()
        except ModelError as error:
            complete = refused = False
            if self._held and not is_refusal(self._held):
                self._said += self._held
                yield Token(self._held)
            yield from self._note(f"{error}{f' ({error.fix})' if error.fix else ''}")
            if self._said:
                yield from self._note("the reply above is incomplete")
        if refused:
            self._said = ""
        quoted = self._quote() if complete or not self._said else ""
        if quoted:
            lead = "\n\n" if self._said else ""
            yield Token(lead + quoted, quoted=True)
            text = f"{self._said}{lead}{quoted}"
        else:
            text = self._said
        return Spoken(text, quoted, self._model.ref, self._usage, tuple(self._notices), complete)

    def _model_words(self) -> Generator[Token | Notice, None, bool]:
        """Stream the model's words; return True when it refused to say what is known, and nothing was passed on."""
        room = self._room()
        try:
            return (yield from self._stream(self._prompt(room)))
        except TooLongError:
            if self._said:
                raise
        yield from self._note("the prompt was longer than the model's window and was trimmed harder")
        return (yield from self._stream(self._prompt(Tokens(int(room * _HARDER)))))

    def _stream(self, prompt: Prompt) -> Generator[Token | Notice, None, bool]:
        for sentence in prompt.trimmed:
            yield from self._note(sentence)
        options = self._settings.llm
        wanted = ChatOptions(options.reply_tokens, options.temperature, options.top_p, options.seed)
        self._held = "" if self._speech.assessment.best else None
        with closing(self._model.chat(prompt.messages, options=wanted)) as chunks:  # type: ignore[type-var]
            for chunk in chunks:
                self._usage = chunk.usage or self._usage
                piece = chunk.text
                if self._held is not None:
                    self._held += piece
                    if len(self._held) < _HELD_BACK and not chunk.done:
                        continue
                    if is_refusal(self._held):
                        return True
                    piece, self._held = _to_owner(self._held), None
                if piece:
                    self._said += piece
                    yield Token(piece)
        if self._held:
            if is_refusal(self._held):
                return True
            piece = _to_owner(self._held)
            self._said += piece
            yield Token(piece)
        raw = sum(estimate(m.content) for m in prompt.messages)
        self._calibration.observe(self._model.ref, estimated=raw, actual=self._usage.prompt_tokens)
        return False

    def _prompt(self, room: Tokens) -> Prompt:
        return build_prompt(
            self._persona,
            self._speech.report,
            [turn for turn in self._speech.history if not turn.by_code],
            self._speech.text,
            now=self._now,
            room=room,
            count=self._counter(),
        )

    def _counter(self) -> Callable[[str], Tokens]:
        ratio = max(1.0, self._calibration.ratio(self._model.ref))
        return lambda text: estimate(text, ratio=ratio)

    def _room(self) -> Tokens:
        """Tokens for the prompt: the window without the reply and a margin (ollama.md 4.11)."""
        llm = self._settings.llm
        window = self._model.window()
        reply = min(llm.reply_tokens, window // 2)
        return Tokens(int(window * (1 - llm.safety_share)) - reply)

    def _quote(self) -> str:
        """Quote the best facts when the reply holds the value of none of them."""
        if not self._settings.chat.quote_facts:
            return ""
        chances = dict(self._speech.assessment.chances)
        rows = self._speech.assessment.best
        cautions = [r for r in self._speech.assessment.cautions if r not in rows]
        if cautions and not _CAREFUL.search(self._said):
            return QUOTE_MARK + " ".join(self._speech.ranking.facts[row].text for row in cautions)
        likely = [r for r in rows if chances[r] >= _AS_LIKELY * chances[rows[0]]]
        facts = self._speech.ranking.facts
        if not rows or any(holds(self._said, facts[row].value) for row in likely):
            return ""
        return QUOTE_MARK + " ".join(facts[row].text for row in rows)

    def _note(self, sentence: str) -> Generator[Notice, None, None]:
        self._notices.append(sentence)
        yield Notice(sentence)
