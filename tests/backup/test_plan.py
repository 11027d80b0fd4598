"""What a restore would change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.backup.conftest import Home


@pytest.fixture
def saved(full: Home) -> Home:
    """A home with a backup."""
    full.backups.create()
    return full


def test_nothing_changed(saved: Home) -> None:
    """Then nothing would."""
    plan = saved.backups.plan("latest")
    assert (plan.back, plan.changed, plan.gone, plan.others, plan.settings) == ((), (), (), 0, "same")
    assert (plan.conversations, plan.messages, plan.warnings) == ((2, 2), (2, 2), ())


def test_everything_that_would_change_is_named(saved: Home) -> None:
    """Modules by name, other files by number, conversations before and after."""
    (saved.places.state / "modules/work.json").unlink()
    saved.write("state/user.json", b"{}")
    saved.write("state/modules/garden.json", b"{}")
    saved.write("state/.history/changes.jsonl", b"{}\n")
    saved.write("state/.last-good/user.json", b"{}")
    saved.say("three", "four")
    plan = saved.backups.plan("latest")
    assert (plan.back, plan.changed, plan.gone) == (("modules/work.json",), ("user.json",), ("modules/garden.json",))
    assert (plan.others, plan.conversations, plan.messages) == (1, (4, 2), (4, 2))


@pytest.mark.parametrize(("content", "fate"), [(b"[llm]\nseed = 3\n", "changed"), (None, "back")])
def test_settings_have_their_own_line(saved: Home, content: bytes | None, fate: str) -> None:
    """They come back, or change."""
    if content is None:
        saved.places.settings.unlink()
    else:
        saved.places.settings.write_bytes(content)
    assert saved.backups.plan("latest").settings == fate


def test_settings_that_the_backup_does_not_know_would_go(home: Home) -> None:
    """The home would be as it was, and it had none."""
    home.write("state/user.json", b"{}")
    home.backups.create()
    home.write("settings.toml", b"")
    assert home.backups.plan("latest").settings == "gone"


def test_a_database_that_can_not_be_read_is_no_number(saved: Home) -> None:
    """What there is now is unknown; what there would be is not."""
    saved.places.database.write_bytes(b"junk" * 2000)
    assert saved.backups.plan("latest").conversations == (None, 2)


def test_a_backup_without_the_memory_leaves_it(full: Home) -> None:
    """It could not be read when the backup was made, so nothing is known about it, and nothing happens to it."""
    good = full.places.database.read_bytes()
    full.places.database.write_bytes(b"junk" * 2000)
    assert full.backups.create().left_out
    full.places.database.write_bytes(good)
    plan = full.backups.plan("latest")
    assert plan.conversations == (2, 2)
    assert plan.warnings[0].startswith("memory.db is not in the backup: ")


def test_planning_changes_nothing(saved: Home) -> None:
    """Not a file appears."""
    before = (saved.content(), saved.names(), saved.names("backups"))
    saved.backups.plan("latest")
    assert (saved.content(), saved.names(), saved.names("backups")) == before
