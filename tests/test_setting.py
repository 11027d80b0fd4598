"""One line declares a setting whole."""

from __future__ import annotations

from dataclasses import dataclass, fields

import pytest

from nola.setting import setting


@dataclass(frozen=True)
class _Group:
    size: int = setting(3, "how many", "X11", low=1, high=9, unit="d")
    mode: str = setting("a", "which way", "X11", choices=("a", "b"))


@pytest.mark.row("X11")
def test_a_setting_carries_its_default_and_its_table_row() -> None:
    """The default is the field's, and the rest travels as its metadata."""
    size, mode = fields(_Group)
    assert (_Group().size, _Group().mode) == (3, "a")
    assert dict(size.metadata) == {
        "doc": "how many",
        "source": "X11",
        "low": 1,
        "high": 9,
        "unit": "d",
        "choices": (),
    }
    assert mode.metadata["choices"] == ("a", "b")
