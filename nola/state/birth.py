"""What Nola is born with: the first content of the state folder, copied once and never over anything."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from nola import files
from nola.errors import StorageError
from nola.state.agreed import LAST_GOOD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

__all__ = ["BORN_FILES", "bear", "born_bytes", "find_born", "is_gone", "missing"]

BORN_FILES = ("Nola.json", "identity.json", "machineID.json", "user.json")


def find_born() -> Path:
    """Return the folder of what Nola is born with: inside the wheel, or beside the package in a checkout.

    Raises:
        StorageError: Neither is there; the installation is broken.
    """
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "_born", package.parent / "state"):
        if (folder / BORN_FILES[0]).is_file():
            return folder
    raise StorageError(str(package / "_born"), "this installation lacks the files that Nola is born with")


def born_bytes(born: Path) -> Mapping[str, bytes]:
    """Read the files that Nola is born with, by name.

    Raises:
        StorageError: One of them can't be read.
    """
    try:
        return {name: (born / name).read_bytes() for name in BORN_FILES}
    except OSError as error:
        raise StorageError(str(born), error.strerror or str(error)) from error


def bear(born: Path, folder: Path, lost: Callable[[str], bytes | None] = lambda _: None) -> list[str]:
    """Create what is missing in a state folder (E39); what is there is not touched, readable or not.

    Args:
        born: The folder that `find_born` returned.
        folder: The state folder; made private when it is missing.
        lost: Returns the last good bytes of a document that was there before; it is put back rather than born again.

    Returns:
        Names of the files that were created.

    Raises:
        StorageError: A folder or file could not be made.
    """
    files.make_private_dir(folder)
    files.make_private_dir(folder / "modules")
    wanted = missing(folder)
    if wanted:
        content = born_bytes(born)
        for name in wanted:
            files.write_atomic(folder / name, lost(name.removesuffix(".json")) or content[name])
    return wanted


def missing(folder: Path) -> list[str]:
    """List the files of birth that a state folder does not have."""
    return [name for name in BORN_FILES if not (folder / name).exists() and not (folder / name).is_symlink()]


def is_gone(folder: Path) -> bool:
    """Say whether a state folder has no file of birth, and no copy from which `bear` would put one back."""
    return not any(path.exists() or path.is_symlink() for path in _traces(folder))


def _traces(folder: Path) -> Iterator[Path]:
    for name in BORN_FILES:
        yield folder / name
        yield folder / LAST_GOOD / name
        yield folder / f"{name}.bak"
