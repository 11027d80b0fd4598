"""What goes into a backup."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from typing import TYPE_CHECKING

import pytest

from nola import files
from nola.backup.gather import Gathering, caches, fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.backup.conftest import Home


def taken(home: Home) -> tuple[dict[str, bytes], dict[str, str]]:
    """Gather a home; return the bytes of what was taken, and why other things were not."""
    files.make_private_dir(home.places.backups)
    with Gathering(home.places) as gathered:
        gathered.take(home.held)
        content = {piece.entry.path: b"".join(gathered.read(piece)) for piece in gathered.pieces}
        for piece in gathered.pieces:
            whole = content[piece.entry.path]
            assert (piece.entry.size, piece.entry.sha256) == (len(whole), hashlib.sha256(whole).hexdigest())
        return content, {left.path: left.why for left in gathered.left_out}


def test_everything_of_the_owners_is_taken_as_it_is(full: Home) -> None:
    """State, modules, history, envelope, conflicts, broken files and whatever else lies there; settings and memory."""
    full.write("state/user.json", b'{"broken": ')
    full.write("state/user.json.conflict", b"{}")
    full.write("state/modules/notes/read me.txt", b"mine")
    content, left_out = taken(full)
    assert left_out == {}
    assert content.pop("memory.db").startswith(b"SQLite format 3\0")
    assert content["state/user.json"] == b'{"broken": '
    assert sorted(content) == [
        "settings.toml",
        "state/.format.json",
        "state/.history/changes.jsonl",
        "state/Nola.json",
        "state/identity.json",
        "state/machineID.json",
        "state/modules/notes/read me.txt",
        "state/modules/work.json",
        "state/user.json",
        "state/user.json.conflict",
    ]


def test_what_is_made_again_stays_behind(full: Home) -> None:
    """Locks, last good copies, previous versions, temporary files, and the other folders of the home."""
    before = taken(full)[0].keys()
    for name in (
        "state/.instance",
        "state/.last-good/modules/work.json",
        "state/user.json.bak",
        "state/modules/work.json.bak",
        "state/.nola-17-ab.tmp",
        "models/a.gguf",
        "logs/crash.txt",
        "cache/vectors.db",
        "backups/nola-20261120T090000Z-manual.tar.gz",
    ):
        full.write(name, b"x")
    assert taken(full)[0].keys() == before
    assert sorted(caches(full.places)) == [
        "state/.last-good/modules/work.json",
        "state/.nola-17-ab.tmp",
        "state/modules/work.json.bak",
        "state/user.json.bak",
    ]


def test_an_empty_home_gives_an_empty_backup(home: Home) -> None:
    """Nothing is there, and nothing is made by looking."""
    assert taken(home) == ({}, {})
    assert not home.places.database.exists()


def test_nothing_of_the_work_is_left(full: Home) -> None:
    """Copies are gone at the end, whatever happens in between."""
    files.make_private_dir(full.places.backups)
    with contextlib.suppress(KeyError), Gathering(full.places) as gathered:
        gathered.take(full.held)
        raise KeyError
    assert full.names("backups") == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_can_not_be_read_is_said(full: Home) -> None:
    """The rest is taken all the same."""
    full.write("state/modules/secret.json", b"{}").chmod(0)
    content, left_out = taken(full)
    assert left_out == {"state/modules/secret.json": "Permission denied"}
    assert "state/modules/work.json" in content


def test_what_is_no_file_is_said(full: Home) -> None:
    """A pipe, a link that leads nowhere, and a link to a folder elsewhere are left out with their reason."""
    state = full.places.state
    os.mkfifo(state / "pipe")
    (state / "gone.json").symlink_to(full.path / "nowhere.json")
    (full.path / "elsewhere").mkdir()
    (state / "linked").symlink_to(full.path / "elsewhere")
    assert taken(full)[1] == {
        "state/gone.json": "it is a link that leads nowhere",
        "state/linked": "it is a link to a folder",
        "state/pipe": "it is no regular file",
    }


def test_an_owners_links_are_followed(full: Home) -> None:
    """A state file that is a link is taken as what it leads to."""
    real = full.write("dotfiles/user.json", b"{}")
    (full.places.state / "user.json").unlink()
    (full.places.state / "user.json").symlink_to(real)
    content, left_out = taken(full)
    assert left_out == {}
    assert content["state/user.json"] == b"{}"


def test_a_damaged_database_is_left_out(full: Home) -> None:
    """The state is saved all the same, and the reason is told."""
    full.write("memory.db", b"junk" * 2000)
    (full.path / "memory.db-wal").unlink(missing_ok=True)
    content, left_out = taken(full)
    assert "memory.db" not in content
    assert "can't be read as Nola's memory" in left_out["memory.db"]
    assert full.places.database.read_bytes() == b"junk" * 2000


def test_large_states_go_to_the_disk(full: Home) -> None:
    """What does not fit in memory is copied into a file without a name."""
    full.write("state/modules/large.bin", os.urandom(1 << 20) * 40)
    assert len(taken(full)[0]["state/modules/large.bin"]) == 40 << 20
    assert full.names("backups") == []


def test_the_fingerprint_is_of_what_would_be_taken(full: Home) -> None:
    """Its hashes are those of the state's files and the settings, without the database."""
    content, _ = taken(full)
    del content["memory.db"]
    assert fingerprint(full.places) == {name: hashlib.sha256(data).hexdigest() for name, data in content.items()}


def test_writers_wait_only_for_the_state(full: Home) -> None:
    """The folder is held while its files are copied, and free again before the database is."""
    seen: list[str] = []
    may_go = threading.Event()

    @contextlib.contextmanager
    def held() -> Iterator[None]:
        with full.held():
            other = threading.Thread(target=write)
            other.start()
            yield
            assert seen == []
        may_go.set()
        other.join(10)

    def write() -> None:
        with full.held():
            seen.append("written")
            assert may_go.wait(10)

    files.make_private_dir(full.places.backups)
    with Gathering(full.places) as gathered:
        gathered.take(held)
    assert seen == ["written"]
