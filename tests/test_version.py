"""The version is one text, the same for every room and for the package."""

import re

import nola
from nola.version import __version__


def test_the_version_is_one() -> None:
    """`nola.__version__` is what the rooms read, three numbers with dots."""
    assert nola.__version__ == __version__
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
