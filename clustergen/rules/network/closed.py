"""What a cluster without a way to the internet cannot do."""

import ipaddress
import re
from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, note, put, rule, unsafe, unwanted, warning
from clustergen.facts.catalog import regions
from clustergen.plan import endpoints
from clustergen.plan.model import Plan
from clustergen.plan.network import is_internal, is_prefix_list, ssh_sources

_ENDPOINTS = "https://docs.aws.amazon.com/vpc/latest/privatelink/"
_GATEWAY = f"{_ENDPOINTS}vpc-endpoints-s3.html"


@rule(
    "NET032",
    "Access from the internet to a network without a way there",
    why="Without an internet gateway no node has an address that the internet reaches, and no "
    "subnet is public. Session Manager works through endpoints.",
    source="https://docs.aws.amazon.com/vpc/latest/userguide/VPC_Internet_Gateway.html",
    bad="network: {internet: none, ssh_from: [203.0.113.0/24]}",
    good="network: {internet: none}",
)
def from_outside(plan: Plan) -> Iterator[Problem]:
    if not plan.network.closed:
        return
    if plan.network.public:
        yield _unreachable(("network", "public_subnets"), "no subnet is public")
    for path, cidr in ssh_sources(plan):
        # A prefix list may have private addresses.
        if cidr and not is_prefix_list(cidr) and not is_internal(ipaddress.ip_network(cidr)):
            yield _unreachable(path, f"nothing leads from {cidr} to the nodes")


def _unreachable(path: Path, message: str) -> Problem:
    return unwanted(
        path,
        f"{message} where network.internet is none",
        help="remove it and use Session Manager, or remove internet: none",
    )


@rule(
    "NET033",
    "Script from the internet in a network without a way there",
    why="Nodes read scripts when they boot. Without a way to the internet, they read only S3, in "
    "their own region.",
    source=_GATEWAY,
    bad="network: {internet: none}\n"
    'software: {scripts: [{run: "https://example.com/setup.sh", on: [compute]}]}',
    good="network: {internet: none}\n"
    'software: {scripts: [{run: "s3://my-bucket/setup.sh", on: [compute]}]}',
)
def script(plan: Plan) -> Iterator[Problem]:
    for script in plan.software.scripts if plan.network.closed else ():
        if script.url.startswith("https://") and not _in_region(script.url, plan.region):
            yield Problem(
                (*script.path, "run"),
                "nodes cannot download this script where network.internet is none",
                help=f"copy it to a bucket in {plan.region}, and write s3://bucket/key",
            )


def _in_region(url: str, region: str) -> bool:
    """Whether an URL is one of S3 that the gateway endpoint serves."""
    host = url.removeprefix("https://").partition("/")[0].lower()
    ours = rf"([a-z0-9.-]+\.)?s3\.(dualstack\.)?{re.escape(region)}\.amazonaws\.com(\.cn)?"
    return re.fullmatch(ours, host) is not None


@warning(
    "NET034",
    "Container images in a network without a way to the internet",
    why="Nodes cannot pull from Docker Hub, NGC, public.ecr.aws and other public registries. They "
    "reach private repositories of ECR in their region. A pull-through cache does not help: its "
    "first pull of an image needs the internet.",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
    bad="network: {internet: none}\nsoftware: {containers: pyxis}",
    good="network: {internet: none}\nsoftware: {containers: none}",
)
def images(plan: Plan) -> Iterator[Problem]:
    if plan.network.closed and plan.software.containers != "none" and plan.scheduler == "slurm":
        written = plan.wrote("software", "containers")
        yield Problem(
            ("software", "containers") if written else ("network", "internet"),
            "jobs can use images of ECR only, and those of the examples in the bundle are public",
            help="copy the images of your jobs to ECR, or write containers: none",
        )


@warning(
    "NET035",
    "Endpoints that may not exist",
    why="Not every service has endpoints in every zone, and the names of some differ in China. If "
    "one does not exist, the foundation is not created.",
    source=f"{_ENDPOINTS}aws-services-privatelink-support.html",
    bad="network: {zone: use1-dfw2-az1, internet: none}",
    good="network: {zone: use1-az6, internet: none}",
)
def unknown_endpoints(plan: Plan) -> Iterator[Problem]:
    network = plan.network
    if not (network.closed and network.new):
        return
    local = regions.is_local_zone(network.zone or "")
    if local or plan.partition == "aws-cn":
        yield Problem(
            ("network", "zone" if local else "internet"),
            f"it is unknown which services have endpoints in {network.zone if local else 'China'}",
            help=f"list them with: aws ec2 describe-vpc-endpoint-services --region {plan.region}",
        )


@warning(
    "NET036",
    "GPU metrics in a network without a way to the internet",
    why="Where the image has Docker, nodes run NVIDIA's exporter in a container of nvcr.io, which "
    "they cannot pull. They start and have no metrics of their GPUs.",
    source="https://docs.nvidia.com/datacenter/dcgm/latest/gpu-telemetry/dcgm-exporter.html",
    bad="network: {internet: none}\nmonitoring: {metrics: cloudwatch}",
)
def gpu_metrics(plan: Plan) -> Iterator[Problem]:
    if not plan.network.closed or plan.scheduler != "slurm" or not plan.monitoring.of_nodes:
        return
    if any(type.gpus for type in plan.instance_types):
        yield Problem(
            ("monitoring", "metrics")
            if plan.wrote("monitoring", "metrics")
            else ("network", "internet"),
            "nodes cannot pull the exporter of GPU metrics",
            help="use images in which DCGM's exporter is installed, or write metrics: none",
            fix=unsafe(put(("monitoring", "metrics"), "none")),
        )


@note(
    "NET042",
    "Endpoints of every target",
    why="A foundation is the same for all targets of a spec. A spec without targets may be "
    "rendered for any, so its VPC gets the endpoints of all of them. Each has a fee per hour.",
    source="https://aws.amazon.com/privatelink/pricing/",
    bad="network: {internet: none}",
    good="network: {internet: none}\ntargets: {pcs: {}}",
)
def all_endpoints(plan: Plan) -> Iterator[Problem]:
    if plan.network.closed and plan.network.new and not plan.shared.served.names:
        count = len(endpoints.interfaces(endpoints.created(plan)))
        yield Problem(
            ("network", "internet"),
            f"the VPC gets {count} endpoints with a fee: those of every target",
            help="name the targets of this spec, such as targets: {pcs: {}}, or in clustergen.toml",
        )
