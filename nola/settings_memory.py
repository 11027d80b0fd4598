"""The settings of the learned memory: what it holds, how strength is computed, how it is searched and linked (X11)."""

from __future__ import annotations

from dataclasses import dataclass

from nola.setting import setting as _setting

__all__ = [
    "ActrSettings",
    "ChainSettings",
    "EbbinghausSettings",
    "HeatSettings",
    "LinkSettings",
    "MemorySettings",
    "RecallSettings",
    "RetentionSettings",
]


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """What is remembered, and by which rules strength is computed."""

    profile: str = _setting(
        "nola",
        "rules of ranking and strengthening",
        "decisions: profiles",
        choices=("nola", "ada", "amplihack", "neuromemory", "blah", "hea"),
    )
    preset: str = _setting(
        "assistant",
        "how fast memories fade and how often they are tended",
        "C32-C35",
        choices=("chatbot", "task", "assistant", "researcher"),
    )
    strategy: str = _setting(
        "profile",
        "strategy that ranks; none for relevance alone",
        "X02",
        choices=("profile", "none", "heat", "actr", "chain", "ebbinghaus", "retention", "hea"),
    )
    pace: float = _setting(1.0, "how fast everything fades, times the preset's pace", "C32-C36", low=0.01, high=100)
    procedural_pace: float = _setting(
        0.5, "how fast procedures fade beside other kinds, in profile nola", "E-50", low=0.01, high=1
    )
    decay_floor: float = _setting(0.0, "strength below which no memory falls; 0 for none", "P12", low=0, high=1)
    activation: bool = _setting(True, "activation is kept and ranks (strategy actr)", "C27")
    hebbian: bool = _setting(True, "joint use is counted, and links of use lend to each other", "C27")
    forgetting: bool = _setting(True, "stabilities grow and rank (strategies ebbinghaus and retention)", "C27")
    consolidation: bool = _setting(True, "traces are kept and rank (strategy chain)", "C27")
    content_most: int = _setting(
        1_000_000, "longest content of a memory", "issue 4: Bad input", low=1000, high=100_000_000, unit="characters"
    )
    sensory_ttl: float = _setting(
        300.0, "time after which an observation expires", "B02", low=0.001, high=31_536_000, unit="s"
    )
    working_slots: int = _setting(20, "most slots of one task", "B08, E-21", low=1, high=10_000)
    pool_times: int = _setting(3, "candidates for each result in profile blah", "D15", low=1, high=100)
    blend_share: float = _setting(0.6, "share of relevance in profile ada; heat has the rest", "A19", low=0, high=1)


@dataclass(frozen=True, slots=True)
class HeatSettings:
    """Heat: importance, time since the last access and use (seed 000)."""

    alpha: float = _setting(0.4, "exponent of the number of references", "A10, A11", low=0, high=1)
    cooling: float = _setting(0.1, "rate of cooling (lambda)", "A10", low=0, high=100, unit="1/day")
    cap: float = _setting(0.99, "most heat of a learned memory", "A08", low=0, high=1)
    hot: float = _setting(0.8, "hot above this", "A14, E-02", low=0, high=1)
    warm: float = _setting(0.4, "warm from this on, cold below", "A14, E-02", low=0, high=1)
    counted: str = _setting(
        "n+1",
        "what is raised to alpha in profile ada: references plus one, or references",
        "A09, E-01",
        choices=("n+1", "n"),
    )


@dataclass(frozen=True, slots=True)
class ActrSettings:
    """Activation as in ACT-R (seed 002, 3.2); ages are in seconds."""

    decay: float = _setting(0.5, "exponent of age (d)", "C01, C04", low=0.01, high=2)
    age_floor: float = _setting(1.0, "least age of an access", "C05, E-10", low=0.001, high=3600, unit="s")
    importance_weight: float = _setting(1.0, "weight of importance (gamma)", "C07, E-12", low=0, high=100)
    spread_weight: float = _setting(1.0, "weight of what spreads through links (W)", "C06, E-12", low=0, high=100)
    threshold: float = _setting(-6.0, "activation of even odds to be retrieved (tau)", "C08, E-12", low=-100, high=100)
    slope: float = _setting(
        4.0, "how softly the odds change with activation (s)", "C08, E-12, decision 0013", low=0.01, high=100
    )
    noise: float = _setting(0.0, "scale of the noise; 0 for none", "C08, E-12", low=0, high=10)
    seed: int = _setting(0, "seed of the noise", "C08", low=0, high=2_147_483_647)


