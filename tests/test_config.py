"""Settings are read once, from the file and the environment, and refused in one sentence when they are wrong."""

from __future__ import annotations

import dataclasses
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs
import pytest

from nola import config
from nola.errors import ConfigError
from nola.settings import HeatSettings, MemorySettings, Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from nola.config import Config


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Config]:
    """Loads the settings of a home folder, with a settings file and variables of the test's own."""

    def loaded(toml: str | None = None, **environ: str) -> Config:
        if toml is not None:
            (tmp_path / "settings.toml").write_text(toml, encoding="utf-8")
        return config.load({"NOLA_HOME": str(tmp_path), **environ})

    return loaded


def test_without_anything_the_defaults_hold(load: Callable[..., Config]) -> None:
    """No file and no variable gives every default, and the machine's own time."""
    loaded = load()
    assert loaded.settings == Settings()
    assert (loaded.now, dict(loaded.origins)) == (None, {})


def test_everything_lies_in_the_home_folder(load: Callable[..., Config], tmp_path: Path) -> None:
    """NOLA_HOME moves every folder and file."""
    loaded = load()
    assert loaded.home == tmp_path
    paths = (loaded.state_dir, loaded.models_dir, loaded.cache_dir, loaded.database, loaded.settings_file)
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [
        "state",
        "models",
        "cache",
        "memory.db",
        "settings.toml",
    ]


def test_the_home_folder_has_a_default_and_may_begin_with_a_tilde() -> None:
    """Without NOLA_HOME the platform's data folder is taken; a tilde is the person's own folder."""
    assert config.load({"NOLA_HOME": "  "}).home == Path(platformdirs.user_data_dir("nola", appauthor=False))
    assert config.load({"NOLA_HOME": "~/elsewhere"}).home == Path.home() / "elsewhere"
    assert config.load({"NOLA_HOME": "here"}).home == Path.cwd() / "here"


@pytest.mark.parametrize(
    ("home", "says"),
    [
        ("/caf\udce9", "the name of Nola's folder is not UTF-8: /caf\udce9"),
        ("/" + "n" * 300, f"/{'n' * 300} can't be Nola's folder: File name too long"),
        ("~no-such-person/nola", "~no-such-person/nola can't be Nola's folder: Could not determine home directory."),
        ("/dev/null", "/dev/null is a file, not a folder"),
    ],
)
def test_a_home_that_can_not_be_one_is_refused(home: str, says: str) -> None:
    """In one sentence that says what to do; the bytes of its name are kept as they came."""
    with pytest.raises(ConfigError) as caught:
        config.load({"NOLA_HOME": home})
    assert str(caught.value) == says
    assert caught.value.fix.startswith("point NOLA_HOME at ")


def test_a_setting_that_is_no_text_is_refused(load: Callable[..., Config]) -> None:
    """Bytes that are no UTF-8 could be written into no file."""
    with pytest.raises(ConfigError, match=r"llm\.model takes text in UTF-8"):
        load(NOLA_LLM_MODEL="caf\udce9")


def test_a_settings_file_that_can_not_be_looked_at_is_refused(load: Callable[..., Config], tmp_path: Path) -> None:
    """A link to itself, for example."""
    (tmp_path / "settings.toml").symlink_to("settings.toml")
    with pytest.raises(ConfigError, match=r"can't be read"):
        load()


def test_the_file_beats_the_defaults_and_the_environment_beats_the_file(load: Callable[..., Config]) -> None:
    """The later of the three places wins, and each setting says who set it."""
    loaded = load("[context]\nbudget_l1 = 20\nbudget_l2 = 60\n", NOLA_CONTEXT_BUDGET_L2="70")
    context = loaded.settings.context
    assert (context.budget_l1, context.budget_l2, context.budget_l3) == (20, 70, 200)
    assert loaded.origins == {"context.budget_l1": "file", "context.budget_l2": "environment"}


def test_nola_model_is_short_for_the_models_setting(load: Callable[..., Config]) -> None:
    """NOLA_MODEL names the model, and beats the file and the long name; an empty one says nothing."""
    assert load('[llm]\nmodel = "a"\n', NOLA_MODEL=" none ").settings.llm.model == "none"
    assert load(NOLA_LLM_MODEL="b", NOLA_MODEL="c").settings.llm.model == "c"
    assert load('[llm]\nmodel = "a"\n', NOLA_MODEL=" ").settings.llm.model == "a"


