"""HyperPod bundles as a validator reads them.

`rules` says what SageMaker's documentation asks of a CreateCluster request beyond its model,
`bundle` what the files of a bundle owe one another: the request, the template, the foundation's
outputs and roles, and the lifecycle scripts.
"""

from tests.validators.hyperpod.bundle import cluster_violations
from tests.validators.hyperpod.rules import request_violations, update_violations

__all__ = ["cluster_violations", "request_violations", "update_violations"]
