"""Where everything lies."""

from __future__ import annotations

from pathlib import Path

from nola import config as configuration
from nola.backup.places import Places


def test_it_agrees_with_the_settings() -> None:
    """State, database and settings lie where the configuration says."""
    config = configuration.load({"NOLA_HOME": "/nowhere/home"})
    places = Places.of(config.home)
    assert (places.state, places.database, places.settings) == (
        config.state_dir,
        config.database,
        config.settings_file,
    )


def test_members_of_an_archive_have_their_places() -> None:
    """The state and the database may lie somewhere else than in the home."""
    places = Places(Path("/nowhere/nola"), Path("/a/state"), Path("/b/memory.db"))
    assert places.live("state/modules/work.json") == Path("/a/state/modules/work.json")
    assert places.live("memory.db") == Path("/b/memory.db")
    assert places.live("settings.toml") == Path("/nowhere/nola/settings.toml")
    assert {places.backups, places.restoring} == {Path("/nowhere/nola/backups"), Path("/nowhere/nola/.restore")}
    assert (places.lock.parent, places.staged.parent, places.intent.parent) == (
        places.backups,
        places.restoring,
        places.restoring,
    )
