"""Parts of specs in any combination: rejected, or rendered to what the validators accept."""

from __future__ import annotations

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clustergen import renderer, targets
from clustergen.findings import errors
from tests.checking import check
from tests.examples import share
from tests.oracles.cloudformation import check as template_violations
from tests.oracles.parallelcluster import ParallelCluster
from tests.oracles.shell import script_violations

PLACES = [
    "{zone: use1-az6}",
    "{zone: use1-az6, cidr: 172.16.0.0/18, ssh_from: [203.0.113.0/24, 198.51.100.7]}",
    "{zone: use1-az6, vpc: vpc-0a1b2c3d, private_subnets: [subnet-0a1b2c3d]}",
    "{zone: use1-az6, vpc: vpc-0a1b2c3d,"
    " private_subnets: [{id: subnet-0a1b2c3d, cidr: 10.0.0.0/20}],"
    " public_subnets: [subnet-0b1b2c3d], security_groups: [sg-0a1b2c3d], ssh_from: [10.0.0.0/8]}",
]
# All of them are offered in the zone: that they are not is for the account to say.
TYPES = ["p5en.48xlarge", "p5.48xlarge", "p4d.24xlarge", "g6e.48xlarge", "g6e.12xlarge",
         "g5.2xlarge", "m7i.4xlarge", "c6in.32xlarge", "i7ie.48xlarge", "t3.xlarge",
         "p6-b200.48xlarge", "trn1.32xlarge", "c7g.16xlarge"]  # fmt: skip
COUNTS = ["2", "{min: 0, max: 5}", "{min: 1, max: 3}"]
OF_GROUPS = ["capacity: spot", "capacity: {reservation: cr-0a1b2c3d4e5f6789%d}", "efa: false",
             "placement: none",
             "placement: cluster", "threads_per_core: 1", "threads_per_core: 2",
             "image: ami-0a1b2c3d4e5f67890", "root_volume: {size: 2TiB, type: gp2}",
             "root_volume: {size: 200GiB, type: io2, iops: 3000}", "scratch: /scratch",
             "health_checks: [gpu]", "labels: {a: b}", "efa_layout: efa-only",
             "slurm: {Features: fast}"]  # fmt: skip
STORES = [
    "mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250",
    "mount: /fsx, type: fsx-lustre, size: 2400GiB, deployment: scratch-2",
    "mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true",
    "mount: /old, type: fsx-lustre, existing: {id: fs-0a1b2c3d4e5f67890, mount_name: abcdefgh}",
    "mount: /home, type: efs",
    "mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320",
    "mount: /apps, type: ebs, size: 500GiB",
    "mount: /data, type: s3, bucket: s3://my-bucket/data",
]
SETTINGS = [
    "login: {instance_type: m7i.xlarge, count: 2}",
    "head_node: {instance_type: m7i.2xlarge, root_volume: {size: 100GiB, iops: 4000}}",
    "software: {os: alinux2023, containers: docker}",
    "software: {scripts: [{run: s3://my-bucket/a.sh, args: [it's, $(x), --y=1]}]}",
    "users: [{name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA x}, {name: bob, uid: 2002}]",
    "slurm: {idle_timeout: 90s, settings: {JobRequeue: 1, SchedulerParameters: defer}}",
    "slurm: {accounting: managed}",
    "tags: {Owner: a b, 'x:y': z, empty: ''}",
    "monitoring: {log_retention: 45d, dashboards: none}",
    "resilience: {replace_failed_nodes: false}",
]


def _keys(fields: list[str]) -> dict[str, str]:
    """Fields by their name: the first of a name stays."""
    found: dict[str, str] = {}
    for field in fields:
        found.setdefault(field.partition(",")[0].partition(": ")[0], field)
    return found


@st.composite
def specs(draw: st.DrawFn) -> str:
    """The text of a spec of one to three node groups."""
    groups = []
    for number in range(draw(st.integers(1, 3))):
        more = draw(st.lists(st.sampled_from(OF_GROUPS), max_size=3))
        fields = [
            f"name: group-{number}",
            f"instance_type: {draw(st.sampled_from(TYPES))}",
            f"count: {draw(st.sampled_from(COUNTS))}",
            *(field.replace("%d", str(number)) for field in _keys(more).values()),
        ]
        groups.append(f"  - {{{', '.join(fields)}}}")
    mounts = {s.partition(",")[0]: s for s in draw(st.lists(st.sampled_from(STORES), max_size=3))}
    sections = _keys(draw(st.lists(st.sampled_from(SETTINGS), max_size=3)))
    return "\n".join(
        [
            "version: 1\nname: combined\nregion: us-east-1",
            f"network: {draw(st.sampled_from(PLACES))}",
            "node_groups:",
            *groups,
            f"storage: [{', '.join(f'{{{store}}}' for store in mounts.values())}]",
            *sections.values(),
        ]
    )


@given(specs())
@settings(
    max_examples=share(60),
    derandomize=True,  # the same in every run: what it finds is for the one who changed something
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
def test_any_combination_is_rejected_or_valid(parallelcluster: ParallelCluster, text: str) -> None:
    for target in targets.NAMES:
        checked = check(text, target=target)
        if errors(checked.findings):
            assert all(finding.span for finding in checked.findings)
            continue
        files = {artifact.path: artifact.text for artifact in renderer.render(checked, target)}
        assert _violations(files, parallelcluster) == []


def _violations(files: dict[str, str], parallelcluster: ParallelCluster) -> list[str]:
    """What the quicker validators say; ParallelCluster's warnings are about choices of the spec."""
    templates = [text for path, text in files.items() if path.endswith(".template.json")]
    found = [b for text in templates for b in template_violations(json.loads(text), "us-east-1")]
    if "cluster.yaml" in files:
        messages = parallelcluster.validator(files["cluster.yaml"], cluster_name="combined")
        found += [f"{m.validator}: {m.text}" for m in messages if m.level == "ERROR"]
    scripts = {path: text for path, text in files.items() if path.startswith("scripts/")}
    return found + script_violations(scripts)
