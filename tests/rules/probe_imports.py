"""Imports the modules it is given, one after another, and prints as JSON what each did besides being imported."""

from __future__ import annotations

import json
import os
import sys
import threading
from importlib import import_module
from typing import Any

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
EVENTS = tuple(
    """os.mkdir os.remove os.rename os.rmdir os.link os.symlink os.chmod os.truncate shutil. tempfile.
    subprocess.Popen os.system os.exec os.fork os.posix_spawn os.spawn
    socket. sqlite3.connect urllib.Request http.client.""".split()
)

doing: list[str] = []


def judge(event: str, args: tuple[Any, ...]) -> str:
    """Return what an audit event means, or an empty string when it is harmless."""
    if event == "open":
        path, mode, flags = args
        if isinstance(path, str | bytes) and (set(mode or "") & set("wax+") or (flags or 0) & WRITES):
            return f"opens {os.fsdecode(path)} for writing"
        return ""
    if event.startswith(EVENTS):
        return f"does {event}"
    return ""


def listen(event: str, args: tuple[Any, ...]) -> None:
    """Take note of what is not harmless."""
    if told := judge(event, args):
        doing.append(told)


def note_threads() -> None:
    """Take note of every thread that starts; Python 3.11 has no audit event for that."""
    start = threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        doing.append("starts a thread")
        start(thread)

    threading.Thread.start = noted  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    sys.path.insert(0, "")
    sys.addaudithook(listen)
    note_threads()
    report: list[str] = []
    for module in sys.argv[1:]:
        doing.clear()
        import_module(module)
        report += [f"import {module}: {told}" for told in doing]
    json.dump(report, sys.stdout)
