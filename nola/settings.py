"""The table of settings: every constant of Nola with its default, range, unit, meaning and source (X11)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nola.setting import setting as _setting
from nola.settings_memory import (
    ActrSettings,
    ChainSettings,
    EbbinghausSettings,
    HeatSettings,
    LinkSettings,
    MemorySettings,
    RecallSettings,
    RetentionSettings,
)

__all__ = [
    "GROUPS",
    "ActrSettings",
    "BackupSettings",
    "ChainSettings",
    "ChatSettings",
    "ContextSettings",
    "DaemonSettings",
    "EbbinghausSettings",
    "EmbedSettings",
    "EmbeddedSettings",
    "HeatSettings",
    "LearnSettings",
    "LinkSettings",
    "LlmSettings",
    "MemorySettings",
    "OllamaSettings",
    "RecallSettings",
    "RelevanceSettings",
    "RetentionSettings",
    "Settings",
    "StateSettings",
    "TokenSettings",
    "UnknownSettings",
]


@dataclass(frozen=True, slots=True)
class ContextSettings:
    """How nodes are weighed and how much of them fits (seed 004, sections 3.2-4.3)."""

    profile: str = _setting("nola", "rules of weighing", "E-44", choices=("nola", "hea"))
    hierarchy_global: float = _setting(1.0, "hierarchy weight of Nola.json", "E06", low=0, high=1)
    hierarchy_aggregator: float = _setting(0.7, "hierarchy weight of identity.json", "E06", low=0, high=1)
    hierarchy_module: float = _setting(0.4, "hierarchy weight of raw modules", "E06", low=0, high=1)
    level_same: float = _setting(1.0, "level weight at the chosen level", "E07", low=0, high=1)
    level_one_apart: float = _setting(0.3, "level weight one level apart", "E07", low=0, high=1)
    level_two_apart: float = _setting(0.1, "level weight two levels apart", "E07", low=0, high=1)
    recency_lambda: float = _setting(0.0005, "decay of recency", "E08", low=0, high=100, unit="1/day")
    threshold: float = _setting(
        0.005, "nodes at or below this weight are left out (tau), in profile nola", "E05, decision 0004", low=0, high=1
    )
    hea_threshold: float = _setting(0.05, "the same in profile hea, where relevance is 1", "E-42", low=0, high=1)
    contrast: float = _setting(
        10.0, "how sharply weight falls with relevance: e-fold per 1/contrast", "E-45", low=0, high=100
    )
    full_relevance: float = _setting(0.85, "relevance from which on nothing is taken off", "E-45", low=0, high=1)
    budget_l1: int = _setting(10, "state budget at level 1", "E21", low=0, high=100_000, unit="tokens")
    budget_l2: int = _setting(50, "state budget at level 2", "E22", low=0, high=100_000, unit="tokens")
    budget_l3: int = _setting(200, "state budget at level 3", "E23", low=0, high=100_000, unit="tokens")
    memory_budget_l1: int = _setting(
        0, "memory budget at level 1", "architecture: Context", low=0, high=100_000, unit="tokens"
    )
    memory_budget_l2: int = _setting(
        150, "memory budget at level 2", "architecture: Context", low=0, high=100_000, unit="tokens"
    )
    memory_budget_l3: int = _setting(
        600, "memory budget at level 3", "architecture: Context", low=0, high=100_000, unit="tokens"
    )
    window_share: float = _setting(
        0.25, "budgets never take more than this share of the model's window", "E21", low=0.01, high=0.9
    )
    source_cap: int = _setting(
        0, "most nodes from one file; 0 for no cap", "architecture: Context", low=0, high=100_000
    )
    ablate_hierarchy: bool = _setting(False, "ablation: flat hierarchy, every weight 1", "E48")
    ablate_levels: bool = _setting(False, "ablation: one level, every weight 1", "E49")
    ablate_recency: bool = _setting(False, "ablation: no decay, every weight 1", "E50")
    ablate_metadata: bool = _setting(False, "ablation: pull every child on every access", "E51")


@dataclass(frozen=True, slots=True)
class RelevanceSettings:
    """How well a node answers the input (retrieval.md)."""

    lexical_share: float = _setting(
        0.4, "share of BM25 in relevance; the vectors have the rest", "retrieval.md 4", low=0, high=1
    )
    bm25_k1: float = _setting(1.2, "BM25 term saturation", "retrieval.md 4", low=0, high=10)
    bm25_b: float = _setting(0.75, "BM25 length normalisation", "retrieval.md 4", low=0, high=1)
    cosine_offset: float = _setting(0.05, "added to a cosine before it is normalised", "retrieval.md 4", low=0, high=1)
    synonym_weight: float = _setting(0.6, "weight of a synonym beside the word itself", "issue: Context", low=0, high=1)
    generic_weight: float = _setting(
        0.5, "weight of generic words (kind, type, time ...)", "retrieval.md 2", low=0, high=1
    )
    cosine_floor: float = _setting(0.30, "the best cosine is normalised by no less than this", "E05", low=0, high=1)
    bm25_floor: float = _setting(
        4.0, "the best BM25 score is normalised by no less than this", "E05", low=0.01, high=100
    )
    former_share: float = _setting(
        0.6, "relevance that an older value keeps unless the past is asked for", "issue: The turn", low=0, high=1
    )


@dataclass(frozen=True, slots=True)
class UnknownSettings:
    """When Nola says that she does not know (architecture: Context)."""

    enabled: bool = _setting(True, "answer in code when nothing known answers a question about the owner", "P30")
    threshold: float = _setting(
        0.6, "least probability that a fact answers the question", "retrieval.md: Abstention", low=0, high=1
    )
    sure: float = _setting(
        0.8, "probability from which facts answer a message that is no plain look-up", "decision 0005", low=0, high=1
    )
    answer_share: float = _setting(
        0.4, "share of relevance that is the chance of answering a look-up", "decision 0005", low=0, high=1
    )
    judged: int = _setting(12, "best facts that are judged per question", "retrieval.md: Abstention", low=1, high=200)


@dataclass(frozen=True, slots=True)
class TokenSettings:
    """How tokens are counted without the model's own tokenizer (ollama.md 4.1, 4.4)."""

    smoothing: float = _setting(
        0.2, "weight of a new observation in a model's calibration", "ollama.md 4.4", low=0, high=1
    )


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """Which model answers, and how."""

    model: str = _setting("", "ollama:NAME, embedded:NAME, a .gguf path, none; empty chooses the best there is", "E41")
    reply_tokens: int = _setting(512, "longest reply", "ollama.md 4.11", low=16, high=32_768, unit="tokens")
    temperature: float = _setting(0.2, "sampling temperature", "ollama.md 4.2", low=0, high=2)
    top_p: float = _setting(0.9, "nucleus sampling", "ollama.md 4.2", low=0, high=1)
    seed: int = _setting(0, "sampling seed; -1 for a new one each time", "E02", low=-1, high=2_147_483_647)
    safety_share: float = _setting(
        0.08, "share of the window kept free for miscounts", "ollama.md 4.11", low=0, high=0.5
    )
    history_turns: int = _setting(6, "earlier turns that go into the prompt", "E26", low=0, high=100)


