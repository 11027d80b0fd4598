"""A disk that refuses one system call: the old file stands, the error is told, and the same process can save again."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from tests.faults import tracing
from tests.faults.deeds import DEEDS, FILE, SIZE, Deed, calls_of, number_in, prepared, warm
from tests.faults.drivers.payload import payload
from tests.faults.harness import Said, Zygote, chance, in_lanes, nola, nothing_is, rounds, some
from tests.faults.wholeness import orphans, read, unreadable

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult
    from tests.faults.tracing import Call

pytestmark = [
    pytest.mark.faults,
    pytest.mark.skipif(bool(tracing.why_no_strace()), reason=tracing.why_no_strace()),
]

ERRORS = ("ENOSPC", "EIO", "EDQUOT", "EROFS", "EINTR")
# A call that only looks meets no full disk and no quota.
LOOKING = {"newfstatat", "statx", "read", "getdents64", "lseek", "readlink", "fstat", "stat", "lstat"}
# An undo that failed is not simply done again: it takes back what is newest then.
REPEATABLE = tuple(deed for deed in DEEDS if deed.order["do"] != "undo")
SAVE = next(deed for deed in DEEDS if deed.name == "save with a previous version")
# With these a write of the command line can fail; the others are everywhere in an interpreter that starts.
TRIES = 4
WRITING = "openat write fsync fdatasync rename renameat2 link linkat unlink flock mkdir".split()


@dataclass(frozen=True)
class Point:
    """One call of one thread, counted from 0, and how it fails."""

    thread: int
    call: Call
    error: str


def with_error(zygote: Zygote, template: Path, deed: Deed, point: Point, folder: Path) -> tuple[bool, list[str]]:
    """Let one call of a deed fail, then do it again; return whether that happened, and what is wrong."""
    call, error = point.call, point.error
    name = f"{point.thread}-{call.name}-{call.nth}-{error}"
    home = folder / name
    shutil.copytree(template, home)
    old = read(home / FILE)
    wrong: list[str] = []
    log = folder / f"{name}.log"
    with zygote.desk(home) as desk:
        warm(desk)
        fail = f"inject={call.name}:error={error}:when={call.nth}"
        with tracing.attached(desk, log, "-e", fail, thread=point.thread):
            answer = desk.ask(**deed.order)
        now = read(home / FILE)
        if answer["ok"] and not deed.is_new(now):
            wrong.append(f"acknowledged, and not there: {(now or b'')[:200]!r}")
        elif not answer["ok"] and now != old:
            wrong.append(f"refused ({answer['error']}), and yet the file changed: new is {deed.is_new(now)}")
        if not answer["ok"]:
            wrong += unclear(answer["error"], answer["message"])
        wrong += [f"left over: {left}" for left in orphans(home)]
        again = {"ok": True} if answer["ok"] else desk.ask(**deed.order)
        if not again["ok"] or not deed.is_new(read(home / FILE)):
            wrong.append(f"doing it again does not succeed: {again}")
        wrong += [f"unreadable: {file}" for file in unreadable(home)]
        changes = desk.ask("changes", path="notes")["value"]
        if len(changes) != len(deed.before) + 1:
            wrong.append(f"{len(changes)} changes are recorded instead of {len(deed.before) + 1}")
    hit = "(INJECTED)" in log.read_text(encoding="utf-8", errors="replace")
    shutil.rmtree(home)
    return hit, [f"{deed.name}, {error} from {call.name}({_about(call, template)}: {what}" for what in wrong]


def errors_of(call: Call) -> tuple[str, ...]:
    """Return the errors that a call may meet."""
    return ("EIO", "EINTR") if call.name in LOOKING or reads(call) else ERRORS


def reads(call: Call) -> bool:
    """Tell whether a call only opens something to read it."""
    return call.name == "openat" and "O_RDONLY" in call.text


def _about(call: Call, template: Path) -> str:
    return call.text.replace(str(template.parent), "")[:90]


def unclear(error: str, message: str) -> list[str]:
    """Say what keeps an error from being clear to a person."""
    if error == "crash":
        return [f"no error of Nola's own: {message.strip().splitlines()[-1]}"]
    return [] if message.strip() and "\n" not in message.strip() else [f"the error is no sentence: {message!r}"]


@pytest.mark.bar("A3")
@pytest.mark.parametrize("deed", REPEATABLE, ids=lambda deed: deed.name.replace(" ", "-"))
def test_any_call_that_fails(tmp_path: Path, zygotes: list[Zygote], deed: Deed, bar_result: BarResult) -> None:
    """Old stands after an error and new after an acknowledgement, nothing is left over, and a second try succeeds."""
    template = tmp_path / "template"
    prepared(zygotes[0], template, deed)
    home = tmp_path / "trace.home"
    threads = enumerate(calls_of(zygotes[0], template, deed, tmp_path / "trace.log"))
    touching = [(thread, call) for thread, calls in threads for call in calls if call.touches(home)]
    points = some([Point(*which, error) for which in touching for error in errors_of(which[1])])
    lanes = len(zygotes)

    def lane(which: int) -> list[tuple[bool, list[str]]]:
        return [with_error(zygotes[which], template, deed, point, tmp_path) for point in points[which::lanes]]

    done = [one for of_lane in in_lanes(lane, range(lanes)) for one in of_lane]
    wrong = [sentence for _, of_point in done for sentence in of_point]
    hit = sum(was_hit for was_hit, _ in done)
    bar_result(hit, "points", failures=len(wrong))
    nothing_is(wrong)
    assert hit >= len(points) * 0.9, f"only {hit} of {len(points)} points were reached"


@pytest.mark.bar("A3")
def test_the_command_tells_what_failed(tmp_path: Path, zygotes: list[Zygote], bar_result: BarResult) -> None:
    """`nola state set` ends with exit code 1 and one sentence, or with 0 and the new value; a second one succeeds."""
    template = tmp_path / "template"
    prepared(zygotes[0], template, SAVE)
    order = ["state", "set", "notes.text", json.dumps(payload(9, SIZE))]
    cached = {"PYTHONPYCACHEPREFIX": str(tmp_path / "bytecode")}

    def run(name: str, *options: str) -> tuple[Path, Said, str]:
        home = tmp_path / name
        shutil.copytree(template, home)
        log = tmp_path / f"{name}.log"
        strace = ["strace", "-f", "--seccomp-bpf", "-e", f"trace={','.join(WRITING)}", "-y", "-s", "0", "-o", str(log)]
        said = nola(order, home, before=[*strace, *options], more=cached)
        return home, said, log.read_text(encoding="utf-8", errors="replace")

    run("warm")
    home, said, log = run("traced")
    assert said.code == 0, said
    calls = [call for call in tracing.parse(log) if call.touches(home / "state") and not reads(call)]
    points = [(call, error) for call in calls for error in ("ENOSPC", "EIO")]
    points = chance(1, "commands").sample(points, rounds(len(points)))

    def point(which: tuple[Call, str]) -> tuple[bool, list[str]]:
        call, error = which
        name = f"{call.name}-{call.nth}-{error}"
        home, said, log = run(name, "-e", f"inject={call.name}:error={error}:when={call.nth}")
        number = number_in(read(home / FILE))
        wrong = []
        if (said.code, number) not in {(0, 9), (1, 3)}:
            wrong.append(f"exit code {said.code}, and {number} stands there")
        if said.code and (not said.err.startswith("nola: ") or "Traceback" in said.err or len(said.err) > 500):
            wrong.append(f"not told in a sentence: {said.err[:300]}")
        wrong += [f"left over: {left}" for left in orphans(home)]
        if nola(order, home, more=cached).code or number_in(read(home / FILE)) != 9:
            wrong.append("a second try does not succeed")
        shutil.rmtree(home)
        return "(INJECTED)" in log, [f"{error} from {call.name}({_about(call, home)}: {what}" for what in wrong]

    done = in_lanes(point, points)
    wrong = [sentence for _, of_point in done for sentence in of_point]
    hit = sum(was_hit for was_hit, _ in done)
    bar_result(hit, "commands", failures=len(wrong))
    nothing_is(wrong)
    assert hit >= len(points) * 0.9, f"only {hit} of {len(points)} points were reached"


@pytest.mark.bar("A3")
def test_writing_in_place_loses_the_old_file(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """The control: a writer that truncates the file and then meets a full disk has destroyed it."""
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"metadata": {}, "data": {"text": payload(1, SIZE)}}), encoding="utf-8")
    with zygote.child("unsafe", "truncate", str(file)) as child:
        assert child.read() == {"ok": True}
        with tracing.attached(child, tmp_path / "log", "-e", "inject=write:error=ENOSPC:when=1+"):
            child.send("burst", first=2, sizes=[SIZE])
            child.hang_up()
            child.wait()
    lost = number_in(read(file)) != 1
    bar_result(0, "points", control=f"writing in place: {'the old file is lost' if lost else 'survived'}")
    assert lost


def flushed_again(calls: list[Call]) -> list[str]:
    """Name the open files whose flush failed and was tried again, which tells nothing about what reached the disk."""
    failed: set[str] = set()
    found = []
    for call in calls:
        fd = re.match(r"(\d+)<([^>]*)>", call.text)
        opened = re.search(r"= (\d+)<", call.text)
        if call.name == "openat" and opened:
            failed.discard(opened[1])
        elif fd and call.name == "close":
            failed.discard(fd[1])
        elif fd and call.name in {"fsync", "fdatasync"}:
            if fd[1] in failed:
                found.append(fd[2])
            if " = -1 " in call.text:
                failed.add(fd[1])
    return found


@pytest.mark.bar("A6")
@pytest.mark.parametrize("deed", REPEATABLE, ids=lambda deed: deed.name.replace(" ", "-"))
def test_a_flush_that_fails_once(tmp_path: Path, zygote: Zygote, deed: Deed, bar_result: BarResult) -> None:
    """Nothing is acknowledged, the same open file is not flushed again, and a second try writes a new one."""
    template = tmp_path / "template"
    prepared(zygote, template, deed)
    threads = enumerate(calls_of(zygote, template, deed, tmp_path / "trace.log"))
    flushes = [(thread, call) for thread, calls in threads for call in calls if call.name in {"fsync", "fdatasync"}]
    assert flushes, "nothing is flushed"
    wrong: list[str] = []
    hit = 0
    # Which thread flushes which file is a matter of chance: each is tried several times.
    for thread, call in flushes * TRIES:
        home = tmp_path / f"home{hit}"
        shutil.copytree(template, home)
        old = read(home / FILE)
        log = tmp_path / "flush.log"
        with zygote.desk(home) as desk:
            warm(desk)
            fail = f"inject={call.name}:error=EIO:when={call.nth}"
            with tracing.attached(desk, log, "-e", fail, thread=thread):
                answer = desk.ask(**deed.order)
                between = read(home / FILE)
            # Traced no longer: of this thread alone one would not see that the number means another file by then.
            again = {"ok": True} if answer["ok"] else desk.ask(**deed.order)
        made = tracing.parse(log.read_text(encoding="utf-8", errors="replace"))
        failed = next((one for one in made if "(INJECTED)" in one.text), None)
        if failed is None:
            continue
        hit += 1
        about = failed.text.replace(str(home), "")[:90]
        # The last good copies are a second line of defence; what they are copied from is on disk by then.
        if answer["ok"] and ".last-good" not in failed.text:
            wrong.append(f"{about}: acknowledged though its flush failed")
        elif not answer["ok"] and between != old:
            wrong.append(f"{about}: refused, and yet the file changed")
        if not again["ok"] or not deed.is_new(read(home / FILE)):
            wrong.append(f"{about}: a second try does not succeed: {again}")
        wrong += [f"{about}: flushed again: {path}" for path in flushed_again(made)]
    bar_result(hit, "flushes", failures=len(wrong))
    nothing_is(wrong)
    assert hit >= len(flushes)


@pytest.mark.bar("A6")
def test_flushing_again_is_noticed(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """The control: a writer that simply flushes again after a failure is found out by the same check."""
    file = tmp_path / FILE
    file.parent.mkdir(parents=True)
    log = tmp_path / "log"
    with zygote.child("unsafe", "flush-again", str(file)) as child:
        assert child.read() == {"ok": True}
        with tracing.attached(child, log, "-e", "inject=fsync:error=EIO:when=1"):
            child.send("burst", first=1, sizes=[SIZE])
            child.hang_up()
            child.wait()
            assert {"ack"} <= {key for answer in child.read_all() for key in answer}
    found = flushed_again(tracing.parse(log.read_text(encoding="utf-8")))
    bar_result(0, "flushes", control=f"flushing again: {'noticed' if found else 'missed'}")
    assert found