@dataclass(frozen=True, slots=True)
class ChainSettings:
    """The Memory Chain: a fast trace that feeds a slow one (seed 002, 3.4)."""

    fast: float = _setting(0.1, "decay of the working trace (mu 1)", "C17", low=0.0001, high=100, unit="1/day")
    slow: float = _setting(0.01, "decay of the long-term trace (mu 2)", "C17", low=0.0001, high=100, unit="1/day")
    consolidation: float = _setting(
        0.08, "rate at which the first feeds the second (alpha)", "C18, E-12", low=0, high=100, unit="1/day"
    )
    relearned: float = _setting(
        1.0, "share of what the working trace lost that an access gives back", "E-12", low=0, high=1
    )


@dataclass(frozen=True, slots=True)
class EbbinghausSettings:
    """The forgetting curve, whose stability grows with every retrieval (seed 002, 3.5)."""

    curve: str = _setting("power", "shape of forgetting in profile nola", "D40, E-39", choices=("power", "exponential"))
    exponent: float = _setting(0.134, "exponent of the power curve", "D40", low=0.01, high=5)
    episodic_stability: float = _setting(1.0, "first stability of events", "C26", low=0.001, high=100_000, unit="d")
    semantic_stability: float = _setting(5.0, "first stability of facts", "C26", low=0.001, high=100_000, unit="d")
    procedural_stability: float = _setting(
        10.0, "first stability of procedures", "C26", low=0.001, high=100_000, unit="d"
    )
    growth: float = _setting(0.1, "growth of stability with a retrieval (beta)", "C23", low=0, high=10)
    spacing: bool = _setting(True, "growth depends on the time since the last access, in profile nola", "C25, E-13")


@dataclass(frozen=True, slots=True)
class RetentionSettings:
    """Retention: stability and importance stretch a decay by kind (seed 003)."""

    episodic_days: float = _setting(30.0, "decay constant of events", "D03", low=0.001, high=100_000, unit="d")
    semantic_days: float = _setting(90.0, "decay constant of facts", "D03", low=0.001, high=100_000, unit="d")
    procedural_days: float = _setting(
        180.0, "decay constant of procedures, in profile nola", "E-50", low=0.001, high=100_000, unit="d"
    )
    procedural_exponent: float = _setting(
        1.0, "exponent of the power curve of procedures, in profile nola", "E-50", low=0.01, high=5
    )
    curve: str = _setting("exponential", "shape of forgetting", "D38", choices=("exponential", "power"))
    exponent: float = _setting(0.134, "exponent of the power curve", "D38, D40", low=0.01, high=5)
    importance_boost: float = _setting(2.0, "what importance 1 adds to the factor 1", "D04", low=0, high=100)
    initial: float = _setting(0.3, "first stability", "E-36", low=0, high=1)
    gain: float = _setting(0.1, "stability gained at a spacing bonus of 1", "D11", low=0, high=1)
    gain_days: float = _setting(7.0, "gap at which the spacing bonus is 1", "D10", low=0.001, high=100_000, unit="d")
    bonus_most: float = _setting(2.0, "greatest spacing bonus", "D10", low=0, high=100)
    concave: bool = _setting(
        True, "the bonus rises ever slower, so that more spaced accesses give more, in profile nola", "D13, E-31"
    )


@dataclass(frozen=True, slots=True)
class LinkSettings:
    """How memories are linked by likeness and by use (seeds 001 to 003)."""

    jaccard: float = _setting(0.3, "likeness of words above which two are similar", "B24", low=0, high=1)
    cosine: float = _setting(0.85, "likeness of meaning from which on two are similar", "E-54", low=0, high=1)
    similar_most: int = _setting(20, "most similar memories linked when one is stored", "E-18", low=0, high=1000)
    theta: int = _setting(3, "joint uses after which a link forms", "C12", low=1, high=1000)
    eta: float = _setting(0.1, "growth of a link with a joint use (eta)", "C13", low=0, high=1)
    cap: float = _setting(1.0, "greatest weight of a link", "C12", low=0, high=1)
    decay_days: float = _setting(
        30.0, "time in which an unused link loses half", "E-14", low=0.01, high=100_000, unit="d"
    )
    partners: int = _setting(10, "most partners of one memory that a request links", "E-14", low=1, high=1000)
    spread_share: float = _setting(
        0.10, "most that links add, as a share of the best score", "issue 4: Edges", low=0, high=1
    )
    min_strength: float = _setting(0.3, "weakest link that brings its other end", "D21", low=0, high=1)
    hops: int = _setting(1, "how far likeness is followed in profile amplihack", "B27", low=1, high=2)


