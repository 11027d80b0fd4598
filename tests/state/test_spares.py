"""Tests of where a good version is found when a file holds none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.settings import StateSettings
from nola.state.agreed import Agreed
from nola.state.loaded import Reader
from nola.state.spares import Spares

from .conftest import BORN

if TYPE_CHECKING:
    from pathlib import Path

    from nola.state.store import StateStore

    from .conftest import MakeStore


def named(name: str) -> bytes:
    """Make a document that tells where it was found."""
    return b'{"metadata": {}, "data": {"found": "%s"}}' % name.encode()


@pytest.fixture
def spares(folder: Path) -> Spares:
    """Spares whose newest backup holds every file."""
    (folder / ".last-good").mkdir(parents=True)
    return Spares(folder, BORN, agreed=Agreed(folder), reader=Reader(StateSettings()), backup=lambda _: named("backup"))


def test_the_nearest_good_version_is_taken(spares: Spares, folder: Path) -> None:
    """The last good copy, else the version before, else the newest backup; what is broken is passed over."""
    assert spares.find("user")[0]["data"] == {"found": "backup"}
    (folder / "user.json.bak").write_bytes(named("before"))
    assert spares.find("user")[0]["data"] == {"found": "before"}
    copy = folder / ".last-good" / "user.json"
    copy.write_bytes(b'{"broken')
    assert spares.find("user")[0]["data"] == {"found": "before"}
    copy.write_bytes(named("copy"))
    assert spares.find("user") == ({"metadata": {}, "data": {"found": "copy"}}, named("copy"))


def test_nothing_good_is_an_empty_document(folder: Path) -> None:
    """A module of the owner's was not born with anything."""
    none = Spares(folder, BORN, agreed=Agreed(folder), reader=Reader(StateSettings()), backup=lambda _: None)
    assert none.find("work") == ({"metadata": {}, "data": {}}, b"")
    assert none.find("user")[1] == (BORN / "user.json").read_bytes()
    assert none.lost("user") is None


def test_what_is_lost_is_looked_for_in_the_folder_alone(spares: Spares, folder: Path) -> None:
    """Whoever deletes the whole folder begins anew, and is not given the backup's content."""
    assert spares.lost("user") is None
    (folder / "user.json.bak").write_bytes(named("before"))
    assert spares.lost("user") == named("before")
    assert spares.agreed("user") is None


def test_a_core_file_that_vanished_while_nobody_ran_is_put_back(
    store: StateStore, make_store: MakeStore, folder: Path
) -> None:
    """It is not born anew, which would lose what stood in it."""
    store.set("user.name", "Ana", who="owner")
    store.close()
    (folder / "user.json").unlink()
    assert make_store().get("user.name") == "Ana"
