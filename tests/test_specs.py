"""One spec, all targets: every example is rendered and validated, or rejected for a reason."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from clustergen import catalog, targets
from clustergen.compiler import Checked
from clustergen.findings import Severity, errors
from clustergen.spec import named_targets
from tests.checking import EXAMPLES, check_example, check_fragment, example_files, faults, files_of
from tests.oracles.bundle import bundle_violations
from tests.oracles.cloudformation import check as template_violations
from tests.oracles.parallelcluster import ParallelCluster

# What each target answers to each spec: nothing, or the codes for which it rejects.
PC, PCS, HP, EKS = "parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks"
K8S = "eks"
BATCH = "batch"
_NO = {"SUP001"}
ANSWERS: dict[str, dict[str, set[str]]] = {
    # IMG204: the default image of PCS has no Neuron driver.
    "ap-south-2": {PC: {"NET020"}, PCS: set(), HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
    # SLM018: with Slurm, accounts need accounting. NET022: EKS needs two zones.
    "batch-fair-share": {
        PC: {"SLM018"},
        PCS: {"SLM018"},
        HP: {"SUP001", "SLM018"},
        EKS: {"CAP011", "NET022"},
        K8S: {"NET022"},
        BATCH: set(),
    },
    "batch-p6-b200-block": {
        PC: {"CAP101"},
        PCS: set(),
        HP: _NO,
        EKS: {"CAP011", "SUP001"},
        K8S: set(),
        BATCH: set(),
    },
    "batch-trn2-arrays": {
        PC: _NO,
        PCS: {"IMG204"},
        HP: {"CAP300", "SUP001"},
        EKS: {"CAP300", "CAP011"},
        K8S: set(),
        BATCH: set(),
    },
    # PCS and ParallelCluster: a Local Zone, an arm64 head node. HyperPod: training plans only.
    "eks-dra-gb200": {
        PC: {"IMG104"},
        PCS: set(),
        HP: _NO,
        EKS: {"SUP001", "K8S432"},
        K8S: set(),
        BATCH: _NO,
    },
    "closed-eks": {PC: set(), PCS: set(), HP: {"SUP001"}, EKS: set(), K8S: set(), BATCH: set()},
    "eks-karpenter": {PC: _NO, PCS: _NO, HP: _NO, EKS: _NO, K8S: set(), BATCH: _NO},
    "eks-mig": {PC: _NO, PCS: {"SLM211"}, HP: _NO, EKS: set(), K8S: set(), BATCH: _NO},
    "eks-p5en-capacity-block": {PC: set(), PCS: set(), HP: _NO, EKS: _NO, K8S: set(), BATCH: _NO},
    "eks-reserved-volcano": {PC: set(), PCS: set(), HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
    "eks-trn2": {PC: set(), PCS: {"IMG204"}, HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
    "every-field": {
        PC: {"SUP001", "NIC101", "SLM106", "STG105", "IAM005"},
        PCS: {"SUP001", "SLM211", "LIM204", "IAM005"},
        HP: {"SUP001", "IAM005"},
        EKS: {"SUP001", "K8S406", "CAP011"},
        K8S: {"SUP001"},
        BATCH: {"SUP001", "CAP600", "IMG001", "SLM601"},
    },
    "everything-existing": {
        PC: set(),
        PCS: set(),
        HP: _NO,
        EKS: {"SUP001"},
        K8S: set(),
        BATCH: set(),
    },
    "g6e-spot-finetune": {
        PC: set(),
        PCS: set(),
        HP: _NO,
        EKS: {"CAP011", "SUP001"},
        K8S: set(),
        BATCH: set(),
    },
    # HyperPod is in no region of GovCloud.
    "govcloud": {PC: set(), PCS: set(), HP: {"NET020"}, EKS: {"NET020"}, K8S: set(), BATCH: set()},
    # CAP300: SageMaker has no m7a and no c7i; SUP001: and no HPC types.
    "hpc8a-two-queues": {
        PC: set(),
        PCS: set(),
        HP: {"SUP001", "CAP300"},
        EKS: {"SUP001", "CAP011"},
        K8S: set(),
        BATCH: set(),
    },
    "hyperpod-eks-karpenter": {
        PC: set(),
        PCS: set(),
        HP: _NO,
        EKS: set(),
        K8S: set(),
        BATCH: set(),
    },
    "hyperpod-eks-mig": {PC: _NO, PCS: {"SLM211"}, HP: _NO, EKS: set(), K8S: set(), BATCH: _NO},
    "hyperpod-eks-new-cluster": {
        PC: {"SUP001", "SLM106"},
        PCS: _NO,
        HP: _NO,
        EKS: set(),
        K8S: _NO,
        BATCH: _NO,
    },
    "hyperpod-eks-spot": {PC: set(), PCS: set(), HP: _NO, EKS: set(), K8S: set(), BATCH: set()},
    "hyperpod-eks-two-zones": {PC: _NO, PCS: _NO, HP: set(), EKS: set(), K8S: _NO, BATCH: _NO},
    "hyperpod-slurm-bootstrap": {PC: _NO, PCS: _NO, HP: set(), EKS: set(), K8S: _NO, BATCH: _NO},
    "hyperpod-slurm-customer-managed": {
        PC: set(),
        PCS: set(),
        HP: set(),
        EKS: set(),
        K8S: set(),
        BATCH: set(),
    },
    "hyperpod-slurm-legacy": {
        PC: set(),
        PCS: set(),
        HP: set(),
        EKS: set(),
        K8S: set(),
        BATCH: set(),
    },
    "hyperpod-slurm-scripts": {
        PC: set(),
        PCS: _NO,
        HP: set(),
        EKS: set(),
        K8S: set(),
        BATCH: set(),
    },
    "hyperpod-slurm-two-controllers": {
        PC: set(),
        PCS: _NO,
        HP: set(),
        EKS: set(),
        K8S: set(),
        BATCH: set(),
    },
    "hyperpod-training-plan": {PC: _NO, PCS: _NO, HP: set(), EKS: set(), K8S: _NO, BATCH: _NO},
    "mixed-fair-share": {
        PC: {"SUP001"},
        PCS: set(),
        HP: {"SUP001", "CAP300"},
        EKS: {"CAP300", "CAP011"},
        K8S: set(),
        BATCH: set(),
    },
    "mixed-fair-share-database": {
        PC: set(),
        PCS: {"SUP001", "SLM009"},
        HP: {"SUP001", "CAP300"},
        EKS: {"CAP300", "CAP011"},
        K8S: set(),
        BATCH: set(),
    },
    "p5-on-demand": {PC: set(), PCS: set(), HP: set(), EKS: set(), K8S: set(), BATCH: set()},
    # Capacity Blocks and reservations do not reach HyperPod: SUP001 says to take a training plan.
    "p5en-capacity-block": {PC: set(), PCS: set(), HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
    "p6-b200-reservation": {PC: set(), PCS: set(), HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
    "p6-b300": {PC: set(), PCS: set(), HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
    # PCS keeps its own interfaces in a subnet of the region, which a new VPC in Dallas lacks.
    "p6e-gb200-ultraserver": {
        PC: set(),
        PCS: {"NET202"},
        HP: _NO,
        EKS: _NO,
        K8S: set(),
        BATCH: {"SUP001", "IMG001"},
    },
    "eks-existing-cluster": {
        PC: set(),
        PCS: set(),
        HP: set(),
        EKS: {"NET022"},
        K8S: set(),
        BATCH: set(),
    },
    "pcs-existing-cluster": {
        PC: set(),
        PCS: set(),
        HP: _NO,
        EKS: {"NET022"},
        K8S: {"NET022"},
        BATCH: set(),
    },
    "hyperpod-existing-cluster": {
        PC: set(),
        PCS: set(),
        HP: set(),
        EKS: {"NET022"},
        K8S: {"NET022"},
        BATCH: set(),
    },
    "pcs-trn2": {PC: set(), PCS: set(), HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
    "single-gpu-dev": {
        PC: set(),
        PCS: set(),
        HP: _NO,
        EKS: {"CAP011"},
        K8S: set(),
        BATCH: {"IMG001"},
    },
    "trn1-efs": {PC: set(), PCS: {"IMG204"}, HP: _NO, EKS: {"CAP011"}, K8S: set(), BATCH: set()},
    "trn2": {PC: set(), PCS: {"IMG204"}, HP: _NO, EKS: _NO, K8S: set(), BATCH: set()},
}
PAIRS = [(name, target) for name in EXAMPLES for target in targets.NAMES]


def test_the_table_has_every_spec_and_target() -> None:
    assert len(EXAMPLES) >= 14
    assert {name: set(answers) for name, answers in ANSWERS.items()} == {
        name: set(targets.NAMES) for name in EXAMPLES
    }


@pytest.mark.parametrize("path", EXAMPLES.values(), ids=EXAMPLES)
def test_a_spec_describes_its_use(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# yaml-language-server: $schema=../docs/clustergen.schema.json"
    comment = [line for line in lines[1:] if line.startswith("#")]
    assert len(" ".join(comment)) > 80


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "every-field"])
def test_a_spec_is_valid_for_its_targets(name: str) -> None:
    checked = check_example(name)
    assert checked.spec is not None
    named = named_targets(checked.spec)
    assert named
    rejected = {target for target in named for code in ANSWERS[name][target]}
    assert rejected == {finding.target for finding in errors(checked.findings)}


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_each_target_accepts_or_rejects_as_expected(
    name: str, target: str, parallelcluster: ParallelCluster
) -> None:
    checked = check_example(name, target)
    refusals = errors(checked.findings)
    assert {finding.code for finding in refusals} == ANSWERS[name][target]
    for finding in refusals:
        assert finding.target == target
        assert finding.help
        assert finding.span is not None
    if not refusals:
        files = example_files(name, target)
        assert validated(checked, files, target, parallelcluster) == []


def validated(
    checked: Checked, files: Mapping[str, str], target: str, parallelcluster: ParallelCluster
) -> list[str]:
    """What the validators say of the rendered bundle."""
    assert checked.spec is not None
    document = targets.load(target).document_path(checked.plans[target])
    assert {document, "README.md"} <= set(files)
    # A stack that installs software itself has assets, which only `cdk deploy` uploads.
    by_cdk = getattr(checked.plans[target].options, "install", "script") == "stack"
    assert ("deploy.sh" in files) is not by_cdk
    return bundle_violations(files, parallelcluster, checked.spec.region, checked.spec.name)


# What no example uses, and the targets that have it.
EC2 = (PC, PCS)
CLUSTER = "targets: {hyperpod-eks: {eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/c'}}\n"
MORE: list[tuple[str, tuple[str, ...]]] = [
    (
        "software: {containers: docker, scripts: [{run: s3://my-bucket/it's.sh, args: [$(reboot)],"
        " when: start}, {run: https://example.com/a.sh, on: [compute]}]}",
        EC2,
    ),
    ("node_groups: [{name: h200, mig: {1g.18gb: 7}}]\nslurm: {version: '26.05'}", (PCS,)),
    ("node_groups: [{name: h200, capacity: {interruptible_reservation: cr-0a1b2c3d}}]", (PCS,)),
    (
        "node_groups: [{name: h200, capacity: {reservation_group: "
        "'arn:aws:resource-groups:us-east-1:111122223333:group/held'}}]",
        EC2,
    ),
    ("login: {instance_type: m7i.xlarge, count: 2}\nnetwork: {ssh_from: [203.0.113.0/24]}",
     EC2),
    ("storage: [{mount: /fsx, type: fsx-lustre, size: 2400GiB, deployment: scratch-2,"
     " data_repositories: [{path: /data, s3: s3://my-bucket/data, import: [new]}]}]",
     EC2),
    ("storage: [{mount: /cold, type: fsx-lustre, storage_class: intelligent-tiering,"
     " throughput: 4000, metadata_iops: 6000, read_cache: 4800GiB}]", EC2),
    ("storage: [{mount: /apps, type: ebs, size: 500GiB}]", (PC,)),
    ("node_groups: [{name: far, instance_type: c7i.8xlarge, count: 2, zone: use1-az4},"
     " {name: near, instance_type: c7i.8xlarge, count: 2}]", (PC, PCS, K8S, BATCH)),
    ("node_groups: [{name: far, instance_type: m6i.8xlarge, count: 2, zone: use1-az4},"
     " {name: near, instance_type: m6i.8xlarge, count: 2}]", (HP,)),
    ("storage: [{mount: /data, type: s3, bucket: s3://my-bucket/data}]", (PCS,)),
    ("storage: [{mount: /tools, type: efs, throughput_mode: provisioned, throughput: 256,"
     " backups: 35d, on_delete: delete}]", EC2),
    ("queues: [{name: train, node_groups: [h200], time_limit: 7-00:00:00, exclusive: true},"
     " {name: debug, node_groups: [h200], priority: 100, default: true}]", (PCS,)),
    ("name: ex-ample\ntags: {owner: 'Zoë + Žiga: a/b=c', Name: x}", EC2),
    ("node_groups: [{name: spot, instance_types: [m7i.4xlarge, m6i.4xlarge], capacity: spot,"
     " count: {min: 1, max: 4}}]", EC2),
    ("login: {instance_type: m7i.xlarge}\nsoftware: {containers: docker, scripts: ["
     "{run: s3://my-bucket/it's.sh, args: [$(reboot)], when: start},"
     " {run: https://example.com/a.sh, on: [compute]}]}", (HP,)),
    ("users: [{name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA it's $(reboot)}]", (HP,)),
    ("resilience: {replace_failed_nodes: false}\nslurm: {accounting: managed}", (HP,)),
    ("name: ex-ample\ntags: {owner: 'Zoë + Žiga: a/b=c', Name: x}", (HP,)),
    (CLUSTER + "name: ex-ample\ntags: {owner: 'Zoë + Žiga: a/b=c', Name: x}", (EKS,)),
    (CLUSTER + "software: {scripts: [{run: s3://my-bucket/it's.sh, args: [$(reboot)]}]}", (EKS,)),
    (CLUSTER + "node_groups: [{name: h200, threads_per_core: 2, scratch: /scratch,"
     " image: ami-0a1b2c3d4e5f67890}]", (EKS,)),
    (CLUSTER + "node_groups: [{name: h200, mig: {1g.18gb: 7}, labels: {example.com/a: b},"
     " taints: [{key: gpu, effect: NoExecute, value: x}]}]", (EKS,)),
    (CLUSTER + "node_groups: [{name: h200, capacity: {training_plan: "
     "'arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan'}}]", (EKS,)),
    ("node_groups: [{name: h200, capacity: {training_plan: "
     "'arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan'}}]", (HP,)),
    (CLUSTER + "storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250,"
     " efa: true}, {mount: /home, type: fsx-openzfs, size: 512GiB, throughput: 160}]", (EKS,)),
    (CLUSTER + "kubernetes: {autoscaler: karpenter}\nnode_groups: [{name: spot, instance_types:"
     " [g6e.4xlarge, g6.4xlarge], capacity: spot, count: {min: 0, max: 4}}]", (EKS,)),
    (CLUSTER + "node_groups: [{name: trn, instance_type: trn1.32xlarge, count: 2},"
     " {name: arm, instance_type: m7g.4xlarge, count: 2}]", (EKS,)),
    ("node_groups: [{name: h200, image: ami-0a1b2c3d4e5f67890, threads_per_core: 1,"
     " scratch: /scratch, efa_layout: efa, placement: {group: held}}]\n"
     "software: {scripts: [{run: s3://my-bucket/it's.sh, args: [$(reboot)]}]}", (K8S,)),
    ("node_groups: [{name: h200, labels: {example.com/a: b}, capacity: {reservation_group: "
     "'arn:aws:resource-groups:us-east-1:111122223333:group/held'}, taints: [{key: gpu, effect: "
     "NoExecute, value: x}]}, {name: spot, instance_types: [m7i.4xlarge, m6i.4xlarge], capacity: "
     "spot, count: {min: 1, max: 4}}, {name: arm, instance_type: m7g.4xlarge, count: 1}]", (K8S,)),
    ("name: ex-ample\ntags: {owner: 'Zoë + Žiga: a/b=c', Name: x}\nkubernetes: {support: extended,"
     " version: '1.33', jobs: none, admins: ['arn:aws:iam::111122223333:user/path/alice']}\n"
     "monitoring: {metrics: managed-prometheus, dashboards: managed-grafana}", (K8S,)),
    ("storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true},"
     " {mount: /home, type: fsx-openzfs, size: 512GiB, throughput: 160}, {mount: /e, type: efs},"
     " {mount: /data, type: s3, bucket: s3://my-bucket/data}]\n"
     "queues: [{name: train, node_groups: [h200], time_limit: 7d, exclusive: true, default: true},"
     " {name: debug, node_groups: [h200], priority: 100}]", (K8S,)),
    ("kubernetes: {devices: dra, scheduler: volcano, admission: none, jobs: kubeflow-trainer}\n"
     "queues: [{name: train, node_groups: [h200]}]", (K8S,)),
    ("kubernetes: {autoscaler: karpenter}\nnode_groups: [{name: h200, count: {min: 0, max: 4}},"
     " {name: trn, instance_type: trn1.32xlarge, count: {min: 0, max: 2}}, {name: held,"
     " instance_type: p5.48xlarge, count: {max: 2}, capacity: {reservation: cr-0a1b2c3d}}]",
     (K8S,)),
    ("targets: {eks: {install: stack, deletion_protection: true, overlay: {Resources: {Cluster: "
     "{Properties: {ZonalShiftConfig: {Enabled: true}}}}}}}", (K8S,)),
    ("node_groups: [{name: arm, instance_type: p6e-gb200.36xlarge, count: 18, capacity: "
     "{training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan'}}]\n"
     "targets: {hyperpod-eks: {eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/c', "
     "auto_patching: {strategy: drain-first, batch: 10%, rollback_alarms: [failing]}, "
     "update_schedule: cron(0 3 ? * SUN *)}}", (EKS,)),
    ("targets: {hyperpod-slurm: {mode: legacy, provisioning: all-at-once}}", (HP,)),
    ("targets: {hyperpod-slurm: {mode: customer-managed}}\nstorage: [{mount: /home, type: "
     "fsx-openzfs, size: 512GiB, throughput: 160}]", (HP,)),
    ("targets: {hyperpod-slurm: {provisioning: all-at-once, overlay: {InstanceGroups: "
     "[{InstanceGroupName: h200, AutoPatchConfig: {PatchingStrategy: WhenIdle}}]}}}", (HP,)),
    ("targets: {hyperpod-slurm: {overlay: {RestrictedInstanceGroups: [{InstanceGroupName: nova,"
     " InstanceType: ml.p5.48xlarge, InstanceCount: 2,"
     " ExecutionRole: '${HyperPodExecutionRoleArn}'}]}}}", (HP,)),
]  # fmt: skip
MORE += [
    (
        "software: {containers: docker, scripts: [{run: s3://my-bucket/it's.sh, args: [$(reboot)],"
        " when: start}, {run: https://example.com/a.sh, on: [compute]}]}",
        (BATCH,),
    ),
    (
        "node_groups: [{name: h200, threads_per_core: 1, scratch: /scratch, labels: {example.com/a:"
        " b}, placement: {group: held}, image: ami-0a1b2c3d4e5f67890, health_checks: [gpu]}]",
        (BATCH,),
    ),
    (
        "node_groups: [{name: h200, capacity: {reservation_group: "
        "'arn:aws:resource-groups:us-east-1:111122223333:group/held'}}, {name: spot, "
        "instance_types: [m7i.4xlarge, m6i.4xlarge], capacity: spot, count: {min: 1, max: 4}},"
        " {name: arm, instance_type: m7g.4xlarge, count: 1}, {name: hpc, instance_type: "
        "hpc7g.16xlarge, count: 2}, {name: inf, instance_type: inf2.48xlarge, count: 1}]",
        (BATCH,),
    ),
    (
        "storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true},"
        " {mount: /home, type: fsx-openzfs, size: 512GiB, throughput: 160}, {mount: /e, type: efs},"
        " {mount: /data, type: s3, bucket: s3://my-bucket/data}]\n"
        "resilience: {auto_resume: true}\nmonitoring: {metrics: cloudwatch}\n"
        "name: ex-ample\ntags: {owner: 'Zoë + Žiga: a/b=c', Name: x}",
        (BATCH,),
    ),
    ("node_groups: [{name: h200, count: 2}]\nkubernetes: {autoscaler: karpenter}", (K8S,)),
    ("targets: {eks: {install: none}}", (K8S,)),
]
MORE_PAIRS = [(fragment, target) for fragment, names in MORE for target in names]


@pytest.mark.parametrize(("fragment", "target"), MORE_PAIRS)
def test_cases_without_an_example(
    fragment: str, target: str, parallelcluster: ParallelCluster
) -> None:
    checked = check_fragment(fragment, target)
    assert faults(checked) == []
    assert validated(checked, files_of(checked, target), target, parallelcluster) == []


SEVERAL_CARDS = [type.name for type in catalog.every() if type.efa and len(type.cards) > 1]


def test_the_launch_template_of_every_type_with_several_cards() -> None:
    """PCS takes the interfaces from the template as they are; ParallelCluster makes its own."""
    pcs = targets.load("pcs")
    violations: dict[str, list[str]] = {}
    for name in SEVERAL_CARDS:
        capacity = "{capacity_block: cr-0a1b2c3d}" if "gb200" in name else "on-demand"
        group = f"{{name: h200, instance_type: {name}, count: 18, capacity: {capacity}}}"
        for layout in ("efa", "efa-only"):
            plan = check_fragment(
                f"node_groups: [{group[:-1]}, efa_layout: {layout}}}]", "pcs"
            ).plans["pcs"]
            found = template_violations(json.loads(json.dumps(pcs.document(plan))), "us-east-1")
            if found:
                violations[f"{name} {layout}"] = found
    assert violations == {}


@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_every_message_is_complete(name: str, target: str) -> None:
    for finding in check_example(name, target).findings:
        text = f"{finding.message} {finding.help}"
        assert not re.search(r"\bNone\b|\{\}|Ref\(|<class|\(\)", text), text
        assert finding.help or finding.severity is Severity.NOTE, text


@pytest.mark.parametrize("name", EXAMPLES)
def test_editors_find_the_schema(name: str) -> None:
    first = EXAMPLES[name].read_text(encoding="utf-8").splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    assert (EXAMPLES[name].parent / first.partition("=")[2]).is_file()
