"""Archives of strangers."""

from __future__ import annotations

import gzip
import os
import stat
import tarfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nola.backup.unpack import is_sealed, unpack
from nola.errors import NolaError, StorageError
from tests.backup.making import archive, entry, manifest, member, tar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "nola-20261120T090000Z-manual.tar.gz"
FILES = {"settings.toml": b"", "state/user.json": b"{}", "state/modules/a/b/c.txt": b"deep" * 1000}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder to unpack into; whatever happens, nothing appears beside it."""
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True, mode=0o700)
    yield inner
    assert [path.name for path in (tmp_path / "outer").iterdir()] == ["inner"]
    assert {path.name for path in tmp_path.iterdir()} <= {"outer", "archive"}


def opened(folder: Path, data: bytes, **options: Any) -> list[str]:
    """Unpack an archive; return its defects."""
    path = folder.parents[1] / "archive"
    path.write_bytes(data)
    return unpack(path, folder, **options)[1]


def laid(folder: Path) -> dict[str, bytes]:
    """Return what lies in a folder."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_everything_is_laid_out_privately(folder: Path) -> None:
    """Content and times are those of the archive; nobody else may look, whatever the archive says and the umask."""
    before = os.umask(0)
    try:
        late = [member(name, content, mode=0o4777, mtime=1_790_000_000) for name, content in FILES.items()]
        data = tar([member("manifest.json", manifest(*(entry(*item) for item in FILES.items()))), *late])
        assert opened(folder, gzip.compress(data)) == []
    finally:
        os.umask(before)
    assert laid(folder) == FILES
    for path in folder.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
        assert path.is_dir() or path.stat().st_mtime == 1_790_000_000


def test_progress_is_told(folder: Path) -> None:
    """It ends at the sum of all sizes."""
    told: list[tuple[str, int, int]] = []
    opened(folder, archive(FILES), progress=lambda *step: told.append(step))
    assert told[-1] == ("archive", 4002, 4002)


def test_a_missing_file_is_a_defect(folder: Path) -> None:
    """It stands in the manifest alone."""
    head = manifest(entry("state/user.json"), entry("state/gone.json"))
    assert opened(folder, archive({"state/user.json": b""}, head=head)) == ["state/gone.json is missing"]


def test_other_content_is_a_defect(folder: Path) -> None:
    """A file that is not as promised is not laid out; the others are."""
    head = manifest(entry("state/user.json", b"old"), entry("settings.toml", b"long"), entry("state/Nola.json", b"{}"))
    found = opened(
        folder, archive({"state/user.json": b"new", "settings.toml": b"longer", "state/Nola.json": b"{}"}, head=head)
    )
    assert found == [
        "state/user.json has not the content that the manifest says",
        "'settings.toml' has 6 bytes, and the manifest says 4",
    ]
    assert laid(folder) == {"state/Nola.json": b"{}"}


@pytest.mark.bar("J2")
@pytest.mark.parametrize(
    "name", ["/nowhere/evil", "../evil", "state/../../evil", "models/evil", "state/.lock", "state/user.json"]
)
def test_what_the_manifest_does_not_name_is_refused(folder: Path, name: str) -> None:
    """Absolute names, names that lead out, strange ones and second copies."""
    found = opened(folder, archive({"state/user.json": b"{}"}, member(name, b"evil")))
    assert found == [f"{name!r} does not stand in the manifest, or stands in the archive twice"]
    assert laid(folder) == {"state/user.json": b"{}"}


@pytest.mark.bar("J2")
@pytest.mark.parametrize("name", ["/nowhere/evil", "../evil", "state/../../evil", "models/evil", "state/.lock"])
def test_a_manifest_that_names_it_is_refused_too(folder: Path, name: str) -> None:
    """Nothing at all is laid out."""
    with pytest.raises(NolaError, match="does not belong in a backup"):
        opened(folder, archive({name: b"evil"}))
    assert laid(folder) == {}


@pytest.mark.bar("J2")
@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE, b"S", b"7"],
)
def test_what_is_no_plain_file_is_refused(folder: Path, kind: bytes) -> None:
    """Links, devices, pipes, folders and files with holes."""
    told = manifest(entry("state/user.json"))
    evil = member("state/user.json", type=kind, linkname="/etc/passwd")
    found = opened(folder, gzip.compress(tar([member("manifest.json", told), evil])))
    assert len(found) == 1
    assert laid(folder) == {}


@pytest.mark.bar("J2")
def test_a_link_can_not_lead_a_file_out(folder: Path) -> None:
    """A link in a folder's place is refused, so that what follows it is laid where it belongs, or not at all."""
    told = manifest(entry("state/modules"), entry("state/modules/evil.json", b"evil"))
    link = member("state/modules", type=tarfile.SYMTYPE, linkname="/nowhere")
    found = opened(
        folder, gzip.compress(tar([member("manifest.json", told), link, member("state/modules/evil.json", b"evil")]))
    )
    assert found == ["'state/modules' is no regular file"]
    assert laid(folder) == {"state/modules/evil.json": b"evil"}


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "archive is damaged, or no backup of Nola's"),
        (b"no archive at all", "archive is no backup of Nola's"),
        (gzip.compress(b""), "archive is (damaged, or )?no backup of Nola's"),
        (gzip.compress(b"x" * 10_000), "archive is damaged, or no backup of Nola's"),
        (gzip.compress(tar([member("other", b"x")])), "archive is no backup of Nola's"),
        (gzip.compress(tar([member("manifest.json", b"", type=tarfile.SYMTYPE)])), "archive is no backup of Nola's"),
        (archive(FILES, head=b"{}"), "the manifest is damaged"),
        (archive(FILES, head=manifest(version=2)), "made by a newer Nola"),
        (archive(FILES)[:200], "archive is damaged, or no backup of Nola's"),
    ],
)
def test_what_is_no_backup_is_said_in_a_sentence(folder: Path, data: bytes, why: str) -> None:
    """Nothing is laid out."""
    with pytest.raises(NolaError, match=why):
        opened(folder, data)
    assert laid(folder) == {}