def test_nola_now_starts_the_clock(load: Callable[..., Config]) -> None:
    """NOLA_NOW is read as an instant; what is none is refused."""
    assert load(NOLA_NOW="2026-11-20T09:00:00+01:00").now == datetime(2026, 11, 20, 8, 0, tzinfo=UTC)
    assert load(NOLA_NOW="").now is None
    with pytest.raises(ConfigError, match="not an ISO-8601 time: 'soon'"):
        load(NOLA_NOW="soon")


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("context.ablate_levels", "yes", True),
        ("context.ablate_levels", "OFF", False),
        ("context.budget_l1", " 12 ", 12),
        ("context.budget_l1", 12.0, 12),
        ("llm.temperature", "0.5", 0.5),
        ("llm.temperature", 1, 1.0),
        ("llm.seed", "-1", -1),
        ("context.profile", "hea", "hea"),
        ("llm.model", "", ""),
        ("context.budget_l1", 0, 0),
        ("context.budget_l1", 100_000, 100_000),
    ],
)
def test_a_value_is_read_as_its_kind(key: str, text: str | float, value: object) -> None:
    """Text becomes the setting's own kind, and the ends of a range belong to it."""
    read = config.parse_value(key, text)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("key", "text", "says"),
    [
        ("context.budget_l1", "ten", "context.budget_l1 takes a whole number, not 'ten'"),
        ("context.budget_l1", "1.5", "context.budget_l1 takes a whole number, not '1.5'"),
        ("context.budget_l1", 1.5, "context.budget_l1 takes a whole number, not 1.5"),
        ("context.budget_l1", True, "context.budget_l1 takes a whole number, not True"),
        ("context.budget_l1", [1], "context.budget_l1 takes a whole number, not [1]"),
        ("context.budget_l1", -1, "context.budget_l1 takes 0 to 100000, not -1"),
        ("context.budget_l1", 100_001, "context.budget_l1 takes 0 to 100000, not 100001"),
        ("context.budget_l1", "9" * 400, f"context.budget_l1 takes 0 to 100000, not '{'9' * 400}'"),
        ("llm.temperature", "warm", "llm.temperature takes a number, not 'warm'"),
        ("llm.temperature", True, "llm.temperature takes a number, not True"),
        ("llm.temperature", "nan", "llm.temperature takes 0 to 2, not 'nan'"),
        ("llm.temperature", float("nan"), "llm.temperature takes 0 to 2, not nan"),
        ("llm.temperature", "inf", "llm.temperature takes 0 to 2, not 'inf'"),
        ("context.budget_l1", float("inf"), "context.budget_l1 takes a whole number, not inf"),
        ("context.ablate_levels", "perhaps", "context.ablate_levels takes true or false, not 'perhaps'"),
        ("context.ablate_levels", 2, "context.ablate_levels takes true or false, not 2"),
        ("context.profile", "other", "context.profile is one of nola, hea, not 'other'"),
        ("llm.model", 7, "llm.model takes text, not 7"),
        ("llm.colour", "red", "no setting is called 'llm.colour'"),
        ("nothing", "red", "no setting is called 'nothing'"),
        ("nothing.at.all", "red", "no setting is called 'nothing.at.all'"),
    ],
)
def test_a_wrong_value_is_refused_in_one_sentence(key: str, text: Any, says: str) -> None:
    """What is unknown, of another kind or out of range is named with what the setting takes."""
    with pytest.raises(ConfigError) as caught:
        config.parse_value(key, text)
    assert str(caught.value) == says


@pytest.mark.row("A11")
@pytest.mark.parametrize("alpha", [-0.1, 1.1, 5.0, float("nan"), float("inf")])
def test_an_exponent_out_of_range_is_refused(load: Callable[..., Config], alpha: float) -> None:
    """In a program's settings, typed, in the environment, and in the file: 0 to 1 and nothing else."""
    for read in (
        lambda: config.checked(Settings(heat=HeatSettings(alpha=alpha))),
        lambda: config.parse_value("heat.alpha", alpha),
        lambda: load(NOLA_HEAT_ALPHA=str(alpha)),
        lambda: load(f"[heat]\nalpha = {alpha}\n"),
    ):
        with pytest.raises(ConfigError, match=r"^heat\.alpha takes 0 to 1, not "):
            read()


