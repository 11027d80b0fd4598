"""Makes archives byte by byte, also ones that Nola would never make."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["archive", "entry", "manifest", "member", "tar"]


def entry(path: str, content: bytes = b"", **other: Any) -> dict[str, Any]:
    """Make a line of a manifest."""
    return {"path": path, "size": len(content), "sha256": hashlib.sha256(content).hexdigest(), **other}


def manifest(*files: dict[str, Any], **other: Any) -> bytes:
    """Make a manifest."""
    return json.dumps(
        {
            "format": "nola-backup",
            "version": 1,
            "created": "2026-11-20T09:00:00Z",
            "nola": "0.1.0",
            "kind": "manual",
            "files": files,
            **other,
        }
    ).encode()


def member(name: str, content: bytes = b"", **other: Any) -> tuple[tarfile.TarInfo, bytes]:
    """Make a member of an archive."""
    info = tarfile.TarInfo(name)
    info.size = len(content)
    for key, value in other.items():
        setattr(info, key, value)
    return info, content


def tar(members: Sequence[tuple[tarfile.TarInfo, bytes]]) -> bytes:
    """Put members together, without gzip."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as made:
        for info, content in members:
            made.addfile(info, io.BytesIO(content))
    return out.getvalue()


def archive(files: dict[str, bytes], *more: tuple[tarfile.TarInfo, bytes], head: bytes | None = None) -> bytes:
    """Make an archive whose manifest names some files, and add members that it does not name."""
    told = manifest(*(entry(name, content) for name, content in files.items())) if head is None else head
    members = [member("manifest.json", told), *(member(name, content) for name, content in files.items()), *more]
    return gzip.compress(tar(members))
