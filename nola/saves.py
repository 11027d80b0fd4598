"""One commit of several files and a line of a log: all of it on disk, or everything as it stood (decision D1)."""

from __future__ import annotations

import contextlib
import os
import stat
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola import disk
from nola.errors import ConflictError, StorageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from nola.disk import Stamp

__all__ = ["Group", "Save", "SlippedError", "commit"]


class SlippedError(ConflictError):
    """Somebody else wrote the file in between; theirs stands, and nothing of ours was written."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} changed while it was being saved", fix="look at what stands there now and try again")
        self.path = path


@dataclass(frozen=True, slots=True)
class Save:
    """One file of a group.

    Attributes:
        path: The file.
        data: Its whole new content; None deletes it.
        expect: The exact content that is believed to stand there; None: nothing does, and nothing is overwritten.
        keep_previous: Keep what stood there as `NAME.bak`.
        follow: Write to the file that a symbolic link leads to, as its owner meant it; else the link is replaced.
    """

    path: Path
    data: bytes | None
    expect: bytes | None
    keep_previous: bool = True
    follow: bool = True


@dataclass(slots=True)
class _Staged:
    """A save on its way: `temp` is the file of what is new; once that stands, `held` is the file that stood there."""

    save: Save
    folder: int
    name: str
    before: os.stat_result | None
    temp: str
    fd: int = -1
    stamp: Stamp | None = None
    held: str = ""


def commit(group: Group, saves: Sequence[Save], log: Path | None = None, line: bytes = b"") -> list[Stamp | None]:
    """Carry out a group, once; return the new stamp of every file, None for a deleted one.

    Raises:
        SlippedError: A file holds something else than was expected; everything stands as it did.
        StorageError: The disk refused; everything stands as it did.
    """
    try:
        stamps = [group.stage(save) for save in saves]
        group.flush_temps()
        if log is not None:
            group.append(log, line)
        group.put()
        group.flush_rest()
    except BaseException as error:  # whatever breaks it off, Ctrl-C too, leaves nothing half done
        group.undo()
        if isinstance(error, OSError):
            raise StorageError(str(group.at), error.strerror or str(error)) from error
        raise
    finally:
        group.close()
    return stamps


class Group:
    """The steps of one commit, in their order, and the way back.

    Args:
        flush: Waits until what was written to a descriptor is on disk.
        compare: Look whether each file holds what was expected; else whatever stands there is replaced.
        exchange: Lets two files of a folder swap names in one moment, or returns False where that can't be done.
    """

    def __init__(
        self,
        flush: Callable[[int], object],
        *,
        compare: bool = True,
        exchange: Callable[[int, str, str], bool] = disk.exchange,
    ) -> None:
        self._flush = flush
        self._compare = compare
        self._exchange = exchange
        self._folders: dict[str, int] = {}
        self._staged: list[_Staged] = []
        self._tail: disk.Tail | None = None
        self.at: Path | None = None

    def stage(self, save: Save) -> Stamp | None:
        """Compare what stands there, and write what is new beside it."""
        self.at = save.path
        folder, name, info = self._look(save.path)
        is_link = info is not None and stat.S_ISLNK(info.st_mode)
        if is_link and save.follow:
            folder, name, info = self._look(os.path.realpath(save.path))
        if info and (save.follow or not is_link):
            disk.checked(info)
        staged = _Staged(save, folder, name, info, disk.temp_name(name))
        self._staged.append(staged)
        if self._compare and not self._is_expected(staged):
            raise SlippedError(save.path)
        if save.data is not None:
            staged.fd = os.open(staged.temp, disk.NEW, disk.FILE, dir_fd=folder)
            staged.stamp = disk.stamp(disk.fill(staged.fd, (save.data,)))
        return staged.stamp

    def flush_temps(self) -> None:
        """Wait until what is new is on disk."""
        written = [staged for staged in self._staged if staged.fd >= 0]
        disk.flush_all(self._flush, [(staged.fd, staged.save.path) for staged in written])
        for staged in written:
            fd, staged.fd = staged.fd, -1
            os.close(fd)

    def append(self, log: Path, line: bytes) -> None:
        """Add a line to the log, without waiting for the disk."""
        self.at = log
        self._tail = disk.Tail(log)
        self._tail.add_line(line)

    def put(self) -> None:
        """Put what is new in its place, and keep what stood there."""
        for staged in self._staged:
            self._put(staged)
        for staged in self._staged:
            self._keep(staged)

    def flush_rest(self) -> None:
        """Wait until the renames and the log are on disk; then nothing is taken back any more."""
        opened = {staged.folder: staged.save.path for staged in self._staged}
        if self._tail:
            if self._tail.is_new:
                opened.setdefault(self._look(self._tail.path)[0], self._tail.path)
            opened[self._tail.fd] = self._tail.path
        disk.flush_all(self._flush, list(opened.items()))
        for staged in self._staged:
            if staged.held.startswith(disk.TEMP_PREFIX):
                _drop(staged, staged.held)

    def undo(self) -> None:
        """Put everything back as it stood, as well as the disk lets us."""
        for staged in reversed(self._staged):
            try:
                self._put_back(staged)
            except OSError:  # what could not be put back stays where it is, rather than nowhere
                continue
            _drop(staged, staged.temp)
        if self._tail:
            with contextlib.suppress(OSError):
                self._tail.cut()

    def close(self) -> None:
        """Close what is open; nothing depends on it any more."""
        opened = [*self._folders.values(), *(staged.fd for staged in self._staged if staged.fd >= 0)]
        if self._tail:
            opened.append(self._tail.fd)
        for fd in opened:
            try:
                os.close(fd)
            except OSError:
                continue

    def _look(self, path: Path | str) -> tuple[int, str, os.stat_result | None]:
        parent, slash, name = os.fspath(path).rpartition(os.sep)
        parent += slash
        folder = self._folders.get(parent)
        if folder is None:
            folder = self._folders[parent] = os.open(parent or os.curdir, disk.FOLDER)
        try:
            return folder, name, os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return folder, name, None

    def _is_expected(self, staged: _Staged, name: str = "") -> bool:
        expect = staged.save.expect
        if staged.before is None or expect is None:
            return staged.before is None and expect is None
        return disk.holds(staged.folder, name or staged.name, expect)

    def _put(self, staged: _Staged) -> None:
        save = staged.save
        self.at = save.path
        try:
            if save.data is None:
                self._take_away(staged)
            elif staged.before is None:
                self._create(staged)
            else:
                self._replace(staged)
        except (FileNotFoundError, FileExistsError):
            staged.held = ""
            if not self._compare:
                raise
            raise SlippedError(save.path) from None
        if self._compare and staged.held and not self._is_expected(staged, staged.held):
            raise SlippedError(save.path)

    def _create(self, staged: _Staged) -> None:
        if self._compare:
            disk.place(staged.folder, staged.temp, staged.name)
        else:
            disk.rename(staged.folder, staged.temp, staged.name)

    def _take_away(self, staged: _Staged) -> None:
        if staged.before is None:
            return
        staged.held = kept = f"{staged.name}.bak" if staged.save.keep_previous else staged.temp
        if staged.before.st_nlink > 1 and disk.inode(staged.folder, kept) == staged.before.st_ino:
            _drop(staged, kept)  # renaming one name of a file to another name of the same file does nothing
        disk.rename(staged.folder, staged.name, kept)

    def _replace(self, staged: _Staged) -> None:
        staged.held = staged.temp
        try:
            if not self._exchange(staged.folder, staged.temp, staged.name):
                self._replace_by_rename(staged)
        except FileNotFoundError:
            if self._compare:
                raise
            staged.held, staged.before = "", None
            disk.rename(staged.folder, staged.temp, staged.name)

    def _replace_by_rename(self, staged: _Staged) -> None:
        """Replace where names can't be exchanged; who slips in between the last look and the rename is not noticed."""
        staged.held = ""
        aside = disk.temp_name()
        disk.copy_aside(staged.folder, staged.name, aside)
        staged.held = aside
        if not self._compare or self._is_expected(staged, staged.held):
            disk.rename(staged.folder, staged.temp, staged.name)

    def _keep(self, staged: _Staged) -> None:
        kept = f"{staged.name}.bak"
        if not staged.held or staged.held == kept or not staged.save.keep_previous:
            return
        self.at = staged.save.path
        disk.rename(staged.folder, staged.held, kept)
        if staged.before and staged.before.st_nlink > 1:
            _drop(staged, staged.held)  # where both were names of one file, the rename did nothing
        staged.held = kept

    def _put_back(self, staged: _Staged) -> None:
        folder, name, held = staged.folder, staged.name, staged.held
        if staged.save.data is None:
            if held:
                disk.place(folder, held, name)
        elif not held:
            if staged.before is None and self._is_ours(staged, name):
                _drop(staged, name)
        elif not self._is_ours(staged, held):
            self._give_back(staged)

    def _give_back(self, staged: _Staged) -> None:
        """Swap until what comes out is what was put in: then nobody wrote in between, and the newest stands."""
        folder, name, held = staged.folder, staged.name, staged.held
        inside = staged.save.data
        while True:
            giving = disk.content(folder, held)
            try:
                if not self._exchange(folder, held, name):
                    self._give_back_by_rename(staged)
                    return
            except FileNotFoundError:
                disk.place(folder, held, name)
                return
            if disk.content(folder, held) == inside:
                _drop(staged, held)
                return
            inside = giving

    def _give_back_by_rename(self, staged: _Staged) -> None:
        if disk.content(staged.folder, staged.name) == staged.save.data:
            disk.rename(staged.folder, staged.held, staged.name)
        elif staged.held.startswith(disk.TEMP_PREFIX):
            _drop(staged, staged.held)

    def _is_ours(self, staged: _Staged, name: str) -> bool:
        """Say whether a name leads to the file that we wrote, and nobody has written to it."""
        if staged.stamp is None or staged.save.data is None:
            return False
        is_same = disk.inode(staged.folder, name) == staged.stamp[2]
        return is_same and disk.holds(staged.folder, name, staged.save.data)


def _drop(staged: _Staged, name: str) -> None:
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=staged.folder)
