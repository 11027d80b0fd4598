"""The scheduler: one thread that runs small jobs again and again, by a clock that no change of the time touches."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.daemon.bugs import describe_bug
from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nola.clock import Clock

__all__ = ["Job", "Scheduler", "Timetable"]

_JOIN_S = 2.0
_SLOWEST = 10


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is done again and again.

    Attributes:
        name: What it is called in the log.
        every_s: Seconds from the end of one run to the beginning of the next.
        run: Does it.
        first_s: Seconds until the first run.
        slowest_s: The longest wait after failures; 0 for ten times `every_s`.
    """

    name: str
    every_s: float
    run: Callable[[], object]
    first_s: float = 0.0
    slowest_s: float = 0.0


class Timetable:
    """When each job runs next, in seconds of a clock that never goes back.

    A job that was missed, because the machine slept or another job took long, runs once and not once for each time.
    A failed one waits twice as long each time, up to its slowest.

    Args:
        jobs: What is to be done.
        now: The present.
    """

    def __init__(self, jobs: Sequence[Job], now: float) -> None:
        self._next = {job: now + job.first_s for job in jobs}
        self._failures = dict.fromkeys(jobs, 0)

    def due(self) -> float | None:
        """Return when the next job is due; None when there are no jobs."""
        return min(self._next.values(), default=None)

    def ready(self, now: float) -> list[Job]:
        """List the jobs whose time has come, the longest due first."""
        return sorted((job for job, when in self._next.items() if when <= now), key=self._next.__getitem__)

    def ran(self, job: Job, now: float, *, well: bool) -> None:
        """Note that a job has ended, and set its next run."""
        self._failures[job] = 0 if well else self._failures[job] + 1
        slowest = job.slowest_s or _SLOWEST * job.every_s
        wait = min(job.every_s * 2.0 ** min(self._failures[job], 32), slowest)
        self._next[job] = now + max(wait, job.every_s)


class Scheduler:
    """Runs jobs, one after the other, on one thread of its own.

    Args:
        jobs: What is to be done.
        clock: Counts the seconds.
        failed: Hears which job failed, and why.
    """

    def __init__(self, jobs: Sequence[Job], *, clock: Clock, failed: Callable[[str, str], None]) -> None:
        self._clock = clock
        self._failed = failed
        self._timetable = Timetable(jobs, clock.monotonic())
        self._stop = threading.Event()
        # A daemon thread only so that a job that hangs keeps no process alive; stop() waits for it.
        self._thread = threading.Thread(target=self._run, name="nola-schedule", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the job that runs now, if any; it is waited for, two seconds at most."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)

    def _run(self) -> None:
        due = self._timetable.due()
        while due is not None and not self._stop.wait(max(0.0, due - self._clock.monotonic())):
            for job in self._timetable.ready(self._clock.monotonic()):
                if self._stop.is_set():
                    return
                well = self._run_one(job)
                self._timetable.ran(job, self._clock.monotonic(), well=well)
            due = self._timetable.due()

    def _run_one(self, job: Job) -> bool:
        try:
            job.run()
        except NolaError as error:
            self._failed(job.name, str(error))
        except Exception as error:  # noqa: BLE001 -- a bug in one job must not end the others
            self._failed(job.name, describe_bug(error))
        else:
            return True
        return False
