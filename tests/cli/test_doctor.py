"""Tests of `nola doctor`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from typer.testing import CliRunner

from nola.cli.desk import Desk
from nola.cli.root import app
from nola.errors import StorageError
from nola.port import Finding
from nola.types import Severity

if TYPE_CHECKING:
    from nola.config import Config
    from tests.cli.conftest import CommandLine
    from tests.cli.fakes import FakeAssistant

OK = Finding("home.space", Severity.OK, "80 GB are free")
WARNING = Finding("home.permissions", Severity.WARNING, "others can read it", "chmod 700 it")


def test_all_is_well(nola: CommandLine) -> None:
    """Exit 0."""
    nola.assistant.findings = [OK]
    said = nola("doctor")
    assert said.exit_code == 0
    assert "ok        home.space  80 GB are free" in said.stdout


def test_a_warning_exits_1_and_says_what_to_do(nola: CommandLine) -> None:
    """Also as a document."""
    nola.assistant.findings = [OK, WARNING]
    assert nola("doctor").exit_code == 1
    said = nola("doctor", "--json")
    document = json.loads(said.stdout)
    assert (said.exit_code, document["ok"]) == (1, False)
    assert document["findings"][1] == {
        "id": "home.permissions",
        "severity": "warning",
        "message": "others can read it",
        "fix": "chmod 700 it",
    }


def test_what_could_not_run_exits_2(nola: CommandLine) -> None:
    """With the reason."""

    def refuse(config: Config) -> FakeAssistant:
        raise StorageError(str(config.home), "read-only file system")

    said = CliRunner().invoke(app, ["doctor"], obj=Desk(nola.environ, assistant=refuse))
    assert (said.exit_code, said.stdout) == (2, "")
    assert "read-only file system" in said.stderr
