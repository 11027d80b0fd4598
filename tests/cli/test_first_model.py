"""Tests of the first start without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nola.cli.first_model import offer_model
from tests.cli.terminal import seated

if TYPE_CHECKING:
    from tests.cli.conftest import CommandLine


def test_nothing_is_offered_when_nothing_is_missing(nola: CommandLine) -> None:
    """Or when the command names its model."""
    assert offer_model(nola.desk(), None).model is None
    nola.assistant.missing = ["default"]
    assert offer_model(nola.desk(), "none").model == "none"
    assert nola.assistant.fetched == 0


def test_without_a_terminal_it_says_so_and_fetches(nola: CommandLine) -> None:
    """Progress is on stderr, the reply alone on stdout."""
    nola.assistant.missing = ["default", "minilm"]
    said = nola("chat", "hello")
    assert (said.exit_code, said.stdout, nola.assistant.fetched) == (0, "You said hello.\n", 1)
    assert "no model is on this machine yet" in said.stderr
    assert "fetching the embedded model (514 MB, Apache-2.0), once" in said.stderr
    assert "nola: fetching default: 100% of" in said.stderr


@pytest.mark.parametrize(("typed", "fetched"), [("\n", 1), ("y\n", 1), ("n\n", 0), ("", 0)])
def test_a_person_is_asked(nola: CommandLine, monkeypatch: pytest.MonkeyPatch, typed: str, fetched: int) -> None:
    """Enter agrees; declining goes on without a model and says how to get one later."""
    nola.assistant.missing = ["default"]
    with seated(monkeypatch, typed) as screen:
        offer = offer_model(nola.desk(), None)
    assert nola.assistant.fetched == fetched
    assert (offer.model, offer.failed) == (None if fetched else "none", False)
    said = screen.err.getvalue()
    assert "Fetch the embedded model (491 MB, Apache-2.0)? [Y/n] " in said
    assert ("nola model get" in said) is not fetched


def test_declining_the_embedder_keeps_the_model(nola: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is offered in its own words."""
    nola.assistant.missing = ["minilm"]
    with seated(monkeypatch, "n\n") as screen:
        offer = offer_model(nola.desk(), None)
    assert offer.model is None
    assert "the embedding model (23 MB, Apache-2.0)" in screen.err.getvalue()


def test_a_failed_download_goes_on_and_exits_1(nola: CommandLine) -> None:
    """The message is answered by code all the same, and the sentence says why."""
    nola.assistant.missing = ["default"]
    nola.assistant.fetch_fails = True
    said = nola("chat", "hello")
    assert (said.exit_code, said.stdout) == (1, "You said hello.\n")
    assert "nola: no mirror answered\n      connect to the network\n" in said.stderr
