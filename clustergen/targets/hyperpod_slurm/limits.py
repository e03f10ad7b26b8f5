"""What Slurm on HyperPod accepts, as of 2026-11-20; both orchestrators': ``hyperpod.limits``."""

from __future__ import annotations

from typing import Final

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html; 2026-11-20.
CONTROLLER: Final = "controller"
LOGIN: Final = "login"
"""Names of the instance groups that the spec's ``head_node`` and ``login`` become."""
MAX_LUSTRE = 1
MAX_OPENZFS = 1
"""File systems of each kind that HyperPod mounts on a group."""
PARAMETERS_FILE = "provisioning_parameters.json"
"""The old form's; in any other a file of this name is refused."""
LEGACY_DATABASE_USER = "admin"

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-run-jobs-slurm-auto-resume.html
SHARED_DIRECTORY = "/fsx"
"""Where the old form keeps the state of several controllers, when no Lustre is mounted."""
