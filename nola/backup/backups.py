"""The backups of one home: made, listed, proved, brought back, and let go when their time has come."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from nola import files
from nola.backup import schedule
from nola.backup.names import BEFORE, Kind, info_of
from nola.backup.places import Places
from nola.errors import ConflictError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from nola.backup.manifest import Manifest
    from nola.backup.names import BackupInfo
    from nola.backup.plan import Plan
    from nola.backup.progress import Progress
    from nola.backup.restore import Restored
    from nola.backup.verify import Verdict
    from nola.clock import Clock
    from nola.settings import BackupSettings

__all__ = ["LATEST", "Backups"]

LATEST = "latest"
"""What stands for the newest backup."""

_PATIENCE_S = 60.0
_TEMP = re.compile(rf"{re.escape(files.TEMP_PREFIX)}\d+-.*\.tmp.*")


class Backups:
    """Everything that Nola knows, in archives; from any thread and process, one piece of work at a time.

    Args:
        home: Nola's folder.
        state_dir: The folder of the JSON modules.
        database: The SQLite file of conversations and memory.
        settings: When backups are made, and how many are kept.
        clock: Tells when a backup is made.
        held: Keeps every writer out of the state folder meanwhile; it may be entered again inside itself.
    """

    def __init__(
        self,
        home: Path,
        *,
        state_dir: Path,
        database: Path,
        settings: BackupSettings,
        clock: Clock,
        held: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._places = Places(home, state_dir, database)
        self._settings = settings
        self._clock = clock
        self._held = held

    @property
    def folder(self) -> Path:
        """Where the archives lie."""
        return self._places.backups

    def create(
        self,
        kind: Kind = Kind.MANUAL,
        *,
        passphrase: str | None = None,
        output: Path | None = None,
        progress: Progress | None = None,
    ) -> BackupInfo:
        """Make a backup; when this returns, it is on disk. Writers wait only while the state's files are copied.

        Args:
            kind: Why it is made; one that is made before something lets the oldest of its like go.
            passphrase: Encrypts it; None leaves it readable for whoever can read the file.
            output: A folder, or a file that is not there yet; None for the folder of backups.
            progress: Is told how far it is.

        Returns:
            The archive, with a sentence for everything that could not be taken along.

        Raises:
            StorageError: The disk refused; no archive was made.
            ConflictError: Another process was writing, or at work on the backups, for too long.
            UsageError: It can't be written there.
            NolaError: The passphrase can't be used.
        """
        from nola.backup.make import make  # noqa: PLC0415 -- keeps start-up fast

        with self._at_work():
            now = self._clock.now()
            info, _ = make(self._places, kind, now, self._held, passphrase=passphrase, output=output, progress=progress)
            if kind in BEFORE:
                self._prune(spare={info.name})
            return info

    def run_due(self) -> Sequence[BackupInfo]:
        """Make the backup that is due, if one is, and delete those whose time has come; return what was made.

        When another process is at work on the backups, nothing is done; the next call comes.

        Raises:
            StorageError: The disk refused.
            ConflictError: Another process was writing to the state for too long.
        """
        if not schedule.due(self._clock.now(), self.list(), self._settings):
            return []
        from nola.backup.make import make  # noqa: PLC0415 -- keeps start-up fast

        files.make_private_dir(self.folder)
        with contextlib.ExitStack() as work:
            try:
                work.enter_context(self._at_work(patience_s=0))
            except ConflictError:
                return []
            now = self._clock.now()
            due = schedule.due(now, self.list(), self._settings)
            made = [make(self._places, kind, now, self._held)[0] for kind in due]
            self._prune(spare={info.name for info in made})
            return made

    def list(self) -> list[BackupInfo]:
        """List the archives in the folder of backups, the newest first; none is opened."""
        found = []
        with contextlib.suppress(FileNotFoundError):
            for entry in os.scandir(self.folder):
                info = info_of(Path(entry.path), entry.stat().st_size) if entry.is_file() else None
                if info is not None:
                    found.append(info)
        return sorted(found, key=lambda info: (info.created, info.name), reverse=True)

    def find(self, archive: str) -> Path:
        """Return the file of an archive, by its name, its path, or `latest`.

        Raises:
            UsageError: There is none.
        """
        if archive == LATEST:
            newest = schedule.latest(self._clock.now(), self.list())
            if newest is None:
                raise UsageError("there are no backups yet", fix="make one: nola backup create")
            return newest.path
        for path in (self.folder / archive, Path(archive).expanduser()):
            if path.is_file():
                return path.absolute()
        raise UsageError(f"no backup is called {archive!r}", fix="list them: nola backup list")

    def is_encrypted(self, archive: str) -> bool:
        """Tell whether only a passphrase opens an archive.

        Raises:
            UsageError: There is no such archive.
        """
        from nola.backup.unpack import is_sealed  # noqa: PLC0415 -- keeps start-up fast

        return is_sealed(self.find(archive))

    def verify(self, archive: str, *, passphrase: str | None = None, progress: Progress | None = None) -> Verdict:
        """Prove an archive by bringing it back into a private folder, which is removed afterwards.

        Raises:
            UsageError: There is no such archive.
            NolaError: It can't be opened at all: damaged, encrypted otherwise, or made by a newer Nola.
        """
        with self._at_work(), self._tried(archive, passphrase, progress) as (_, verdict):
            return verdict

    def plan(self, archive: str, *, passphrase: str | None = None, progress: Progress | None = None) -> Plan:
        """Say what a restore of an archive would change, and change nothing.

        Raises:
            UsageError: There is no such archive.
            NolaError: It can't be opened, or is defective.
        """
        from nola.backup.plan import compare  # noqa: PLC0415 -- keeps start-up fast
        from nola.backup.verify import refuse_defects  # noqa: PLC0415 -- keeps start-up fast

        with self._at_work(), self._tried(archive, passphrase, progress) as (manifest, verdict):
            refuse_defects(verdict)
            return compare(self._places, manifest, verdict)

    def restore(self, archive: str, *, passphrase: str | None = None, progress: Progress | None = None) -> Restored:
        """Bring an archive back in the place of everything that is there: wholly, or not at all.

        What is there is saved before, so that the restore can be undone by another one.

        Raises:
            UsageError: There is no such archive.
            ConflictError: Nola's service is running, or what is there keeps being changed.
            StorageError: The disk refused; nothing changed, or the next start goes on.
            NolaError: The archive is defective, or something stands in its way.
        """
        from nola.backup.restore import restore  # noqa: PLC0415 -- keeps start-up fast

        path = self.find(archive)
        with self._at_work():
            done = restore(self._places, path, self._clock.now, self._held, passphrase=passphrase, progress=progress)
            self._prune(spare={path.name, done.undo.name})
            return done

    def delete(self, name: str) -> BackupInfo:
        """Delete an archive of the folder of backups.

        Raises:
            UsageError: There is none of this name.
            StorageError: The disk refused.
        """
        for info in self.list():
            if info.name == name:
                files.remove(info.path)
                return info
        raise UsageError(f"no backup is called {name!r}", fix="list them: nola backup list")

    @contextlib.contextmanager
    def _tried(
        self, archive: str, passphrase: str | None, progress: Progress | None
    ) -> Iterator[tuple[Manifest, Verdict]]:
        import tempfile  # noqa: PLC0415 -- keeps start-up fast

        from nola.backup.unpack import unpack  # noqa: PLC0415 -- keeps start-up fast
        from nola.backup.verify import judge  # noqa: PLC0415 -- keeps start-up fast

        path = self.find(archive)
        prefix = f"{files.TEMP_PREFIX}{os.getpid()}-"
        with tempfile.TemporaryDirectory(prefix=prefix, suffix=".tmp", dir=self.folder) as made:
            manifest, found = unpack(path, Path(made), passphrase=passphrase, progress=progress)
            yield manifest, judge(path, manifest, Path(made), found)

    def _prune(self, *, spare: set[str]) -> None:
        for info in schedule.expired(self._clock.now(), self.list(), self._settings):
            if info.name not in spare:
                files.remove(info.path)

    @contextlib.contextmanager
    def _at_work(self, *, patience_s: float = _PATIENCE_S) -> Iterator[None]:
        """Keep others from working on the backups; sweep away what a process that was killed left behind."""
        files.make_private_dir(self.folder)
        with contextlib.ExitStack() as held:
            try:
                held.enter_context(files.locked(self._places.lock, timeout_s=patience_s))
            except ConflictError:
                raise ConflictError(
                    "another process is at work on the backups", fix="wait until it is done, then try again"
                ) from None
            for left in self.folder.iterdir():
                if _TEMP.fullmatch(left.name) and files.is_orphan(left):
                    shutil.rmtree(left) if left.is_dir() else left.unlink(missing_ok=True)
            yield
