"""`nola doctor` checks everything, says how bad each finding is and what to do, and changes nothing."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import psutil  # type: ignore[import-untyped]  # the package ships no types
import pytest

from nola.errors import ConflictError, StorageError
from nola.health import check_health
from nola.learned import Memory
from nola.testing import ManualClock, make_agent
from nola.types import Severity
from tests.llm.fake_ollama import FakeOllama

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from nola.port import Finding


class OneVector:
    """An embedder to which all texts are alike."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the same unit vector for each text."""
        return np.ones((len(texts), 1), dtype=np.float32)

    def embed_within(self, texts: Sequence[str], budget_s: float) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Return the same unit vector for each text, in no time."""
        del budget_s
        return self.embed(texts), np.ones(len(texts), dtype=np.bool_)


class Part(NamedTuple):
    """A mounted file system."""

    mountpoint: str
    fstype: str


@pytest.fixture
def ollama() -> Iterator[FakeOllama]:
    """A running Ollama without a model."""
    server = FakeOllama()
    yield server
    server.stop()


def by_id(findings: Sequence[Finding]) -> dict[str, Finding]:
    """The findings by their ids."""
    return {finding.id: finding for finding in findings}


def test_a_new_home_is_well_but_for_its_model(tmp_path: Path) -> None:
    """On a fresh machine only the model is missing, and its finding says how to get one."""
    findings = by_id(make_agent(tmp_path / "home").doctor())
    assert set(findings) == {
        "home.permissions",
        "home.space",
        "home.filesystem",
        "state.files",
        "state.permissions",
        "memory.file",
        "memory.records",
        "memory.vectors",
        "backups.age",
        "watch.limits",
        "ollama.answers",
        "model.chosen",
        "vectors.off",
    }
    assert [f.id for f in findings.values() if f.severity is not Severity.OK] == ["model.chosen"]
    assert findings["model.chosen"].severity is Severity.ERROR
    assert "nola model get default" in findings["model.chosen"].fix


def test_every_bad_finding_has_a_fix(tmp_path: Path) -> None:
    """Whatever is not well says what to do."""
    home = tmp_path / "home"
    agent = make_agent(home, settings={"embed.provider": "minilm"})
    agent.doctor()
    home.chmod(0o755)
    (home / "state" / "user.json").write_text("{", encoding="utf-8")
    (home / "state" / "user.json").chmod(0o644)
    bad = [f for f in agent.doctor() if f.severity is not Severity.OK]
    assert {f.id for f in bad} == {
        "home.permissions",
        "state.file",
        "state.permissions",
        "model.chosen",
        "vectors.missing",
    }
    assert all(f.fix for f in bad)


def test_the_memory_is_counted_and_its_missing_vectors_are_named(tmp_path: Path) -> None:
    """How many memories there are, what makes their vectors, and how to make those that are missing."""
    home = tmp_path / "home"
    agent = make_agent(home)
    found = by_id(agent.doctor())
    assert found["memory.records"].message == "nothing is remembered yet"
    assert found["memory.vectors"].message == "memories are found by words alone, as set (embed.provider)"
    with Memory.open(home / "memory.db", embedder=None) as memory:
        memory.store("Never harm", memory_class="innate")
        memory.store("My dog is called Biscuit")
    found = by_id(make_agent(home, settings={"embed.provider": "minilm"}).doctor())
    assert found["memory.records"].message == "2 memories, 1 of them innate"
    vectors = found["memory.vectors"]
    assert (vectors.severity, vectors.fix) == (Severity.WARNING, "nola memory reindex --missing")
    assert vectors.message.startswith("2 memories have no vector of hashing/256/1 yet")
    with Memory.open(home / "memory.db", embedder="hashing") as memory:
        assert memory.wait_indexed(30)
    found = by_id(make_agent(home, settings={"embed.provider": "minilm"}).doctor())
    assert found["memory.vectors"].severity is Severity.OK
    assert found["memory.vectors"].message == "memories are found by words and by vectors of hashing/256/1"


def test_an_open_home_is_a_warning(tmp_path: Path) -> None:
    """A home that others can read is named with the command that closes it."""
    agent = make_agent(tmp_path / "home")
    (tmp_path / "home").chmod(0o750)
    found = by_id(agent.doctor())["home.permissions"]
    assert (found.severity, found.fix) == (Severity.WARNING, f"chmod 700 {tmp_path / 'home'}")


def test_little_space_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Less than a gigabyte free is said."""
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=500_000_000))
    found = by_id(make_agent(tmp_path / "home").doctor())["home.space"]
    assert (found.severity, found.message) == (Severity.WARNING, "0.5 GB are free")


