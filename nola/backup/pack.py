"""Writes an archive as a stream: a gzipped tar file, its manifest first, never whole in memory."""

from __future__ import annotations

import tarfile
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["Member", "packed"]

_BLOCK = 512
_GZIP = 31  # zlib's window size for a gzip header; it carries no time, so that equal content gives equal archives
_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Member:
    """One file of an archive on its way in: its name, its size in bytes, its time in seconds, and its bytes."""

    name: str
    size: int
    modified: int
    chunks: Iterable[bytes]


def packed(members: Iterable[Member]) -> Iterator[bytes]:
    """Yield the bytes of an archive.

    Raises:
        ValueError: A member has not the size that it was said to have.
    """
    gzip = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    for part in _tar(members):
        if chunk := gzip.compress(part):
            yield chunk
    yield gzip.flush()


def _tar(members: Iterable[Member]) -> Iterator[bytes]:
    for member in members:
        info = tarfile.TarInfo(member.name)
        info.size, info.mtime, info.mode = member.size, member.modified, 0o600
        yield info.tobuf(tarfile.PAX_FORMAT, "utf-8", "surrogateescape")
        written = 0
        for chunk in member.chunks:
            written += len(chunk)
            yield chunk
        if written != member.size:
            raise ValueError(f"{member.name} has {written} bytes and not {member.size}")
        yield bytes(-written % _BLOCK)
    yield bytes(2 * _BLOCK)
