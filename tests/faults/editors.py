"""How real programs save a file: each takes a file and its whole new text, or makes them by itself."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import shutil
import struct
import subprocess
import tempfile
import termios
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tests.faults.harness import environ

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["EDITORS", "SEEN_BY_POLLING", "TOOL_OF", "in_place", "renamed", "stream_edited"]

_PATIENCE_S = 20.0
_PARTS = 5
_PAUSE_S = 0.12


def in_place(file: Path, text: str) -> None:
    """Truncate and write, as nano and most small editors do."""
    file.write_text(text, encoding="utf-8")


def renamed(file: Path, text: str) -> None:
    """Write a new file and rename it, as VS Code and many others do."""
    temp = file.with_name(f".{file.name}.{os.getpid()}.swp")
    temp.write_text(text, encoding="utf-8")
    temp.replace(file)


def stream_edited(file: Path, text: str) -> None:
    """Write a new file line by line and rename it, with the old mode, as `sed -i` does."""
    number, name = tempfile.mkstemp(prefix="sed", dir=file.parent)
    with os.fdopen(number, "w", encoding="utf-8") as stream:
        stream.writelines(text.splitlines(keepends=True))
    shutil.copymode(file, name)
    Path(name).replace(file)


def _slowly(file: Path, text: str) -> None:
    """Write in parts with pauses, as a copy over a slow line does."""
    with file.open("w", encoding="utf-8") as stream:
        for at in range(_PARTS):
            stream.write(text[at * len(text) // _PARTS : (at + 1) * len(text) // _PARTS])
            stream.flush()
            if at < _PARTS - 1:
                time.sleep(_PAUSE_S)


def _deleted_and_created(file: Path, text: str) -> None:
    file.unlink()
    time.sleep(_PAUSE_S)
    file.write_text(text, encoding="utf-8")


def _moved_in(file: Path, text: str) -> None:
    """Rename from another folder of the same disk."""
    elsewhere = Path(tempfile.mkdtemp(prefix="elsewhere", dir=file.parents[3]))
    (elsewhere / "new").write_text(text, encoding="utf-8")
    (elsewhere / "new").replace(file)
    elsewhere.rmdir()


def _through_a_hard_link(file: Path, text: str) -> None:
    link = file.parents[3] / "link"
    link.unlink(missing_ok=True)
    os.link(file, link)
    link.write_text(text, encoding="utf-8")


def _moved_away_and_created(file: Path, text: str) -> None:
    """What vim does with backupcopy=no: the file is absent for a moment."""
    kept = file.with_name(f"{file.name}~")
    file.replace(kept)
    file.write_text(text, encoding="utf-8")
    kept.unlink()


def _run(*command: str | Path, cwd: Path | None = None) -> None:
    done = subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_PATIENCE_S,
        cwd=cwd,
        env=environ(GIT_CONFIG_GLOBAL=os.devnull, HOME=str(cwd or "/nonexistent")),
    )
    assert done.returncode == 0, (command, done.stdout, done.stderr)


def _with_vim(copy: str, file: Path, text: str) -> None:
    old, new = _payloads(file.read_text(encoding="utf-8"), text)
    steps = [f"set backupcopy={copy}", f"%s/{old}/{new}/g", "wq"]
    _run("vim", "-u", "NONE", "-i", "NONE", "-N", "-es", *(word for step in steps for word in ("-c", step)), file)


def _with_nano(file: Path, text: str) -> None:
    """Type into nano: throw everything away, read the new text in, save, leave."""
    other = file.parents[3] / "new"
    other.write_text(text, encoding="utf-8")
    screen, terminal = pty.openpty()
    process = subprocess.Popen(
        ["nano", "--ignorercfiles", "--nonewlines", str(file)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env=environ(TERM="xterm"),
        start_new_session=True,
    )
    os.close(terminal)
    fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    try:
        # Alt-\ and Alt-T: to the top, and cut to the end; Ctrl-R: read a file; Ctrl-S: save; Ctrl-X: leave.
        for keys in ("\x1b\\", "\x1bt", "\x12", f"{other}\r", "\x13", "\x18"):
            _drain(screen)
            os.write(screen, keys.encode())
        _drain(screen)
        process.wait(_PATIENCE_S)
    finally:
        process.kill()
        process.wait()
        os.close(screen)


def _drain(screen: int) -> None:
    """Read what is drawn, until nothing more comes for a moment."""
    while select.select([screen], [], [], 0.2)[0]:
        try:
            if not os.read(screen, 65_536):
                return
        except OSError:
            return


def _with_sed(file: Path, text: str) -> None:
    old, new = _payloads(file.read_text(encoding="utf-8"), text)
    _run("sed", "-i", f"s/{old}/{new}/g", file)


def _with_perl(file: Path, text: str) -> None:
    old, new = _payloads(file.read_text(encoding="utf-8"), text)
    _run("perl", "-pi", "-e", f"s/{old}/{new}/g", file)


def _payloads(before: str, after: str) -> tuple[str, str]:
    """Return what distinguishes two texts: the number that each holds."""
    return tuple(text[text.index("<") : text.index(">") + 1] for text in (before, after))  # type: ignore[return-value]


def _with_rsync(*options: str) -> Callable[[Path, str], None]:
    def save(file: Path, text: str) -> None:
        other = file.parents[3] / "new"
        other.write_text(text, encoding="utf-8")
        _run("rsync", "--checksum", *options, other, file)

    return save


def _with_copy(file: Path, text: str) -> None:
    other = file.parents[3] / "new"
    other.write_text(text, encoding="utf-8")
    _run("cp", other, file)


def _with_git(file: Path, text: str) -> None:
    """Check an older version out of a repository whose work tree is the folder of modules."""
    tree = file.parent
    folder = file.parents[3] / "repository"
    git = ("git", f"--git-dir={folder}", f"--work-tree={tree}", "-c", "user.name=o", "-c", "user.email=o@example.org")
    if not folder.exists():
        _run(*git, "init", "-q", cwd=tree)
    old = file.read_bytes()
    new = file.parents[3] / "new"
    new.write_text(text, encoding="utf-8")
    # The new version is committed from outside of the work tree, so that only the checkout touches the file.
    blob = subprocess.run(
        [*git, "hash-object", "-w", str(new)], capture_output=True, text=True, check=True, cwd=tree
    ).stdout.strip()
    _run(*git, "update-index", "--add", "--cacheinfo", f"100600,{blob},{file.name}", cwd=tree)
    _run(*git, "commit", "-q", "-m", "new", cwd=tree)
    assert file.read_bytes() == old
    _run(*git, "checkout", "-f", "HEAD", "--", file.name, cwd=tree)


EDITORS: dict[str, Callable[[Path, str], None]] = {
    "vim, backupcopy=yes": partial(_with_vim, "yes"),
    "vim, backupcopy=no": partial(_with_vim, "no"),
    "vim, backupcopy=auto": partial(_with_vim, "auto"),
    "nano": _with_nano,
    "sed -i": _with_sed,
    "perl -pi": _with_perl,
    "rsync": _with_rsync(),
    "rsync --inplace": _with_rsync("--inplace"),
    "git checkout": _with_git,
    "cp": _with_copy,
    "truncate and write": in_place,
    "write and rename": renamed,
    "move away and create": _moved_away_and_created,
    "rename from another folder": _moved_in,
    "delete and create": _deleted_and_created,
    "slow partial writes": _slowly,
    "hard link": _through_a_hard_link,
}
"""Ways to save, by name."""

TOOL_OF = {
    name: name.split(",")[0].split()[0]
    for name in EDITORS
    if name.split(",")[0].split()[0] in {"vim", "nano", "sed", "perl", "rsync", "git", "cp"}
}
"""The program that a way needs."""

SEEN_BY_POLLING = {"hard link"}
"""Ways that the system does not report."""
