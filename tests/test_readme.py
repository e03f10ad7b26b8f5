"""README.md of a bundle: what it says, and that no word of the user's can break it."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen import preflight, readme, renderer, targets
from clustergen.findings import Finding, Severity
from clustergen.plan.model import Capacity, Decision, Plan
from clustergen.readme import costs, operation
from clustergen.readme.markdown import count, escape, spec_path, table
from tests.checking import Fragments, check
from tests.examples import share

# Its steps and answers are the same for every plan.
TOY = replace(targets.load("pcs"), emitter="tests.toy.emit")


def plan_of(spec: str, target: str = "pcs") -> Plan:
    return check("version: 1\nname: example\n" + spec, target=target).plans[target]


def text_of(spec: str, target: str = "pcs") -> str:
    plan = plan_of(spec, target)
    titled = replace(TOY, title="AWS PCS")
    return readme.render(plan, titled, (), preflight.checklist(plan)).text


H200 = "network: {zone: use1-az6}\nnode_groups: [{name: h200, instance_type: p5en.48xlarge, %s}]"
EAST = "region: us-east-1\n"

# spec, words that its README contains, words that it must not contain
EXPECTED = [
    (
        EAST + H200 % "count: 4",
        (
            "# example on AWS PCS",
            "Region us-east-1, zone use1-az6.",
            "| h200  |     4 | p5en.48xlarge | 8 x H200     |    96 |  16 | On-Demand |",
            "have 4 nodes, 384 vCPUs, 32 x H200.",
            "| EC2 On-Demand P instances         | L-417A185B | 768 vCPUs |",
            "| VPC network interfaces per Region | L-DF5E4CA3 |        64 |",
            "| h200 ",
            "| 4 x p5en.48xlarge, On-Demand ",
            "253.18 |",
            "Prices of us-east-1, recorded ",
            "(`node_groups[0].efa`)",
            "1. run `./deploy.sh`\n",
        ),
        ("## Storage", "its own prices", "Spot"),
    ),
    (
        EAST + H200 % "count: 4, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}",
        (
            "| Capacity Block cr-0a1b2c3d4e5f67890 |",
            "4 x p5en.48xlarge, Capacity Block; paid in advance for whole days, used or not",
            "252.63 |",
        ),
        ("L-417A185B",),
    ),
    (
        EAST + H200 % "count: 4, capacity: {reservation: cr-0a1b2c3d4e5f67890}",
        (
            "| reservation cr-0a1b2c3d4e5f67890 |",
            "253.18 |",
            "while it is held",
            "L-417A185B | 768 vCPUs",
        ),
        (),
    ),
    (
        "region: us-west-2\nnetwork: {zone: usw2-az1}\nnode_groups:\n"
        "  - {name: s, instance_types: [g6e.xlarge, g6.xlarge], count: {min: 0, max: 2},"
        " capacity: spot}\n"
        "login: {instance_type: m7i.xlarge, count: 2}\n",
        (
            "| s       | 0 to 2 | g6e.xlarge or g6.xlarge | 1 x L40S or 1 x L4 |",
            "| (login) |      2 | m7i.xlarge ",
            "have 2 nodes, 4 vCPUs, 2 x L40S or L4.",
            "| EC2 Spot G and VT instances       | L-3819A6DF | 8 vCPUs |",
            "| EC2 On-Demand Standard instances  | L-1216C47A | 8 vCPUs |",
            "| 2 x m7i.xlarge, On-Demand ",
            "Prices of us-west-2, recorded ",
            "- s: 0 to 2 x g6e.xlarge or g6.xlarge, Spot: the market sets the Spot price; 3.72 USD",
        ),
        ("EFA |",),
    ),
    (
        EAST + H200 % "count: 1" + "\nstorage:\n"
        "  - {mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}\n"
        "  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320, on_delete: delete}\n"
        "  - {mount: /e, type: efs}\n"
        "  - {mount: /b, type: s3, bucket: 's3://my-bucket/in', read_only: true}\n"
        "queues: [{name: train, node_groups: [h200], time_limit: 36h, default: true}]\n",
        (
            "| /fsx  | FSx for Lustre, PERSISTENT_2 SSD, EFA ",
            "| 38,400 GiB | 250 MB/s per TiB | stays ",
            "| 1,024 GiB  | 320 MB/s         | stays until the foundation is deleted |",
            "| /e    | EFS ",
            "| /b    | S3 s3://my-bucket/in, read only ",
            "| train | h200        | 1d12h      | yes     |",
        ),
        (),
    ),
    (
        "region: us-gov-west-1\nnetwork: {zone: usgw1-az1}\n"
        "node_groups: [{name: a, instance_type: hpc6a.48xlarge, count: 1}]\n",
        ("Region us-gov-west-1", "## Cost", "Prices of us-gov-west-1, recorded "),
        ("us-east-1",),
    ),
]


@pytest.mark.parametrize(("spec", "words", "absent"), EXPECTED)
def test_content_of_the_runbook(spec: str, words: tuple[str, ...], absent: tuple[str, ...]) -> None:
    text = text_of(spec)
    assert [word for word in words if word not in text] == []
    assert [word for word in absent if word in text] == []


def test_an_existing_subnet_of_unknown_size() -> None:
    text = text_of(
        "region: us-east-1\nnetwork: {zone: use1-az6, vpc: vpc-0a1b2c3d4e5f67890, "
        "private_subnets: [subnet-0a1b2c3d4e5f67890], security_groups: [sg-0a1b2c3d4e5f67890]}\n"
        "node_groups: [{name: a, instance_type: m7i.xlarge, count: 1}]\n"
    )
    assert "of the private subnet, whose size is not given." in text


def test_the_output_is_deterministic() -> None:
    spec = EAST + H200 % "count: 4"
    assert readme.render(plan_of(spec), TOY, ()) == readme.render(plan_of(spec), TOY, ())


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
    return readme.render(plan, TOY, [finding]).text


@settings(max_examples=share(300))
@given(TEXT, TEXT, TEXT)
def test_any_text_is_masked_without_error(name: str, mount: str, decided: str) -> None:
    assert shape(with_words(name, mount, decided)) == shape(with_words("a", "b", "c"))


def shape(text: str) -> list[int | str]:
    """The headings of a document, and the number of cells of each row of its tables."""
    lines = text.splitlines()
    return [
        line if line.startswith("## ") else len(re.findall(r"(?<!\\)(?:\\\\)*\|", line))
        for line in lines
        if line.startswith(("## ", "|"))
    ]


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


def test_tables_line_up_and_drop_empty_columns() -> None:
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


BROKEN = EAST + H200 % "count: 4" + "\nhead_node: {instance_type: m7i.xlarge}\n"


@pytest.mark.parametrize("target", targets.NAMES)
def test_every_target_has_all_runbook_topics(target: str) -> None:
    text = bundle_readme(EAST + H200 % "count: 4", target)
    for question in operation.QUESTIONS.values():
        assert f"\n**{question}**: " in text


def bundle_readme(spec: str, target: str) -> str:
    if target == "hyperpod-eks":
        spec += "\ntargets: {hyperpod-eks: {eks_cluster: new}}\n"
    checked = check("version: 1\nname: example\n" + spec, target=target)
    return next(a.text for a in renderer.render(checked, target) if a.path == readme.PATH)


@pytest.mark.parametrize("target", ["hyperpod-slurm", "hyperpod-eks"])
def test_nodes_of_hyperpod_are_reached_rebooted_and_replaced(target: str) -> None:
    """They are not instances of the account: EC2 shows none of them."""
    text = bundle_readme(EAST + H200 % "count: 4", target)
    where = "--region us-east-1 --cluster-name example"
    assert "--target sagemaker-cluster:CLUSTER-ID_GROUP-INSTANCE-ID`" in text
    assert f"`aws sagemaker list-cluster-nodes {where} --output table`" in text
    assert f"`aws sagemaker batch-reboot-cluster-nodes {where} --node-ids INSTANCE-ID`" in text
    assert "ec2" not in text[text.index("**A shell") : text.index("**Stop paying")]


def test_alerts_say_how_to_reset_a_gpu_of_a_kubernetes_node() -> None:
    monitored = "\nmonitoring: {metrics: managed-prometheus}"
    for target, way in (
        ("eks", "reboot-instances"),
        ("hyperpod-eks", "UnschedulablePendingReboot"),
    ):
        spec = EAST + H200 % "count: 4" + monitored
        assert way in bundle_readme(spec, target).partition("**Replace a node**")[2]


@pytest.mark.parametrize("target", ["hyperpod-slurm", "hyperpod-eks"])
@pytest.mark.parametrize("metrics", ["managed-prometheus", "none"])
def test_steps_with_cloudformation_are_complete(target: str, metrics: str) -> None:
    monitored = f"\nmonitoring: {{metrics: {metrics}}}"
    text = bundle_readme(EAST + H200 % "count: 4" + monitored, target)
    [step] = [line for line in text.splitlines() if "`cluster.template.json`" in line]
    assert ("and last `monitoring.template.json`" in step) == (metrics != "none")


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


def test_the_final_backup_of_openzfs_is_named() -> None:
    spec = (
        EAST + H200 % "count: 1" + "\nstorage: [{mount: /home, type: fsx-openzfs, size: 1024GiB, "
    )
    text = bundle_readme(f"{spec} throughput: 320, on_delete: delete}}]\n", "pcs")
    assert "FSx takes a final backup of /home" in text.partition("## What stays")[2]
    assert "/home final backup" in text.partition("## Cost")[2].partition("## ")[0]
    lustre = EAST + H200 % "count: 1" + "\nstorage: [{mount: /fsx, type: fsx-lustre}]\n"
    assert "final backup" not in bundle_readme(lustre, "pcs")


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
def test_remaining_resources_are_listed(
    target: str, on_delete: str, expected: tuple[str, ...]
) -> None:
    metrics = "\nmonitoring: {metrics: managed-prometheus}" if target == "eks" else ""
    text = bundle_readme(EAST + H200 % "count: 4" + "\n" + KEPT % on_delete + metrics, target)
    section = text.partition("## What stays")[2].partition("\n## ")[0]
    assert all(words in section for words in expected), section
    assert ("- StorageFsx: " in section) == (on_delete == "retain")
    # What holds a file system can be deleted after it only.
    assert section.index("- MountTarget1OfStorageHome") < section.index("- StorageHome")
    assert section.index("- StorageHome") < section.index("- Vpc")


def test_names_that_a_new_foundation_needs_are_listed() -> None:
    text = bundle_readme(
        EAST + H200 % "count: 4" + "\nmonitoring: {metrics: managed-prometheus}", "pcs"
    )
    assert "Delete MetricsLog and ScriptsBucket before you deploy this spec again" in text


def test_remaining_findings_are_known_limits() -> None:
    text = bundle_readme(BROKEN, "pcs")
    limits = text[text.index("## Known limits") : text.index("## Next steps")]
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
    assert "- vpc-0a1b2c3d4e5f67890: DNS support and DNS host names are on" in text
    assert "- sg-0a1b2c3d4e5f67890: all traffic in from the group itself and out to" in text
    assert "- /fsx: lets in TCP 988 and 1018-1023 both ways" in text
    assert "DNS host names" not in text_of(EAST + H200 % "count: 4")


PROGRAMS = {
    "sudo": 'PATH=/usr/bin:/bin exec "$@"',
    "scontrol": 'echo "$@"',
    "sinfo": "echo NODE",
}
SLURM_TARGETS = ("parallelcluster", "pcs", "hyperpod-slurm")


@pytest.mark.parametrize("target", SLURM_TARGETS)
def test_sudo_finds_the_commands_of_slurm(target: str, tmp_path: Path) -> None:
    """sudo has a PATH of its own; Slurm's commands are only in that of the user."""
    files = Fragments(target).files("monitoring: {metrics: managed-prometheus}")
    pages = files["README.md"] + files["monitoring/runbooks.md"]
    commands = re.findall(r"`(sudo [^`]*scontrol[^`]*)`", pages)
    assert len(commands) >= 3
    for name, body in PROGRAMS.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{body}\n")
        (tmp_path / name).chmod(0o755)
    for command in commands:
        shell = ["/bin/bash", "-c", command]
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        done = subprocess.run(shell, env=environment, capture_output=True, text=True, check=False)
        assert done.stdout.startswith("update nodename=NODE state="), command + done.stderr


def test_scripts_to_copy_to_running_nodes_have_values() -> None:
    """The bundle's own copy has placeholders, which only ``deploy.sh`` fills."""
    files = Fragments("hyperpod-slurm").files(
        "storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]"
    )
    assert (
        "${StorageFsxDnsName}"
        in "".join(text for path, text in files.items() if path.startswith("lifecycle/"))
        + files["create-cluster.json"]
    )
    assert "copy `.filled/lifecycle/`" in files["README.md"]
    assert "cp -R lifecycle .filled/lifecycle" in files["deploy.sh"]
