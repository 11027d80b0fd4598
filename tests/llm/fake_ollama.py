"""An Ollama server that replays the answers which its documentation and its source describe, over a real socket."""

from __future__ import annotations

import json
import math
import select
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SHOWN: dict[str, Any] = {
    "template": "{{ if .System }}<|system|>{{ .System }}{{ end }}<|user|>{{ .Prompt }}",
    "modelfile": "FROM llama",
    "parameters": 'stop "<|x|>"',
    "details": {"family": "llama", "parameter_size": "3.2B"},
    "model_info": {"general.architecture": "llama", "llama.context_length": 131072},
    "capabilities": ["completion", "tools"],
}
DONE: dict[str, Any] = {
    "message": {"role": "assistant", "content": ""},
    "done": True,
    "done_reason": "stop",
    "total_duration": 5_000_000,
    "prompt_eval_count": 26,
    "eval_count": 3,
}


def word(text: str) -> dict[str, Any]:
    """One piece of a streamed reply."""
    return {"model": "m", "message": {"role": "assistant", "content": text}, "done": False}


def reply(wire: Wire) -> None:
    """A whole streamed reply."""
    wire.start()
    for text in ("Your dog ", "is ", "Biscuit."):
        wire.line(word(text))
    wire.line(DONE)
    wire.end()


def embed(wire: Wire, texts: list[str]) -> None:
    """One vector a text, of length 2: how long the text is, and 1."""
    vectors = [[len(text) / math.hypot(len(text), 1), 1 / math.hypot(len(text), 1)] for text in texts]
    wire.whole(200, json.dumps({"model": "m", "embeddings": vectors, "prompt_eval_count": 4}).encode())


class Wire:
    """One answer under way, written by hand: chunked, as Go's server does it."""

    def __init__(self, handler: BaseHTTPRequestHandler, server: FakeOllama) -> None:
        self._handler = handler
        self._server = server

    def start(self, status: int = 200) -> None:
        """Send the head of a stream."""
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", "application/x-ndjson")
        self._handler.send_header("Transfer-Encoding", "chunked")
        self._handler.end_headers()

    def line(self, value: object) -> None:
        """Send one JSON line."""
        self.raw(json.dumps(value).encode() + b"\n")

    def raw(self, data: bytes) -> None:
        """Send bytes as one chunk."""
        self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self._handler.wfile.flush()

    def end(self) -> None:
        """End the stream properly."""
        self._handler.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        """Drop the connection."""
        self._handler.connection.shutdown(socket.SHUT_RDWR)
        self._handler.close_connection = True

    def error(self, status: int, text: str) -> None:
        """Answer with a JSON error."""
        self.whole(status, json.dumps({"error": text}).encode())

    def whole(self, status: int, body: bytes) -> None:
        """Answer at once."""
        self._handler.send_response(status)
        self._handler.send_header("Content-Length", str(len(body)))
        self._handler.end_headers()
        self._handler.wfile.write(body)

    def wait_for_hang_up(self) -> None:
        """Say nothing until the client closes the connection, and note that it did."""
        self._server.reached.set()
        if select.select([self._handler.connection], [], [], 10)[0] and not self._handler.connection.recv(1):
            self._server.hung_up.set()
        self._handler.close_connection = True


class _QuietServer(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what many tests are about."""
        del request, client_address


class FakeOllama:
    """The server; a test sets `chat`, `embed`, `shown`, `tags` and `ps`, and reads `requests`."""

    def __init__(self) -> None:
        self.chat: Callable[[Wire], None] = reply
        self.embed: Callable[[Wire, list[str]], None] = embed
        self.shown: dict[str, dict[str, Any]] = {"llama3.2:3b": SHOWN}
        self.tags: list[dict[str, Any]] = []
        self.ps: list[dict[str, Any]] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.reached = threading.Event()
        self.hung_up = threading.Event()
        self._http = _QuietServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def sent(self, path: str) -> list[dict[str, Any]]:
        """The bodies of the requests to one path."""
        return [body for p, body in self.requests if p == path]

    def stop(self) -> None:
        """End it and its threads; ending it twice is fine."""
        if not self._thread.is_alive():
            return
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


def _handler(fake: FakeOllama) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # the base class wants this name
            fake.requests.append((self.path, {}))
            body = {"/api/tags": {"models": fake.tags}, "/api/ps": {"models": fake.ps}}.get(self.path, {})
            Wire(self, fake).whole(200, json.dumps(body).encode())

        def do_POST(self) -> None:  # the base class wants this name
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            fake.requests.append((self.path, body))
            wire = Wire(self, fake)
            if self.path == "/api/chat":
                fake.chat(wire)
            elif body["model"] in fake.shown and self.path == "/api/embed":
                fake.embed(wire, body["input"])
            elif body["model"] in fake.shown:
                wire.whole(200, json.dumps(fake.shown[body["model"]]).encode())
            else:
                wire.error(404, f"model '{body['model']}' not found")

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class names it so
            del format, args

    return Handler
