"""The model inside Nola: a GGUF file that llama.cpp runs in a worker process of its own."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import signal
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nola.clock import SystemClock
from nola.errors import ModelError
from nola.flow import ModelRef, Usage
from nola.llm.base import CANCELLED, Chunk, TooLongError
from nola.llm.cores import thread_count
from nola.llm.gguf import read_head
from nola.llm.process import EndedError, LineProcess

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from nola.flow import Message
    from nola.llm.base import ChatOptions
    from nola.settings import EmbeddedSettings

__all__ = ["WORKER", "EmbeddedModel", "can_run"]

WORKER = (sys.executable, "-P", str(Path(__file__).with_name("worker.py")))
"""Command line of the worker; `-P` keeps the folder that it is started in off its import path."""
_CANCEL_PATIENCE_S = 0.8
_LAST = frozenset({"done", "tokens", "error"})


def can_run() -> bool:
    """Tell whether llama.cpp's binding is installed, without importing it."""
    return importlib.util.find_spec("xllamacpp") is not None


class EmbeddedModel:
    """A GGUF model in a worker process: loaded on first use, gone when idle, started again after a crash.

    It answers one request at a time; others wait. A stable beginning of the prompt is not read again.
    """

    capabilities = frozenset({"completion"})
    warnings: tuple[str, ...] = ()

    def __init__(
        self,
        name: str,
        path: Path,
        settings: EmbeddedSettings,
        *,
        trained_window: int = 0,
        command: Sequence[str] = WORKER,
    ) -> None:
        """Name the model; nothing is started yet.

        Args:
            name: By which the owner knows it.
            path: The GGUF file.
            settings: Threads, window, patience.
            trained_window: In tokens; 0 reads it from the file when it is first needed.
            command: What runs the worker.
        """
        self.ref = ModelRef("embedded", name)
        self._path = path
        self._settings = settings
        self._trained = trained_window
        self._command = command
        self._turn = threading.Lock()
        self._state = threading.Lock()
        self._worker: LineProcess | None = None
        self._active: _Job | None = None
        self._next_id = 0
        self._folder = ""

    def window(self) -> int:
        """Return the window in tokens: the setting's, at most the trained one.

        Raises:
            ModelError: The file can't be read or is no GGUF file.
        """
        if not self._trained:
            self._trained = read_head(self._path).window or self._settings.window
        return min(self._trained, self._settings.window)

    def chat(self, messages: Sequence[Message], *, options: ChatOptions) -> Iterator[Chunk]:
        """Answer by the model's own chat template; see `ChatModel.chat`."""
        request = {
            "messages": [{"role": m.role.value, "content": m.content} for m in messages],
            "max_tokens": options.reply_tokens,
            "temperature": options.temperature,
            "top_p": options.top_p,
            **({"seed": options.seed} if options.seed >= 0 else {}),
        }
        with self._turn, contextlib.closing(self._exchange({"chat": request})) as answers:
            for answer in answers:
                yield _chunk(answer)

    def count(self, text: str) -> int:
        """Count a text's tokens with the model's own tokenizer; loads the model.

        Raises:
            ModelError: The model could not be loaded, or failed.
        """
        with self._turn, contextlib.closing(self._exchange({"count": text})) as answers:
            return next((int(a["tokens"]) for a in answers if "tokens" in a), 0)

    def cancel(self) -> None:
        """Break off the reply under way; a worker that does not heed within 0.8 seconds is killed."""
        with self._state:
            job, worker = self._active, self._worker
        if job is None:
            return
        job.cancelled = True
        if worker is None:
            return
        with contextlib.suppress(EndedError):
            worker.send({"cancel": job.id})
        if not job.finished.wait(_CANCEL_PATIENCE_S) and job.waiting:
            worker.kill()

    def close(self) -> None:
        """Break off what is under way and end the worker."""
        self.cancel()
        if self._turn.acquire(timeout=_CANCEL_PATIENCE_S):
            try:
                self._drop()
            finally:
                self._turn.release()
        elif worker := self._worker:  # somebody holds a reply that he neither reads nor closes
            worker.kill()

    def _exchange(self, request: dict[str, Any]) -> Generator[dict[str, Any]]:
        """Send a request, yield its answers, and leave the worker free for the next one, whatever happens."""
        self._next_id += 1
        job = _Job(self._next_id, request)
        with self._state:
            self._active = job
        try:
            self._send(job)
            while not job.over:
                answer = self._receive(job)
                job.over = not answer.keys().isdisjoint(_LAST)
                if "error" in answer:
                    raise _failure(self.ref.name, answer, job.partial)
                job.partial += answer.get("text", "")
                yield answer
        except EndedError as error:
            job.over = True
            self._drop()
            if not job.cancelled:
                raise _crashed(self.ref.name, error, job.partial) from error
            yield {"done": {"stop": CANCELLED}}
        finally:
            if not job.over:
                self._call_off(job)
            with self._state:
                self._active = None
            job.finished.set()

    def _send(self, job: _Job) -> None:
        """Send a request; a worker that ended in the meantime, because it was idle or crashed, is started anew."""
        worker = self._worker
        if worker is None or not worker.alive():
            worker = self._start(job)
            job.fresh = True
        worker.send({"id": job.id, **job.request})
        if job.cancelled:
            worker.send({"cancel": job.id})

    def _receive(self, job: _Job) -> dict[str, Any]:
        try:
            return self._next_answer(job, self._settings.read_timeout)
        except EndedError:
            if job.fresh or job.partial or job.cancelled:
                raise
            self._drop()  # it was about to leave, or dying, when the request came
            self._send(job)
            return self._next_answer(job, self._settings.read_timeout)
        except TimeoutError:
            job.over = True
            self._kill()
            silence = f"{self.ref.name} was silent for {self._settings.read_timeout:g} s"
            fix = "raise embedded.read_timeout, or choose a smaller model"
            raise ModelError(silence, fix=fix, partial=job.partial) from None

    def _next_answer(self, job: _Job, timeout_s: float) -> dict[str, Any]:
        """Return the worker's next answer to this request; what is left of an earlier one is passed over."""
        worker = self._worker
        if worker is None:
            raise EndedError(0, "")
        job.waiting = True
        try:
            while True:
                answer = worker.receive(timeout_s)
                if answer.get("id") == job.id:
                    return answer
        finally:
            job.waiting = False

    def _call_off(self, job: _Job) -> None:
        """Tell the worker to stop and read what it still says; a worker that does not heed is killed."""
        clock = SystemClock()
        until = clock.monotonic() + _CANCEL_PATIENCE_S
        try:
            if self._worker is not None:
                self._worker.send({"cancel": job.id})
                while self._next_answer(job, until - clock.monotonic()).keys().isdisjoint(_LAST):
                    pass
        except (EndedError, TimeoutError):
            self._kill()

    def _start(self, job: _Job) -> LineProcess:
        self._drop()
        window = self.window()
        folder = tempfile.mkdtemp(prefix="nola-model-")
        load = {
            "folder": folder,
            "path": str(self._path),
            "window": window,
            "threads": thread_count(self._settings.threads),
            "idle_seconds": self._settings.idle_seconds,
        }
        try:
            worker = LineProcess(self._command)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise ModelError(f"the model's process could not be started: {error}") from error
        with self._state:
            self._worker, self._folder = worker, folder
        worker.send({"load": load})
        job.waiting = True
        try:
            answer = worker.receive(self._settings.start_timeout)
        except TimeoutError:
            self._kill()
            slow = f"{self.ref.name} did not load within {self._settings.start_timeout:g} s"
            raise ModelError(slow, fix="raise embedded.start_timeout, or choose a smaller model") from None
        finally:
            job.waiting = False
        if "ready" not in answer:
            raise self._not_loaded(worker, str(answer.get("failed", "")))
        return worker

    def _not_loaded(self, worker: LineProcess, why: str) -> ModelError:
        """Make the error for a worker that could not load; what llama.cpp logged says more than its exception."""
        if "xllamacpp" in why:
            self._drop()
            return ModelError("the embedded engine is not installed", fix="run: pip install 'nola-assistant[embedded]'")
        try:
            while True:
                worker.receive(1.0)
        except EndedError as error:
            why = _first_cause(error.last_words) or why
        except TimeoutError:
            worker.kill()
        self._drop()
        fix = f"check the file {self._path}, or fetch it again: nola model get {self.ref.name}"
        return ModelError(f"{self.ref.name} could not be loaded: {why}", fix=fix)

    def _drop(self) -> None:
        with self._state:
            worker, self._worker = self._worker, None
        if worker is not None:
            worker.stop()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _kill(self) -> None:
        if self._worker is not None:
            self._worker.kill()
        self._drop()