@pytest.mark.parametrize(
    ("name", "data", "says", "fix"),
    [
        ("letter.txt", b"Dear Mara", "letter.txt is no backup of Nola's", "name one that is: nola backup list"),
        (NAME, b"Dear Mara", f"{NAME} is damaged: it does not begin as one", "take another one: nola backup list"),
        (
            NAME,
            archive(FILES)[:200],
            f"{NAME} is damaged: it breaks off before its manifest ends",
            "take another one: nola backup list",
        ),
    ],
)
def test_what_can_not_be_opened_is_said_with_what_to_do(
    tmp_path: Path, name: str, data: bytes, says: str, fix: str
) -> None:
    """No word of gzip or of bytes; a file that is called as a backup is one that is damaged."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(NolaError) as caught:
        unpack(tmp_path / name, tmp_path)
    assert (str(caught.value), caught.value.fix) == (says, fix)


def test_an_archive_that_breaks_off_is_a_defect(folder: Path) -> None:
    """What had come is checked, what is missing is named, and the end is told."""
    large = os.urandom(200_000)
    found = opened(folder, archive({"state/user.json": b"{}", "state/large": large, "settings.toml": b""})[:-100_000])
    assert "settings.toml is missing" in found
    assert any(sentence.startswith("the archive is damaged:") for sentence in found)
    assert laid(folder)["state/user.json"] == b"{}"


def test_a_bomb_is_cut_short(folder: Path) -> None:
    """More bytes than the manifest promises are not even read, wherever they hide: behind the end, or in a header."""
    behind = gzip.compress(gzip.decompress(archive({"state/user.json": b"{}"})) + bytes(50_000_000))
    assert opened(folder, behind) == ["the archive is damaged: it holds more than its manifest says"]
    evil = member("state/user.json", b"{}", pax_headers={"comment": "x" * 50_000_000})
    (folder / "state/user.json").unlink()
    header = gzip.compress(tar([member("manifest.json", manifest(entry("state/user.json", b"{}"))), evil]))
    assert opened(folder, header) == [
        "the archive is damaged: it holds more than its manifest says",
        "state/user.json is missing",
    ]


def test_a_bomb_before_the_manifest_is_cut_short(folder: Path) -> None:
    """Also the first member may not be larger than any manifest."""
    evil = gzip.compress(tar([member("manifest.json", b" " * 65_000_000)]), 1)
    with pytest.raises(NolaError, match="archive is no backup of Nola's"):
        opened(folder, evil)


def test_a_full_disk_is_no_damaged_archive(folder: Path) -> None:
    """It is told for what it is."""
    (folder / "state").write_bytes(b"in the way")
    with pytest.raises(StorageError):
        opened(folder, archive({"state/user.json": b"{}"}))


def test_an_encrypted_archive_needs_its_passphrase(folder: Path) -> None:
    """Without one, the option is named; the content is not looked at."""
    path = folder.parents[1] / "archive"
    path.write_bytes(b"age-encryption.org/v1\n")
    assert is_sealed(path)
    with pytest.raises(NolaError, match="archive is encrypted") as caught:
        unpack(path, folder)
    assert "--passphrase-file" in caught.value.fix
    with pytest.raises(NolaError, match="can't be read"):
        is_sealed(folder / "missing")


WHOLE = archive(FILES)


@settings(max_examples=300, deadline=None)
@given(at=st.integers(0, len(WHOLE) - 1), change=st.integers(1, 255), cut=st.booleans())
def test_no_changed_byte_goes_unnoticed(
    tmp_path_factory: pytest.TempPathFactory, at: int, change: int, *, cut: bool
) -> None:
    """One byte is changed, or the rest is cut off: then it is refused, has a defect, or comes out as it was."""
    folder = tmp_path_factory.mktemp("unpacked")
    path = tmp_path_factory.mktemp("archives") / "archive"
    path.write_bytes(WHOLE[:at] if cut else WHOLE[:at] + bytes([WHOLE[at] ^ change]) + WHOLE[at + 1 :])
    try:
        found = unpack(path, folder)[1]
    except StorageError:
        raise
    except NolaError:
        return
    assert found or laid(folder) == FILES
    assert all(FILES.get(name) == content for name, content in laid(folder).items())


@settings(max_examples=300, deadline=None)
@given(st.integers(0, 100_000), st.binary(min_size=1, max_size=600))
def test_no_tar_makes_it_stumble(tmp_path_factory: pytest.TempPathFactory, at: int, patch: bytes) -> None:
    """Bytes are overwritten below the compression, where no checksum tells: what is laid out is as promised, or not."""
    plain = bytearray(gzip.decompress(WHOLE))
    at %= len(plain)
    plain[at : at + len(patch)] = patch
    folder = tmp_path_factory.mktemp("unpacked")
    path = tmp_path_factory.mktemp("archives") / "archive"
    path.write_bytes(gzip.compress(bytes(plain), 1))
    try:
        found = unpack(path, folder)[1]
    except StorageError:
        raise
    except NolaError:
        return
    assert found or laid(folder) == FILES
