"""The transfer room: what Nola knows as one readable document, given out and taken in again."""

from __future__ import annotations

from nola.transfer.content import MAX_BYTES, Conversations, Document, Export, Memories, Sink, Source
from nola.transfer.markdown import markdown
from nola.transfer.placing import ImportResult, carry_out
from nola.transfer.planning import ImportPlan, plan, plan_document
from nola.transfer.reading import read_document
from nola.transfer.writing import export_document

__all__ = [
    "MAX_BYTES",
    "Conversations",
    "Document",
    "Export",
    "ImportPlan",
    "ImportResult",
    "Memories",
    "Sink",
    "Source",
    "carry_out",
    "export_document",
    "markdown",
    "plan",
    "plan_document",
    "read_document",
]
