"""What edges do for the candidates of a question: links of use lend, spread and bring; likeness is followed outward."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from nola.memory import accesses, edges
from nola.memory.axes import EdgeKind
from nola.memory.links import associates, expand, holds, spread, spreading, weights_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import apsw
    from numpy.typing import NDArray

    from nola.memory.edges import Near
    from nola.memory.scored import Scored
    from nola.settings_memory import LinkSettings

    Bare: TypeAlias = Callable[[NDArray[np.int32]], Scored]
    """Makes candidates of rows that the question did not find: without relevance and score."""
    Ends: TypeAlias = NDArray[np.intp]

__all__ = ["Reach"]

_TOP = 32
"""Best candidates that lend by their links."""


@dataclass(frozen=True, slots=True)
class Reach:
    """What one question may reach through edges.

    Attributes:
        connection: A reader's.
        mask: bool [rows], true where a row may come.
        bare: See `Bare`.
        settings: How links fade, which are too weak, and how far likeness is followed.
        now_s: The present.
        is_past: Whether links that were used after it are not there.
        counts_pairs: Whether links are as strong as joint uses are many (D20).
    """

    connection: apsw.Connection
    mask: NDArray[np.bool_]
    bare: Bare
    settings: LinkSettings
    now_s: float
    is_past: bool = False
    counts_pairs: bool = False

    def lent(self, found: Scored) -> Scored:
        """Add to scores what links lend, to what was found and to what they bring (C15)."""
        if not len(found):
            return found
        best = found.rows[np.argsort(-found.score, kind="stable")[:_TOP]].tolist()
        links = [link for link in self._links(best) if holds(link[2], self.settings)]
        if not links:
            return found
        known = set(found.rows.tolist())
        new = sorted({row for *ends, _ in links for row in ends} - known)
        found = found.joined(self.bare(np.array(new, dtype=np.int32))) if new else found
        share = self.settings.spread_share
        found.more["link"] = spread(found.score, *_ends(found.rows, links), _strengths(links), share)
        found.score = found.score + found.more["link"]
        return found

    def spreading(self, rows: NDArray[np.int32], active: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what arrives at each row from the active ones that it is linked to: the sum of W_j S_ji (C06).

        Args:
            rows: Which rows.
            active: W of each, 0 for what is not active.
        """
        there = set(rows.tolist())
        links = [link for link in self._links(rows[active > 0].tolist()) if link[0] in there and link[1] in there]
        return spreading(active, *_ends(rows, links), _strengths(links))

    def associated(self, found: Scored, primary: int) -> Scored:
        """Put behind candidates, the best first, what the first of them are linked to strongly enough (D21, D22).

        It answers nothing by itself, so that it has no relevance and no score, and never stands above what does.
        """
        first, known = found.rows[:primary].tolist(), set(found.rows.tolist())
        near = associates(first, self._links(first), self.settings)
        brought = {row: strength for row, strength in near if row not in known}
        if not brought:
            return found
        new = self.bare(np.array(list(brought), dtype=np.int32))
        new.more["link"] = np.array(list(brought.values()))
        return found.joined(new)

    def alike(self, found: Scored, seeds: int) -> Scored:
        """Add the facts that are like the first candidates, and those that are like these in turn (B27).

        Each has the relevance of the one that it is like times their likeness.
        """
        first = dict(zip(found.rows[:seeds].tolist(), found.relevance[:seeds].tolist(), strict=True))
        reached = expand(first, self._likenesses, self.settings.hops)
        known = set(found.rows.tolist())
        beyond = {row: relevance for row, relevance in reached.items() if row not in known}
        if not beyond:
            return found
        new = self.bare(np.array(list(beyond), dtype=np.int32))
        new.relevance = new.more["similar"] = np.array(list(beyond.values()))
        return found.joined(new)

    def _links(self, rows: Sequence[int]) -> list[tuple[int, int, float]]:
        """Return the links of use at some rows, each once: both rows and how strong it is now."""
        seqs = [row + 1 for row in rows]
        if self.counts_pairs:
            near = accesses.joint(self.connection, seqs, self.settings)
        else:
            near = edges.near(self.connection, seqs, [EdgeKind.ASSOCIATED])
        found = {(min(e.seq, e.other) - 1, max(e.seq, e.other) - 1): e for e in self._allowed(near)}
        if self.is_past:
            found = {ends: e for ends, e in found.items() if e.last_s <= self.now_s}
        if not found:
            return []
        weights, last_s = (np.array(each) for each in zip(*((e.weight, e.last_s) for e in found.values()), strict=True))
        now = weights_at(weights, last_s, self.now_s, self.settings).tolist()
        return [(low, high, weight) for (low, high), weight in zip(found, now, strict=True)]

    def _likenesses(self, rows: Sequence[int]) -> list[tuple[int, int, float]]:
        near = edges.near(self.connection, [row + 1 for row in rows], [EdgeKind.SIMILAR_TO])
        return [(e.seq - 1, e.other - 1, e.weight) for e in self._allowed(near)]

    def _allowed(self, near: Iterable[Near]) -> Iterable[Near]:
        """Return the edges that lead to where the question may look."""
        size, mask = len(self.mask), self.mask
        return (edge for edge in near if edge.other <= size and mask[edge.other - 1])


def _ends(rows: NDArray[np.int32], links: Sequence[tuple[int, int, float]]) -> tuple[Ends, Ends]:
    """Return where the ends of links stand among rows."""
    place = {row: at for at, row in enumerate(rows.tolist())}
    return tuple(np.array([place[link[end]] for link in links], dtype=np.intp) for end in (0, 1))  # type: ignore[return-value]


def _strengths(links: Sequence[tuple[int, int, float]]) -> NDArray[np.float64]:
    return np.array([strength for *_, strength in links])
