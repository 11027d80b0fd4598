"""How a command is made: its help from its docstring, and every failure a sentence and an exit code."""

from __future__ import annotations

import errno
import functools
import inspect
import sys
import traceback
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import typer

from nola.cli import output
from nola.cli.desk import desk_of
from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["CONTEXT", "command", "guarded", "help_text", "noun"]

_P = ParamSpec("_P")
_R = TypeVar("_R")

CONTEXT: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Settings of every group: `-h` is as good as `--help`."""

_INTERRUPTED = 130


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
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            result = function(*args, **kwargs)
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except KeyboardInterrupt:
            if output.on_terminal(sys.stderr):
                sys.stderr.write("\n")
            raise typer.Exit(_INTERRUPTED) from None
        except NolaError as error:
            output.error(error)
            raise typer.Exit(error.exit_code) from error
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            output.say(f"nola: {error.filename or 'the system'}: {error.strerror or error}")
            raise typer.Exit(1) from error
        except Exception as error:  # a bug: a person gets a sentence, and the traceback goes into a file
            _crashed(error, kwargs.get("ctx"))
            raise typer.Exit(1) from error
        return result

    return run


def _crashed(error: Exception, ctx: Any) -> None:
    output.say(f"nola: something went wrong inside Nola: {type(error).__name__}: {error}")
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