def test_a_broken_module_is_an_error_with_its_place(tmp_path: Path) -> None:
    """A module that does not parse is named with line and column."""
    agent = make_agent(tmp_path / "home")
    agent.doctor()
    (tmp_path / "home" / "state" / "user.json").write_text('{\n"data": }', encoding="utf-8")
    found = by_id(agent.doctor())["state.file"]
    assert found.severity is Severity.ERROR
    assert found.message.startswith("user.json, line 2, column ")
    assert found.fix == "mend it there; nola state check shows the place"


def test_a_value_that_lost_is_a_warning(tmp_path: Path) -> None:
    """An edit by hand that met a write of Nola's is named, with the command that settles it."""
    agent = make_agent(tmp_path / "home")
    agent.set_state("user.city", "Lyon")
    file = tmp_path / "home" / "state" / "user.json"
    file.write_bytes(file.read_bytes().replace(b"Lyon", b"Porto"))
    with pytest.raises(ConflictError):
        agent.set_state("user.city", "Faro")
    (conflict,) = agent.conflicts()
    found = by_id(agent.doctor())["state.conflict"]
    assert (found.severity, found.fix) == (Severity.WARNING, "nola state conflicts")
    assert conflict.id in found.message
    agent.settle_conflict(conflict.id, use=False)
    assert "state.files" in by_id(agent.doctor())


@pytest.mark.bar("A4")
def test_what_waits_for_the_disk_is_an_error(tmp_path: Path) -> None:
    """A change that the disk refused is told until it is saved."""
    agent = make_agent(tmp_path / "home")
    agent.set_state("user.city", "Lyon")
    history = tmp_path / "home" / "state" / ".history"
    history.rename(tmp_path / "away")
    history.write_bytes(b"a file where a folder has to be")
    with pytest.raises(StorageError):
        agent.set_state("user.city", "Porto")
    found = by_id(agent.doctor())["state.pending"]
    assert found.severity is Severity.ERROR
    assert found.message.startswith("a change waits to be saved: could not write ")
    history.unlink()
    (tmp_path / "away").rename(history)
    assert [receipt.new for receipt in agent.retry_pending()] == ["Porto"]
    assert "state.files" in by_id(agent.doctor())


@pytest.mark.bar("J1")
def test_what_others_can_read_is_named(tmp_path: Path) -> None:
    """Files and folders that are open to others, three by name, and the command that closes them."""
    agent = make_agent(tmp_path / "a home")
    agent.generate("hi")
    agent.backups.create()
    state = tmp_path / "a home" / "state"
    assert by_id(agent.doctor())["state.permissions"].severity is Severity.OK
    (state / "modules").chmod(0o750)
    found = by_id(agent.doctor())["state.permissions"]
    assert (found.severity, found.message) == (Severity.WARNING, "open to others: state/modules")
    assert found.fix == f"chmod go-rwx '{state / 'modules'}'"
    for path in (state / "user.json", tmp_path / "a home" / "memory.db", agent.backups.list()[0].path):
        path.chmod(0o604)
    found = by_id(agent.doctor())["state.permissions"]
    assert found.message.startswith("open to others: ")
    assert found.message.endswith(" and 1 more")


