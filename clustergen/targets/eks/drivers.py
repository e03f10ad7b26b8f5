"""Drivers of file systems in an existing cluster, which may have them from elsewhere.

Each is an add-on of the stack under a condition: deploy.sh looks whether the cluster has it, and
asks for those that it lacks. What the stack once installed stays in the cluster: others may use
it by the time the stack is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn
from clustergen.services.eks import addons
from clustergen.services.eks.addons import Addon
from clustergen.services.foundation.parts import lasting
from clustergen.targets.eks import eks_cluster

# https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/csi-driver-v1/
_OBJECTS: Mapping[str, str] = MappingProxyType(
    {
        addons.FSX.name: "csidriver/fsx.csi.aws.com",
        addons.EFS.name: "csidriver/efs.csi.aws.com",
        addons.S3.name: "csidriver/s3.csi.aws.com",
        addons.POD_IDENTITY.name: "daemonset/eks-pod-identity-agent",
    }
)
"""Add-on -> an object that a cluster has with it, however it was installed; not in a namespace, or
in kube-system."""


@dataclass(frozen=True, slots=True)
class Driver:
    """An add-on that may be in the cluster already."""

    addon: Addon

    @property
    def parameter(self) -> str:
        """``yes`` if the stack has it."""
        return f"Install{cfn.logical_id(self.addon.name)}"

    @property
    def object(self) -> str:
        return _OBJECTS[self.addon.name]


def drivers(plan: Plan) -> tuple[Driver, ...]:
    """What the file systems of a plan need in an existing cluster."""
    found = () if plan.creates_cluster else addons.drivers(plan)
    with_role = [addons.POD_IDENTITY] if any(addon.service_account for addon in found) else []
    return tuple(Driver(addon) for addon in (*with_role, *found))


def parameters(plan: Plan) -> Json:
    """A parameter of the template for each."""
    return {
        driver.parameter: cfn.text(
            f"Whether this stack installs {driver.addon.name}",
            Default="no",
            AllowedValues=["yes", "no"],
        )
        for driver in drivers(plan)
    }


def conditions(plan: Plan) -> Json:
    """The conditions of the resources; each has the name of its add-on."""
    return {
        _condition(driver): {"Fn::Equals": [cfn.ref(driver.parameter), "yes"]}
        for driver in drivers(plan)
    }


def resources(plan: Plan) -> Iterator[tuple[str, Json]]:
    """The add-ons, and the roles of their pods."""
    cluster = eks_cluster.reference(plan)
    for driver in drivers(plan):
        for name, resource in addons.resources(plan, [driver.addon], cluster=cluster):
            yield name, lasting({**resource, "Condition": _condition(driver)}, retain=True)


def _condition(driver: Driver) -> str:
    return f"{addons.logical_id(driver.addon)}IsOurs"
