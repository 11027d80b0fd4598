"""What a restore would change, said before it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.backup import database
from nola.backup.gather import fingerprint
from nola.backup.places import DATABASE, SETTINGS, STATE
from nola.backup.verify import is_module

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nola.backup.manifest import Manifest
    from nola.backup.names import BackupInfo
    from nola.backup.places import Places
    from nola.backup.verify import Verdict

__all__ = ["Plan", "compare"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What would be different after a restore; modules are named by their files in the state folder.

    Attributes:
        info: The archive.
        back: Modules that are not there now.
        changed: Modules that are different now.
        gone: Modules that the archive does not know.
        others: How many other files of the state folder come, change or go: the history of changes, for example.
        settings: What happens to settings.toml: `same`, `back`, `changed` or `gone`.
        conversations: How many there are now (None when that can't be read), and how many there would be.
        messages: The same for turns.
        warnings: What is broken or lacking in the archive.
    """

    info: BackupInfo
    back: tuple[str, ...]
    changed: tuple[str, ...]
    gone: tuple[str, ...]
    others: int
    settings: str
    conversations: tuple[int | None, int | None]
    messages: tuple[int | None, int | None]
    warnings: tuple[str, ...]


def compare(places: Places, manifest: Manifest, verdict: Verdict) -> Plan:
    """Compare what an archive holds with what there is now."""
    now = fingerprint(places)
    then = {entry.path: entry.sha256 for entry in manifest.files if entry.path != DATABASE}
    back = then.keys() - now.keys()
    gone = now.keys() - then.keys()
    changed = {path for path in now.keys() & then.keys() if now[path] != then[path]}
    fates = {"back": back, "changed": changed, "gone": gone}
    before = database.count_live(places.database) or (None, None)
    after = before if manifest.lacks(DATABASE) else (verdict.conversations, verdict.messages)
    return Plan(
        info=verdict.info,
        back=_modules(back),
        changed=_modules(changed),
        gone=_modules(gone),
        others=sum(path != SETTINGS and not is_module(path) for path in back | gone | changed),
        settings=next((fate for fate, paths in fates.items() if SETTINGS in paths), "same"),
        conversations=(before[0], after[0]),
        messages=(before[1], after[1]),
        warnings=verdict.warnings,
    )


def _modules(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(path.removeprefix(STATE) for path in paths if is_module(path)))
