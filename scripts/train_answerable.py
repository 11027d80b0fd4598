"""Trains the judge of answers (nola/reason/answerable.json) on persona folders, and says how well it does on others.

Usage: scripts/train_answerable.py [--write] PERSONA_FOLDER...

Every persona is judged by weights that never saw it (five folds). Needs the MiniLM files (nola model get minilm).
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # many small systems: threads only wait for each other

import numpy as np

from nola import config as configuration
from nola.app import open_assistant
from nola.context.select import Selector
from nola.evaluation.personas import Asked, install, load
from nola.reason.answerable import Linear, answerable_from, question_features
from nola.reason.evidence import Vocabulary, pair_features
from nola.reason.metacognition import gather, judged_rows
from nola.reason.question import read_question
from nola.text import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nola.context.select import Vectoriser
    from nola.flow import Candidate

TARGET = Path(__file__).resolve().parent.parent / "nola" / "reason" / "answerable.json"
JUDGED = 12
PARTS = (1, 0.5, 0.2, 0.07)
FOLDS = 5
PART_SHARE = 0.03  # there are many parts, and whole states are what people have
FACT_C, QUESTION_C = 0.3, 0.02
THRESHOLDS = (0.4, 0.5, 0.55, 0.6, 0.65, 0.7)


@dataclass(frozen=True, slots=True)
class Row:
    """One question with its judged facts: features, and which of them answer it."""

    persona: str
    asked: Asked
    features: list[dict[str, float]]
    answers: list[bool]
    texts: list[str]
    gated: bool
    whole: bool


def rows_of(folder: Path, vectoriser: Vectoriser | None) -> list[Row]:
    """Rank the facts of a persona for each of its questions: the whole state, and ever smaller parts of it.

    In a part, a question whose facts are missing can't be answered any more, so small states teach to admit that.
    """
    persona = load(folder)
    with tempfile.TemporaryDirectory() as home:
        install(persona, Path(home) / "state")
        assistant = open_assistant(configuration.load({"NOLA_HOME": home, "NOLA_NOW": persona.now.isoformat()}))
        assistant.get_state()
        candidates = assistant._parts.state.candidates()  # noqa: SLF001 -- the script measures what the agent sees
        settings = assistant.config.settings
        assistant.close()
    dice = random.Random(persona.name)  # noqa: S311 -- repeatable parts, not secrets
    own = [c for c in candidates if not c.path.startswith(("Nola.", "machineID."))]
    rows = []
    for part in PARTS:
        kept = set(dice.sample(range(len(own)), max(3, round(part * len(own)))))
        left = {own[i].path for i in kept}
        some = [c for c in candidates if c.path in left or c.path.startswith(("Nola.", "machineID."))]
        selector = Selector(settings.relevance, turn_budget_s=600)
        asked = persona.questions if part == 1 else [q for q in persona.questions if q.kind != "general"]
        rows += [_row(persona.name, q, some, selector, vectoriser, whole=part == 1) for q in asked]
    return [row for row in rows if row is not None]


def _row(
    name: str,
    asked: Asked,
    candidates: Sequence[Candidate],
    selector: Selector,
    vectoriser: Vectoriser | None,
    *,
    whole: bool,
) -> Row | None:
    ranking = selector.rank(
        asked.text, candidates, revision=0, vectoriser=vectoriser, wants_former=read_question(asked.text).former
    )
    known = Vocabulary.of(ranking.facts)
    question = read_question(asked.text, known.names, known.topics, known.people)
    order = judged_rows(question, ranking, JUDGED)
    evidence = gather(question, ranking, order, vectoriser)
    facts = [ranking.facts[r] for r in order]
    right = [_answers(asked, f.path) and not (f.former and not question.former) for f in facts]
    if not whole and asked.kind != "unknown" and not any(_answers(asked, f.path) for f in ranking.facts):
        told = any(fold(a) in fold(f.value) for a in asked.accepted for f in ranking.facts)
        if told or not facts:
            return None  # another fact may well answer it
        asked = replace(asked, kind="unknown")
    features = pair_features(question, ranking.facts, evidence, known)
    return Row(name, asked, features, right, [f.text for f in facts], question.owner and question.lookup, whole)


def _answers(asked: Asked, path: str) -> bool:
    plain = path.replace('"', "")
    return asked.kind in {"known", "changed"} and any(n == plain or n.startswith(f"{plain}.") for n in asked.needs)


def fit(
    rows: Sequence[dict[str, float]], answers: Sequence[bool], c: float, share: Sequence[float] | None = None
) -> Linear:
    """Fit a logistic model with an L2 prior by Newton's method on standardised features."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    x = np.array([[row.get(name, 0.0) for name in names] for row in rows])
    mean, scale = x.mean(0), x.std(0)
    scale[scale < 1e-9] = 1.0  # noqa: PLR2004 -- a constant feature
    z = np.c_[(x - mean) / scale, np.ones(len(x))]
    y = np.array(answers, float)
    share_ = np.ones(len(y)) if share is None else np.array(share)
    prior = np.r_[np.full(len(names), 1 / c), 1e-6]
    w = np.zeros(len(names) + 1)
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(z @ w, -30, 30)))
        step = np.linalg.solve(
            (z * (share_ * p * (1 - p))[:, None]).T @ z + np.diag(prior), z.T @ (share_ * (p - y)) + prior * w
        )
        w -= step
        if np.abs(step).max() < 1e-8:  # noqa: PLR2004 -- converged
            break
    return Linear(tuple(names), tuple(mean), tuple(scale), tuple(w[:-1]), float(w[-1]))


