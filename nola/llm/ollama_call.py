"""One streaming call of Ollama's /api/chat that another thread can break off.

It uses the standard library's client: Nola must send `shift` and `truncate`, which the official client drops, and must
be able to shut the socket down while another thread waits on it, also before the first byte of the answer.
"""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from nola.llm.ollama_host import Host

__all__ = ["BadStatusError", "Call", "GarbageError"]

_READ_BYTES = 65_536
_LONGEST_LINE = 8_000_000
_LONGEST_ERROR = 100_000
_OK = 200


class BadStatusError(Exception):
    """The server answered with another status than 200; `text` is the error it gave."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"{status}: {text}")
        self.status = status
        self.text = text


class GarbageError(Exception):
    """The server sent something that is no line of JSON."""


class Call:
    """A request under way. `lines` runs in one thread; `cancel` may come from any."""

    def __init__(self, host: Host, *, connect_timeout_s: float, read_timeout_s: float) -> None:
        """Prepare a call; nothing is sent yet.

        Args:
            host: Where Ollama listens.
            connect_timeout_s: Longest wait for a connection.
            read_timeout_s: Longest silence inside the answer.
        """
        kind = http.client.HTTPSConnection if host.scheme == "https" else http.client.HTTPConnection
        self._connection = kind(host.name, host.port, timeout=connect_timeout_s)
        self._path = f"{host.prefix}/api/chat"
        self._read_timeout_s = read_timeout_s
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self.cancelled = False

    @property
    def connected(self) -> bool:
        """Whether a connection was made."""
        return self._socket is not None

    def cancel(self) -> None:
        """Shut the connection down; the reading thread wakes at once."""
        with self._lock:
            self.cancelled = True
            if self._socket is not None:
                with contextlib.suppress(OSError):
                    self._socket.shutdown(socket.SHUT_RDWR)

    def lines(self, body: bytes) -> Generator[dict[str, Any]]:
        """Send the request and yield the answer's JSON lines; closing the generator closes the connection.

        Raises:
            BadStatusError: The status was not 200.
            GarbageError: A line was no JSON object.
            OSError: No connection, or it broke, or was silent for too long.
            http.client.HTTPException: It ended in the middle of a piece.
        """
        response: http.client.HTTPResponse | None = None
        try:
            self._connection.connect()
            with self._lock:
                if self.cancelled:
                    return
                self._socket = self._connection.sock
            self._socket.settimeout(self._read_timeout_s)
            headers = {"Content-Type": "application/json", "Accept": "application/x-ndjson"}
            self._connection.request("POST", self._path, body, headers)
            response = self._connection.getresponse()
            if response.status != _OK:
                raise BadStatusError(response.status, _error_text(response.read(_LONGEST_ERROR)))
            yield from _parsed(response)
        finally:
            if response is not None:
                response.close()
            self._connection.close()


def _parsed(response: http.client.HTTPResponse) -> Iterator[dict[str, Any]]:
    rest = b""
    while piece := response.read1(_READ_BYTES):
        *whole, rest = (rest + piece).split(b"\n")
        for line in whole:
            if line.strip():
                yield _object(line)
        if len(rest) > _LONGEST_LINE:
            raise GarbageError("a line without end")
    if rest.strip():
        yield _object(rest)


def _object(line: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise GarbageError(repr(line[:60])) from None
    if not isinstance(value, dict):
        raise GarbageError(repr(line[:60]))
    return value


def _error_text(body: bytes) -> str:
    with contextlib.suppress(orjson.JSONDecodeError):
        value = orjson.loads(body)
        if isinstance(value, dict) and isinstance(value.get("error"), str):
            return str(value["error"])
    return body.decode("utf-8", "replace").strip()[:300]
