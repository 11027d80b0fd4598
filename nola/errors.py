"""Every error that Nola raises on purpose: few, shallow, one sentence each, with what to do next.

NolaError
├── UsageError       the caller asked for something that does not exist (exit 2)
├── InputError       a message that can't be used: empty, binary, too long
├── PathError        a state path that leads nowhere or into a scalar
├── DocumentError    a state file or JSON text that does not parse (file, line, column)
├── ConflictError    the value changed since it was read
├── ProtectedError   an innate memory, which nothing may change
├── StorageError     the disk refused a write; nothing was replaced
├── ConfigError      a setting that is unknown or out of range
├── DownloadError    a model file that could not be fetched or did not match its hash
└── ModelError       a model that is absent, failed, or broke off in mid-answer
"""

from __future__ import annotations

__all__ = [
    "ConfigError",
    "ConflictError",
    "DocumentError",
    "DownloadError",
    "InputError",
    "ModelError",
    "NolaError",
    "PathError",
    "ProtectedError",
    "StorageError",
    "UsageError",
]


class NolaError(Exception):
    """A failure that is told to a person in one sentence.

    Attributes:
        fix: What to do next, or an empty string.
        exit_code: What the command line exits with.
    """

    exit_code = 1

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class UsageError(NolaError):
    """The caller asked for something that does not exist."""

    exit_code = 2


class InputError(NolaError):
    """A message that can't be used."""


class PathError(NolaError):
    """A state path that leads nowhere, or steps into a scalar."""

    def __init__(self, path: str, why: str, *, fix: str = "") -> None:
        super().__init__(f"{path}: {why}", fix=fix)
        self.path = path


class DocumentError(NolaError):
    """JSON text that does not parse or breaks a rule; line and column count from 1, 0 when unknown."""

    def __init__(self, file: str, line: int, column: int, why: str) -> None:
        where = f"{file}, line {line}, column {column}" if line else file
        super().__init__(f"{where}: {why}", fix="mend the file; nothing in it was changed")
        self.file = file
        self.line = line
        self.column = column
        self.why = why


class ConflictError(NolaError):
    """The value changed since it was read; nothing was written."""


class ProtectedError(NolaError):
    """An innate memory was to be changed; nothing was (A02)."""

    def __init__(self, memory: str) -> None:
        super().__init__(f"the memory {memory} is innate and protected; nothing was changed")
        self.memory = memory


class StorageError(NolaError):
    """The disk refused a write; what stood there before still stands."""

    def __init__(self, path: str, why: str, *, fix: str = "free space or mend permissions, then try again") -> None:
        super().__init__(f"could not write {path}: {why}", fix=fix)
        self.path = path


class ConfigError(NolaError):
    """A setting that is unknown or out of range."""

    exit_code = 2


class DownloadError(NolaError):
    """A model file that could not be fetched or did not match its hash."""


class ModelError(NolaError):
    """A model that is absent, failed, or broke off.

    Attributes:
        partial: What had been received when it broke off.
    """

    def __init__(self, message: str, *, fix: str = "", partial: str = "") -> None:
        super().__init__(message, fix=fix)
        self.partial = partial
