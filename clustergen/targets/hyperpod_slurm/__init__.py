"""SageMaker HyperPod with Slurm: a CreateCluster request and scripts of nodes."""

from pathlib import Path

from clustergen.plan.features import supported
from clustergen.plan.model import Traits
from clustergen.services.hyperpod.support import SCHEMA, SHARED
from clustergen.targets import Target
from clustergen.targets.hyperpod_slurm.limits import LIMITS
from clustergen.targets.hyperpod_slurm.options import Options

TARGET = Target(
    traits=Traits(
        limits=LIMITS,
        options=Options,
        name="hyperpod-slurm",
        section="hyperpod-slurm",
        # An address on every card: 32 of each P5 node.
        # https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-prerequisites.html
        efa_layout="efa",
        card_device_index=1,
        head_node=True,
        sagemaker=True,
    ),
    title="SageMaker HyperPod with Slurm",
    support=supported(
        Path(__file__).with_name("support.json"),
        shared=SHARED,
        unless={"software.pyxis": lambda plan: plan.options_as(Options).mode == "api"},
    ),
    rule_packages=("clustergen.services.hyperpod.rules", "clustergen.targets.hyperpod_slurm.rules"),
    document_rules="clustergen.services.hyperpod.rules.document",
    emitter="clustergen.targets.hyperpod_slurm.emit",
    page="hyperpod/readme-slurm.md.j2",
    primary="create-cluster.json",
    joining="update-cluster.json",
    schema=SCHEMA,
)
