"""Trains what tells that a statement was replaced (nola/memory/updates.json), and says how well it does on others.

Usage: scripts/train_updates.py [--write] FOLDER

The folder holds files of cases: `{"old", "new", "question"}`, with `distractors` and `contrasts` beside them, and pairs
of `{"question", "answer", "contrast"}`, whose answer still holds. Each case is asked among statements of other cases;
every file is judged by weights that never saw it. Needs the MiniLM files (nola model get minilm).
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nola import Memory
from nola import config as configuration
from nola.llm.choose_embedder import embedder_named
from nola.memory import updates
from nola.memory.updates import LOOKED_AT, Linear, Said, features, is_of_another, newer_first

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

TARGET = Path(__file__).resolve().parent.parent / "nola" / "memory" / "updates.json"
START = datetime(2026, 1, 1, tzinfo=UTC)
OTHERS = 40
ANONYMOUS = 0.4
POSITIVE = 1.0
RIDGE = 1.0
STEPS = 40


@dataclass(frozen=True, slots=True)
class Found:
    """What one question found.

    Attributes:
        file: Where the case is from.
        question: As it was asked.
        said: What was found, by relevance.
        cosines: Between them.
        old: The statement that was true once, or still is.
        new: The statement that replaces it; empty when there is none.
    """

    file: str
    question: str
    said: list[Said]
    cosines: NDArray[np.float32]
    old: str
    new: str


def cases(path: Path) -> list[dict[str, Any]]:
    """Read a file of cases."""
    given = json.loads(path.read_text(encoding="utf-8"))
    return [
        {**one, "old": one["answer"], "contrasts": [one["contrast"]], "new": ""} if "answer" in one else one
        for one in given
    ]


def statements(case: dict[str, Any], rest: list[str], chance: random.Random, *, replaced: bool) -> list[str]:
    """Return what is stored for a case, in the order of its telling: the old one comes before what is compared."""
    later = [*case.get("contrasts", ()), *([case["new"]] if replaced else [])]
    texts = [*chance.sample(rest, min(OTHERS, len(rest))), *case.get("distractors", ()), case["old"], *later]
    chance.shuffle(texts)
    for text in later:
        old, new = texts.index(case["old"]), texts.index(text)
        if old > new:
            texts[old], texts[new] = texts[new], texts[old]
    return texts


def gathered(path: Path, embedder: Any) -> Iterable[Found]:
    """Ask the questions of a file, with what replaces the old statement and without it."""
    given = cases(path)
    for replaced in (True, False):
        with tempfile.TemporaryDirectory() as folder, Memory.open(Path(folder, "m.db"), embedder=embedder) as memory:
            asked = [case for case in given if case["new"] or not replaced]
            for number, case in enumerate(asked):
                chance = random.Random(f"{path.name} {number} {replaced}")  # noqa: S311 -- no secret
                rest = [text for one in given if one is not case for text in (one["old"], one["new"]) if text]
                speaker = "" if chance.random() < ANONYMOUS else case.get("speaker", "Tom")
                memory.store_many(
                    {"content": text, "at": START + timedelta(day * 3), "speaker": speaker, "namespace": f"n{number}"}
                    for day, text in enumerate(statements(case, rest, chance, replaced=replaced))
                )
            memory.wait_indexed()
            for number, case in enumerate(asked):
                found = memory.recall(case["question"], namespace=f"n{number}", limit=LOOKED_AT, count=False)
                found.sort(key=lambda one: -one.score + one.parts.get("newer", 0.0))
                vectors = embedder.embed([one.content for one in found])
                said = [Said(o.content, o.speaker, o.at.timestamp(), o.relevance, o.cosine) for o in found]
                new = case["new"] if replaced else ""
                yield Found(path.stem, case["question"], said, vectors @ vectors.T, case["old"], new)


def rows(found: Iterable[Found], *, vectors: bool) -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Return names, features [n, d] and labels [n] of pairs that tell something: the old one, and what came later."""
    names: list[str] = []
    taken, labels = [], []
    for one in found:
        texts = [said.text for said in one.said]
        table = features(one.question, one.said, one.cosines if vectors else None)
        names, another = list(table), is_of_another(table)
        for old, new in ((a, b) for a in range(len(texts)) for b in range(len(texts))):
            if one.said[new].at_s <= one.said[old].at_s or texts[new].rstrip().endswith("?"):
                continue
            is_pair = texts[old] == one.old and texts[new] == one.new
            if another[old, new]:
                continue
            if is_pair or (new > old and texts[old] == (one.new or one.old)):
                taken.append([table[name][old, new] for name in names])
                labels.append(float(is_pair))
    return names, np.array(taken), np.array(labels)