@pytest.mark.bar("J1")
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_belongs_to_somebody_else_is_named(tmp_path: Path) -> None:
    """A backup that another user owns is told with the command that takes it back."""
    agent = make_agent(tmp_path / "home")
    made = agent.backups.create()
    os.chown(made.path, 12345, -1)
    found = by_id(agent.doctor())["state.permissions"]
    assert (found.severity, found.message) == (Severity.WARNING, f"not yours: backups/{made.name}")
    assert found.fix == f"sudo chown 0 {made.path}"


@pytest.mark.parametrize(
    ("kind", "severity"),
    [
        ("ext4", Severity.OK),
        ("apfs", Severity.OK),
        ("", Severity.OK),
        ("nfs4", Severity.WARNING),
        ("cifs", Severity.WARNING),
        ("fuse.sshfs", Severity.WARNING),
        ("macfuse", Severity.WARNING),
        ("9p", Severity.WARNING),
    ],
)
def test_a_file_system_of_others_is_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, severity: Severity
) -> None:
    """The file system that the home really lies on counts, and its kind is told (D2)."""
    parts = [Part("/", "ext4"), Part(str(tmp_path / "elsewhere"), kind), Part(str(tmp_path / "else"), "nfs")]
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: parts)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "here").symlink_to(tmp_path / "elsewhere")
    found = by_id(make_agent(tmp_path / "here" / "home").doctor())["home.filesystem"]
    assert found.severity is severity
    assert (kind or "unknown") in found.message


