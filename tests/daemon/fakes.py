"""Stand-ins for what the daemon keeps alive: a store that reads files simply, and ears that can be waited for."""

from __future__ import annotations

import hashlib
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from nola.flow import Problem, Seen

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from nola.config import Config
    from nola.errors import NolaError

__all__ = ["FakeAgent", "FakeStore", "Heard"]

PATIENCE_S = 10.0


class FakeStore:
    """Reads the modules of a folder, and tells which ones changed and which can't be read.

    Attributes:
        looks: When each look began.
        content: What was last read of each module.
        fails: What the next look raises, if anything.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.looks: list[float] = []
        self.content: dict[str, Any] = {}
        self.fails: Exception | None = None
        self.busy = threading.Lock()
        self._files = threading.Lock()
        self._digests: dict[str, bytes] = {}
        self._changed = threading.Condition()

    def look(self) -> Seen:
        """Look at the files."""
        assert self.busy.acquire(blocking=False), "two looks at a time"
        try:
            return self._look()
        finally:
            self.busy.release()
            with self._changed:
                self._changed.notify_all()

    def until_looked(self, times: int) -> bool:
        """Wait until there were this many looks."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.looks) >= times, PATIENCE_S)

    def own_save(self, name: str, value: object) -> None:
        """Write a module as Nola does: what she wrote herself is no change."""
        data = orjson.dumps(value)
        temp = self.folder / f".nola-1-{name}.tmp"
        temp.write_bytes(data)
        with self._files:
            self._digests[name] = hashlib.sha256(data).digest()
            temp.rename(self.folder / f"{name}.json")

    def _look(self) -> Seen:
        self.looks.append(time.monotonic())
        if self.fails is not None:
            raise self.fails
        with self._files:
            return self._read()

    def _read(self) -> Seen:
        changed, problems = [], []
        for path in sorted([*self.folder.glob("*.json"), *self.folder.glob("modules/*.json")]):
            try:
                data = path.read_bytes()
            except OSError:
                continue
            digest = hashlib.sha256(data).digest()
            name = path.stem
            try:
                if self._digests.get(name) != digest:
                    self.content[name] = orjson.loads(data)
                    self._digests[name] = digest
                    changed.append(name)
            except orjson.JSONDecodeError as error:
                problems.append(Problem(path.name, error.lineno, error.colno, error.msg))
        return Seen(tuple(changed), tuple(problems))


class Heard:
    """What a watcher told, in order; can be waited for.

    Attributes:
        seen: What was told of looks.
        complaints: What was told of the watching itself.
    """

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.complaints: list[str] = []
        self._news = threading.Condition()

    def told(self, seen: Seen) -> None:
        """Hear what a look found."""
        with self._news:
            self.seen.append(seen)
            self._news.notify_all()

    def degraded(self, why: str) -> None:
        """Hear what is wrong with the watching."""
        with self._news:
            self.complaints.append(why)
            self._news.notify_all()

    def until(self, holds: Callable[[], bool], within_s: float = PATIENCE_S) -> bool:
        """Wait until something holds."""
        with self._news:
            return self._news.wait_for(holds, within_s)

    def changes_of(self, name: str) -> int:
        """How often a module was told to have changed."""
        return sum(name in seen.changed for seen in self.seen)


@dataclass
class FakeBackups:
    """Backups that are only counted."""

    runs: int = 0

    def run_due(self) -> None:
        """Count."""
        self.runs += 1


@dataclass
class FakeAgent:
    """An agent that keeps what was asked of it.

    Attributes:
        refuses: What the first look raises, if anything.
        retried: Set once pending changes were tried again.
    """

    config: Config
    state: FakeStore
    backups: FakeBackups = field(default_factory=FakeBackups)
    refuses: NolaError | Exception | None = None
    closed: int = 0
    retried: threading.Event = field(default_factory=threading.Event)

    def look(self) -> Seen:
        """Look, or refuse once."""
        refuses, self.refuses = self.refuses, None
        if refuses is not None:
            raise refuses
        return self.state.look()

    def retry_pending(self) -> None:
        """Note it."""
        self.retried.set()

    def close(self) -> None:
        """Count."""
        self.closed += 1
