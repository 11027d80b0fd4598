"""Presets: how fast memories fade, and how often they are tended, for four kinds of agents (seed 002, 4.2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from nola.errors import UsageError
from nola.memory.axes import Kind
from nola.memory.checks import nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nola.memory.dynamics.base import Floats

__all__ = ["PRESETS", "Preset", "preset_of"]

_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Preset:
    """One preset.

    Attributes:
        name: Its name in settings.
        pace: How fast time passes for every memory; 1 is what the documents say.
        focus: What it is for, in the document's word.
        favoured: For the kinds in focus, what the pace is multiplied by.
        replay: Share of a run's memories that are replayed.
        every_s: Seconds between runs of maintenance.
        deletes: Whether maintenance may delete what faded.
    """

    name: str
    pace: float
    focus: str
    replay: float
    every_s: float
    favoured: Mapping[Kind, float] = field(default_factory=dict)
    deletes: bool = True

    def rates(self, pace: float = 1.0) -> Floats:
        """Return how fast each kind fades, in the order of `Kind` (C36).

        Args:
            pace: The owner's own factor.
        """
        return np.array([self.pace * pace * self.favoured.get(kind, 1.0) for kind in Kind])


PRESETS: Mapping[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "chatbot",
            0.5,
            "relationship",
            replay=0.5,
            every_s=6 * _HOUR,
            favoured={Kind.EPISODIC: 0.8, Kind.SEMANTIC: 0.8},
        ),
        Preset("task", 2.0, "procedural", replay=0.1, every_s=14 * 24 * _HOUR, favoured={Kind.PROCEDURAL: 0.25}),
        Preset("assistant", 1.0, "balanced", replay=0.3, every_s=24 * _HOUR),
        Preset("researcher", 0.25, "archive", replay=0.5, every_s=7 * 24 * _HOUR, deletes=False),
    )
}
"""The four presets by name (C32-C35)."""


def preset_of(name: str) -> Preset:
    """Return the preset of this name.

    Raises:
        UsageError: There is none.
    """
    if name not in PRESETS:
        raise UsageError(f"preset is one of {', '.join(PRESETS)}, not {name!r}{nearest(name, PRESETS)}")
    return PRESETS[name]
