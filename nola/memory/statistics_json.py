"""The statistics of a memory as JSON, for the export (E59)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nola.errors import UsageError
from nola.memory.checks import checked_number, checked_time, checked_whole, required
from nola.memory.dynamics.base import KEPT, Statistics
from nola.memory.instants import from_seconds, seconds, written

if TYPE_CHECKING:
    from nola.types import Json

__all__ = ["read_statistics", "statistics_json"]

_MOST = 1e12
_COUNT = 2**53


def statistics_json(stat: Statistics) -> dict[str, Json]:
    """Return the statistics as JSON; importance stands beside them."""
    return {
        "access_count": stat.access_count,
        "chain": written(from_seconds(stat.chain_s)),
        "began": written(from_seconds(stat.created_s)),
        "heat_bias": stat.heat_bias,
        "last_access": written(from_seconds(stat.last_access_s)),
        "r1": stat.r1,
        "r2": stat.r2,
        "recent": [written(from_seconds(at)) for at in stat.recent_s],
        "stability": stat.stability,
        "stability_days": stat.stability_days,
        "usage": stat.usage,
    }


def read_statistics(data: Json, *, importance: float) -> Statistics:
    """Read back what `statistics_json` wrote.

    Args:
        data: The object.
        importance: The memory's, which stands beside it.

    Raises:
        UsageError: A field is missing, unknown or wrong.
    """
    if not isinstance(data, dict):
        raise UsageError("statistics takes an object")
    left = dict(data)

    def at(name: str, value: Json) -> float:
        instant = checked_time(f"statistics.{name}", value)
        if instant is None:
            raise UsageError(f"statistics.{name} is missing")
        return seconds(instant)

    def number(name: str, low: float, high: float) -> float:
        return checked_number(f"statistics.{name}", required(left, name), low, high)

    def count(name: str) -> int:
        return checked_whole(f"statistics.{name}", required(left, name), 0, _COUNT)

    recent = required(left, "recent")
    if not isinstance(recent, list) or len(recent) > KEPT:
        raise UsageError(f"statistics.recent takes a list of at most {KEPT} times")
    stat = Statistics(
        importance=importance,
        created_s=at("began", required(left, "began")),
        last_access_s=at("last_access", required(left, "last_access")),
        access_count=count("access_count"),
        recent_s=tuple(at("recent", one) for one in recent),
        heat_bias=number("heat_bias", -1, 1),
        stability_days=number("stability_days", 0, _MOST),
        stability=number("stability", 0, 1),
        r1=number("r1", 0, _MOST),
        r2=number("r2", 0, _MOST),
        chain_s=at("chain", required(left, "chain")),
        usage=count("usage"),
    )
    if left:
        raise UsageError(f"statistics has no field {min(left)!r}")
    return stat
