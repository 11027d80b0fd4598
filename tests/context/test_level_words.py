"""Tests of how a message's words are cleaned and tagged."""

from __future__ import annotations

import pytest

from nola.context.level_words import clip, compile_lexicon, languages, normal_words, tag

TABLE = {
    "LANG": {"en": "the; is; what", "de": "der; ist; was; im", "fr": "le; est"},
    "WHY": {"en": "why; how come", "de": "warum"},
    "HABIT": {"en": "always; procrastinat*", "de": "immer"},
    "THANKS": {"en": "thanks", "fr": "merci"},
    "GREET": {"xx": "nola", "en": "hey; sleeping"},
}
LEXICON = compile_lexicon([TABLE])
EVERY = frozenset(("xx", "en", "de", "fr"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's up?", ["what", "is", "up"]),
        ("don't", ["do", "not"]),
        ("I can’t, Sarah's here", ["i", "can", "not", "sarah", "here"]),
        ("u shud", ["you", "should"]),
        ("heyyyy", ["hey"]),
        ("sleepin", ["sleeping"]),
        ("hahahaha", ["haha"]),
        ("42 Café", ["#", "cafe"]),
        ("j'ai", ["j", "ai"]),
        ("im tired", ["i", "am", "tired"]),
        ("ist im Haus", ["ist", "im", "haus"]),
        ("😀 !!", []),
    ],
)
def test_words_are_spelled_out(text: str, expected: list[str]) -> None:
    """Contractions, slang, stretched letters and accents become the lexicon's spelling."""
    assert normal_words(text, LEXICON) == expected


def test_only_the_ends_of_a_long_text_are_read() -> None:
    """A very long text keeps its first 4,000 and last 1,000 characters."""
    short = clip("a" * 10_000 + "b" * 10_000)
    assert len(short) == 5_001
    assert (short[0], short[-1]) == ("a", "b")
    assert clip("abc") == "abc"


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [("what is the", "en", "de"), ("was ist der", "de", "en"), ("größer", "de", "fr"), ("merci le", "fr", "de")],
)
def test_the_language_shows(text: str, inside: str, outside: str) -> None:
    """Small words and special letters give the language away."""
    spoken = languages(text, normal_words(text, LEXICON), LEXICON)
    assert inside in spoken
    assert outside not in spoken


def test_the_conversation_tells_the_language_of_a_bare_word() -> None:
    """A word without any sign is read in the conversation's language, or in every one."""
    assert "de" in languages("hm", ["hm"], LEXICON, ["was", "ist", "der"] * 3)
    assert languages("hm", ["hm"], LEXICON) >= EVERY


def test_tags_are_the_longest_of_their_concept() -> None:
    """Phrases, prefixes and words of the spoken languages are found; polite English always is."""
    found = tag(["how", "come", "procrastinating"], EVERY, LEXICON)
    assert [(t.concept, t.start, t.end) for t in found] == [("WHY", 0, 2), ("HABIT", 2, 3)]
    assert [t.concept for t in tag(["warum", "thanks", "always"], frozenset(("de",)), LEXICON)] == ["WHY", "THANKS"]
