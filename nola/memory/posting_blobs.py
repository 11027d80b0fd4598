"""How postings are written to disk: one blob a term, and one that tells which documents there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["DOCUMENTS", "NO_POSTINGS", "TermPostings", "decode", "decode_documents", "encode", "encode_documents"]

DOCUMENTS = ""
"""In the place of a term: the blob of this name holds the documents' rows and lengths."""

TermPostings: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.uint8]]"
"""Documents that hold a term, ascending within a segment, and how often each does."""

NO_POSTINGS: TermPostings = (np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8))
_HEAD = 4


def encode(documents: NDArray[np.int32], counts: NDArray[np.uint8]) -> bytes:
    """Write the postings of one term; blobs of several segments put together are a blob too."""
    head = len(documents).to_bytes(_HEAD, "little")
    return head + documents.astype("<i4").tobytes() + counts.astype("u1").tobytes()


def decode(blobs: Sequence[bytes]) -> TermPostings:
    """Read the postings of one term from all its blobs."""
    parts = [part for blob in blobs for part in _parts(blob)]
    if not parts:
        return NO_POSTINGS
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([d for d, _ in parts]), np.concatenate([c for _, c in parts])


def encode_documents(first: int, rows: NDArray[np.int32], lengths: NDArray[np.uint16]) -> bytes:
    """Write which rows the documents from number `first` on stand for, and how long each is."""
    head = len(rows).to_bytes(_HEAD, "little") + first.to_bytes(_HEAD, "little")
    return head + rows.astype("<i4").tobytes() + lengths.astype("<u2").tobytes()


def decode_documents(blobs: Sequence[bytes]) -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.uint16]]]:
    """Read what `encode_documents` wrote, from one or more blobs, also put together."""
    for blob in blobs:
        at = 0
        while at < len(blob):
            count, first = (int.from_bytes(blob[at + n : at + n + _HEAD], "little") for n in (0, _HEAD))
            at += 2 * _HEAD
            rows = np.frombuffer(blob, dtype="<i4", count=count, offset=at).astype(np.int32)
            lengths = np.frombuffer(blob, dtype="<u2", count=count, offset=at + 4 * count).astype(np.uint16)
            at += 6 * count
            yield first, rows, lengths


def _parts(blob: bytes) -> Iterator[TermPostings]:
    at = 0
    while at < len(blob):
        count = int.from_bytes(blob[at : at + _HEAD], "little")
        at += _HEAD
        documents = np.frombuffer(blob, dtype="<i4", count=count, offset=at).astype(np.int32, copy=False)
        counts = np.frombuffer(blob, dtype="u1", count=count, offset=at + 4 * count)
        at += 5 * count
        yield documents, counts
