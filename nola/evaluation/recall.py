"""Measures how much of the evidence a memory finds in long conversations, beside plain baselines, without any model."""

from __future__ import annotations

import hashlib
import re
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeAlias

import orjson

from nola.evaluation.finders import LastTurns, PlainSearch, Remembered, VectorsAlone
from nola.evaluation.measures import Asked, measured
from nola.files import make_missing_dirs, read_or_none, write_atomic
from nola.memory.dynamics.model import STRATEGIES
from nola.memory.dynamics.profiles import PROFILES
from nola.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nola.evaluation.conversations import Conversation
    from nola.evaluation.finders import Finder, Kept, Remembering
    from nola.settings import Settings

    Opener: TypeAlias = Callable[[Path, str, Settings], Remembering]

__all__ = ["Result", "Way", "evaluate", "ways_of"]

_MOST = 200
"""Results that are measured: more than fill the largest budget."""
_USUAL = 10
"""Results that somebody who asks gets; what these take is the time of a question."""
_GROUPS = ("memory", "heat", "actr", "chain", "ebbinghaus", "retention", "links", "recall", "context")
"""Settings that decide what is found."""
_UNSAFE = re.compile(r"[^\w-]+")


@dataclass(frozen=True, slots=True)
class Way:
    """One way of finding: its name, and what makes its finder for a conversation, with a folder to keep files in."""

    name: str
    make: Callable[[Conversation, Path], Finder]


@dataclass(frozen=True, slots=True)
class Result:
    """What one way of finding found: its questions, conversation by conversation."""

    name: str
    by_conversation: tuple[tuple[Asked, ...], ...]


def ways_of(
    opener: Opener, embedder: Kept | None, settings: Settings, *, profile: str, ablation: bool = False
) -> tuple[Way, ...]:
    """Return what is measured: three baselines that need no model, and Nola.

    Args:
        opener: Opens a memory by its file, profile and settings, with the same embedder.
        embedder: What makes vectors; None leaves vectors alone out.
        settings: All constants.
        profile: Nola's profile.
        ablation: Measure every strategy in this profile too, relevance alone, and every other profile (X07).
    """

    def nola(name: str, with_profile: str, with_settings: Settings) -> Way:
        def opened(path: Path) -> Remembering:
            return opener(path, with_profile, with_settings)

        return Way(name, lambda talk, folder: Remembered(talk, folder / "memory.db", opened, embedder))

    made = [Way("FTS5, any word", lambda talk, _: PlainSearch(talk))]
    if embedder is not None:
        made.append(Way("vectors alone", lambda talk, _: VectorsAlone(talk, embedder)))
    made += [
        Way("the last turns", lambda talk, _: LastTurns(talk)),
        nola(f"Nola, profile {profile}", profile, settings),
    ]
    if ablation:
        for strategy in ("none", *STRATEGIES):
            other = replace(settings, memory=replace(settings.memory, strategy=strategy))
            made.append(nola(f"strategy {strategy}", profile, other))
        made += [nola(f"profile {name}", name, settings) for name in PROFILES if name != profile]
    return tuple(made)


def evaluate(
    conversations: Sequence[Conversation],
    ways: Sequence[Way],
    *,
    embedder: Kept | None,
    settings: Settings,
    folder: Path | None = None,
    resume: bool = False,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> tuple[Result, ...]:
    """Ask every question of every conversation in every way, each conversation in a store of its own.

    Args:
        conversations: What is remembered, and asked.
        ways: What is measured.
        embedder: What makes vectors.
        settings: All constants; other ones give other results.
        folder: Keeps a file of results for each conversation, written after each way; None keeps nothing.
        resume: Take what is there already of the same conversation, settings, embedder and version.
        progress: Gets what is counted, how many are done, and of how many.

    Raises:
        NolaError: The embedder failed, or a result could not be written.
    """
    if folder is not None and not folder.is_dir():
        make_missing_dirs(folder)
    asked: dict[str, list[tuple[Asked, ...]]] = {way.name: [] for way in ways}
    done, total = 0, len(ways) * sum(len(one.questions) for one in conversations)
    for number, conversation in enumerate(conversations, 1):
        file = folder / f"{number:02}-{_UNSAFE.sub('-', conversation.name)}.json" if folder else None
        key = _key(conversation, settings, embedder.model_id if embedder else "")
        known = _known(file, key) if file and resume else {}
        with TemporaryDirectory(prefix="nola-eval-") as temporary:
            for way in ways:

                def told(so_far: int, before: int = done) -> None:
                    progress("questions", before + so_far, total)

                if way.name not in known:
                    known[way.name] = _asked(conversation, way, Path(temporary), embedder, told)
                    if file:
                        write_atomic(file, _document(key, known))
                told(len(conversation.questions))
                done += len(conversation.questions)
                asked[way.name].append(known[way.name])
    return tuple(Result(way.name, tuple(asked[way.name])) for way in ways)


def _asked(
    conversation: Conversation, way: Way, folder: Path, embedder: Kept | None, told: Callable[[int], None]
) -> tuple[Asked, ...]:
    tokens = {turn.id: turn.tokens for turn in conversation.turns}
    finder = way.make(conversation, folder)
    answers = []
    try:
        finder.find(conversation.questions[0].text, 1)  # what is read from the disk once belongs to no question
        for number, question in enumerate(conversation.questions, 1):
            spent = embedder.cpu_s if embedder else 0.0
            began = time.process_time()
            finder.find(question.text, _USUAL)
            took = time.process_time() - began - (embedder.cpu_s - spent if embedder else 0.0)
            ranked = finder.find(question.text, _MOST)
            if embedder and embedder.trouble:  # a memory goes on by words alone, which is not what is measured
                raise embedder.trouble
            values = measured(ranked, question.evidence, tokens)
            answers.append(Asked(question.category, values, 1000 * max(took, 0.0)))
            told(number)
    finally:
        finder.close()
    return tuple(answers)


def _key(conversation: Conversation, settings: Settings, model: str) -> str:
    """Name what results depend on."""
    chosen = [asdict(getattr(settings, name)) for name in _GROUPS]
    known = orjson.dumps(
        [__version__, model, chosen, asdict(conversation)],
        default=lambda value: sorted(value) if isinstance(value, frozenset) else str(value),
    )
    return hashlib.sha256(known).hexdigest()


def _document(key: str, known: dict[str, tuple[Asked, ...]]) -> bytes:
    ways = {name: [[one.category, list(one.values), one.cpu_ms] for one in some] for name, some in known.items()}
    return orjson.dumps({"key": key, "ways": ways}, option=orjson.OPT_APPEND_NEWLINE)


def _known(file: Path, key: str) -> dict[str, tuple[Asked, ...]]:
    """Return the results in a file; none where it is missing, damaged, or of other settings."""
    try:
        found = orjson.loads(read_or_none(file) or b"{}")
        ways = found["ways"].items() if found.get("key") == key else ()
        return {name: tuple(Asked(one[0], tuple(one[1]), one[2]) for one in some) for name, some in ways}
    except (orjson.JSONDecodeError, AttributeError, IndexError, KeyError, TypeError):
        return {}
