"""A process that has loaded Nola once and is forked for every child, so that a thousand starts cost little.

It is driven through the socket on its first argument: a request names a driver and its arguments and carries the
child's own line; the answer is the child's number. A request for the end of a child answers its exit code.
"""

from __future__ import annotations

import ctypes
import importlib
import json
import os
import signal
import socket
import sys
import traceback
from typing import Any

import nola.app
import nola.cli.assembly
import nola.memory.memories

__all__ = ["main"]

_PR_SET_PDEATHSIG = 1
_PR_SET_PTRACER = 0x59616D61
_ANYBODY = ctypes.c_ulong(-1)
# What a command imports when it runs is imported here, so that a child's own work is all that is seen of it.
_WARM = (nola.app, nola.cli.assembly, nola.memory.memories)


def main(arguments: list[str]) -> None:
    """Serve requests until the other end is closed."""
    line = socket.socket(fileno=int(arguments[0]))
    _die_with_parent()
    while True:
        data, fds, _, _ = socket.recv_fds(line, 1 << 20, 1)
        if not data:
            return
        request = json.loads(data)
        answer = _wait(request["wait"]) if "wait" in request else _fork(line, request, list(fds))
        for fd in fds:
            os.close(fd)
        line.sendall(json.dumps(answer).encode() + b"\n")


def _wait(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _fork(line: socket.socket, request: dict[str, Any], fds: list[int]) -> int:
    pid = os.fork()
    if pid:
        return pid
    code = 70
    try:
        line.close()
        os.dup2(fds[0], 0)
        os.close(fds[0])
        _die_with_parent()
        os.umask(request["umask"])
        driver = importlib.import_module(f"tests.faults.drivers.{request['driver']}")
        driver.main(request["arguments"])
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 -- whatever ends the child is told, and never reaches the zygote's loop
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _die_with_parent() -> None:
    """End when the parent ends, and let a tracer that is no ancestor attach."""
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(_PR_SET_PTRACER, _ANYBODY)


if __name__ == "__main__":
    main(sys.argv[1:])
