"""Making archives."""

from __future__ import annotations

import os
import stat
import tarfile
import threading
from typing import TYPE_CHECKING

import pytest

from nola.backup.make import make
from nola.backup.names import Kind
from nola.errors import StorageError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.backup.conftest import Home


@pytest.fixture
def no_umask() -> Iterator[None]:
    """Let new files be as open as whoever makes them asks for."""
    before = os.umask(0)
    yield
    os.umask(before)


def made(home: Home, **options: object) -> Path:
    """Make an archive; return its path."""
    home.places.backups.mkdir(mode=0o700, exist_ok=True)
    info, _ = make(home.places, Kind.MANUAL, home.clock.now(), home.held, **options)  # type: ignore[arg-type]
    assert info.size == info.path.stat().st_size
    return info.path


@pytest.mark.bar("J1")
@pytest.mark.usefixtures("no_umask")
def test_an_archive_is_private(full: Home) -> None:
    """0600 whatever the umask, and it stands alone in the folder."""
    path = made(full)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert full.names("backups") == ["nola-20261120T090000Z-manual.tar.gz"]


def test_the_manifest_is_its_first_member(full: Home) -> None:
    """What follows is in its order."""
    with tarfile.open(made(full)) as tar:
        assert tar.getnames()[0] == "manifest.json"
        assert tar.getnames()[-2:] == ["settings.toml", "memory.db"]


def test_no_archive_replaces_another(full: Home) -> None:
    """A second one of the same second has the next one in its name, also when it is of another kind."""
    assert [made(full).name for _ in range(3)] == [f"nola-20261120T09000{second}Z-manual.tar.gz" for second in range(3)]


def test_it_goes_where_it_is_told_to(full: Home, tmp_path: Path) -> None:
    """Into a folder by its own name, or into a file that is not there yet."""
    (tmp_path / "stick").mkdir()
    assert made(full, output=tmp_path / "stick") == tmp_path / "stick/nola-20261120T090000Z-manual.tar.gz"
    assert made(full, output=tmp_path / "mine.tar.gz") == tmp_path / "mine.tar.gz"
    assert full.names("backups") == []
    with pytest.raises(UsageError, match="is there already"):
        made(full, output=tmp_path / "mine.tar.gz")
    with pytest.raises(UsageError, match="there is no folder"):
        made(full, output=tmp_path / "none" / "mine.tar.gz")


def test_progress_ends_at_the_whole(full: Home) -> None:
    """Bytes before compression are counted."""
    told: list[tuple[str, int, int]] = []
    made(full, progress=lambda *step: told.append(step))
    assert told
    assert told[-1][1] == told[-1][2] > 10_000


def test_a_failure_leaves_nothing(full: Home) -> None:
    """An archive whose making breaks off never gets its name."""

    def fail(*_: object) -> None:
        raise StorageError("stick", "it was pulled out")

    with pytest.raises(StorageError):
        made(full, progress=fail)
    assert full.names("backups") == []


def test_an_archive_is_made_while_others_write(full: Home) -> None:
    """A thread that writes turns all the time neither stops it nor breaks it."""
    stop = threading.Event()

    def talk() -> None:
        while not stop.is_set():
            full.say("still here")

    talking = threading.Thread(target=talk)
    talking.start()
    try:
        names = [made(full).name for _ in range(3)]
    finally:
        stop.set()
        talking.join(20)
    assert all(full.backups.verify(name).ok for name in names)