@dataclass(frozen=True, slots=True)
class OllamaSettings:
    """How Ollama is spoken to (ollama.md)."""

    host: str = _setting("", "address; empty reads OLLAMA_HOST, else http://127.0.0.1:11434", "ollama.md 4.10")
    default_model: str = _setting("llama3.2:3b", "model that is proposed when none is installed", "E41")
    num_ctx: int = _setting(
        8192, "window asked for, at most the trained one", "ollama.md 4.11", low=256, high=1_048_576, unit="tokens"
    )
    keep_alive: str = _setting("5m", "how long the model stays loaded", "ollama.md 4.6")
    connect_timeout: float = _setting(
        1.0, "longest wait for a connection", "ollama.md 4.10", low=0.05, high=60, unit="s"
    )
    read_timeout: float = _setting(
        300.0, "longest silence inside a reply", "ollama.md 4.10", low=1, high=3600, unit="s"
    )
    think: bool = _setting(False, "let models that can think do so", "ollama.md 4.7")


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """The model inside Nola's own worker process."""

    model: str = _setting("default", "name in the manifest, or a .gguf path", "architecture: Models")
    threads: int = _setting(
        0, "threads; 0 for physical cores minus one, at least one", "issue: Models", low=0, high=512
    )
    window: int = _setting(4096, "context window", "architecture: Models", low=256, high=131_072, unit="tokens")
    idle_seconds: float = _setting(
        300.0, "unloaded after this long without use; 0 for never", "issue: Models", low=0, high=86_400, unit="s"
    )
    start_timeout: float = _setting(
        120.0, "longest wait for the model to load", "issue: Models", low=1, high=3600, unit="s"
    )
    read_timeout: float = _setting(300.0, "longest silence inside a reply", "issue: Models", low=1, high=3600, unit="s")


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """Vectors for texts (retrieval.md)."""

    provider: str = _setting("minilm", "minilm, or none for words alone", "retrieval.md", choices=("minilm", "none"))
    threads: int = _setting(
        0, "threads; 0 for physical cores minus one, at least one", "retrieval.md: Scale", low=0, high=512
    )
    batch: int = _setting(32, "texts in one run of the model", "retrieval.md: Scale", low=1, high=1024)
    max_tokens: int = _setting(128, "longer texts are cut here", "retrieval.md", low=8, high=512, unit="tokens")
    turn_budget: float = _setting(
        2.5, "longest time one turn spends on vectors of new facts", "X11", low=0, high=600, unit="s"
    )


