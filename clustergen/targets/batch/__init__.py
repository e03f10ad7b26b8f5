"""AWS Batch: managed compute environments and job queues, as a CloudFormation template."""

from pathlib import Path

from clustergen.base.text_lists import words
from clustergen.facts.schemas import Schema
from clustergen.plan.features import supported
from clustergen.plan.model import Traits
from clustergen.targets import Target
from clustergen.targets.batch.limits import LIMITS
from clustergen.targets.batch.options import Options

TARGET = Target(
    traits=Traits(
        limits=LIMITS,
        options=Options,
        name="batch",
        section="batch",
        scheduler="batch",
        login_nodes=False,
        # The form of AWS's own templates for Batch, with device 0 on every card:
        # https://github.com/awslabs/awsome-distributed-ai/tree/main/1.architectures/3.aws-batch
        efa_layout="efa",
        combined_device_index=0,
        # Each task of a multi-node job gets an interface of its own, beside those of the node:
        # https://docs.aws.amazon.com/batch/latest/userguide/mnp-ce.html
        task_interfaces=1,
    ),
    title="AWS Batch",
    support=supported(Path(__file__).with_name("support.json")),
    rule_packages=("clustergen.targets.batch.rules",),
    document_rules="clustergen.targets.batch.rules.document",
    emitter="clustergen.targets.batch.emit",
    page="batch/readme.md.j2",
    primary="cluster.template.json",
    schema=Schema(
        file="batch.json",
        cloudformation=True,
        list_keys=words("""
            NetworkCardIndex+DeviceIndex DeviceName ResourceType ShareIdentifier
            PolicyName Sid Reason Order Key
        """),
    ),
)
