"""The checks of `nola doctor`: each has a stable id, a severity, a sentence, and what to do."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from nola.clock import SystemClock
from nola.errors import NolaError
from nola.keeping import problem_sentence
from nola.port import Finding
from nola.state import conflicts
from nola.types import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from nola.backup.backups import Backups
    from nola.config import Config
    from nola.llm.choose import Chooser
    from nola.memory.store import ConversationStore
    from nola.state.store import StateStore

__all__ = ["check_health"]

_LEAST_FREE = 1_000_000_000
_OPEN_TO_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_OLD = timedelta(days=2)
_INOTIFY = Path("/proc/sys/fs/inotify")
_LEAST_WATCHES = {"max_user_watches": 1024, "max_user_instances": 16}
# Where locks hold on one machine only, and a flush may end in somebody else's memory.
_SHARED = {"nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "davfs", "webdav"}
_MOST_NAMED = 3


def check_health(
    config: Config,
    state: StateStore,
    conversations: ConversationStore,
    chooser: Chooser,
    *,
    vectors: bool,
    backups: Backups,
    now: datetime,
    inotify: Path = _INOTIFY,
) -> list[Finding]:
    """Run every check; a check that itself fails is a finding too.

    Args:
        config: Where everything lies.
        state: The JSON modules.
        conversations: The stored turns.
        chooser: What chooses the model.
        vectors: There is an embedder.
        backups: The backups.
        now: The present instant.
        inotify: Where the system says how much may be watched.
    """
    checks: list[tuple[str, Callable[[], Iterator[Finding]]]] = [
        ("home", lambda: _home(config.home)),
        ("home.filesystem", lambda: _file_system(config)),
        ("state", lambda: _state(state)),
        ("state.permissions", lambda: _permissions(config)),
        ("memory", lambda: _memory(conversations, config, now)),
        ("backups", lambda: _backups(config, backups, now)),
        ("watch", lambda: _watches(inotify)),
        ("ollama", lambda: _ollama(chooser, config.settings.ollama.default_model)),
        ("model", lambda: _model(chooser)),
        ("vectors", lambda: _vectors(config, present=vectors)),
    ]
    found: list[Finding] = []
    for name, check in checks:
        try:
            found.extend(check())
        except (NolaError, OSError) as error:
            found.append(Finding(f"{name}.failed", Severity.ERROR, str(error), getattr(error, "fix", "")))
    return found


def _home(home: Path) -> Iterator[Finding]:
    mode = home.stat().st_mode
    if mode & _OPEN_TO_OTHERS:
        yield Finding("home.permissions", Severity.WARNING, f"{home} can be read by others", f"chmod 700 {home}")
    else:
        yield Finding("home.permissions", Severity.OK, f"{home} is yours alone")
    free = shutil.disk_usage(home).free
    if free < _LEAST_FREE:
        yield Finding("home.space", Severity.WARNING, f"{free / 1e9:.1f} GB are free", "free some space")
    else:
        yield Finding("home.space", Severity.OK, f"{free / 1e9:.0f} GB are free")


def _file_system(config: Config) -> Iterator[Finding]:
    import psutil  # type: ignore[import-untyped]  # noqa: PLC0415 -- it ships no types; keeps start-up fast

    mounted = {part.mountpoint: part.fstype for part in psutil.disk_partitions(all=True)}
    kinds = {}
    for folder in (config.home, config.state_dir):
        real = Path(os.path.realpath(folder))
        kinds[folder] = next((mounted[str(p)] for p in (real, *real.parents) if str(p) in mounted), "")
    shared = next(((folder, kind) for folder, kind in kinds.items() if kind in _SHARED or "fuse" in kind), None)
    if shared is None:
        kind = kinds[config.home]
        yield Finding(
            "home.filesystem", Severity.OK, f"{config.home} is on a disk of this machine ({kind or 'unknown'})"
        )
    else:
        folder, kind = shared
        yield Finding(
            "home.filesystem",
            Severity.WARNING,
            f"{folder} is on a file system of the kind {kind}: locks may not hold there, and edits are noticed late",
            "move it to a disk of this machine, and point NOLA_HOME there",
        )


def _state(state: StateStore) -> Iterator[Finding]:
    problems = state.problems()
    waiting = conflicts.problems(state.folder)
    for problem in problems:
        severity = Severity.ERROR if problem.severity == "error" else Severity.WARNING
        if problem in waiting:
            yield Finding("state.conflict", severity, problem.message, "nola state conflicts")
        elif problem.file == "state":
            yield Finding(
                "state.pending", severity, problem.message, "make room or mend permissions; it is tried again"
            )
        else:
            fix = "mend it there; nola state check shows the place" if problem.line else "nola state check"
            yield Finding("state.file", severity, problem_sentence(problem), fix)
    if not problems:
        count = len(state.candidates())
        yield Finding("state.files", Severity.OK, f"{len(state.module_names())} modules with {count} facts can be read")


def _permissions(config: Config) -> Iterator[Finding]:
    me = os.geteuid()
    roots = [config.state_dir, config.home / "backups", *config.home.glob(f"{config.database.name}*")]
    owners: dict[Path, int] = {}
    modes: dict[Path, int] = {}
    for path in (path for root in roots for path in (root, *root.rglob("*"))):
        try:
            info = path.stat()
        except FileNotFoundError:  # gone meanwhile, or a link that leads nowhere
            continue
        owners[path], modes[path] = info.st_uid, info.st_mode
    foreign = [path for path, owner in owners.items() if owner != me]
    exposed = [path for path, mode in modes.items() if mode & _OPEN_TO_OTHERS and path not in foreign]
    for paths, what, command in (
        (foreign, "not yours", f"sudo chown {me}"),
        (exposed, "open to others", "chmod go-rwx"),
    ):
        if paths:
            named = _named([path.relative_to(config.home) for path in paths])
            fix = " ".join((command, *(shlex.quote(str(path)) for path in paths[:_MOST_NAMED])))
            yield Finding("state.permissions", Severity.WARNING, f"{what}: {named}", fix)
    if not foreign and not exposed:
        yield Finding("state.permissions", Severity.OK, "your state, backups and conversations are yours alone")


def _named(paths: Sequence[Path]) -> str:
    more = len(paths) - _MOST_NAMED
    return ", ".join(map(str, paths[:_MOST_NAMED])) + (f" and {more} more" if more > 0 else "")


def _memory(conversations: ConversationStore, config: Config, now: datetime) -> Iterator[Finding]:
    problems = conversations.check()
    for problem in problems:
        yield Finding("memory.file", Severity.ERROR, problem_sentence(problem), "bring a backup back: nola backup list")
    if not problems:
        yield Finding("memory.file", Severity.OK, "memories and conversations can be read")
        yield from _memories(config, now)


def _memories(config: Config, now: datetime) -> Iterator[Finding]:
    from nola.llm.choose_embedder import embedder_here  # noqa: PLC0415 -- keeps start-up fast
    from nola.memory.database import Database  # noqa: PLC0415 -- keeps start-up fast
    from nola.memory.filters import Filter  # noqa: PLC0415 -- keeps start-up fast
    from nola.memory.memories import Memories  # noqa: PLC0415 -- brings numpy

    embedder = embedder_here(config)
    with closing(Database(config.database, clock=SystemClock())) as database:
        memories = Memories(database)
        counts = memories.count(Filter(namespace=None), now)
        missing = memories.missing(embedder.model_id) if embedder else 0
    total, innate = sum(counts["kind"].values()), counts["class"].get("innate", 0)
    told = f"{total} {'memory' if total == 1 else 'memories'}, {innate} of them innate"
    yield Finding("memory.records", Severity.OK, told if total else "nothing is remembered yet")
    if embedder is None:
        yield Finding("memory.vectors", Severity.OK, "memories are found by words alone, as set (embed.provider)")
    elif missing:
        told = f"{missing} {'memory has' if missing == 1 else 'memories have'} no vector of {embedder.model_id} yet"
        why = "until then they are found by words, and the rest as before"
        yield Finding("memory.vectors", Severity.WARNING, f"{told}; {why}", "nola memory reindex --missing")
    else:
        told = f"memories are found by words and by vectors of {embedder.model_id}"
        yield Finding("memory.vectors", Severity.OK, told)


def _backups(config: Config, backups: Backups, now: datetime) -> Iterator[Finding]:
    made = [info.created for info in backups.list() if info.created <= now]
    scheduled = config.settings.backup.scheduled
    age = now - max(made) if made else _age(config.state_dir)
    told = f"the newest backup is {_days(age)} old" if made else "there is no backup yet"
    if scheduled and age > _OLD:
        yield Finding("backups.age", Severity.WARNING, told, "nola backup create")
    else:
        off = "" if scheduled else "; none is made by itself, as set (backup.scheduled)"
        yield Finding("backups.age", Severity.OK, f"{told}{off}")


def _age(folder: Path) -> timedelta:
    """Return how old a state folder is: its oldest file tells, in the time of the disk."""
    now = SystemClock().now()
    times = [path.stat().st_mtime for path in folder.glob("*.json") if path.is_file()]
    return now - min((datetime.fromtimestamp(seconds, UTC) for seconds in times), default=now)


def _days(age: timedelta) -> str:
    return "less than a day" if age.days < 1 else f"{age.days} day{'' if age.days == 1 else 's'}"


def _watches(inotify: Path) -> Iterator[Finding]:
    for name, least in _LEAST_WATCHES.items():
        try:
            allowed = int((inotify / name).read_text(encoding="ascii"))
        except (OSError, ValueError):  # another system, which counts otherwise
            continue
        if allowed < least:
            yield Finding(
                "watch.limits",
                Severity.WARNING,
                f"fs.inotify.{name} is {allowed}, so your edits may be noticed only every few seconds",
                f"sudo sysctl fs.inotify.{name}={least}",
            )
            return
    yield Finding("watch.limits", Severity.OK, "the system lets enough files be watched")


def _ollama(chooser: Chooser, proposed: str) -> Iterator[Finding]:
    host = chooser.server.host.url
    if not chooser.server.answers():
        yield Finding("ollama.answers", Severity.OK, f"no Ollama answers at {host}; the embedded model is used")
        return
    names = [m.name for m in chooser.installed()]
    if names:
        yield Finding("ollama.answers", Severity.OK, f"Ollama at {host} has {len(names)} models")
    else:
        yield Finding("ollama.models", Severity.WARNING, f"Ollama at {host} has no model", f"ollama pull {proposed}")


def _model(chooser: Chooser) -> Iterator[Finding]:
    choice = chooser.choose()
    model = choice.model
    if model.ref.provider == "none":
        fix = getattr(model, "fix", "")
        yield Finding(
            "model.chosen", Severity.ERROR, f"no model can answer: {choice.why}", fix or "nola model get default"
        )
        return
    window = model.window()
    yield Finding(
        "model.chosen",
        Severity.OK,
        f"{model.ref.provider}:{model.ref.name} answers ({choice.why}), window {window:,} tokens",
    )
    for warning in model.warnings:
        yield Finding("model.warning", Severity.WARNING, warning)


def _vectors(config: Config, *, present: bool) -> Iterator[Finding]:
    if present:
        yield Finding("vectors.embedder", Severity.OK, "facts are found by words and by meaning")
    elif config.settings.embed.provider == "none":
        yield Finding(
            "vectors.off", Severity.OK, "facts are found by words and synonyms alone, as set (embed.provider)"
        )
    else:
        yield Finding(
            "vectors.missing",
            Severity.WARNING,
            "no embedder: a question in words that differ from your notes finds fewer facts "
            "(by measure 79 of 100, not 97)",
            "nola model get minilm",
        )
