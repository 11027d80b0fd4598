"""Words as search sees them."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

import pytest

from nola.text import STOP_WORDS, content_words, fold, humanise, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Ana's CAFÉ", "ana's cafe"),
        ("dog\u2019s", "dog's"),
        ("Straße", "strasse"),
        ("ÀÇÑ\u00f8", "acn\u00f8"),
        ("\ufb01ne", "fine"),
        ("", ""),
    ],
)
def test_folding(text: str, folded: str) -> None:
    """Case, accents and curly quotes go; letters stay."""
    assert fold(text) == folded


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("favouriteColor", "favourite color"),
        ("date_of_birth", "date of birth"),
        ("OSVersion", "OS version"),
        ("URL", "URL"),
        ("item2", "item 2"),
        ("first-name", "first name"),
        ("a.b", "a b"),
        ("", ""),
    ],
)
def test_a_key_becomes_words(key: str, said: str) -> None:
    """Camel case, underscores, dashes and dots part words; abbreviations keep their capitals."""
    assert humanise(key) == said


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What's my dog's name?", ["what", "my", "dog", "name"]),
        ("the dogs' bowl", ["the", "dogs", "bowl"]),
        ("3.5 km, 2026-11-20", ["3", "5", "km", "2026", "11", "20"]),
        ("snake_case e-mail", ["snake", "case", "e", "mail"]),
        ("東京 Ω", ["東京", "ω"]),
        ("?! …", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    """A text falls into folded words, possessives without their s."""
    assert words(text) == found


def test_stems_keep_stop_words_and_content_words_drop_them() -> None:
    """Search compares stems; a question's content has no stop words."""
    assert [stem(word) for word in words("My running shoes")] == ["my", "run", "shoe"]
    assert content_words("What is my running time?") == ["running", "time"]
    assert "what" in STOP_WORDS


@pytest.mark.parametrize(
    ("word", "root"), [("running", "run"), ("relational", "relat"), ("ponies", "poni"), ("a", "a"), ("", "")]
)
def test_stem(word: str, root: str) -> None:
    """A stem is Porter's."""
    assert stem(word) == root


@pytest.fixture
def impatient_threads() -> Iterator[None]:
    """Let threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("impatient_threads")
def test_many_threads_stem_as_one_does() -> None:
    """Eight threads at once find the stems that one finds, and none fails."""
    endings = "s ing ed ness ization fulness iveness al ous ational".split()
    asked = [
        f"{root}{ending}" for root in "run hope condition digit operat form adjust effect".split() for ending in endings
    ]
    stem.cache_clear()
    alone = [stem(word) for word in asked]
    stem.cache_clear()
    found: list[list[str]] = []

    def go(start: int) -> None:
        rounds = [asked[(start + i) % len(asked)] for i in range(len(asked))]
        roots = dict(zip(rounds, map(stem, rounds), strict=True))
        found.append([roots[word] for word in asked])

    threads = [threading.Thread(target=go, args=(10 * n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 8
