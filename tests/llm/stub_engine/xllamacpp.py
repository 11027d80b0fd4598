"""Stands in for llama.cpp's binding inside the worker process: it obeys what the last message says."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class _Params:
    path = ""
    n_threads = 0


class CommonParams:
    """Takes any parameter."""

    def __init__(self) -> None:
        self.model = _Params()
        self.cpuparams = _Params()
        self.cpuparams_batch = _Params()
        self.hostnames: list[str] = []


class Server:
    """Loads a file that begins like a GGUF file."""

    def __init__(self, params: CommonParams) -> None:
        self.listening_address = f"unix://{params.hostnames[0]}"
        if not Path(params.model.path).read_bytes().startswith(b"GGUF"):
            sys.stderr.write("0.00.1 E gguf_init_from_reader: invalid magic characters: 'hell', expected 'GGUF'\n")
            sys.stderr.write("0.00.2 E cmn  common_init_: failed to load model\n")
            raise RuntimeError("Failed to init server, please check the input params.")

    def handle_chat_completions(self, request: dict[str, Any], callback: Callable[[dict[str, Any]], bool]) -> None:
        """Stream the words of the last message, or do what it asks for."""
        text = request["messages"][-1]["content"]
        command, _, rest = text.partition(" ")
        if command == "too-long":
            error = {"type": "exceed_context_size_error", "message": "m", "n_prompt_tokens": 9000, "n_ctx": 4096}
            callback({"error": error})
            return
        for word in (rest or text).split():
            if callback({"choices": [{"delta": {"content": f"{word} "}, "finish_reason": None}]}):
                return
        self._then(command, callback)
        callback({"choices": [{"delta": {}, "finish_reason": "stop"}]})
        callback({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})

    def _then(self, command: str, callback: Callable[[dict[str, Any]], bool]) -> None:
        pause = threading.Event()
        if command == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if command == "abort":
            sys.stderr.write("ggml_abort: out of nothing\n")
            os._exit(3)
        if command == "raise":
            raise ValueError("the binding is cross")
        if command == "deaf":
            pause.wait()
        while command == "forever" and not callback({"choices": [], "prompt_progress": {}}):
            pause.wait(0.005)
