"""Tests of `nola model`."""

from __future__ import annotations

import json
import tomllib
from typing import TYPE_CHECKING

from nola.llm.base import ModelInfo

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import CommandLine


def configured(nola: CommandLine) -> str:
    """Return what llm.model says in the settings file, or an empty text."""
    file = nola.home / "settings.toml"
    if not file.exists():
        return ""
    return str(tomllib.loads(file.read_text("utf-8")).get("llm", {}).get("model", ""))


OLLAMA = (ModelInfo("llama3.2:3b", "ollama", 2_019_393_189, "llama", 3.2),)


def test_list_tells_what_is_here_and_who_answers(nola: CommandLine) -> None:
    """Without any model it says what to do."""
    said = nola("model", "list")
    assert "embedded:default  to fetch    491 MB  Apache-2.0  small and quick" in said.stdout
    assert "none answers: there is no model on this machine that could answer" in said.stdout
    assert "nola model get default" in said.stdout
    document = json.loads(nola("model", "list", "--json").stdout)
    assert document["answers"]["model"] == "none"
    assert [row["name"] for row in document["models"]] == [
        "embedded:default", "embedded:larger", "minilm", "minilm-tokenizer",
    ]  # fmt: skip


def test_list_names_ollamas_models(nola: CommandLine) -> None:
    """First of all."""
    nola.assistant.chooser.ollama = OLLAMA
    row = json.loads(nola("model", "list", "--json").stdout)["models"][0]
    assert (row["name"], row["here"], row["size"], row["description"]) == (
        "ollama:llama3.2:3b", True, 2_019_393_189, "llama",
    )  # fmt: skip


def test_use_writes_one_key(nola: CommandLine, tmp_path: Path) -> None:
    """Names are written with their provider, files with their whole path; auto takes the key out."""
    nola.assistant.chooser.ollama = OLLAMA
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"GGUF")
    for name, value in (
        ("larger", "embedded:larger"),
        ("embedded:default", "embedded:default"),
        ("llama3.2:3b", "ollama:llama3.2:3b"),
        ("ollama:mistral", "ollama:mistral"),
        (str(file), str(file)),
        ("none", "none"),
        ("auto", ""),
    ):
        assert nola("model", "use", name).exit_code == 0
        assert configured(nola) == value


def test_use_says_when_the_model_is_not_here(nola: CommandLine) -> None:
    """And how to get it."""
    assert "nola model get larger" in nola("model", "use", "larger").stderr
    assert "ollama pull mistral" in nola("model", "use", "ollama:mistral", "--json").stderr


def test_use_refuses_what_can_not_chat(nola: CommandLine) -> None:
    """Unknown names, the embedder, and files that are not there; nothing is written."""
    for name in ("zzz", "minilm", "embedded:zzz", "embedded:minilm", "/nowhere/model.gguf"):
        said = nola("model", "use", name)
        assert (said.exit_code, said.stdout) == (2, "")
    assert configured(nola) == ""


def test_get_fetches_by_name(nola: CommandLine) -> None:
    """The path is on stdout, the progress on stderr."""
    said = nola("model", "get", "embedded:larger")
    assert (said.exit_code, said.stdout) == (0, f"{nola.assistant.models.path('larger')}\n")
    assert "fetching larger: 100%" in said.stderr
    assert json.loads(nola("model", "get", "larger", "--json").stdout)[0]["was_here"] is False


def test_get_without_a_name_fetches_what_is_missing(nola: CommandLine) -> None:
    """And says when nothing is."""
    assert "everything is here" in nola("model", "get").stderr
    nola.assistant.missing = ["default", "minilm"]
    assert nola("model", "get").exit_code == 0
    assert nola.assistant.models.asked == ["default", "minilm"]


def test_get_fetches_an_embedder_with_its_tokenizer(nola: CommandLine) -> None:
    """One is of no use without the other; the tokenizer alone comes alone."""
    models = nola.assistant.models
    said = nola("model", "get", "minilm")
    assert said.stdout.splitlines() == [str(models.path("minilm")), str(models.path("minilm-tokenizer"))]
    told = json.loads(nola("model", "get", "minilm", "--json").stdout)
    assert [row["name"] for row in told] == ["minilm", "minilm-tokenizer"]
    nola("model", "get", "minilm-tokenizer")
    assert models.asked == ["minilm", "minilm-tokenizer"] * 2 + ["minilm-tokenizer"]


def test_get_leaves_ollamas_models_to_ollama(nola: CommandLine) -> None:
    """It says what to run."""
    said = nola("model", "get", "ollama:mistral")
    assert said.exit_code == 2
    assert "ollama pull mistral" in said.stderr
    assert nola("model", "get", "zzz").exit_code == 2


def test_show_tells_file_hash_and_licence(nola: CommandLine) -> None:
    """An unknown name exits 2; a file that is not there is named."""
    document = json.loads(nola("model", "show", "embedded:default", "--json").stdout)
    assert (document["sha256"], document["licence"], document["window"]) == ("0" * 64, "Apache-2.0", 4096)
    assert document["mirrors"] == ["models.example"]
    assert "licence      Apache-2.0" in nola("model", "show", "default").stdout
    assert nola("model", "show", "zzz").exit_code == 2
    said = nola("model", "show", "/nowhere/model.gguf")
    assert said.exit_code == 1
    assert "/nowhere/model.gguf" in said.stderr
