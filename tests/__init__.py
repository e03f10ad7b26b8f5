"""Tests of clustergen; a package, so that tests can import the judges under `tests.oracles`."""
