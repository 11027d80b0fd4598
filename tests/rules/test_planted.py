"""Each rule sees a violation that is planted for it, and is silent before."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.rules import checks, running

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).resolve().parents[2]

# Written in parts, so that this file does not break the rules that it plants violations of.
MARK = "# TO" + "DO: later\n"
HOST = "fetched from files.python" + "hosted.org\n"
HOME = "see /ho" + "me/mara/notes\n"

DOUBLE = "def double(x: int) -> int:\n    return 2 * x\n"
SOUND = {
    "pyproject.toml": '[tool.hatch.build.targets.wheel]\npackages = ["nola", "interfaces"]\n',
    "nola/__init__.py": "",
    "nola/cli/__init__.py": "",
    "nola/clock.py": "import time\n\n_ = time.time\n",
    "nola/files.py": "import os\n\n_ = os.replace\n",
    "nola/sums.py": f'__all__ = ["double"]\n\n\n{DOUBLE}',
    "interfaces/__init__.py": "",
    "tests/test_clock.py": "",
    "tests/test_sums.py": 'def test_it() -> None:\n    """Two is doubled to four."""\n',
    "docs/README.md": "[the code](../nola/sums.py)\n",
    "docs/reference/commands.md": "## `nola add`\n",
}


class Planted(NamedTuple):
    """A violation: the rule, the file it is planted in, the file's content, and what the rule says of it."""

    rule: Callable[[Path], list[str]]
    path: str
    text: str
    says: str


BAD_EXCEPT = "try:\n    pass\nexcept Exception:  # noqa: BLE001\n    pass\n"
BAD_SUPPRESS = "import contextlib\n\nwith contextlib.suppress(BaseException):\n    pass\n"
LONG = "def long() -> None:\n" + "    print()\n" * 60
PLANTED = (
    Planted(checks.broad_excepts, "nola/a.py", BAD_EXCEPT, "nola/a.py:3: a broad except"),
    Planted(checks.broad_excepts, "nola/a.py", "try:\n    pass\nexcept:\n    pass\n", "nola/a.py:3: a broad except"),
    Planted(checks.broad_excepts, "nola/a.py", BAD_SUPPRESS, "nola/a.py:3: a broad except"),
    Planted(
        checks.docstrings_of_tests, "tests/test_a.py", "def test_a() -> None:\n    pass\n", "tests/test_a.py:1: test_a"
    ),
    Planted(checks.interfaces_beside, "nola/interfaces/__init__.py", "", "nola/interfaces"),
    Planted(checks.leftovers, "nola/a.py", MARK, "nola/a.py:1: unfinished work"),
    Planted(checks.links, "docs/a.md", "see [it](gone.md)\n", "docs/a.md:1: leads nowhere: gone.md"),
    Planted(checks.mirrored_tests, "nola/room/a.py", DOUBLE, "nola/room/a.py: no tests/room/test_a.py"),
    Planted(checks.mirrored_tests, "interfaces/api/a.py", DOUBLE, "no tests/interfaces/api/test_a.py"),
    Planted(checks.mirrored_tests, "nola/room/__init__.py", DOUBLE, "no tests/room/test_init.py"),
    Planted(checks.places, "docs/a.md", HOST, "docs/a.md:1: a place"),
    Planted(checks.places, "docs/a.md", HOME, "docs/a.md:1: a place"),
    Planted(checks.public_names, "nola/a.py", DOUBLE, "double is public and there is no __all__"),
    Planted(
        checks.public_names, "nola/a.py", f"__all__: list[str]\n__all__ = []\n{DOUBLE}", "double is public and not in"
    ),
    Planted(checks.public_names, "nola/a.py", '__all__ = ["gone"]\n', "__all__ names gone, which is not there"),
    Planted(checks.sizes, "nola/a.py", "\n" * 401, "nola/a.py: 401 lines, at most 400"),
    Planted(checks.sizes, "tests/test_a.py", "\n" * 501, "tests/test_a.py: 501 lines, at most 500"),
    Planted(checks.sizes, "nola/a.py", LONG, "nola/a.py:1: long: 61 lines, at most 60"),
    Planted(checks.tier_markers, "tests/faults/test_a.py", "", "`pytestmark = pytest.mark.faults` is missing"),
    Planted(checks.wall_clock, "nola/a.py", "from time import time as t\n\nt()\n", "nola/a.py:3: reads the wall clock"),
    Planted(checks.wall_clock, "nola/a.py", "import datetime as d\n\nd.date.today()\n", "nola/a.py:3: reads the wall"),
    Planted(checks.wall_clock, "nola/a.py", "import time\n\ntime.localtime()\n", "nola/a.py:3: reads the wall clock"),
    Planted(
        checks.wall_clock, "nola/a.py", "from datetime import datetime\n\ndatetime(2026, 1, 2)\n", "a naive datetime"
    ),
    Planted(
        checks.wall_clock, "nola/clock.py", "from datetime import datetime\n\ndatetime.now()\n", "a naive datetime"
    ),
    Planted(checks.writes, "nola/a.py", 'open("x", "w")\n', "nola/a.py:1: writes to the disk"),
    Planted(checks.writes, "nola/a.py", 'path.open("ab")\n', "nola/a.py:1: writes to the disk"),
    Planted(checks.writes, "nola/a.py", 'path.write_text("x")\n', "nola/a.py:1: writes to the disk"),
    Planted(checks.writes, "nola/a.py", "path.replace(other)\n", "nola/a.py:1: writes to the disk"),
    Planted(checks.writes, "nola/a.py", "import os as o\n\no.open(p, o.O_WRONLY)\n", "nola/a.py:3: writes to the disk"),
    Planted(checks.writes, "nola/a.py", "from shutil import move\n\nmove(a, b)\n", "nola/a.py:3: writes to the disk"),
    Planted(checks.writes, "nola/a.py", "import tempfile\n\ntempfile.mkstemp()\n", "nola/a.py:3: writes to the disk"),
    Planted(
        running.imports, "nola/a.py", 'open("/dev/null", "w").close()\n', "import nola.a: opens /dev/null for writing"
    ),
    Planted(running.imports, "nola/a.py", "import socket\n\nsocket.socket().close()\n", "import nola.a: does socket."),
    Planted(
        running.imports,
        "nola/a.py",
        "import threading\n\nthreading.Timer(0.1, print).start()\n",
        "import nola.a: starts a thread",
    ),
    Planted(running.sorted_exports, "nola/a.py", '__all__ = ["b", "a"]\na = b = 1\n', "RUF022"),
)


