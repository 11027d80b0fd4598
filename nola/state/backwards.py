"""Reads the lines of a log from its end."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from nola import disk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["lines_backwards"]


def lines_backwards(path: Path) -> Iterator[bytes]:
    """Yield the lines of a regular file, the last one first, without their ends; of one that is not there, none.

    Raises:
        OSError: It can't be read.
    """
    try:
        fd = os.open(path, disk.LOOK)
    except FileNotFoundError:
        return
    try:
        info = os.fstat(fd)
        if stat.S_ISDIR(info.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        at = info.st_size if stat.S_ISREG(info.st_mode) else 0
        first = b""  # of what was read: its beginning is still to come
        while at:
            size = min(at, max(disk.CHUNK, len(first)))
            at -= size
            first, *whole = (os.pread(fd, size, at) + first).split(b"\n")
            yield from filter(None, reversed(whole))
        if first:
            yield first
    finally:
        os.close(fd)
