"""Tests of clustergen; a package, so that tests can import `tests.support`."""
