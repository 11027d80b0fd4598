"""An editor and Nola write the same file at the same time: nothing of either is lost without a word."""

from __future__ import annotations

import json
import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.faults.editors import in_place, renamed, stream_edited
from tests.faults.harness import Zygote, chance, nothing_is, rounds
from tests.faults.wholeness import standing, unreadable

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from tests.faults.harness import Child
    from tests.faults.table import BarResult

pytestmark = pytest.mark.faults

ROUNDS = 500
CONTROL_ROUNDS = 50
FILE = "state/modules/board.json"
WAYS = (in_place, renamed, stream_edited)
LONGEST_S = 0.006


@dataclass
class Edit:
    """What the owner does in one round: open the file, change one value in the editor, save it.

    Attributes:
        file: The file.
        key: Which value.
        value: What the owner puts there.
        draw: How the editor saves, and how long the owner takes.
        opened: When the editor had read the file.
        saving: When it began to save.
        saved: When the save had ended.
    """

    file: Path
    key: str
    value: int
    draw: random.Random
    opened: float = 0.0
    saving: float = 0.0
    saved: float = 0.0

    def open(self) -> dict[str, Any]:
        """Read the file into the editor."""
        document: dict[str, Any] = json.loads(self.file.read_bytes())
        self.opened = time.monotonic()
        return document

    def save(self, document: dict[str, Any]) -> None:
        """Change the value and save, some way or other."""
        document["data"][self.key] = self.value
        text = json.dumps(document, indent=2) + "\n"
        threading.Event().wait(self.draw.random() * LONGEST_S)
        self.saving = time.monotonic()
        self.draw.choice(WAYS)(self.file, text)
        self.saved = time.monotonic()


def one_round(desk: Child, home: Path, number: int, draw: random.Random) -> list[str]:
    """Let the owner and Nola write at about the same time; say what was lost."""
    same = number % 2 == 0
    theirs, ours = 2 * number, 2 * number + 1
    key, our_key = ("shared", "shared") if same else (f"theirs{number % 7}", f"ours{number % 7}")
    edit = Edit(home / FILE, key, theirs, draw)
    document = edit.open()
    owner = threading.Thread(target=edit.save, args=(document,))
    owner.start()
    threading.Event().wait(draw.random() * LONGEST_S)
    began = time.monotonic()
    answer = desk.ask("set", path=f"board.{our_key}", value=ours, who="nola")
    owner.join()
    assert desk.ask("look")["ok"]
    conflicts = desk.ask("conflicts")["value"]
    kept = [value for path, value, _ in conflicts if path == f"board.{our_key}"]
    in_file = (home / f"{FILE}.conflict").read_text(encoding="utf-8") if conflicts else ""
    noticed = any(f"board.{our_key}" in problem[3] for problem in desk.ask("problems")["value"])
    wrong = [f"unreadable: {name}" for name in unreadable(home)]
    stands = standing(home / FILE, our_key)
    acknowledged = bool(answer["ok"])
    if acknowledged and stands != ours and ours not in kept:
        wrong.append(f"Nola's {ours} was acknowledged and is neither in the file ({stands}) nor kept as a conflict")
    if stands != ours and ours in kept and not (noticed and str(ours) in in_file):
        wrong.append(f"Nola's {ours} lost without a notice")
    if not acknowledged and answer["error"] != "ConflictError":
        wrong.append(f"refused for another reason: {answer}")
    # Who writes after the other has ended may replace it: that is no clash.
    after = same and acknowledged and began > edit.saved
    if standing(home / FILE, key) != theirs and not after:
        wrong.append(f"the owner's {theirs} is not in the file: {standing(home / FILE, key)}")
    if after and theirs not in recorded(desk):
        wrong.append(f"the owner's {theirs} was replaced and is not in the history")
    if served := desk.ask("get", path=f"board.{key}").get("value") != standing(home / FILE, key):
        wrong.append(f"{served} is served, and something else stands in the file")
    desk.ask("conflicts", drop=True)
    about = f"round {number}, {'the same key' if same else 'different keys'}"
    return [f"{about}: {sentence}" for sentence in wrong]


def recorded(desk: Child) -> set[Any]:
    """Return every value of the shared key that the newest changes know."""
    found: set[Any] = set()
    for change in desk.ask("changes", path="board", limit=6)["value"]:
        for side in (change["old"], change["new"]):
            value = side.get("shared") if isinstance(side, dict) else side
            found.add(value if isinstance(value, int) else None)
    return found


def born(home: Path) -> None:
    """Make the module that both write to."""
    (home / FILE).parent.mkdir(parents=True, exist_ok=True)
    data = {"shared": 0, "note": "the owner's", "list": [1, 2, 3]}
    (home / FILE).write_text(json.dumps({"metadata": {}, "data": data}, indent=2), encoding="utf-8")


@pytest.mark.bar("B7")
def test_an_editor_against_nola(fast: Path, zygote: Zygote, seed: str, bar_result: BarResult) -> None:
    """The owner's value is always in the file; Nola's is too, or it is kept as a conflict and told."""
    home = fast / "home"
    draw = chance(0, seed)
    wrong: list[str] = []
    with zygote.desk(home) as desk:
        assert desk.ask("start")["ok"]
        born(home)
        assert desk.ask("look")["ok"]
        for number in range(1, rounds(ROUNDS) + 1):
            wrong += one_round(desk, home, number, draw)
    bar_result(rounds(ROUNDS), "rounds", failures=len(wrong))
    nothing_is(wrong)


@pytest.mark.bar("B7")
def test_a_writer_that_just_overwrites(fast: Path, zygote: Zygote, seed: str, bar_result: BarResult) -> None:
    """The control: a writer that saves what it has in memory loses what the owner saved."""
    home = fast / "home"
    born(home)
    draw = chance(0, seed)
    lost = 0
    with zygote.child("unsafe", "replace", str(home / FILE)) as child:
        assert child.read() == {"ok": True}
        for number in range(CONTROL_ROUNDS):
            edit = Edit(home / FILE, f"theirs{number}", number, draw)
            owner = threading.Thread(target=edit.save, args=(edit.open(),))
            owner.start()
            child.ask("set by heart", key=f"ours{number}", value=number)
            owner.join()
            child.ask("set by heart", key="again", value=number)
            lost += standing(home / FILE, f"theirs{number}") != number
    bar_result(0, "rounds", control=f"writing from memory: {lost} of {CONTROL_ROUNDS} edits of the owner's lost")
    assert lost > 0