def _tree(root: Path) -> Path:
    """Make a small tree that breaks no rule."""
    for name, text in SOUND.items():
        _plant(root, name, text)
    return root


def _plant(root: Path, name: str, text: str) -> None:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("rule", list(dict.fromkeys(planted.rule for planted in PLANTED)))
def test_a_sound_tree_breaks_no_rule(rule: Callable[[Path], list[str]], tmp_path: Path) -> None:
    """The tree that violations are planted in is clean without them."""
    assert rule(_tree(tmp_path)) == []


@pytest.mark.parametrize("planted", PLANTED, ids=lambda p: f"{p.rule.__name__}-{p.says}")
def test_a_planted_violation_is_caught(planted: Planted, tmp_path: Path) -> None:
    """The rule names the file that breaks it."""
    _plant(_tree(tmp_path), planted.path, planted.text)
    assert any(planted.says in line for line in planted.rule(tmp_path)), planted.rule(tmp_path)


@pytest.mark.parametrize(
    "harmless",
    [
        'open("w")\n',
        'open("x", "rb")\n',
        'path.open("r")\n',
        '"a b".replace("a", "b")\n',
        "when.replace(tzinfo=None)\n",
        "import os\n\nos.open(p, os.O_RDONLY)\n",
        "path.mkdir()  # writes: a folder for one socket, gone with the process\n",
    ],
)
def test_reading_is_not_writing(harmless: str, tmp_path: Path) -> None:
    """The rule on writing says nothing about reading and about texts."""
    _plant(_tree(tmp_path), "nola/a.py", harmless)
    assert checks.writes(tmp_path) == []


@pytest.mark.parametrize(
    "allowed",
    [
        BAD_EXCEPT.replace("BLE001", "BLE001 -- a plug-in may raise anything"),
        "try:\n    pass\nexcept BaseException:\n    print()\n    raise\n",
    ],
)
def test_a_broad_except_with_its_reason_passes(allowed: str, tmp_path: Path) -> None:
    """A handler of everything may stand where a comment says why, or where it raises again."""
    _plant(_tree(tmp_path), "nola/a.py", allowed)
    assert checks.broad_excepts(tmp_path) == []


