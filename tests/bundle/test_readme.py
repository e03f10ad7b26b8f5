"""README.md of a bundle: what it says, and that no word of the user's can break it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen import targets
from clustergen.base import resources
from clustergen.base.findings import Finding, Severity
from clustergen.bundle import readme, renderer
from clustergen.bundle.readme import Subject, costs, storage
from clustergen.checking import preflight
from clustergen.output.markdown_text import count, escape, spec_path, table
from clustergen.plan.model import Capacity, Decision, Plan
from tests.support.checking import Fragments, check
from tests.support.scripts import bash, programs
from tests.support.tiers import share

# Its steps and answers are the same for every plan.
TOY = replace(targets.load("pcs"), emitter="tests.targets.toy.emit", page="readme/page.md.j2")


def plan_of(spec: str, target: str = "pcs") -> Plan:
    return check("version: 1\nname: example\n" + spec, target=target).plans[target]


def text_of(spec: str, target: str = "pcs") -> str:
    plan = plan_of(spec, target)
    titled = replace(TOY, title="AWS PCS")
    return readme.render(Subject(plan, titled, checklist=preflight.checklist(plan))).text


H200 = "network: {zone: use1-az6}\nnode_groups: [{name: h200, instance_type: p5en.48xlarge, %s}]"
EXISTING = "zone: use1-az6, vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]"
EAST = "region: us-east-1\n"

US_WEST = """region: us-west-2
network: {zone: usw2-az1}
node_groups:
  - {name: s, instance_types: [g6e.xlarge, g6.xlarge], count: {min: 0, max: 2}, capacity: spot}
login: {instance_type: m7i.xlarge, count: 2}
"""
STORED = """
storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true},
  {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320, on_delete: delete},
  {mount: /e, type: efs}, {mount: /b, type: s3, bucket: 's3://my-bucket/in', read_only: true}]
