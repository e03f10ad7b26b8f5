"""The software of a cluster of Kubernetes, as files: charts, values, manifests, tests."""
