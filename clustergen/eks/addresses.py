"""How many addresses of the VPC pods take."""

from __future__ import annotations

POD_ADDRESSES = 16
"""IPv4 addresses that a node holds for its pods. By itself the VPC CNI holds a whole interface of
them more than it needs: a hundred on the largest nodes, which run few pods.
https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md"""

SPARE_ADDRESSES = 4
"""And as many more than its pods take, once they take more."""
