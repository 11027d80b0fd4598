"""A command line whose assistant is a fake and whose folder is temporary."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from nola import config as configuration
from nola.cli.desk import Desk
from nola.cli.root import app
from tests.cli.fakes import FakeAssistant

if TYPE_CHECKING:
    from pathlib import Path

    from typer.testing import Result


@dataclass
class CommandLine:
    """Runs commands and keeps the fake assistant at hand."""

    home: Path
    assistant: FakeAssistant
    environ: dict[str, str] = field(default_factory=dict)

    def desk(self) -> Desk:
        """Make a desk whose assistant is the fake."""
        return Desk(self.environ, assistant=lambda _: self.assistant)

    def __call__(self, *arguments: str, text: str | bytes | None = None) -> Result:
        """Run `nola` with these arguments and this text on stdin."""
        return CliRunner().invoke(app, list(arguments), input=text, obj=self.desk())


@pytest.fixture
def nola(tmp_path: Path) -> CommandLine:
    """Return a command line in a folder of its own, which finds no Ollama."""
    environ = {"NOLA_HOME": str(tmp_path), "NOLA_OLLAMA_HOST": "http://127.0.0.1:9"}
    return CommandLine(tmp_path, FakeAssistant(configuration.load(environ)), environ)
