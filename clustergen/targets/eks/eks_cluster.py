"""The EKS cluster of the nodes: one of the template, or an existing one.

What the template does not know of an existing cluster are parameters: deploy.sh asks EKS for them.
"""

from collections.abc import Mapping

from clustergen.base.artifacts import Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.aws import cfn
from clustergen.services.eks import control_plane
from clustergen.targets.eks.options import Options

SECURITY_GROUP = "EksSecurityGroupId"
PARAMETERS: Mapping[str, str] = {
    SECURITY_GROUP: "Security group that EKS made for the existing cluster",
    "EksEndpoint": "Address of its Kubernetes API",
    "EksCertificateAuthority": "Its certificate authority, in base64",
    "EksServiceCidr": "CIDR block of its services",
}
"""Facts about an existing cluster: parameter -> description."""


def reference(plan: Plan) -> Json | str:
    """The name of the cluster as a CloudFormation value."""
    return control_plane.NAME if plan.creates_cluster else plan.cluster_name


def security_groups(plan: Plan, group: NodeGroup) -> list[Json | str]:
    """The groups of nodes: the cluster's, which they need to join, and their own."""
    if plan.creates_cluster:
        return control_plane.security_groups(plan, group)
    theirs = plan.options_as(Options).cluster_security_group or cfn.ref(SECURITY_GROUP)
    return [theirs, *control_plane.own_groups(plan, group)]


def joining(plan: Plan) -> Json:
    """What nodes with an image of their own need to join; references are for ``Fn::Sub``."""
    own, name = plan.creates_cluster, control_plane.CLUSTER
    authority = f"{name}.CertificateAuthorityData" if own else "EksCertificateAuthority"
    return {
        "name": f"${{{name}}}" if own else plan.cluster_name,
        "apiServerEndpoint": f"${{{name}.Endpoint}}" if own else "${EksEndpoint}",
        "certificateAuthority": f"${{{authority}}}",
        "cidr": control_plane.service_cidr(plan) if own else "${EksServiceCidr}",
    }
