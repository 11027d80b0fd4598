"""A process with Nola open on a disk of its own that is tiny, and can be filled, emptied and made read-only.

The first argument is the folder that the disk is mounted on, the second its size. Orders are those of `desk`, and more.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.faults.drivers.desk import Desk
from tests.faults.drivers.line import orders, say
from tests.faults.drivers.payload import number_of, payload
from tests.faults.harness import environ
from tests.faults.wholeness import orphans, standing, unreadable

__all__ = ["main"]

_PAGE = 4096
_MODULE = "state/modules/notes.json"
_COMMAND = Path(sys.executable).with_name("nola")


class Cramped:
    """A tiny disk, and Nola on it.

    Args:
        disk: Where it is mounted.
        size: Its size, as mount takes it.
    """

    def __init__(self, disk: Path, size: str) -> None:
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(disk)], check=True)
        self._disk = disk
        self._home = disk / "home"
        self._filler = disk / "filler"
        self._desk: Desk | None = None

    def run(self, order: dict[str, Any]) -> dict[str, object]:
        """Do what an order says: here, or at the desk."""
        own = getattr(self, f"do_{order['do']}", None)
        if own is None:
            assert self._desk is not None
            return self._desk.run(order)
        answer = own(order)
        return {"ok": True, **(answer or {})}

    def do_open(self, _: dict[str, Any]) -> None:
        """Open Nola, as a new process does."""
        self._desk = Desk(str(self._home), {})

    def do_fill(self, order: dict[str, Any]) -> None:
        """Fill the disk up to so many bytes."""
        with self._filler.open("ab") as file:
            try:
                while True:
                    os.write(file.fileno(), b"\0" * _PAGE)
            except OSError:
                file.truncate(file.tell() - order["leave"] // _PAGE * _PAGE)

    def do_free(self, _: dict[str, Any]) -> None:
        """Make room."""
        with contextlib.suppress(OSError):
            self._filler.unlink(missing_ok=True)

    def do_seal(self, order: dict[str, Any]) -> None:
        """Make the disk read-only, or writable again."""
        subprocess.run(["mount", "-o", f"remount,{'ro' if order['on'] else 'rw'}", str(self._disk)], check=True)

    def do_stands(self, _: dict[str, Any]) -> dict[str, object]:
        """Tell what stands on the disk."""
        content = (self._home / _MODULE).read_bytes()
        return {
            "number": number_of(standing(self._home / _MODULE, "text")),
            "bytes": content.decode(),
            "unreadable": unreadable(self._home),
            "orphans": orphans(self._home),
        }

    def do_command(self, order: dict[str, Any]) -> dict[str, object]:
        """Run the real command on this disk."""
        done = subprocess.run(
            [sys.executable, str(_COMMAND), *order["arguments"]],
            stdin=subprocess.DEVNULL,
            env=environ(self._home, PYTHONDONTWRITEBYTECODE="1"),
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return {"code": done.returncode, "out": done.stdout, "err": done.stderr}

    def do_careless(self, order: dict[str, Any]) -> dict[str, object]:
        """Save as a program does that neither flushes nor looks how much was written."""
        temp = self._disk / "careless.tmp"
        file = self._disk / "careless.json"
        text = payload(order["value"], order["size"]).encode()
        try:
            file.write_bytes(b"old")
            self.do_fill(order)
            fd = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                os.write(fd, text)
            finally:
                os.close(fd)
            temp.replace(file)
        except OSError as error:
            return {"lost": False, "crashed": str(error)}
        finally:
            self.do_free(order)
        return {"lost": file.read_bytes() not in {b"old", text}, "crashed": ""}


def main(arguments: list[str]) -> None:
    """Mount the disk and serve the line to its end."""
    cramped = Cramped(Path(arguments[0]), arguments[1])
    say(ok=True)
    for order in orders():
        say(**cramped.run(order))


if __name__ == "__main__":
    main(sys.argv[1:])
