"""Tests of Ollama's address."""

from __future__ import annotations

import socket

import pytest

from nola.errors import ConfigError
from nola.llm.ollama_host import Host, answers, parse_host


@pytest.mark.parametrize(
    ("setting", "environment", "url"),
    [
        ("", "", "http://127.0.0.1:11434"),
        ("", "0.0.0.0", "http://127.0.0.1:11434"),  # noqa: S104 -- what servers set
        ("", "0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("", ":5000", "http://127.0.0.1:5000"),
        ("", "[::]:5000", "http://[::1]:5000"),
        ("box.lan", "other", "http://box.lan:11434"),
        ("http://box.lan", "", "http://box.lan:80"),
        ("https://box.lan/ollama/", "", "https://box.lan:443/ollama"),
        ("  localhost:11434 ", "", "http://localhost:11434"),
    ],
)
def test_address(setting: str, environment: str, url: str) -> None:
    """The setting goes before the environment; what is missing is filled in; an any-address becomes this machine."""
    assert parse_host(setting, environment).url == url


@pytest.mark.parametrize("text", ["ftp://box", "http://box:port", "http://box:99999", "http://user:pw@box", "[::1"])
def test_no_address(text: str) -> None:
    """What is no address is refused with an example."""
    with pytest.raises(ConfigError, match="not an address"):
        parse_host(text)


def test_answers() -> None:
    """A listening port answers and a closed one does not."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        host = Host("http", "127.0.0.1", listener.getsockname()[1])
        assert answers(host, timeout_s=1.0)
    assert not answers(host, timeout_s=1.0)
