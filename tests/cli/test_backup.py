"""Tests of `nola backup`."""

from __future__ import annotations

import getpass
import json
import shutil
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from nola.backup.names import Kind
from nola.cli.desk import Desk
from nola.cli.root import app
from tests.backup.conftest import Home
from tests.cli.terminal import seated

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import CommandLine

NAME = "nola-20261120T090000Z-manual.tar.gz"
UNDO = "nola-20261120T090001Z-before-restore.tar.gz"


@pytest.fixture
def lived(nola: CommandLine) -> CommandLine:
    """Return a command line whose home holds a little of everything."""
    Home(nola.home).fill()
    return nola


@pytest.fixture
def saved(lived: CommandLine) -> CommandLine:
    """Return one with a backup, in which a module is different and another is new."""
    lived.assistant.backups.create()
    Home(lived.home).write("state/user.json", b"{}")
    Home(lived.home).write("state/modules/garden.json", b"{}")
    (lived.home / "state/modules/work.json").unlink()
    return lived


def at_terminal(
    nola: CommandLine, monkeypatch: pytest.MonkeyPatch, typed: str, *arguments: str
) -> tuple[int, str, str]:
    """Run a command for somebody at a terminal who types this; return exit code, stdout and stderr."""
    code = 0
    with seated(monkeypatch, typed) as screen:
        try:
            app(list(arguments), obj=nola.desk(), standalone_mode=True)
        except SystemExit as ended:
            code = int(ended.code or 0)
    return code, screen.out.getvalue(), screen.err.getvalue()


def test_create_names_what_it_made(lived: CommandLine) -> None:
    """One line on stdout, or the document of it."""
    said = lived("backup", "create")
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout.startswith(f"made {NAME}  (")
    made = json.loads(lived("backup", "create", "--json").stdout)
    assert made["name"] == "nola-20261120T090001Z-manual.tar.gz"
    assert made["path"] == str(lived.home / "backups" / made["name"])
    assert (made["created"], made["kind"], made["encrypted"], made["left_out"]) == (
        "2026-11-20T09:00:01+00:00",
        "manual",
        False,
        [],
    )


def test_create_can_write_elsewhere(lived: CommandLine, tmp_path: Path) -> None:
    """Then the whole path is told, since no list will show it."""
    said = lived("backup", "create", "--output", str(tmp_path / "mine.tar.gz"))
    assert said.stdout.startswith(f"made {tmp_path / 'mine.tar.gz'}  (")
    assert lived("backup", "create", "-o", str(tmp_path / "mine.tar.gz")).exit_code == 2


def test_create_says_what_is_not_in_it(lived: CommandLine) -> None:
    """The rest is, and the exit code is 1."""
    (lived.home / "state/gone.json").symlink_to(lived.home / "nowhere")
    said = lived("backup", "create")
    assert (said.exit_code, said.stdout.startswith("made ")) == (1, True)
    assert said.stderr == "nola: state/gone.json is not in the backup: it is a link that leads nowhere\n"


def test_list_shows_them_newest_first(lived: CommandLine) -> None:
    """From their names alone; none is no error."""
    said = lived("backup", "list")
    assert (said.exit_code, said.stdout, said.stderr) == (0, "", "there are no backups yet\n")
    lived.assistant.backups.create()
    lived.assistant.backups.create(Kind.DAILY)
    said = lived("backup", "list")
    assert said.stdout.splitlines()[0].split() == ["name", "made", "kind", "size", "encrypted"]
    assert [line.split()[0] for line in said.stdout.splitlines()[1:]] == [
        "nola-20261120T090001Z-daily.tar.gz",
        NAME,
    ]
    assert [row["kind"] for row in json.loads(lived("backup", "list", "--json").stdout)] == ["daily", "manual"]


def test_verify_says_what_is_in_it(lived: CommandLine) -> None:
    """Exit code 0 when all is well."""
    lived("backup", "create")
    said = lived("backup", "verify", "latest")
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout.startswith(f"{NAME}: well; 5 modules, 2 conversations with 2 messages, 9 files, ")
    found = json.loads(lived("backup", "verify", NAME, "--json").stdout)
    assert (found["ok"], found["modules"], found["messages"], found["defects"]) == (True, 5, 2, [])


