"""Tests of nola.memory.scored: candidates in columns."""

from __future__ import annotations

import numpy as np

from nola.memory.scored import Scored


def scored(*rows: int, **more: float) -> Scored:
    """Candidates whose columns all tell their row."""
    number = np.array(rows, dtype=np.int32)
    said = number.astype(np.float64)
    extra = {name: np.full(len(rows), value) for name, value in more.items()}
    return Scored(number, said, said, said, said, np.stack([said, said], axis=1), said, said, extra)


def test_every_column_is_taken_alike() -> None:
    """Some of them, in another order, and what edges added with them."""
    found = scored(4, 5, 6)
    found.more["link"] = np.array([0.4, 0.5, 0.6])
    some = found.take(np.array([2, 0]))
    assert len(some) == 2
    assert some.rows.tolist() == some.score.tolist() == some.active.tolist() == [6, 4]
    assert some.parts.tolist() == [[6, 6], [4, 4]]
    assert some.more["link"].tolist() == [0.6, 0.4]
    assert found.take(found.score > 4).rows.tolist() == [5, 6]


def test_others_are_put_behind() -> None:
    """What edges add to one side alone is 0 on the other."""
    both = scored(1, 2, spread=0.4).joined(scored(7, link=0.3))
    assert both.rows.tolist() == both.cosine.tolist() == [1, 2, 7]
    assert both.parts.shape == (3, 2)
    assert {name: values.tolist() for name, values in both.more.items()} == {
        "spread": [0.4, 0.4, 0],
        "link": [0, 0, 0.3],
    }