@dataclass(frozen=True, slots=True)
class StateSettings:
    """The JSON modules and their contract (seed 004, section 4)."""

    stale_threshold: int = _setting(
        600, "age after which a node is refreshed when read", "E60", low=0, high=31_536_000, unit="s"
    )
    global_level: int = _setting(1, "nodes up to this level travel to Nola.json", "architecture: State", low=1, high=3)
    aggregator_level: int = _setting(
        2, "nodes up to this level travel to identity.json", "architecture: State", low=1, high=3
    )
    max_depth: int = _setting(64, "deepest nesting that is loaded", "reliability.md 0.6", low=8, high=200)
    max_bytes: int = _setting(
        5_000_000, "largest module file", "reliability.md D1", low=1024, high=100_000_000, unit="bytes"
    )
    lock_timeout: float = _setting(
        5.0, "longest wait for another writer", "reliability.md D2", low=0.1, high=60, unit="s"
    )
    commit_window: float = _setting(
        0.05,
        "longest wait for other writes to share a flush of the disk with",
        "reliability.md D4",
        low=0,
        high=1,
        unit="s",
    )
    debounce: float = _setting(
        0.2, "rest after a change of a file before it is read", "reliability.md D3", low=0.02, high=5, unit="s"
    )
    poll: float = _setting(
        5.0, "time between looks at all files, events or none", "reliability.md D3", low=0.2, high=3600, unit="s"
    )
    history_days: int = _setting(
        730, "age at which a recorded change is dropped", "issue: History and undo", low=1, high=36_500, unit="d"
    )
    history_bytes: int = _setting(
        50_000_000,
        "size at which the oldest recorded changes are dropped",
        "issue: History and undo",
        low=10_000,
        high=10_000_000_000,
        unit="bytes",
    )


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """Copies of everything that Nola knows (reliability.md D6)."""

    scheduled: bool = _setting(True, "make a backup a day by herself", "reliability.md D6")
    daily: int = _setting(7, "daily backups that are kept", "reliability.md D6", low=1, high=365)
    weekly: int = _setting(4, "weekly backups that are kept", "reliability.md D6", low=0, high=520)
    before: int = _setting(
        5, "backups made before a migration, a restore or an import that are kept", "reliability.md D6", low=1, high=100
    )


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """The process that stays."""

    crashes: int = _setting(3, "crashes after which it starts in safe mode", "reliability.md D6", low=1, high=100)
    crash_window: float = _setting(
        300.0, "time within which crashes are counted", "reliability.md D6", low=1, high=86_400, unit="s"
    )
    log_bytes: int = _setting(
        2_000_000,
        "size at which a log file is put aside",
        "reliability.md D11",
        low=10_000,
        high=1_000_000_000,
        unit="bytes",
    )
    log_files: int = _setting(4, "log files that are kept", "reliability.md D11", low=1, high=100)


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """What a turn does around the model."""

    quote_facts: bool = _setting(
        True, "add the best facts when a look-up's reply holds none of them", "issue: The turn"
    )
    max_bytes: int = _setting(
        1_000_000, "longest message that is read", "issue: Bad input", low=1000, high=100_000_000, unit="bytes"
    )
    deep_turns: int = _setting(4, "turns back in which a deep thread can be followed up", "E26", low=1, high=50)


@dataclass(frozen=True, slots=True)
class LearnSettings:
    """What is written from what the owner says."""

    policy: str = _setting(
        "auto",
        "auto writes recognised statements with a receipt, off never does",
        "ecosystem.md 6",
        choices=("auto", "off"),
    )


@dataclass(frozen=True, slots=True)
class Settings:
    """All groups of settings."""

    context: ContextSettings = ContextSettings()
    relevance: RelevanceSettings = RelevanceSettings()
    unknown: UnknownSettings = UnknownSettings()
    tokens: TokenSettings = TokenSettings()
    llm: LlmSettings = LlmSettings()
    ollama: OllamaSettings = OllamaSettings()
    embedded: EmbeddedSettings = EmbeddedSettings()
    embed: EmbedSettings = EmbedSettings()
    state: StateSettings = StateSettings()
    backup: BackupSettings = BackupSettings()
    daemon: DaemonSettings = DaemonSettings()
    chat: ChatSettings = ChatSettings()
    learn: LearnSettings = LearnSettings()
    memory: MemorySettings = MemorySettings()
    heat: HeatSettings = HeatSettings()
    actr: ActrSettings = ActrSettings()
    chain: ChainSettings = ChainSettings()
    ebbinghaus: EbbinghausSettings = EbbinghausSettings()
    retention: RetentionSettings = RetentionSettings()
    links: LinkSettings = LinkSettings()
    recall: RecallSettings = RecallSettings()


GROUPS: dict[str, Any] = {
    "context": ContextSettings,
    "relevance": RelevanceSettings,
    "unknown": UnknownSettings,
    "tokens": TokenSettings,
    "llm": LlmSettings,
    "ollama": OllamaSettings,
    "embedded": EmbeddedSettings,
    "embed": EmbedSettings,
    "state": StateSettings,
    "backup": BackupSettings,
    "daemon": DaemonSettings,
    "chat": ChatSettings,
    "learn": LearnSettings,
    "memory": MemorySettings,
    "heat": HeatSettings,
    "actr": ActrSettings,
    "chain": ChainSettings,
    "ebbinghaus": EbbinghausSettings,
    "retention": RetentionSettings,
    "links": LinkSettings,
    "recall": RecallSettings,
}