def test_verify_has_a_sentence_for_each_defect(lived: CommandLine) -> None:
    """Exit code 1; what was broken already is a warning."""
    Home(lived.home).write("state/user.json", b"{")
    lived("backup", "create")
    said = lived("backup", "verify", "latest")
    assert said.exit_code == 1
    assert said.stdout.startswith("warning: state/user.json, line 1, column ")
    assert f"{NAME}: can be brought back; " in said.stdout
    archive = lived.home / "backups" / NAME
    archive.write_bytes(archive.read_bytes()[:-100])
    said = lived("backup", "verify", "latest")
    assert said.exit_code == 1
    assert said.stdout.startswith("defect: the archive is damaged: ")
    assert f"{NAME}: defective; " in said.stdout
    assert lived("backup", "verify", "other").exit_code == 2
    archive.write_bytes(b"junk")
    said = lived("backup", "verify", "latest")
    assert (said.exit_code, said.stdout) == (1, "")
    assert (
        said.stderr == f"nola: {NAME} is damaged: it does not begin as one\n      take another one: nola backup list\n"
    )


@pytest.mark.parametrize("command", [["verify"], ["restore", "--dry-run"], ["restore", "--yes", "--json"]])
def test_a_file_that_is_no_backup_is_said_in_a_sentence(lived: CommandLine, tmp_path: Path, command: list[str]) -> None:
    """Exit code 1, nothing on stdout, and what to do below it."""
    (tmp_path / "letter.txt").write_bytes(b"Dear Mara")
    said = lived("backup", *command, str(tmp_path / "letter.txt"))
    assert (said.exit_code, said.stdout) == (1, "")
    assert said.stderr == "nola: letter.txt is no backup of Nola's\n      name one that is: nola backup list\n"


def test_a_dry_run_shows_and_does_nothing(saved: CommandLine) -> None:
    """Every module that would come back, change or vanish, and the conversations before and after."""
    before = Home(saved.home).content()
    said = saved("backup", "restore", "latest", "--dry-run")
    assert (said.exit_code, said.stderr) == (0, "")
    lines = said.stdout.splitlines()
    assert lines[0].startswith(f"{NAME}, made 2026-11-")
    assert lines[1:] == [
        "  come back  modules/work.json",
        "  change     user.json",
        "  vanish     modules/garden.json",
        "  conversations: 2 -> 2",
        "  messages: 2 -> 2",
    ]
    told = json.loads(saved("backup", "restore", "latest", "--dry-run", "--json").stdout)
    assert (told["restored"], told["undo"], told["plan"]["back"]) == (None, None, ["modules/work.json"])
    assert Home(saved.home).content() == before


def test_restore_needs_a_yes(saved: CommandLine) -> None:
    """Where nobody can be asked it is wrong usage, after the plan was shown."""
    before = Home(saved.home).content()
    said = saved("backup", "restore", "latest")
    assert said.exit_code == 2
    assert "come back" in said.stdout
    assert "add --yes" in said.stderr
    assert Home(saved.home).content() == before


def test_restore_tells_how_to_undo_it(saved: CommandLine) -> None:
    """The last line is the command that brings back what was there."""
    before = Home(saved.home).content()
    said = saved("backup", "restore", "latest", "--yes")
    assert said.exit_code == 0
    assert said.stdout.splitlines()[-2:] == [f"restored {NAME}", f"undo: nola backup restore {UNDO}"]
    assert Home(saved.home).content() != before
    told = json.loads(saved("backup", "restore", UNDO, "--yes", "--json").stdout)
    assert told["restored"] == UNDO
    assert told["plan"]["gone"] == ["modules/work.json"]
    assert Home(saved.home).content() == before


