"""A machine whose power fails while a process remembers; see `power`, whose disk it uses.

The arguments are the folder for the image, the way to remember (`nola` or `unflushed`), the number of cuts, a seed.
"""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.drivers.line import say
from tests.faults.drivers.power import Machine
from tests.faults.harness import Zygote, chance

if TYPE_CHECKING:
    import random

__all__ = ["main"]

_LONGEST_S = 0.25
_NAME = "power"


def main(arguments: list[str]) -> None:
    """Cut the power so often, and tell what was found after each cut."""
    folder, way, cuts, seed = Path(arguments[0]), arguments[1], int(arguments[2]), arguments[3]
    machine = Machine(folder)
    draw = chance(0, way, seed)
    first = 1
    with Zygote() as zygote:
        machine.start()
        for _ in range(cuts):
            acked, begun = _remember_until_cut(zygote, machine, way, first, draw)
            machine.stop()
            machine.start()
            with zygote.child("remember", "nola", str(machine.home / "memory.db")) as child:
                assert child.read() == {"ok": True}
                found = child.ask("look", name=_NAME)
            lost = sorted(set(range(first, acked + 1)) - set(found["stored"]))
            say(acked=acked, begun=begun, lost=lost, defects=found["defects"])
            first = begun + 1
        machine.stop()
    say(ok=True)


def _remember_until_cut(zygote: Zygote, machine: Machine, way: str, first: int, draw: random.Random) -> tuple[int, int]:
    """Let a process remember, cut the power; return what was acknowledged and begun last."""
    with zygote.child("remember", way, str(machine.home / "memory.db")) as child:
        assert child.read() == {"ok": True}
        child.send("burst", name=_NAME, first=first)
        said = [answer for _ in range(2) if (answer := child.read())]
        threading.Event().wait(draw.random() * _LONGEST_S)
        machine.cut()
        child.kill()
        child.wait()
        said += child.read_all()
    acked = max((answer["ack"] for answer in said if "ack" in answer), default=first - 1)
    begun = max((answer["begin"] for answer in said if "begin" in answer), default=first - 1)
    return acked, begun


if __name__ == "__main__":
    main(sys.argv[1:])
