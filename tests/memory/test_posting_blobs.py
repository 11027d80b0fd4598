"""Postings on disk: read back as written, also when blobs are put together."""

from __future__ import annotations

import numpy as np

from nola.memory.posting_blobs import decode, decode_documents, encode, encode_documents

ONE = (np.array([3, 9], dtype=np.int32), np.array([1, 255], dtype=np.uint8))
OTHER = (np.array([70_000], dtype=np.int32), np.array([2], dtype=np.uint8))


def test_blobs_of_a_term_are_read_together() -> None:
    """Two blobs, or both put together in one, are the postings of both."""
    for blobs in ([encode(*ONE), encode(*OTHER)], [encode(*ONE) + encode(*OTHER)]):
        documents, counts = decode(blobs)
        assert documents.tolist() == [3, 9, 70_000]
        assert counts.tolist() == [1, 255, 2]


def test_no_blobs_are_no_postings() -> None:
    """A term that nobody wrote down is in no document."""
    documents, counts = decode([])
    assert (len(documents), len(counts)) == (0, 0)


def test_documents_are_read_back() -> None:
    """Each part tells its first document's number, the rows and the lengths."""
    rows, lengths = np.array([5, 6], dtype=np.int32), np.array([25, 65_535], dtype=np.uint16)
    blob = encode_documents(100, rows, lengths)
    parts = list(decode_documents([blob + blob, blob]))
    assert [first for first, _, _ in parts] == [100, 100, 100]
    assert parts[1][1].tolist() == [5, 6]
    assert parts[2][2].tolist() == [25, 65_535]
