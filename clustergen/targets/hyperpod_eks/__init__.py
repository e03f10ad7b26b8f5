"""SageMaker HyperPod with nodes in an EKS cluster: a CreateCluster request and scripts."""

from clustergen.plan.model import Traits
from clustergen.services.hyperpod.support import SCHEMA
from clustergen.targets import Target
from clustergen.targets.hyperpod_eks.limits import LIMITS, POD_ADDRESSES
from clustergen.targets.hyperpod_eks.options import Options
from clustergen.targets.hyperpod_eks.support import SUPPORT

TARGET = Target(
    traits=Traits(
        limits=LIMITS,
        options=Options,
        name="hyperpod-eks",
        section="hyperpod-eks",
        scheduler="kubernetes",
        # An address on every card, and those of pods on the first.
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-eks-prerequisites.html
        efa_layout="efa",
        card_device_index=1,
        login_nodes=False,
        pod_addresses=POD_ADDRESSES,
        sagemaker=True,
    ),
    title="HyperPod with EKS",
    support=SUPPORT,
    rule_packages=("clustergen.services.hyperpod.rules", "clustergen.targets.hyperpod_eks.rules"),
    document_rules="clustergen.services.hyperpod.rules.document",
    emitter="clustergen.targets.hyperpod_eks.emit",
    page="hyperpod/readme-eks.md.j2",
    fee_module="clustergen.targets.hyperpod_eks.fees",
    primary="create-cluster.json",
    joining="update-cluster.json",
    schema=SCHEMA,
)
