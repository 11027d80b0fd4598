"""A home with something in it, and the backups of it."""

from __future__ import annotations

import hashlib
import json
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import apsw
import pytest

from nola import files
from nola.backup.backups import Backups
from nola.backup.manifest import is_cache, is_lock
from nola.backup.places import Places
from nola.flow import ModelRef
from nola.memory.store import ConversationStore
from nola.settings import BackupSettings
from nola.testing import ManualClock
from nola.types import Channel, Level

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

__all__ = ["Home"]


@dataclass
class Home:
    """One home with its backups, as tests fill and look at it."""

    path: Path
    clock: ManualClock = field(default_factory=ManualClock)
    settings: BackupSettings = field(default_factory=BackupSettings)

    @property
    def places(self) -> Places:
        """Where everything lies."""
        return Places.of(self.path)

    @property
    def backups(self) -> Backups:
        """The backups, as a new process would have them."""
        places = self.places
        return Backups(
            self.path,
            state_dir=places.state,
            database=places.database,
            settings=self.settings,
            clock=self.clock,
            held=self.held,
        )

    def held(self) -> AbstractContextManager[None]:
        """Hold the folder's write lock, as the store does."""
        files.make_private_dir(self.places.state)
        return files.locked(self.places.state / ".lock")

    def write(self, name: str, content: bytes | object) -> Path:
        """Write a file below the home, bytes as they are and anything else as JSON."""
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    def say(self, *texts: str) -> None:
        """Store a conversation for each text."""
        with closing(ConversationStore(self.places.database, clock=self.clock)) as store:
            for text in texts:
                self.tell(store, text)

    @staticmethod
    def tell(store: ConversationStore, text: str) -> None:
        """Store a conversation of one turn."""
        store.add_turn(
            conversation=None,
            channel=Channel.TERMINAL,
            user=text,
            reply="Noted.",
            quoted="",
            level=Level(1),
            level_why="a test",
            model=ModelRef("code", "nola"),
            complete=True,
            report={},
            receipts=[],
            usage={},
            timings={},
        )

    def fill(self) -> Home:
        """Put a little of everything into it."""
        for name in ("Nola", "identity", "machineID", "user"):
            self.write(f"state/{name}.json", {"metadata": {}, "data": {"name": name}})
        self.write("state/modules/work.json", {"metadata": {}, "data": {"job": "mechanic"}})
        self.write("state/.history/changes.jsonl", b'{"id": "a"}\n')
        self.write("state/.format.json", {"format": 2, "by": "nola 0.1.0"})
        self.write("settings.toml", b"[llm]\nreply_tokens = 100\n")
        self.say("hello", "my dog is Biscuit")
        return self

    def content(self) -> dict[str, str]:
        """Return the hash of everything that a backup must bring back; of the database, of its rows."""
        found: dict[str, str] = {}
        for path in sorted(self.places.state.rglob("*")):
            name = f"state/{path.relative_to(self.places.state).as_posix()}"
            if path.is_file() and not is_lock(name) and not is_cache(name):
                found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        if self.places.settings.exists():
            found["settings.toml"] = hashlib.sha256(self.places.settings.read_bytes()).hexdigest()
        if self.places.database.exists():
            found["memory.db"] = hashlib.sha256("\n".join(self.rows()).encode()).hexdigest()
        return found

    def rows(self) -> list[str]:
        """Return the rows of the database as text; none when it is empty or not there."""
        if not self.places.database.exists():
            return []
        with closing(apsw.Connection(str(self.places.database))) as connection:  # a second library would drop its locks
            queries = ("SELECT * FROM conversation ORDER BY id", "SELECT * FROM message ORDER BY seq")
            return [repr(row) for query in queries for row in connection.execute(query)]

    def names(self, folder: str = ".") -> list[str]:
        """Return what stands in a folder of the home."""
        return sorted(path.name for path in (self.path / folder).iterdir())

    def replace_all(self, contents: Mapping[str, bytes]) -> None:
        """Write several files."""
        for name, content in contents.items():
            self.write(name, content)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with nothing in it."""
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    return Home(path)


@pytest.fixture
def full(home: Home) -> Home:
    """A home with a little of everything."""
    return home.fill()
