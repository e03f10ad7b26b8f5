"""One spec, all targets: every example is rendered and validated, or rejected for a reason."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.base.findings import Severity, errors
from clustergen.checking.compiler import Checked
from clustergen.facts import catalog
from clustergen.spec import named_targets
from tests.support.checking import (
    EXAMPLES,
    broken,
    check_example,
    check_fragment,
    example_files,
    faults,
    files_of,
)
from tests.support.tables import flow
from tests.validators.bundle import bundle_violations
from tests.validators.cloudformation import check as template_violations
from tests.validators.eks import eks_violations
from tests.validators.parallelcluster import ParallelCluster

PC, PCS, HP, EKS = "parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks"
K8S = "eks"
BATCH = "batch"
# The codes for which targets reject a spec; what is not here is accepted.
REFUSALS = flow("""
    # IMG204: the default image of PCS has no Neuron driver.
    ap-south-2: {parallelcluster: NET020, hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    # SLM018: with Slurm, accounts need accounting. NET022: EKS needs two zones.
    batch-fair-share: {parallelcluster: SLM018, pcs: SLM018, hyperpod-slurm: SLM018 SUP001,
        hyperpod-eks: CAP011 NET022, eks: NET022}
    batch-p6-b200-block: {parallelcluster: CAP101, hyperpod-slurm: SUP001, hyperpod-eks: CAP011
        SUP001}
    batch-trn2-arrays: {parallelcluster: SUP001, pcs: IMG204, hyperpod-slurm: CAP300 SUP001,
        hyperpod-eks: CAP011 CAP300}
    # PCS and ParallelCluster: a Local Zone, an arm64 head node. HyperPod: training plans only.
    eks-dra-gb200: {parallelcluster: IMG104, hyperpod-slurm: SUP001, hyperpod-eks: K8S432 SUP001,
        batch: SUP001}
    closed-eks: {hyperpod-slurm: SUP001}
    eks-karpenter: {parallelcluster: SUP001, pcs: SUP001, hyperpod-slurm: SUP001, hyperpod-eks:
        SUP001, batch: SUP001}
    eks-mig: {parallelcluster: SUP001, pcs: SLM211, hyperpod-slurm: SUP001, batch: SUP001}
    eks-p5en-capacity-block: {hyperpod-slurm: SUP001, hyperpod-eks: SUP001, batch: SUP001}
    eks-reserved-volcano: {hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    eks-trn2: {pcs: IMG204, hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    every-field: {parallelcluster: IAM005 NIC101 SLM106 STG105 SUP001, pcs: IAM005 LIM204 SLM211
        SUP001, hyperpod-slurm: IAM005 SUP001, hyperpod-eks: CAP011 K8S406 SUP001, eks: SUP001,
        batch: CAP600 IMG001 SLM601 SUP001}
    everything-existing: {hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    g6e-spot-finetune: {hyperpod-slurm: SUP001, hyperpod-eks: CAP011 SUP001}
    # HyperPod is in no region of GovCloud.
    govcloud: {hyperpod-slurm: NET020, hyperpod-eks: NET020}
    # CAP300: SageMaker has no m7a and no c7i; SUP001: and no HPC types.
    hpc8a-two-queues: {hyperpod-slurm: CAP300 SUP001, hyperpod-eks: CAP011 SUP001}
    hyperpod-eks-karpenter: {hyperpod-slurm: SUP001, eks: NET022}
    hyperpod-eks-mig: {parallelcluster: SUP001, pcs: SLM211, hyperpod-slurm: SUP001, eks: NET022,
        batch: SUP001}
    hyperpod-eks-new-cluster: {parallelcluster: SLM106 SUP001, pcs: SUP001, hyperpod-slurm: SUP001,
        eks: SUP001, batch: SUP001}
    hyperpod-eks-spot: {hyperpod-slurm: SUP001, eks: NET022}
    hyperpod-eks-two-zones: {parallelcluster: SUP001, pcs: SUP001, eks: SUP001, batch: SUP001}
    hyperpod-slurm-bootstrap: {parallelcluster: SUP001, pcs: SUP001, eks: SUP001, batch: SUP001}
    hyperpod-slurm-customer-managed: {}
    hyperpod-slurm-legacy: {}
    hyperpod-slurm-scripts: {pcs: SUP001}
    hyperpod-slurm-two-controllers: {pcs: SUP001}
    hyperpod-training-plan: {parallelcluster: SUP001, pcs: SUP001, eks: SUP001, batch: SUP001}
    mixed-fair-share: {parallelcluster: SUP001, hyperpod-slurm: CAP300 SUP001, hyperpod-eks: CAP011
        CAP300}
    mixed-fair-share-database: {pcs: SLM009 SUP001, hyperpod-slurm: CAP300 SUP001, hyperpod-eks:
        CAP011 CAP300}
    p5-on-demand: {}
    # Capacity Blocks and reservations do not reach HyperPod: SUP001 says to take a training plan.
    p5en-capacity-block: {hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    p6-b200-reservation: {hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    p6-b300: {hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    # PCS keeps its own interfaces in a subnet of the region, which a new VPC in Dallas lacks.
    p6e-gb200-ultraserver: {pcs: NET202, hyperpod-slurm: SUP001, hyperpod-eks: SUP001, batch: IMG001
        SUP001}
    eks-existing-cluster: {hyperpod-eks: NET022}
    pcs-existing-cluster: {hyperpod-slurm: SUP001, hyperpod-eks: NET022, eks: NET022}
    hyperpod-existing-cluster: {hyperpod-eks: NET022, eks: NET022}
    pcs-trn2: {hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
    single-gpu-dev: {hyperpod-slurm: SUP001, hyperpod-eks: CAP011, batch: IMG001}
    trn1-efs: {pcs: IMG204, hyperpod-slurm: SUP001, hyperpod-eks: CAP011}
    trn2: {pcs: IMG204, hyperpod-slurm: SUP001, hyperpod-eks: SUP001}
""")
_KNOWN = {target for refusals in REFUSALS.values() for target in refusals}
ANSWERS: dict[str, dict[str, set[str]]] = {
    name: {target: {*refusals.get(target, "").split()} for target in _KNOWN}
    for name, refusals in REFUSALS.items()
}
PAIRS = [(name, target) for name in EXAMPLES for target in targets.NAMES]


def test_the_table_has_every_spec_and_target() -> None:
    assert len(EXAMPLES) >= 14
    assert REFUSALS.keys() == EXAMPLES.keys()
    assert [name for name, answers in ANSWERS.items() if answers.keys() != {*targets.NAMES}] == []


@pytest.mark.parametrize("path", EXAMPLES.values(), ids=EXAMPLES)
def test_a_spec_describes_its_use(path: Path) -> None:
    lines, schema = path.read_text(encoding="utf-8").splitlines(), "../docs/clustergen.schema.json"
    assert lines[0] == f"# yaml-language-server: $schema={schema}"
    assert (path.parent / schema).is_file()
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "target"), PAIRS)
def test_each_target_accepts_or_rejects_as_expected(name: str, target: str) -> None:
    checked = check_example(name, target)
    refusals = errors(checked.findings)
    assert {finding.code for finding in refusals} == ANSWERS[name][target]
    for finding in refusals:
        assert finding.target == target
        assert finding.help
        assert finding.span is not None
    assert refusals or example_files(name, target)
    for finding in checked.findings:
        text = f"{finding.message} {finding.help}"
        assert not re.search(r"\bNone\b|\{\}|Ref\(|<class|\(\)", text), text
        assert finding.help or finding.severity is Severity.NOTE, text


# A target without rows is added while tests are collected: the toy.
ACCEPTED = [(n, t) for t in targets.NAMES for n, a in ANSWERS.items() if a.get(t) == set()]


@pytest.mark.sampled(18)
@pytest.mark.parametrize(("name", "target"), ACCEPTED)
def test_validators_accept_every_bundle(
    name: str, target: str, parallelcluster: ParallelCluster
) -> None:
    checked, files = check_example(name, target), example_files(name, target)
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
        (*EC2, BATCH),
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
    ("name: ex-ample\ntags: {owner: 'Zoë + Žiga: a/b=c', Name: x}", (*EC2, HP)),
    ("node_groups: [{name: spot, instance_types: [m7i.4xlarge, m6i.4xlarge], capacity: spot,"
     " count: {min: 1, max: 4}}]", EC2),
    ("login: {instance_type: m7i.xlarge}\nsoftware: {containers: docker, scripts: ["
     "{run: s3://my-bucket/it's.sh, args: [$(reboot)], when: start},"
     " {run: https://example.com/a.sh, on: [compute]}]}", (HP,)),
    ("users: [{name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA it's $(reboot)}]", (HP,)),
    ("resilience: {replace_failed_nodes: false}\nslurm: {accounting: managed}", (HP,)),
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


@pytest.mark.sampled(len(MORE_PAIRS))
@pytest.mark.parametrize(("fragment", "target"), MORE_PAIRS)
def test_cases_without_an_example(
    fragment: str, target: str, parallelcluster: ParallelCluster
) -> None:
    checked = check_fragment(fragment, target)
    assert faults(checked) == []
    assert validated(checked, files_of(checked, target), target, parallelcluster) == []


SEVERAL_CARDS = [type for type in catalog.every() if type.efa and len(type.cards) > 1]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("layout", ["efa", "efa-only"])
@pytest.mark.parametrize(
    # EKS has system nodes as well.
    ("target", "kind", "others"),
    [(PCS, "AWS::PCS::ComputeNodeGroup", 1), ("eks", "AWS::EKS::Nodegroup", 2)],
)
def test_the_launch_template_of_every_type_with_several_cards(
    target: str, kind: str, others: int, layout: str
) -> None:
    """Services take the interfaces from the template as they are; ParallelCluster makes its own."""
    groups = ", ".join(group(number, type, layout) for number, type in enumerate(SEVERAL_CARDS))
    plan = check_fragment(f"node_groups: [{groups}]", target).plans[target]
    document = json.loads(json.dumps(targets.load(target).document(plan)))
    types = [resource["Type"] for resource in document["Resources"].values()]
    assert types.count(kind) == len(SEVERAL_CARDS) + others
    assert [finding.message for finding in broken(target, document)] == []
    assert [*eks_violations(document), *template_violations(document, "us-east-1")] == []


def group(number: int, type: catalog.InstanceType, layout: str) -> str:
    capacity = "on-demand" if "on-demand" in type.usage_classes else "{capacity_block: cr-0a1b2c3d}"
    shape = f"count: 18, capacity: {capacity}, efa_layout: {layout}"
    return f"{{name: group{number}, instance_type: {type.name}, {shape}}}"
