"""Opens an archive as if a stranger had made it: nothing lands outside the folder, and nothing that is not promised."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import os
import tarfile
import zlib
from typing import TYPE_CHECKING, BinaryIO

from nola import disk
from nola.backup import manifest as manifests
from nola.backup.gather import CHUNK
from nola.backup.names import info_of
from nola.backup.progress import teller
from nola.backup.seal import MAGIC, open_sealed
from nola.errors import NolaError
from nola.files import make_private_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from nola.backup.manifest import Entry, Manifest
    from nola.backup.progress import Progress

__all__ = ["is_sealed", "unpack"]

_SMALL = 65_536
_PER_FILE = 4096  # headers: a block, and three more when the name is long or no plain text
_PLAIN = {tarfile.REGTYPE, tarfile.AREGTYPE}
_BROKEN = (tarfile.TarError, EOFError, zlib.error, OSError, ValueError, OverflowError)


class _TooMuchError(ValueError):
    """An archive holds more than it says."""


class _Measured(io.RawIOBase):
    """Lets no more bytes through than were announced."""

    def __init__(self, inner: gzip.GzipFile, most: int) -> None:
        self._inner = inner
        self.left = most

    def read(self, size: int = -1) -> bytes:
        """Read up to `size` bytes."""
        data = self._inner.read(CHUNK if size < 0 else size)
        self.left -= len(data)
        if self.left < 0:
            raise _TooMuchError("it holds more than its manifest says")
        return data


def is_sealed(path: Path) -> bool:
    """Tell whether only a passphrase opens an archive.

    Raises:
        NolaError: The archive can't be read.
    """
    try:
        with path.open("rb") as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError as error:
        raise NolaError(f"{path} can't be read: {error.strerror}") from error


def unpack(
    path: Path, folder: Path, *, passphrase: str | None = None, progress: Progress | None = None
) -> tuple[Manifest, list[str]]:
    """Lay the files of an archive into an empty private folder, with their times.

    Args:
        path: The archive.
        folder: Where to; it is there.
        passphrase: What it was encrypted with.
        progress: Is told how far it is.

    Returns:
        The manifest, and a sentence for each defect; a file that is not as promised is not laid there.

    Raises:
        NolaError: It can't be opened, or has no manifest that can be used.
    """
    with _opened(path, passphrase) as file, gzip.GzipFile(fileobj=file) as inner:
        stream = _Measured(inner, manifests.MAX_BYTES + _SMALL)
        try:
            tar = tarfile.open(fileobj=stream, mode="r|")  # noqa: SIM115 -- closing it would read on
            manifest = _manifest(tar)
        except _BROKEN as error:
            raise _unusable(path, error) from error
        if manifest is None:
            raise _unusable(path, None)
        overhead = sum(_PER_FILE + 4 * len(entry.path) for entry in manifest.files)
        stream.left = manifest.size + overhead + _SMALL
        return manifest, _lay_out(tar, stream, manifest, folder, teller(progress, path.name, manifest.size))


def _lay_out(
    tar: tarfile.TarFile, stream: _Measured, manifest: Manifest, folder: Path, tell: Callable[[int], None]
) -> list[str]:
    wanted = {entry.path: entry for entry in manifest.files}
    found: list[str] = []
    try:
        while (member := tar.next()) is not None:
            entry = wanted.pop(member.name, None)
            why = _refusal(member, entry, folder)
            if why or entry is None:
                found.append(f"{member.name[:200]!r} {why}")
            elif _written(tar, member, entry, folder, tell) != entry.sha256:
                found.append(f"{entry.path} has not the content that the manifest says")
        while stream.read(CHUNK):  # up to the end, where the checksum of the whole stands
            pass
    except _BROKEN as error:
        found.append(f"the archive is damaged: {_said(error)}")
    return [*found, *(f"{path} is missing" for path in wanted)]


def _refusal(member: tarfile.TarInfo, entry: Entry | None, folder: Path) -> str:
    """Say why a member is not unpacked, or return an empty string."""
    if entry is None:
        return "does not stand in the manifest, or stands in the archive twice"
    if member.type not in _PLAIN or member.issparse():
        return "is no regular file"
    if member.size != entry.size:
        return f"has {member.size} bytes, and the manifest says {entry.size}"
    own_filter = getattr(tarfile, "data_filter", None)  # Python 3.11 has it from 3.11.4 on
    if own_filter is not None:
        try:
            own_filter(member, str(folder))
        except tarfile.TarError as error:
            return f"is refused: {error}"
    return ""


def _written(
    tar: tarfile.TarFile, member: tarfile.TarInfo, entry: Entry, folder: Path, tell: Callable[[int], None]
) -> str:
    """Lay one file into the folder; return the hash of its bytes."""
    target = folder / entry.path
    make_private_dir(target.parent)
    digest = hashlib.sha256()
    with disk.told(target):
        fd = os.open(target, disk.NEW, disk.FILE)
    try:
        for chunk in _chunks(tar, member):
            with disk.told(target):
                disk.write_all(fd, chunk)
            digest.update(chunk)
            tell(len(chunk))
        os.fchmod(fd, disk.FILE)
    finally:
        os.close(fd)
    with contextlib.suppress(OSError, OverflowError, ValueError):  # a time that no file system knows
        os.utime(target, (member.mtime, member.mtime))
    if digest.hexdigest() != entry.sha256:
        target.unlink()
    return digest.hexdigest()


def _chunks(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Iterator[bytes]:
    content = tar.extractfile(member)
    while content is not None and (chunk := content.read(CHUNK)):
        yield chunk


def _manifest(tar: tarfile.TarFile) -> Manifest | None:
    first = tar.next()
    if first is None or first.name != manifests.NAME or first.type not in _PLAIN or first.size > manifests.MAX_BYTES:
        return None
    return manifests.read(b"".join(_chunks(tar, first)))


@contextlib.contextmanager
def _opened(path: Path, passphrase: str | None) -> Iterator[BinaryIO]:
    sealed = is_sealed(path)
    if sealed and passphrase is None:
        raise NolaError(f"{path.name} is encrypted", fix="give its passphrase: --passphrase-file FILE")
    with path.open("rb") as file:
        yield io.BytesIO(open_sealed(file.read(), passphrase)) if sealed and passphrase is not None else file


def _unusable(path: Path, error: BaseException | None) -> NolaError:
    """Make the error for a file that does not begin as a backup does: one of Nola's that is damaged, or none at all."""
    if info_of(path, 0) is not None:
        why = "it breaks off before its manifest ends" if isinstance(error, EOFError) else "it does not begin as one"
        return NolaError(f"{path.name} is damaged: {why}", fix="take another one: nola backup list")
    perhaps = "" if error is None or isinstance(error, gzip.BadGzipFile) else "damaged, or "
    return NolaError(f"{path.name} is {perhaps}no backup of Nola's", fix="name one that is: nola backup list")


def _said(error: BaseException) -> str:
    return str(error) or type(error).__name__
