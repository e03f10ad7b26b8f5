"""What the tests of the repository share."""

from collections.abc import Iterator

import pytest

from tests.support.syntax import nodes_of, tree_of


@pytest.fixture(scope="package", autouse=True)
def syntax_trees() -> Iterator[None]:
    """Forget the syntax trees of the package after the last test of this folder."""
    yield
    for cached in (tree_of, nodes_of):
        cached.cache_clear()
