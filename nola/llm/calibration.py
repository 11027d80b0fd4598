"""Learns, per model, how its own token counts differ from the estimate, from what it reports after each reply."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import orjson

from nola.errors import StorageError
from nola.files import make_private_dir, write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from nola.flow import ModelRef

__all__ = ["Calibration"]

_LOW, _HIGH = 0.5, 2.0
_LEAST_TOKENS = 20


class Calibration:
    """One factor per model: true tokens over estimated tokens, smoothed, within [0.5, 2].

    Learnt from `prompt_eval_count` (Ollama API) and the embedded model's own count. Older Ollama servers count only
    the part of a prompt that was not cached, so a report below half of the estimate teaches nothing. The file can be
    deleted at any time.
    """

    def __init__(self, file: Path, *, smoothing: float = 0.2) -> None:
        """Read the factors, if there are any.

        Args:
            file: A JSON file under the cache folder.
            smoothing: Weight of a new observation, in [0, 1].
        """
        self._file = file
        self._smoothing = smoothing
        self._lock = threading.Lock()
        self._ratios = _read(file)

    def ratio(self, model: ModelRef) -> float:
        """Return a model's factor; 1.0 for one that was never observed."""
        return self._ratios.get(_key(model), 1.0)

    def observe(self, model: ModelRef, *, estimated: int, actual: int | None) -> float:
        """Learn from one prompt and return the new factor.

        Args:
            model: Which model counted.
            estimated: The prompt's estimate with factor 1, in tokens.
            actual: What the model counted; None, a prompt under 20 tokens and a count below half of it teach nothing.
        """
        if actual is None or estimated < _LEAST_TOKENS or actual < estimated * _LOW:
            return self.ratio(model)
        seen = min(_HIGH, actual / estimated)
        with self._lock:
            old = self._ratios.get(_key(model))
            new = seen if old is None else old + self._smoothing * (seen - old)
            if new != old:
                self._ratios = {**self._ratios, _key(model): new}
                self._save()
        return new

    def _save(self) -> None:
        try:
            make_private_dir(self._file.parent)
            write_atomic(self._file, orjson.dumps(self._ratios, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS))
        except StorageError:
            return  # a cache: the factor still holds for this process


def _key(model: ModelRef) -> str:
    return f"{model.provider}:{model.name}"


def _read(file: Path) -> dict[str, float]:
    try:
        data: Any = orjson.loads(file.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    if not isinstance(data, dict):
        return {}
    return {str(k): float(v) for k, v in data.items() if isinstance(v, int | float) and _LOW <= v <= _HIGH}
