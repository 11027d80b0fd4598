"""Where Ollama listens: its address from a setting or `OLLAMA_HOST`, made fit for a client."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from nola.errors import ConfigError

__all__ = ["Host", "answers", "parse_host"]

_DEFAULT_PORT = 11434
_SCHEME_PORTS = {"http": 80, "https": 443}
_ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104 -- read, never bound


@dataclass(frozen=True, slots=True)
class Host:
    """An address of Ollama: scheme `http` or `https`, host without brackets, port, and a path prefix without slash."""

    scheme: str
    name: str
    port: int
    prefix: str = ""

    @property
    def url(self) -> str:
        """The address as a URL without a slash at its end."""
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{self.scheme}://{name}:{self.port}{self.prefix}"


def parse_host(setting: str, environment: str = "") -> Host:
    """Work out where to call: the setting, else `OLLAMA_HOST`, else port 11434 of this machine.

    A server's own OLLAMA_HOST is often `0.0.0.0`, which no client can call: it becomes this machine. A missing scheme
    is http; a missing port is 11434, or the scheme's own when the scheme was written out (as Ollama reads it).

    Args:
        setting: `ollama.host`, may be empty.
        environment: The value of `OLLAMA_HOST`, may be empty.

    Raises:
        ConfigError: It is no address.
    """
    text = setting.strip() or environment.strip()
    with_scheme = "://" in text
    try:
        parts = urlsplit(text if with_scheme else f"http://{text}")
        port = parts.port
    except ValueError:
        raise _bad(text) from None
    if parts.scheme not in _SCHEME_PORTS or parts.query or parts.username:
        raise _bad(text)
    name = parts.hostname or ""
    standard = _SCHEME_PORTS[parts.scheme] if with_scheme else _DEFAULT_PORT
    return Host(parts.scheme, _ANY_ADDRESS.get(name, name), port or standard, parts.path.rstrip("/"))


def answers(host: Host, *, timeout_s: float) -> bool:
    """Tell whether anything listens there, within `timeout_s` seconds."""
    with contextlib.suppress(OSError), socket.create_connection((host.name, host.port), timeout=timeout_s):
        return True
    return False


def _bad(text: str) -> ConfigError:
    return ConfigError(f"not an address of Ollama: {text!r}", fix="write it like http://127.0.0.1:11434")