def test_settings_of_a_program_are_read_as_those_of_the_file() -> None:
    """What is right comes back, a text as the setting's own kind; what is no group of settings is named."""
    right = Settings(heat=HeatSettings(alpha=0.3, counted="n"), memory=MemorySettings(working_slots=5))
    assert config.checked(right) == right
    assert config.checked(Settings(heat=HeatSettings(alpha="0.3"))).heat.alpha == 0.3  # type: ignore[arg-type]
    wrong: dict[Any, str] = {
        Settings(heat=HeatSettings(counted="twice")): "heat.counted is one of n+1, n, not 'twice'",
        Settings(heat=None): "heat takes HeatSettings, not NoneType",  # type: ignore[arg-type]
        None: "settings takes Settings, not NoneType",
    }
    for settings, says in wrong.items():
        with pytest.raises(ConfigError) as caught:
            config.checked(settings)
        assert str(caught.value) == says


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[context]\nbudget = 1\n", "no setting is called context.budget"),
        ("[contex]\nbudget_l1 = 1\n", "no group of settings is called [contex]"),
        ("budget_l1 = 1\n", "no group of settings is called [budget_l1]"),
        ("context = 1\n", "context is a group of settings"),
        ('[context]\nbudget_l1 = "many"\n', "context.budget_l1 takes a whole number, not 'many'"),
        ("[llm]\ntemperature = nan\n", "llm.temperature takes 0 to 2, not nan"),
        ("[context\n", "settings.toml can't be read: "),
        ("a = 1\na = 2\n", "settings.toml can't be read: "),
    ],
)
def test_a_wrong_file_is_refused_in_one_sentence(load: Callable[..., Config], toml: str, says: str) -> None:
    """A settings file that breaks a rule stops the start, with one sentence that says where."""
    with pytest.raises(ConfigError) as caught:
        load(toml)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text_is_refused(load: Callable[..., Config], tmp_path: Path) -> None:
    """A binary settings file, and a folder in its place, are refused and left alone."""
    (tmp_path / "settings.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match=r"can't be read") as caught:
        load()
    assert caught.value.fix == "mend the file; nothing in it was changed"
    (tmp_path / "settings.toml").unlink()
    (tmp_path / "settings.toml").mkdir()
    with pytest.raises(ConfigError, match=r"is no regular file"):
        load()


def test_a_misspelt_variable_is_refused(load: Callable[..., Config]) -> None:
    """A variable of a known group that names no setting is refused, as one in the file is."""
    with pytest.raises(ConfigError, match=r"NOLA_CONTEXT_BUGDET_L1: no setting is called context\.bugdet_l1"):
        load(NOLA_CONTEXT_BUGDET_L1="5")


def test_other_variables_are_none_of_our_business(load: Callable[..., Config]) -> None:
    """What begins otherwise, or names no group, is left alone."""
    assert load(NOLA_SOMETHING="1", CONTEXT_BUDGET_L1="5", NOLA_="x").settings == Settings()


def test_a_wrong_variable_is_refused(load: Callable[..., Config]) -> None:
    """A value from the environment is checked as one from the file."""
    with pytest.raises(ConfigError, match=r"llm\.temperature takes 0 to 2, not '9'"):
        load(NOLA_LLM_TEMPERATURE="9")


@pytest.mark.row("X11")
def test_at_least_sixty_constants_are_described(load: Callable[..., Config]) -> None:
    """Every constant is listed once, each with a meaning and a source."""
    rows = config.describe(load())
    assert len(rows) >= 60
    assert len({row.key for row in rows}) == len(rows)
    assert [row.key for row in rows if not row.doc.strip() or not row.source.strip()] == []


@pytest.mark.row("X11")
def test_every_number_has_a_range_that_holds_its_default(load: Callable[..., Config]) -> None:
    """A number without both ends is no validated constant."""
    for row in config.describe(load()):
        if isinstance(row.default, int | float) and not isinstance(row.default, bool):
            assert row.low is not None, row.key
            assert row.high is not None, row.key
            assert row.low <= row.default <= row.high, row.key
        assert not row.choices or row.default in row.choices, row.key


def test_a_description_shows_value_default_and_origin(load: Callable[..., Config]) -> None:
    """What was set stands beside the default, with who set it."""
    rows = {row.key: row for row in config.describe(load("[context]\nbudget_l1 = 20\n", NOLA_MODEL="none"))}
    budget = rows["context.budget_l1"]
    assert (budget.value, budget.default, budget.unit, budget.origin) == (20, 10, "tokens", "file")
    assert (rows["llm.model"].value, rows["llm.model"].origin) == ("none", "environment")
    assert rows["llm.seed"].origin == "default"


def test_settings_can_not_be_changed(load: Callable[..., Config]) -> None:
    """What was read once stays as it was read."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        load().settings.context.budget_l1 = 5  # type: ignore[misc]


def test_a_home_that_is_a_file_is_said_to_be_one(tmp_path: Path) -> None:
    """The sentence names what is wrong, and not the settings file that could not be in it."""
    (tmp_path / "home").write_text("x", encoding="utf-8")
    with pytest.raises(ConfigError, match="is a file, not a folder"):
        config.load({"NOLA_HOME": str(tmp_path / "home")})


def test_settings_that_are_no_file_are_refused_at_once(tmp_path: Path) -> None:
    """A pipe in the settings file's place is not waited for."""
    os.mkfifo(tmp_path / "settings.toml")
    with pytest.raises(ConfigError, match="is no regular file"):
        config.load({"NOLA_HOME": str(tmp_path)})
