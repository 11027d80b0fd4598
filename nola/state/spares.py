"""Where a good version of a document may be found when its file holds none: the newest first (D6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola import files
from nola.errors import DocumentError
from nola.state import paths
from nola.state.loaded import file_of, previous_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nola.state.agreed import Agreed
    from nola.state.loaded import Reader
    from nola.types import Json

__all__ = ["Spares"]


class Spares:
    """Finds good versions of the documents of one state folder.

    Args:
        folder: The state folder.
        born: The folder of what Nola is born with.
        agreed: The last good copies.
        reader: Parses what is found.
        backup: Reads a file's content from the newest backup.
    """

    def __init__(
        self, folder: Path, born: Path, *, agreed: Agreed, reader: Reader, backup: Callable[[str], bytes | None]
    ) -> None:
        self._folder = folder
        self._born = born
        self._agreed = agreed
        self._reader = reader
        self._backup = backup

    def find(self, name: str) -> tuple[dict[str, Json], bytes]:
        """Return the newest good version of a document: its value and its bytes; an empty one when there is none."""
        return self._first(name, self._sources(name)) or ({"metadata": {}, "data": {}}, b"")

    def lost(self, name: str) -> bytes | None:
        """Return the bytes of a document whose file is gone, from the state folder itself; None when it holds none."""
        found = self._first(name, self._near(name))
        return found[1] if found else None

    def agreed(self, name: str) -> dict[str, Json] | None:
        """Return the version that was agreed on last, from its copy; None when there is none that can be read."""
        found = self._first(name, iter([lambda: self._agreed.content(file_of(name))]))
        return found[0] if found else None

    def _near(self, name: str) -> Iterator[Callable[[], bytes | None]]:
        yield lambda: self._agreed.content(file_of(name))
        yield lambda: _read(previous_of(self._folder, name))

    def _sources(self, name: str) -> Iterator[Callable[[], bytes | None]]:
        yield from self._near(name)
        yield lambda: self._backup(file_of(name))
        if name in paths.CORE:
            yield lambda: _read(self._born / file_of(name))

    def _first(self, name: str, sources: Iterator[Callable[[], bytes | None]]) -> tuple[dict[str, Json], bytes] | None:
        for source in sources:
            content = source()
            if content is None:
                continue
            try:
                return self._reader.parsed(name, content), content
            except DocumentError:
                continue
        return None


def _read(path: Path) -> bytes | None:
    try:
        return files.read_or_none(path)
    except OSError:
        return None
