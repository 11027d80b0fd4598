"""`nola model`: which models there are, which one answers, and how to get and choose one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from nola.cli import output, settings_file
from nola.cli.command import command, noun
from nola.cli.desk import Desk, desk_of
from nola.cli.fetching import Fetching
from nola.cli.options import AsJson
from nola.errors import NolaError, UsageError

__all__ = ["get", "group", "list_", "show", "use"]

group = noun("The models that can answer: list, fetch and choose them.")

_KEY = "llm.model"
_AUTO, _NONE = "auto", "none"

_Name = Annotated[str, typer.Argument(metavar="NAME", help="As nola model list shows it, or the path of a .gguf file.")]


@command(group, "list")
def list_(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """List the models that are here and those that can be fetched, and say which one answers and why.

    Examples:
      nola model list
      nola model list --json | jq .answers
    """
    desk = desk_of(ctx)
    rows = [*_in_ollama(desk), *_in_manifest(desk)]
    answers = _answers(desk)
    if as_json:
        output.document({"answers": answers, "models": rows})
        return
    cells = [
        (
            "*" if row["name"] == answers["model"] else "",
            row["name"],
            "here" if row["here"] else "to fetch",
            output.size(row["size"]) if row["size"] else "",
            row["licence"],
            row["description"],
        )
        for row in rows
    ]
    output.table(("", "name", "", "size", "licence", "what"), cells, right=("size",))
    output.write("")
    output.write(f"{answers['model']} answers: {answers['why']}")
    if answers["fix"]:
        output.write(answers["fix"])


@command(group)
def get(
    ctx: typer.Context,
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="As nola model list shows it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Fetch a model file, with its progress on stderr.

    Without NAME, fetches what this machine lacks: the embedded chat model when no Ollama answers, and the small model
    that finds facts by meaning. With a model that finds by meaning comes its tokenizer. A download that broke off goes
    on where it was; the file's hash is checked.

    Examples:
      nola model get
      nola model get larger
      nola model get minilm
    """
    desk = desk_of(ctx)
    names = _with_tokenizer(desk, name.removeprefix("embedded:")) if name else desk.assistant.missing_files()
    if name.startswith("ollama:"):
        raise UsageError("Ollama fetches its own models", fix=f"run: ollama pull {name.removeprefix('ollama:')}")
    fetched = [_fetched(desk, each) for each in names]
    if as_json:
        output.document(fetched)
        return
    if not fetched:
        output.say("everything is here already; nola model list shows what else there is")
    for each in fetched:
        output.write(each["path"])


@command(group)
def use(ctx: typer.Context, *, name: _Name, as_json: AsJson = False) -> None:
    """Make a model the one that answers: writes llm.model into settings.toml.

    auto chooses the best there is every time; none answers from code alone.

    Examples:
      nola model use ollama:llama3.2:3b
      nola model use larger
      nola model use ~/models/mistral.gguf
      nola model use auto
    """
    desk = desk_of(ctx)
    value, note = _resolved(desk, name)
    file = desk.config.settings_file
    if value:
        settings_file.put(file, _KEY, value)
    else:
        settings_file.drop(file, _KEY)
    if as_json:
        output.document({"key": _KEY, "value": value, "file": str(file)})
    else:
        output.write(f"{_KEY}: {value or 'the best there is'}")
    if note:
        output.say(f"note: {note}")
    if desk.config.origins.get(_KEY) == "environment":
        output.say(f"note: the environment sets {_KEY} too, and has the last word")


@command(group)
def show(ctx: typer.Context, *, name: _Name, as_json: AsJson = False) -> None:
    """Show one model: its file, size, hash, licence and window.

    Examples:
      nola model show default
      nola model show ollama:llama3.2:3b --json
    """
    desk = desk_of(ctx)
    facts = _facts(desk, name)
    if as_json:
        output.document(facts)
        return
    width = max(map(len, facts))
    for key, value in facts.items():
        shown = ", ".join(value) if isinstance(value, list) else value
        output.write(f"{key:<{width}}  {shown}")


def _in_ollama(desk: Desk) -> list[dict[str, Any]]:
    return [
        {
            "name": f"ollama:{info.name}",
            "provider": "ollama",
            "purpose": "embedding" if "embedding" in info.capabilities else "chat",
            "here": not info.remote,
            "size": info.size_bytes,
            "licence": "",
            "window": info.window,
            "parameters": info.parameters,
            "description": " ".join(_traits(info.family, loaded=info.loaded, remote=info.remote)),
        }
        for info in desk.assistant.chooser.installed()
    ]


