"""A machine whose power fails: a disk image with a file system of its own, a writer on it, and cuts.

The arguments are the folder for the image, the way to write (`nola`, or one of `unsafe`), the number of cuts, a seed.
A cut drops everything that has not reached the image, as the system's own tests of file systems do it
(EXT4_IOC_SHUTDOWN without a flush of the journal). For every cut one answer is sent.
"""

from __future__ import annotations

import fcntl
import json
import os
import struct
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faults.drivers.line import say
from tests.faults.drivers.payload import number_of
from tests.faults.harness import Zygote, chance
from tests.faults.wholeness import standing, unreadable

if TYPE_CHECKING:
    import random

    from tests.faults.harness import Child

__all__ = ["Machine", "main"]

_SHUTDOWN = 0x8004587D
_WITHOUT_FLUSH = struct.pack("I", 2)
_IMAGE_SIZE = 128 * 1024 * 1024
# A history that is cut short again and again: that has to survive the cuts too, and the disk stays small.
_SETTINGS = {"state.history_bytes": "3000000"}
_SMALLEST, _LARGEST = 100, 30_000
_WRITES = 5_000
_LONGEST_S = 0.25
_FILE = "state/modules/notes.json"


class Machine:
    """A disk image, mounted and cut off again and again."""

    def __init__(self, folder: Path) -> None:
        self._image = folder / "image"
        self._mount = folder / "mnt"
        self._mount.mkdir(exist_ok=True)
        with self._image.open("wb") as file:
            file.truncate(_IMAGE_SIZE)
        subprocess.run(["mkfs.ext4", "-q", "-F", str(self._image)], check=True)
        self.home = self._mount / "home"

    def start(self) -> None:
        """Mount the disk, which recovers its journal."""
        subprocess.run(["mount", "-o", "loop,commit=1", str(self._image), str(self._mount)], check=True)

    def cut(self) -> None:
        """Cut the power."""
        fd = os.open(self._mount, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.ioctl(fd, _SHUTDOWN, _WITHOUT_FLUSH)
        finally:
            os.close(fd)

    def stop(self) -> None:
        """Unmount what is left."""
        subprocess.run(["umount", str(self._mount)], check=True)


def main(arguments: list[str]) -> None:
    """Cut the power so often, and tell what was found after each cut."""
    folder, way, cuts, seed = Path(arguments[0]), arguments[1], int(arguments[2]), arguments[3]
    machine = Machine(folder)
    draw = chance(0, way, seed)
    first = 1
    with Zygote() as zygote:
        machine.start()
        _prepare(zygote, machine, way)
        for _ in range(cuts):
            acked, begun, refused = _write_until_cut(zygote, machine, way, first, draw)
            machine.stop()
            machine.start()
            say(acked=acked, begun=begun, refused=refused, **_found(zygote, machine, way))
            first = begun + 1
        machine.stop()
    say(ok=True)


def _prepare(zygote: Zygote, machine: Machine, way: str) -> None:
    file = machine.home / _FILE
    if way == "nola":
        with zygote.desk(machine.home) as desk:
            assert desk.ask("set", path="notes.text", value=0, size=_SMALLEST)["ok"]
    else:
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps({"metadata": {}, "data": {"text": "<0>"}}), encoding="utf-8")
    os.sync()


def _writer(zygote: Zygote, machine: Machine, way: str) -> Child:
    return (
        zygote.desk(machine.home, settings=_SETTINGS)
        if way == "nola"
        else zygote.child("unsafe", way, str(machine.home / _FILE))
    )


def _write_until_cut(
    zygote: Zygote, machine: Machine, way: str, first: int, draw: random.Random
) -> tuple[int, int, str]:
    """Let a writer write, cut the power; return what was acknowledged and begun last, and a refusal before it."""
    sizes = [int(_SMALLEST * (_LARGEST / _SMALLEST) ** draw.random()) for _ in range(_WRITES)]
    with _writer(zygote, machine, way) as child:
        child.send("burst", path="notes.text", first=first, sizes=sizes)
        said = [answer] if (answer := child.read()) else []
        said += [answer] if (answer := child.read()) else []
        refused = next((str(answer) for answer in said if answer.get("ok") is False), "")
        threading.Event().wait(draw.random() * _LONGEST_S)
        machine.cut()
        child.kill()
        child.wait()
        said += child.read_all()
    acked = max((answer["ack"] for answer in said if "ack" in answer), default=first - 1)
    begun = max((answer["begin"] for answer in said if "begin" in answer), default=first - 1)
    return acked, begun, refused


def _found(zygote: Zygote, machine: Machine, way: str) -> dict[str, object]:
    """Return what stands on the disk, and what Nola serves from it after a start."""
    found: dict[str, Any] = {
        "stands": number_of(standing(machine.home / _FILE, "text")),
        "unreadable": unreadable(machine.home, copies=False),
    }
    if way == "nola":
        with zygote.desk(machine.home, settings=_SETTINGS) as desk:
            served = desk.ask("get", path="notes.text")
            found["served"] = number_of(served.get("value"))
            found["problems"] = desk.ask("problems")["value"]
            changes = desk.ask("changes", path="notes", limit=1)["value"]
            newest = changes[0]["new"] if changes else None
            found["recorded"] = number_of(newest.get("text") if isinstance(newest, dict) else newest)
            desk.ask("close")
        found["problems"] = [*found["problems"], *unreadable(machine.home)]
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