@dataclass(frozen=True, slots=True)
class RecallSettings:
    """How a question finds memories (retrieval.md)."""

    lexical_share: float = _setting(
        0.4, "share of BM25 in relevance; the vectors have the rest", "retrieval.md 4", low=0, high=1
    )
    lexical_share_hashing: float = _setting(
        0.7, "the same where vectors know only which words are alike", "decision 0015", low=0, high=1
    )
    bm25_k1: float = _setting(1.2, "BM25 term saturation", "retrieval.md 4", low=0, high=10)
    bm25_b: float = _setting(0.75, "BM25 length normalisation", "retrieval.md 4", low=0, high=1)
    cosine_offset: float = _setting(0.05, "added to a cosine before it is normalised", "retrieval.md 4", low=0, high=1)
    cosine_match: float = _setting(
        0.25, "cosine from which on meaning alone makes a match, in the documents' profiles", "A16", low=0, high=1
    )
    generic_weight: float = _setting(
        0.5, "weight of generic words (kind, type, time ...)", "retrieval.md 2", low=0, high=1
    )
    neighbour_same: float = _setting(
        0.10, "share of its score that a neighbour by the same speaker lends", "retrieval.md 5", low=0, high=1
    )
    neighbour_other: float = _setting(
        0.20, "share of its score that a neighbour by another speaker lends", "retrieval.md 5", low=0, high=1
    )
    answer_bonus: float = _setting(
        0.20, "share that a question asked just before by another lends", "retrieval.md 5", low=0, high=1
    )
    speaker_bonus: float = _setting(0.30, "added when a person named said it", "retrieval.md 6", low=0, high=1)
    session_share: float = _setting(
        0.40, "share of the best score around it, fading with distance, that is added", "retrieval.md 6", low=0, high=1
    )
    half_life_turns: float = _setting(
        10.0, "turns after which a good turn lends half as much", "retrieval.md 6", low=0.1, high=10_000, unit="turns"
    )
    time_bonus: float = _setting(0.10, "added when a time is asked for and told", "retrieval.md 6", low=0, high=1)
    asked_penalty: float = _setting(
        0.15, "taken off what only asks, by the share of it that does", "retrieval.md 5", low=0, high=1
    )
    date_weight: float = _setting(0.35, "added for closeness to a date named", "retrieval.md 6", low=0, high=1)
    days_after: float = _setting(
        7.0, "e-fold of closeness after the date", "retrieval.md 6", low=0.01, high=3650, unit="d"
    )
    days_before: float = _setting(
        2.0, "e-fold of closeness before the date", "retrieval.md 6", low=0.01, high=3650, unit="d"
    )
    year_share: float = _setting(0.5, "what a bare year counts of a date", "retrieval.md 6", low=0, high=1)
    pool_lexical: int = _setting(200, "candidates by words", "retrieval.md 3", low=1, high=100_000)
    pool_dense: int = _setting(200, "candidates by meaning", "retrieval.md 3", low=1, high=100_000)
    pool_date: int = _setting(100, "candidates by date", "retrieval.md 3", low=0, high=100_000)
    neighbours: int = _setting(2, "neighbours each way in the conversation", "retrieval.md 3", low=0, high=100)
    beta: float = _setting(0.2, "share of a score that strength decides", "architecture: Memory", low=0, high=1)
    rare_df: float = _setting(
        0.1,
        "words in more than this share of memories are dropped when others are left",
        "retrieval.md: Speed",
        low=0,
        high=1,
    )
    postings_most: int = _setting(
        200_000, "most entries of word lists that one question reads", "issue 4: Shown by", low=1000, high=100_000_000
    )
