"""One file out of the newest backup, for the day when every nearer copy of it is gone (D6)."""

from __future__ import annotations

import tarfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nola.backup.names import BackupInfo

__all__ = ["spare_copy"]

_TRIES = 3


def spare_copy(backups: Iterable[BackupInfo], member: str) -> bytes | None:
    """Return a file's bytes from the newest backup that has it and that no passphrase locks; None when none has.

    Args:
        backups: The archives, the newest first.
        member: The file as it is named in them, for example `state/user.json`.
    """
    readable = [info for info in backups if not info.encrypted]
    for info in readable[:_TRIES]:
        try:
            with tarfile.open(info.path) as archive:
                found = archive.extractfile(member)
                if found is not None:
                    return found.read()
        except (OSError, EOFError, KeyError, tarfile.TarError):
            continue
    return None
