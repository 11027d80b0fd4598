"""How the daemon is, for whoever asks from another process: a file that it keeps, and what can be seen from outside."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from nola.daemon.lock import holder
from nola.errors import NolaError
from nola.files import make_private_dir, write_loosely

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from nola.config import Config

__all__ = ["STATUS_NAME", "Status", "run_dir", "status_of", "unwritable", "write_status"]

STATUS_NAME = "status.json"
"""The file in `run/` that the daemon keeps."""

_LEAST_FREE_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Status:
    """How the daemon is.

    Attributes:
        running: It runs.
        pid: Its process; 0 when that is not known.
        since: Since when, or None.
        mode: `normal` or `safe`; empty when it does not run, or does not tell.
        read_only: Why nothing can be written, in a sentence; empty when it can.
        problems: What is wrong, in sentences.
    """

    running: bool
    pid: int = 0
    since: datetime | None = None
    mode: str = ""
    read_only: str = ""
    problems: tuple[str, ...] = ()


def run_dir(config: Config) -> Path:
    """Return the folder of what belongs to running processes."""
    return config.home / "run"


def write_status(folder: Path, *, mode: str, read_only: str, problems: tuple[str, ...]) -> None:
    """Keep how this process is, for others; a disk that does not take it stops nothing.

    Args:
        folder: The folder of what belongs to running processes; made when it is missing.
        mode: As in `Status`.
        read_only: As in `Status`.
        problems: As in `Status`.
    """
    told = {"pid": os.getpid(), "mode": mode, "read_only": read_only, "problems": problems}
    with contextlib.suppress(NolaError):
        make_private_dir(folder)
        write_loosely(folder / STATUS_NAME, orjson.dumps(told, option=orjson.OPT_INDENT_2))


def status_of(config: Config) -> Status:
    """Return how the daemon of a home is; the kernel says whether it runs, and its own file the rest."""
    held = holder(config.state_dir)
    read_only = unwritable(config.state_dir)
    if held is None:
        return Status(running=False, read_only=read_only)
    told = _told(run_dir(config))
    if told.get("pid") != held.pid:  # left by an earlier one
        return Status(running=True, pid=held.pid, since=held.since, read_only=read_only)
    problems = told.get("problems")
    return Status(
        running=True,
        pid=held.pid,
        since=held.since,
        mode=str(told.get("mode", "")),
        read_only=read_only or str(told.get("read_only", "")),
        problems=tuple(map(str, problems)) if isinstance(problems, list) else (),
    )


def unwritable(folder: Path) -> str:
    """Say why a folder takes no writes now; an empty string when it does."""
    try:
        info = os.statvfs(folder)
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"{folder} can't be reached: {error.strerror}"
    if not folder.is_dir():
        return f"{folder} is no folder"
    if not os.access(folder, os.W_OK):
        return f"{folder} can only be read"
    if info.f_blocks and info.f_bavail * info.f_frsize < _LEAST_FREE_BYTES:
        return f"the disk of {folder} is full"
    return ""


def _told(folder: Path) -> dict[str, Any]:
    try:
        told = orjson.loads((folder / STATUS_NAME).read_bytes())
    except (OSError, ValueError):
        return {}
    return told if isinstance(told, dict) else {}
