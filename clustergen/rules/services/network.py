"""Where the service is, and who reaches its nodes."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.catalog import services
from clustergen.findings import Problem, Severity
from clustergen.plan.model import Plan
from clustergen.rules.services import rule


@rule(
    "NET020",
    "Region without the service",
    why="A service is not in every region, and a template for it fails there. The list has the "
    "date that the message names; ParallelCluster itself rejects other regions.",
    source="https://docs.aws.amazon.com/general/latest/gr/aws-service-information.html",
    target="pcs",
    bad="region: us-west-1\nnetwork: {zone: usw1-az1}\n"
    "node_groups: [{name: h200, instance_type: m7i.4xlarge}]",
    good="region: us-west-2\nnetwork: {zone: usw2-az1}\n"
    "node_groups: [{name: h200, instance_type: m7i.4xlarge}]",
)
def region(plan: Plan) -> Iterator[Problem]:
    limit = plan.limits.region
    if limit is None or services.available(limit.service, plan.region) is not False:
        return
    service = services.SERVICES[limit.service]
    near = ", ".join(service.nearest(plan.region))
    yield Problem(
        ("region",),
        f"no {service.title} in {plan.region} as of {service.date}",
        help=f"regions that have it: {near}" if near else "choose another target",
        severity=limit.severity,
        source=limit.source,
    )


@rule(
    "NET021",
    "SSH to nodes without a public address",
    why="Session Manager opens a shell on every node. SSH reaches such nodes only through a VPN or "
    "a peered network.",
    source="https://docs.aws.amazon.com/systems-manager/latest/userguide/session-manager.html",
    severity=Severity.WARNING,
    target="eks",
    bad="network: {ssh_from: [203.0.113.0/24]}",
    good="kubernetes: {public_endpoint_from: [203.0.113.0/24]}",
)
def ssh(plan: Plan) -> Iterator[Problem]:
    if plan.limits.no_ssh and plan.network.ssh_from:
        yield Problem(
            ("network", "ssh_from"),
            "no node has a public address that SSH could reach",
            help="write the addresses of your VPN, or remove it and use Session Manager; "
            "kubernetes.public_endpoint_from lets kubectl in",
            source=plan.limits.no_ssh,
        )
