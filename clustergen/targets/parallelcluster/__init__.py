"""AWS ParallelCluster 3.16.1: one YAML file, and scripts for nodes."""

from pathlib import Path

from clustergen.facts.schemas import Schema
from clustergen.plan.features import supported
from clustergen.plan.model import Traits
from clustergen.targets import Target
from clustergen.targets.parallelcluster.limits import LIMITS
from clustergen.targets.parallelcluster.options import Options

TARGET = Target(
    traits=Traits(
        limits=LIMITS,
        options=Options,
        name="parallelcluster",
        section="parallelcluster",
        # https://github.com/aws/aws-parallelcluster/releases/tag/v3.15.0
        efa_layout="efa-only",
        card_device_index=1,
        every_common_card=True,
        head_node=True,
    ),
    title="AWS ParallelCluster",
    support=supported(Path(__file__).with_name("support.json")),
    rule_packages=("clustergen.targets.parallelcluster.rules",),
    document_rules="clustergen.targets.parallelcluster.rules.document",
    emitter="clustergen.targets.parallelcluster.emit",
    page="parallelcluster/readme.md.j2",
    fee_module="clustergen.targets.parallelcluster.fees",
    primary="cluster.yaml",
    schema=Schema(
        file="parallelcluster-3.16.1.json",
        cloudformation=False,
        # Nodes need clustergen's access, policies and scripts besides those of an overlay.
        list_keys=("Name", "Key", "BucketName+KeyName?", "Policy", "Script"),
    ),
)
