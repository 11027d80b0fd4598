"""What has to begin anew in a forked child: locks that another thread of the parent held, and threads that are gone."""

from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["in_children"]

_T = TypeVar("_T")


def in_children(owner: _T, begin: Callable[[_T], None]) -> None:
    """Let something begin anew in every process that is forked from this one, as long as it lives.

    Args:
        owner: What is to begin anew; it is not kept alive by this.
        begin: Does it. A function of the class, not a bound method, which would keep the owner alive.
    """
    weak = weakref.ref(owner)

    def after() -> None:
        if (held := weak()) is not None:
            begin(held)

    os.register_at_fork(after_in_child=after)