def test_restore_asks_at_a_terminal(saved: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything but yes changes nothing."""
    before = Home(saved.home).content()
    code, _, err = at_terminal(saved, monkeypatch, "no\n", "backup", "restore", "latest")
    assert (code, err) == (1, "bring it back? [y/N] nothing was changed\n")
    assert Home(saved.home).content() == before
    code, out, _ = at_terminal(saved, monkeypatch, "y\n", "backup", "restore", "latest")
    assert (code, f"restored {NAME}" in out) == (0, True)


def test_settings_and_other_files_are_told_too(saved: CommandLine) -> None:
    """The history of changes is counted, and the settings have their line."""
    Home(saved.home).write("settings.toml", b"[llm]\nseed = 7\n")
    Home(saved.home).write("state/.history/changes.jsonl", b"{}")
    Home(saved.home).write("memory.db", b"junk" * 2000)
    said = saved("backup", "restore", "latest", "--dry-run")
    assert said.stdout.splitlines()[4:] == [
        "  change     settings.toml",
        "  other files of the state folder: 1",
        "  conversations: unreadable -> 2",
        "  messages: unreadable -> 2",
    ]


def test_delete_asks_and_deletes(saved: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """All names have to be right before the first goes."""
    assert saved("backup", "delete", NAME).exit_code == 2
    assert saved("backup", "delete", NAME, "other", "--yes").exit_code == 2
    assert saved("backup", "delete", "latest", "--yes").exit_code == 2
    code, _, err = at_terminal(saved, monkeypatch, "\n", "backup", "delete", NAME)
    assert (code, err) == (1, f"delete {NAME}? [y/N] nothing was changed\n")
    said = saved("backup", "delete", NAME, "--yes")
    assert (said.exit_code, said.stdout) == (0, f"deleted {NAME}\n")
    saved("backup", "create")
    assert json.loads(saved("backup", "delete", NAME, "--yes", "--json").stdout)[0]["name"] == NAME
    assert saved.assistant.backups.list() == []


def test_a_passphrase_comes_from_a_file_or_stdin(
    lived: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first line counts; the archive shows nothing, and the environment is not asked."""
    pytest.importorskip("pyrage", reason="pyrage is not installed")
    monkeypatch.setenv("NOLA_BACKUP_PASSPHRASE", "correct horse")
    secret = tmp_path / "secret"
    secret.write_text("correct horse\nsecond line\n", encoding="utf-8")
    said = lived("backup", "create", "--passphrase-file", str(secret))
    assert said.stdout.startswith(f"made {NAME}.age  (")
    assert "yes" in lived("backup", "list").stdout
    said = lived("backup", "verify", "latest", "--passphrase-file", "-", text="correct horse\n")
    assert said.exit_code == 0
    said = lived("backup", "verify", "latest")
    assert said.exit_code == 2
    assert "--passphrase-file FILE" in said.stderr
    said = lived("backup", "restore", "latest", "--passphrase-file", "-", "--yes", text="battery staple\n")
    assert (said.exit_code, said.stderr.splitlines()[0]) == (1, "nola: the passphrase is wrong")


def test_a_passphrase_is_asked_for_at_a_terminal(lived: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice when it is new, and unseen; two different ones make no backup."""
    pytest.importorskip("pyrage", reason="pyrage is not installed")
    answers = ["correct horse", "correct hrose", "correct horse", "correct horse", "correct horse"]
    asked: list[str] = []

    def answer(prompt: str, _: object) -> str:
        asked.append(prompt)
        return answers[len(asked) - 1]

    monkeypatch.setattr(getpass, "getpass", answer)
    code, _, err = at_terminal(lived, monkeypatch, "", "backup", "create", "--encrypt")
    assert (code, err.splitlines()[0]) == (1, "nola: the two passphrases are not the same")
    assert lived.assistant.backups.list() == []
    assert at_terminal(lived, monkeypatch, "", "backup", "create", "--encrypt")[0] == 0
    assert at_terminal(lived, monkeypatch, "", "backup", "verify", "latest")[0] == 0
    assert asked == ["Passphrase: ", "Once more: ", "Passphrase: ", "Once more: ", "Passphrase: "]


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "the passphrase is empty"), (b"\n", "the passphrase is empty"), (b"\xff", "holds no text")],
)
def test_a_bad_passphrase_file_is_said(lived: CommandLine, tmp_path: Path, content: bytes, why: str) -> None:
    """No backup is made without the protection that was asked for."""
    (tmp_path / "secret").write_bytes(content)
    said = lived("backup", "create", "--passphrase-file", str(tmp_path / "secret"))
    assert (said.exit_code, why in said.stderr) == (1, True)
    said = lived("backup", "create", "--passphrase-file", str(tmp_path / "missing"))
    assert (said.exit_code, "No such file" in said.stderr) == (1, True)
    said = lived("backup", "create", "--encrypt")
    assert (said.exit_code, "no terminal" in said.stderr) == (2, True)
    assert lived.assistant.backups.list() == []


def test_a_bar_is_for_terminals_and_large_backups(
    lived: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A small backup shows none; a large one draws on stderr and leaves stdout alone."""
    _, _, err = at_terminal(lived, monkeypatch, "", "backup", "create")
    assert err == ""
    Home(lived.home).write("state/modules/large.bin", bytes(21_000_000))
    code, out, err = at_terminal(lived, monkeypatch, "", "backup", "create", "--output", str(tmp_path / "large"))
    assert (code, len(out.splitlines())) == (0, 1)
    assert "large" in err


def test_a_state_that_was_gone_is_told_by_the_next_command(lived: CommandLine) -> None:
    """Once, on stderr, with the command that brings it back; stdout stays what it is."""
    lived("backup", "create")
    shutil.rmtree(lived.home / "state")
    first, second = (CliRunner().invoke(app, ["backup", "list", "--json"], obj=Desk(lived.environ)) for _ in range(2))
    assert first.stderr == (
        f"note: the state in {lived.home / 'state'} was gone and was made anew;"
        f" bring the newest backup back: nola backup restore {NAME}\n"
    )
    assert (second.stderr, json.loads(second.stdout)[0]["name"]) == ("", NAME)
    assert (first.exit_code, first.stdout) == (0, second.stdout)
