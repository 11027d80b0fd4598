"""Places of their own: namespaces in which disks are tiny, read-only, or lose their power; nothing of them remains."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tests.faults.harness import Child, environ, spawn

__all__ = ["after_cuts", "apart", "why_no_loop", "why_no_space"]

_TRIAL = "mount -t tmpfs -o size=64k none /mnt && mount -o remount,ro /mnt"
_LOOP_TRIAL = """
set -e
truncate -s 8M "$1/image"
mkfs.ext4 -q -F "$1/image"
mount -o loop "$1/image" "$1/mnt"
umount "$1/mnt"
"""


def _unshare() -> tuple[str, ...]:
    """Return the command that gives a process mounts of its own: as root without a user namespace."""
    return ("unshare", "-m") if os.geteuid() == 0 else ("unshare", "-Urm")


@cache
def why_no_space() -> str:
    """Say why a process can't have mounts of its own here; empty when it can."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return "there is no unshare"
    return _trial([*_unshare(), "sh", "-c", _TRIAL], "no mounts of one's own are allowed")


@cache
def why_no_loop(folder: Path) -> str:
    """Say why a file can't be mounted as a disk here; empty when it can."""
    if os.geteuid() != 0:
        return "a power cut needs root"
    if shutil.which("mkfs.ext4") is None:
        return "a power cut needs mkfs.ext4"
    if not Path("/dev/loop-control").exists():
        return "a power cut needs a loop device"
    (folder / "mnt").mkdir(exist_ok=True)
    return _trial(["unshare", "-m", "sh", "-c", _LOOP_TRIAL, "sh", str(folder)], "a loop device can't be mounted")


def _trial(command: list[str], why: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=environ())
    return "" if done.returncode == 0 else f"{why}: {(done.stderr.strip().splitlines() or ['?'])[-1][:80]}"


def apart(driver: str, *arguments: str) -> Child:
    """Start a driver with mounts and process numbers of its own: whatever ends it ends and unmounts all of it."""
    wrapped = [*_unshare(), "--pid", "--fork", "--kill-child", "--mount-proc"]
    return spawn([*wrapped, sys.executable, "-m", f"tests.faults.drivers.{driver}", *arguments], environ())


def after_cuts(driver: str, bench: Path, way: str, cuts: int, seed: str) -> list[dict[str, Any]]:
    """Let a driver cut the power of what writes so often; return what it found after each cut.

    Raises:
        AssertionError: It broke off before the last one.
    """
    found: list[dict[str, Any]] = []
    with apart(driver, str(bench), way, str(cuts), seed) as machine:
        while (answer := machine.read(120)) is not None and "ok" not in answer:
            found.append(answer)
    assert len(found) == cuts, f"it broke off after {len(found)} cuts"
    return found
