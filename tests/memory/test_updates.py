"""Tests of putting the current value before the outdated one."""

from __future__ import annotations

import json
import os
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nola.errors import NolaError
from nola.learned import Memory
from nola.llm.embed import MiniLmEmbedder
from nola.llm.models import ModelFiles
from nola.memory.updates import LOOKED_AT, Said, asks_for_the_past, features, is_of_another, newer_first, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.memory.keeper import Embedder

CASES = Path(__file__).parent.parent / "fixtures" / "updates"
START = datetime(2026, 1, 1, tzinfo=UTC)
LIVES, MOVED = "I live in Bergen.", "I live in Oslo now."
NO_UPDATES = [
    ("What is my sister's job?", "My sister works as a teacher.", "My sister visited a friend in Rome."),
    ("Where do I live?", "I live in Bergen.", "I moved the sofa to the other side of the room."),
    ("What is my dog called?", "My dog is called Rex.", "The neighbours took their parrot to the vet."),
    ("Where does Anna work?", "Anna works at the bank.", "Ben started at the hospital."),
    ("What is my favourite colour?", "My favourite colour is blue.", "I saw a very good film about whales."),
    ("Which instrument do I play?", "I play the cello.", "I listened to a concert in the park yesterday."),
    ("What car do I drive?", "I drive a Volvo.", "My brother bought a new Tesla."),
    ("When is my dentist appointment?", "My dentist appointment is on Tuesday.", "The haircut was cheap."),
    ("What is the wifi password?", "The wifi password is sunflower22.", "The router stands in the hall."),
    ("How old is my son?", "My son is nine years old.", "My daughter turned four yesterday."),
    ("Who is my manager?", "My manager is Peter Lund.", "I gave the plants some water."),
    (
        "What is my brother's phone number?",
        "My brother's phone number is 555 1.",
        "My mother has a new phone number, 555 2.",
    ),
    ("What do I drink in the morning?", "I drink coffee in the morning.", "The meeting in the morning was long."),
    ("Where did I live before Oslo?", "I live in Bergen.", "I moved to Oslo last month."),
    ("What was my old phone number?", "My phone number is 555 1234.", "My new phone number is 555 9876."),
    ("Where did I use to work?", "I work at the bank.", "I joined a school."),
]


def cases(name: str) -> list[dict[str, Any]]:
    """Return the cases of one file."""
    found: list[dict[str, Any]] = json.loads((CASES / f"{name}.json").read_text(encoding="utf-8"))
    return found


def said(texts: Sequence[str], at_s: Sequence[float] | None = None, speaker: str = "Tom") -> list[Said]:
    """Return what was found, each said later than the one before it, all equally relevant."""
    times = at_s or [float(day) for day in range(len(texts))]
    return [Said(text, speaker, at, 1.0, 0.0) for text, at in zip(texts, times, strict=True)]


