"""Plans of spec fragments for the HyperPod targets."""

import json
from collections.abc import Mapping, Sequence

from clustergen.base.artifacts import Bundle, Json
from clustergen.plan.model import Plan
from clustergen.services.hyperpod import scripts
from clustergen.services.hyperpod.steps import Mode
from clustergen.spec import placeholders
from tests.support.checking import Fragments

TARGETS = {"slurm": "hyperpod-slurm", "eks": "hyperpod-eks"}
MODES: tuple[Mode, ...] = ("extended", "customer-managed", "legacy", "kubernetes")
"""The mode of every lifecycle set there is."""


def plan_of(text: str = "", orchestrator: str = "slurm") -> Plan:
    """The plan of `text`, a spec fragment laid over the smallest spec."""
    return Fragments(TARGETS[orchestrator]).faulty_plan(text)


def lifecycle_of(text: str, mode: Mode) -> Bundle:
    """A lifecycle set as it is in the bundle."""
    return scripts.lifecycle(plan_of(text, "eks" if mode == "kubernetes" else "slurm"), mode)


def filled(bundle: Bundle) -> dict[str, str]:
    """Files by name, with some value for each placeholder of the documents."""
    files = {}
    for artifact in bundle:
        text = artifact.text
        if artifact.path.endswith(".json"):
            values = {name: f"value-of-{name}.example" for name in placeholders.names(text)}
            values |= {name: "ws-0a1b" for name in values if name.endswith("WorkspaceId")}
            text, missing = placeholders.fill(text, values)
            assert missing == []
        files[artifact.path.rpartition("/")[2]] = text
    return files


Instance = tuple[str, str]
"""Name and address."""


def resource_config(
    name: str,
    groups: Mapping[str, Sequence[Instance]],
    controllers: Sequence[str],
    *more: Json,
) -> str:
    """What HyperPod tells every node: names and addresses by group, and who controls Slurm."""
    arn = "arn:aws:sagemaker:us-east-1:111122223333:cluster/0a1b2c3d4e5f"
    first, *others = controllers
    listed = [
        {"Name": group, "Instances": [{"InstanceName": n, "CustomerIpAddress": a} for n, a in each]}
        for group, each in groups.items()
    ]
    config = {
        "ClusterConfig": {"ClusterName": name, "ClusterArn": arn},
        "SlurmConfig": {"PrimaryControllerIp": first, "SecondaryControllerIps": others},
        "InstanceGroups": [*more, *listed],
    }
    return json.dumps(config)
