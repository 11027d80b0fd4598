"""A process with Nola open, which does what it is told through its line and answers each order.

An answer `{"ok": true}` is an acknowledgement: from then on the write has to survive everything. A failure that Nola
told properly is `{"ok": false, "error": NAME, ...}`; anything else is named `crash`.
"""

from __future__ import annotations

import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nola import config as configuration
from nola import files
from nola.app import open_assistant
from nola.errors import ConflictError, NolaError
from tests.faults.drivers.line import orders, say
from tests.faults.drivers.payload import payload

if TYPE_CHECKING:
    from nola.agent import Agent
    from nola.types import Json

__all__ = ["Desk", "main", "one_more"]

_OFFLINE = {"NOLA_EMBED_PROVIDER": "none", "NOLA_OLLAMA_HOST": "http://127.0.0.1:9"}


class Desk:
    """What a driver can be asked to do with one agent.

    Args:
        home: Nola's folder.
        settings: Settings by their keys, as text.
    """

    def __init__(self, home: str, settings: dict[str, str]) -> None:
        chosen = {f"NOLA_{key.replace('.', '_').upper()}": value for key, value in settings.items()}
        self.agent: Agent = open_assistant(configuration.load({**_OFFLINE, **chosen, "NOLA_HOME": home}))

    def run(self, order: dict[str, Any]) -> dict[str, object]:
        """Do what one line says; return the answer."""
        try:
            answer = getattr(self, f"do_{order['do']}")(order)
        except NolaError as error:
            return {"ok": False, "error": _kind(error), "message": str(error), "fix": error.fix}
        except Exception:  # noqa: BLE001 -- a failure that Nola did not tell is what these tests look for
            return {"ok": False, "error": "crash", "message": traceback.format_exc()}
        return {"ok": True, **(answer or {})}

    def do_start(self, _: dict[str, Any]) -> dict[str, object]:
        """Start: look at everything once, as the first command of a process does."""
        found = self.agent.get_state()
        return {"value": sorted(found) if isinstance(found, dict) else []}

    def do_get(self, order: dict[str, Any]) -> dict[str, object]:
        """Read a value."""
        return {"value": self.agent.get_state(order["path"])}

    def do_set(self, order: dict[str, Any]) -> dict[str, object]:
        """Write a value, or a payload when a size is given."""
        value = payload(order["value"], order["size"]) if "size" in order else order["value"]
        receipt = self.agent.set_state(order["path"], value, who=order.get("who", "nola"))
        return {"id": receipt.undo}

    def do_unset(self, order: dict[str, Any]) -> dict[str, object]:
        """Remove a value or a module."""
        return {"id": self.agent.unset_state(order["path"], who=order.get("who", "nola")).undo}

    def do_undo(self, order: dict[str, Any]) -> dict[str, object]:
        """Take the newest change back."""
        newest = self.agent.changes(order.get("path", ""), limit=1)[0]
        return {"id": self.agent.undo(newest.id, who=order.get("who", "owner")).undo}

    def do_changes(self, order: dict[str, Any]) -> dict[str, object]:
        """List changes, newest first: who, old and new."""
        found = self.agent.changes(order.get("path", ""), limit=order.get("limit", 50))
        return {"value": [{"who": c.who, "path": c.path, "old": c.old, "new": c.new} for c in found]}

    def do_problems(self, _: dict[str, Any]) -> dict[str, object]:
        """List what is wrong with the files."""
        return {"value": [[p.file, p.line, p.column, p.message, p.severity] for p in self.agent.problems()]}

    def do_look(self, _: dict[str, Any]) -> dict[str, object]:
        """Look at the files now and take in what the owner changed."""
        return {"changed": list(self.agent.look().changed)}

    def do_conflicts(self, order: dict[str, Any]) -> dict[str, object]:
        """List Nola's values that lost against the owner's, and drop them when asked to."""
        found = [[conflict.path, conflict.ours, conflict.theirs] for conflict in self.agent.conflicts()]
        for conflict in self.agent.conflicts() if order.get("drop") else ():
            self.agent.settle_conflict(conflict.id, use=False)
        return {"value": found}

    def do_retry(self, _: dict[str, Any]) -> dict[str, object]:
        """Save what could not be saved, as the daemon does every few seconds."""
        self.agent.retry_pending()
        return {}

    def do_count(self, order: dict[str, Any]) -> dict[str, object]:
        """Add one to a number so many times; who is refused because others write tries again, and counts that."""
        refused = done = 0
        while done < order["times"]:
            try:
                self.agent.update_state(order["path"], one_more)
                done += 1
            except ConflictError:
                refused += 1
        return {"refused": refused}

    def do_append(self, order: dict[str, Any]) -> dict[str, object]:
        """Add an item to the end of a list."""
        item: Json = order["item"]
        receipt = self.agent.update_state(order["path"], lambda old: [*(old if isinstance(old, list) else []), item])
        return {"id": receipt.undo}

    def do_hold(self, order: dict[str, Any]) -> dict[str, object]:
        """Add one to a number, but dawdle in between, with the lock held, until there is another order."""

        def dawdling(old: Json) -> Json:
            say(holding=True)
            next(orders(), None)
            return one_more(old)

        return {"id": self.agent.update_state(order["path"], dawdling).undo}

    def do_fork(self, order: dict[str, Any]) -> dict[str, object]:
        """Fork with the lock held; the child tries to take it and to let it go. Tell how it fared."""
        lock = Path(order["lock"])
        with files.locked(lock):
            pid = os.fork()
            if not pid:
                os._exit(_try_lock(lock))
            child = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            say(holding=True, child=child)
            next(orders(), None)
        return {}

    def do_burst(self, order: dict[str, Any]) -> dict[str, object]:
        """Write payloads one after the other; each is announced before and acknowledged after it."""
        for number, size in enumerate(order["sizes"], order["first"]):
            say(begin=number)
            self.agent.set_state(order["path"], payload(number, size), who="nola")
            say(ack=number, at=time.monotonic())
        return {}

    def do_close(self, _: dict[str, Any]) -> dict[str, object]:
        """Close everything."""
        self.agent.close()
        return {}


def _kind(error: NolaError) -> str:
    """Return the name of the kind of error that a caller catches."""
    kinds = type(error).__mro__
    return kinds[kinds.index(NolaError) - 1].__name__ if kinds.index(NolaError) else "NolaError"


def _try_lock(lock: Path) -> int:
    """Try to take a lock that the parent holds; 0 when it is refused, as it should be."""
    try:
        with files.locked(lock, timeout_s=0.2):
            return 1
    except ConflictError:
        return 0


def one_more(old: object) -> int:
    """Return the next number; 1 after nothing."""
    return old + 1 if isinstance(old, int) else 1


def main(arguments: list[str]) -> None:
    """Open Nola in the home of the first argument, with the settings of the second, and serve the line to its end."""
    desk = Desk(arguments[0], json.loads(arguments[1]) if arguments[1:] else {})
    say(ok=True)
    for order in orders():
        say(**desk.run(order))


if __name__ == "__main__":
    main(sys.argv[1:])
