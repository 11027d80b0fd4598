"""When a backup is due and which ones have had their time, whatever the clock does; pure."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

from nola.backup.names import BEFORE, Kind

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from nola.backup.names import BackupInfo
    from nola.settings import BackupSettings

__all__ = ["due", "expired", "latest"]


def due(now: datetime, existing: Iterable[BackupInfo], settings: BackupSettings) -> list[Kind]:
    """Return which kind of backup is to be made now: at most one a calendar day (UTC), the first of a week a weekly.

    Dates are compared for being the same and not for being later. So a backup that is dated in the future stops no
    other, and a clock that is set back finds the backup of that day and makes none again (F1).
    """
    if not settings.scheduled:
        return []
    today = now.astimezone(UTC).date()
    made = [backup for backup in existing if backup.kind in {Kind.DAILY, Kind.WEEKLY}]
    weeks = {backup.created.date().isocalendar()[:2] for backup in made if backup.kind is Kind.WEEKLY}
    if settings.weekly and today.isocalendar()[:2] not in weeks:
        return [Kind.WEEKLY]
    return [] if today in {backup.created.date() for backup in made} else [Kind.DAILY]


def expired(now: datetime, existing: Iterable[BackupInfo], settings: BackupSettings) -> list[BackupInfo]:
    """Return the backups that may go: beyond the newest so many of their kind; manual ones never.

    They are counted and not judged by age, so that a clock that jumps ahead does not empty the shelf. What is dated in
    the future takes no place from what was made since, and goes when its time has come (F1).
    """
    known = [backup for backup in existing if backup.created <= now]
    groups: list[tuple[Collection[Kind], int]] = [
        ({Kind.DAILY}, settings.daily),
        ({Kind.WEEKLY}, settings.weekly),
        (BEFORE, settings.before),
    ]
    return [
        backup
        for kinds, kept in groups
        for backup in _newest_first(backup for backup in known if backup.kind in kinds)[kept:]
    ]


def latest(now: datetime, existing: Iterable[BackupInfo]) -> BackupInfo | None:
    """Return the newest backup; one that is dated in the future only when there is no other."""
    ordered = _newest_first(existing)
    return next((backup for backup in ordered if backup.created <= now), ordered[0] if ordered else None)


def _newest_first(backups: Iterable[BackupInfo]) -> list[BackupInfo]:
    return sorted(backups, key=lambda backup: (backup.created, backup.name), reverse=True)
