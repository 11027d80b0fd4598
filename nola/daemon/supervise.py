"""The guard against crash loops: notes every start and clean end, and tells when the daemon had better do less."""

from __future__ import annotations

import contextlib
import os
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from nola.daemon.processes import lives
from nola.errors import NolaError
from nola.files import TEMP_PREFIX, is_orphan, make_private_dir, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.clock import Clock
    from nola.settings import DaemonSettings

__all__ = ["STARTS_NAME", "Mode", "Supervisor"]

STARTS_NAME = "starts.json"
"""The file in `run/` that holds the last starts, and which of them ended as they should."""

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Mode(StrEnum):
    """How much the daemon does."""

    NORMAL = "normal"
    SAFE = "safe"


@dataclass(frozen=True, slots=True)
class _Start:
    """One start: by the wall clock, and in seconds since the machine's own start, which no change of the time moves."""

    pid: int
    at: datetime
    monotonic: float
    boot: str
    clean: bool = False


class Supervisor:
    """Counts the starts that did not end cleanly; called only by whoever holds the instance lock.

    Args:
        run_dir: The folder of what belongs to running processes; made when it is missing.
        settings: How many crashes within which time are too many.
        boot: Tells one run of the machine from another; empty when that is not known.
    """

    def __init__(self, run_dir: Path, settings: DaemonSettings, *, boot: Callable[[], str] | None = None) -> None:
        self._path = run_dir / STARTS_NAME
        self._crashes = settings.crashes
        self._window_s = settings.crash_window
        self._boot = boot or _boot_id

    def enter(self, clock: Clock, *, normal: bool = False) -> Mode:
        """Note a start, and return the mode to start in: safe after too many crashes within a short time.

        What can't be read counts as no crash, and what can't be written stops nothing.

        Args:
            clock: Tells the time.
            normal: Forget the crashes so far.
        """
        now = _Start(os.getpid(), clock.now(), clock.monotonic(), self._boot())
        self._sweep()
        recent = [] if normal else [start for start in self._starts() if self._is_recent(start, now)]
        self._write([*recent[-self._crashes :], now])
        return Mode.SAFE if len(recent) >= self._crashes else Mode.NORMAL

    def leave_clean(self) -> None:
        """Note that this process ends as it should; crashes before it stay noted."""
        self._write([replace(start, clean=start.clean or start.pid == os.getpid()) for start in self._starts()])

    def predecessor(self) -> int | None:
        """Return a process that was the daemon before and has not ended yet; None when there is none."""
        boot = self._boot()
        others = [start.pid for start in self._starts() if start.boot == boot and start.pid != os.getpid()]
        return next((pid for pid in reversed(others) if lives(pid)), None)

    def _is_recent(self, start: _Start, now: _Start) -> bool:
        if start.clean:
            return False
        if start.boot == now.boot and start.monotonic <= now.monotonic:
            age = now.monotonic - start.monotonic
        else:  # the machine was started again meanwhile
            age = (now.at - start.at).total_seconds()
        return 0 <= age < self._window_s

    def _sweep(self) -> None:
        """Remove what daemons that were killed in mid-write have left."""
        for left in self._path.parent.glob(f"{TEMP_PREFIX}*.tmp"):
            if is_orphan(left):
                with contextlib.suppress(OSError):
                    left.unlink()

    def _starts(self) -> list[_Start]:
        try:
            told = orjson.loads(self._path.read_bytes())
            return [
                _Start(int(s["pid"]), _aware(s["at"]), float(s["monotonic"]), str(s["boot"]), s.get("clean") is True)
                for s in told["starts"]
            ]
        except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError):
            return []

    def _write(self, starts: list[_Start]) -> None:
        with contextlib.suppress(NolaError):
            make_private_dir(self._path.parent)
            write_atomic(self._path, orjson.dumps({"starts": [asdict(s) for s in starts]}, option=orjson.OPT_INDENT_2))


def _aware(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    if when.tzinfo is None:
        raise ValueError(text)
    return when


def _boot_id() -> str:
    try:
        return _BOOT_ID.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return ""
