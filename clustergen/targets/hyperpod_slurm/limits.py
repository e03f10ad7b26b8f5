"""What Slurm on HyperPod accepts, as of 2026-11-20; both orchestrators': ``hyperpod.limits``."""

from __future__ import annotations

from typing import Final

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html; 2026-11-20.
CONTROLLER: Final = "controller"
LOGIN: Final = "login"
"""Names of the instance groups that the spec's ``head_node`` and ``login`` become."""
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-multihead-slurm.html
# 2026-11-20.
MAX_CONTROLLERS: Final = 3
PARAMETERS_FILE = "provisioning_parameters.json"
"""The old form's; in any other a file of this name is refused."""

# The image is of Ubuntu's family of Deep Learning AMIs, with Slurm; 2026-11-20.
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-release-ami-slurm.html
DEFAULT_USER: Final = "ubuntu"
DEFAULT_UID: Final = 1000
TAKEN_USERS: Final = frozenset({DEFAULT_USER, "root", "slurm", "munge", "mysql", "ssm-user"})
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html: where HyperPod has
# files of its own, the second volume and the local disks; 2026-11-20.
OWN_FOLDERS: Final = ("/opt/sagemaker", "/opt/dlami", "/opt/ml", "/opt/clustergen")

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html: what HyperPod keeps
# in step with the instance groups, by lower-case name; 2026-11-20.
OWN_SETTINGS: Final = frozenset({
    "authtype", "clustername", "include", "nodename", "nodes", "nodeset", "partitionname",
    "slurmctldhost", "slurmctldport", "slurmdport", "slurmuser", "statesavelocation",
    "topologyplugin",
})  # fmt: skip
