"""The last agreed version of each file: what Nola and its owner both had, kept as a plain copy beside the state."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from nola import files
from nola.errors import NolaError

if TYPE_CHECKING:
    from pathlib import Path

    from nola.files import Stamp

__all__ = ["LAST_GOOD", "Agreed"]

LAST_GOOD = ".last-good"
_MODULES = "modules"


class Agreed:
    """Copies of the files as they were when they were last read or written whole, and recorded.

    A copy carries the file's time, so that a file that nobody touched since is known by one look. It is no hard link:
    an editor that writes in place would change both. It is not flushed: it is a second line of defence, checked by
    parsing, and what it lags behind is found in the history.

    Args:
        folder: The state folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / LAST_GOOD

    def matches(self, file: str, stamp: Stamp) -> bool:
        """Say whether a file still has the time and size that it had when its copy was made."""
        copy = files.stamp_of(self._folder / file)
        return copy is not None and copy[:2] == stamp[:2]

    def content(self, file: str) -> bytes | None:
        """Return the copy's bytes, or None when there is no copy that can be read."""
        with contextlib.suppress(OSError):
            return files.read_or_none(self._folder / file)
        return None

    def modules(self) -> list[str]:
        """List the owner's modules that have a copy."""
        try:
            names = [entry.name for entry in os.scandir(self._folder / _MODULES)]
        except OSError:
            return []
        return sorted(name.removesuffix(".json") for name in names if name.endswith(".json") and name[0] != ".")

    def keep(self, file: str, content: bytes, stamp: Stamp) -> bool:
        """Copy a file's content; return False when the disk refused, which must not stop anything."""
        target = self._folder / file
        try:
            if not self._is_ready(target):
                files.make_private_dir(self._folder)
                files.make_private_dir(target.parent)
            files.write_loosely(target, content, modified_ns=stamp[0])
        except NolaError:
            return False
        return True

    def forget(self, file: str) -> None:
        """Drop a copy that outlived its file: it holds what the owner took out."""
        target = self._folder / file
        if self._is_ready(target) and files.stamp_of(target):
            with contextlib.suppress(NolaError):
                files.remove(target)

    def _is_ready(self, target: Path) -> bool:
        """Say whether the folders of a copy are there, and no links to somewhere else."""
        return files.is_folder(self._folder) and files.is_folder(target.parent)
