"""What the rules share: the files of a tree, their syntax, their comments and what their names stand for."""

from __future__ import annotations

import ast
import io
import os
import subprocess
import tokenize
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

__all__ = [
    "PACKAGES",
    "PYTHON",
    "comments",
    "dotted",
    "imported_names",
    "module_name",
    "parse",
    "python_files",
    "run",
    "test_files",
    "text_files",
]

PACKAGES = ("nola", "interfaces")
PYTHON = (*PACKAGES, "scripts", "tests")
_SKIPPED = {"__pycache__", "node_modules", "dist", "build"}
_TEXT = set(".py .md .toml .sh .json .lock .cfg .yml .yaml .txt .html .ts .tsx .css".split()) | {""}


def python_files(root: Path, *folders: str) -> Iterator[Path]:
    """Yield the Python files below these folders of a tree, sorted."""
    for folder in folders or PYTHON:
        for path in sorted((root / folder).rglob("*.py")):
            if not _SKIPPED & set(path.relative_to(root).parts):
                yield path


def test_files(root: Path) -> Iterator[Path]:
    """Yield the files that pytest collects."""
    return (path for path in python_files(root, "tests") if path.name.startswith("test_"))


test_files.__test__ = False  # type: ignore[attr-defined]  # a helper, whatever pytest thinks of its name


def text_files(root: Path) -> Iterator[Path]:
    """Yield every file of the repository that a person reads, new ones included and ignored ones not."""
    if (root / ".git").exists():
        listed = run(root, "git", "ls-files", "--cached", "--others", "--exclude-standard").stdout.splitlines()
        paths = [root / name for name in listed]
    else:
        paths = [path for path in root.rglob("*") if not _is_ignored(path.relative_to(root).parts)]
    return (path for path in sorted(paths) if path.is_file() and path.suffix in _TEXT)


def _is_ignored(parts: tuple[str, ...]) -> bool:
    return bool(_SKIPPED & set(parts)) or (parts[0].startswith(".") and parts[0] != ".ci")


def parse(path: Path) -> ast.Module:
    """Return a file's syntax tree."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def module_name(root: Path, path: Path) -> str:
    """Return the dotted name by which a file is imported."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def comments(path: Path) -> dict[int, str]:
    """Return the comments of a file by line, without their `#`."""
    tokens = tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
    return {t.start[0]: t.string.lstrip("#").strip() for t in tokens if t.type == tokenize.COMMENT}


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Return what each imported name of a module stands for: `t` is `time` after `import time as t`."""
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                names[name] = alias.name if alias.asname else name
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return names


def dotted(node: ast.expr, names: Mapping[str, str]) -> str:
    """Return an expression such as `t.time` with its imported name resolved, or an empty string."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        base = dotted(node.value, names)
        return f"{base}.{node.attr}" if base else ""
    return ""


def run(root: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a tree, whose packages come before the installed ones; return what it said."""
    environ = {**os.environ, "PYTHONPATH": str(root), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    return subprocess.run(command, cwd=root, env=environ, capture_output=True, text=True, check=False, timeout=300)
