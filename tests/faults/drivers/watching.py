"""A process with Nola open and her watcher running, which tells what she notices; orders are those of `desk`.

Besides the answers it sends `{"seen": ...}` whenever the watcher tells something: which modules changed, what stands in
them now as memory has it, and which problems there are.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from nola.clock import SystemClock
from nola.daemon.watch import Watcher
from nola.errors import NolaError
from tests.faults.drivers.desk import Desk
from tests.faults.drivers.line import orders, say

if TYPE_CHECKING:
    from nola.flow import Seen
    from nola.types import Json

__all__ = ["main"]


class _Watching:
    def __init__(self, home: str, settings: dict[str, str]) -> None:
        self.desk = Desk(home, settings)
        self.desk.agent.get_state()
        self.told = 0
        self._one_at_a_time = threading.Lock()
        config = self.desk.agent.config
        self.watcher = Watcher(
            config.state_dir,
            self.desk.agent.look,
            settings=config.settings.state,
            clock=SystemClock(),
            told=self._tell,
            degraded=lambda why: self.say(degraded=why),
        )

    def say(self, **answer: object) -> None:
        """Send one line; the watcher's thread and the one that answers take turns."""
        with self._one_at_a_time:
            say(**answer)

    def _tell(self, seen: Seen) -> None:
        self.told += len(seen.changed)
        problems = [[p.file, p.line, p.column, p.message, p.severity] for p in seen.problems]
        values = {name: self._value(name) for name in seen.changed}
        self.say(seen={"changed": list(seen.changed), "values": values, "problems": problems, "at": time.monotonic()})

    def _value(self, name: str) -> Json:
        try:
            return self.desk.agent.get_state(f"{name}.text", reload=False)
        except NolaError:
            return None

    def run(self, order: dict[str, Any]) -> dict[str, object]:
        """Do what an order says."""
        if order["do"] == "saves":
            for number in range(order["times"]):
                self.desk.agent.set_state(order["path"], number, who="nola")
            return {"ok": True}
        if order["do"] == "told":
            return {"ok": True, "value": self.told}
        return self.desk.run(order)


def main(arguments: list[str]) -> None:
    """Watch the home of the first argument with the settings of the second, and serve the line to its end."""
    watching = _Watching(arguments[0], json.loads(arguments[1]) if arguments[1:] else {})
    watching.watcher.start()
    try:
        watching.say(ok=True)
        for order in orders():
            watching.say(**watching.run(order))
    finally:
        watching.watcher.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
