"""Software of a Kubernetes cluster, as files: charts, values, manifests, tests."""
