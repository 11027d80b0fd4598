"""The watcher: one thread that looks at the state's files when they may have changed, and every few seconds anyhow."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

from nola.daemon.bugs import describe_bug
from nola.daemon.rhythm import Doubts, Rhythm
from nola.daemon.sight import Sight
from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.clock import Clock
    from nola.flow import Seen
    from nola.settings import StateSettings

__all__ = ["Watcher"]

_JOIN_S = 2.0


class Watcher:
    """Looks at a state folder whenever its owner may have edited it; needs no daemon.

    What the system reports only makes a look come earlier. When nothing can be watched, the looks at every
    `state.poll` seconds go on alone.

    Args:
        state_dir: The state folder.
        look: Looks at the files; called from the watcher's thread, never twice at a time.
        settings: How long files rest before they are read, and how often there is a look anyhow.
        clock: Counts the seconds.
        told: Hears from the watcher's thread what a look found, when that is new.
        degraded: Hears in one sentence, once, that changes are noticed later than usual or not at all.
    """

    def __init__(
        self,
        state_dir: Path,
        look: Callable[[], Seen],
        *,
        settings: StateSettings,
        clock: Clock,
        told: Callable[[Seen], None],
        degraded: Callable[[str], None],
    ) -> None:
        self._folder = state_dir
        self._look = look
        self._poll = settings.poll
        self._clock = clock
        self._told = told
        self._degraded = degraded
        self._rhythm = Rhythm(settings.debounce, settings.poll, clock.monotonic())
        self._doubts = Doubts()
        self._failing_since: float | None = None
        self._complaints: dict[str, str] = {}
        self._sight: Sight | None = None
        self._wake = threading.Condition()
        self._stopping = False
        # A daemon thread only so that a look that hangs keeps no process alive; stop() waits for it.
        self._thread = threading.Thread(target=self._run, name="nola-watch", daemon=True)

    @property
    def trouble(self) -> str:
        """What is wrong with the watching itself, in a sentence; empty when nothing is."""
        return "; ".join(tuple(self._complaints.values()))

    def start(self) -> None:
        """Begin; the first look follows at once."""
        self._thread.start()

    def stop(self) -> None:
        """End: no look begins any more, and every thread is waited for, two seconds at most."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread.is_alive():
            self._thread.join(_JOIN_S)

    def hint(self) -> None:
        """Note that something may have changed."""
        with self._wake:
            if self._rhythm.hint(self._clock.monotonic()):
                self._wake.notify()

    def _run(self) -> None:
        try:
            while self._sleep():
                self._mend_sight()
                self._pass()
        finally:
            if self._sight is not None:
                self._sight.stop()

    def _sleep(self) -> bool:
        """Wait until a look is due; return False when there is to be none any more."""
        with self._wake:
            while not self._stopping:
                left = self._rhythm.due() - self._clock.monotonic()
                if left <= 0:
                    self._rhythm.begin()
                    return True
                self._wake.wait(left)
        return False

    def _pass(self) -> None:
        began = self._clock.monotonic()
        try:
            seen = self._look()
        except NolaError as error:
            again = self._failed(str(error), began)
        except Exception as error:  # noqa: BLE001 -- a bug in one look must not end the watching
            again = self._failed(f"a look at the files failed: {describe_bug(error)}", began)
        else:
            self._failing_since = None
            self._complaints.pop("look", None)
            self._tell(seen, began)
            again = self._doubts.again(began)
        with self._wake:
            self._rhythm.end(self._clock.monotonic(), again)

    def _tell(self, seen: Seen, began: float) -> None:
        news = self._doubts.judge(seen, began)
        if news is None:
            return
        try:
            self._told(news)
        except Exception as error:  # noqa: BLE001 -- nor must a bug in what listens
            self._complain("told", f"what was seen could not be told: {describe_bug(error)}")
        else:
            self._complaints.pop("told", None)

    def _failed(self, why: str, began: float) -> float | None:
        if self._failing_since is None:
            self._failing_since = began
        self._complain("look", why)
        return self._doubts.second_look(self._failing_since, began)

    def _mend_sight(self) -> None:
        """Watch, or watch anew when that is needed; tell what was wrong."""
        old = self._sight
        why = old.blind() if old is not None else ""
        if old is not None and not why and not old.outdated():
            return
        if old is not None:
            old.stop()
        self._sight = None
        sight = Sight(self._folder, self.hint)
        try:
            sight.start()
        except (OSError, RuntimeError) as error:  # no thread can be had: RuntimeError
            reason = getattr(error, "strerror", None) or str(error)
            self._complain(
                "sight", f"changes can't be watched ({reason}); all files are looked at every {self._poll:g} s instead"
            )
            return
        self._sight = sight
        self._complaints.pop("sight", None)
        if why:
            self._degrade(f"{why}; it is watched anew")

    def _complain(self, about: str, why: str) -> None:
        """Tell what is wrong, unless it is told already."""
        if self._complaints.get(about) != why:
            self._complaints[about] = why
            self._degrade(why)

    def _degrade(self, why: str) -> None:
        with contextlib.suppress(Exception):  # nobody is left to tell, and the watching goes on
            self._degraded(why)
