"""Answers `nola state get PATH`, which scripts and shell prompts run all the time, without the weight of typer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from nola.cli import output
from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nola.cli.desk import Desk

__all__ = ["answer", "say_broken", "show_value"]

_GET = ("state", "get")
_JSON = "--json"
# What stands in these comes from the other files too.
_WHOLES = {"", "modules", "Nola", "identity"}
_LAST_GOOD = "last good"


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
    except NolaError as error:
        output.error(error)
        return error.exit_code
    except Exception:  # noqa: BLE001 -- the full command line runs into it too, and tells it properly
        return None
    finally:
        opened.close()
    return 0


def show_value(desk: Desk, path: str, *, as_json: bool) -> None:
    """Print the value at a path: text bare, everything else as JSON; say when its file is broken on disk.

    Raises:
        PathError: Nothing stands there.
    """
    value = desk.assistant.get_state(path)
    if isinstance(value, str) and not as_json:
        output.exact(value)
    else:
        output.document(value)
    output.flush()
    say_broken(desk, path)


def say_broken(desk: Desk, path: str) -> None:
    """Say on stderr which file can't be read, when what was shown of a path is what was last good in it."""
    broken = [problem for problem in desk.assistant.problems() if problem.severity == "error"]
    if not broken:
        return
    from nola.keeping import problem_sentence  # noqa: PLC0415 -- keeps start-up fast
    from nola.state import paths  # noqa: PLC0415 -- keeps start-up fast

    module = paths.parse(path).module if path.strip() else ""
    for problem in broken:
        sentence = output.sentence(problem_sentence(problem))
        if problem.file in {f"{module}.json", f"modules/{module}.json"}:
            said = "" if _LAST_GOOD in problem.message else "; the last good value is shown"
            output.say(f"note: {sentence}{said}")
        elif module in _WHOLES:
            output.say(f"note: {sentence}")


def _desk() -> Desk:
    from nola.cli.desk import Desk  # noqa: PLC0415 -- keeps start-up fast

    return Desk(os.environ)
