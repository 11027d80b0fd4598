"""Tests of links: likeness of words, joint use, fading, and what links lend."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from nola.memory.conflict import Conflict
from nola.memory.links import (
    Link,
    associates,
    expand,
    growth,
    holds,
    jaccard,
    pairs,
    retrieved,
    similar_properties,
    similarities,
    spread,
    spreading,
    used_together,
    weight_at,
    weights_at,
)
from nola.settings_memory import LinkSettings
from tests.memory.golden import golden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.types import Json

SETTINGS = LinkSettings()
DAY_S = 86_400.0

LIKENESS = [
    *((row["a"], row["b"], row["j"]) for row in golden("001.jaccard")),
    ("a b c d e f", "a b c g h i j", 0.3),
    ("", "", 0.0),
    ("!?", "a", 0.0),
    ("Café, CAFÉ!", "cafe", 1.0),
]


@pytest.mark.row("B24")
@pytest.mark.parametrize(("a", "b", "likeness"), LIKENESS)
def test_jaccard(a: str, b: str, likeness: float) -> None:
    """The golden values 001.jaccard, the exact threshold, texts without words, and folding; symmetric."""
    assert jaccard(a, b) == pytest.approx(likeness, abs=1e-6)
    assert jaccard(b, a) == jaccard(a, b)
    assert (jaccard(a, b) > SETTINGS.jaccard) is (likeness > 0.3)


@pytest.mark.row("C13")
@pytest.mark.parametrize("row", golden("002.hebb"), ids=str)
def test_growth(row: dict[str, float]) -> None:
    """The golden values 002.hebb."""
    assert growth(row["ai"], row["aj"], row["eta"]) == pytest.approx(row["dw"], abs=1e-12)


@pytest.mark.row("C11")
def test_pairs() -> None:
    """Four memories make six pairs; twelve make those of the best eleven, so that none has more than ten partners."""
    assert pairs(["d", "a", "c", "b"], 10) == [
        ("a", "d"), ("c", "d"), ("b", "d"), ("a", "c"), ("a", "b"), ("b", "c"),
    ]  # fmt: skip
    assert len(pairs(list(range(50)), 10)) == 55
    assert pairs([7], 10) == pairs([7, 7], 10) == []


@pytest.mark.row("C12")
def test_a_link_forms_at_the_third_use() -> None:
    """After one and two uses there is none, after three there is one, and more make it stronger, up to the cap."""
    link, weights = Link(), []
    for _ in range(20):
        link = used_together(link, 1.0, 1.0, 0.0, SETTINGS)
        weights.append(link.weight)
    assert weights[:5] == pytest.approx([0.0, 0.0, 0.3, 0.4, 0.5])
    assert weights[-1] == 1.0
    assert link.count == 20
    assert used_together(Link(2), 0.5, 0.4, 0.0, SETTINGS).weight == pytest.approx(3 * 0.02)


def test_an_unused_link_fades() -> None:
    """Half is left after the half-life, from whichever moment it is read; use begins with what is left."""
    link = Link(5, 0.8, 1000.0)
    assert weight_at(link, 1000.0 + 30 * DAY_S, SETTINGS) == pytest.approx(0.4)
    assert weight_at(link, 0.0, SETTINGS) == 0.8
    times = [0.0, 1000.0, 1000.0 + 7 * DAY_S, 1e12]
    one_by_one = [weight_at(link, now, SETTINGS) for now in times]
    at_once = [weights_at(np.array([0.8]), np.array([1000.0]), now, SETTINGS)[0] for now in times]
    assert one_by_one == pytest.approx(at_once, rel=1e-12)
    later = used_together(link, 1, 1, 1000.0 + 30 * DAY_S, SETTINGS)
    assert (later.count, later.last_s) == (6, 1000.0 + 30 * DAY_S)
    assert later.weight == pytest.approx(0.5)


@pytest.mark.row("D19")
@pytest.mark.row("D20")
def test_joint_retrieval_of_blah() -> None:
    """One tenth a request, never two for both directions, 1 after ten and not more."""
    strengths = [retrieved(count, SETTINGS) for count in range(1, 12)]
    assert strengths == [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.0]
    assert retrieved(9, LinkSettings(cap=0.5)) == 0.5


@pytest.mark.row("D21")
def test_associations_need_strength() -> None:
    """A link of 0.2 brings nothing, one of 0.3 its other end, from either side; the strongest first, each once."""
    links = [("a", "b", 0.2), ("c", "a", 0.3), ("a", "d", 0.9), ("e", "f", 1.0), ("d", "c", 0.8), ("a", "x", 0.5)]
    assert associates(["a", "x"], links, SETTINGS) == [("d", 0.9), ("c", 0.3)]
    assert associates(["c"], links, SETTINGS) == [("d", 0.8), ("a", 0.3)]
    assert associates([], links, SETTINGS) == []
    assert len(associates([0], [(0, n, 1.0) for n in range(1, 40)], SETTINGS)) == 10


@pytest.mark.row("D21")
@pytest.mark.parametrize(("strength", "is_enough"), [(0.2, False), (0.24, False), (0.2999, True), (0.3, True)])
def test_a_link_counts_to_the_nearest_tenth(strength: float, is_enough: bool) -> None:  # noqa: FBT001
    """One of 0.3 still holds when it has just begun to fade, and one of 0.2 never does."""
    assert holds(strength, SETTINGS) is is_enough
    assert holds(0.0, LinkSettings(min_strength=0.0))


@pytest.mark.row("C06")
def test_spreading() -> None:
    """One active neighbour and a link of 0.4 add exactly 0.4, none nothing; what is not active sends nothing."""
    one, two = np.array([0, 1]), np.array([1, 2])
    assert spreading(np.array([1.0, 0.0]), one[:1], two[:1], np.array([0.4])).tolist() == [0.0, 0.4]
    assert spreading(np.array([0.5, 1.0, 1.0]), one, two, np.array([0.4, 0.1])) == pytest.approx([0.4, 0.3, 0.1])
    none = np.zeros(0, dtype=np.intp)
    assert spreading(np.ones(2), none, none, np.zeros(0)).tolist() == [0.0, 0.0]


@pytest.mark.row("C15")
def test_spread_lends_a_bounded_share() -> None:
    """A linked row gets a tenth of its neighbour's score times the strength, never more than a tenth of the best."""
    scores = np.array([1.0, 0.5, 0.0, 0.0])
    ends = np.array([0, 1, 0]), np.array([2, 2, 1])
    lent = spread(scores, *ends, np.array([0.5, 0.2, 1.0]), 0.1)
    assert lent == pytest.approx([0.05, 0.1, 0.06, 0.0])
    many = spread(np.ones(50), np.arange(49), np.full(49, 49), np.ones(49), 0.1)
    assert many.max() == pytest.approx(0.1)
    none = np.zeros(0, dtype=np.intp)
    assert spread(scores, none, none, np.zeros(0), 0.1).tolist() == [0.0, 0.0, 0.0, 0.0]
    assert spread(np.zeros(0), none, none, np.zeros(0), 0.1).size == 0


