"""Fixtures that every test may use."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.oracles.parallelcluster import ParallelCluster

# No test is timed: machines are busy.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture(scope="session")
def parallelcluster() -> Iterator[ParallelCluster]:
    """ParallelCluster's validators, started once for all tests that ask."""
    with ParallelCluster() as validators:
        yield validators
