"""Answers `nola state get PATH`, which scripts and shell prompts run all the time, without the weight of typer."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from nola.cli import output
from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nola.cli.desk import Desk

__all__ = ["answer", "show_value"]

_GET = ("state", "get")
_JSON = "--json"


def answer(arguments: Sequence[str], *, desk: Callable[[], Desk] | None = None) -> int | None:
    """Answer `state get PATH [--json]`; return the exit code, or None when something else is asked.

    What goes wrong beyond a plain refusal is left to the full command line, which tells it properly.

    Args:
        arguments: What stands after `nola`.
        desk: Makes the desk.
    """
    rest = [word for word in arguments[2:] if word != _JSON]
    if tuple(arguments[:2]) != _GET or len(rest) != 1 or rest[0].startswith("-"):
        return None
    opened = (desk or _desk)()
    try:
        show_value(opened, rest[0], as_json=_JSON in arguments)
        sys.stdout.flush()
    except NolaError as error:
        output.error(error)
        return error.exit_code
    except Exception:  # noqa: BLE001 -- the full command line runs into it too, and tells it properly
        return None
    finally:
        opened.close()
    return 0


def show_value(desk: Desk, path: str, *, as_json: bool) -> None:
    """Print the value at a path: text bare, everything else as JSON.

    Raises:
        PathError: Nothing stands there.
    """
    value = desk.assistant.get_state(path)
    if isinstance(value, str) and not as_json:
        output.write(value)
    else:
        output.document(value)


def _desk() -> Desk:
    from nola.cli.desk import Desk  # noqa: PLC0415 -- keeps start-up fast

    return Desk(os.environ)
