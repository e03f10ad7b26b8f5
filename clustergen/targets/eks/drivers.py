"""Drivers of file systems in an existing cluster, which may have them from elsewhere.

Each is an add-on of the stack under a condition: deploy.sh looks whether the cluster has it, and
asks for those that it lacks. What the stack once installed stays in the cluster: others may use
it by the time the stack is deleted.
"""

from collections.abc import Iterator, Mapping

from clustergen.base.artifacts import Json
from clustergen.deployment.kinds import Driver
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.eks import addons
from clustergen.services.eks.addons import Addon
from clustergen.services.foundation.parts import lasting
from clustergen.targets.eks import eks_cluster

# https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/csi-driver-v1/
_OBJECTS: Mapping[str, str] = {
    addons.FSX.name: "csidriver/fsx.csi.aws.com",
    addons.EFS.name: "csidriver/efs.csi.aws.com",
    addons.S3.name: "csidriver/s3.csi.aws.com",
    addons.POD_IDENTITY.name: "daemonset/eks-pod-identity-agent",
}
"""Add-on -> an object that a cluster has with it, however it was installed; not in a namespace, or
in kube-system."""


def drivers(plan: Plan) -> tuple[Addon, ...]:
    """What the file systems of a plan need in an existing cluster."""
    found = () if plan.creates_cluster else addons.drivers(plan)
    with_role = [addons.POD_IDENTITY] if any(addon.service_account for addon in found) else []
    return (*with_role, *found)


def described(plan: Plan) -> dict[str, Driver]:
    """The same by their parameters, for a deployment."""
    return {_parameter(each): Driver(each.name, _OBJECTS[each.name]) for each in drivers(plan)}


def parameters(plan: Plan) -> Json:
    return {
        _parameter(each): cfn.text(
            f"Whether this stack installs {each.name}", Default="no", AllowedValues=["yes", "no"]
        )
        for each in drivers(plan)
    }


def conditions(plan: Plan) -> Json:
    """The conditions of the resources; each has the name of its add-on."""
    return {
        _condition(each): {"Fn::Equals": [cfn.ref(_parameter(each)), "yes"]}
        for each in drivers(plan)
    }


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    """The add-ons, and the roles of their pods."""
    cluster = eks_cluster.reference(plan)
    for each in drivers(plan):
        for name, resource in addons.resources(plan, [each], cluster=cluster):
            yield name, lasting({**resource, "Condition": _condition(each)}, retain=True)


def _parameter(addon: Addon) -> str:
    """``yes`` if the stack has it."""
    return f"Install{cfn.logical_id(addon.name)}"


def _condition(addon: Addon) -> str:
    return f"{addons.logical_id(addon)}IsOurs"
