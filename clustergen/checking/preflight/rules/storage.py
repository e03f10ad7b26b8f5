"""Existing file systems."""

import json
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import partial
from typing import Final

from clustergen.base.findings import Path, Problem, Severity, rule, warning
from clustergen.checking.preflight import files, network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about, roles
from clustergen.plan.model import Efs, Lustre, Plan, Storage

FSX: Final = "https://docs.aws.amazon.com/fsx/latest/APIReference/API_FileSystem.html"
EFS_GUIDE: Final = "https://docs.aws.amazon.com/efs/latest/ug/"
LUSTRE: Final = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/"


def _at(item: Storage) -> Path:
    return item.at("existing", "id")


def _ids(of: Callable[[Plan], Iterable[Storage]]) -> Callable[[Plan], Iterable[str]]:
    return lambda plan: (str(item.id) for item in of(plan))


_GIVEN: Final = about(
    _ids(files.given), "{names}: available, in the VPC, and of the type in the spec"
)


common_rule = partial(rule, calls=files.DESCRIPTIONS, by_hand=_GIVEN)


@common_rule(
    "PRE060",
    "The file system does not exist, or is not available",
    why="Nodes wait for a file system that does not answer, and then fail to start.",
    source=FSX,
    bad="fsx:DescribeFileSystems: {Lifecycle: FAILED}",
    good="fsx:DescribeFileSystems: {Lifecycle: AVAILABLE}",
)
def file_system(case: Case) -> Iterator[Problem]:
    for item in files.given(case.plan):
        found, service = files.describe(case, item), "efs" if isinstance(item, Efs) else "fsx"
        show = f"aws {service} describe-file-systems --region {case.region}"
        if found is None:
            message = f"the account has no file system {item.id} in {case.region}"
            yield Problem(_at(item), message, show)
            continue
        state = found.get("Lifecycle") or found.get("LifeCycleState") or "AVAILABLE"
        kind = found.get("FileSystemType") or found.get("FileCacheType") or "EFS"
        if state.upper() not in ("AVAILABLE", "UPDATING"):
            yield Problem(_at(item), f"{item.id} is {state}", show)
        elif kind != files.KINDS[type(item)]:
            message = f"{item.id} is of the type {kind}"
            help = f"write type: fsx-{kind.lower()}, or another id"
            yield Problem(item.at("type"), message, help)


@common_rule(
    "PRE061",
    "The file system is in another VPC",
    why="Nodes reach file systems of their VPC. Peered VPCs need routes, rules and DNS besides.",
    source=f"{LUSTRE}mounting-on-premises.html",
    bad="fsx:DescribeFileSystems: {VpcId: vpc-0fffffffffffffff0}",
    good="fsx:DescribeFileSystems: {}",
    severity=Severity.WARNING,
)
def vpc(case: Case) -> Iterator[Problem]:
    mine = network.vpc_of(case.plan)
    for item in files.given(case.plan):
        theirs = (files.describe(case, item) or {}).get("VpcId")
        if theirs and theirs != mine:
            message = f"{item.id} is in {theirs}, and the nodes in {mine or 'a new VPC'}"
            help = f"write `network: {{vpc: {theirs}}}`, or connect the VPCs"
            yield Problem(_at(item), message, help)


def _lustre(plan: Plan) -> list[Lustre]:
    return [item for item in files.given(plan) if isinstance(item, Lustre)]


@rule(
    "PRE062",
    "The Lustre file system differs from the spec",
    why="A mount has to name the file system as FSx does, and EFA can be enabled only when it is "
    "created.",
    source=f"{LUSTRE}efa-file-systems.html",
    calls=files.DESCRIPTIONS,
    by_hand=about(_ids(_lustre), "{names}: mount name, EFA and zone as in the spec"),
    bad="fsx:DescribeFileSystems: {LustreConfiguration: {MountName: other}}",
    good="fsx:DescribeFileSystems: {}",
)
def lustre(case: Case) -> Iterator[Problem]:
    for item in _lustre(case.plan):
        settings = (files.describe(case, item) or {}).get("LustreConfiguration", {})
        name, efa = settings.get("MountName"), settings.get("EfaEnabled")
        if isinstance(item.mount_name, str) and name and name != item.mount_name:
            message = f"the mount name of {item.id} is {name}, not {item.mount_name}"
            yield Problem(item.at("existing", "mount_name"), message, f"write mount_name: {name}")
        if item.efa and efa is False:
            help = "write efa: false, or create one with EFA and copy the data"
            yield Problem(item.at("efa"), f"{item.id} does not serve clients over EFA", help)