def fitted(names: list[str], given: NDArray[np.float64], labels: NDArray[np.float64]) -> Linear:
    """Fit a ridge logistic regression by Newton's method; return it over raw features."""
    mean, scale = given.mean(axis=0), np.maximum(given.std(axis=0), 1e-6)
    table = np.column_stack([(given - mean) / scale, np.ones(len(given))])
    weight = np.where(labels > 0, POSITIVE, 1.0)
    ridge = RIDGE * np.append(np.ones(len(names)), 1e-6)
    found = np.zeros(len(names) + 1)
    for _ in range(STEPS):
        odds = 1 / (1 + np.exp(-table @ found))
        gradient = table.T @ (weight * (odds - labels)) + ridge * found
        curvature = (table * (weight * odds * (1 - odds))[:, None]).T @ table + np.diag(ridge)
        found -= np.linalg.solve(curvature, gradient)
    raw = found[:-1] / scale
    bias = float(found[-1] - raw @ mean)
    return Linear({name: round(float(w), 4) for name, w in zip(names, raw, strict=True)}, round(bias, 4))


def judged(model: Linear, found: Iterable[Found], *, vectors: bool) -> str:
    """Say how often the newer statement came first, and what that costs where nothing was replaced."""
    right = pairs = 0
    before: list[float] = []
    after: list[float] = []
    with_model = updates.read
    updates.read = lambda *, vectors: model  # type: ignore[assignment] # noqa: ARG005 -- judged is this one
    for one in found:
        texts = [said.text for said in one.said]
        order = [texts[place] for place in newer_first(one.question, one.said, one.cosines if vectors else None)]
        if one.new:
            places = [order.index(text) if text in order else len(order) for text in (one.new, one.old)]
            right += places[0] < places[1]
            pairs += 1
        elif one.old in order:
            before.append(1 / (1 + texts.index(one.old)))
            after.append(1 / (1 + order.index(one.old)))
    updates.read = with_model
    share = f"{right / pairs:.2f} of {pairs} newer first" if pairs else "nothing to replace"
    return f"{share}; MRR where nothing was replaced {np.mean(before):.2f} -> {np.mean(after):.2f}"


def main() -> None:
    """Train, judge every file by the others, and write with --write."""
    arguments = [argument for argument in sys.argv[1:] if argument != "--write"]
    paths = sorted(path for argument in arguments for path in Path(argument).glob("*.json"))
    embedder = embedder_named("minilm", configuration.load(os.environ))
    found = [one for path in paths for one in gathered(path, embedder)]
    written = {}
    for kind in ("vectors", "words"):
        vectors = kind == "vectors"
        for path in paths:
            model = fitted(*rows((one for one in found if one.file != path.stem), vectors=vectors))
            print(f"{kind:8} {path.stem:10}", judged(model, (o for o in found if o.file == path.stem), vectors=vectors))
        model = fitted(*rows(found, vectors=vectors))
        print(f"{kind:8} all, seen ", judged(model, found, vectors=vectors))
        written[kind] = {"bias": model.bias, "weights": dict(model.weights)}
    if "--write" in sys.argv:
        TARGET.write_text(json.dumps(written, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
