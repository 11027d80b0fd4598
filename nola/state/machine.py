"""What machineID.json holds: the machine that Nola runs on, with no secret, serial number or environment in it."""

from __future__ import annotations

import locale
import os
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import psutil  # type: ignore[import-untyped]  # the package ships no types

from nola.errors import NolaError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from nola.types import Json

    Probe: TypeAlias = "Callable[[], Mapping[str, Json]]"

__all__ = ["collect", "differs"]

_GB = 1_000_000_000
# Free space moves all day; below this it is noise, and no reason to write a file.
_FREE_SPACE_STEP_GB = 5
_FREE = "disk_free_gb"


def collect(folder: Path, now: datetime, probes: Sequence[Probe] = ()) -> dict[str, Json]:
    """Describe the machine in plain values.

    Args:
        folder: The state folder, whose disk is measured.
        now: The present instant, which decides about summer time.
        probes: Sources of more values, for example Ollama's models; one that fails adds nothing.
    """
    facts: dict[str, Json] = {
        "name": platform.node(),
        "os": _os_name(),
        "architecture": platform.machine(),
        "cpu": _cpu_model(),
        "cores": psutil.cpu_count(logical=False) or os.cpu_count(),
        "threads": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / _GB),
        **_disk(folder),
        "time_zone": _time_zone(now),
        "locale": ".".join(part for part in locale.getlocale() if part),
        "python": platform.python_version(),
    }
    for probe in probes:
        try:
            facts.update(probe())
        except (NolaError, OSError):
            # What can't be asked now keeps the value that it had.
            continue
    return {key: value for key, value in facts.items() if value not in (None, "", [])}


def differs(old: Mapping[str, Json], new: Mapping[str, Json]) -> bool:
    """Say whether a collection tells anything that the old values don't; small moves of free space don't count."""
    return any(not _same(key, old.get(key), value) for key, value in new.items())


def _same(key: str, old: Json, new: Json) -> bool:
    if key == _FREE and isinstance(old, int) and isinstance(new, int):
        return abs(old - new) < _FREE_SPACE_STEP_GB
    return old == new


def _os_name() -> str:
    if platform.system() == "Linux":
        try:
            return platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
        except OSError:
            return "Linux"
    return f"{platform.system()} {platform.release()}"


def _cpu_model() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                key, _, value = line.partition(":")
                if key.strip() in {"model name", "Model"}:
                    return value.strip()
    except OSError:
        pass
    return platform.processor()


def _disk(folder: Path) -> dict[str, Json]:
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return {}
    return {"disk_total_gb": round(usage.total / _GB), _FREE: round(usage.free / _GB)}


def _time_zone(now: datetime) -> str:
    # The link names the place (Europe/Ljubljana), which outlives summer time; its short name is the second best.
    parts = Path("/etc/localtime").resolve().parts
    if "zoneinfo" in parts:
        return "/".join(parts[parts.index("zoneinfo") + 1 :])
    return now.astimezone().tzname() or ""
