"""Tests of `nola doctor`."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from nola.cli.desk import Desk
from nola.cli.root import app
from nola.daemon.lock import InstanceLock
from nola.daemon.status import write_status
from nola.errors import ConfigError, StorageError
from nola.port import Finding
from nola.testing import ManualClock
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
    assert "ok        home.space      80 GB are free" in said.stdout


def test_a_warning_exits_1_and_says_what_to_do(nola: CommandLine) -> None:
    """Also as a document."""
    nola.assistant.findings = [OK, WARNING]
    assert nola("doctor").exit_code == 1
    said = nola("doctor", "--json")
    document = json.loads(said.stdout)
    assert (said.exit_code, document["ok"]) == (1, False)
    assert [finding["id"] for finding in document["findings"]] == ["home.space", "home.permissions", "daemon.running"]
    assert document["findings"][1] == {
        "id": "home.permissions",
        "severity": "warning",
        "message": "others can read it",
        "fix": "chmod 700 it",
    }


def test_whether_the_daemon_runs_is_told(nola: CommandLine) -> None:
    """With its process; that none does is well too."""
    said = nola("doctor")
    assert (said.exit_code, "daemon.running  no daemon runs; none is needed" in said.stdout) == (0, True)
    (nola.home / "state").mkdir()
    lock = InstanceLock(nola.home / "state", clock=ManualClock())
    lock.acquire()
    try:
        (found,) = json.loads(nola("doctor", "--json").stdout)["findings"]
        assert (found["id"], found["severity"]) == ("daemon.running", "ok")
        assert found["message"].endswith(f"(process {os.getpid()})")
        write_status(nola.home / "run", mode="safe", read_only="the disk of state is full", problems=())
        findings = json.loads(nola("doctor", "--json").stdout)["findings"]
        assert [(f["id"], f["severity"]) for f in findings] == [
            ("daemon.running", "warning"),
            ("state.writable", "error"),
        ]
        assert findings[0]["fix"] == "nola daemon logs; then nola daemon run --normal"
        assert findings[1]["message"] == "the disk of state is full"
    finally:
        lock.release()


@pytest.mark.parametrize(
    ("error", "finding"),
    [
        (
            StorageError("here", "read-only file system"),
            {
                "id": "home.unusable",
                "severity": "error",
                "message": "could not write here: read-only file system",
                "fix": "free space or mend permissions, then try again",
            },
        ),
        (
            PermissionError(13, "Permission denied", "caf\udce9"),
            {
                "id": "home.unusable",
                "severity": "error",
                "message": "caf\\xe9: Permission denied",
                "fix": "see: nola where",
            },
        ),
        (
            ConfigError("no such setting", fix="see: nola config list"),
            {
                "id": "settings.invalid",
                "severity": "error",
                "message": "no such setting",
                "fix": "see: nola config list",
            },
        ),
    ],
    ids=["storage", "system", "settings"],
)
def test_what_could_not_run_exits_2(nola: CommandLine, error: Exception, finding: dict[str, str]) -> None:
    """With the reason on stderr, and with --json as the only finding of one document."""

    def refuse(config: Config) -> FakeAssistant:
        del config
        raise error

    said = CliRunner().invoke(app, ["doctor"], obj=Desk(nola.environ, assistant=refuse))
    assert (said.exit_code, said.stdout) == (2, "")
    assert said.stderr == f"nola: {finding['message']}\n      {finding['fix']}\n"
    said = CliRunner().invoke(app, ["doctor", "--json"], obj=Desk(nola.environ, assistant=refuse))
    assert (said.exit_code, json.loads(said.stdout)) == (2, {"ok": False, "findings": [finding]})


def test_settings_that_are_wrong_are_a_finding(nola: CommandLine) -> None:
    """They are read before anything else can be."""
    (nola.home / "settings.toml").write_text("[context]\nbudget_l1 = true\n", encoding="utf-8")
    said = nola("doctor", "--json")
    assert (said.exit_code, json.loads(said.stdout)["findings"][0]["id"]) == (2, "settings.invalid")
