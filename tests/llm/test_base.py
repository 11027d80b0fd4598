"""Tests of the shared values of the model room, and that importing it stays light."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import nola.llm.base
from nola.llm.base import TooLongError

MODULES = sorted(p.stem for p in Path(nola.llm.base.__file__).parent.glob("*.py") if p.stem != "__init__")
HEAVY = ("ollama", "numpy", "onnxruntime", "tokenizers", "xllamacpp", "httpx", "psutil", "apsw", "pydantic")


@pytest.mark.parametrize("module", MODULES)
def test_import_is_light(module: str) -> None:
    """Importing a module of this room imports no heavy package."""
    code = f"import sys, nola.llm.{module}; print([h for h in {HEAVY!r} if h in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_too_long() -> None:
    """A prompt that is too long can be told from other failures and carries the counts."""
    error = TooLongError("too long", prompt_tokens=9000, window=4096)
    assert (error.too_long, error.prompt_tokens, error.window, error.partial) == (True, 9000, 4096, "")