COMMANDS = """
import typer

app = typer.Typer()


@app.callback()
def root() -> None:
    \"\"\"Count.\"\"\"


@app.command()
def add() -> None:
    {help}
"""


@pytest.mark.parametrize(
    ("help_text", "page", "says"),
    [
        ('"""Add.\n\n    Example: nola add 2 3"""', "## `nola add`\n", ""),
        ("pass", "## `nola add`\n", "nola add: no help"),
        ('"""Add."""', "## `nola add`\n", "nola add: its help shows no example"),
        ('"""Add.\n\n    Example: nola add 2 3"""', "## `nola addition`\n", "nola add: no heading"),
    ],
)
def test_a_command_without_help_or_page_is_caught(help_text: str, page: str, says: str, tmp_path: Path) -> None:
    """A command needs a help text, an example in it, and a heading in the reference."""
    _plant(_tree(tmp_path), "nola/cli/root.py", COMMANDS.format(help=help_text))
    _plant(tmp_path, "docs/reference/commands.md", page)
    found = running.commands(tmp_path)
    assert any(says in line for line in found) if says else found == []


def _skeleton(root: Path) -> Path:
    """Copy the packages' modules, without their content, and the contracts that hold between them."""
    for package in ("nola", "interfaces"):
        for path in (ROOT / package).rglob("*.py"):
            _plant(root, path.relative_to(ROOT).as_posix(), "")
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    _plant(root, "pyproject.toml", text)
    pure = tomllib.loads(text)["tool"]["importlinter"]["contracts"][-1]["source_modules"]
    for module in (*pure, "nola.agent", "nola.app", "nola.turn", "nola.testing", "interfaces.api", "interfaces.tui"):
        _plant(root, f"{module.replace('.', '/')}.py", "")
    _plant(root, "nola/__init__.py", "")
    return root


def test_the_contracts_hold_in_an_empty_skeleton(tmp_path: Path) -> None:
    """Modules that import nothing break no contract."""
    assert running.layers(_skeleton(tmp_path)) == []


@pytest.mark.parametrize(
    ("path", "text", "says"),
    [
        ("nola/types.py", "import nola.flow\n", "nola.types is not allowed to import nola.flow"),
        ("nola/context/weigh.py", "import nola.memory\n", "nola.context is not allowed to import nola.memory"),
        ("nola/config.py", "import nola.app\n", "nola.config is not allowed to import nola.app"),
        ("nola/turn.py", "import nola.agent\n", "nola.turn is not allowed to import nola.agent"),
        ("nola/agent.py", "import nola.testing\n", "nola.agent is not allowed to import nola.testing"),
        ("nola/app.py", "import interfaces.api\n", "nola is not allowed to import interfaces"),
        ("nola/manager.py", "", "nola.manager"),
        ("nola/context/weigh.py", "import os\n", "nola.context.weigh is not allowed to import os"),
        ("nola/state/contract.py", "import orjson\n", "nola.state.contract is not allowed to import orjson"),
        ("interfaces/api.py", "import nola.memory\n", "interfaces is not allowed to import nola.memory"),
        ("interfaces/api.py", "import interfaces.tui\n", "interfaces.api is not allowed to import interfaces.tui"),
    ],
)
def test_a_forbidden_import_is_caught(path: str, text: str, says: str, tmp_path: Path) -> None:
    """An import against the arrow, or of what a pure module may not touch, breaks a contract."""
    _plant(_skeleton(tmp_path), path, text)
    found = running.layers(tmp_path)
    assert any(says in line for line in found), "\n".join(found)


def test_a_settings_page_that_lags_behind_is_caught(tmp_path: Path) -> None:
    """The page of settings is compared with the settings, whole."""
    for name in ("nola", "scripts", "docs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    assert running.settings_page(tmp_path) == []
    page = tmp_path / "docs" / "reference" / "settings.md"
    page.write_text(page.read_text(encoding="utf-8").replace("budget_l1` | 10", "budget_l1` | 11"), encoding="utf-8")
    assert running.settings_page(tmp_path) == [
        "docs/reference/settings.md is not current; run: python scripts/docs_settings.py"
    ]
