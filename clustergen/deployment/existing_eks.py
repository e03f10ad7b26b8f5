"""Node groups in an EKS cluster that exists."""

import re
from collections.abc import Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.deployment import cloudformation, foundation
from clustergen.deployment.eks_sizes import Sizes
from clustergen.deployment.kinds import Eks
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.software.installation import Installation
from clustergen.deployment.world import Stop, at

_IMAGE = re.compile(r"amazon-k8s-cni:v(\d+)\.(\d+)\.(\d+)")


class ExistingCluster:
    """The cluster that node groups join, whose owner may be someone else."""

    def __init__(self, run: Run, service: Eks) -> None:
        self.run, self.service, self.name = run, service, service.eks_cluster
        self.api, self.sizes = Kubernetes(run, self.name), Sizes(run, service)
        self.stack = run.bundle.stacks["cluster"]

    def check(self) -> None:
        """Stop before anything changes if the cluster cannot take the nodes."""
        if self.run.options.rehearses:
            return
        found = self._found()
        if found["status"] not in ("ACTIVE", "UPDATING"):
            raise Stop(f"the EKS cluster {self.name} is {found['status']}")
        self._check_version(found["version"])
        self._check_network(found["resourcesVpcConfig"])
        self.api.check_access()
        self._check_cni()
        self._check_groups(found["version"])
        if self.service.installs:
            self._installation().check()

    def _installation(self) -> Installation:
        """What the bundle has in the cluster, with the values that stacks have already."""
        of_cluster = cloudformation.outputs(self.run.world, self.stack.name)
        known = {**foundation.outputs(self.run), **of_cluster}
        return Installation(self.api, self.service.software, known)

    def _found(self) -> Json:
        found = self.api.describe()
        if found is None:
            raise Stop(f"there is no EKS cluster {self.name} in {self.run.bundle.region}")
        return found

    def _check_version(self, version: str) -> None:
        minor = int(version.partition(".")[2])
        if self.service.version and minor < self.service.version:
            raise Stop(
                f"the EKS cluster {self.name} runs Kubernetes {version}, and nodes cannot be "
                "newer: "
                f'write kubernetes.version: "{version}" and render again'
            )
        if self.service.claims_from and minor < self.service.claims_from:
            raise Stop(
                f"the EKS cluster {self.name} runs Kubernetes {version}, which has no device "
                "claims: write kubernetes.devices: plugin and render again"
            )

    def _check_network(self, network: Mapping[str, Any]) -> None:
        vpc, wanted = network["vpcId"], self.run.bundle.network.vpc
        if wanted and vpc != wanted:
            raise Stop(
                f"the EKS cluster {self.name} is in {vpc}: write network.vpc: {vpc} and its "
                "subnets, and render again"
            )
        group = network["clusterSecurityGroupId"]
        if self.service.security_group not in ("", group):
            raise Stop(
                f"the cluster security group of {self.name} is {group}: write "
                f"targets.eks.cluster_security_group: {group} and render again"
            )

    def _check_cni(self) -> None:
        plugin = self.api.get("daemonset", "aws-node", "--namespace", "kube-system")
        if plugin is None:
            self.run.note(
                f"{self.name} has no VPC CNI (aws-node): nodes need another network plugin to "
                "become ready."
            )
            return
        containers = at(plugin, "spec.template.spec.containers") or ()
        images = " ".join(str(each.get("image")) for each in containers)
        match, least = _IMAGE.search(images), self.service.cni
        # An older one gives pods addresses of interfaces that have none.
        if self.service.efa_only and match and tuple(map(int, match.groups())) < tuple(least):
            raise Stop(
                f"the VPC CNI of {self.name} is {match[0].partition(':')[2]}, and the EFA-only "
                f"interfaces of {' '.join(self.service.efa_only)} need "
                f"v{'.'.join(map(str, least))} or newer: ask the owner of the cluster to update "
                "it, or write efa_layout: efa for these node groups and render again"
            )

    def _check_groups(self, version: str) -> None:
        """Of those that the stack has to create."""
        owned, minor = self.owned(), int(version.partition(".")[2])
        for name in self.service.groups:
            if name in owned:
                continue
            if self.sizes.scaling(name) is not None:
                raise Stop(
                    f"{self.name} has a node group {name} that the stack {self.stack.name} "
                    "did not add: rename yours in the spec, and render again"
                )
            # Nodes with an image of their own have no version in EKS.
            if name in self.service.versioned and self.service.version not in (0, minor):
                raise Stop(
                    f"the EKS cluster {self.name} runs Kubernetes {version}, and {name} is new: "
                    "EKS creates node groups with the version of the cluster only. Write "
                    f'kubernetes.version: "{version}" and render again'
                )

    def owned(self) -> list[str]:
        """The node groups in the stack: the cluster may have others with the same names."""
        found = cloudformation.resources(self.run.world, self.stack.name)
        there = {each["LogicalResourceId"] for each in found}
        return [name for name, group in self.service.groups.items() if group.id in there]

    def facts(self) -> Outputs:
        """What the stack has to know about the cluster."""
        names = ("EksSecurityGroupId", "EksEndpoint", "EksCertificateAuthority", "EksServiceCidr")
        if self.run.options.rehearses:
            return {name: f"${{{name}}}" for name in names}
        found = self._found()
        network = found.get("kubernetesNetworkConfig") or {}
        values = (
            at(found, "resourcesVpcConfig.clusterSecurityGroupId"),
            found.get("endpoint"),
            at(found, "certificateAuthority.data"),
            network.get("serviceIpv4Cidr") or network.get("serviceIpv6Cidr"),
        )
        return {name: str(value) for name, value in zip(names, values, strict=True) if value}

    def drivers(self, told: Mapping[str, str]) -> Mapping[str, str]:
        """Parameters of drivers: yes for what the cluster lacks, and for what the stack has."""
        found = {}
        for parameter, driver in self.service.drivers.items():
            found[parameter] = "yes"
            if told.get(parameter) != "yes" and self._has(driver.addon, driver.object):
                self.run.note(
                    f"{driver.addon} is already installed in {self.name}. This bundle uses it and "
                    "does not change it."
                )
                found[parameter] = "no"
        return found

    def _has(self, addon: str, object: str) -> bool:
        if self.run.options.rehearses:
            return False
        names = {"clusterName": self.name, "addonName": addon}
        if self.run.world.ask("eks:DescribeAddon", **names) is not None:
            return True
        self.api.reach()
        return self.api.get(object, "--namespace", "kube-system") is not None

    def remove(self) -> None:
        """Delete what this bundle has put into the cluster, which stays."""
        if not self.api.is_up():
            found = self.api.describe()
            state = f"is {found['status']}" if found else "does not exist"
            self.run.note(f"The EKS cluster {self.name} {state}.")
            return
        self.api.reach()
        Installation(self.api, self.service.software, {}).remove()
