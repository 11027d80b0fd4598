"""Where everything lies that a backup holds, and where a restore puts its work in progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DATABASE", "SETTINGS", "STATE", "Places"]

STATE = "state/"
SETTINGS = "settings.toml"
DATABASE = "memory.db"


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one home.

    Attributes:
        home: Nola's folder.
        state: The folder of the JSON modules.
        database: The SQLite file of conversations and memory.
    """

    home: Path
    state: Path
    database: Path

    @classmethod
    def of(cls, home: Path) -> Places:
        """Return the places of a home as `nola.config.Config` lays it out."""
        return cls(home, home / "state", home / DATABASE)

    @property
    def settings(self) -> Path:
        """The owner's settings."""
        return self.home / SETTINGS

    @property
    def backups(self) -> Path:
        """The folder of the archives."""
        return self.home / "backups"

    @property
    def lock(self) -> Path:
        """Held while an archive is made, opened or brought back."""
        return self.backups / ".lock"

    @property
    def restoring(self) -> Path:
        """The folder of a restore that is under way."""
        return self.home / ".restore"

    @property
    def staged(self) -> Path:
        """What is to be put in place, laid out as in the archive."""
        return self.restoring / "new"

    @property
    def intent(self) -> Path:
        """Stands while a restore is being carried out; from then on there is no way back but forward."""
        return self.restoring / "intent.json"

    def live(self, name: str) -> Path:
        """Return where a member of an archive belongs."""
        if name == SETTINGS:
            return self.settings
        return self.database if name == DATABASE else self.state / name.removeprefix(STATE)
