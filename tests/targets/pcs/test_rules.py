"""Rules of PCS: the place, the words, and what to write instead."""

import pytest

from clustergen.base.findings import Finding, Path
from clustergen.targets.pcs import lifecycle
from tests.support.tables import findings
from tests.targets.pcs.planned import found, plan_of

QUEUE = "queues: [{name: train, node_groups: [h200], %s}]"
GROUP = "node_groups: [{name: h200, %s}]"
BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"


def _found(text: str, code: str) -> list[Finding]:
    return [finding for finding in found(text) if finding.code == code]


CASES = findings("""
# Versions
slurm: {version: "24.11"}
    SLM001 slurm.version | end of life | 25.11
slurm: {version: "24.11"}
    SLM001 slurm.version | 2026-05-31 | 26.05
slurm: {version: "25.02"}
    SLM001 slurm.version | not offered | 25.11
slurm: {version: "25.05"}
    SLM202 slurm.version | 2026-11-30 | 25.11
slurm: {version: "25.05"}
node_groups:
  - {name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890, starts: 2026-12-01T11:30:00Z}}
    SLM202 slurm.version | 2026-11-30, before the capacity of h200 begins | by that day
# Settings: the nearest name, the level it belongs to, or what does its work
slurm: {settings: {SchedulerParameter: defer}}
    SLM004 slurm.settings.SchedulerParameter | has no SchedulerParameter in slurm.settings
        | SchedulerParameters
slurm: {settings: {MaxTime: 1-0}}
    SLM004 slurm.settings.MaxTime | MaxTime | it belongs in a queue's slurm
slurm: {settings: {SuspendTime: 60}}
    SLM009 slurm.settings.SuspendTime | SuspendTime | slurm.idle_timeout
slurm: {settings: {MpiDefault: pmix}}
    SLM009 slurm.settings.MpiDefault | MpiDefault | remove it
queues: [{name: train, node_groups: [h200], slurm: {State: UP}}]
    SLM009 queues.0.slurm.State | a queue's slurm | PCS manages it
node_groups: [{name: h200, slurm: {Weigth: 1}}]
    SLM004 node_groups.0.slurm.Weigth | a node group's slurm | Weight
slurm: {accounting: managed, slurmdbd_settings: {DbdPort: 1}}
    SLM009 slurm.slurmdbd_settings.DbdPort | DbdPort | remove it
slurm: {cgroup_settings: {ConstrainRamSpaces: true}}
    SLM004 slurm.cgroup_settings.ConstrainRamSpaces | ConstrainRamSpaces | ConstrainRAMSpace
# Settings that came later
slurm: {version: "25.05"}
node_groups: [{name: h200, slurm: {Sockets: 2}}]
    SLM007 node_groups.0.slurm.Sockets | needs Slurm 25.11 | "25.11"
slurm: {version: "25.05", settings: {SelectTypeParameters: CR_Socket_Memory}}
    SLM204 slurm.settings.SelectTypeParameters | needs Slurm 25.11 | "25.11"
slurm: {settings: {minjobage: 4}}
    SLM205 slurm.settings.minjobage | 4 s | 5 or more
queues: [{name: train, node_groups: [h200], priority: 5, slurm: {PriorityTier: 6}}]
    SLM010 queues.0.slurm.PriorityTier | `priority` of the queue | priority
# Job records
slurm: {accounting: managed}
targets: {pcs: {purge_accounting: 36h}}
    SLM207 targets.pcs.purge_accounting | whole days | write 2d
slurm: {accounting: managed}
targets: {pcs: {purge_accounting: 20000d}}
    SLM207 targets.pcs.purge_accounting | whole days | write 10000d
targets: {pcs: {purge_accounting: 30d}}
    SLM208 targets.pcs.purge_accounting | without accounting | managed
slurm: {idle_timeout: 200d}
    SLM209 slurm.idle_timeout | 17280000 s | 10000000s
# MIG
slurm: {version: "25.05"}
node_groups: [{name: h200, mig: {1g.18gb: 7}}]
    SLM211 node_groups.0.mig | Slurm 25.05 | "26.05"
node_groups: [{name: h200, mig: {1g.18gb: 7}}]
    SLM211 node_groups.0.mig | Slurm 25.11 and no Sockets | "26.05"
# Names
queues: [{name: p5, node_groups: [h200]}]
    LIM001 queues.0.name | 'p5' is 2 characters long | p5-queue
node_groups: [{name: a-name-of-some-twenty-seven, instance_type: m7i.xlarge, count: 1}]
    LIM001 node_groups.1.name | is 27 characters long | a-name-of-some-twenty-sev
node_groups: [{name: p5, instance_type: m7i.xlarge, count: 1}]
    LIM001 node_groups.1.name | 'p5' is 2 characters long | p5-nodes
name: x
    LIM001 name | 'x' is 1 character long | x-cluster
# Sizes
node_groups: [{name: h200, count: {min: 0, max: 4000}}]
    LIM202 node_groups | up to 4,000 nodes; LARGE manages 2,048 | 2,048
node_groups: [{name: h200, count: {min: 0, max: 600}}]
targets: {pcs: {size: medium}}
    LIM202 targets.pcs.size | up to 600 nodes; MEDIUM manages 512 | size: large
# Scripts
software: {scripts: [{run: "s3://my-bucket/a.sh", args: [a, a, a, a, a, a, a, a, a, a, a, a, a, a,
    a, a, a, a, a, a, a]}]}
    LIM205 software.scripts.0.args | 21 arguments | at most 20
software: {scripts: [{run: "s3://my-bucket"}]}
    LIM206 software.scripts.0.run | s3://my-bucket | s3://bucket/key
software: {scripts: [{run: "s3://b-ap-south-1/a.sh"}]}
    LIM207 software.scripts.0.run | ap-south-1 | https
software: {scripts: [{run: "s3://my-bucket/a.sh", on: [login]}]}
    LIM005 software.scripts.0.on | login node | compute
# Places
region: us-west-1
network: {zone: usw1-az1}
    NET020 region | us-west-1 | us-west-2
network: {cidr: 10.0.0.0/23}
node_groups: [{name: h200, count: 16}]
    NET010 network.cidr | takes 257 addresses | efa-only
network: {zone: us-east-1-dfw-2a}
    NET202 network.zone | Local Zone | zone
node_groups: [{name: h200, efa_layout: efa-only}]
    NIC201 node_groups.0.efa_layout | efa-only | 16 addresses
software: {os: rhel9}
login: {instance_type: m7i.xlarge}
node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890}]
    IMG001 login | rhel9 | image: ami-
software: {containers: pyxis}
login: {instance_type: m7i.xlarge}
    IMG202 software.containers | nodes of h200, login nodes | image: ami-
storage: [{mount: /data, type: s3, bucket: "s3://my-data"}]
    IMG202 storage.0.type | no mount-s3 | image: ami-
node_groups: [{name: trn, instance_type: trn1.32xlarge, count: 2}]
    IMG204 node_groups.1.instance_type | no Neuron driver | image: ami-
""")


