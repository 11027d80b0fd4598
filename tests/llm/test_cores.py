"""Tests of the number of threads."""

from __future__ import annotations

from nola.llm.cores import thread_count


def test_threads() -> None:
    """A setting is taken as it is; zero means at least one."""
    assert thread_count(3) == 3
    assert thread_count(0) >= 1