def train(rows: Sequence[Row]) -> tuple[Linear, Linear]:
    """Train the judge of one fact, then on its honest (left out) verdicts the judge of a question."""
    rows = [r for r in rows if r.asked.kind != "general"]
    seen, verdicts, share = [], [], []
    names = list(dict.fromkeys(r.persona for r in rows))
    for fold_ in (names[i::FOLDS] for i in range(min(FOLDS, len(names)))):
        judge = fit(*_pairs(r for r in rows if r.persona not in fold_), FACT_C)
        for row in rows:
            if row.persona in fold_:
                seen.append(question_features(row.features, [judge.probability(f) for f in row.features]))
                verdicts.append(row.asked.kind != "unknown")
                share.append(1.0 if row.whole else PART_SHARE)
    return fit(*_pairs(rows), FACT_C), fit(seen, verdicts, QUESTION_C, share)


def _pairs(rows: Iterable[Row]) -> tuple[list[dict[str, float]], list[bool]]:
    rows = list(rows)
    return [f for r in rows for f in r.features], [a for r in rows for a in r.answers]


def verdict(row: Row, judges: tuple[Linear, Linear]) -> tuple[float, int]:
    """Return the probability that the question can be answered, and the fact that does."""
    chances = [judges[0].probability(f) for f in row.features]
    return answerable_from(row.features, chances, judges[1]), int(np.argmax(chances))


def report(title: str, rows: Sequence[Row], judges: dict[str, tuple[Linear, Linear]], *, misses: bool) -> None:
    """Print how often the right fact leads, and what each threshold refuses and admits."""
    found = [(row, *verdict(row, judges[row.persona])) for row in rows]
    known = [(p if row.gated else 1.0, row.answers[i]) for row, p, i in found if row.asked.kind in {"known", "changed"}]
    unknown = [p if row.gated else 1.0 for row, p, _ in found if row.asked.kind == "unknown"]
    general = sum(row.gated for row, _, _ in found if row.asked.kind == "general")
    print(
        f"{title}: best fact right {np.mean([a for _, a in known]):.3f}; general questions taken for look-ups {general}"
    )
    for threshold in THRESHOLDS:
        refused = np.mean([p < threshold for p, _ in known])
        admitted = np.mean([p < threshold for p in unknown])
        print(f"  below {threshold:.2f}: {refused:.3f} of the known refused, {admitted:.3f} of the unknown admitted")
    for row, p, best in sorted(found, key=lambda f: f[1]) if misses else ():
        wrong = (p < 0.6) == (row.asked.kind != "unknown") and row.asked.kind != "general" and row.gated  # noqa: PLR2004
        if wrong:
            print(f"  {p:.2f} {row.persona:8} {row.asked.kind:8} {row.asked.text} | {row.texts[best]}")


def as_json(judges: tuple[Linear, Linear]) -> dict[str, object]:
    """Write a pair of models so that a person can read them."""
    out: dict[str, object] = {}
    for name, model in zip(("fact", "question"), judges, strict=True):
        table = zip(model.names, model.mean, model.scale, model.weight, strict=True)
        out[name] = {
            "bias": round(model.bias, 4),
            "features": {
                n: [round(m, 4), round(s, 4), round(w, 4)]
                for n, m, s, w in table
                if not math.isclose(w, 0, abs_tol=5e-5)
            },
        }
    return out


def main(arguments: list[str]) -> None:
    """Train, report, and write when asked."""
    folders = [Path(a) for a in arguments if not a.startswith("--")]
    home = open_assistant()
    vectoriser = home._parts.services.vectoriser()  # noqa: SLF001
    written: dict[str, object] = {
        "about": "Logistic models of nola/reason/answerable.py; each feature has [mean, scale, weight]. Made by scripts/train_answerable.py."  # noqa: E501
    }
    for name, embedder in (("vectors", vectoriser), ("words", None)):
        rows = [row for folder in folders for row in rows_of(folder, embedder)]
        names = list(dict.fromkeys(r.persona for r in rows))
        judges = {}
        for fold_ in (names[i::FOLDS] for i in range(min(FOLDS, len(names)))):
            pair = train([r for r in rows if r.persona not in fold_])
            judges.update(dict.fromkeys(fold_, pair))
        misses = "--misses" in arguments and name == "vectors"
        report(f"{name}, each persona unseen", [r for r in rows if r.whole], judges, misses=misses)
        report(f"{name}, parts of them", [r for r in rows if not r.whole], judges, misses=False)
        written[name] = as_json(train(rows))
    if "--write" in arguments:
        TARGET.write_text(
            json.dumps(written, indent=1, ensure_ascii=False)
            .replace("[\n     ", "[")
            .replace(",\n     ", ", ")
            .replace("\n    ]", "]")
            + "\n",
            encoding="utf-8",
        )
    home.close()


if __name__ == "__main__":
    main(sys.argv[1:])
