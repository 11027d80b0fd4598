"""A process with two agents on one home, and threads that all write to one place."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from nola import files
from nola.errors import ConflictError
from tests.faults.drivers.desk import Desk, one_more
from tests.faults.drivers.line import orders, say

__all__ = ["main"]

_PATH = "counts.number"
_PATIENCE_S = 60.0


def main(arguments: list[str]) -> None:
    """Serve the line: `count` lets threads write, `blocked` lets one hold everything while others try."""
    desks = [Desk(arguments[0], {}), Desk(arguments[0], {})]
    say(ok=True)
    for order in orders():
        if order["do"] == "count":
            say(**_count(desks, order["threads"], order["times"]))
        elif order["do"] == "careless":
            say(ok=True, total=_careless(Path(arguments[0]) / "careless", order["threads"], order["times"]))
        elif order["do"] == "blocked":
            say(**_blocked(desks))
        else:
            say(**desks[0].run(order))


def _count(desks: list[Desk], threads: int, times: int) -> dict[str, object]:
    """Add to one number from many threads through both agents, each time reading and locking within the writing."""
    errors: list[str] = []

    def work(number: int) -> None:
        agent = desks[number % len(desks)].agent

        def nested(old: object) -> int:
            state = agent.config.state_dir
            with files.locked(state / ".lock"), files.locked(state / ".lock"):
                agent.get_state("user")
            return one_more(old)

        for _ in range(times):
            try:
                agent.update_state(_PATH, nested)
            except Exception as error:  # noqa: BLE001 -- told to the test, whatever it is
                errors.append(f"{type(error).__name__}: {error}")

    took = _together([threading.Thread(target=work, args=(number,), daemon=True) for number in range(threads)])
    return {"ok": True, "errors": errors, "took": took}


def _careless(file: Path, threads: int, times: int) -> int:
    """Add to one number from many threads, each reading, adding and writing by itself; return what it is then."""
    file.write_text("0", encoding="utf-8")

    def work() -> None:
        for _ in range(times):
            old = int(file.read_text(encoding="utf-8") or 0)
            temp = file.with_name(f"careless-{threading.get_ident()}")
            temp.write_text(str(old + 1), encoding="utf-8")
            temp.replace(file)

    _together([threading.Thread(target=work, daemon=True) for _ in range(threads)])
    return int(file.read_text(encoding="utf-8"))


def _blocked(desks: list[Desk]) -> dict[str, object]:
    """Let one thread sit in the middle of a write; tell how long others wait, through each agent, and for what."""
    for desk in desks:
        desk.agent.get_state()
    holding, done = threading.Event(), threading.Event()
    found: list[tuple[str, float]] = []

    def hold(old: object) -> int:
        holding.set()
        done.wait(_PATIENCE_S)
        return one_more(old)

    def attempt(desk: Desk) -> None:
        began = time.monotonic()
        try:
            desk.agent.set_state("counts.other", 1)
            found.append(("written", time.monotonic() - began))
        except ConflictError as error:
            found.append((f"ConflictError: {error}", time.monotonic() - began))

    holder = threading.Thread(target=lambda: desks[0].agent.update_state(_PATH, hold), daemon=True)
    holder.start()
    holding.wait(_PATIENCE_S)
    _together([threading.Thread(target=attempt, args=(desk,), daemon=True) for desk in desks])
    done.set()
    holder.join(_PATIENCE_S)
    return {"ok": not holder.is_alive(), "found": found}


def _together(threads: list[threading.Thread]) -> float:
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(0.0, _PATIENCE_S - (time.monotonic() - began)))
    return time.monotonic() - began if not any(thread.is_alive() for thread in threads) else float("inf")


if __name__ == "__main__":
    main(sys.argv[1:])