def test_a_state_folder_elsewhere_counts_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A state folder that is a link to another file system is looked at by itself."""
    agent = make_agent(tmp_path / "home")
    agent.doctor()
    mounted = tmp_path / "home" / "state"
    monkeypatch.setattr(psutil, "disk_partitions", lambda **_: [Part("/", "ext4"), Part(str(mounted), "nfs")])
    found = by_id(agent.doctor())["home.filesystem"]
    assert (found.severity, found.message.partition(":")[0]) == (
        Severity.WARNING,
        f"{mounted} is on a file system of the kind nfs",
    )


# --- backups ----------------------------------------------------------------------------------------------------------
def test_an_old_backup_is_a_warning(tmp_path: Path) -> None:
    """Two days are well, and what is older says so, with the command that makes a new one."""
    clock = ManualClock()
    agent = make_agent(tmp_path / "home", clock=clock)
    assert by_id(agent.doctor())["backups.age"].message == "there is no backup yet"
    agent.backups.create()
    clock.advance(172_800)
    found = by_id(agent.doctor())["backups.age"]
    assert (found.severity, found.message) == (Severity.OK, "the newest backup is 2 days old")
    clock.advance(1)
    found = by_id(agent.doctor())["backups.age"]
    assert (found.severity, found.fix) == (Severity.WARNING, "nola backup create")


def test_no_backup_of_an_old_home_is_a_warning(tmp_path: Path) -> None:
    """What is two days old and has no backup is not safe; who switched backups off is told so, and not warned."""
    home = tmp_path / "home"
    agent = make_agent(home)
    agent.doctor()
    aged = (home / "state" / "Nola.json").stat().st_mtime - 172_801
    os.utime(home / "state" / "Nola.json", (aged, aged))
    found = by_id(agent.doctor())["backups.age"]
    assert (found.severity, found.message) == (Severity.WARNING, "there is no backup yet")
    found = by_id(make_agent(home, settings={"backup.scheduled": "false"}).doctor())["backups.age"]
    assert (found.severity, "backup.scheduled" in found.message) == (Severity.OK, True)


@pytest.mark.bar("F1")
def test_a_backup_of_the_future_makes_nothing_safe(tmp_path: Path) -> None:
    """After the clock was set back, what is dated later counts for nothing."""
    clock = ManualClock()
    agent = make_agent(tmp_path / "home", clock=clock)
    agent.backups.create()
    clock.advance(-864_000)
    assert by_id(agent.doctor())["backups.age"].message == "there is no backup yet"


# --- watching ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("texts", "severity", "fix"),
    [
        ({"max_user_watches": "8192\n", "max_user_instances": "128\n"}, Severity.OK, ""),
        ({}, Severity.OK, ""),
        ({"max_user_watches": "many"}, Severity.OK, ""),
        (
            {"max_user_watches": "10\n", "max_user_instances": "128\n"},
            Severity.WARNING,
            "sudo sysctl fs.inotify.max_user_watches=1024",
        ),
        ({"max_user_instances": "1\n"}, Severity.WARNING, "sudo sysctl fs.inotify.max_user_instances=16"),
    ],
)
def test_a_tiny_limit_of_watches_is_a_warning(
    tmp_path: Path, texts: dict[str, str], severity: Severity, fix: str
) -> None:
    """A system that lets next to nothing be watched is told, with what raises the limit."""
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    agent = make_agent(tmp_path / "home")
    agent.get_state()
    findings = check_health(
        agent.config,
        agent._state,
        agent._conversations,
        agent.chooser,
        vectors=False,
        backups=agent.backups,
        now=ManualClock().now(),
        inotify=tmp_path,
    )
    found = by_id(findings)["watch.limits"]
    assert (found.severity, found.fix) == (severity, fix)


def test_a_damaged_database_is_an_error_and_the_rest_is_checked(tmp_path: Path) -> None:
    """A file that is no database is one finding among the others."""
    agent = make_agent(tmp_path / "home")
    (tmp_path / "home" / "memory.db").write_bytes(b"this is no database, " * 500)
    findings = by_id(agent.doctor())
    assert findings["memory.file"].severity is Severity.ERROR
    assert "state.files" in findings
    assert (tmp_path / "home" / "memory.db").read_bytes().startswith(b"this is no database")


def test_an_embedder_is_well(tmp_path: Path) -> None:
    """With an embedder facts are found by meaning too."""
    findings = by_id(make_agent(tmp_path / "home", vectoriser=OneVector()).doctor())
    assert findings["vectors.embedder"].severity is Severity.OK


def test_an_ollama_without_a_model_is_a_warning(tmp_path: Path, ollama: FakeOllama) -> None:
    """An Ollama that answers and has nothing to answer with is told what to pull."""
    settings = {"ollama.host": ollama.url, "ollama.default_model": "gemma3:4b"}
    found = by_id(make_agent(tmp_path / "home", settings=settings).doctor())["ollama.models"]
    assert (found.severity, found.fix) == (Severity.WARNING, "ollama pull gemma3:4b")


def test_an_ollama_with_a_model_is_well(tmp_path: Path, ollama: FakeOllama) -> None:
    """An Ollama with a chat model answers with it, and its window is told."""
    ollama.tags = [
        {"name": "llama3.2:3b", "model": "llama3.2:3b", "size": 2_000_000_000, "details": {"parameter_size": "3.2B"}}
    ]
    findings = by_id(make_agent(tmp_path / "home", settings={"ollama.host": ollama.url}).doctor())
    assert findings["ollama.answers"].message.endswith("has 1 models")
    assert findings["model.chosen"].severity is Severity.OK
    assert "ollama:llama3.2:3b answers" in findings["model.chosen"].message
    assert "window 8,192 tokens" in findings["model.chosen"].message


def test_a_check_that_fails_is_a_finding(tmp_path: Path) -> None:
    """A setting that names no model fails one check, and the others still run."""
    findings = by_id(make_agent(tmp_path / "home", settings={"llm.model": "nosuch"}).doctor())
    assert findings["model.failed"].severity is Severity.ERROR
    assert "no model is called 'nosuch'" in findings["model.failed"].message
    assert "vectors.off" in findings