def first(name: str, embedder: Embedder | str) -> tuple[int, int]:
    """Ask every question of a file among forty statements of other cases: how often the newer is first, of how many."""
    given, right = cases(name), 0
    with Memory.open(Path(os.environ["TMPDIR_OF_TEST"], f"{name}.db"), embedder=embedder) as memory:
        for number, case in enumerate(given):
            chance = random.Random(number)  # noqa: S311 -- no secret
            others = [one[side] for one in given if one is not case for side in ("old", "new")]
            texts = [*chance.sample(others, 40), *case.get("distractors", ())]
            chance.shuffle(texts)
            texts = [*texts[:10], case["old"], *texts[10:], case["new"]]
            memory.store_many(
                {"content": text, "at": START + timedelta(days=day), "speaker": "Tom", "namespace": f"case{number}"}
                for day, text in enumerate(texts)
            )
        assert memory.wait_indexed(600)
        for number, case in enumerate(given):
            found = memory.recall(case["question"], namespace=f"case{number}", limit=60, count=False)
            order = [one.content for one in found]
            scores = [one.score for one in found]
            assert scores == sorted(scores, reverse=True)
            right += case["new"] in order and order.index(case["new"]) < [*order, case["old"]].index(case["old"])
    return right, len(given)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `first` know where its files may lie."""
    monkeypatch.setenv("TMPDIR_OF_TEST", str(tmp_path))


@pytest.mark.row("P11")
def test_the_current_value_comes_first_by_words_alone() -> None:
    """Of 60 pairs in plain words the newer stands first in seven of ten, though it may not share a word with them."""
    right, count = first("plain", "none")
    assert count == 60
    assert right >= 0.7 * count


@pytest.mark.models
@pytest.mark.row("P11")
@pytest.mark.parametrize("name", ["plain", "everyday"])
def test_the_current_value_comes_first(minilm: MiniLmEmbedder, name: str) -> None:
    """With the real embedder, through the library: nine of ten."""
    right, count = first(name, minilm)
    print(f"\n{name}: newer first in {right} of {count}")  # noqa: T201 -- a figure
    assert right >= 0.9 * count


@pytest.mark.models
def test_what_still_holds_stays_first(minilm: MiniLmEmbedder, tmp_path: Path) -> None:
    """150 answers of which the like was said later of another thing: nearly all stay where they were."""
    given, kept = cases("contrasts"), 0
    with Memory.open(tmp_path / "memory.db", embedder=minilm) as memory:
        for number, case in enumerate(given):
            for day, text in enumerate((case["answer"], case["contrast"])):
                at = START + timedelta(days=day)
                memory.store(text, at=at, namespace=f"case{number}")
        assert memory.wait_indexed(600)
        for number, case in enumerate(given):
            found = memory.recall(case["question"], namespace=f"case{number}", count=False)
            kept += found[0].content == case["answer"]
    print(f"\nanswers that stay first: {kept} of {len(given)}")  # noqa: T201 -- a figure
    assert kept >= 0.75 * len(given)


@pytest.fixture
def minilm(tmp_path: Path) -> MiniLmEmbedder:
    """The real embedder; `NOLA_TEST_MODELS` names a folder that keeps its files."""
    files = ModelFiles(Path(os.environ.get("NOLA_TEST_MODELS") or tmp_path))
    try:
        return MiniLmEmbedder(files.fetch("minilm"), files.fetch("minilm-tokenizer"), threads=1)
    except NolaError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize(("question", "old", "new"), NO_UPDATES)
def test_what_replaces_nothing_stays_where_it_was(question: str, old: str, new: str) -> None:
    """A newer statement about somebody or something else does not move, nor does one when the past is asked for."""
    found = said([old, new])
    assert newer_first(question, [found[0], found[1]._replace(relevance=0.4)]) == [0, 1]


@pytest.mark.parametrize(
    ("question", "old", "new"),
    [
        ("How much is milk?", "Milk costs 2 euros", "Bread now costs 3 euros"),
        ("How much is invoice 1041?", "Invoice 1041 is 300 euros", "Invoice 1042 is now 500 euros"),
        (
            "What is the office wifi password?",
            "The office wifi password is swan",
            "The house wifi password is now owl",
        ),
        ("What car do I drive?", "I drive a Golf", "My boss drives a Jaguar now"),
        ("Where does Anna live?", "Anna lives in Rome", "Ben lives in Oslo now"),
    ],
)
def test_the_same_of_another(question: str, old: str, new: str) -> None:
    """Another number, name, person or thing is another matter, however alike the words and near the vectors are."""
    assert is_of_another(features(question, said([old, new]), np.ones((2, 2), dtype=np.float32)))[0, 1]
    assert newer_first(question, said([old, new]), np.ones((2, 2), dtype=np.float32)) == [0, 1]


@pytest.mark.parametrize(
    ("texts", "speakers", "at_s", "order"),
    [
        ([LIVES, MOVED], ["Tom", "Tom"], [0.0, 1.0], [1, 0]),
        ([LIVES, MOVED], ["Tom", "Tom"], [1.0, 0.0], [0, 1]),
        ([LIVES, MOVED], ["Tom", "Tom"], [0.0, 0.0], [0, 1]),
        ([LIVES, MOVED], ["Tom", "Eva"], [0.0, 1.0], [0, 1]),
        ([LIVES, MOVED], ["", ""], [0.0, 1.0], [1, 0]),
        ([MOVED, LIVES], ["", ""], [1.0, 0.0], [0, 1]),
        (["I like tea.", LIVES, "The sun is bright.", MOVED], [""] * 4, [0.0, 1.0, 2.0, 3.0], [0, 3, 1, 2]),
        ([LIVES, "I live in Rome.", MOVED], [""] * 3, [0.0, 1.0, 2.0], [2, 1, 0]),
        ([LIVES, "Do I live in Oslo now?"], [""] * 2, [0.0, 1.0], [0, 1]),
        ([LIVES], [""], [0.0], [0]),
        ([], [], [], []),
    ],
)
def test_only_the_newer_moves(texts: list[str], speakers: list[str], at_s: list[float], order: list[int]) -> None:
    """What the same speaker said later moves right before what it replaces; nothing else changes its place."""
    found = [one._replace(speaker=speaker) for one, speaker in zip(said(texts, at_s), speakers, strict=True)]
    assert newer_first("Where do I live?", found) == order


def test_only_the_best_are_looked_at() -> None:
    """A newer statement far down the list is not fetched up."""
    texts = [LIVES, *["The sun is bright."] * LOOKED_AT, MOVED]
    assert newer_first("Where do I live?", said(texts))[-1] == len(texts) - 1


def test_long_statements_have_to_be_surer() -> None:
    """Among statements that say much else too, more evidence is wanted."""
    much = " The garden, the roof, the fence, the kitchen, the cellar, the stairs and the oven want paint and nails."
    assert newer_first("Where do I live?", said([LIVES, MOVED])) == [1, 0]
    assert newer_first("Where do I live?", said([LIVES + much, "At last. Boxes in Oslo." + much])) == [0, 1]


@pytest.mark.parametrize("vectors", [True, False])
def test_every_weight_has_its_feature(vectors: bool) -> None:  # noqa: FBT001 -- one of two
    """The shipped weights and the features that are computed have the same names."""
    table = features("Where do I live?", said([LIVES, MOVED]), np.ones((2, 2), dtype=np.float32) if vectors else None)
    assert set(read(vectors=vectors).weights) == set(table)
    assert {values.shape for values in table.values()} == {(2, 2)}


@pytest.mark.parametrize("text", ["", "\x00", "🎉 🎉", "x" * 100_000, "My", "?!. . .", "名前 が"])
def test_any_text(text: str) -> None:
    """Texts without words, and very long ones, are compared too."""
    assert sorted(newer_first(text, said([text, LIVES, text]))) == [0, 1, 2]


@pytest.mark.parametrize(
    ("question", "past"),
    [
        ("Where did I live before Oslo?", True),
        ("What was my first car?", True),
        ("What is my old address?", True),
        ("Where did I work in 2019?", True),
        ("Where do I live?", False),
        ("How old is my daughter?", False),
    ],
)
def test_the_past_is_asked_for(question: str, *, past: bool) -> None:
    """Words such as before, first, did and a year ask for how it was; an age does not."""
    assert asks_for_the_past(question) is past
