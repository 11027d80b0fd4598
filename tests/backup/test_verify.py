"""Judging what came out of an archive."""

from __future__ import annotations

import gzip
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from nola.backup.names import Kind
from nola.backup.unpack import unpack
from nola.backup.verify import Verdict, is_module, judge, refuse_defects
from nola.errors import NolaError
from tests.backup.making import archive, manifest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.backup.conftest import Home

GOOD = b'{"metadata": {}, "data": {}}'


def judged(folder: Path, data: bytes, name: str = "nola-20261120T090000Z-daily.tar.gz") -> Verdict:
    """Unpack an archive and judge it."""
    path = folder / name
    path.write_bytes(data)
    inner = folder / "inner"
    inner.mkdir()
    manifest, found = unpack(path, inner)
    return judge(path, manifest, inner, found)


def test_a_good_one_is_counted(full: Home) -> None:
    """Modules, other files, conversations, messages and bytes."""
    found = full.backups.verify(str(full.backups.create().path))
    assert (found.ok, found.defects, found.warnings) == (True, (), ())
    assert (found.files, found.modules, found.conversations, found.messages) == (9, 5, 2, 2)
    assert found.size > 10_000


def test_a_broken_module_is_told_and_can_be_brought_back(tmp_path: Path) -> None:
    """It was so when the backup was made; line and column are told."""
    found = judged(
        tmp_path,
        archive(
            {
                "state/user.json": b'{\n"a": }',
                "state/modules/list.json": b"[]",
                "state/Nola.json": GOOD,
                "state/.history/x.json": b"{",
            }
        ),
    )
    assert found.defects == ()
    assert not found.ok
    assert [sentence.partition(": ")[0] for sentence in found.warnings] == [
        "state/user.json, line 2, column 6",
        "state/modules/list.json, line 1, column 1",
    ]
    assert all(sentence.endswith("; it was so when the backup was made") for sentence in found.warnings)
    refuse_defects(found)


def test_settings_that_can_not_be_used_are_told(tmp_path: Path) -> None:
    """Without the name of the folder in which they were tried."""
    found = judged(tmp_path, archive({"settings.toml": b"[llm]\nreply_tokens = 1\n"}))
    assert found.warnings == ("settings.toml can't be used by this Nola: llm.reply_tokens takes 16 to 32768, not 1",)


def test_a_damaged_database_is_a_defect(tmp_path: Path) -> None:
    """It can't be brought back, and says so in a sentence."""
    found = judged(tmp_path, archive({"memory.db": b"junk" * 2000}))
    assert found.defects == ("memory.db: file is not a database",)
    assert (found.conversations, found.messages) == (0, 0)
    with pytest.raises(NolaError, match=r"can't be brought back: memory\.db: file is not a database") as caught:
        refuse_defects(found)
    assert "nola backup verify nola-20261120T090000Z-daily.tar.gz" in caught.value.fix


def test_what_was_left_out_is_told(tmp_path: Path) -> None:
    """The backup is as good as it can be, and that is said."""
    head = manifest(left_out=[{"path": "memory.db", "why": "it was damaged"}])
    found = judged(tmp_path, archive({}, head=head))
    assert found.warnings == ("memory.db is not in the backup: it was damaged",)
    assert found.info.left_out == found.warnings


def test_a_file_of_any_name_is_known_by_its_manifest(tmp_path: Path) -> None:
    """Time and kind come from inside when the name does not tell."""
    found = judged(tmp_path, archive({}), "copy.bin").info
    assert (found.name, found.kind, found.encrypted) == ("copy.bin", Kind.MANUAL, False)
    assert found.created == datetime(2026, 11, 20, 9, 0, tzinfo=UTC)


def test_defects_of_the_archive_itself_come_first(tmp_path: Path) -> None:
    """What was found while unpacking stands before what was found in the files."""
    found = judged(tmp_path, gzip.compress(gzip.decompress(archive({"memory.db": b"junk" * 2000}))[:-2048]) + b"x")
    assert len(found.defects) == 2
    assert found.defects[0].startswith("the archive is damaged")
    assert replace(found, defects=()).ok


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("state/user.json", True),
        ("state/modules/work.json", True),
        ("state/.format.json", False),
        ("state/modules/.hidden.json", False),
        ("state/modules/a/b.json", False),
        ("state/other/b.json", False),
        ("state/user.json.conflict", False),
        ("settings.toml", False),
    ],
)
def test_modules_are_the_json_files_that_nola_reads(path: str, *, expected: bool) -> None:
    """The core files, and those in modules."""
    assert is_module(path) is expected
