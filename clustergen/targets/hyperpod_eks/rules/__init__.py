"""Rules of HyperPod with EKS."""

import functools

from clustergen.base import findings

rule = functools.partial(findings.rule, target="hyperpod-eks")
warning = functools.partial(findings.warning, target="hyperpod-eks")
note = functools.partial(findings.note, target="hyperpod-eks")

# Part of all examples: the EKS cluster.
CLUSTER = "arn:aws:eks:us-east-1:111122223333:cluster/training"
EXISTING = f"targets: {{hyperpod-eks: {{eks_cluster: '{CLUSTER}'}}}}"
NEW = "targets: {hyperpod-eks: {eks_cluster: new}}"
KARPENTER = f"{EXISTING}\nkubernetes: {{autoscaler: karpenter}}"
