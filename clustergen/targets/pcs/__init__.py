"""AWS Parallel Computing Service: Slurm with a managed controller, as a CloudFormation template."""

from pathlib import Path

from clustergen.base.text_lists import words
from clustergen.facts.schemas import Schema
from clustergen.plan.features import support, supported
from clustergen.plan.model import Traits
from clustergen.targets import Target
from clustergen.targets.pcs.limits import AGENT, CREATE_NODE_GROUP, LIMITS
from clustergen.targets.pcs.options import Options

TARGET = Target(
    traits=Traits(
        limits=LIMITS,
        options=Options,
        name="pcs",
        section="pcs",
        # The only form of EFA interfaces in the documentation of PCS:
        # https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_efa_create-lt.html
        efa_layout="efa",
        card_device_index=1,
        # PCS sets one thread per core on every node:
        # https://docs.aws.amazon.com/pcs/latest/userguide/working-with_launch-templates_overview.html
        smt=False,
        # https://docs.aws.amazon.com/pcs/latest/userguide/working-with_networking_vpc.html
        controller_addresses=1,
    ),
    title="AWS PCS",
    support=supported(
        Path(__file__).with_name("support.json"),
        special={
            "nodes.image": support(
                "full", f"AmiId; the image needs the PCS agent {AGENT} or later", CREATE_NODE_GROUP
            ),
        },
    ),
    rule_packages=("clustergen.targets.pcs.rules",),
    document_rules="clustergen.targets.pcs.rules.document",
    emitter="clustergen.targets.pcs.emit",
    page="pcs/readme.md.j2",
    fee_module="clustergen.targets.pcs.fees",
    primary="cluster.template.json",
    schema=Schema(
        file="pcs.json",
        cloudformation=True,
        list_keys=words("""
            ParameterName DeviceName NetworkCardIndex+DeviceIndex InstanceType
            ResourceType Name Key
        """),
    ),
)
