"""What reaches Ollama."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.journeys.machine import Machine
    from tests.llm.fake_ollama import FakeOllama

FIRST = 'What is my dog\'s name,  and does that   suit her? (ü, 日本, "quoted", {braces})'
SECOND = "Would a shorter one be better?"


@pytest.mark.row("E41")
def test_the_request_is_what_ollama_needs(served: Machine, ollama: FakeOllama) -> None:
    """It is native /api/chat: one explicit window, no silent cut, facts in a system message, history, text as is."""
    served.knows(pets={"dog": {"name": "Biscuit"}})
    served("chat", FIRST)
    served("chat", "--continue", SECOND)
    assert {path for path, _ in ollama.requests if path.startswith("/v1")} == set()
    first, second = ollama.sent("/api/chat")
    for request in (first, second):
        assert request["model"] == "llama3.2:3b"
        assert request["options"]["num_ctx"] == 8192
        assert (request["stream"], request["shift"], request["truncate"]) == (True, False, False)
    system = [message["content"] for message in first["messages"] if message["role"] == "system"]
    assert [text for text in system if "Your dog's name is Biscuit." in text]
    assert first["messages"][-1] == {"role": "user", "content": FIRST}
    assert [m for m in second["messages"] if m["role"] != "system"] == [
        {"role": "user", "content": FIRST},
        {"role": "assistant", "content": "Your dog is Biscuit."},
        {"role": "user", "content": SECOND},
    ]
    assert second["messages"][0] == first["messages"][0], "the prefix is stable, so that Ollama keeps it"

    served("chat", SECOND)
    assert [m["content"] for m in ollama.sent("/api/chat")[2]["messages"] if m["role"] == "user"] == [SECOND]