@pytest.mark.row("B25")
@pytest.mark.row("B27")
def test_expand() -> None:
    """From a the chain a-b-c gives a alone, a and b, or all three; each once, worth less with every step."""
    edges = {"a": [("b", 0.5)], "b": [("a", 0.5), ("c", 0.4)], "c": [("b", 0.4), ("a", 0.9)]}

    def beside(ids: Sequence[str]) -> list[tuple[str, str, float]]:
        return [(id_, other, likeness) for id_ in ids for other, likeness in edges[id_]]

    reached = [expand({"a": 0.8}, beside, hops) for hops in (0, 1, 2)]
    assert reached == [{"a": 0.8}, {"a": 0.8, "b": 0.4}, {"a": 0.8, "b": 0.4, "c": pytest.approx(0.16)}]
    both = expand({"a": 0.2, "c": 1.0}, beside, 2)
    assert both == {"a": 0.2, "c": 1.0, "b": pytest.approx(0.4)}


@pytest.mark.row("B28")
def test_similar_properties() -> None:
    """The edge says how alike, by which method, and which values contradict each other."""
    assert similar_properties({"jaccard": 0.5}) == {"similarity_score": 0.5, "method": "jaccard", "metadata": {}}
    told = similar_properties({"cosine": 0.9}, Conflict("X has golds", "9", "10"))
    assert (told["similarity_score"], told["method"]) == (0.9, "cosine")
    assert told["metadata"] == {"contradiction": True, "attribute": "X has golds", "values": ["9", "10"]}
    assert json.loads(json.dumps(told)) == told


def test_an_edge_names_each_method_with_its_value() -> None:
    """Of both methods the likeness of words is the score; what was written can be read again."""
    both = similar_properties({"cosine": 0.9, "jaccard": 0.5})
    assert both == {
        "similarity_score": 0.5,
        "method": "jaccard, cosine",
        "metadata": {"jaccard": 0.5, "cosine": 0.9},
    }
    for values in ({"jaccard": 0.5}, {"cosine": 0.9}, {"jaccard": 0.5, "cosine": 0.9}):
        assert similarities(similar_properties(values, Conflict("a", "b", "c"))) == values


@pytest.mark.parametrize("said", [{}, {"method": "by hand", "similarity_score": 1}, {"method": "cosine"}])
def test_what_was_made_by_hand_names_no_method(said: dict[str, Json]) -> None:
    """Only what a method measured counts as measured."""
    assert similarities(said) == {}


@pytest.mark.row("C10")
@pytest.mark.row("C14")
@pytest.mark.row("C40")
def test_links_reflect_use() -> None:
    """Three topics, each asked about ten times with a stray row now and then: nearly all links are within a topic."""
    chance = random.Random(7)  # noqa: S311 -- no secret
    links: dict[tuple[int, int], Link] = {}
    for request in range(30):
        topic = request % 3
        rows = chance.sample(range(10 * topic, 10 * topic + 10), 6)
        if chance.random() < 0.5:
            rows.append(chance.randrange(30))
        for pair in pairs(rows, SETTINGS.partners):
            links[pair] = used_together(links.get(pair, Link()), 1.0, 1.0, request * 60.0, SETTINGS)
    formed = [pair for pair, link in links.items() if link.weight > 0]
    within = [pair for pair in formed if pair[0] // 10 == pair[1] // 10]
    assert {pair[0] // 10 for pair in within} == {0, 1, 2}
    assert len(within) >= 0.95 * len(formed)
