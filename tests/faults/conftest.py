"""What all fault tests share: a seed, homes, forked processes, and the table of results at the end."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.faults import table
from tests.faults.harness import QUICK, SEED, Zygote
from tests.faults.spaces import why_no_loop

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- a file system in memory; the folder in it is private


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> str:
    """Return the seed of this test, and say it: NOLA_FAULTS_SEED repeats the run."""
    print(f"NOLA_FAULTS_SEED={SEED}")  # noqa: T201 -- pytest shows it when the test fails
    return f"{SEED} {request.node.nodeid}"


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """A process that has loaded Nola and makes children."""
    with Zygote() as made:
        yield made


@pytest.fixture(scope="session")
def zygotes(zygote: Zygote) -> Iterator[list[Zygote]]:
    """A maker of children for each lane."""
    with Zygote() as other:
        yield [zygote, other]


@pytest.fixture
def fast(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where there is one: for tests in which no flush of the disk matters."""
    if not os.access(_SHARED_MEMORY, os.W_OK):
        yield tmp_path
        return
    folder = Path(tempfile.mkdtemp(prefix="nola-faults-", dir=_SHARED_MEMORY))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """A folder in which a file can be mounted as a disk."""
    why = why_no_loop(tmp_path)
    if why:
        pytest.skip(why)
    return tmp_path


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note on every test of the bar, wherever it stands, which ids it carries."""
    for item in items:
        ids = sorted({str(name) for mark in item.iter_markers("bar") for name in mark.args})
        if ids:
            item.user_properties.append((table.IDS, ids))
            said = getattr(getattr(item, "obj", None), "__doc__", None) or ""
            item.user_properties.append((table.TESTS, said.strip().partition("\n")[0]))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> Iterator[None]:
    """Print the table after everything else, and keep it for scripts/guarantees.py."""
    yield
    if not re.search(r"(?<!not )\bfaults\b", config.option.markexpr):
        return
    reports = [
        report
        for reports in terminalreporter.stats.values()
        for report in reports
        if isinstance(report, pytest.TestReport)
    ]
    rows = table.collect(reports, quick=QUICK)
    if not rows:
        return
    terminalreporter.section("what was tried, how often, and what came of it")
    for line in table.plain(rows):
        terminalreporter.write_line(line)
    mode = "QUICK: a tenth of the rounds; " if QUICK else ""
    terminalreporter.write_line(f"{mode}seed {SEED} (NOLA_FAULTS_SEED={SEED} repeats it)")
    # A part of the tier counts a part of the rounds: only the whole of it is kept.
    whole = [Path(argument).name for argument in config.args] == ["tests"] and not config.option.keyword
    if whole and config.cache is not None:
        config.cache.set(table.CACHE_KEY, table.to_json(rows))
