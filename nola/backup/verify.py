"""Judges what came out of an archive: whether it could be brought back, and what in it was broken already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola import config as configuration
from nola.backup import database
from nola.backup.names import BackupInfo, info_of
from nola.backup.places import DATABASE, SETTINGS, STATE
from nola.backup.unpack import is_sealed
from nola.errors import ConfigError, DocumentError, NolaError
from nola.state import document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from nola.backup.manifest import Manifest

__all__ = ["Verdict", "is_module", "judge", "refuse_defects"]

# An archive keeps what the owner had, also what this Nola's settings would call too deep or too large.
_DEEP = 200
_LARGE = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a trial restore showed.

    Attributes:
        info: The archive.
        files: How many files it holds.
        size: Their bytes.
        modules: How many of them are JSON files of the state.
        conversations: How many conversations it holds.
        messages: How many turns.
        defects: Why it can't be brought back.
        warnings: What was broken or out of reach when it was made; it can be brought back as it was.
    """

    info: BackupInfo
    files: int
    size: int
    modules: int
    conversations: int
    messages: int
    defects: tuple[str, ...]
    warnings: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Nothing is wrong with it."""
        return not self.defects and not self.warnings


def judge(path: Path, manifest: Manifest, folder: Path, found: Sequence[str]) -> Verdict:
    """Judge the files of an archive.

    Args:
        path: The archive.
        manifest: What it says about itself.
        folder: Where its files were laid; nobody else writes there.
        found: Defects that were found while they were.
    """
    defects = list(found)
    counts = (0, 0)
    if (folder / DATABASE).exists():
        wrong = database.defects(folder / DATABASE)
        defects += [f"{DATABASE}: {sentence}" for sentence in wrong]
        counts = (0, 0) if wrong else database.count(folder / DATABASE)
    return Verdict(
        info=_info(path, manifest),
        files=len(manifest.files),
        size=manifest.size,
        modules=sum(is_module(entry.path) for entry in manifest.files),
        conversations=counts[0],
        messages=counts[1],
        defects=tuple(defects),
        warnings=(*manifest.sentences(), *_broken(manifest, folder)),
    )


def refuse_defects(verdict: Verdict) -> None:
    """Stop unless an archive can be brought back.

    Raises:
        NolaError: It can't; the first defect is told.
    """
    if verdict.defects:
        raise NolaError(
            f"{verdict.info.name} can't be brought back: {verdict.defects[0]}",
            fix=f"see all that is wrong with it: nola backup verify {verdict.info.name}",
        )


def is_module(path: str) -> bool:
    """Tell whether a member is one of the state's JSON files: of Nola's own, or the owner's in `modules`."""
    steps = path.removeprefix(STATE).split("/")
    in_place = len(steps) == 1 or (len(steps) == len(("modules", "NAME.json")) and steps[0] == "modules")
    return path.startswith(STATE) and in_place and steps[-1].endswith(".json") and not steps[-1].startswith(".")


def _info(path: Path, manifest: Manifest) -> BackupInfo:
    size = path.stat().st_size
    called = BackupInfo(path.name, path, manifest.created, manifest.kind, size, is_sealed(path))
    return (info_of(path, size) or called).lacking(manifest.sentences())


def _broken(manifest: Manifest, folder: Path) -> Iterator[str]:
    for entry in manifest.files:
        path = folder / entry.path
        if is_module(entry.path) and path.exists():
            try:
                document.parse_object(path.read_bytes(), entry.path, max_depth=_DEEP, max_bytes=_LARGE)
            except DocumentError as error:
                yield f"{error}; it was so when the backup was made"
    if (folder / SETTINGS).exists():
        try:
            configuration.load({"NOLA_HOME": str(folder)})
        except ConfigError as error:
            yield f"{SETTINGS} can't be used by this Nola: {str(error).replace(str(folder / SETTINGS), SETTINGS)}"
