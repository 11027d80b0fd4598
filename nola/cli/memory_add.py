"""`nola memory add`: remembers a text, or each line of one."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer

from nola.cli import memory_options as options
from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson
from nola.cli.state_time import read_moment
from nola.errors import InputError, UsageError
from nola.memory.axes import Kind, MemoryClass
from nola.memory.record import ALIASES

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["add"]

_STDIN = "-"
_MOST_BYTES = 1_000_000_000
_TIMES = frozenset({"at", "valid_from", "valid_until", "expires_at"})

_Text = Annotated[str, typer.Argument(metavar="TEXT", help="What to remember; - reads it from stdin.")]
_KindOption = Annotated[Kind, typer.Option("--kind", help="What sort of memory it is.")]
_ClassOption = Annotated[MemoryClass, typer.Option("--class", help="innate: nothing changes or deletes it, ever.")]
_Importance = Annotated[float | None, typer.Option("--importance", metavar="0..1", help="How much it matters (0.5).")]
_Speaker = Annotated[str | None, typer.Option("--speaker", metavar="NAME", help="Who said it.")]
_At = Annotated[str, typer.Option("--at", metavar="TIME", help="When it happened or was said, if not now.")]
_Expires = Annotated[str, typer.Option("--expires", metavar="TIME", help='When it is forgotten, such as "in 3 days".')]
_Tags = Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="A tag; may be given several times.")]
_Namespace = Annotated[
    str | None, typer.Option("--namespace", metavar="NAME", help="Kept apart from others (default).")
]
_Level = Annotated[int | None, typer.Option("--level", metavar="1..3", help="How deep a question has to look (2).")]
_Source = Annotated[str | None, typer.Option("--source", metavar="TEXT", help="Where it comes from.")]
_Pinned = Annotated[bool, typer.Option("--pinned", help="Always considered.")]
_Fields = Annotated[
    list[str] | None, typer.Option("--field", metavar="NAME=VALUE", help="Any other field; VALUE is JSON, else text.")
]
_Lines = Annotated[bool, typer.Option("--lines", help="One memory for each line that is not blank.")]


def add(
    ctx: typer.Context,
    *,
    text: _Text,
    kind: _KindOption = Kind.SEMANTIC,
    memory_class: _ClassOption = MemoryClass.LEARNED,
    importance: _Importance = None,
    speaker: _Speaker = None,
    at: _At = "",
    expires: _Expires = "",
    tags: _Tags = None,
    namespace: _Namespace = None,
    level: _Level = None,
    source: _Source = None,
    pinned: _Pinned = False,
    fields: _Fields = None,
    lines: _Lines = False,
    as_json: AsJson = False,
) -> None:
    """Remember a text; it can be found by its words at once, and by its meaning a moment later.

    All fields stand in docs/reference/memory.md; --field gives those that have no option of their own. With --lines all
    are stored or none.

    Examples:
      nola memory add "My dog is called Biscuit"
      nola memory add "The plumber comes" --kind episodic --at 2026-11-20T09:00 --speaker Mara
      nola memory add "Buy milk" --kind prospective --field trigger=supermarket --expires "in 3 days"
      nola memory add --lines --tag garden - < notes.txt
    """
    desk = desk_of(ctx)
    now = desk.clock.now()
    given: dict[str, Any] = {
        "kind": kind,
        "memory_class": memory_class,
        "importance": importance,
        "speaker": speaker,
        "at": read_moment(at, now, future=True) if at else None,
        "expires_at": read_moment(expires, now, future=True) if expires else None,
        "tags": tags or None,
        "namespace": namespace,
        "level": level,
        "source": source,
        "pinned": pinned or None,
    }
    given = {**_chosen(given), **_others(fields or [], now, given)}
    _store(desk, _texts(text, lines=lines), given, lines=lines, as_json=as_json)


def _store(desk: Desk, texts: list[str], given: dict[str, Any], *, lines: bool, as_json: bool) -> None:
    ids = desk.memory.store_many({"content": text, **given} for text in texts)
    desk.remembered()
    if as_json and lines:
        output.document({"ids": ids})
    elif as_json:
        record = desk.memory.get(ids[0])
        (heat, tier), *_ = desk.memory.heat([record])
        output.document(record.to_json({"heat": heat, "tier": tier.value}))
    for id_, text in () if as_json else zip(ids, texts, strict=True):
        output.show(f"remembered {id_}: {options.shortened(text)}")
    output.flush()
    if not ids:
        output.say("there is no line with anything in it")
    if given["memory_class"] is MemoryClass.INNATE and ids:
        output.say("note: it is innate: nothing will change or delete it any more")


def _texts(text: str, *, lines: bool) -> list[str]:
    whole = _read_stdin() if text == _STDIN else text
    return [line for line in whole.splitlines() if line.strip()] if lines else [whole]


def _read_stdin() -> str:
    """Read stdin to its end, without the last line's end.

    Raises:
        InputError: It is too long, or no text.
    """
    given = sys.stdin.buffer.read(_MOST_BYTES + 1)
    if len(given) > _MOST_BYTES:
        raise InputError(f"stdin has more than {_MOST_BYTES:,} bytes", fix="give it in several parts")
    try:
        return given.decode("utf-8-sig").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InputError(f"the text is not UTF-8 from byte {error.start + 1} on", fix="give it as UTF-8") from None


def _chosen(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _others(fields: list[str], now: "datetime", given: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    named = {ALIASES.get(name, name) for name, value in given.items() if value is not None}
    for field in fields:
        name, equals, value = field.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"--field takes NAME=VALUE, not {field!r}")
        if name == "content":
            raise UsageError("--field can't give the content: it is TEXT")
        own = ALIASES.get(name, name)
        if own in named:
            raise UsageError(f"{name} is given twice")
        named.add(own)
        found[name] = read_moment(value, now, future=True) if name in _TIMES else _parsed(value)
    return found


def _parsed(value: str) -> Any:
    try:
        return orjson.loads(value.encode("utf-8", "surrogateescape"))
    except orjson.JSONDecodeError:
        return value
