"""Whatever is done, and whatever the umask: what Nola writes is readable for its owner alone."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.daemon.daemons import Daemon
from tests.faults.harness import Zygote, nola, nothing_is
from tests.faults.wholeness import loose

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

OPEN = 0o000
FILE = "state/modules/notes.json"
FOREIGN = 65_534


def commands(folder: Path) -> list[list[str]]:
    """Return commands that between them make every kind of file."""
    outside = str(folder / "out.json")
    return [
        ["state", "set", "notes.text", '"one"'],
        ["state", "set", "notes.text", '"two"'],
        ["state", "set", "notes.more", "1"],
        ["state", "unset", "notes.more"],
        ["state", "set", "other.text", '"gone soon"'],
        ["state", "unset", "other"],
        ["state", "sync"],
        ["state", "check"],
        ["chat", "--model", "none", "my dog is called Biscuit"],
        ["chat", "--model", "none", "What is my dog's name?"],
        ["config", "set", "backup.daily", "5"],
        ["export", outside],
        ["import", "--yes", outside],
        ["export", "--markdown", str(folder / "out.md")],
        ["backup", "create"],
        ["backup", "create", "--output", str(folder / "copy.tar.gz")],
        ["backup", "verify", "latest"],
        ["backup", "restore", "latest", "--yes"],
        ["doctor"],
        ["state", "show"],
    ]


@pytest.mark.bar("J1")
def test_nothing_is_open_to_others(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """Under umask 000 every folder is 0700 and every file 0600 after each command, and while the daemon runs."""
    home = tmp_path / "home"
    wrong: list[str] = []
    walks = 0

    def walk(after: str) -> None:
        nonlocal walks
        walks += 1
        found = [*loose(home), *(f"{p.name} has mode {p.stat().st_mode & 0o777:o}" for p in given if is_loose(p))]
        wrong.extend(f"after {after}: {sentence}" for sentence in found)

    given = [tmp_path / "out.json", tmp_path / "out.md", tmp_path / "copy.tar.gz"]
    for arguments in commands(tmp_path):
        said = nola(arguments, home, umask=OPEN)
        if said.code not in {0, 1} or "Traceback" in said.err:
            wrong.append(f"nola {' '.join(arguments)}: exit code {said.code}: {said.err[-300:]}")
        walk(f"nola {' '.join(arguments[:2])}")
    with Daemon(home, umask=OPEN) as daemon:
        assert daemon.ready(), daemon.end()
        walk("the start of the daemon")
        assert daemon.stop()[0] == 0
    walk("the end of the daemon")
    with zygote.desk(home, umask=OPEN) as desk:  # a writer that is killed, and a clash with the owner
        assert desk.ask("set", path="notes.text", value="three")["ok"]
        file = home / "state" / "modules" / "notes.json"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace("three", "mine"), encoding="utf-8")
        desk.ask("set", path="notes.text", value="four", who="nola")
        desk.kill()
        desk.wait()
    walk("a kill and a clash")
    (home / "memory.db").write_bytes(b"garbage" * 1_000)
    nola(["chat", "--model", "none", "hello"], home, umask=OPEN)
    walk("a broken memory")
    bar_result(walks, "walks", failures=len(wrong))
    nothing_is(wrong)


def is_loose(path: Path) -> bool:
    """Tell whether a file that was given out is readable for others."""
    return path.exists() and bool(path.stat().st_mode & 0o077)


@pytest.mark.bar("J1")
def test_a_program_that_trusts_the_umask(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """The control: a writer that leaves the mode to the umask makes files that everybody can read and write."""
    file = tmp_path / "state" / "modules" / "notes.json"
    file.parent.mkdir(parents=True)
    with zygote.child("unsafe", "replace", str(file), umask=OPEN) as child:
        assert child.read() == {"ok": True}
        child.send("burst", first=1, sizes=[100])
        child.hang_up()
        child.wait()
    found = [sentence for sentence in loose(tmp_path) if "notes.json" in sentence]
    bar_result(0, "walks", control=f"trusting the umask: {found[0].rpartition(' ')[2] if found else 'private'}")
    assert found


@pytest.mark.bar("J1")
@pytest.mark.skipif(os.geteuid() != 0, reason="giving a file to somebody else needs root")
@pytest.mark.parametrize(
    "what", ["state", "state/modules", "state/modules/notes.json", "state/.lock", "state/.history"]
)
def test_what_belongs_to_somebody_else_is_refused(tmp_path: Path, what: str, bar_result: BarResult) -> None:
    """Nothing is written where somebody else owns folder, file, lock or history; a sentence says why."""
    home = tmp_path / "home"
    assert nola(["state", "set", "notes.text", '"one"'], home).code == 0
    os.chown(home / what, FOREIGN, FOREIGN)
    before = (home / FILE).read_bytes()
    said = nola(["state", "set", "notes.text", '"two"'], home)
    assert said.code == 1, said
    assert "belongs to another user" in said.err
    assert "Traceback" not in said.err
    assert (home / FILE).read_bytes() == before
    bar_result(1, "foreign files")


@pytest.mark.bar("J1")
@pytest.mark.parametrize("what", ["state", "state/.history", "backups"])
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, what: str, bar_result: BarResult) -> None:
    """Nola does not write into a folder of hers that somebody replaced by a link; a sentence says why."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    assert nola(["state", "set", "notes.text", '"one"'], home).code == 0
    linked(home / what, elsewhere)
    before = snapshot(elsewhere)
    said = nola(["backup", "create"] if what == "backups" else ["state", "set", "notes.text", '"two"'], home)
    assert said.code == 1, said
    assert "link" in said.err
    assert "Traceback" not in said.err
    assert snapshot(elsewhere) == before
    bar_result(1, "linked folders")


@pytest.mark.bar("J1")
@pytest.mark.parametrize("what", ["logs", "run"])
def test_the_daemon_writes_into_no_linked_folder(tmp_path: Path, what: str, bar_result: BarResult) -> None:
    """A daemon whose folder of logs or of marks is a link writes nothing where that leads to."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    assert nola(["state", "set", "notes.text", '"one"'], home).code == 0
    linked(home / what, elsewhere)
    with Daemon(home) as daemon:
        daemon.ready()
        assert "Traceback" not in daemon.stop()[1]
    assert list(elsewhere.iterdir()) == []
    bar_result(1, "linked folders")


def linked(place: Path, elsewhere: Path) -> None:
    """Put a link in the place of a folder; what was in it is where the link leads to."""
    if place.exists():
        place.rename(elsewhere)
    else:
        elsewhere.mkdir()
    place.symlink_to(elsewhere)


def snapshot(folder: Path) -> str:
    """Return names, sizes and contents of everything below a folder, save the locks."""
    return json.dumps(
        {
            str(path.relative_to(folder)): path.read_bytes().decode("utf-8", "replace")
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != ".lock"
        }
    )