@pytest.mark.parametrize(("text", "code", "path", "message", "help"), CASES)
def test_finding(text: str, code: str, path: Path, message: str, help: str) -> None:
    found = [finding for finding in _found(text, code) if finding.path == path]
    assert len(found) == 1
    assert message in found[0].message
    assert help in found[0].help


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('slurm: {version: "26.05"}', "SLM202"),
        ("slurm: {settings: {schedulerparameters: defer}}", "SLM009"),
        ('slurm: {version: "25.05", slurmdbd_settings: {Parameters: x}}', "SLM204"),
        (QUEUE % "slurm: {Default: false}", "SLM010"),
        (QUEUE % "time_limit: 2d, slurm: {MaxTime: 2-00:00:00}", "SLM010"),
        ("node_groups: [{name: h200, mig: {1g.18gb: 7}, slurm: {Sockets: 2}}]", "SLM211"),
        ("node_groups: [{name: h200, count: {min: 0, max: 2048}}]", "LIM202"),
        ('software: {scripts: [{run: "https://example.com:8443/a.sh?b#c"}]}', "LIM206"),
        ('software: {scripts: [{run: "s3://my-bucket/a.sh", on: [login, compute]}]}', "LIM005"),
        (f"node_groups: [{{name: h200, {BLOCK}}}]", "CAP202"),
        ("software: {containers: docker}", "IMG202"),
        (GROUP % "instance_type: trn1.32xlarge, image: ami-0a1b2c3d4e5f67890", "IMG204"),
    ],
)
def test_no_output_without_findings(text: str, code: str) -> None:
    assert _found(text, code) == []


@pytest.mark.parametrize(
    ("scripts", "severity"),
    [("", "error"), ('software: {scripts: [{run: "s3://setup/neuron.sh"}]}', "warning")],
)
def test_a_script_may_install_the_driver(scripts: str, severity: str) -> None:
    nodes = "node_groups: [{name: h200, instance_type: trn2.48xlarge}]"
    assert [f.severity for f in _found(f"{nodes}\n{scripts}", "IMG204")] == [severity]


def test_a_script_after_slurmd_is_in_another_stage() -> None:
    """PCS counts the scripts of each stage: accounts are made once slurmd runs."""

    def spec(count: int) -> str:
        scripts = [f'{{run: "s3://my-bucket/{n}.sh", on: [login]}}' for n in range(count)]
        accounting = "slurm: {accounting: managed, settings: {AccountingStorageEnforce: limits}}"
        return f"login: {{}}\n{accounting}\nsoftware: {{scripts: [{', '.join(scripts)}]}}"

    most = next(n for n in range(10, 30) if _found(spec(n + 1), "LIM204"))
    stages = lifecycle.emitted(lifecycle.login_actions(plan_of(spec(most))))["Stages"]
    assert [len(stages[name]) for name in ("NodeBootstrapped", "NodeReady")] == [20, 1]


FS = "id: fs-0123456789abcdef0"


@pytest.mark.parametrize(
    ("fields", "missing"),
    [
        (f"type: fsx-lustre, existing: {{{FS}}}", True),
        (f"type: fsx-lustre, existing: {{{FS}, mount_name: abcdefgh}}", False),
        ("type: fsx-lustre, size: 1200GiB", False),
        ("type: file-cache, existing: {id: fc-0123456789abcdef0}", True),
        (f"type: fsx-ontap, existing: {{{FS}, volume_id: fsvol-0123456789abcdef0}}", True),
        (f"type: efs, existing: {{{FS}}}", False),
    ],
)
def test_existing_storage_needs_its_mount_name(fields: str, missing: bool) -> None:
    found = _found(f"storage: [{{mount: /data, {fields}}}]", "STG052")
    assert [finding.path for finding in found] == [("storage", 0, "existing")] * missing


@pytest.mark.parametrize("name", ["NodeInstanceProfileArn", "VpcId", "ImageX86"])
def test_a_parameter_that_deploy_sh_passes_needs_no_default(name: str) -> None:
    """Outputs of the foundation have a value, even for parameters of an overlay."""
    overlay = "targets: {{pcs: {{overlay: {{Parameters: {{{}: {{Type: String}}}}}}}}}}"
    assert _found(overlay.format(name), "OVL202") == []
    assert len(_found(overlay.format("Contact"), "OVL202")) == 1
