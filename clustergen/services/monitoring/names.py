"""Names that those who collect metrics and those who read them agree on."""

from typing import Final

from clustergen.base.text_lists import words
from clustergen.plan.model import Plan

CLUSTER: Final = "cluster"
NODE: Final = "node"
JOB: Final = "job"
"""Labels that every series gets when it is collected.

Rules and panels group by these, and by ``gpu`` or ``device``; exporters rename their own labels.
"""

DROPPED_LABELS: Final = words("""
    UUID pci_bus_id device modelName Hostname hostname DCGM_FI_DRIVER_VERSION
""")
"""Labels of dcgm-exporter that are dropped; each new value of one would begin new series."""

TOPIC_OUTPUT: Final = "AlertTopicArn"
"""The output of the foundation with the topic of alerts."""

OF_CLUSTER: Final = (CLUSTER,)
OF_NODES: Final = (CLUSTER, NODE)
"""Dimensions of the metrics of nodes in CloudWatch."""


def namespace(cluster: str) -> str:
    """Of the metrics of nodes in CloudWatch."""
    return f"clustergen/{cluster}"


def log_group(plan: Plan) -> str:
    """Where agents of nodes write metrics for CloudWatch; clusters of a foundation share it."""
    return f"/clustergen/{plan.foundation}/metrics"


RESERVATION: Final = "reservation"
"""A label, and a dimension in CloudWatch."""
RESERVATION_ACTIVE: Final = "clustergen_reservation_active"
"""1 or 0 for each reservation, by ``node_metrics.py``; none if EC2 does not tell."""

ADD_ON: Final = "amazon-sagemaker-hyperpod-observability"
"""HyperPod's add-on."""

# Values of the label `job`.
HOST: Final = "node"
"""Host, EFA, file systems and what a node should have."""
DCGM: Final = "dcgm"
SLURM: Final = "slurm"
KUBE_STATE: Final = "kube-state-metrics"
KUEUE: Final = "kueue"
KARPENTER: Final = "karpenter"

SLURM_PATHS: Final = (
    "/metrics/nodes",
    "/metrics/jobs",
    "/metrics/partitions",
    "/metrics/scheduler",
)
"""Of slurmctld's own endpoint, from Slurm 25.11 on: https://slurm.schedmd.com/metrics.html"""

SLURM_NODES: Final = "slurm_nodes"
"""How many nodes Slurm shows."""

SLURM_JOB_FILES: Final = "/run/clustergen/gpu-jobs"
"""dcgm-exporter's ``--hpc-job-mapping-dir``: a file for each GPU with the id of its job."""
UNFINISHED: Final = "/var/lib/clustergen/unfinished"
"""A folder on nodes of HyperPod, with a file for each step of their set-up that failed."""