def _traits(family: str, *, loaded: bool, remote: bool) -> list[str]:
    told = (family, "(loaded)" if loaded else "", "(runs on another machine)" if remote else "")
    return [trait for trait in told if trait]


def _in_manifest(desk: Desk) -> list[dict[str, Any]]:
    files = desk.assistant.models
    return [
        {
            "name": f"embedded:{entry.name}" if entry.purpose == "chat" else entry.name,
            "provider": "embedded",
            "purpose": entry.purpose,
            "here": files.is_present(entry.name),
            "size": entry.size,
            "licence": entry.licence,
            "window": entry.window,
            "parameters": entry.parameters,
            "description": entry.description,
        }
        for entry in files.manifest.entries
    ]


def _answers(desk: Desk) -> dict[str, str]:
    """Tell which model answers and why; a configured one that can't be had is told, not raised."""
    try:
        choice = desk.assistant.chooser.choose()
    except NolaError as error:
        return {"model": _NONE, "why": str(error), "fix": error.fix}
    ref = choice.model.ref
    if ref.provider == _NONE:
        why = getattr(choice.model, "why", choice.why)
        return {"model": _NONE, "why": why, "fix": getattr(choice.model, "fix", "")}
    return {"model": f"{ref.provider}:{ref.name}", "why": choice.why, "fix": ""}


def _with_tokenizer(desk: Desk, name: str) -> list[str]:
    """Return the names of a model's files: an embedder is of no use without its tokenizer."""
    tokenizer = f"{name}-tokenizer"
    known = {entry.name for entry in desk.assistant.models.manifest.entries}
    return [name, tokenizer] if tokenizer in known else [name]


def _fetched(desk: Desk, name: str) -> dict[str, Any]:
    files = desk.assistant.models
    was_here = files.is_present(name)
    entry = files.manifest.entry(name)
    with Fetching() as progress:
        path = files.fetch(name, progress=progress.step)
    return {"name": name, "path": str(path), "size": entry.size, "sha256": entry.sha256, "was_here": was_here}


def _resolved(desk: Desk, name: str) -> tuple[str, str]:
    """Return the value of llm.model that a name means, and a note for its owner."""
    if name == _AUTO:
        return "", ""
    if name == _NONE:
        return _NONE, ""
    if name.endswith(".gguf"):
        path = Path(name).expanduser().absolute()
        if not path.is_file():
            raise UsageError(f"no file is at {path}", fix="give the path of a .gguf file")
        return str(path), ""
    ref = desk.assistant.chooser.choose(name).model.ref
    bare = name.removeprefix("embedded:")
    if name.startswith("embedded:") or ref.provider != "ollama":
        if desk.assistant.models.manifest.entry(bare).purpose != "chat":
            raise UsageError(f"{bare} is no chat model", fix="see: nola model list")
        here = desk.assistant.models.is_present(bare)
        return f"embedded:{bare}", "" if here else f"it is not on this machine yet; fetch it: nola model get {bare}"
    listed = {info.name for info in desk.assistant.chooser.installed()}
    known = ref.name in listed or f"{ref.name}:latest" in listed
    return f"ollama:{ref.name}", "" if known else f"Ollama does not have it now; fetch it: ollama pull {ref.name}"


def _facts(desk: Desk, name: str) -> dict[str, Any]:
    if name.endswith(".gguf"):
        from nola.llm.gguf import read_head  # noqa: PLC0415 -- keeps start-up fast

        path = Path(name).expanduser().absolute()
        return {
            "name": str(path),
            "provider": "embedded",
            "size": path.stat().st_size,
            "window": read_head(path).window,
        }
    bare = name.removeprefix("embedded:")
    manifest = desk.assistant.models.manifest
    if any(entry.name == bare for entry in manifest.entries):
        entry = manifest.entry(bare)
        row = next(row for row in _in_manifest(desk) if row["name"].removeprefix("embedded:") == bare)
        more = {
            "sha256": entry.sha256,
            "path": str(desk.assistant.models.path(bare)),
            "mirrors": [mirror.label for mirror in entry.mirrors],
        }
        return {**row, **more}
    chosen = desk.assistant.chooser.choose(name).model.ref
    shown = desk.assistant.chooser.server.show(chosen.name)
    return {
        "name": f"ollama:{chosen.name}",
        "provider": "ollama",
        "family": shown.family,
        "window": shown.trained,
        "capabilities": sorted(shown.capabilities),
    }
