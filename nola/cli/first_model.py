"""The first start on a machine without any model: says so, and fetches the embedded one unless that is declined."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from nola.cli import output
from nola.cli.fetching import Fetching
from nola.errors import NolaError

if TYPE_CHECKING:
    from nola.cli.desk import Desk

__all__ = ["Offer", "offer_model"]

_YES = {"", "y", "yes", "j", "ja", "s", "si", "sí", "sim", "o", "oui"}
_NONE = "none"
_CHAT = "default"
_WHY = {
    True: "no model is on this machine yet: no Ollama answers here, and the embedded one has not been fetched",
    False: "the small model that finds facts by their meaning is not on this machine yet",
}
_DECLINED = {
    True: (
        "Going on without a model: facts are kept and found, and replies come from code alone.",
        "To get one later: nola model get. Never to be asked again: nola model use none",
    ),
    False: (
        "Going on without it: facts are found by their words alone.",
        "To get it later: nola model get. Never to be asked again: nola config set embed.provider none",
    ),
}


class Offer:
    """What came of offering a model.

    Attributes:
        model: The model to ask for; `none` when there is none.
        failed: One was wanted and could not be had.
    """

    def __init__(self, model: str | None, *, failed: bool = False) -> None:
        self.model = model
        self.failed = failed


def offer_model(desk: Desk, asked: str | None) -> Offer:
    """Make sure that a model can answer and facts are found by meaning, or find out that this will not be.

    Args:
        desk: The desk.
        asked: The model that this command was told to use; then nothing is offered.
    """
    if asked is not None:
        return Offer(asked)
    missing = desk.assistant.missing_files()
    if not missing:
        return Offer(None)
    if not _agreed(desk, missing):
        return Offer(_NONE if _CHAT in missing else None)
    try:
        with Fetching() as progress:
            desk.assistant.fetch_default_models(progress)
    except NolaError as error:
        output.error(error)
        output.say("nola: going on without it")
    return Offer(None, failed=_CHAT in missing and _CHAT in desk.assistant.missing_files())


def _agreed(desk: Desk, missing: list[str]) -> bool:
    what = _described(desk, missing)
    if not (output.on_terminal(sys.stdin) and output.on_terminal(sys.stderr)):
        output.say(f"nola: {_WHY[_CHAT in missing]}; fetching {what}, once")
        return True
    why = _WHY[_CHAT in missing]
    output.say(f"{why[0].upper()}{why[1:]}.")
    output.say("It runs on this machine alone, is fetched once, and sends nothing of yours anywhere.")
    sys.stderr.write(f"Fetch {what}? [Y/n] ")
    sys.stderr.flush()
    answer = sys.stdin.readline()
    if answer and answer.strip().lower() in _YES:
        return True
    for sentence in _DECLINED[_CHAT in missing]:
        output.say(sentence)
    return False


def _described(desk: Desk, missing: list[str]) -> str:
    entries = [desk.assistant.models.manifest.entry(name) for name in missing]
    licences = ", ".join(sorted({entry.licence for entry in entries}))
    kind = "embedded model" if _CHAT in missing else "embedding model"
    return f"the {kind} ({output.size(sum(entry.size for entry in entries))}, {licences})"