queues: [{name: train, node_groups: [h200], time_limit: 36h, default: true}]
"""
GOVERNMENT = """region: us-gov-west-1
network: {zone: usgw1-az1}
node_groups: [{name: a, instance_type: hpc6a.48xlarge, count: 1}]
"""
# By spec: words that its README contains, and with `not:` words that it must not contain.
EXPECTED = {
    EAST + H200 % "count: 4": """
        # example on AWS PCS
        Region us-east-1, zone use1-az6.
        | h200  |     4 | p5en.48xlarge | 8 x H200     |    96 |  16 | On-Demand |
        have 4 nodes, 384 vCPUs, 32 x H200.
        | EC2 On-Demand P instances         | L-417A185B | 768 vCPUs |
        | VPC network interfaces per Region | L-DF5E4CA3 |        64 |
        | h200$
        | 4 x p5en.48xlarge, On-Demand$
        253.18 |
        Prices of us-east-1, recorded$
        (`node_groups[0].efa`)
        1. `./deploy.sh --dry-run` prints every command
        not: ## Storage
        not: POSIX
        not: its own prices
        not: Spot
    """,
    EAST + H200 % "count: 4, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}": """
        | Capacity Block cr-0a1b2c3d4e5f67890 |
        4 x p5en.48xlarge, Capacity Block; paid in advance for whole days, used or not
        252.63 |
        not: L-417A185B
    """,
    EAST + H200 % "count: 4, capacity: {reservation: cr-0a1b2c3d4e5f67890}": """
        | reservation cr-0a1b2c3d4e5f67890 |
        253.18 |
        while it is held
        L-417A185B | 768 vCPUs
    """,
    US_WEST: """
        | s       | 0 to 2 | g6e.xlarge or g6.xlarge | 1 x L40S or 1 x L4 |
        | (login) |      2 | m7i.xlarge$
        have 2 nodes, 4 vCPUs, 2 x L40S or L4.
        | EC2 Spot G and VT instances       | L-3819A6DF | 8 vCPUs |
        | EC2 On-Demand Standard instances  | L-1216C47A | 8 vCPUs |
        | 2 x m7i.xlarge, On-Demand$
        Prices of us-west-2, recorded$
        - s: 0 to 2 x g6e.xlarge or g6.xlarge, Spot: the market sets the Spot price; 3.72 USD
        not: EFA |
    """,
    EAST + H200 % "count: 1" + STORED: """
        | /fsx  | FSx for Lustre, PERSISTENT_2 SSD, EFA$
        | 38,400 GiB | 250 MB/s per TiB | stays$
        | 1,024 GiB  | 320 MB/s         | stays until the foundation is deleted |
        | /e    | EFS$
        | /b    | S3 s3://my-bucket/in, read only$
        | train | h200        | 1d12h      | yes     |
        not: EC2 keeps a security group
    """,
    EAST
    + H200.replace("zone: use1-az6", EXISTING) % "count: 1"
    + "\nstorage: [{mount: /e, type: efs, existing: {id: fs-0a1b2c3d4e5f67890}}]": """
        EC2 keeps a security group of the foundation while a rule of another one names it: before
    """,
    GOVERNMENT: """
        Region us-gov-west-1
        ## Cost
        Prices of us-gov-west-1, recorded$
        not: us-east-1
    """,
}


@pytest.mark.parametrize("spec", EXPECTED)
def test_content_of_the_runbook(spec: str) -> None:
    text = text_of(spec)
    for line in EXPECTED[spec].strip().splitlines():
        # A dollar sign keeps the blank at the end.
        words = re.sub(r"\$$", " ", line.strip().removeprefix("not: "))
        assert (words in text) is not line.strip().startswith("not: "), words


@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_who_can_write_where_lustre_is_linked_with_s3(target: str) -> None:
    linked = "data_repositories: [{path: /out, s3: 's3://my-bucket/out', export: [new]}]"
    stored = f"\nstorage: [{{mount: /fsx, type: fsx-lustre, size: 1200GiB, {linked}}}]"
    text = storage.linked(plan_of(EAST + H200 % "count: 1" + stored, target))
    assert "without POSIX metadata appear as root's" in text
    assert ("`sudo chmod 1777 /fsx/out`" in text) is (target == "parallelcluster")


def test_an_existing_subnet_of_unknown_size() -> None:
    text = text_of(
        "region: us-east-1\nnetwork: {zone: use1-az6, vpc: vpc-0a1b2c3d4e5f67890, "
        "private_subnets: [subnet-0a1b2c3d4e5f67890], security_groups: [sg-0a1b2c3d4e5f67890]}\n"
        "node_groups: [{name: a, instance_type: m7i.xlarge, count: 1}]\n"
    )
    assert "of the private subnet, whose size is not given." in text


PLAN = plan_of(EAST + H200 % "count: 4" + "\nstorage: [{mount: /fsx, type: fsx-lustre}]\n")
HOSTILE = st.text(alphabet="|\\`*<>[]~\n\r\t a_-#&$\u2028\x85\x1b", max_size=12)
TEXT = (st.text(max_size=12) | HOSTILE).filter(escape)


def with_words(name: str, mount: str, decided: str) -> str:
    """The README of a plan whose free text is the given."""
    (group,), (queue,), (storage,) = PLAN.node_groups, PLAN.queues, PLAN.storage
    group = replace(group, name=name, capacity=Capacity("reservation", mount))
    plan = replace(
        PLAN,
        name=name,
        node_groups=(group,),
        queues=(replace(queue, name=name, node_groups=(group,)),),
        storage=(replace(storage, mount=mount),),
        decisions=(Decision(("tags", name), decided),),
    )
    finding = Finding("XXX001", Severity.NOTE, decided, ("tags", name), help=mount)
    return readme.render(Subject(plan, TOY, [finding])).text


@settings(max_examples=share(100))
@given(TEXT, TEXT, TEXT)
def test_any_text_is_masked_without_error(name: str, mount: str, decided: str) -> None:
    assert shape(with_words(name, mount, decided)) == shape(with_words("a", "b", "c"))


def shape(text: str) -> list[int | str]:
    """The headings of a document, and the number of cells of each row of its tables."""
    lines = text.splitlines()
    cells = re.compile(r"(?<!\\)(?:\\\\)*\|")
    shown = [line for line in lines if line.startswith(("## ", "|"))]
    return [line if line[0] == "#" else len(cells.findall(line)) for line in shown]


def test_prices_of_one_day_have_one_date() -> None:
    """HyperPod has a price for its logs alone in this region."""
    plan = plan_of(
        "region: us-west-2\nnetwork: {vpc: vpc-0a1b2c3d4e5f67890, zone: usw2-az1,"
        " private_subnets: [subnet-0a1b2c3d4e5f67890], security_groups: [sg-0a1b2c3d4e5f67890]}\n"
        "node_groups: [{name: a, instance_type: p5.48xlarge, count: 1}]\n",
        "hyperpod-slurm",
    )
    text = "\n".join(costs.price(plan, targets.load("hyperpod-slurm")))
    assert re.search(r"Prices of us-west-2, recorded [0-9-]+\. ", text)


ESCAPED = [
    ("plain text_with-marks 1.5", "plain text_with-marks 1.5"),
    ("a|b", r"a\|b"),
    ("a\\|b", r"a\\\|b"),
    ("a\nb\tc  d", "a b c d"),
    ("`x` *y* <z> [w]", r"\`x\` \*y\* \<z\> \[w\]"),
]


@pytest.mark.parametrize(("text", "expected"), ESCAPED)
def test_escape(text: str, expected: str) -> None:
    assert escape(text) == expected


def test_tables_drop_empty_columns() -> None:
    rows = [("a", "", "1,024"), ("long name", "", "2")]
    assert table(("Name", "Unused", "Count"), rows, right=(2,)).splitlines() == [
        "| Name      | Count |",
        "| --------- | ----: |",
        "| a         | 1,024 |",
        "| long name |     2 |",
    ]
    assert table(("Name",), []) == ""


def test_words() -> None:
    assert [count(n, "node") for n in (0, 1, 2000)] == ["0 nodes", "1 node", "2,000 nodes"]
    assert spec_path(("node_groups", 0, "placement")) == "`node_groups[0].placement`"


PAGE = (resources.tree("templates") / "readme" / "page.md.j2").read_text()
QUESTIONS = re.findall(r'answers\("(.+?)"\)', PAGE)
BROKEN = EAST + H200 % "count: 4" + "\nhead_node: {instance_type: m7i.xlarge}\n"


@pytest.mark.parametrize("target", targets.NAMES)
def test_every_target_has_all_runbook_topics(target: str) -> None:
    text = bundle_readme(EAST + H200 % "count: 4", target)
    assert len(QUESTIONS) == 8
    for question in QUESTIONS:
        assert f"\n**{question}**: " in text


@pytest.mark.parametrize("target", targets.NAMES)
def test_next_steps_come_second_and_then_a_checklist(target: str) -> None:
    text = bundle_readme(EAST + H200 % "count: 4", target)
    headings = re.findall(r"(?m)^## (.+)", text)
    assert headings[:3] == ["What will exist", "Next steps", "Before you deploy"]
    checklist = text.partition("## Before you deploy")[2].partition("\n## ")[0]
    items = [line for line in checklist.splitlines() if line.startswith("-")]
    assert items
    assert all(item.startswith("- [ ] ") for item in items)


def bundle_readme(spec: str, target: str) -> str:
    if target == "hyperpod-eks":
        spec += "\ntargets: {hyperpod-eks: {eks_cluster: new}}\n"
    checked = check("version: 1\nname: example\n" + spec, target=target)
    return next(a.text for a in renderer.render(checked, target) if a.path == readme.PATH)


@pytest.mark.parametrize("target", ["hyperpod-slurm", "hyperpod-eks"])
def test_nodes_of_hyperpod_are_rebooted_and_replaced(target: str) -> None:
    """They are not instances of the account: EC2 shows none of them."""
    text = bundle_readme(EAST + H200 % "count: 4", target)
    where = "--region us-east-1 --cluster-name example"
    assert f"`aws sagemaker batch-reboot-cluster-nodes {where} --node-ids INSTANCE-ID`" in text
    assert "ec2" not in text[text.index("**A shell") : text.index("**Stop paying")]


def test_alerts_say_how_to_reset_a_gpu_of_a_kubernetes_node() -> None:
    monitored = "\nmonitoring: {metrics: managed-prometheus}"
    ways = {"eks": "reboot-instances", "hyperpod-eks": "UnschedulablePendingReboot"}
    for target, way in ways.items():
        spec = EAST + H200 % "count: 4" + monitored
        assert way in bundle_readme(spec, target).partition("**Replace a node**")[2]


@pytest.mark.parametrize("target", ["hyperpod-slurm", "hyperpod-eks"])
@pytest.mark.parametrize("metrics", ["managed-prometheus", "none"])
def test_steps_with_cloudformation_are_complete(target: str, metrics: str) -> None:
    monitored = f"\nmonitoring: {{metrics: {metrics}}}"
    text = bundle_readme(EAST + H200 % "count: 4" + monitored, target)
    [step] = [line for line in text.splitlines() if "`cluster.template.json`" in line]
    assert ("and last `monitoring.template.json`" in step) == (metrics != "none")


@pytest.mark.parametrize(
    ("group", "measured"),
    [
        ("instance_type: p5en.48xlarge, count: 2", "nodes, GPUs, EFA and"),
        ("instance_type: trn2.48xlarge, count: 2", "nodes, EFA and"),
        ("instance_type: g6e.4xlarge, count: 2, efa: false", "nodes, GPUs and"),
        ("instance_type: m7i.4xlarge, count: 2, efa: false", "nodes and"),
    ],
)
@pytest.mark.parametrize(
    ("metrics", "last"), [("managed-prometheus", "the scheduler"), ("self-hosted", "Kubernetes")]
)
def test_only_devices_that_nodes_have_are_measured(
    group: str, measured: str, metrics: str, last: str
) -> None:
    spec = EAST + f"network: {{zone: use1-az6}}\nnode_groups: [{{name: one, {group}}}]"
    text = bundle_readme(f"{spec}\nmonitoring: {{metrics: {metrics}}}", "eks")
    assert f"stores the metrics of {measured} {last}" in text


JOINED = """
network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 4}]
monitoring: {metrics: managed-prometheus}
targets: {hyperpod-slurm: {cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f67891}}
"""


STACK = "targets: {eks: {install: stack}}\n"
BLOCK = "node_groups: [{name: h200, %s, capacity: {capacity_block: cr-0a1b2c3d4e5f67890%s}}]"
DATED = BLOCK % ("count: 2", ", starts: '2026-12-10T11:30:00Z', ends: '2026-12-17T11:30:00Z'")
ULTRASERVER = BLOCK % ("instance_type: p6e-gb200.36xlarge, count: 18", "")
KARPENTER = "kubernetes: {autoscaler: karpenter}\nnode_groups: [{name: h200, count: {max: 4}}]"
# Pods of a group in no queue are not Kueue's: they end with their nodes.
FREE = """node_groups: [{name: h200, count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}},
  {name: burst, instance_type: m7i.4xlarge, count: {max: 4}}]
