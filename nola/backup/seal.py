"""Locks an archive with a passphrase and opens it again, in the age format, by the package pyrage."""

from __future__ import annotations

import importlib
from typing import Any

from nola.errors import NolaError

__all__ = ["MAGIC", "open_sealed", "seal"]

MAGIC = b"age-encryption.org/v1"
"""How every encrypted archive begins."""


def seal(data: bytes, passphrase: str) -> bytes:
    """Encrypt an archive; takes a second or so by design, which makes guessing slow.

    Raises:
        NolaError: The passphrase is empty, or the package is not installed.
    """
    if not passphrase:
        raise NolaError("the passphrase is empty", fix="give one of several words")
    return bytes(_pyrage().passphrase.encrypt(data, passphrase))


def open_sealed(data: bytes, passphrase: str) -> bytes:
    """Decrypt an archive.

    Raises:
        NolaError: The passphrase is wrong, the archive is damaged, or the package is not installed.
    """
    pyrage = _pyrage()
    try:
        return bytes(pyrage.passphrase.decrypt(data, passphrase))
    except pyrage.DecryptError as error:
        if str(error) == "Decryption failed":
            raise NolaError("the passphrase is wrong", fix="nothing was changed; try again") from None
        raise NolaError(f"the encrypted archive is damaged: {error}") from None


def _pyrage() -> Any:
    try:
        return importlib.import_module("pyrage")
    except ImportError:
        raise NolaError(
            "encrypted backups need the package pyrage, which is not installed",
            fix="install it into Nola's environment: pip install pyrage",
        ) from None
