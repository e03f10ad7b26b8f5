"""The services that a service-linked role is for. The names are the same in every partition.

https://docs.aws.amazon.com/pcs/latest/userguide/service-linked-roles.html,
https://docs.aws.amazon.com/batch/latest/userguide/using-service-linked-roles.html,
https://docs.aws.amazon.com/eks/latest/userguide/using-service-linked-roles-eks-nodegroups.html,
https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-service-linked-roles.html (2026-11)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SERVICES: Mapping[str, str] = MappingProxyType(
    {
        "AWSServiceRoleForPCS": "pcs.amazonaws.com",
        "AWSServiceRoleForBatch": "batch.amazonaws.com",
        "AWSServiceRoleForSageMakerHyperPod": "hyperpod.sagemaker.amazonaws.com",
        "AWSServiceRoleForAmazonEKSNodegroup": "eks-nodegroup.amazonaws.com",
        "AWSServiceRoleForEC2Spot": "spot.amazonaws.com",
        "AWSServiceRoleForAmazonFSx": "fsx.amazonaws.com",
        "AWSServiceRoleForAmazonElasticFileSystem": "elasticfilesystem.amazonaws.com",
    }
)
