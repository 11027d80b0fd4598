"""Tests of giving whole documents out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.cli.outlet import check_free, print_exactly, write_file
from nola.errors import NolaError
from tests.cli.terminal import seated

if TYPE_CHECKING:
    from pathlib import Path


def test_a_terminal_is_protected_from_what_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A control sign of eight bits would command it."""
    with seated(monkeypatch) as screen:
        print_exactly("a\u009b31mb".encode())
    assert "31mb" in screen.out.getvalue()
    assert "\u009b" not in screen.out.getvalue()


def test_a_pipe_gets_the_bytes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Exactly as they are."""
    print_exactly("a\u009b31mb\r\n".encode())
    assert capfdbinary.readouterr().out == "a\u009b31mb\r\n".encode()


def test_what_is_there_is_replaced_on_request_alone(tmp_path: Path) -> None:
    """A link that leads nowhere is something; a folder is replaced by nothing."""
    file = tmp_path / "file"
    check_free(file, force=False)
    write_file(file, b"x", as_json=False)
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for path in (file, tmp_path / "link", tmp_path):
        with pytest.raises(NolaError, match="is there already"):
            check_free(path, force=False)
    check_free(file, force=True)
    with pytest.raises(NolaError, match="is no regular file"):
        check_free(tmp_path, force=True)
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"x", 0o600)
