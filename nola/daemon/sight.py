"""Sees that files of the state folder may have changed; what the system tells is a hint and nothing more."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from nola.daemon.log import overhear

if TYPE_CHECKING:
    from collections.abc import Callable

    from watchdog.observers.api import BaseObserver

__all__ = ["Sight"]

# Not opening and closing for reading: our own looks would be hints to look again.
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileClosedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirCreatedEvent,
    DirMovedEvent,
    DirDeletedEvent,
]
_JOIN_S = 1.0


class Sight:
    """Watches a state folder and its modules until something makes it blind; then a new one is made.

    Args:
        state_dir: The state folder.
        hint: Called from a thread of its own whenever something may have changed.
    """

    def __init__(self, state_dir: Path, hint: Callable[[], None]) -> None:
        self._folders = (state_dir, state_dir / "modules")
        self._hint = hint
        self._identities = tuple(_identity(folder) for folder in self._folders)
        self._observer: BaseObserver | None = None
        self._threads: list[threading.Thread] = []
        self._of_modules: list[threading.Thread] = []
        self._overflown = threading.Event()
        self._forget: Callable[[], None] = _nothing

    def start(self) -> None:
        """Begin to watch.

        Raises:
            OSError: The system does not let us: the folder is gone, or too much is watched already.
            RuntimeError: No thread can be had.
        """
        self._folders[0].stat()
        self._forget = overhear("watchdog", self._overheard)
        try:
            self._observer = Observer()
            self._schedule(self._observer)
        except (OSError, RuntimeError):
            self.stop()
            raise

    def _schedule(self, observer: BaseObserver) -> None:
        handler = _Handler(self._hint)
        for folder, identity in zip(self._folders, self._identities, strict=True):
            if identity is not None:
                # A folder that is a symbolic link would itself be watched, and not what it leads to.
                observer.schedule(handler, os.path.realpath(folder), event_filter=_EVENTS)
        observer.start()
        modules = os.path.realpath(self._folders[1])
        self._of_modules = [emitter for emitter in observer.emitters if emitter.watch.path == modules]
        parts = [observer, *vars(observer).values(), *observer.emitters]
        self._threads = [p for p in parts if isinstance(p, threading.Thread) and p not in self._of_modules]

    def blind(self) -> str:
        """Say why nothing that is seen can be relied on any more; an empty string when it can."""
        if self._overflown.is_set():
            return "too much changed at once, and some of it was not reported"
        if _identity(self._folders[0]) != self._identities[0]:
            return "the state folder was replaced"
        if not all(thread.is_alive() for thread in self._threads):  # a new folder may have the old one's number
            return "the state folder was replaced, or what watched it ended"
        return ""

    def outdated(self) -> bool:
        """Tell whether the folder of modules has come, gone or been replaced; it may."""
        ended = not all(thread.is_alive() for thread in self._of_modules)
        return ended or _identity(self._folders[1]) != self._identities[1]

    def stop(self) -> None:
        """Stop watching, and wait for every thread of it."""
        observer, self._observer = self._observer, None
        if observer is not None:
            observer.stop()
            for thread in (*self._threads, *self._of_modules):
                thread.join(_JOIN_S)
        self._forget()

    def _overheard(self, message: str) -> None:
        if "overflow" in message:
            self._overflown.set()
            self._hint()


class _Handler(FileSystemEventHandler):
    def __init__(self, hint: Callable[[], None]) -> None:
        self._hint = hint

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Pass on whatever may concern a module; dotted files are Nola's own."""
        if event.is_directory or any(map(_is_module, (event.src_path, event.dest_path))):
            self._hint()


def _nothing() -> None:
    """Do nothing."""


def _is_module(path: bytes | str) -> bool:
    name = Path(os.fsdecode(path)).name
    return name.endswith(".json") and not name.startswith(".")


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        info = folder.stat()
    except OSError:
        return None
    return info.st_dev, info.st_ino
