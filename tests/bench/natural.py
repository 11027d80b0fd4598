"""Memories and questions as people would write them, made by rule: the same ones each time."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["NAMES", "START", "memories", "questions"]

START = datetime(2020, 1, 1, tzinfo=UTC)
NAMES = ("Alma", "Benny", "Carlena", "Dorian", "Elio", "Farah", "Gustav", "Hanna", "Ivo", "Jolanda", "Kiran", "Leandro")
_TEMPLATES = (
    "I went to the {0} with my {1} last week and we talked about {2} {3} until late, then {4} called about the {5}",
    "My {0} told me that the {1} in {2} has a new {3}, so we want to try the {4} there with {5} next month",
    "Do you remember the {0} that we bought for {1}? It is broken and I must find {2} {3} before the {4} {5}",
    "I think {0} is better for {1} than {2}, but my doctor said I should be careful with {3} and {4} after the {5}",
    "We had {0} and {1} for dinner at the {2}, it was really good, and {3} wants the recipe for {4} with {5}",
    "She works as a {0} at the {1} near {2} and they gave her {3} days off because of the {4} {5} project",
    "The meeting about {0} was moved to the {1}, please tell {2} to bring the {3} and the {4} from {5}",
)
_QUESTIONS = (
    "What did {name} say about the {0} and the {1}?",
    "When did {name} go to the {0} with the {1}?",
    "Which {0} does my {1} want to try with {2}?",
    "Where did we have {0} and {1} for dinner?",
    "Who told me about the {0} in {1} and the new {2}?",
    "What should I be careful with after the {0} {1}?",
)
_VOCABULARY = ["".join(part) for part in product("ba ce di fo gu ka le mi no pu ra se ti vo zu".split(), "lan mer tik por sun dra fel gor hin jat".split(), "ba ce di fo gu ka le mi no pu ra se ti vo zu".split(), ["", "ing", "ed", "s"])]  # fmt: skip  # noqa: E501
_WEIGHTS = [1 / (n + 5) for n in range(len(_VOCABULARY))]


def memories(count: int, *, seed: int = 1) -> Iterator[dict[str, object]]:
    """Yield memories of about 25 words in conversations of twenty turns of two people, with a Zipf vocabulary."""
    draw = random.Random(seed)  # noqa: S311 -- the same memories each time
    words = iter(draw.choices(_VOCABULARY, _WEIGHTS, k=6 * count))
    for n in range(count):
        template = _TEMPLATES[draw.randrange(len(_TEMPLATES))]
        yield {
            "content": template.format(*(next(words) for _ in range(6))),
            "speaker": NAMES[(n // 20 + n % 2) % len(NAMES)],
            "conversation": f"c{seed}-{n // 20}",
            "at": START + timedelta(minutes=10 * n),
            "kind": "episodic",
        }


def questions(count: int, *, seed: int = 9) -> Iterator[str]:
    """Yield natural questions about them."""
    draw = random.Random(seed)  # noqa: S311 -- the same questions each time
    for n in range(count):
        some = draw.choices(_VOCABULARY, _WEIGHTS, k=3)
        yield _QUESTIONS[n % len(_QUESTIONS)].format(*some, name=draw.choice(NAMES))
