"""Versions that Nola replaced: an editor that had one open may save into it still, and must not lose what it saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola import files
from nola.errors import DocumentError
from nola.state import contract
from nola.state.loaded import Late, previous_of

if TYPE_CHECKING:
    from pathlib import Path

    from nola.files import Stamp
    from nola.state.loaded import Loaded, Reader
    from nola.types import Json

__all__ = ["Replaced"]


class Replaced:
    """The versions that this process replaced, each beside its file as `NAME.bak`.

    Args:
        folder: The state folder.
        reader: Parses what is found.
    """

    def __init__(self, folder: Path, reader: Reader) -> None:
        self._folder = folder
        self._reader = reader
        self._versions: dict[str, tuple[Stamp, Loaded]] = {}

    def note(self, old: Loaded, seen: Stamp | None) -> None:
        """Remember a version that was just replaced, and how its file looked when it was looked at last."""
        now = files.stamp_of(previous_of(self._folder, old.name))
        if now:
            # As it was when it was looked at: an editor may have written into it by now.
            self._versions[old.name] = (seen if seen and seen[2] == now[2] else now, old)

    def forget(self, name: str) -> None:
        """Forget a document that is gone."""
        self._versions.pop(name, None)

    def late(self) -> list[Late]:
        """Find saves of editors that went into a version which Nola had replaced meanwhile."""
        found = []
        for name, (stamp, old) in list(self._versions.items()):
            path = previous_of(self._folder, name)
            now = files.stamp_of(path)
            if now is None or now == stamp:
                continue
            try:
                content = path.read_bytes()
                theirs = self._reader.parsed(name, content)
            except (OSError, DocumentError):
                continue  # half written, or gone; the next look tells
            self._versions[name] = (now, old)
            # Another process that saved since put another file there, and raised the version in it.
            if now[2] != stamp[2] or _version(theirs) > _version(old.raw):
                del self._versions[name]
            elif content != old.content:
                found.append(Late(name, old.raw, theirs))
        return found


def _version(raw: dict[str, Json]) -> int:
    return contract.version_of(contract.split_root(raw)[0])