queues: [{name: data, node_groups: [burst]}]
kubernetes: {autoscaler: karpenter}"""
CLOSED = """network: {zone: use1-az6, vpc: vpc-0a1b2c3d4e5f67890, internet: none, private_subnets:
  [subnet-0a1b2c3d4e5f67890, {id: subnet-0a1b2c3d4e5f67891, zone: use1-az5}]}
software: {registry: registry.example.com}"""
ON_EKS = """monitoring: {metrics: managed-prometheus}
targets: {hyperpod-eks: {eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/platform'}}"""
WORKSPACE = "ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"
OF_WORKSPACE = f"monitoring: {{metrics: managed-prometheus, workspace: {WORKSPACE}}}"
# A target, a fragment of a spec, and what its page says.
PAGES = [
    ("eks", STACK + DATED, "also pass the present sizes of groups with dates: `--parameters"),
    ("eks", STACK + KARPENTER, "no stack manages the instances of Karpenter"),
    ("eks", ULTRASERVER, "EC2 ends its UltraServers 60 minutes before"),
    ("eks", FREE, "Kueue suspends running jobs of its queues"),
    ("eks", CLOSED, "reachable only from the VPC: connect the VPC to your network (VPN,"),
    ("hyperpod-eks", ON_EKS, "SourceS3Uri names, and last `monitoring.template.json`;"),
    ("hyperpod-eks", ON_EKS, "metrics need the add-on"),
    ("hyperpod-slurm", JOINED, "stores the metrics of nodes, GPUs and EFA."),
    ("hyperpod-slurm", "login: {}" + JOINED, "of nodes, GPUs, EFA and the scheduler."),
    ("pcs", OF_WORKSPACE, f"The workspace `{WORKSPACE}` stores the metrics"),
    ("pcs", "", "`sbatch` rejects new jobs, except"),
    ("parallelcluster", "", "`sbatch` rejects new jobs; those"),
]


@pytest.mark.parametrize(("target", "fragment", "words"), PAGES)
def test_pages_of_targets(target: str, fragment: str, words: str) -> None:
    assert words in " ".join(Fragments(target).files(fragment)["README.md"].split())


@pytest.mark.parametrize("alerts", ["", ", alerts: {email: [ops@example.com]}"])
def test_container_insights_measure_the_nodes_of_batch(alerts: str) -> None:
    """Its nodes send nothing themselves, so no alarm on them has a runbook."""
    lustre = "\nstorage: [{mount: /fsx, type: fsx-lustre}]"
    spec = EAST + H200 % "count: 4" + lustre + f"\nmonitoring: {{metrics: cloudwatch{alerts}}}\n"
    text = bundle_readme(spec, "batch")
    section = text.partition("## Monitoring")[2].partition("\n## ")[0]
    assert "Container Insights has the metrics of nodes and tasks" in section
    assert "runbooks.md" not in text
    assert ("Alarms watch the file systems" in section) == bool(alerts)
    assert "Container Insights" in text.partition("## Cost")[2].partition("\n## ")[0]
    assert "metrics in CloudWatch" not in text


@pytest.mark.parametrize(
    ("capacity", "day"), [("spot", True), ("{capacity_block: cr-0a1b2c3d4e5f67890}", False)]
)
def test_jobs_that_batch_cancels_are_named(capacity: str, day: bool) -> None:
    """Without a word of it, jobs that wait for Spot capacity over a weekend just disappear."""
    group = f"count: {{min: 0, max: 4}}, efa: false, capacity: {capacity}"
    spec = EAST + H200 % group + "\nqueues: [{name: tune, node_groups: [h200]}]"
    text = bundle_readme(spec, "batch")
    assert "Batch cancels the first job of a queue" in text
    assert ("after 24 hours without capacity (tune)" in text) == day
    kept = bundle_readme(spec + "\ntargets: {batch: {leave_out: [stuck-jobs]}}", "batch")
    assert "Batch cancels" not in kept


def test_the_final_backup_of_openzfs_is_named() -> None:
    zfs = "{mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320, on_delete: delete}"
    text = bundle_readme(EAST + H200 % "count: 1" + f"\nstorage: [{zfs}]\n", "pcs")
    assert "FSx takes a final backup of /home" in text.partition("## What stays")[2]
    assert "/home final backup" in text.partition("## Cost")[2].partition("## ")[0]
    lustre = EAST + H200 % "count: 1" + "\nstorage: [{mount: /fsx, type: fsx-lustre}]\n"
    assert "final backup" not in bundle_readme(lustre, "pcs")


@pytest.mark.parametrize("event", ["import", "export"])
def test_files_that_are_not_exported_yet_are_named(event: str) -> None:
    link = f"{{path: /data, s3: 's3://example-data/in', {event}: [new]}}"
    fsx = f"\nstorage: [{{mount: /fsx, type: fsx-lustre, data_repositories: [{link}]}}]\n"
    text = bundle_readme(EAST + H200 % "count: 1" + fsx, "pcs").partition("## What stays")[2]
    told = "--file-system-id ID  # once its metric AgeOfOldestQueuedMessage is 0" in text
    assert told == (event == "export")


KEPT = "storage: [{mount: /fsx, type: fsx-lustre, on_delete: %s}, {mount: /home, type: efs}]"
REMAIN = [
    # Target, what of the file system at /fsx, further lines of the section.
    ("pcs", "retain", ("`aws --region us-east-1 fsx delete-file-system --file-system-id ID`",)),
    ("pcs", "delete", ("- StorageHome: ", "- ScriptsBucket: ")),
    ("eks", "delete", ("load balancers of Services", "Key=kubernetes.io/cluster/example,")),
    ("eks", "delete", ("- MetricsWorkspace: `aws --region us-east-1 amp delete-workspace",)),
    ("parallelcluster", "delete", ("/aws/parallelcluster/example-",)),
]


@pytest.mark.parametrize(("target", "on_delete", "expected"), REMAIN)
def test_what_remains_is_listed(target: str, on_delete: str, expected: tuple[str, ...]) -> None:
    metrics = "\nmonitoring: {metrics: managed-prometheus}" if target == "eks" else ""
    text = bundle_readme(EAST + H200 % "count: 4" + "\n" + KEPT % on_delete + metrics, target)
    section = text.partition("## What stays")[2].partition("\n## ")[0]
    assert all(words in section for words in expected), section
    assert ("- StorageFsx: " in section) == (on_delete == "retain")
    # What holds a file system can be deleted after it only.
    assert section.index("- MountTarget1OfStorageHome") < section.index("- StorageHome")
    assert section.index("- StorageHome") < section.index("- Vpc")


def test_remaining_findings_are_known_limits() -> None:
    text = bundle_readme(BROKEN, "pcs")
    limits = text[text.index("## Known limits") : text.index("## When something happens")]
    assert "- note SUP004: " in limits
    assert "(`head_node`)" in limits


EXISTING = (
    "region: us-east-1\nnetwork: {zone: use1-az6, vpc: vpc-0a1b2c3d4e5f67890, "
    "private_subnets: [subnet-0a1b2c3d4e5f67890], security_groups: [sg-0a1b2c3d4e5f67890]}\n"
    "node_groups: [{name: a, instance_type: p5.48xlarge, count: 1}]\n"
    "storage: [{mount: /fsx, type: fsx-lustre, existing: {id: fs-0abc123def4567890, "
    "mount_name: abcdefgh}}]\n"
)


def test_existing_resources_have_requirements() -> None:
    text = text_of(EXISTING)
    assert "- [ ] vpc-0a1b2c3d4e5f67890: DNS support and DNS host names are on" in text
    assert "- [ ] sg-0a1b2c3d4e5f67890: all traffic in from the group itself and out to" in text
    assert "- [ ] /fsx: lets in TCP 988 and 1018-1023 both ways" in text
    assert "DNS host names" not in text_of(EAST + H200 % "count: 4")


PROGRAMS = {"sudo": 'PATH=/usr/bin:/bin exec "$@"', "scontrol": 'echo "$@"', "sinfo": "echo NODE"}
SLURM_TARGETS = ("parallelcluster", "pcs", "hyperpod-slurm")


@pytest.mark.parametrize("target", SLURM_TARGETS)
def test_sudo_finds_the_commands_of_slurm(target: str, tmp_path: Path) -> None:
    """sudo has a PATH of its own; Slurm's commands are only in that of the user."""
    files = Fragments(target).files("monitoring: {metrics: managed-prometheus}")
    pages = files["README.md"] + files["monitoring/runbooks.md"]
    commands = re.findall(r"`(sudo [^`]*scontrol[^`]*)`", pages)
    assert len(commands) >= 3
    programs(tmp_path, PROGRAMS)
    for command in commands:
        done = bash("-c", command, first=tmp_path)
        words = ("update nodename=NODE state=", "update partitionname=NAME state=")
        assert done.stdout.startswith(words), command + done.stderr


def test_scripts_to_copy_to_running_nodes_have_values() -> None:
    """The bundle's own copy has placeholders, which only ``deploy.sh`` fills."""
    lustre = "storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]"
    files = Fragments("hyperpod-slurm").files(lustre)
    copied = [text for path, text in files.items() if path.startswith("lifecycle/")]
    assert "${StorageFsxDnsName}" in "".join([*copied, files["create-cluster.json"]])
    command = "sudo aws s3 cp --recursive s3://BUCKET/lifecycle/PREFIX/ /opt/clustergen/lifecycle/"
    assert command in " ".join(files["README.md"].split())
    filled = json.loads(files["bundle.json"])["service"]["filled"]
    assert [path for path in filled if "${StorageFsxDnsName}" in files[path]] == filled
