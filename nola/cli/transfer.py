"""`nola export` and `nola import`: everything that Nola knows as one readable file, given out and taken in again."""

import sys
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

import typer

from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson
from nola.cli.outlet import STREAM, check_free, print_exactly, write_file
from nola.errors import NolaError, UsageError

if TYPE_CHECKING:
    from nola.transfer import ImportPlan, ImportResult

__all__ = ["Part", "export", "import_"]

_MOST = 20
_WIDE = 80
_CHUNK = 1 << 20
_YES = {"y", "yes", "j", "ja", "s", "si", "sí", "sim", "o", "oui"}
# It describes the machine that it is on, and does not travel.
_STAYS = "machineID.json"


class Part(StrEnum):
    """What can be given out alone."""

    STATE = "state"
    CONVERSATIONS = "conversations"
    MEMORIES = "memories"


def export(
    ctx: typer.Context,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write; - or nothing prints it.")] = STREAM,
    only: Annotated[Part | None, typer.Option(help="Give out this part alone.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="State and memories as Markdown, for people.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace FILE when it is there already.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give out everything that Nola knows, as one readable JSON document.

    Modules stand in it as you wrote them, conversations with every turn, memories with their history and links. The
    same content gives the same bytes, and nola import takes them in again. FILE is readable for you alone. With --json,
    what was written is told as JSON.

    Examples:
      nola export nola.json
      nola export --only state | jq .state.user
      nola export --markdown nola.md
    """
    desk = desk_of(ctx)
    if markdown and only is Part.CONVERSATIONS:
        raise UsageError(
            "--markdown gives out state and memories, so there is nothing left to print", fix="leave --only out"
        )
    if file != STREAM:
        check_free(Path(file), force=force)
    data = desk.assistant.export_all(only=only and only.value)
    text = _as_markdown(data) if markdown else data
    if file == STREAM:
        print_exactly(text)
    else:
        write_file(Path(file), text, as_json=as_json)
    whole = only in {Part.CONVERSATIONS, Part.MEMORIES} or _is_whole(desk)
    if not (markdown or _comes_back(desk, data)) or not whole:
        raise typer.Exit(1)


def import_(
    ctx: typer.Context,
    *,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What nola export wrote; - reads stdin.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the plan, and change nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")] = False,
    replace: Annotated[bool, typer.Option("--replace", help="Replace conversations that differ.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take in what nola export gave out, after showing what that changes.

    What is not in FILE stays as it is, and a memory that is here already is passed over. A backup is made first, and
    how to go back to it is printed. Without a terminal, --yes has to be given.

    Examples:
      nola import --dry-run nola.json
      nola import nola.json
      ssh laptop nola export | nola import --yes -
    """
    desk = desk_of(ctx)
    plan = desk.assistant.import_plan(_read(file))
    if replace:
        plan = plan.replacing()
    if not as_json:
        _show_plan(plan)
    result = None
    if not dry_run and not plan.is_done:
        plan.check()
        if not yes:
            _ask(can_answer=file != STREAM and not as_json)
        result = desk.assistant.import_all(plan)
    if as_json:
        output.document(_told(plan, result))
    elif result:
        _show_result(result)


# A keyword can't be the name of a function; commands are looked up, and called, by their names.
import_.__name__ = "import"
setattr(sys.modules[__name__], "import", import_)


def _as_markdown(data: bytes) -> bytes:
    from nola.transfer import markdown  # noqa: PLC0415 -- keeps start-up fast

    return markdown(data).encode()


def _is_whole(desk: Desk) -> bool:
    """Tell what could not be read as it stands; return whether nothing was."""
    problems = [problem for problem in desk.assistant.problems() if problem.file != _STAYS]
    broken = [problem for problem in problems if problem.severity == "error"]
    # A warning that names a line is about a key that stands twice, of which one is left.
    for problem in (*broken, *(p for p in problems if p not in broken and p.line)):
        where = f"{problem.file}, line {problem.line}, column {problem.column}" if problem.line else problem.file
        output.say(f"nola: {output.one_line(f'{where}: {problem.message}')}")
    if broken:
        output.say("      what can't be read was given out as it last could be; mend it, and export again")
    return not broken


def _comes_back(desk: Desk, data: bytes) -> bool:
    """Read an export back before anybody relies on it; tell why it could not be imported."""
    from nola.transfer import read_document  # noqa: PLC0415 -- keeps start-up fast

    limits = desk.config.settings.state
    try:
        read_document(data, max_depth=limits.max_depth, max_bytes=limits.max_bytes)
    except NolaError as error:
        output.say(f"nola: it could not be imported as it is: {output.one_line(str(error))}")
        return False
    return True


def _read(file: str) -> bytes:
    if file == STREAM:
        return _read_limited(sys.stdin.buffer)
    with Path(file).open("rb") as opened:
        return _read_limited(opened)


def _read_limited(stream: BinaryIO) -> bytes:
    from nola.transfer import MAX_BYTES  # noqa: PLC0415 -- keeps start-up fast

    whole = bytearray()
    while len(whole) <= MAX_BYTES and (chunk := stream.read(_CHUNK)):
        whole += chunk
    return bytes(whole)


def _ask(*, can_answer: bool) -> None:
    if not (can_answer and output.on_terminal(sys.stdin) and output.on_terminal(sys.stderr)):
        raise UsageError("nobody is at a terminal to agree to this", fix="add --yes to do it, or --dry-run to see it")
    sys.stderr.write("Do this? A backup is made first. [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in _YES:
        output.say("nothing was imported")
        raise typer.Exit(1)


def _show_plan(plan: "ImportPlan") -> None:
    for module in plan.modules:
        many = len(module.changes)
        fates = {
            "new": f"new, {_count(many, 'value')}",
            "same": "the same",
            "changes": f"changes {_count(many, 'value')}",
        }
        if module.fate == "changes" and not many:
            fates["changes"] = "only its times or version change"
        output.show(f"{output.one_line(module.name)}: {fates[module.fate]}")
        for change in module.changes[:_MOST]:
            old = output.inline(change.old) if change.old_present else "(nothing)"
            new = output.inline(change.new) if change.new_present else "(nothing)"
            output.show(f"  {output.one_line(change.path)}: {old} -> {new}")
        if many > _MOST:
            output.show(f"  and {many - _MOST} more")
    _show_talks(plan)
    _show_memories(plan)
    if plan.is_done:
        known = plan.modules or plan.conversations or plan.memories.known
        output.show("all of it is here already" if known else "there is nothing in it")


def _show_talks(plan: "ImportPlan") -> None:
    if not plan.conversations:
        return
    fates = [talk.fate for talk in plan.conversations]
    words = {"new": "new", "same": "the same", "differs": "replaced" if plan.replaces else "different"}
    told = ", ".join(f"{fates.count(fate)} {word}" for fate, word in words.items() if fate in fates)
    output.show(f"conversations: {told}")
    listed = [talk for talk in plan.conversations if talk.fate != "same"]
    for talk in listed[:_MOST]:
        title = output.one_line(talk.title)
        output.show(f"  {output.one_line(talk.id)}: {words[talk.fate]}, {_count(talk.turns, 'turn')}, {title}")
    if len(listed) > _MOST:
        output.show(f"  and {len(listed) - _MOST} more")


def _show_memories(plan: "ImportPlan") -> None:
    from nola.cli.memory_options import shortened  # noqa: PLC0415 -- keeps start-up fast

    found = plan.memories
    if found.is_done and not found.known:
        return
    fates = ((len(found.new), "new"), (found.known, "known already and skipped"))
    told = ", ".join(f"{many} {word}" for many, word in fates if many) or "none new"
    beside = {"event": found.events, "use": found.uses, "edge": found.edges, "pair": found.pairs}
    beside |= {"purge": found.purged, "counter": found.counters}
    more = ", ".join(_count(many, word) for word, many in beside.items() if many)
    output.show(f"memories: {told}{f'; with {more}' if more else ''}")
    for memory in found.new[:_MOST]:
        output.show(f"  {output.one_line(memory.id)}: {memory.kind}, {shortened(memory.content, most=_WIDE)}")
    if len(found.new) > _MOST:
        output.show(f"  and {len(found.new) - _MOST} more")


def _show_result(result: "ImportResult") -> None:
    done = {"module": result.modules, "conversation": result.conversations, "memory": result.memories}
    told = [_count(len(ids), what) for what, ids in done.items() if ids] or ["what goes with the memories"]
    output.show(f"imported {' and '.join([', '.join(told[:-1]), told[-1]] if told[1:] else told)}")
    output.show(f"to take all of it back: nola backup restore {result.backup}")


def _told(plan: "ImportPlan", result: "ImportResult | None") -> dict[str, object]:
    from nola.transfer import plan_document  # noqa: PLC0415 -- keeps start-up fast

    return {"plan": plan_document(plan), "result": asdict(result) if result else None}


def _count(number: int, word: str) -> str:
    if number == 1:
        return f"1 {word}"
    return f"{number} {word[:-1]}ies" if word.endswith("y") else f"{number} {word}s"
