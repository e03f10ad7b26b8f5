"""clustergen: one spec of a training cluster, compiled for every AWS service that can run it."""
