"""Frozen settings from the settings file and the environment, read once; each has a name, a range and a source."""

from __future__ import annotations

import dataclasses
import math
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

import platformdirs

from nola.clock import parse_instant
from nola.errors import ConfigError
from nola.settings import GROUPS, Settings

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

__all__ = ["Config", "Described", "checked", "describe", "load", "parse_value"]

_ENV_PREFIX = "NOLA_"
_OWN_VARIABLES = {"NOLA_HOME", "NOLA_NOW", "NOLA_MODEL"}
_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off"}


@dataclass(frozen=True, slots=True)
class Config:
    """Where everything lies, and every setting.

    Attributes:
        home: The folder that holds state, memory, models and settings.
        now: Where the clock starts, or None for the machine's time (`NOLA_NOW`).
        settings: All groups of settings.
        origins: For each `group.name` that was set, by whom: `file` or `environment`.
    """

    home: Path
    now: datetime | None
    settings: Settings
    origins: Mapping[str, str]

    @property
    def state_dir(self) -> Path:
        """The folder of the JSON modules."""
        return self.home / "state"

    @property
    def models_dir(self) -> Path:
        """The folder of content-addressed model files."""
        return self.home / "models"

    @property
    def cache_dir(self) -> Path:
        """The folder of what can be deleted and is made again."""
        return self.home / "cache"

    @property
    def database(self) -> Path:
        """The SQLite file of conversations and memory."""
        return self.home / "memory.db"

    @property
    def settings_file(self) -> Path:
        """The owner's settings."""
        return self.home / "settings.toml"


@dataclass(frozen=True, slots=True)
class Described:
    """One setting, as `nola config list` shows it (X11)."""

    key: str
    value: Any
    default: Any
    unit: str
    doc: str
    source: str
    low: float | None
    high: float | None
    choices: tuple[str, ...]
    origin: str


def load(environ: Mapping[str, str]) -> Config:
    """Read the settings once.

    Args:
        environ: The process environment; `NOLA_HOME`, `NOLA_NOW`, `NOLA_MODEL` and `NOLA_<GROUP>_<NAME>` are read.

    Raises:
        ConfigError: A setting is unknown, has the wrong type, or is out of range.
    """
    home = _home(environ)
    given: dict[str, tuple[str, Any]] = {}
    file = home / "settings.toml"
    for key, value in _from_file(file).items():
        given[key] = ("file", value)
    for key, value in _from_environment(environ).items():
        given[key] = ("environment", value)
    groups: dict[str, Any] = {}
    for name, group in GROUPS.items():
        chosen = {
            f.name: _checked(f"{name}.{f.name}", given[f"{name}.{f.name}"][1], group, f)
            for f in fields(group)
            if f"{name}.{f.name}" in given
        }
        groups[name] = group(**chosen)
    now = environ.get("NOLA_NOW", "").strip()
    origins = {key: origin for key, (origin, _) in given.items()}
    return Config(home, parse_instant(now) if now else None, Settings(**groups), origins)


def describe(config: Config) -> list[Described]:
    """List every setting with its value, default, range and source."""
    rows = []
    for name, group in GROUPS.items():
        current = getattr(config.settings, name)
        for f in fields(group):
            meta = f.metadata
            key = f"{name}.{f.name}"
            rows.append(
                Described(
                    key=key,
                    value=getattr(current, f.name),
                    default=f.default,
                    unit=meta["unit"],
                    doc=meta["doc"],
                    source=meta["source"],
                    low=meta["low"],
                    high=meta["high"],
                    choices=meta["choices"],
                    origin=config.origins.get(key, "default"),
                )
            )
    return rows


def checked(settings: Settings) -> Settings:
    """Return the settings that a program made, each checked like one of the settings file.

    Raises:
        ConfigError: A setting has the wrong type or is out of range, or these are no settings.
    """
    if not isinstance(settings, Settings):
        raise ConfigError(f"settings takes Settings, not {type(settings).__name__}")
    groups: dict[str, Any] = {}
    for name, group in GROUPS.items():
        given = getattr(settings, name)
        if not isinstance(given, group):
            raise ConfigError(f"{name} takes {group.__name__}, not {type(given).__name__}")
        chosen = {f.name: getattr(given, f.name) for f in fields(group)}
        for f in fields(group):
            if chosen[f.name] is not f.default:
                chosen[f.name] = _checked(f"{name}.{f.name}", chosen[f.name], group, f)
        groups[name] = group(**chosen)
    return Settings(**groups)


def parse_value(key: str, text: Any) -> Any:
    """Turn what a person typed for the setting `key` into its checked value.

    Raises:
        ConfigError: The key is unknown, or the value is of the wrong type or out of range.
    """
    group_name, _, field_name = key.partition(".")
    group = GROUPS.get(group_name)
    for f in fields(group) if group else ():
        if f.name == field_name and group:
            return _checked(key, text, group, f)
    raise ConfigError(f"no setting is called {key!r}", fix="list them with: nola config list")


