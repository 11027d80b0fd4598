"""Carries an import out: a backup first, then the modules, the conversations and the memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nola.errors import ConflictError, NolaError
from nola.state import document
from nola.state.loaded import PARENTS
from nola.transfer.content import MAX_BYTES, MAX_DEPTH, Document
from nola.transfer.gather import BOOKKEEPING
from nola.transfer.layout import laid_out, read_tree
from nola.transfer.planning import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nola.transfer.content import Conversations, Memories, Sink
    from nola.transfer.planning import ImportPlan
    from nola.types import Json

__all__ = ["ImportResult", "carry_out"]


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What an import did.

    Attributes:
        modules: Names of the modules that were written.
        conversations: Ids of the conversations that were placed, replaced ones among them.
        memories: Ids of the memories that were stored.
        backup: The backup that was made before; empty when there was nothing to do.
    """

    modules: tuple[str, ...] = ()
    conversations: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    backup: str = ""


def carry_out(
    shown: ImportPlan, state: Sink, conversations: Conversations, memories: Memories, *, backup: Callable[[], str]
) -> ImportResult:
    """Do what a plan says, and nothing that it did not say.

    Args:
        shown: The plan, as it was shown.
        state: The state.
        conversations: The conversations.
        memories: The learned memory.
        backup: Makes a backup of the kind `before-import` and returns its name; called before anything is written.

    Raises:
        ConflictError: Conversations differ and were not to be replaced, or something here changed since the plan was
            made; nothing was written.
        NolaError: The backup, the state, the conversations or the memories could not be written.
    """
    shown.check()
    if shown.is_done:
        return ImportResult()
    made = backup()
    now = plan(shown.export, state, conversations, memories)
    if (now.modules, now.conversations, now.memories) != (shown.modules, shown.conversations, shown.memories):
        raise ConflictError("something here changed while the plan was looked at; nothing was written", fix="try again")
    steps: dict[str, Callable[[], object]] = {}
    if shown.documents:
        steps["modules"] = lambda: _place_documents(shown, state)
    if shown.talks:
        steps["conversations"] = lambda: conversations.import_rows(shown.talks, replace=shown.differing)
    if not shown.memories.is_done:
        steps["memories"] = lambda: memories.import_lines(shown.export.memories, skip_known=True)
    _take(steps, made)
    return ImportResult(
        modules=tuple(given.name for given in shown.documents),
        conversations=tuple(talk.id for talk in shown.talks),
        memories=tuple(memory.id for memory in shown.memories.new),
        backup=made,
    )


def _take(steps: Mapping[str, Callable[[], object]], backup: str) -> None:
    """Do one step after the other; when one fails after others were done, say so and name the way back."""
    done: list[str] = []
    for what, step in steps.items():
        try:
            step()
        except NolaError as error:
            if not done:
                raise
            raise NolaError(
                f"the {' and the '.join(done)} were taken in, the {what} were not: {error}",
                fix=f"import again when that is mended, or take it back: nola backup restore {backup}",
            ) from error
        done.append(what)


def _place_documents(shown: ImportPlan, state: Sink) -> None:
    with state.held():
        here = state.documents()
    whole = [_counting_on(given, here[given.name]) if given.name in PARENTS else given for given in shown.documents]
    values, texts = {given.name: given.value for given in whole}, {given.name: given.text for given in whole}
    state.take_in(values, who="owner", via="import", texts=texts)


def _counting_on(given: Document, here: dict[str, Json]) -> Document:
    """Give a parent the time and version that it has here: those of another home's pulls say nothing about it."""
    tree, old = read_tree(given.text.decode()), here.get("metadata")
    if not isinstance(tree, dict) or not isinstance(old, dict):
        return given
    metadata = tree.get("metadata", {})
    if isinstance(metadata, dict):
        kept = read_tree(document.dump({key: old[key] for key in BOOKKEEPING if key in old}).decode())
        tree = {**tree, "metadata": {**metadata, **(kept if isinstance(kept, dict) else {})}}
    text = laid_out(tree).encode() + b"\n"
    value = document.parse_object(text, given.name, max_depth=MAX_DEPTH, max_bytes=MAX_BYTES)
    return Document(given.name, value, text)
