"""What is compared with an eksctl configuration: what it decides, beside what EKS does."""

from dataclasses import replace
from typing import Final

from clustergen.importing.eks import form
from clustergen.importing.settings import Form, Kind

ROLES, POLICIES = "Roles", "RolePolicies"
_DATA: Final = "NodeGroups.*.LaunchTemplateProperties"

# eksctl makes roles, networks and tags of its own; the report says what becomes of them.
FORM: Final[Form] = replace(
    form.FORM,
    kinds=(
        *form.FORM.kinds,
        Kind("AWS::IAM::Role", ROLES, ""),
        Kind("AWS::IAM::RolePolicy", POLICIES, "PolicyName"),
    ),
    open=form.FORM.open | {ROLES},
    kept=frozenset(
        (
            *("Addons.*.ConfigurationValues", "Addons.*.PodIdentityAssociations"),
            *("Addons.*.ResolveConflicts", "Cluster.*.RoleArn", "Cluster.*.Version"),
            *("Cluster.*.ResourcesVpcConfig.SubnetIds", "NodeGroups.*.Subnets"),
            "NodeGroups.*.NodeRole",
            *(f"{_DATA}.LaunchTemplateData.TagSpecifications", f"{_DATA}.TagSpecifications"),
            *(f"{_DATA}.LaunchTemplateData.UserData", f"{_DATA}.LaunchTemplateName"),
            *(f"Roles.*.{key}" for key in ("AssumeRolePolicyDocument", "Policies", "Tags")),
        )
    ),
)
