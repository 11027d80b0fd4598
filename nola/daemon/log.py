"""The daemon's log: one JSON document a line, in files that are private, rotated, and never in anybody's way."""

from __future__ import annotations

import contextlib
import logging
import os
from collections import deque
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO, TYPE_CHECKING

import orjson

from nola.errors import StorageError
from nola.files import make_private_dir, open_log

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import TextIOWrapper

    from nola.clock import Clock
    from nola.settings import DaemonSettings

__all__ = ["LOG_NAME", "Log", "follow", "has_begun", "last_lines", "overhear"]

LOG_NAME = "nola.log"
"""The file that is written to; older ones are `nola.log.1`, `nola.log.2` and so on."""


_LONGEST_VALUE = 500


class Log:
    """Writes what happened, never what was said: message bodies and values of the state have no place here.

    A line that the disk does not take is lost, and how many were is written with the next one.

    Args:
        folder: The folder of logs; made when it is missing.
        settings: When a file is put aside, and how many are kept.
        clock: Dates the lines.
    """

    def __init__(self, folder: Path, settings: DaemonSettings, *, clock: Clock) -> None:
        self._clock = clock
        self._logger = logging.Logger("nola.daemon")  # noqa: LOG001 -- of its own, so that no library's settings reach it
        self._handler = _PrivateHandler(folder, settings)
        self._logger.addHandler(self._handler)

    def info(self, event: str, **fields: object) -> None:
        """Note that something went as it should.

        Args:
            event: What, as dotted words that never change: `daemon.ready`.
            fields: Facts about it: names, numbers, sentences.
        """
        self._write(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        """Note that something is not as it should be."""
        self._write(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        """Note that something failed."""
        self._write(logging.ERROR, event, fields)

    def close(self) -> None:
        """Close the file."""
        self._handler.close()

    def _write(self, level: int, event: str, fields: dict[str, object]) -> None:
        head: dict[str, object] = {
            "time": self._clock.now().isoformat(timespec="milliseconds"),
            "level": logging.getLevelName(level).lower(),
            "event": event,
        }
        if self._handler.lost:
            head["lost"] = self._handler.lost
        line = {**head, **{name: _short(value) for name, value in fields.items()}, **head}
        self._logger.log(level, "%s", orjson.dumps(line, default=str).decode())


class _PrivateHandler(RotatingFileHandler):
    """Appends to a file that is 0600 and no link, and counts the lines that the disk did not take."""

    def __init__(self, folder: Path, settings: DaemonSettings) -> None:
        self.lost = 0
        self._folder = folder
        super().__init__(
            folder / LOG_NAME,
            maxBytes=settings.log_bytes,
            backupCount=settings.log_files,
            encoding="utf-8",
            delay=True,
        )

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        before = self.lost
        super().emit(record)
        if self.lost == before:
            self.lost = 0

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 -- logging's own name
        """Count a line that could not be written; whoever wrote it goes on."""
        del record
        self.lost += 1
        stream, self.stream = self.stream, None  # the next line opens it again
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()

    def _open(self) -> TextIOWrapper:
        try:
            make_private_dir(self._folder)
        except StorageError as error:
            raise OSError(str(error)) from error
        fd = open_log(Path(self.baseFilename))
        return os.fdopen(fd, "a", encoding="utf-8")  # writes: a log is only appended to


class _Ear(logging.Handler):
    def __init__(self, heard: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._heard = heard

    def emit(self, record: logging.LogRecord) -> None:
        """Pass a message on."""
        self._heard(record.getMessage())


def overhear(library: str, heard: Callable[[str], None]) -> Callable[[], None]:
    """Hear a library's warnings instead of letting it print them; return what ends that.

    Args:
        library: The name of its logger.
        heard: Gets each message, from any thread.
    """
    logger = logging.getLogger(library)
    ear = _Ear(heard)
    logger.addHandler(ear)
    return lambda: logger.removeHandler(ear)


def has_begun(folder: Path) -> bool:
    """Say whether a folder holds a log, or what is left of one that was put aside."""
    return any((folder / name).exists() for name in (LOG_NAME, f"{LOG_NAME}.1"))


def last_lines(folder: Path, count: int) -> list[str]:
    """Return the last lines of the log, oldest first, going back into the file before the present one."""
    return list(follow(folder, count, lambda: True))


def follow(folder: Path, count: int, pause: Callable[[], bool]) -> Iterator[str]:
    """Yield the last lines of the log, and then those that are written, across rotations and without a gap.

    Args:
        folder: The folder of logs.
        count: How many lines to begin with; they may reach back into the file before the present one.
        pause: Waits a moment; returns True to end.
    """
    path = folder / LOG_NAME
    lines: deque[str] = deque(maxlen=count)
    earlier = _opened(folder / f"{LOG_NAME}.1")
    if earlier is not None:
        with earlier:
            lines.extend(line.rstrip("\n") for line in earlier)
    file = _opened(path)
    rest = ""
    try:
        for line in file or ():
            if line.endswith("\n"):
                lines.append(line[:-1])
            else:
                rest = line
        yield from lines
        while not pause():
            if file is None:
                file = _opened(path)
                continue
            replaced = _is_other(path, file)
            *fresh, rest = (rest + file.read()).split("\n")
            yield from fresh
            if replaced:
                file.close()
                file = _opened(path)
    finally:
        if file is not None:
            file.close()


def _opened(path: Path) -> IO[str] | None:
    try:
        return path.open(encoding="utf-8", errors="replace")
    except OSError:
        return None


def _is_other(path: Path, file: IO[str]) -> bool:
    try:
        return not os.path.samestat(path.stat(), os.fstat(file.fileno()))
    except OSError:
        return False


def _short(value: object) -> object:
    return f"{value[:_LONGEST_VALUE]}…" if isinstance(value, str) and len(value) > _LONGEST_VALUE else value
