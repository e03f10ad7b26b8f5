"""Storage of clusters of ParallelCluster: what goes with a cluster, and what stays."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import yaml

from clustergen.base.artifacts import Json
from clustergen.deployment.kinds import ParallelCluster
from clustergen.deployment.run import Run
from clustergen.deployment.world import Stop

_VOLUME: Final = "AWS::EC2::Volume"
_STORES: Final = (_VOLUME, "AWS::EFS::FileSystem", "AWS::FSx::FileSystem")
_KEPT: Final = ("Retain", "Snapshot")


def check(run: Run, service: ParallelCluster, stack: str) -> None:
    """Stop if storage goes with the cluster that this bundle keeps.

    What counts is the template that was deployed, whatever ``cluster.yaml`` says now.
    """
    call, path = "cloudformation:GetTemplate", "TemplateBody"
    body = run.world.need(call, path, StackName=stack)
    ends = Counter(_ending(body)) - Counter(service.ending) if body else None
    if ends:
        raise Stop(
            "the cluster was deployed with storage that goes with it "
            f"({', '.join(sorted(ends.elements()))}), and this bundle keeps it. Nothing was "
            "deleted. Run deploy.sh first, which deploys what this bundle says; or, if you do not "
            "need the data, add --allow-replacement."
        )


def _ending(body: Json | str) -> Iterator[str]:
    """The type of each storage that goes with the cluster, from the template of its stack."""
    try:
        template = yaml.safe_load(body) if isinstance(body, str) else body
    except yaml.YAMLError:
        template = None
    resources = template.get("Resources") if isinstance(template, dict) else None
    if not isinstance(resources, dict):
        raise Stop(
            "the template of the cluster's stack is not one of ParallelCluster's, so whether data "
            "goes with it is not known. Nothing was deleted. If you do not need the data, add "
            "--allow-replacement."
        )
    for each in resources.values():
        kept = str(each.get("DeletionPolicy", "")).startswith(_KEPT)
        if each.get("Type") in _STORES and not kept:
            yield each["Type"]


def name_kept(run: Run, service: ParallelCluster, stack: str) -> None:
    """Name the storage that a stack left when it was deleted."""
    call, member = "cloudformation:ListStackResources", "StackResourceSummaries"
    found = run.world.ask_all(call, member, StackName=stack)
    if found is None:
        run.note(f"CloudFormation does not show which storage stays of {stack}: look for it.")
    for each in found or ():
        id, type = each.get("PhysicalResourceId"), each["ResourceType"]
        if each.get("ResourceStatus") != "DELETE_SKIPPED" or type not in _STORES:
            continue
        way = (
            "No cluster mounts a volume of an array: to read it, attach all volumes of the array "
            "to an instance, and run mdadm --assemble --scan."
            if service.arrays and type == _VOLUME
            else f"The next cluster mounts it with existing: {{id: {id}}} in the spec, and "
            "otherwise creates an empty one. README.md has the command that deletes it."
        )
        run.note(f"{id} stays, with its data, and costs money. {way}")