def _home(environ: Mapping[str, str]) -> Path:
    chosen = environ.get("NOLA_HOME", "").strip() or platformdirs.user_data_dir("nola", appauthor=False)
    if not _is_text(chosen):
        raise ConfigError(
            f"the name of Nola's folder is not UTF-8: {chosen}", fix="point NOLA_HOME at a folder with a plain name"
        )
    try:
        home = Path(chosen).expanduser().absolute()
        real = home.resolve() if home.is_symlink() else home
        is_other = home.exists() and not home.is_dir()
    except (OSError, RuntimeError) as error:  # an unknown ~name is a RuntimeError
        why = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise ConfigError(f"{chosen} can't be Nola's folder: {why}", fix="point NOLA_HOME at another one") from error
    if is_other:
        raise ConfigError(f"{home} is a file, not a folder", fix="point NOLA_HOME at a folder, or at none yet")
    if real != home:
        raise ConfigError(
            f"{home} is a link, and Nola's folder may not be one",
            fix=f"point NOLA_HOME at the folder that it leads to: {real}",
        )
    return home


def _is_text(name: str) -> bool:
    """Tell whether a name that came from the system is UTF-8: bytes that are none arrive as lone surrogates."""
    return not any("\ud800" <= sign <= "\udfff" for sign in name)


def _from_file(file: Path) -> dict[str, Any]:
    try:
        if file.exists() and not file.is_file():
            raise ConfigError(f"{file} is no regular file", fix="move it away, or put a TOML file in its place")
        table = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{file} can't be read: {error}", fix="mend the file; nothing in it was changed") from error
    flat: dict[str, Any] = {}
    for group, body in table.items():
        if group in GROUPS and not isinstance(body, dict):
            raise ConfigError(
                f"{file}: {group} is a group of settings", fix=f"write [{group}] and its settings below it"
            )
        if group not in GROUPS or not isinstance(body, dict):
            raise ConfigError(f"{file}: no group of settings is called [{group}]", fix="see: nola config list")
        known = {f.name for f in fields(GROUPS[group])}
        for name, value in body.items():
            if name not in known:
                raise ConfigError(f"{file}: no setting is called {group}.{name}", fix="see: nola config list")
            flat[f"{group}.{name}"] = value
    return flat


def _from_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for variable, text in environ.items():
        if not variable.startswith(_ENV_PREFIX) or variable in _OWN_VARIABLES:
            continue
        group, _, name = variable.removeprefix(_ENV_PREFIX).lower().partition("_")
        if group not in GROUPS:
            continue
        if name not in {f.name for f in fields(GROUPS[group])}:
            raise ConfigError(f"{variable}: no setting is called {group}.{name}", fix="see: nola config list")
        flat[f"{group}.{name}"] = text
    if model := environ.get("NOLA_MODEL", "").strip():
        flat["llm.model"] = model
    return flat


def _checked(key: str, raw: Any, group: type, f: dataclasses.Field[Any]) -> Any:
    kind = get_type_hints(group)[f.name]
    value = _converted(key, raw, kind)
    if isinstance(value, str) and not _is_text(value):
        raise ConfigError(f"{key} takes text in UTF-8, not {raw!r}")
    meta = f.metadata
    if meta["choices"] and value not in meta["choices"]:
        raise ConfigError(f"{key} is one of {', '.join(meta['choices'])}, not {raw!r}")
    low, high = meta["low"], meta["high"]
    if isinstance(value, int | float) and not isinstance(value, bool) and not _within(value, low, high):
        span = f"{'' if low is None else f'{low:g}'} to {'' if high is None else f'{high:g}'}"
        raise ConfigError(f"{key} takes {span}, not {raw!r}")
    return value


def _within(value: float, low: float | None, high: float | None) -> bool:
    """Tell whether a number lies in its range; NaN lies in none."""
    is_nan = isinstance(value, float) and math.isnan(value)
    return not is_nan and (low is None or value >= low) and (high is None or value <= high)


def _converted(key: str, raw: Any, kind: type) -> Any:
    try:
        if kind is bool:
            if isinstance(raw, bool):
                return raw
            text = str(raw).strip().lower()
            if text in _TRUE | _FALSE:
                return text in _TRUE
            raise ValueError  # noqa: TRY301 -- one sentence for all kinds below
        if kind is int:
            if isinstance(raw, bool) or (isinstance(raw, float) and not raw.is_integer()):
                raise ValueError  # noqa: TRY301
            return int(raw)
        if kind is float:
            if isinstance(raw, bool):
                raise ValueError  # noqa: TRY301
            return float(raw)
        if not isinstance(raw, str):
            raise ValueError  # noqa: TRY301, TRY004
    except (ValueError, TypeError):
        names = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
        raise ConfigError(f"{key} takes {names[kind]}, not {raw!r}") from None
    return raw
