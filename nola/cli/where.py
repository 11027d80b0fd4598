"""`nola where`: prints the folders and files that Nola uses."""

import typer

from nola.cli import output
from nola.cli.desk import Desk, desk_of
from nola.cli.options import AsJson

__all__ = ["where"]


def where(ctx: typer.Context, *, as_json: AsJson = False) -> None:
    """Print the folders and files that Nola uses.

    NOLA_HOME moves them all. What is listed need not exist yet.

    Examples:
      nola where
      nola where --json | jq -r .state
    """
    places = _places(desk_of(ctx))
    if as_json:
        output.document(places)
        return
    width = max(map(len, places))
    for name, place in places.items():
        output.write(f"{name:<{width}}  {place}")


def _places(desk: Desk) -> dict[str, str]:
    config = desk.config
    return {
        "home": str(config.home),
        "state": str(config.state_dir),
        "database": str(config.database),
        "models": str(config.models_dir),
        "settings": str(config.settings_file),
        "cache": str(config.cache_dir),
        "logs": str(desk.logs),
    }
