"""The process in which an embedded model runs: JSON lines in on stdin, JSON lines out on stdout.

It imports nothing of Nola, so that it can be started by its file and in a moment. llama.cpp insists on a listener; it
gets a Unix socket in a private folder (a loopback port where there are none) and a key that only this process knows.

In:  {"load": {path, window, threads, idle_seconds, folder}}   first line; the folder is the parent's, and private
     {"id": n, "chat": {messages, max_tokens, temperature, top_p, seed}} | {"id": n, "count": text}
     {"cancel": n} | {"quit": true}; the end of stdin also ends it, in mid-answer too
Out: {"ready": true} | {"failed": why}
     {"id": n, "text": piece} ... {"id": n, "thinking": piece} ...
     {"id": n, "done": {prompt_tokens, reply_tokens, stop}} | {"id": n, "tokens": count}
     {"id": n, "error": why, "too_long": bool, "prompt_tokens": n, "window": n}
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import secrets
import select
import shutil
import signal
import socket
import threading
from typing import Any

__all__ = ["main"]

_BATCH = 64
"""Tokens read between two looks at the cancel flag: half a second for the default model on one slow core."""
_PROMPT_CACHE_MIB = 128
_LOG_ERRORS = 1
_LONGEST_SOCKET_PATH = 90


class _Worker:
    def __init__(self, out: int) -> None:
        self._out = out
        self._out_lock = threading.Lock()
        self._jobs: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        self._pending = 0
        self._folder = ""
        self._key = secrets.token_urlsafe(32)
        self._server: Any = None

    def run(self) -> None:
        """Read requests until stdin ends, `quit` comes, or nothing was asked for `idle_seconds`."""
        lines = _Lines(0)
        first = lines.next(None)
        if first is None:
            return
        load = first["load"]
        self._folder = load["folder"]
        idle = load["idle_seconds"] or None
        self._pending = 1  # the load itself
        threading.Thread(target=self._work, args=(load,), daemon=True).start()
        while True:
            try:
                request = lines.next(idle)
            except TimeoutError:
                if self._pending:
                    continue
                return
            if request is None or "quit" in request:
                return
            if "cancel" in request:
                self._cancelled.add(request["cancel"])
            else:
                self._pending += 1
                self._jobs.put(request)

    def leave(self) -> None:
        """End the process now; llama.cpp's threads are not waited for."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(0)

    def say(self, message: dict[str, Any]) -> None:
        """Send one line; when nobody listens any more, end."""
        data = json.dumps(message).encode() + b"\n"
        try:
            with self._out_lock:
                while data:
                    data = data[os.write(self._out, data) :]
        except OSError:
            self.leave()

    def _work(self, load: dict[str, Any]) -> None:
        """Load the model, then do one job after the other."""
        try:
            self._server = self._start(load)
        except Exception as error:  # noqa: BLE001 -- whatever the binding raises must reach the parent
            self.say({"failed": str(error)})
            self.leave()
        self.say({"ready": True})
        self._pending -= 1
        while True:
            job = self._jobs.get()
            try:
                answer = self._chat(job["id"], job["chat"]) if "chat" in job else {"tokens": self._count(job["count"])}
            except Exception as error:  # noqa: BLE001 -- whatever the binding raises must reach the parent
                answer = {"error": f"{type(error).__name__}: {error}", "too_long": False}
            self._pending -= 1
            self.say({"id": job["id"], **answer})

    def _start(self, load: dict[str, Any]) -> Any:
        import xllamacpp  # noqa: PLC0415 -- keeps start-up fast

        params = xllamacpp.CommonParams()
        params.model.path = load["path"]
        params.n_ctx = load["window"]
        params.n_parallel = 1
        params.n_batch = params.n_ubatch = _BATCH
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = load["threads"]
        params.ctx_shift = False
        params.cache_prompt = True
        params.cache_ram_mib = _PROMPT_CACHE_MIB
        params.verbosity = _LOG_ERRORS
        params.warmup = False
        params.offline = True
        params.ui = params.endpoint_slots = False
        params.n_threads_http = 1
        params.api_keys = [self._key]
        params.hostnames = [self._address()]
        params.port = 0
        return xllamacpp.Server(params)

    def _address(self) -> str:
        path = os.path.join(self._folder, "model.sock")  # noqa: PTH118 -- a short stay
        fits = hasattr(socket, "AF_UNIX") and len(path) < _LONGEST_SOCKET_PATH
        return path if fits else "127.0.0.1"

    def _chat(self, job_id: int, request: dict[str, Any]) -> dict[str, Any]:
        outcome: dict[str, Any] = {}

        def take(chunk: dict[str, Any]) -> bool:
            if job_id in self._cancelled:
                return True
            if error := chunk.get("error"):
                outcome["error"] = error
                return True
            self._pass_on(job_id, chunk, outcome)
            return False

        if job_id not in self._cancelled:
            stream = {"stream": True, "return_progress": True, "stream_options": {"include_usage": True}}
            self._server.handle_chat_completions({**request, **stream}, take)
        if "error" in outcome:
            return _refusal(outcome["error"])
        cancelled = job_id in self._cancelled
        self._cancelled.discard(job_id)
        usage = outcome.get("usage") or {}
        stop = "cancelled" if cancelled else outcome.get("stop", "")
        counts = {"prompt_tokens": usage.get("prompt_tokens"), "reply_tokens": usage.get("completion_tokens")}
        return {"done": {**counts, "stop": stop}}

    def _pass_on(self, job_id: int, chunk: dict[str, Any], outcome: dict[str, Any]) -> None:
        outcome["usage"] = chunk.get("usage") or outcome.get("usage")
        for choice in chunk.get("choices", ()):
            delta = choice.get("delta") or {}
            if thinking := delta.get("reasoning_content"):
                self.say({"id": job_id, "thinking": thinking})
            if text := delta.get("content"):
                self.say({"id": job_id, "text": text})
            outcome["stop"] = choice.get("finish_reason") or outcome.get("stop", "")

    def _count(self, text: str) -> int:
        """Ask llama.cpp's own listener: the binding has no call for it."""
        url: str = self._server.listening_address
        connection = _UnixConnection(url[7:]) if url.startswith("unix://") else http.client.HTTPConnection(url[7:])
        try:
            headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
            connection.request("POST", "/tokenize", json.dumps({"content": text}).encode(), headers)
            return len(json.loads(connection.getresponse().read())["tokens"])
        finally:
            connection.close()


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost")
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.connect(self._path)


class _Lines:
    """JSON lines of a file descriptor, with a longest wait."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._rest = b""

    def next(self, timeout_s: float | None) -> dict[str, Any] | None:
        """Return the next line, or None at the end; TimeoutError when none came in time."""
        while b"\n" not in self._rest:
            if not select.select([self._fd], [], [], timeout_s)[0]:
                raise TimeoutError
            piece = os.read(self._fd, 65_536)
            if not piece:
                return None
            self._rest += piece
        line, _, self._rest = self._rest.partition(b"\n")
        value: dict[str, Any] = json.loads(line)
        return value


def _refusal(error: dict[str, Any]) -> dict[str, Any]:
    return {
        "error": str(error.get("message", error)),
        "too_long": error.get("type") == "exceed_context_size_error",
        "prompt_tokens": error.get("n_prompt_tokens"),
        "window": error.get("n_ctx"),
    }


def main() -> None:
    """Serve one parent. Stdout is kept for the protocol: what C code prints there goes to stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    out = os.dup(1)
    os.dup2(2, 1)
    worker = _Worker(out)
    with contextlib.suppress(KeyError, ValueError):
        worker.run()
    worker.leave()


if __name__ == "__main__":
    main()
