"""Links that somebody planted where Nola writes: nothing outside of her folder is written, made, moved or removed."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.daemon.daemons import Daemon
from tests.faults import tracing
from tests.faults.harness import Zygote, in_lanes, nola, nothing_is, rounds

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(bool(tracing.why_no_strace()), reason=tracing.why_no_strace()),
]

VICTIM = b'{"metadata": {}, "data": {"mine": true}}\n'
CHANGES = "open,openat,openat2,creat,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,mkdirat,symlinkat"
# Where Nola writes under a name that can be guessed; her temporary files have names that can't.
FILES = (
    "state/.lock",
    "state/.instance",
    "state/.format.json",
    "state/.history/changes.jsonl",
    "state/.last-good/modules/notes.json",
    "state/.last-good/user.json",
    "state/modules/notes.json.bak",
    "state/modules/notes.json.conflict",
    "state/identity.json.bak",
    "backups/.lock",
    "logs/nola.log",
    "run/status.json",
    "run/starts.json",
    "memory.lock",
    ".settings.lock",
    "cache/tokens.json",
)
FOLDERS = (
    "state/.last-good",
    "state/.last-good/modules",
    "state/.history",
    "state/modules",
    "run",
    "cache",
    "backups",
    "logs",
)
COMMANDS = (
    ["state", "set", "notes.text", '"two"'],
    ["state", "unset", "notes.text"],
    ["chat", "--model", "none", "my dog is called Biscuit"],
    ["config", "set", "backup.daily", "5"],
    ["backup", "create"],
)


@dataclass(frozen=True)
class Trap:
    """A link that was planted: a symbolic one, or a second name of a file outside."""

    name: str
    hard: bool
    folder: bool = False

    def set_up(self, home: Path, outside: Path) -> None:
        """Plant it; what stood there is gone."""
        place = home / self.name
        place.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        if self.folder:
            place.symlink_to(outside)
        elif self.hard:
            os.link(outside / "victim", place)
        else:
            place.symlink_to(outside / "victim")


TRAPS = (
    *(Trap(name, hard=False) for name in FILES),
    *(Trap(name, hard=True) for name in FILES),
    *(Trap(name, hard=False, folder=True) for name in FOLDERS),
)


def written_outside(log: Path, home: Path, allowed: Path) -> list[str]:
    """Name what a traced process changed outside of its home, by the real paths that strace shows."""
    found = []
    for call in tracing.parse(log.read_text(encoding="utf-8", errors="replace")):
        if " = -1 " in call.text or call.name not in CHANGES.split(","):
            continue
        if call.name in {"open", "openat", "openat2", "creat"}:
            touched = tracing.opened_for_writing([call])
        else:
            touched = tracing.paths_of(call)
        found += [
            f"{call.name} {path}"
            for path in touched
            if not path.startswith((f"{home}/", "/dev/", f"{allowed}/")) and path != str(home)
        ]
    return found


def sprung(zygote: Zygote, template: Path, trap: Trap, folder: Path) -> list[str]:
    """Plant a link, do everything, and say what went out of the home."""
    name = f"{trap.name.replace('/', '_')}-{'hard' if trap.hard else 'soft'}"
    home, outside = folder / name / "home", folder / name / "outside"
    shutil.copytree(template, home)
    outside.mkdir()
    (outside / "victim").write_bytes(VICTIM)
    (outside / "victim").chmod(0o640)
    trap.set_up(home, outside)
    log = folder / name / "log"
    strace = ["strace", "-f", "--seccomp-bpf", "-y", "-s", "300", "-e", f"trace={CHANGES}", "-o", str(log)]
    wrong: list[str] = []
    for arguments in COMMANDS:
        said = nola(arguments, home, before=strace, more={"PYTHONDONTWRITEBYTECODE": "1"})
        if "Traceback" in said.err or said.code not in {0, 1, 2}:
            wrong.append(f"nola {' '.join(arguments[:2])} crashed: {said.err[-200:]}")
        wrong += [f"nola {' '.join(arguments[:2])}: {what}" for what in written_outside(log, home, folder / "none")]
    with Daemon(home) as daemon:
        daemon.ready()
        if "Traceback" in (err := daemon.stop()[1]):
            wrong.append(f"the daemon crashed: {err[-200:]}")
    with zygote.desk(home) as desk:
        desk.ask("set", path="notes.text", value="three")
        desk.ask("close")
    entries = sorted(path.name for path in outside.rglob("*"))
    victim = outside / "victim"
    if not victim.exists() or victim.read_bytes() != VICTIM:
        wrong.append(f"what the link leads to was written: {victim.read_bytes()[:80] if victim.exists() else 'gone'!r}")
    elif victim.stat().st_mode & 0o777 != 0o640:
        wrong.append(f"what the link leads to has mode {victim.stat().st_mode & 0o777:o} now")
    if entries != ["victim"]:
        wrong.append(f"made outside: {[entry for entry in entries if entry != 'victim']}")
    shutil.rmtree(folder / name)
    return [f"{name}: {sentence}" for sentence in wrong]


@pytest.mark.bar("J2")
def test_nothing_is_written_through_a_planted_link(
    tmp_path: Path, zygotes: list[Zygote], bar_result: BarResult
) -> None:
    """Whatever link stands where Nola writes, what it leads to keeps its content and mode, and nothing crashes."""
    template = tmp_path / "template"
    assert nola(["state", "set", "notes.text", '"one"'], template).code == 0
    assert nola(["chat", "--model", "none", "hello"], template).code in {0, 1}
    traps = TRAPS[:: 10 // rounds(10)]
    lanes = len(zygotes)

    def lane(which: int) -> list[str]:
        return [why for trap in traps[which::lanes] for why in sprung(zygotes[which], template, trap, tmp_path)]

    wrong = [sentence for of_lane in in_lanes(lane, range(lanes)) for sentence in of_lane]
    bar_result(len(traps), "links", failures=len(wrong))
    nothing_is(wrong)


@pytest.mark.bar("J2")
def test_a_writer_with_fixed_names_follows_links(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """The control: a writer that opens a name that can be guessed writes through the link that stands there."""
    victim = tmp_path / "victim"
    victim.write_bytes(VICTIM)
    file = tmp_path / "home" / "notes.json"
    file.parent.mkdir()
    file.symlink_to(victim)
    with zygote.child("unsafe", "truncate", str(file)) as child:
        child.read()
        child.send("burst", first=1, sizes=[100])
        child.hang_up()
        child.wait()
    followed = victim.read_bytes() != VICTIM
    bar_result(0, "links", control=f"opening by name: {'the victim was overwritten' if followed else 'refused'}")
    assert followed


@pytest.mark.bar("J2")
def test_temporary_files_are_made_anew_and_never_through_a_link(
    tmp_path: Path, zygote: Zygote, bar_result: BarResult
) -> None:
    """Every file that a save makes is opened exclusively and without following links, under a name that is random."""
    home = tmp_path / "home"
    with zygote.desk(home) as desk:
        assert desk.ask("set", path="notes.text", value="one")["ok"]
        calls = [
            call
            for thread in tracing.traced(desk, tmp_path / "log", "set", path="notes.text", value="two")
            for call in thread
        ]
    made = [call.text for call in calls if call.name in {"open", "openat"} and "O_CREAT" in call.text]
    temps = [text for text in made if ".nola-" in text]
    bar_result(len(made), "files made")
    assert temps
    assert [text for text in temps if "O_EXCL" not in text or "O_NOFOLLOW" not in text] == []
    assert [text for text in made if "O_NOFOLLOW" not in text] == []
