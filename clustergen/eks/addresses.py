"""VPC addresses that pods use."""

from __future__ import annotations

POD_ADDRESSES = 16
"""IPv4 addresses that a node reserves for its pods. By default the VPC CNI reserves a whole
interface of them more than it needs: a hundred on the largest nodes, which run few pods.
https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md"""

SPARE_ADDRESSES = 4
"""Spare addresses, once its pods use more than these."""
