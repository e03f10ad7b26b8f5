"""Operating systems, requirements of the service's images, and the registry of containers."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, unsafe
from clustergen.facts.catalog import regions
from clustergen.plan.images import region_of
from clustergen.plan.limits import Systems
from clustergen.plan.model import FileCache, Lustre, Plan
from clustergen.rules.services import note, rule, warning

_REGISTRY = "software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}"


@rule(
    "IMG001",
    "Operating system without an image",
    why="Without an image in the spec, nodes boot the service's image, which exists only for "
    "some operating systems.",
    source="https://docs.aws.amazon.com/pcs/latest/userguide/working-with_ami.html",
    bad="software: {os: alinux2023}",
)
def system(plan: Plan) -> Iterator[Problem]:
    limit, os = plan.limits.systems, plan.software.os
    if limit is None or os in limit.images:
        return
    if limit.only_written and not plan.wrote("software", "os"):
        return
    without = list(_without_image(plan, limit))
    if without and limit.by_node:
        for path, who in without:
            yield _missing(limit, path, os, who)
    elif without:
        yield _missing(limit, ("software", "os"), os, ", ".join(who for _, who in without))


def _missing(limit: Systems, path: Path, os: str, who: str) -> Problem:
    own = f"add image: ami-... for {who}, or " if limit.own_image else ""
    return Problem(
        path,
        f"{limit.title} has no image of {os}; needed for {who}",
        help=f"{own}write os: {limit.suggested}",
        fix=unsafe(put(("software", "os"), limit.suggested)),
        severity=limit.severity,
        source=limit.source,
    )


def _without_image(plan: Plan, limit: Systems) -> Iterator[tuple[Path, str]]:
    """Place and name of nodes that boot the service's image."""
    login = (("login nodes", machine) for machine in plan.all_login)
    machines = (("the head node", plan.head), *login)
    for title, machine in machines:
        if machine and not (machine.image and limit.own_image):
            yield machine.path, title
    for group in plan.node_groups:
        if not (group.image and limit.own_image):
            yield group.at("name"), f"nodes of {group.name}"


@note(
    "IMG003",
    "Lustre with an image of your own",
    why="The Lustre client is a kernel module, built for each kernel. Without it, or after an "
    "update of the kernel, nodes cannot mount the file system.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html",
    bad="""node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB}]""",
    good="""node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]
storage: [{mount: /fsx, type: fsx-openzfs, size: 64GiB}]""",
)
def lustre_client(plan: Plan) -> Iterator[Problem]:
    images = {group.image: group.at("image") for group in plan.node_groups if group.image}
    mounted = any(isinstance(item, Lustre | FileCache) for item in plan.storage)
    check = "check on an instance of it: modprobe lustre"
    if plan.limits.image_tool:
        check = f"build it with {plan.limits.image_tool}, which installs the client; {check}"
    # On Kubernetes, drivers include the client.
    for image, path in images.items() if mounted and plan.limits.slurm_versions else ():
        yield Problem(
            path,
            f"{image} needs the Lustre client for its kernel",
            help=check,
        )


@rule(
    "STG051",
    "Root volume smaller than the image",
    why="EC2 starts no instance whose root volume is smaller than the image's snapshot.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/create-root-volume.html",
    target="eks",
    bad="node_groups: [{name: h200, root_volume: {size: 10GiB}}]",
)
def root_volume(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.root_volume
    if limit is None:
        return
    nodes = [(group.path, group.volume, group.image) for group in plan.node_groups]
    if plan.head and limit.head:
        nodes.append((plan.head.path, plan.head.volume, plan.head.image))
    if plan.login and limit.login:
        nodes.append((plan.login.path, plan.login.volume, plan.login.image))
    for path, volume, image in nodes:
        if image is None and volume.size_gib is not None and volume.size_gib < limit.gib:
            yield Problem(
                (*path, "root_volume", "size"),
                f"a volume of {volume.size_gib} GiB for an image of {limit.gib} GiB",
                help="write 100GiB: container images are kept there too",
                fix=unsafe(put((*path, "root_volume", "size"), "100GiB")),
                severity=limit.severity,
                source=limit.source,
            )


@note(
    "IMG004",
    "Login nodes of another architecture than compute nodes",
    why="What users build on a login node runs on nodes of the same architecture.",
    source="https://slurm.schedmd.com/heterogeneous_jobs.html",
    bad="login: {instance_type: m7g.xlarge}",
    good="login: {instance_type: m7i.xlarge}",
)
def login_architecture(plan: Plan) -> Iterator[Problem]:
    # Services that require one architecture for the whole cluster have a rule for that.
    if plan.login is None or plan.limits.slurm_settings is None or plan.limits.one_architecture:
        return
    archs = sorted({type.arch for group in plan.node_groups for type in group.types})
    if plan.login.type.arch not in archs:
        written = plan.wrote("login", "instance_type")
        yield Problem(
            ("login", "instance_type") if written else ("login",),
            f"login nodes are {plan.login.type.arch}, compute nodes {' and '.join(archs)}",
            help="choose a type of the architecture of the compute nodes, or build in jobs",
            on_key=not written,
        )


@rule(
    "NET037",
    "Public images of a Kubernetes cluster without a way to the internet",
    why="The software of the cluster and the jobs of the bundle use images of public registries, "
    "for which AWS has no endpoints. With a registry in "
    "ECR, the bundle has a script that copies them there, and uses the copies.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/private-clusters.html",
    target="eks",
    bad="network: {internet: none}",
    good=f"network: {{internet: none}}\n{_REGISTRY}",
)
def public_images(plan: Plan) -> Iterator[Problem]:
    kubernetes = plan.scheduler == "kubernetes"
    if plan.network.closed and kubernetes and not plan.software.registry:
        yield Problem(
            ("network", "internet"),
            "nodes cannot pull the public images of the cluster's software",
            help="write software: {registry: ACCOUNT.dkr.ecr."
            f"{plan.region}.{regions.partition_of(plan.region).dns_suffix}/mirror}}, and run "
            "the bundle's mirror.sh, which copies them there",
        )


@rule(
    "NET038",
    "Registry that nodes cannot reach",
    why="Endpoints lead to ECR in the region of the VPC only. Without a way to the internet, nodes "
    "do not reach ECR in other regions.",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
    target="eks",
    bad=f"network: {{internet: none}}\n{_REGISTRY.replace('us-east-1', 'us-west-2')}",
    good=f"network: {{internet: none}}\n{_REGISTRY}",
)
def far_registry(plan: Plan) -> Iterator[Problem]:
    region = region_of(plan.software.registry or "")
    if plan.network.closed and region not in ("", plan.region):
        yield Problem(
            ("software", "registry"),
            f"nodes in {plan.region} have no way to a registry in {region}",
            help=f"name one in {plan.region}; ECR can replicate images there",
        )


@warning(
    "NET039",
    "Registry outside ECR",
    why="Roles of nodes let them pull from ECR. Pods have no secret for another registry, so "
    "it must let them pull without a login, and nodes must have a way to it.",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/ECR_on_EKS.html",
    target="eks",
    bad="software: {registry: registry.example.com/mirror}",
    good=_REGISTRY,
)
def other_registry(plan: Plan) -> Iterator[Problem]:
    registry = plan.software.registry
    if registry and plan.scheduler != "slurm" and not region_of(registry):
        yield Problem(
            ("software", "registry"),
            "nodes cannot log in to a registry outside ECR",
            help="let the VPC pull from it without a login, or name a registry of ECR",
        )
