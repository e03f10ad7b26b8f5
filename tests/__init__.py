"""Tests of clustergen; a package, so that tests can import the validators under `tests.oracles`."""
