"""The whole `nola` command, every command registered, as its reference and its tests see it."""

from nola.cli.assembly import assemble

__all__ = ["app"]

app = assemble()
