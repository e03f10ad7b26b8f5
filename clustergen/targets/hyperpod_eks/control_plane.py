"""A new EKS cluster for HyperPod's nodes, as a separate stack.

It has only a few system nodes. HyperPod creates access entries for its nodes, which join later.
https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html
"""

from collections.abc import Iterator, Mapping

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.aws import cfn, marks
from clustergen.services.eks import addons, control_plane, roles, system_nodes, versions
from clustergen.targets.hyperpod_eks import eks_cluster

_NODE_ROLE = "SystemNodesRole"


def template(plan: Plan) -> Json:
    """The template, with the outputs that later stacks need."""
    made = dict(_resources(plan))
    return cfn.template(
        marks.descriptions(plan)["eks"],
        made,
        parameters=cfn.parameters(made, foundation.outputs(plan)),
        outputs=_outputs(),
    )


def _resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    yield from control_plane.resources(plan)
    if not versions.at_least(plan.kubernetes.version, versions.BUILT_IN_EFA):
        yield "EfaEgress", _efa_egress()
    yield from addons.resources(plan, addons.NETWORKING)
    yield _NODE_ROLE, roles.node_role(plan)
    ready = [addons.logical_id(addon) for addon in addons.NETWORKING]
    yield from system_nodes.resources(plan, role=_NODE_ROLE, after=ready)
    # HyperPod's agent monitors and replaces nodes, its add-on has the states of Kubernetes.
    own = (addons.NODE_MONITORING, addons.KUBE_STATE_METRICS)
    wanted = [addon for addon in addons.wanted(plan) if addon not in own]
    yield from addons.resources(plan, wanted, [system_nodes.SYSTEM_NODES])


def _outputs() -> Mapping[str, cfn.Output]:
    values = {
        "EksClusterArn": control_plane.ARN,
        "EksClusterName": control_plane.NAME,
        "EksClusterSecurityGroupId": control_plane.SECURITY_GROUP,
    }
    described = {name: (why, values[name]) for name, why in eks_cluster.OUTPUTS.items()}
    why = "What to run from the rendered bundle before the HyperPod cluster is created"
    return {**described, "NextStep": (why, "./deploy.sh --install")}


def _efa_egress() -> Json:
    """An egress rule to the group itself; HyperPod's check of EFA requires it."""
    group = control_plane.SECURITY_GROUP
    properties = {
        "GroupId": group,
        "DestinationSecurityGroupId": group,
        "IpProtocol": "-1",
        "Description": "All traffic between members, as EFA needs",
    }
    return cfn.resource("AWS::EC2::SecurityGroupEgress", properties)
