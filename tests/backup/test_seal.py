"""Encryption by passphrase."""

from __future__ import annotations

import sys

import pytest

from nola.backup.seal import MAGIC, open_sealed, seal
from nola.errors import NolaError


@pytest.fixture(scope="module")
def sealed() -> bytes:
    """Something encrypted; making it takes a second by design."""
    pytest.importorskip("pyrage", reason="pyrage is not installed")
    return seal(b"my dog is Biscuit", "correct horse")


def test_what_is_sealed_can_be_opened(sealed: bytes) -> None:
    """It is in the age format, and shows nothing of its content."""
    assert sealed.startswith(MAGIC)
    assert b"Biscuit" not in sealed
    assert open_sealed(sealed, "correct horse") == b"my dog is Biscuit"


def test_a_wrong_passphrase_is_one_sentence(sealed: bytes) -> None:
    """It can be tried again."""
    with pytest.raises(NolaError, match=r"^the passphrase is wrong$") as caught:
        open_sealed(sealed, "battery staple")
    assert "try again" in caught.value.fix


@pytest.mark.parametrize("damage", [slice(0, 40), slice(0, -1)])
def test_a_damaged_archive_is_another(sealed: bytes, damage: slice) -> None:
    """A passphrase that is right is not called wrong."""
    with pytest.raises(NolaError, match="the encrypted archive is damaged"):
        open_sealed(sealed[damage], "correct horse")


def test_an_empty_passphrase_is_refused() -> None:
    """It would protect nothing."""
    with pytest.raises(NolaError, match="the passphrase is empty"):
        seal(b"x", "")


def test_without_the_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of the package stands in the sentence."""
    monkeypatch.setitem(sys.modules, "pyrage", None)
    with pytest.raises(NolaError, match="pyrage, which is not installed") as caught:
        seal(b"x", "correct horse")
    assert "pyrage" in caught.value.fix
