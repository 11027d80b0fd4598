"""Prints every command of `nola` with its help, as JSON; run in its own process by the rule on commands."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any


def walk(command: Any, name: str) -> dict[str, str]:
    """Return the help of a command and of everything below it, by full name; hidden ones are left out."""
    below = getattr(command, "commands", {})
    told = {} if below else {name: command.help or ""}
    for word, child in below.items():
        if not child.hidden:
            told |= walk(child, f"{name} {word}")
    return told


if __name__ == "__main__":
    sys.path.insert(0, "")
    import typer.main

    app = import_module("nola.cli.root").app
    json.dump(walk(typer.main.get_command(app), "nola"), sys.stdout)
