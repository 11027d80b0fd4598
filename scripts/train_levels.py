"""Train the learned part of the choice of level from labelled messages, and print how well it does on unseen files.

Run from the repository: `python scripts/train_levels.py`. It writes nola/context/level_weights.json; the result depends
on nothing but the labelled files, the questions of the personas and the lexicon. Every file is tested by a model that
has not seen it; the file tests/fixtures/levels/d.json is never read here.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nola.context.level_features import features, thread_of
from nola.context.level_model import lexicon
from nola.context.level_reading import read
from nola.flow import Exchange
from nola.types import Level

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "fixtures" / "levels"
PERSONAS = ROOT / "tests" / "fixtures" / "personas"
PLAY = re.compile(r"\b(joke|riddle|haiku|limerick|poem|rhyme)\b")
TARGET = ROOT / "nola" / "context" / "level_weights.json"
FILES = ("a", "b", "c", "held_out", "own")
RIDGE, MADE_WEIGHT, PERSONA_WEIGHT = 2.0, 0.15, 0.4
STEPS, RATE = 500, 0.05
LEAST_SEEN = 3
SHORTEST_WHOLE = 4
LIGHTEST = 0.02

Item = dict[str, Any]
Model = tuple[list[str], "NDArray[np.float64]", "NDArray[np.float64]"]


def load(name: str) -> list[Item]:
    """Read one labelled file."""
    items: list[Item] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return items


def load_personas() -> list[Item]:
    """Read the questions asked of the personas: plain look-ups, asked without a history; calls for play left out."""
    asked: dict[str, Item] = {}
    for path in sorted(PERSONAS.glob("*/questions.json")):
        for group in json.loads(path.read_text("utf-8")).values():
            for text in [q["q"] for q in group] if isinstance(group, list) else []:
                item = {"text": text, "level": 2, "history": [], "lang": "en", "weight": PERSONA_WEIGHT}
                if not PLAY.search(text.lower()):
                    asked.setdefault(text.lower().rstrip("?."), item | {"persona": path.parent.name})
    return list(asked.values())


def names_of(item: Item) -> list[str]:
    """Return the names of a message's features."""
    history = [Exchange(e["user"], Level(e["level"]), e["assistant"]) for e in item["history"]][-4:]
    readings = [read(e.user, lexicon()) for e in history]
    reading = read(item["text"], lexicon(), [w for r in readings for w in r.words])
    return list(features(reading, thread_of(history, readings, 4)))


def transplanted(items: list[Item]) -> list[Item]:
    """Set messages that stand alone into other conversations: what they ask for stays the same."""
    found = {json.dumps(i["history"], ensure_ascii=False) for i in items if i["history"]}
    whole = [json.loads(h) for h in sorted(found)]
    histories = whole + [h[:n] for h in whole for n in range(1, len(h))]
    by_last = {level: [h for h in histories if h[-1]["level"] == level] for level in (1, 2, 3)}
    alone = [i for i in items if not i["history"] and len(i["text"].split()) >= SHORTEST_WHOLE]
    made = []
    for n, item in enumerate(alone):
        for k, last in enumerate((3, 1 + n % 2)):
            made.append(item | {"history": by_last[last][(7 * n + 3 * k) % len(by_last[last])]})
    return made


def train(items: list[Item]) -> Model:
    """Fit a multinomial logistic regression with a ridge penalty, by Adam over the whole set."""
    made = transplanted(items)
    rows = [names_of(i) for i in items + made]
    weight = np.array([i.get("weight", 1.0) for i in items] + [MADE_WEIGHT * i.get("weight", 1.0) for i in made])
    seen = Counter(n for row in rows for n in row)
    names = sorted(n for n, c in seen.items() if c >= LEAST_SEEN)
    place = {n: i for i, n in enumerate(names)}
    present = [[*(place[n] for n in row if n in place), len(names)] for row in rows]
    at = np.repeat(np.arange(len(rows)), [len(p) for p in present])
    which = np.array([i for p in present for i in p])
    y = np.eye(3)[[i["level"] - 1 for i in items + made]]
    ridge = np.array([RIDGE] * len(names) + [0.0])
    fitted = descend((at, which), y, weight, ridge)
    return names, fitted[:-1], fitted[-1]


def descend(
    ones: tuple[NDArray[np.int64], NDArray[np.int64]],
    y: NDArray[np.float64],
    weight: NDArray[np.float64],
    ridge: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the weights [features + 1, 3] that fit best, the last row being the bias.

    Args:
        ones: Message and feature of every feature present.
        y: Wanted chances [messages, 3].
        weight: How much each message counts.
        ridge: How much each feature's weight is held back.
    """
    at, which = ones
    w = np.zeros((len(ridge), 3))
    first, second = np.zeros_like(w), np.zeros_like(w)
    for step in range(1, STEPS + 1):
        p = softmax(summed(at, w[which], len(y)))
        gradient = summed(which, ((p - y) * weight[:, None])[at], len(w)) + ridge[:, None] * w
        first = 0.9 * first + 0.1 * gradient
        second = 0.999 * second + 0.001 * gradient**2
        rate = RATE * (1 - 0.9 * step / STEPS)
        w -= rate * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return w


def summed(groups: NDArray[np.int64], rows: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Sum rows of three by the group that each belongs to."""
    return np.stack([np.bincount(groups, rows[:, k], count) for k in range(3)], axis=1)


def softmax(z: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn rows of sums into rows of probabilities."""
    e = np.exp(z - z.max(axis=1, keepdims=True))
    out: NDArray[np.float64] = e / e.sum(axis=1, keepdims=True)
    return out


def guess(model: Model, item: Item) -> int:
    """Return the level that the model alone gives a message."""
    names, weights, bias = model
    present = set(names_of(item))
    sums = bias + sum((weights[i] for i, n in enumerate(names) if n in present), np.zeros(3))
    return int(np.argmax(sums)) + 1


def cross_validate(sets: dict[str, list[Item]]) -> None:
    """Print, for every file, how a model trained on the other files does on it."""
    for left_out, items in sets.items():
        model = train([i for name, other in sets.items() if name != left_out for i in other])
        pairs = Counter((item["level"], guess(model, item)) for item in items)
        right = sum(c for (want, got), c in pairs.items() if want == got)
        print(f"{left_out}: {right / len(items):.3f} of {len(items)} by a model that has not seen it")
        for want in (1, 2, 3):
            print(f"   level {want} taken for 1, 2, 3:", *(pairs[want, got] for got in (1, 2, 3)))


def write(model: Model) -> None:
    """Write the weights, one feature a line, the weightless left out."""
    names, weights, bias = model
    kept = {n: [round(float(v), 3) for v in weights[i]] for i, n in enumerate(names)}
    lines = [f"    {json.dumps(n, ensure_ascii=False)}: {v}" for n, v in kept.items() if max(map(abs, v)) >= LIGHTEST]
    body = ",\n".join(lines)
    start = [round(float(v), 3) for v in bias]
    TARGET.write_text(f'{{\n  "bias": {start},\n  "features": {{\n{body}\n  }}\n}}\n', "utf-8")
    print(f"{len(lines)} features written to {TARGET.relative_to(ROOT)}")


def main() -> int:
    """Cross-validate over the files, then train on all of them and write the weights."""
    sets = {name: load(name) for name in FILES} | {"personas": load_personas()}
    cross_validate(sets)
    write(train([i for items in sets.values() for i in items]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
