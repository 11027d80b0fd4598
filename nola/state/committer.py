"""Brings wishes to disk: one group, one save, merged with an owner who saves in between; what fails is kept waiting."""

from __future__ import annotations

import contextlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from nola import files
from nola.errors import ConflictError, DocumentError, NolaError, PathError, StorageError
from nola.flow import Problem
from nola.state import conflicts, paths
from nola.state.commit import GroupCommit, Ticket, TimedLock
from nola.state.draft import Draft
from nola.state.listing import LOCK_FILE
from nola.state.loaded import PARENTS
from nola.state.wishes import Append, Facts, Late, Put, TakeIn, Undo, Unset, Wish
from nola.state.writer import Writer

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from nola.clock import Clock
    from nola.settings import StateSettings
    from nola.state.history import History, Recorded
    from nola.state.intake import Intake
    from nola.state.loaded import Loaded
    from nola.state.puller import Puller
    from nola.state.shelf import Shelf

__all__ = ["Committer"]

# An editor that saves all the time can slip in between look and save this often before Nola gives up.
_MOST_SLIPS = 16
# Half a save by an editor is looked at again for as long as this before it counts as an error.
_EDITOR_S = 1.0
_GLANCE_S = 0.05


@dataclass(frozen=True, slots=True)
class _Pending:
    """A wish that the disk refused, why, and the module as it stood then."""

    wish: Put | Append | Unset
    why: str
    before: Loaded | None = None


