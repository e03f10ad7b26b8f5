"""Keys of Kubernetes labels and taints that are not the user's to give."""

from __future__ import annotations

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-custom-labels-and-taints.html
# 2026-11-20: prefixes of keys that are Kubernetes' or the service's own.
RESERVED_PREFIXES = (
    "kubernetes.io/",
    "k8s.io/",
    "sagemaker.amazonaws.com/",
    "eks.amazonaws.com/",
    "k8s.aws/",
    "karpenter.sh/",
)


def reserved_prefix(key: str) -> str | None:
    """The reserved prefix that ``key`` has or is below, as Kubernetes reserves those too."""
    prefix, slash, _ = key.rpartition("/")
    own = f"{prefix}{slash}"
    return next((p for p in RESERVED_PREFIXES if own == p or own.endswith(f".{p}")), None)
