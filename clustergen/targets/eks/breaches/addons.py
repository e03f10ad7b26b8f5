"""Add-ons: names that EKS has, and values that it can read."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator
from typing import Any

from clustergen.targets.eks.breaches.breach import Breach
from clustergen.targets.eks.breaches.resources import Resource, Template

# https://docs.aws.amazon.com/eks/latest/userguide/workloads-add-ons-available-eks.html and
# https://docs.aws.amazon.com/eks/latest/userguide/community-addons.html; 2026-11-20. Those of
# partners are named vendor_product.
NAMES = frozenset(
    {
        *("vpc-cni", "coredns", "kube-proxy", "eks-pod-identity-agent"),
        *("aws-ebs-csi-driver", "aws-efs-csi-driver", "aws-fsx-csi-driver"),
        *("aws-mountpoint-s3-csi-driver", "snapshot-controller", "eks-node-monitoring-agent"),
        *("amazon-cloudwatch-observability", "adot", "aws-guardduty-agent"),
        *("aws-network-flow-monitoring-agent", "aws-secrets-store-csi-driver-provider"),
        *("amazon-sagemaker-hyperpod-taskgovernance", "amazon-sagemaker-hyperpod-observability"),
        *("amazon-sagemaker-hyperpod-training-operator", "amazon-sagemaker-hyperpod-inference"),
        *("amazon-sagemaker-spaces", "metrics-server", "kube-state-metrics"),
        *("prometheus-node-exporter", "cert-manager", "external-dns", "fluent-bit"),
        *("sriov-network-metrics-exporter", "aws-privateca-connector-for-kubernetes"),
    }
)
# Software that is installed by its chart or its manifests; the same sources.
CHARTS = frozenset(
    {
        *("aws-efa-k8s-device-plugin", "aws-dranet", "nvidia-device-plugin", "gpu-operator"),
        *("dcgm-exporter", "neuron-device-plugin", "neuron-helm-chart", "kueue", "volcano"),
        *("kai-scheduler", "mpi-operator", "kubeflow-trainer", "training-operator", "kuberay"),
        *("jobset", "lws", "karpenter", "aws-load-balancer-controller", "kube-prometheus-stack"),
        *("cluster-autoscaler",),
    }
)


def breaches(template: Template) -> Iterator[Breach]:
    """Add-ons that EKS does not have, twice, or with values that are none."""
    seen: set[str] = set()
    for addon in template.of("AWS::EKS::Addon"):
        name = addon.properties.get("AddonName")
        if isinstance(name, str):
            yield from _name(addon, name)
            if name in seen:
                yield addon.breach("add-on", ("AddonName",), f"{name} a second time", "keep one")
            seen.add(name)
        yield from _values(addon, addon.properties.get("ConfigurationValues"))


def _name(addon: Resource, name: str) -> Iterator[Breach]:
    if name in NAMES:
        return
    near = difflib.get_close_matches(name, sorted(NAMES), n=1)
    if name in CHARTS or near:
        yield addon.breach(
            "add-on",
            ("AddonName",),
            f"{name} is no add-on of EKS",
            f"did you mean {near[0]}?" if near else "install its chart, as install.sh does",
        )


def _values(addon: Resource, values: Any) -> Iterator[Breach]:
    if not isinstance(values, str):
        return
    if not _is_map(values):
        yield addon.breach(
            "add-on",
            ("ConfigurationValues",),
            "values that are no map in JSON or YAML",
            "write a map, as text",
        )


def _is_map(text: str) -> bool:
    """Whether the text is a map in JSON, or begins as one of YAML does."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return re.match(r"\s*(#.*\n\s*)*[\w.-]+:(\s|$)", text) is not None
