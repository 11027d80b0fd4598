"""`nola memory reindex`, `export` and `import`: the memory as a whole."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nola.cli import output
from nola.cli.counting import Counting
from nola.cli.desk import desk_of
from nola.cli.options import AsJson
from nola.cli.outlet import STREAM, check_free, print_exactly, write_file
from nola.errors import InputError

if TYPE_CHECKING:
    from nola.learned import Memory
    from nola.memory.journal import Taken

__all__ = ["export", "import_", "reindex"]

_MOST_BYTES = 4_000_000_000

_LOOK_S = 0.5

_Missing = Annotated[bool, typer.Option("--missing", help="Make only the vectors that are missing.")]
_Out = Annotated[str, typer.Argument(metavar="FILE", help="The file to write; - or nothing prints it.")]
_Force = Annotated[bool, typer.Option("--force", help="Replace FILE when it is there already.")]
_In = Annotated[str, typer.Argument(metavar="FILE", help="What nola memory export wrote; - reads stdin.")]
_DryRun = Annotated[bool, typer.Option("--dry-run", help="Tell what it would bring, and store nothing.")]
_SkipKnown = Annotated[bool, typer.Option("--skip-known", help="Pass over memories that are here already.")]


def reindex(ctx: typer.Context, *, missing: _Missing = False, as_json: AsJson = False) -> None:
    """Drop every index of the memory and make it again from the texts.

    Memories are safe meanwhile, and are found by their words. With --missing all that is there stays, and only the
    vectors that are missing are made, as Nola does by herself whenever she remembers something.

    Examples:
      nola memory reindex
      nola memory reindex --missing
    """
    desk = desk_of(ctx)
    with Counting("indexing") as progress:
        made = _make_missing(desk.memory, progress) if missing else desk.memory.reindex(progress)
    model = desk.memory.stats().model
    trouble = desk.memory.engine.keeper.trouble
    if as_json:
        output.document({**made, "model": model, "trouble": trouble})
    else:
        output.show(_told_index(made, output.model_name(model), missing=missing))
    output.flush()
    if trouble:
        output.say(f"nola: {output.sentence(trouble)}")
        raise typer.Exit(1)


def export(ctx: typer.Context, *, file: _Out = STREAM, force: _Force = False, as_json: AsJson = False) -> None:
    """Give out all memories as readable lines of JSON, with their history, links and statistics.

    The same memory gives the same bytes. FILE is readable for you alone. With --json, what was written is told as JSON.

    Examples:
      nola memory export memory.jsonl
      nola memory export | jq -r '.memory.content // empty'
    """
    desk = desk_of(ctx)
    if file != STREAM:
        check_free(Path(file), force=force)
    lines = desk.memory.engine.memories.export_lines()
    text = "".join(f"{line}\n" for line in lines).encode()
    if file == STREAM:
        print_exactly(text)
    else:
        write_file(Path(file), text, as_json=as_json)


def import_(
    ctx: typer.Context,
    *,
    file: _In,
    dry_run: _DryRun = False,
    skip_known: _SkipKnown = False,
    as_json: AsJson = False,
) -> None:
    """Take in what nola memory export gave out, all or nothing; ids, times and statistics stay.

    A memory that is here already stops it, unless --skip-known is given. Nothing that is here is changed.

    Examples:
      nola memory import --dry-run memory.jsonl
      nola memory import --skip-known memory.jsonl
      ssh laptop nola memory export | nola memory import -
    """
    desk = desk_of(ctx)
    taken = desk.memory.engine.memories.import_lines(_lines(file), skip_known=skip_known, dry_run=dry_run)
    if not dry_run and taken.memories:
        desk.memory.engine.keeper.notice()
        desk.remembered()
    if as_json:
        output.document({**taken._asdict(), "dry_run": dry_run})
        return
    output.show(_told(taken, dry_run=dry_run))


def _told_index(made: dict[str, int], model: str, *, missing: bool) -> str:
    vectors = f"{made['vectors']} vector{'' if made['vectors'] == 1 else 's'} ({model})"
    if missing:
        return f"made {vectors}" if made["vectors"] else "no vector is missing"
    return f"indexed {_count(made['memories'])}{f', {vectors}' if model else ''}"


def _make_missing(memory: "Memory", progress: Counting) -> dict[str, int]:
    engine = memory.engine
    model = engine.keeper.embedder.model_id if engine.keeper.embedder else ""
    total = engine.memories.missing(model) if model else 0
    while not memory.wait_indexed(_LOOK_S):
        progress("vectors", total - engine.memories.missing(model), total)
    left = engine.memories.missing(model) if model else 0
    progress("vectors", total - left, total)
    return {"memories": memory.stats().total, "vectors": total - left}


def _lines(file: str) -> list[str]:
    """Read an export.

    Raises:
        InputError: It is too long, or no text.
    """
    name = "stdin" if file == STREAM else file
    if file == STREAM:
        given = sys.stdin.buffer.read(_MOST_BYTES + 1)
    else:
        with Path(file).open("rb") as opened:
            given = opened.read(_MOST_BYTES + 1)
    if len(given) > _MOST_BYTES:
        raise InputError(f"{name} has more than {_MOST_BYTES:,} bytes: it can't be an export of the memory")
    try:
        return given.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise InputError(f"{name} is no text: it can't be an export of the memory") from None


def _told(taken: "Taken", *, dry_run: bool) -> str:
    known = f"; {_count(taken.known)} {'was' if taken.known == 1 else 'were'} here already" if taken.known else ""
    if taken.gone:
        known += f"; {_count(len(taken.gone))} {'was' if len(taken.gone) == 1 else 'were'} deleted here"
    if not taken.memories and not taken.gone:
        return "all of it is here already" if taken.known else "there is nothing in it"
    edges = f" and {taken.edges} edge{'' if taken.edges == 1 else 's'}" if taken.edges else ""
    return f"{'would import' if dry_run else 'imported'} {_count(taken.memories)}{edges}{known}"


def _count(number: int) -> str:
    return f"{number} memor{'y' if number == 1 else 'ies'}"
