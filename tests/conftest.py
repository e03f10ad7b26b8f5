"""Fixtures that every test may use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracles.parallelcluster import ParallelCluster


@pytest.fixture(scope="session")
def parallelcluster() -> Iterator[ParallelCluster]:
    """ParallelCluster's validators, started once for all tests that ask."""
    with ParallelCluster() as validators:
        yield validators