class _Job:
    """One request under way."""

    def __init__(self, job_id: int, request: dict[str, Any]) -> None:
        self.id = job_id
        self.request = request
        self.partial = ""
        self.over = False
        self.fresh = False
        self.waiting = False
        self.cancelled = False
        self.finished = threading.Event()


def _chunk(answer: dict[str, Any]) -> Chunk:
    if "done" not in answer:
        return Chunk(answer.get("text", ""), answer.get("thinking", ""))
    done = answer["done"]
    usage = Usage(done.get("prompt_tokens"), done.get("reply_tokens"), done.get("stop") or "")
    return Chunk("", done=True, usage=usage)


def _failure(name: str, answer: dict[str, Any], partial: str) -> ModelError:
    if answer.get("too_long"):
        tokens, window = answer.get("prompt_tokens"), answer.get("window")
        return TooLongError(
            f"the prompt is longer than the window of {name} ({tokens} of {window} tokens)",
            prompt_tokens=tokens,
            window=window,
        )
    return ModelError(f"{name} failed: {answer['error']}", fix="try again, or choose another model", partial=partial)


def _crashed(name: str, error: EndedError, partial: str) -> ModelError:
    if error.code == -signal.SIGKILL:
        why = f"the process of {name} was killed, perhaps for want of memory"
        return ModelError(why, fix="try again; if it happens again, lower embedded.window", partial=partial)
    words = error.last_words.splitlines()
    detail = f": {words[-1][:200]}" if words else ""
    why = f"the process of {name} ended by itself (code {error.code}){detail}"
    return ModelError(why, fix="try again; if it happens again, choose another model", partial=partial)


def _first_cause(log: str) -> str:
    """The first error that llama.cpp logged is the cause; those after it repeat it."""
    for line in log.splitlines():
        _, found, cause = line.partition(" E ")
        if found:
            return cause.split(": ", 1)[-1].strip()
    return ""
