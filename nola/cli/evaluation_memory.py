"""`nola eval memory`: measures how much of the evidence the memory finds in long conversations, beside baselines."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nola.cli import output
from nola.cli.counting import Counting
from nola.cli.desk import desk_of
from nola.cli.options import AsJson
from nola.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nola.evaluation.conversations import Conversation
    from nola.evaluation.finders import Kept, Remembering
    from nola.evaluation.measures import Asked, Figure
    from nola.evaluation.recall import Result
    from nola.settings import Settings

__all__ = ["memory"]

_File = Annotated[Path, typer.Argument(metavar="FILE", help="Conversations with labelled questions, as JSON.")]
_Embedder = Annotated[
    str,
    typer.Option(
        "--embedder", metavar="NAME", help="default, minilm, wordllama, hashing, ollama, ollama:MODEL, or none."
    ),
]
_Profile = Annotated[str, typer.Option("--profile", metavar="NAME", help="Nola's profile, instead of the setting.")]
_Ablation = Annotated[
    bool, typer.Option("--ablation", help="Also relevance alone, every other strategy and every other profile.")
]
_Results = Annotated[
    Path | None, typer.Option("--results", metavar="FOLDER", help="Keep a file of results for each conversation here.")
]
_Resume = Annotated[bool, typer.Option("--resume", help="Take from --results what was measured already.")]


def memory(
    ctx: typer.Context,
    *,
    file: _File,
    embedder: _Embedder = "default",
    profile: _Profile = "",
    ablation: _Ablation = False,
    results: _Results = None,
    resume: _Resume = False,
    as_json: AsJson = False,
) -> None:
    """Measure how much of the evidence the memory finds, beside FTS5, vectors alone and the last turns.

    FILE is LoCoMo's JSON, which is not part of Nola: a list of {"sample_id", "conversation", "qa"}. "conversation" has
    "session_1_date_time" ("1:56 pm on 8 May, 2023") and "session_1", a list of {"dia_id", "speaker", "text"}, and so
    on; "qa" a list of {"question", "evidence": ["D1:3"], "category"}, of which category 5 is left out. The form
    {"convs": [{"conv", "memories": [{"id", "text", "ts", "speaker", "session"}], "queries": [{"text", "gold"}]}]} will
    do too.

    Each conversation has a store of its own in a temporary folder, each turn is a memory, and nothing is
    counted. R@k is the share of the evidence among the first k, MRR one over the rank of the first, T@B
    the share that fits B tokens, and CPU what ten results take, the making of the question's vector apart.

    Examples:
      nola eval memory locomo10.json
      nola eval memory locomo10.json --embedder none --json > report.json
      nola eval memory locomo10.json --ablation --results measured --resume
    """
    from nola.evaluation import recall  # noqa: PLC0415 -- keeps start-up fast
    from nola.evaluation.conversations import load_conversations  # noqa: PLC0415 -- keeps start-up fast
    from nola.evaluation.finders import Kept  # noqa: PLC0415 -- keeps start-up fast
    from nola.learned import Memory  # noqa: PLC0415 -- keeps start-up fast
    from nola.llm.choose_embedder import embedder_named  # noqa: PLC0415 -- keeps start-up fast
    from nola.memory.dynamics.profiles import profile_of  # noqa: PLC0415 -- keeps start-up fast

    if resume and results is None:
        raise UsageError("--resume needs the folder of the results", fix="name it with --results FOLDER")
    config = desk_of(ctx).config
    settings = config.settings
    chosen = profile_of(profile or settings.memory.profile).name
    conversations = load_conversations(file)
    inner = embedder_named(embedder, config)
    kept = None if inner is None else Kept(inner)

    def opened(path: Path, with_profile: str, with_settings: "Settings") -> "Remembering":
        return Memory.open(path, profile=with_profile, settings=with_settings, embedder=kept)

    ways = recall.ways_of(opened, kept, settings, profile=chosen, ablation=ablation)
    with Counting("measuring") as progress:
        found = recall.evaluate(
            conversations, ways, embedder=kept, settings=settings, folder=results, resume=resume, progress=progress
        )
    if as_json:
        output.document(_document(conversations, found, kept, settings))
    else:
        _print(conversations, found, kept, settings)


def _print(
    conversations: "Sequence[Conversation]", found: "Sequence[Result]", kept: "Kept | None", settings: "Settings"
) -> None:
    from nola.evaluation.measures import MEASURES, summary  # noqa: PLC0415 -- keeps start-up fast

    totals = {result.name: summary(result.by_conversation) for result in found}
    heads = ("", *MEASURES, "CPU ms")
    rows = [
        (name, *(_cell(total.figures[measure]) for measure in MEASURES), f"{total.cpu_ms:.2f}")
        for name, total in totals.items()
    ]
    output.table(heads, rows, right=heads[1:])
    turns = sum(len(one.turns) for one in conversations)
    count = next(iter(totals.values()))
    output.show(f"n: {count.questions:,} questions, {turns:,} turns, {count.conversations} conversations")
    output.show("±: standard deviation of the conversations' own means")
    ours = next(total for name, total in totals.items() if name.startswith("Nola"))
    if (error := ours.figures["R@10"].error) is not None:
        output.show(f"standard error of Nola's R@10 over the questions: {_short(error)}")
    output.show(f"embedder: {kept.model_id if kept else 'none'}")
    output.show(f"seed: {settings.actr.seed} (noise {settings.actr.noise:g}); nothing else is drawn by chance")


def _cell(figure: "Figure") -> str:
    return _short(figure.mean) + ("" if figure.deviation is None else f" ±{_short(figure.deviation)}")


def _short(value: float) -> str:
    return f"{value:.3f}".removeprefix("0") if value < 1 else f"{value:.3f}"


def _document(
    conversations: "Sequence[Conversation]", found: "Sequence[Result]", kept: "Kept | None", settings: "Settings"
) -> dict[str, Any]:
    return {
        "conversations": [
            {"name": one.name, "turns": len(one.turns), "questions": len(one.questions)} for one in conversations
        ],
        "embedder": kept.model_id if kept else "none",
        "seed": settings.actr.seed,
        "noise": settings.actr.noise,
        "ways": [_way(conversations, one) for one in found],
    }


def _way(conversations: "Sequence[Conversation]", result: "Result") -> dict[str, Any]:
    from nola.evaluation.measures import summary  # noqa: PLC0415 -- keeps start-up fast

    total = summary(result.by_conversation)
    by_category: dict[str, list[Asked]] = {}
    for one in (one for some in result.by_conversation for one in some):
        by_category.setdefault(one.category, []).append(one)
    return {
        "name": result.name,
        "questions": total.questions,
        "cpu_ms": total.cpu_ms,
        "measures": total.figures,
        "by_conversation": {
            talk.name: _means(some) for talk, some in zip(conversations, result.by_conversation, strict=True)
        },
        "by_category": {name: _means(some) for name, some in sorted(by_category.items())},
    }


def _means(some: "Sequence[Asked]") -> dict[str, float]:
    from nola.evaluation.measures import summary  # noqa: PLC0415 -- keeps start-up fast

    total = summary([some])
    return {"questions": total.questions, **{name: figure.mean for name, figure in total.figures.items()}}
