"""Changes single settings in the owner's settings.toml; comments, order and everything else stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nola.errors import ConfigError
from nola.files import locked, make_private_dir, write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from tomlkit import TOMLDocument

__all__ = ["drop", "put"]


def put(file: Path, key: str, value: Any) -> None:
    """Write one setting.

    Args:
        file: The settings file; made when it is not there.
        key: For example `llm.model`.
        value: Its checked value.

    Raises:
        ConfigError: The file can't be read.
        StorageError: The disk refused.
    """
    import tomlkit  # noqa: PLC0415 -- keeps start-up fast

    group, _, name = key.partition(".")
    make_private_dir(file.parent)
    with locked(file.with_name(".settings.lock")):
        document = _read(file)
        if group not in document:
            document[group] = tomlkit.table()
        table: Any = document[group]
        table[name] = value
        write_atomic(file, tomlkit.dumps(document).encode(), follow=True)


def drop(file: Path, key: str) -> bool:
    """Take one setting out of the file, so that its default counts; return whether it stood there.

    Raises:
        ConfigError: The file can't be read.
        StorageError: The disk refused.
    """
    import tomlkit  # noqa: PLC0415 -- keeps start-up fast

    group, _, name = key.partition(".")
    if not file.exists():
        return False
    with locked(file.with_name(".settings.lock")):
        document = _read(file)
        table: Any = document.get(group, {})
        if name not in table:
            return False
        del table[name]
        if not table:
            del document[group]
        write_atomic(file, tomlkit.dumps(document).encode(), follow=True)
        return True


def _read(file: Path) -> TOMLDocument:
    import tomlkit  # noqa: PLC0415 -- keeps start-up fast
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415 -- keeps start-up fast

    try:
        return tomlkit.parse(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return tomlkit.document()
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file} can't be read: {error}", fix="mend the file; nothing in it was changed") from error
