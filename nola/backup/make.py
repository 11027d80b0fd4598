"""Makes one archive: gathers, packs, perhaps encrypts, and gives it its name only when it is whole and on disk."""

from __future__ import annotations

import os
from datetime import UTC, timedelta
from typing import TYPE_CHECKING

from nola import files
from nola.backup import manifest as manifests
from nola.backup.gather import Gathering
from nola.backup.manifest import Manifest
from nola.backup.names import BackupInfo, info_of, name_of
from nola.backup.pack import Member, packed
from nola.backup.progress import teller
from nola.backup.seal import seal
from nola.errors import UsageError
from nola.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from datetime import datetime
    from pathlib import Path

    from nola.backup.names import Kind
    from nola.backup.places import Places
    from nola.backup.progress import Progress

__all__ = ["make"]

_SECOND = timedelta(seconds=1)


def make(
    places: Places,
    kind: Kind,
    now: datetime,
    held: Callable[[], AbstractContextManager[None]],
    *,
    passphrase: str | None = None,
    output: Path | None = None,
    progress: Progress | None = None,
) -> tuple[BackupInfo, Manifest]:
    """Make an archive; when this returns, it is on disk.

    Args:
        places: The home; its folder of backups is there, and nobody else works in it.
        kind: Why it is made.
        now: When.
        held: Keeps every writer out of the state folder meanwhile.
        passphrase: Encrypts it; None leaves it open.
        output: A folder, or a file that is not there yet; None for the folder of backups.
        progress: Is told how far it is.

    Raises:
        StorageError: The disk refused; no archive was made.
        ConflictError: Another process was writing for too long.
        UsageError: It can't be written there.
        NolaError: The passphrase can't be used.
    """
    created = now.astimezone(UTC).replace(microsecond=0)
    target = _target(output or places.backups, created, kind, encrypted=passphrase is not None)
    with Gathering(places) as gathered:
        gathered.take(held)
        entries = tuple(piece.entry for piece in gathered.pieces)
        manifest = Manifest(created, __version__, kind, entries, tuple(gathered.left_out))
        stream = packed(_members(manifest, gathered, teller(progress, target.name, manifest.size)))
        whole = stream if passphrase is None else [seal(b"".join(stream), passphrase)]
        size = files.replace_from_chunks(target, whole)
    info = info_of(target, size) or BackupInfo(target.name, target, created, kind, size, passphrase is not None)
    return info.lacking(manifest.sentences()), manifest


def _target(place: Path, created: datetime, kind: Kind, *, encrypted: bool) -> Path:
    """Return where an archive goes: never over another one, and never at another one's second."""
    place = place.absolute()
    if place.is_dir():
        taken = {info.created for path in place.iterdir() if (info := info_of(path, 0))}
        while created in taken:
            created += _SECOND
        return place / name_of(created, kind, encrypted=encrypted)
    if os.path.lexists(place):
        raise UsageError(f"{place} is there already", fix="name another file, or a folder")
    if not place.parent.is_dir():
        raise UsageError(f"there is no folder {place.parent}", fix="make it first")
    return place


def _members(manifest: Manifest, gathered: Gathering, tell: Callable[[int], None]) -> Iterator[Member]:
    data = manifests.dump(manifest)
    yield Member(manifests.NAME, len(data), int(manifest.created.timestamp()), [data])
    for piece in gathered.pieces:
        yield Member(piece.entry.path, piece.entry.size, piece.modified, _told(gathered.read(piece), tell))


def _told(chunks: Iterator[bytes], tell: Callable[[int], None]) -> Iterator[bytes]:
    for chunk in chunks:
        yield chunk
        tell(len(chunk))
