"""The rules that are seen by running the tree: its commands, its imports, its layers, its generated pages."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from tests.rules.tree import PACKAGES, module_name, python_files, run

__all__ = ["commands", "has_commands", "imports", "layers", "settings_page", "sorted_exports"]

_HERE = Path(__file__).resolve().parent
_PAGE = "docs/reference/commands.md"


def has_commands(root: Path) -> bool:
    """Tell whether the command line is there yet."""
    return (root / "nola" / "cli" / "root.py").exists()


def commands(root: Path) -> list[str]:
    """Every command has a help text with an example, and stands in docs/reference/commands.md."""
    said = run(root, sys.executable, str(_HERE / "probe_commands.py"))
    if said.returncode:
        return [f"the command line does not load: {said.stderr.strip()[-400:]}"]
    page = root / _PAGE
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    found = []
    for name, help_text in json.loads(said.stdout).items():
        if not help_text:
            found.append(f"{name}: no help")
        elif not re.search(rf"\b{re.escape(name.split()[0])} ", help_text):
            found.append(f"{name}: its help shows no example")
        if not re.search(rf"^#+ .*`{re.escape(name)}\b", text, flags=re.MULTILINE):
            found.append(f"{name}: no heading in {_PAGE}")
    return found


def imports(root: Path) -> list[str]:
    """Importing any module of Nola writes no file, opens no connection and starts no thread or process."""
    modules = [module_name(root, path) for path in python_files(root, "nola") if path.name != "__main__.py"]
    said = run(root, sys.executable, str(_HERE / "probe_imports.py"), *modules)
    if said.returncode:
        return [f"the imports broke off: {said.stderr.strip()[-400:]}"]
    return [str(line) for line in json.loads(said.stdout)]


def layers(root: Path) -> list[str]:
    """The import contracts of pyproject.toml hold."""
    tool = Path(sys.executable).with_name("lint-imports")
    said = run(root, str(tool), "--no-cache")
    lines = [line.strip() for line in (said.stdout + said.stderr).splitlines() if not re.search("[╔╚║╝]", line)]
    return [line for line in lines if line] if said.returncode else []


def sorted_exports(root: Path) -> list[str]:
    """Every `__all__` is in the order that ruff keeps."""
    tool = Path(sys.executable).with_name("ruff")
    folders = [name for name in PACKAGES if (root / name).exists()]
    options = ("--isolated", "--no-cache", "--select", "RUF022", "--output-format", "concise")
    said = run(root, str(tool), "check", *options, *folders)
    return [] if said.returncode == 0 else said.stdout.splitlines()


def settings_page(root: Path) -> list[str]:
    """docs/reference/settings.md is what scripts/docs_settings.py makes of the settings today."""
    said = run(root, sys.executable, "scripts/docs_settings.py", "--check")
    return [] if said.returncode == 0 else [said.stderr.strip()]
