"""The controls: writers that do what Nola must not do, so that each test can show that it would notice.

The first argument chooses the way, the second the file. Orders and answers are those of `desk`.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.faults.drivers.line import orders, say
from tests.faults.drivers.payload import payload

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["flush_again", "main", "replace_without_flush", "truncate"]


def truncate(file: Path, document: dict[str, Any]) -> None:
    """Empty the file and write it, as most programs do."""
    with file.open("w", encoding="utf-8") as stream:
        json.dump(document, stream, indent=2)


def replace_without_flush(file: Path, document: dict[str, Any]) -> None:
    """Write a new file beside it and rename that, but leave it to the system when it reaches the disk."""
    temp = file.with_name(f"{file.name}.{os.getpid()}.new")
    temp.write_text(json.dumps(document, indent=2), encoding="utf-8")
    temp.replace(file)


def flush_again(file: Path, document: dict[str, Any]) -> None:
    """Write a new file, and flush it until the system no longer says that this failed."""
    temp = file.with_name(f"{file.name}.{os.getpid()}.new")
    with temp.open("w", encoding="utf-8") as stream:
        json.dump(document, stream)
        stream.flush()
        while True:
            try:
                os.fsync(stream.fileno())
            except OSError:
                continue
            break
    temp.replace(file)


_WAYS: dict[str, Callable[[Path, dict[str, Any]], None]] = {
    "truncate": truncate,
    "replace": replace_without_flush,
    "flush-again": flush_again,
}


def main(arguments: list[str]) -> None:
    """Write in the way of the first argument into the file of the second, as the line says."""
    write = _WAYS[arguments[0]]
    file = Path(arguments[1])
    say(ok=True)
    known = json.loads(file.read_bytes()) if file.suffix == ".json" and file.exists() else {}
    for order in orders():
        if order["do"] == "burst":
            _burst(write, file, order)
            say(ok=True)
        elif order["do"] == "count":
            _count(write, file, order["times"])
            say(ok=True)
        elif order["do"] == "set by heart":
            known["data"][order["key"]] = order["value"]
            write(file, known)
            say(ok=True)
        elif order["do"] == "lock":
            os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            say(ok=True)
        elif order["do"] == "rewrite":
            _rewrite(file)
            say(ok=True)
        else:
            say(ok=True, **_one(write, file, order))


def _rewrite(file: Path) -> None:
    """Empty a file of lines and write each of them again, as a careless migration does."""
    lines = file.read_bytes().splitlines(keepends=True)
    with file.open("wb", buffering=0) as stream:
        for line in lines:
            stream.write(line)


def _one(write: Callable[[Path, dict[str, Any]], None], file: Path, order: dict[str, Any]) -> dict[str, object]:
    """Get, set or append: again without a lock. The path's last step is the key."""
    document = json.loads(file.read_bytes())
    data, key = document["data"], order["path"].rpartition(".")[2]
    if order["do"] == "get":
        return {"value": data.get(key)}
    if order["do"] == "changes":
        return {"value": []}
    data[key] = order["value"] if order["do"] == "set" else [*data.get(key, []), order["item"]]
    write(file, document)
    return {}


def _burst(write: Callable[[Path, dict[str, Any]], None], file: Path, order: dict[str, Any]) -> None:
    for number, size in enumerate(order["sizes"], order["first"]):
        say(begin=number)
        write(file, {"metadata": {}, "data": {"text": payload(number, size)}})
        say(ack=number, at=time.monotonic())


def _count(write: Callable[[Path, dict[str, Any]], None], file: Path, times: int) -> None:
    """Read, add one, write: without a lock, and without a look whether the file changed meanwhile."""
    for _ in range(times):
        document = json.loads(file.read_bytes())
        document["data"]["counter"] += 1
        write(file, document)


if __name__ == "__main__":
    main(sys.argv[1:])