@warning(
    "PRE063",
    "The file system is in another zone than the nodes",
    why="Traffic between zones costs per gigabyte and adds latency; Lustre over EFA does not leave "
    "its zone.",
    source=f"{LUSTRE}performance.html",
    calls=(*files.DESCRIPTIONS, network.SUBNETS, network.ZONES),
    by_hand=about(_ids(_lustre), "{names}: mount name, EFA and zone as in the spec"),
    bad="fsx:DescribeFileSystems: {SubnetIds: [subnet-0elsewhere]}",
    good="fsx:DescribeFileSystems: {}",
)
def zone(case: Case) -> Iterator[Problem]:
    nodes = {z for g in case.plan.node_groups for z in network.zones_of_group(case, g)}
    for item in _lustre(case.plan):
        subnets = (files.describe(case, item) or {}).get("SubnetIds", ())
        theirs = {each["AvailabilityZoneId"] for each in network.described(case, subnets)}
        if nodes and theirs and nodes.isdisjoint(theirs):
            there, here = ", ".join(sorted(theirs)), ", ".join(sorted(nodes))
            help = f"put the nodes in {there}, or use a file system in {here}"
            yield Problem(_at(item), f"{item.id} is in {there}, the nodes are in {here}", help)


def _efs(plan: Plan) -> list[Efs]:
    return [item for item in files.given(plan) if isinstance(item, Efs)]


@rule(
    "PRE064",
    "EFS has no mount target in the zone of the nodes",
    why="The name of the file system resolves in a zone only if it has a mount target there.",
    source=f"{EFS_GUIDE}accessing-fs.html",
    calls=(files.EFS, files.MOUNT_TARGETS, network.SUBNETS, network.ZONES),
    by_hand=about(_ids(_efs), "{names}: a mount target in each zone with nodes"),
    bad="efs:DescribeMountTargets: []",
    good="efs:DescribeMountTargets: {}",
)
def mount_target(case: Case) -> Iterator[Problem]:
    nodes = {z for g in case.plan.node_groups for z in network.zones_of_group(case, g)}
    for item in _efs(case.plan):
        if files.describe(case, item) is None:
            continue
        ready = [t for t in files.mount_targets(case, item) if t["LifeCycleState"] == "available"]
        missing = nodes - {target.get("AvailabilityZoneId") for target in ready}
        if missing:
            yield Problem(
                _at(item),
                f"{item.id} has no mount target in {', '.join(sorted(missing))}",
                f"aws efs create-mount-target --region {case.region} --file-system-id {item.id} "
                "--subnet-id subnet-...",
            )


def _without_iam(plan: Plan) -> list[Efs]:
    """EFS that nodes mount without their role, as they do unless an overlay says otherwise."""
    return [] if "IamAuthorization" in str(plan.overlay) else _efs(plan)


@rule(
    "PRE068",
    "The policy of EFS requires IAM",
    why="Nodes mount EFS without credentials. If the policy of the file system lets only clients "
    "with IAM mount, they fail to start.",
    source=f"{EFS_GUIDE}iam-access-control-nfs-efs.html",
    calls=(files.EFS_POLICY,),
    by_hand=about(_ids(_without_iam), "{names}: no policy, or one that lets any client mount"),
    bad="""efs:DescribeFileSystemPolicy: {Policy: '{"Statement": {"Effect": "Allow", "Principal":
  {"AWS": "arn:aws:iam::111122223333:root"}, "Action": "elasticfilesystem:*"}}'}""",
    good="efs:DescribeFileSystemPolicy: {}",
)
def efs_policy(case: Case) -> Iterator[Problem]:
    for item in _without_iam(case.plan):
        # Without a policy of its own, EFS lets any client mount, and this call finds none.
        found = case.find(files.EFS_POLICY, FileSystemId=str(item.id))
        if found and not _lets_anyone_mount(found["Policy"]):
            message = f"the policy of {item.id} lets no client mount without IAM"
            help = 'let "Principal": {"AWS": "*"} use elasticfilesystem:Client* by mount targets'
            yield Problem(_at(item), message, help)


def _lets_anyone_mount(policy: str) -> bool:
    """Whether it allows clients without IAM that use no access point, as nodes do."""
    action = "elasticfilesystem:clientmount"
    return any(
        each["Effect"] == "Allow"
        and each.get("Principal") in ("*", {"AWS": "*"}, {"AWS": ["*"]})
        and "AccessPointArn" not in str(each.get("Condition"))
        and any(fnmatchcase(action, one.lower()) for one in roles.several(each.get("Action", "")))
        for each in roles.several(json.loads(policy)["Statement"])
    )
