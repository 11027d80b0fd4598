"""Real editors and tools change a file while Nola runs: the change is live at once, and half a file never is."""

from __future__ import annotations

import json
import shutil
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.drivers.payload import number_of, payload
from tests.faults.editors import EDITORS, SEEN_BY_POLLING, TOOL_OF
from tests.faults.harness import Zygote, rounds
from tests.faults.watching import Watch

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

FILE = "state/modules/notes.json"
# A whole number of pieces for every number of four or five digits, so that tools which replace each do it whole.
SIZE = 21_000
SAVES = 3
LIVE_S = 2.0
POLLED_S = 6.0


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory, zygote: Zygote) -> Path:
    """A home with a module that the owner edits, in a folder that has room for what editors need beside it."""
    home: Path = tmp_path_factory.mktemp("edited") / "home"
    with zygote.desk(home) as desk:
        assert desk.ask("set", path="notes.text", value=1, size=SIZE)["ok"]
        assert desk.ask("close")["ok"]
    return home


@pytest.fixture(scope="module")
def watch(home: Path, zygote: Zygote) -> Iterator[Watch]:
    """A process that watches that home."""
    with Watch(zygote, home) as watching:
        yield watching


def holds(number: int, seen: dict[str, Any]) -> bool:
    """Tell whether what was noticed is that a payload stands in the module."""
    return number_of(seen["values"].get("notes")) == number


def with_payload(file: Path, number: int) -> str:
    """Return the text of a module with another payload in it, as the owner would type it."""
    document = json.loads(file.read_bytes())
    node: Any = document["data"]["text"]
    if isinstance(node, dict):
        node["data"] = payload(number, SIZE)
    else:
        document["data"]["text"] = payload(number, SIZE)
    return json.dumps(document, indent=2) + "\n"


@pytest.mark.bar("C1")
@pytest.mark.parametrize("way", EDITORS)
def test_a_change_is_live(home: Path, watch: Watch, way: str, bar_result: BarResult) -> None:
    """What the owner saved is served within two seconds, six when only polling sees it, and no part of it before."""
    tool = TOOL_OF.get(way)
    if tool and shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    file = home / FILE
    slowest = 0.0
    parts: list[Any] = []
    for save in range(1 if rounds(10) == 1 else SAVES):
        number = 1_000 * (1 + list(EDITORS).index(way)) + save
        watch.forget()
        EDITORS[way](file, with_payload(file, number))
        took = watch.until(partial(holds, number), POLLED_S + 4)
        assert took is not None, f"never noticed: {watch.seen}"
        slowest = max(slowest, took)
        parts += [v for seen in watch.seen for v in seen["values"].values() if number_of(v) < 0]
        parts += [problem for seen in watch.seen for problem in seen["problems"]]
        assert number_of(watch.ask("get", path="notes.text")["value"]) == number
        assert number_of(json.loads(file.read_bytes())["data"]["text"]) in {number, -1}
    bar_result(1 if rounds(10) == 1 else SAVES, "saves", failures=len(parts))
    assert parts == [], "a part of a save was applied, or told as an error"
    assert slowest <= (POLLED_S if way in SEEN_BY_POLLING else LIVE_S)


@pytest.mark.bar("C1")
def test_reading_at_any_moment_sees_parts(tmp_path: Path, bar_result: BarResult) -> None:
    """The control: who reads a file whenever it changes reads parts of it."""
    file = tmp_path / "notes.json"
    parts = 0
    with file.open("w", encoding="utf-8") as stream:
        for _ in range(5):
            stream.write(payload(1, SIZE))
            stream.flush()
            parts += number_of(file.read_text(encoding="utf-8")) < 0 or file.stat().st_size < 5 * SIZE
    bar_result(0, "saves", control=f"reading at every event: {parts} parts of a file")
    assert parts > 0


@pytest.mark.bar("C5")
def test_her_own_saves_are_no_news(tmp_path: Path, zygote: Zygote, bar_result: BarResult) -> None:
    """A thousand saves of her own are told as changes not once; the owner's next edit is."""
    home = tmp_path / "home"
    saves = rounds(1_000)
    with Watch(zygote, home) as watching:
        watching.ask("set", path="notes.text", value=1, size=SIZE)
        before = watching.ask("told")["value"]
        watching.ask("saves", path="notes.count", times=saves)
        watching.rest(7)
        told = watching.ask("told")["value"] - before
        watching.forget()
        file = home / FILE
        file.write_text(with_payload(file, 5), encoding="utf-8")
        owners = watching.until(lambda seen: number_of(seen["values"].get("notes")) == 5, POLLED_S)
    control = "an edit of the owner's after them: told" if owners else "an edit of the owner's after them: missed"
    bar_result(saves, "own saves", failures=told, control=control)
    assert told == 0
    assert owners is not None
