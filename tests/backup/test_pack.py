"""Writing archives."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nola.backup.pack import Member, packed

NAMES = st.text(
    st.characters(exclude_characters="\0/", exclude_categories=["Cs"]) | st.sampled_from(["\udc80", "\udcff"]),
    min_size=1,
    max_size=200,
)


def archive(*members: tuple[str, bytes]) -> bytes:
    """Pack some files."""
    return b"".join(packed(Member(name, len(content), 1_790_000_000, [content]) for name, content in members))


@given(st.dictionaries(NAMES.map("state/".__add__), st.binary(max_size=2000), max_size=5))
def test_any_tar_reads_it(files: dict[str, bytes]) -> None:
    """Names of any length and bytes come out as they went in, in their order."""
    with tarfile.open(fileobj=io.BytesIO(archive(*files.items())), mode="r:gz", encoding="utf-8") as tar:
        found = {member.name: tar.extractfile(member) for member in tar}
        assert {name: file.read() for name, file in found.items() if file} == files
        assert list(found) == list(files)
        assert all((m.mode, m.uid, m.mtime, m.isreg()) == (0o600, 0, 1_790_000_000, True) for m in tar)


def test_equal_content_gives_equal_bytes() -> None:
    """No time of packing stands in it."""
    assert archive(("a", b"1"), ("b", b"2")) == archive(("a", b"1"), ("b", b"2"))


def test_it_is_a_stream() -> None:
    """What comes out depends on what went in so far, so that a large file is never whole in memory."""
    taken = 0

    def chunks() -> list[bytes]:
        nonlocal taken
        taken += 1
        return [b"x"]

    members = (Member(f"m{n}", 1, 0, chunks()) for n in range(10_000))
    stream = packed(members)
    next(stream)  # the header of gzip
    assert next(stream)
    assert 0 < taken < 10_000


def test_a_member_of_another_size_is_refused() -> None:
    """An archive that lies about a size could not be read."""
    with pytest.raises(ValueError, match="a has 3 bytes and not 2"):
        list(packed([Member("a", 2, 0, [b"123"])]))
