"""The lexicon and the learned weights of the choice of level, read once from beside this file."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from nola.context.level_words import Lexicon, compile_lexicon
from nola.types import Level

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Weights", "lexicon", "probabilities", "small_words", "weights"]

_LEXICONS = ("social", "requests", "lookups", "shapes")


@dataclass(frozen=True, slots=True)
class Weights:
    """A multinomial logistic regression: for every feature one weight per level, 1 to 3."""

    bias: tuple[float, float, float]
    features: Mapping[str, tuple[float, float, float]]


@cache
def lexicon() -> Lexicon:
    """Return the compiled lexicon."""
    folder = resources.files(__package__ or "nola.context")
    return compile_lexicon(
        json.loads(folder.joinpath(f"level_lexicon_{name}.json").read_text("utf-8")) for name in _LEXICONS
    )


@cache
def small_words(spoken: frozenset[str]) -> frozenset[str]:
    """Return the words of these languages that carry no weight of their own."""
    return frozenset(w for language in spoken for w in lexicon().function_words.get(language, ()))


@cache
def weights() -> Weights:
    """Return the learned weights."""
    raw = json.loads(resources.files(__package__ or "nola.context").joinpath("level_weights.json").read_text("utf-8"))
    return Weights(tuple(raw["bias"]), {name: tuple(w) for name, w in raw["features"].items()})


def probabilities(names: Mapping[str, str], learned: Weights) -> dict[Level, float]:
    """Return how likely each level is for a message with these features."""
    sums = list(learned.bias)
    for name in names:
        for i, weight in enumerate(learned.features.get(name, ())):
            sums[i] += weight
    top = max(sums)
    parts = [math.exp(s - top) for s in sums]
    return {level: part / sum(parts) for level, part in zip(Level, parts, strict=True)}
