"""What the parts of a bundle promise each other, whatever the spec."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import yaml

from clustergen.analysis.policy import calls
from clustergen.base.artifacts import Artifact
from clustergen.plan.model import Bucket, Plan
from tests.validators.iam import roles
from tests.validators.kubernetes import objects_in, pod_templates

Files = Mapping[str, str]
Invariant = Callable[[Plan, Files], Iterator[str]]


def one_topology(plan: Plan, files: Files) -> Iterator[str]:
    """Kueue gives a job without a topology only flavors without one, and the other way round.

    https://kueue.sigs.k8s.io/docs/concepts/topology_aware_scheduling/ (0.19)
    """
    objects = [item.body for item in objects_in(files, plan.region)]
    flavors = [each for each in objects if each.get("kind") == "ResourceFlavor"]
    near = {each["metadata"]["name"]: each["spec"].get("topologyName") for each in flavors}
    for each in objects:
        if each.get("kind") == "ClusterQueue":
            used = {f["name"] for g in each["spec"]["resourceGroups"] for f in g["flavors"]}
            if len({bool(near.get(name)) for name in used}) > 1:
                yield f"{each['metadata']['name']} has flavors with and without a topology"


def tolerated(plan: Plan, files: Files) -> Iterator[str]:
    """Pods of sample jobs and tests tolerate the taints of the nodes that they select."""
    groups = {group.object_name: group for group in plan.node_groups}
    own = {path: text for path, text in files.items() if path.startswith(("jobs/", "smoke/"))}
    for item in objects_in(own, plan.region):
        for pod in pod_templates(item.body):
            selected = pod["spec"].get("nodeSelector", {}).values()
            known = {each.get("key") for each in pod["spec"].get("tolerations", ())}
            for group in (groups[name] for name in selected if name in groups):
                for taint in group.taints:
                    if taint.effect != "PreferNoSchedule" and not known & {taint.key, None}:
                        yield f"{item} does not tolerate {taint.key} of {group.name}"


def fits(plan: Plan, files: Files) -> Iterator[str]:
    """A Slurm job asks for no more nodes and time than its partition has."""
    for path, text in files.items():
        given = dict(re.findall(r"^#SBATCH --(nodes|partition|time)=(\S+)$", text, re.M))
        queues = [queue for queue in plan.queues if queue.name == given.get("partition")]
        for queue in queues if path.endswith(".sbatch") and "nodes" in given else ():
            most = sum(group.max for group in queue.node_groups)
            if int(given["nodes"].partition("-")[0]) > most:
                yield f"{path} asks for {given['nodes']} nodes of {most}"


def _templates(files: Files) -> dict[str, Any]:
    found = {path: text for path, text in files.items() if path.endswith(".template.json")}
    return {path: json.loads(text) for path, text in found.items()}


def _on_nodes(files: Files) -> set[str]:
    """The AWS CLI's commands in the scripts of nodes."""
    inside = [text for path, text in files.items() if "/" in path and path.endswith(".sh")]
    return calls.calls(tuple(Artifact(f"{n}.sh", text) for n, text in enumerate(inside)))


def permitted(plan: Plan, files: Files) -> Iterator[str]:
    """A role of the bundle may do what scripts on nodes do."""
    found = [role for t in _templates(files).values() for role in roles(t, plan.region).values()]
    for action in sorted(calls.actions(_on_nodes(files)) - _UNUSED):
        if not any(_may(role.statements, action) for role in found):
            yield f"no role allows {action}"


_UNUSED = {"s3:PutObject", "fsx:DescribeVolumes"}
"""Scripts copy from S3 only, and ask FSx only for volumes that exist."""


def _may(statements: Any, action: str) -> bool:
    given = [each for s in statements if s["Effect"] == "Allow" for each in _list(s.get("Action"))]
    return any(re.fullmatch(re.escape(each).replace(r"\*", ".*"), action, re.I) for each in given)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value] if value else []


def reachable(plan: Plan, files: Files) -> Iterator[str]:
    """A network without internet has an endpoint of each service that nodes call."""
    if plan.network.internet != "none" or not plan.network.new:
        return
    text = json.dumps(_templates(files).get("foundation.template.json", {}))
    known = set(re.findall(r"com\.amazonaws\.[^.]*\.([\w.-]+?)\"", text))
    commands = _on_nodes(files) - {"fsx describe-volumes"}
    for service in sorted({command.split()[0] for command in commands}):
        names = _ENDPOINTS.get(service, (service,))
        if not known.intersection(names):
            yield f"no endpoint of {service}: {sorted(known)}"


_ENDPOINTS = {"s3api": ("s3",), "ecr": ("ecr.api",), "sagemaker": ("sagemaker.api",)}


def stays(plan: Plan, files: Files) -> Iterator[str]:
    """What the spec keeps is retained by its template, and listed under "What stays"."""
    section = files["README.md"].partition("## What stays")[2].partition("\n## ")[0]
    resources = {id: r for t in _templates(files).values() for id, r in t["Resources"].items()}
    stores = {id: each for id, each in resources.items() if each["Type"] in _STORES}
    policies = {id: str(each.get("DeletionPolicy", "")) for id, each in stores.items()}
    kept = {id for id, policy in policies.items() if policy.startswith("Retain")}
    made = (i for i in plan.storage if not isinstance(i, Bucket) and not i.existing)
    wanted = [item for item in made if item.retain]
    if len(kept) != len(wanted):
        yield f"{sorted(kept)} are retained, and the spec keeps {[i.mount for i in wanted]}"
    listed = {id for id in resources if f"- {id}: " in section and resources[id]["Type"] in _STORES}
    if listed != kept:
        yield f"{sorted(kept)} are retained, and the README has {sorted(listed)}"


def given(plan: Plan, files: Files) -> Iterator[str]:
    """Each parameter that a deployment looks up is an output of the foundation."""
    known = _templates(files).get("foundation.template.json", {}).get("Outputs", {})
    stacks = json.loads(files["bundle.json"])["stacks"]
    for role in {"cluster", "monitoring"} & stacks.keys():
        for source in stacks[role].get("parameters", {}).values():
            name = source.get("output", "")
            # Those of an existing cluster come from EKS.
            if name and name not in known and not name.startswith("Eks"):
                yield f"the foundation has no output {name}"


_STORES = ("AWS::FSx::FileSystem", "AWS::EFS::FileSystem")


def opened(plan: Plan, files: Files) -> Iterator[str]:
    """Session Manager opens a shell on all nodes of Slurm whose README says so."""
    if plan.scheduler != "slurm" or "--login" not in files["README.md"]:
        return
    for name, nodes in _of_pcluster(files):
        if "SessionPolicyArn" not in str(nodes.get("Iam")):
            yield f"no session on {name}"
    for template in _templates(files).values():
        for id, role in roles(template, plan.region).items():
            of_nodes = any("ec2." in each for each in role.principals)
            if of_nodes and not role.allows("ssmmessages:OpenDataChannel"):
                yield f"no session on nodes of {id}"


def _of_pcluster(files: Files) -> Iterator[tuple[str, Any]]:
    """Name and section of each kind of node in a configuration of ParallelCluster."""
    document = yaml.safe_load(files.get("cluster.yaml", "{}"))
    if document:
        yield "HeadNode", document["HeadNode"]
        groups = (
            *document.get("LoginNodes", {}).get("Pools", ()),
            *document["Scheduling"]["SlurmQueues"],
        )
        yield from ((each["Name"], each) for each in groups)


INVARIANTS: tuple[Invariant, ...] = (
    one_topology,
    tolerated,
    fits,
    permitted,
    reachable,
    stays,
    opened,
    given,
)
