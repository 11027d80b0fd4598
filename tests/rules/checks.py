"""The rules that are read from the source; each takes a tree's root folder and returns a line for what breaks it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from tests.rules.tree import (
    PACKAGES,
    comments,
    dotted,
    imported_names,
    parse,
    python_files,
    test_files,
    text_files,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = [
    "TIERS",
    "broad_excepts",
    "docstrings_of_tests",
    "interfaces_beside",
    "leftovers",
    "links",
    "mirrored_tests",
    "places",
    "public_names",
    "sizes",
    "tier_markers",
    "wall_clock",
    "writes",
]

TIERS = ("faults", "bench", "soak", "models")

_MODULE_LINES = 400
_TEST_LINES = 500
_FUNCTION_LINES = 60
_BROAD = {"Exception", "BaseException", "builtins.Exception", "builtins.BaseException"}

# The two files below may do what nothing else may.
_CLOCK = "nola/clock.py"
_WRITER = "nola/files.py"


def _where(root: Path, path: Path, node: ast.AST | int | None = None) -> str:
    name = path.relative_to(root).as_posix()
    line = node if isinstance(node, int) else getattr(node, "lineno", None)
    return f"{name}:{line}" if line else name


# --- tests ------------------------------------------------------------------------------------------------------------
def mirrored_tests(root: Path) -> list[str]:
    """Every module with code has its test file: nola/context/weigh.py has tests/context/test_weigh.py.

    A package's own code (`__init__.py`) is tested in `test_init.py`; interfaces/ is mirrored below tests/interfaces/.
    """
    missing = []
    for path in python_files(root, *PACKAGES):
        if not _has_code(parse(path)):
            continue
        inner = path.relative_to(root / "nola") if path.is_relative_to(root / "nola") else path.relative_to(root)
        expected = root / "tests" / inner.with_name(f"test_{inner.stem.strip('_')}.py")
        if not expected.exists():
            missing.append(f"{_where(root, path)}: no {expected.relative_to(root).as_posix()}")
    return missing


def _has_code(tree: ast.Module) -> bool:
    """Tell whether any function does something; declarations, enums and protocols do nothing."""
    return any(
        not isinstance(statement, ast.Pass)
        and not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for statement in node.body
    )


def docstrings_of_tests(root: Path) -> list[str]:
    """Every test says in one sentence which behaviour it holds."""
    found = []
    for path in test_files(root):
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                sentence = ast.get_docstring(node) or ""
                if not sentence.endswith((".", "?", "!")) or "\n\n" in sentence:
                    found.append(f"{_where(root, path, node)}: {node.name} has no one-sentence docstring")
    return found


def tier_markers(root: Path) -> list[str]:
    """Every test file of a long tier's folder carries the tier's marker, or it would run with the quick ones."""
    return [
        f"{_where(root, path)}: `pytestmark = pytest.mark.{tier}` is missing"
        for tier in TIERS
        for path in python_files(root, f"tests/{tier}")
        if path.name.startswith("test_") and f"pytest.mark.{tier}" not in path.read_text(encoding="utf-8")
    ]


# --- shape ------------------------------------------------------------------------------------------------------------
def public_names(root: Path) -> list[str]:
    """A module's public names are exactly its `__all__` (its order is ruff's RUF022)."""
    found = []
    for path in python_files(root, *PACKAGES):
        tree = parse(path)
        defined = {name for statement in tree.body for name in _defined(statement)}
        public = {name for name in defined if not name.startswith("_")}
        exported = _exported(tree)
        where = _where(root, path)
        if exported is None:
            found += [f"{where}: {name} is public and there is no __all__" for name in sorted(public)]
            continue
        found += [f"{where}: {name} is public and not in __all__" for name in sorted(public - set(exported))]
        known = defined | set(imported_names(tree))
        if "__getattr__" not in defined:
            found += [f"{where}: __all__ names {name}, which is not there" for name in exported if name not in known]
        found += [f"{where}: __all__ names {name} twice" for name in sorted(set(exported)) if exported.count(name) > 1]
    return found


def _defined(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from (node.id for node in ast.walk(target) if isinstance(node, ast.Name))
    elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        yield statement.target.id


def _exported(tree: ast.Module) -> list[str] | None:
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and "__all__" in set(_defined(statement)):
            return [str(name) for name in ast.literal_eval(statement.value)]
    return None


def sizes(root: Path) -> list[str]:
    """A module has at most 400 lines, a test file 500, a function 60."""
    found = []
    for path in python_files(root):
        limit = _TEST_LINES if path.is_relative_to(root / "tests") else _MODULE_LINES
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > limit:
            found.append(f"{_where(root, path)}: {lines} lines, at most {limit}")
        for node in ast.walk(parse(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > _FUNCTION_LINES:
                    found.append(f"{_where(root, path, node)}: {node.name}: {lines} lines, at most {_FUNCTION_LINES}")
    return found


def broad_excepts(root: Path) -> list[str]:
    """A handler of everything raises again, or says why in a comment on its line."""
    found = []
    for path in python_files(root):
        said = comments(path)
        tree = parse(path)
        names = imported_names(tree)
        for node in ast.walk(tree):
            if _is_broad(node, names):
                line = getattr(node, "lineno", 0)
                reason = re.sub(r"noqa(:\s*[A-Z]+[0-9]+(,\s*[A-Z]+[0-9]+)*)?", "", said.get(line, ""))
                if not reason.strip(" -:#"):
                    found.append(f"{_where(root, path, line)}: a broad except without a comment that says why")
    return found


def _is_broad(node: ast.AST, names: dict[str, str]) -> bool:
    caught: Sequence[ast.expr]
    if isinstance(node, ast.ExceptHandler):
        last = node.body[-1]
        if isinstance(last, ast.Raise) and last.exc is None:
            return False
        if node.type is None:
            return True
        caught = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type]
    elif isinstance(node, ast.Call) and dotted(node.func, names) == "contextlib.suppress":
        caught = node.args
    else:
        return False
    return any(dotted(kind, names) in _BROAD for kind in caught)


def interfaces_beside(root: Path) -> list[str]:
    """`interfaces` is a top-level package that lies beside `nola`, and both are named in pyproject.toml."""
    found = [f"{name}/__init__.py is missing" for name in PACKAGES if not (root / name / "__init__.py").exists()]
    if (root / "nola" / "interfaces").exists():
        found.append("nola/interfaces: the faces lie beside nola, not in it")
    if 'packages = ["nola", "interfaces"]' not in (root / "pyproject.toml").read_text(encoding="utf-8"):
        found.append("pyproject.toml: the wheel's packages are nola and interfaces, by name")
    return found


# --- time and disk ----------------------------------------------------------------------------------------------------
_WALL = {
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.datetime.utcfromtimestamp",
    "datetime.date.today",
    "time.time",
    "time.time_ns",
    "time.ctime",
}
_WALL_WITHOUT_ARGUMENT = {"time.localtime", "time.gmtime", "time.asctime"}
_DATE_PARTS = 8  # year ... microsecond, tzinfo


def wall_clock(root: Path) -> list[str]:
    """Only nola/clock.py asks what time it is, and no datetime is naive."""
    found = []
    for path in python_files(root, *PACKAGES, "scripts"):
        tree = parse(path)
        names = imported_names(tree)
        own = _where(root, path) == _CLOCK
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute | ast.Name) and dotted(node, names) in _WALL and not own:
                found.append(f"{_where(root, path, node)}: reads the wall clock; ask the injected Clock")
            if not isinstance(node, ast.Call):
                continue
            called = dotted(node.func, names)
            if called in _WALL_WITHOUT_ARGUMENT and not node.args:
                found.append(f"{_where(root, path, node)}: reads the wall clock; ask the injected Clock")
            if _is_naive(called, node):
                found.append(f"{_where(root, path, node)}: makes a naive datetime; give it tzinfo=UTC")
    return found


def _is_naive(called: str, call: ast.Call) -> bool:
    keywords = {keyword.arg for keyword in call.keywords}
    if None in keywords:
        return False
    if called == "datetime.datetime":
        return "tzinfo" not in keywords and len(call.args) < _DATE_PARTS
    zone_at = {"datetime.datetime.now": 1, "datetime.datetime.fromtimestamp": 2}.get(called)
    return zone_at is not None and "tz" not in keywords and len(call.args) < zone_at


_FLAGS = {"O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND"}
_METHODS = {"write_text", "write_bytes", "touch", "mkdir", "symlink_to", "hardlink_to"}
_CALLS = re.compile(
    r"(os\.(rename|renames|replace|link|symlink|truncate|mkdir|makedirs|mkfifo)"
    r"|shutil\.(copy.*|move|make_archive|unpack_archive|chown)"
    r"|tempfile\.(mkstemp|NamedTemporaryFile|TemporaryFile|SpooledTemporaryFile))"
)
_MODE = re.compile(r"[rwaxbtU+]+")


def writes(root: Path) -> list[str]:
    """Only nola/files.py opens for writing, makes or renames; an exception says why in `# writes: ...`.

    Deleting, and making a temporary folder, is free: neither leaves half of anything behind.
    """
    found = []
    for path in python_files(root, *PACKAGES):
        if _where(root, path) == _WRITER:
            continue
        tree = parse(path)
        names = imported_names(tree)
        excused = {line for line, said in comments(path).items() if re.match(r"writes: \w", said)}
        for node in ast.walk(tree):
            flag = isinstance(node, ast.Attribute) and dotted(node, names).startswith("os.") and node.attr in _FLAGS
            is_write = flag or (isinstance(node, ast.Call) and _writes(node, names))
            if is_write and getattr(node, "lineno", 0) not in excused:
                found.append(f"{_where(root, path, node)}: writes to the disk; nola/files.py does that")
    return found


def _writes(call: ast.Call, names: dict[str, str]) -> bool:
    called = dotted(call.func, names)
    if _CALLS.fullmatch(called):
        return True
    if called.startswith("nola.files."):
        return False
    if isinstance(call.func, ast.Attribute):
        if call.func.attr in _METHODS:
            return True
        # Path.replace and Path.rename take one path; str.replace takes two texts, datetime.replace only keywords.
        if call.func.attr in {"replace", "rename"} and len(call.args) == 1 and not call.keywords:
            return True
    last = called.rpartition(".")[2] or getattr(call.func, "attr", "")
    return last in {"open", "fdopen", "ZipFile", "TarFile", "GzipFile"} and _mode_writes(call, called)


def _mode_writes(call: ast.Call, called: str) -> bool:
    given: list[ast.expr] = [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    is_function = called in {"open", "io.open", "os.fdopen"} or not isinstance(call.func, ast.Attribute)
    given += call.args[1:2] if is_function else call.args[:2]
    modes = [node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    unclear = is_function and any(not isinstance(node, ast.Constant) for node in given)
    return unclear or any(_MODE.fullmatch(mode) and set(mode) & set("wax+") for mode in modes)


# --- text -------------------------------------------------------------------------------------------------------------
# Written in parts, so that this file does not break its own rules.
_LEFTOVER = re.compile(r"\b(" + "|".join(("TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK")) + r")\b")
_PLACE = re.compile(
    r"(/ho" + r"me/\w|/Us" + r"ers/\w|/ro" + r"ot/|/wo" + r"rk/|/opt/(pypi|wheels)|[A-Z]:\\Us" + r"ers\\"
    r"|\b(pypi|pythonhosted|npmjs|crates|debian|golang|rubygems)\.(org|com|io)\b)"
)


def leftovers(root: Path) -> list[str]:
    """No unfinished work is marked in code or pages; it has an issue instead."""
    return _lines_that_match(root, _LEFTOVER, "unfinished work", {".py", ".md", ".sh", ".toml", ""})


def places(root: Path) -> list[str]:
    """No file names a person's folder or the host of a package registry."""
    return _lines_that_match(root, _PLACE, "a place that other machines don't have", None)


def _lines_that_match(root: Path, pattern: re.Pattern[str], what: str, suffixes: set[str] | None) -> list[str]:
    return [
        f"{_where(root, path, number)}: {what}: {line.strip()[:80]}"
        for path in text_files(root)
        if suffixes is None or path.suffix in suffixes
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)")


def links(root: Path) -> list[str]:
    """Every link from one page to another leads to a file that is there."""
    return [
        f"{_where(root, path, number)}: leads nowhere: {target}"
        for path in text_files(root)
        if path.suffix == ".md"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for target in _LINK.findall(line)
        if not (path.parent / target).exists()
    ]