class Committer:
    """The only way by which values get into the files of one state folder.

    Args:
        folder: The state folder.
        shelf: Its documents.
        intake: What the owner edited.
        puller: Has the files looked at.
        history: Where every change is recorded.
        lock: Guards all of them in this process.
        clock: Tells the time.
        settings: Limits and waits.
    """

    def __init__(
        self,
        folder: Path,
        shelf: Shelf,
        intake: Intake,
        puller: Puller,
        *,
        history: History,
        lock: TimedLock,
        clock: Clock,
        settings: StateSettings,
    ) -> None:
        self._folder = folder
        self._shelf = shelf
        self._intake = intake
        self._puller = puller
        self._history = history
        self._clock = clock
        self._settings = settings
        self._writer = Writer(history, settings=settings, edits=intake.edits_of)
        self._commits: GroupCommit[Wish, list[Recorded]] = GroupCommit(
            lock, self._carry_out, window_s=settings.commit_window, timeout_s=settings.lock_timeout
        )
        self._pending: list[_Pending] = []

    def submit(self, wish: Wish, *, own_thread: bool = False) -> list[Recorded]:
        """Carry out a wish; when this returns, it is on disk.

        Args:
            wish: What is asked for.
            own_thread: Carry it out on this thread, since it calls the caller's code.

        Raises:
            PathError: The path or the value can't be used.
            DocumentError: The file on disk can't be read; it stays as it is.
            StorageError: The disk refused; nothing changed.
            ConflictError: Another process is writing, or the owner changed the same place meanwhile.
        """
        return self._commits.submit(wish, own_thread=own_thread)

    def write(self, wish: Put | Append | Unset) -> Recorded:
        """Carry out a wish that waits when the disk refuses it. Raises as `submit` does."""
        try:
            done = self.submit(wish)[0]
        except StorageError as error:
            if not any(waiting.wish == wish for waiting in self._pending):
                self._pending.append(_Pending(wish, str(error), self._shelf.find(_module(wish))))
            raise
        if self._pending:
            self._supersede(wish)
        return done

    def retry_pending(self) -> list[Recorded]:
        """Try again what the disk refused; return what is saved now."""
        saved = []
        for waiting in list(self._pending):
            try:
                saved += self.submit(Late(waiting.wish, waiting.before) if waiting.before else waiting.wish)
            except StorageError:
                break
            except conflicts.KeptError:
                pass  # what stands there now is newer; ours is kept as a conflict
            except NolaError as error:
                self._forget(waiting)
                self._pending.append(replace(waiting, why=str(error)))
                continue
            self._forget(waiting)
        return saved

    def problems(self) -> list[Problem]:
        """Say what waits to be saved."""
        return [Problem("state", 0, 0, f"a change waits to be saved: {waiting.why}") for waiting in self._pending]

    def wait_for_editors(self, names: Collection[str]) -> None:
        """Give a save that has just begun the time to end."""
        waited = 0.0
        while waited < _EDITOR_S and any(self._shelf.is_fresh(name) for name in names):
            time.sleep(_GLANCE_S)
            waited += _GLANCE_S
            self._puller.look()

    def _supersede(self, wish: Put | Append | Unset) -> None:
        """Drop what waits for a place that has been written since: an old value must not come after a newer one."""
        steps = _steps(wish)
        for waiting in list(self._pending):
            both_add = isinstance(wish, Append) and isinstance(waiting.wish, Append)
            meets = all(a == b for a, b in zip(steps, _steps(waiting.wish), strict=False))
            if waiting.wish == wish or (meets and not both_add):
                self._forget(waiting)

    def _forget(self, waiting: _Pending) -> None:
        with contextlib.suppress(ValueError):
            self._pending.remove(waiting)

    def _carry_out(self, group: Sequence[Ticket[Wish, list[Recorded]]]) -> None:
        """Carry out a group of wishes as one save; an owner who saves in between is merged with."""
        known = self._shelf.snapshot()
        left = group
        edited: dict[str, list[tuple[str, ...]]] = {}
        try:
            with files.locked(self._folder / LOCK_FILE, timeout_s=self._patience_s(group)):
                for _ in range(_MOST_SLIPS):
                    self._puller.look()
                    left = [ticket for ticket in left if not ticket.outcome]
                    self.wait_for_editors([_module(ticket.wish) for ticket in left])
                    edited |= self._intake.edits
                    try:
                        self._save(left, {name: known[name] for name in edited if name in known})
                    except files.SlippedError:
                        continue
                    return
                raise ConflictError("the file is being saved by another program all the time", fix="try again later")
        except (NolaError, OSError) as error:
            if isinstance(error, OSError):
                error = StorageError(str(error.filename or self._folder), error.strerror or str(error))
            for ticket in left:
                if ticket.error or not ticket.outcome:  # what was saved before another one failed is saved
                    ticket.error = error

    def _patience_s(self, group: Sequence[Ticket[Wish, list[Recorded]]]) -> float:
        """Return how long to wait for another process; what the machine is can be written down another time."""
        only_facts = all(isinstance(ticket.wish, Facts) for ticket in group)
        return min(_GLANCE_S, self._settings.lock_timeout) if only_facts else self._settings.lock_timeout

    def _save(self, group: Sequence[Ticket[Wish, list[Recorded]]], unseen: Mapping[str, Loaded]) -> None:
        draft = Draft(self._shelf, self._clock.now(), self._settings)
        spans = []
        for ticket in group:
            mark = draft.mark()
            ticket.error = None
            try:
                self._writer.carry_out(ticket.wish, draft, unseen)
            except files.SlippedError:
                raise
            except Exception as error:  # noqa: BLE001 -- a wish may run its caller's code; whatever it raises is theirs
                draft.back(mark)
                ticket.error = error
            spans.append((mark[1], len(draft.changes)))
        done = self._written(group, draft, unseen)
        if done is None:
            return
        self._intake.note_own(done)
        for change in done:
            if change.module not in PARENTS or change.path == change.module:
                self._puller.note_changed(change.module)
        for ticket, (start, end) in zip(group, spans, strict=True):
            ticket.outcome[:] = [done[start:end]]
        if draft.conflicts:
            conflicts.add(self._folder, draft.conflicts)

    def _written(
        self, group: Sequence[Ticket[Wish, list[Recorded]]], draft: Draft, unseen: Mapping[str, Loaded]
    ) -> list[Recorded] | None:
        """Save a draft; of a group in which one can't be written each wish is carried out by itself."""
        try:
            return draft.save(self._folder, self._history)
        except DocumentError as error:
            if len(group) == 1:
                group[0].error = error
            else:
                for ticket in group:
                    self._save([ticket], unseen)
            return None


def _module(wish: Wish) -> str:
    try:
        inner = wish.wish if isinstance(wish, Late) else wish
        return "" if isinstance(inner, Undo | Facts | TakeIn) else paths.parse(inner.path).module
    except PathError:
        return ""


def _steps(wish: Put | Append | Unset) -> tuple[str, ...]:
    parsed = paths.parse(wish.path)
    return (parsed.module, *parsed.steps)
