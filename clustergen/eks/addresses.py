"""VPC addresses that pods use."""

from __future__ import annotations

POD_ADDRESSES = 16
"""IPv4 addresses that a node reserves for pods. By default, the VPC CNI reserves a whole spare
interface: a hundred addresses on the largest nodes, which run few pods.
https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md"""

SPARE_ADDRESSES = 4
"""Spare addresses, if pods use more than these."""
