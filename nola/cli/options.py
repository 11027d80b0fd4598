"""The options that several commands share, each with one meaning everywhere."""

from __future__ import annotations

from typing import Annotated

import typer

from nola.types import StimuliType

__all__ = ["AsJson", "LevelOption", "LimitOption", "ModelOption", "StimuliOption"]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
LevelOption = Annotated[
    int | None, typer.Option("--level", "-l", min=1, max=3, help="How deep to look, instead of letting Nola decide.")
]
StimuliOption = Annotated[
    StimuliType | None, typer.Option("--stimuli-type", help="The kind of message, instead of a level.")
]
ModelOption = Annotated[
    str | None,
    typer.Option("--model", "-m", metavar="NAME", help="Use this model for this once; none answers from code alone."),
]
LimitOption = Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Show this many at most.")]
