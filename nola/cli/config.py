"""`nola config`: lists the settings, and changes them in settings.toml."""

from typing import Annotated, Any

import typer

from nola.cli import output, settings_file
from nola.cli.command import command, noun
from nola.cli.desk import desk_of
from nola.cli.options import AsJson
from nola.config import Described, describe, parse_value

__all__ = ["get", "group", "list_", "path", "put", "unset"]

group = noun("The settings: every constant with its default, range and source.")

_Key = Annotated[str, typer.Argument(metavar="KEY", help="For example context.budget_l2.")]


@command(group, "list")
def list_(
    ctx: typer.Context,
    *,
    part: Annotated[str, typer.Argument(metavar="PART", help="Only keys that hold this.")] = "",
    as_json: AsJson = False,
) -> None:
    """List every setting: value, default, range, where it was set, what it means, and where it comes from.

    Examples:
      nola config list
      nola config list context
      nola config list --json | jq '.[] | select(.origin != "default")'
    """
    rows = [row for row in describe(desk_of(ctx).config) if part in row.key]
    if as_json:
        output.document([_document(row) for row in rows])
        return
    cells = [
        (row.key, _shown(row.value, row.unit), _shown(row.default, ""), _takes(row), row.origin, row.doc, row.source)
        for row in rows
    ]
    output.table(("setting", "value", "default", "takes", "from", "meaning", "source"), cells)


@command(group)
def get(ctx: typer.Context, *, key: _Key, as_json: AsJson = False) -> None:
    """Print one setting's value.

    Examples:
      nola config get context.budget_l2
    """
    value = _value(ctx, key)
    if as_json:
        output.document(value)
    else:
        output.write(_shown(value, ""))


@command(group, "set", ignore_unknown_options=True)
def put(
    ctx: typer.Context,
    *,
    key: _Key,
    value: Annotated[str, typer.Argument(metavar="VALUE", help="The new value.")],
    as_json: AsJson = False,
) -> None:
    """Write one setting into settings.toml; comments in the file stay.

    Examples:
      nola config set context.budget_l2 80
      nola config set llm.model ollama:llama3.2:3b
    """
    old = _value(ctx, key)
    checked = parse_value(key, value)
    settings_file.put(desk_of(ctx).config.settings_file, key, checked)
    _told(ctx, key, old, checked, as_json=as_json)


@command(group)
def unset(ctx: typer.Context, *, key: _Key, as_json: AsJson = False) -> None:
    """Take one setting out of settings.toml, so that its default counts.

    Examples:
      nola config unset context.budget_l2
    """
    row = _row(ctx, key)
    if not settings_file.drop(desk_of(ctx).config.settings_file, key):
        output.say(f"note: {key} does not stand in settings.toml; nothing was changed")
    _told(ctx, key, row.value, row.default, as_json=as_json)


@command(group)
def path(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Print where settings.toml is, or would be.

    Examples:
      nola config path
      $EDITOR "$(nola config path)"
    """
    file = str(desk_of(ctx).config.settings_file)
    if as_json:
        output.document({"path": file})
    else:
        output.write(file)


def _row(ctx: typer.Context, key: str) -> Described:
    for row in describe(desk_of(ctx).config):
        if row.key == key:
            return row
    parse_value(key, "")  # says that there is none
    raise AssertionError(key)  # pragma: no cover -- describe and parse_value read one table


def _value(ctx: typer.Context, key: str) -> Any:
    return _row(ctx, key).value


def _told(ctx: typer.Context, key: str, old: Any, new: Any, *, as_json: bool) -> None:
    if as_json:
        output.document({"key": key, "old": old, "new": new})
    else:
        output.write(f"{key}: {_shown(old, '')} -> {_shown(new, '')}")
    if desk_of(ctx).config.origins.get(key) == "environment":
        output.say(f"note: the environment sets {key} too, and has the last word")


def _shown(value: Any, unit: str) -> str:
    text = output.inline(value) if not isinstance(value, str) else value or '""'
    return f"{text} {unit}".rstrip()


def _takes(row: Described) -> str:
    if row.choices:
        return ", ".join(row.choices)
    if row.low is None and row.high is None:
        return ""
    return f"{_bound(row.low)} to {_bound(row.high)}"


def _bound(number: float | None) -> str:
    return "" if number is None else f"{number:g}" if number != int(number) else f"{int(number)}"


def _document(row: Described) -> dict[str, Any]:
    return {
        "key": row.key,
        "value": row.value,
        "default": row.default,
        "unit": row.unit,
        "low": row.low,
        "high": row.high,
        "choices": list(row.choices),
        "origin": row.origin,
        "source": row.source,
        "doc": row.doc,
    }
