"""Amazon EKS: a control plane and managed node groups, as a CloudFormation stack."""

from pathlib import Path

from clustergen.base.text_lists import words
from clustergen.facts.schemas import Schema
from clustergen.plan.features import supported
from clustergen.plan.model import Traits
from clustergen.services.eks.addresses import reserved
from clustergen.targets import Target
from clustergen.targets.eks.limits import LIMITS
from clustergen.targets.eks.options import Options

TARGET = Target(
    traits=Traits(
        limits=LIMITS,
        options=Options,
        name="eks",
        section="eks",
        scheduler="kubernetes",
        # One address for the node, and EFA-only interfaces on other cards:
        # https://docs.aws.amazon.com/eks/latest/userguide/device-management-efa.html
        efa_layout="efa-only",
        card_device_index=0,
        pod_addresses_with=reserved,
        system_nodes=True,
    ),
    title="Amazon EKS",
    support=supported(
        Path(__file__).with_name("support.json"),
        unless={"nodes.scaling": lambda plan: plan.kubernetes.autoscaler == "karpenter"},
    ),
    rule_packages=("clustergen.targets.eks.rules",),
    document_rules="clustergen.targets.eks.rules.document",
    emitter="clustergen.targets.eks.emit",
    page="eks/readme.md.j2",
    fee_module="clustergen.targets.eks.fees",
    primary="cluster.template.json",
    schema=Schema(
        file="eks.json",
        cloudformation=True,
        list_keys=words("""
            NetworkCardIndex+DeviceIndex DeviceIndex DeviceName ResourceType
            PolicyName Sid ServiceAccount Name Key
        """),
    ),
)
