"""The owner breaks a file: the last good values are served, the place is named, and the file stays as it is."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.broken import KINDS, Kind, good
from tests.faults.drivers.payload import number_of
from tests.faults.harness import Zygote, nola, nothing_is, rounds
from tests.faults.watching import Watch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

BATCH = 8
TOLD_S = 3.0
MENDED_S = 2.0


def file_of(at: int) -> str:
    """Return the file that a kind breaks, relative to the state folder."""
    return f"modules/m{at}.json"


def place_is_wrong(kind: Kind, problem: list[Any] | None) -> str:
    """Say what is wrong with how a problem is told; nothing when it names a fitting place."""
    if problem is None:
        return "not told"
    _, line, column, message, severity = problem
    if severity != "error" or not message:
        return f"not told as an error: {problem}"
    if line < 1 or column < 1 or (kind.lines and line not in kind.lines):
        return f"line {line}, column {column} is not where to look: {message}"
    return ""


def one_batch(zygote: Zygote, home: Path, kinds: list[Kind]) -> list[str]:
    """Break a module by each of these kinds while a process watches, then mend them all; say what is wrong."""
    with zygote.desk(home) as desk:
        assert desk.ask("start")["ok"]
    written(home, [good(1)] * len(kinds))
    with Watch(zygote, home) as watch:
        assert all(number_of(watch.ask("get", path=f"m{at}.text")["value"]) == 1 for at in range(len(kinds)))
        watch.rest(0.3)
        watch.forget()
        written(home, [kind.content for kind in kinds])
        return [*when_broken(watch, home, kinds), *when_mended(watch, home, kinds)]


def written(home: Path, contents: list[bytes]) -> None:
    """Save a file for each content, as the owner would."""
    for at, content in enumerate(contents):
        (home / "state" / file_of(at)).write_bytes(content)


def when_broken(watch: Watch, home: Path, kinds: list[Kind]) -> list[str]:
    """Say what is wrong with what is told, served and left alone of broken files."""
    wanted = {file_of(at) for at in range(len(kinds))}
    watch.until(lambda seen: wanted <= {problem[0] for problem in seen["problems"]}, TOLD_S)
    told = {problem[0]: problem for seen in watch.seen for problem in seen["problems"]}
    wrong = as_the_command_says(home, kinds)
    for at, kind in enumerate(kinds):
        if why := place_is_wrong(kind, told.get(file_of(at))):
            wrong.append(f"{kind.name}: in the notice: {why}")
        if (served := number_of(watch.ask("get", path=f"m{at}.text").get("value"))) != 1:
            wrong.append(f"{kind.name}: {served} is served instead of the last good value")
        if watch.ask("set", path=f"m{at}.other", value=1)["ok"]:
            wrong.append(f"{kind.name}: it could be written to")
        if (home / "state" / file_of(at)).read_bytes() != kind.content:
            wrong.append(f"{kind.name}: the owner's bytes were altered")
    return wrong


def when_mended(watch: Watch, home: Path, kinds: list[Kind]) -> list[str]:
    """Mend all files; say which are not used again in time."""
    wrong = []
    watch.rest(0.3)
    watch.forget()
    began = time.monotonic()
    written(home, [good(2)] * len(kinds))
    watch.until(lambda seen: not seen["problems"], MENDED_S)
    for at, kind in enumerate(kinds):
        while number_of(now := watch.ask("get", path=f"m{at}.text").get("value")) != 2:
            if time.monotonic() > began + MENDED_S:
                wrong.append(f"{kind.name}: mended, and {str(now)[:40]} is still served")
                break
    if not watch.seen or watch.seen[-1]["problems"]:
        wrong.append(f"mended, and still told: {watch.seen[-1:]}")
    return wrong


def as_the_command_says(home: Path, kinds: list[Kind]) -> list[str]:
    """Say what is wrong with what `nola state check` says, as lines and as JSON, and with `nola state get`."""
    said = nola(["state", "check", "--json"], home)
    if said.code != 1:
        return [f"nola state check ended with {said.code}: {said.err[-300:]}"]
    found = {
        p["file"]: [p["file"], p["line"], p["column"], p["message"], p["severity"]]
        for p in json.loads(said.out)["problems"]
    }
    wrong = [
        f"{kind.name}: nola state check: {why}"
        for at, kind in enumerate(kinds)
        if (why := place_is_wrong(kind, found.get(file_of(at))))
    ]
    lines = nola(["state", "check"], home).out
    for at, kind in enumerate(kinds):
        _, line, column, *_ = found.get(file_of(at), ["", 0, 0])
        if f"{file_of(at)}, line {line}, column {column}" not in lines:
            wrong.append(f"{kind.name}: its place is not in the lines of nola state check")
    if number_of(nola(["state", "get", "m0.text"], home).out.strip()) != 1:
        wrong.append(f"{kinds[0].name}: nola state get does not print the last good value")
    return wrong


@pytest.mark.bar("C2")
def test_a_broken_file_is_told_and_left_alone(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """Each kind is told with its place in three seconds, never altered, and used again two seconds after mending."""
    kinds = list(KINDS[:: 10 // rounds(10)])
    assert len(KINDS) >= 50
    wrong: list[str] = []
    for at in range(0, len(kinds), BATCH):
        wrong += one_batch(zygote, tmp_path / f"home{at}", kinds[at : at + BATCH])
    bar_result(len(kinds), "kinds", failures=len(wrong))
    nothing_is(wrong)


@pytest.mark.bar("C2")
def test_a_common_reader_loses_the_file(bar_result: BarResult) -> None:
    """The control: a reader that begins anew when a file does not parse loses it, and takes some that it should not."""
    lost = taken = 0
    for kind in KINDS:
        try:
            json.loads(kind.content)
            taken += 1
        except ValueError:
            lost += 1
    bar_result(0, "kinds", control=f"a reader that begins anew: {lost} files lost, {taken} taken without a word")
    assert lost > 0
    assert taken > 0
