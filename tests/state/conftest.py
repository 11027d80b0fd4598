"""Makers that the tests of the state room share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import orjson
import pytest

from nola.settings import StateSettings
from nola.state.store import StateStore
from nola.testing import ManualClock

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.types import Json

BORN = Path(__file__).resolve().parents[2] / "state"


class MakeStore(Protocol):
    """Makes a store over the test's state folder."""

    def __call__(
        self,
        *,
        ablate_metadata: bool = False,
        bootstrap: bool = True,
        settings: StateSettings | None = None,
        before_migration: Callable[[], None] = lambda: None,
        spare: Callable[[str], bytes | None] = lambda _: None,
    ) -> StateStore:
        """Return a fresh store, as a new process would have it."""


@pytest.fixture
def clock() -> ManualClock:
    """A clock that stands at 2026-11-20 09:00 UTC."""
    return ManualClock()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The state folder of the test; not made yet."""
    return tmp_path / "state"


@pytest.fixture
def make_store(folder: Path, clock: ManualClock) -> MakeStore:
    """A maker of stores over one folder."""

    def make(
        *,
        ablate_metadata: bool = False,
        bootstrap: bool = True,
        settings: StateSettings | None = None,
        before_migration: Callable[[], None] = lambda: None,
        spare: Callable[[str], bytes | None] = lambda _: None,
    ) -> StateStore:
        store = StateStore(
            folder,
            clock=clock,
            settings=settings or StateSettings(),
            born=BORN,
            ablate_metadata=ablate_metadata,
            before_migration=before_migration,
            spare=spare,
        )
        if bootstrap:
            store.bootstrap()
        return store

    return make


@pytest.fixture
def store(make_store: MakeStore) -> StateStore:
    """A store that was bootstrapped over an empty folder."""
    return make_store()


@pytest.fixture
def owner_writes(folder: Path) -> Callable[[str, Json], None]:
    """Saves a file the way an editor does: in place, behind Nola's back."""

    def write(file: str, value: Json) -> None:
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(orjson.dumps(value))

    return write


@pytest.fixture
def on_disk(folder: Path) -> Callable[[str], dict[str, Json]]:
    """Reads a file of the state as it stands on disk."""

    def read(file: str) -> dict[str, Json]:
        value: dict[str, Json] = orjson.loads((folder / file).read_bytes())
        return value

    return read
