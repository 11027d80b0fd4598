"""How a command is made: its help from its docstring, and every failure a sentence and an exit code."""

from __future__ import annotations

import functools
import inspect
import io
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import typer

from nola.cli import output
from nola.cli import output_streams as streams
from nola.cli.desk import desk_of
from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

__all__ = ["CONTEXT", "command", "guarded", "help_text", "noun", "run"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Settings of every group: `-h` is as good as `--help`."""

_INTERRUPTED = 130
_LONGEST_HINT = 200
_SENTENCE = 3
_MISSPELT = 0.8  # `sate` is a misspelt `state`; `what` is no misspelt `chat`
# What typer raises for wrong usage of any kind; it does not export the name.
_USAGE: Any = typer.BadParameter.__base__


def noun(help_: str, *, runs_alone: bool = False) -> typer.Typer:
    """Make a group of commands about one thing.

    Args:
        help_: What it is about.
        runs_alone: It does something without a command too; else it shows its help.
    """
    return typer.Typer(help=help_, rich_markup_mode=None, no_args_is_help=not runs_alone, context_settings=CONTEXT)


def command(
    group: typer.Typer, name: str | None = None, **settings: Any
) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Register a function as a command whose failures are told in one sentence.

    Args:
        group: The group it belongs to.
        name: How it is called; the function's name by default.
        settings: The command's context settings.
    """

    def register(function: Callable[_P, _R]) -> Callable[_P, _R]:
        safe = guarded(function)
        group.command(name, help=help_text(function), context_settings={**CONTEXT, **settings})(safe)
        return safe

    return register


def help_text(function: Callable[..., object]) -> str:
    r"""Return a docstring as help, its examples kept line by line (`\b` keeps a paragraph from being filled)."""
    text = inspect.cleandoc(function.__doc__ or "")
    return text.replace("\nExamples:\n", "\n\b\nExamples:\n")


def guarded(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Turn whatever goes wrong inside a command into a sentence on stderr and an exit code."""

    @functools.wraps(function)
    def run_safely(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            result = function(*args, **kwargs)
            output.flush()
        except (typer.Exit, typer.Abort, _USAGE):
            raise
        except KeyboardInterrupt:
            if output.on_terminal(sys.stderr):
                streams.put_aside("\n")
            raise typer.Exit(_INTERRUPTED) from None
        except NolaError as error:
            output.error(error)
            raise typer.Exit(error.exit_code) from error
        except OSError as error:
            raise typer.Exit(_of_the_system(error)) from error
        except Exception as error:  # a bug: a person gets a sentence, and the traceback goes into a file
            _crashed(error, kwargs.get("ctx"))
            raise typer.Exit(1) from error
        return result

    return run_safely


def run(app: typer.Typer, arguments: Sequence[str], commands: Collection[str]) -> int:
    """Run the whole command line; return its exit code. Wrong usage is told like every other failure.

    Args:
        app: The `nola` command, or as much of it as is asked for.
        arguments: What stands after `nola`.
        commands: The names of all commands.
    """
    try:
        code = app(list(arguments), prog_name="nola", standalone_mode=False)
        output.flush()
    except _USAGE as error:
        told = io.StringIO()
        error.show(file=told)
        output.say(told.getvalue().rstrip("\n"))
        if hint := _hint(arguments, commands):
            output.say(f"      to ask it: {hint}")
        return int(error.exit_code)
    except NolaError as error:  # of the streams themselves, while something else was told
        output.error(error)
        return error.exit_code
    except OSError as error:
        return _of_the_system(error)
    except typer.Abort:
        output.say("stopped")
        return 1
    return code if isinstance(code, int) else 0


def _hint(arguments: Sequence[str], commands: Collection[str]) -> str:
    """Return the command that asks what looks like a sentence where a command should stand, or an empty text."""
    first = arguments[0] if arguments else "-"
    if first in commands or first.startswith("-"):
        return ""
    text = " ".join(arguments)
    if " " not in first and not first.endswith("?"):
        if len(arguments) < _SENTENCE or any(word.startswith("-") for word in arguments):
            return ""
        import difflib  # noqa: PLC0415 -- keeps start-up fast

        if difflib.get_close_matches(first, commands, cutoff=_MISSPELT):
            return ""
    import shlex  # noqa: PLC0415 -- keeps start-up fast

    if len(text) > _LONGEST_HINT:
        text = f"{text[:_LONGEST_HINT]}…"
    quoted = shlex.quote(text) if set('"$`\\!') & set(text) else f'"{text}"'
    return f"nola chat {quoted}"


def _of_the_system(error: OSError) -> int:
    """Tell a refusal of the operating system; return the exit code."""
    try:
        output.flush()  # when it was stdout that refused, it refuses again
    except NolaError as refused:
        output.error(refused)
        return refused.exit_code
    where = "the system" if error.filename is None else os.fsdecode(error.filename)
    output.error(NolaError(f"{where}: {error.strerror or error}"))
    return 1


def _crashed(error: Exception, ctx: Any) -> None:
    output.say(f"nola: something went wrong inside Nola: {type(error).__name__}: {output.one_line(str(error))}")
    if ctx is not None:
        try:
            output.say(f"      the details for a bug report are in {_keep_traceback(error, ctx)}")
        except (NolaError, OSError):
            output.say("      the details could not be written; see nola where")


def _keep_traceback(error: Exception, ctx: typer.Context) -> Path:
    from nola.files import make_private_dir, write_atomic  # noqa: PLC0415 -- keeps start-up fast

    path = desk_of(ctx).logs / "crash.txt"
    make_private_dir(path.parent)
    write_atomic(path, "".join(traceback.format_exception(error)).encode("utf-8", "replace"))
    return path
