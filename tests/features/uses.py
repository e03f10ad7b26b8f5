"""For each feature, two specs: one that uses it, and the same without it.

A use is a pair of fragments over :data:`BASE`: the first makes room for the feature (the right kind
of instance, a queue to set), the second, laid over it, asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clustergen.compiler import Checked
from tests.checking import check

BASE = """\
version: 1
name: truth
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: nodes, instance_type: m7i.4xlarge, count: 2}
software: {containers: none}
targets: {hyperpod-eks: {eks_cluster: 'arn:aws:eks:us-east-1:111122223333:cluster/c'}}
"""
PC, PCS, HP, HPE, EKS = "parallelcluster", "pcs", "hyperpod-slurm", "hyperpod-eks", "eks"


@dataclass(frozen=True, slots=True)
class Use:
    """``without`` and ``uses`` are fragments; ``others`` are the pairs of targets that need their
    own, as a service's limits want it."""

    without: str
    uses: str
    others: Mapping[str, Use] = field(default_factory=dict)

    def on(self, target: str) -> Use:
        return self.others.get(target, self)

    def checked(self, target: str) -> tuple[Checked, Checked]:
        """The compiler's answer without the feature, and with it."""
        mine = self.on(target)
        before = mine.without or "{}"
        return check(BASE, before, target=target), check(BASE, before, mine.uses, target=target)


def _group(fields: str) -> str:
    """Fields of the base's one node group."""
    return f"node_groups: [{{name: nodes, {fields}}}]"


def _queue(fields: str) -> str:
    return f"queues: [{{name: train, node_groups: [nodes], {fields}}}]"


def _storage(fields: str) -> str:
    return f"storage: [{{mount: /data, {fields}}}]"


_HELD = "cr-0a1b2c3d4e5f67890"
_RESERVED = "arn:aws:resource-groups:us-east-1:111122223333:group/held"
_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan"
_PLANNED = f"capacity: {{training_plan: '{_PLAN}'}}"
_BLOCK = f"capacity: {{capacity_block: {_HELD}}}"
_P5 = _group("instance_type: p5.48xlarge")
_KARPENTER = "kubernetes: {autoscaler: karpenter}"
_SSD = "type: fsx-lustre, size: 38400GiB, throughput: 250"
_LUSTRE = _storage(_SSD)
_DATABASE = (
    "slurm: {accounting: {endpoint: db.example.com,"
    " secret: 'arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf'}}"
)
_VPC = """\
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-dfw2-az1
  private_subnets:
    - {id: subnet-0a1b2c3d4e5f67890, zone: use1-dfw2-az1, cidr: 10.42.0.0/17}
    - {id: subnet-0a1b2c3d4e5f67891, zone: us-east-1a, cidr: 10.42.128.0/24}
  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67892, zone: us-east-1a, cidr: 10.42.255.224/28}
    - {id: subnet-0a1b2c3d4e5f67893, zone: us-east-1b, cidr: 10.42.255.240/28}
"""
"""UltraServers are in Dallas, the controllers of services in the region itself."""


def _scaled(count: str, before: str) -> Use:
    use = Use(_group(f"count: {before}"), _group(f"count: {count}"))
    karpenter = Use(f"{use.without}\n{_KARPENTER}", use.uses)
    return Use(use.without, use.uses, {HPE: karpenter, EKS: karpenter})


def _ultraserver() -> Use:
    """In place of another kind of node that is bought in the same way."""
    other = f"{_VPC}head_node: {{instance_type: m7g.4xlarge}}\n"
    other += _group("instance_type: p6-b200.48xlarge, count: 18")
    ultra = _group("instance_type: p6e-gb200.36xlarge")
    planned = Use(f"{other[:-2]}, {_PLANNED}}}]", ultra)
    return Use(f"{other[:-2]}, {_BLOCK}}}]", ultra, {HP: planned, HPE: planned})


USES: Mapping[str, Use] = {
    "capacity.on-demand": Use(
        _group("capacity: spot"),
        _group("capacity: on-demand"),
        {HP: Use(f"{_P5[:-2]}, {_PLANNED}}}]", _group("capacity: on-demand"))},
    ),
    "capacity.spot": Use("", _group("capacity: spot")),
    "capacity.reservation": Use("", _group(f"capacity: {{reservation: {_HELD}}}")),
    "capacity.reservation-group": Use(
        "", _group(f"capacity: {{reservation_group: '{_RESERVED}'}}")
    ),
    "capacity.block": Use(_P5, _group(_BLOCK)),
    "capacity.interruptible": Use("", _group(f"capacity: {{interruptible_reservation: {_HELD}}}")),
    "capacity.training-plan": Use(_P5, _group(_PLANNED)),
    "instances.ultraserver": _ultraserver(),
    "instances.trainium": Use(_P5, _group("instance_type: trn1.32xlarge")),
    "instances.inferentia": Use("", _group("instance_type: inf2.8xlarge")),
    "instances.hpc": Use(_group("efa: false"), _group("instance_type: hpc7a.96xlarge")),
    "instances.several-types": Use(
        "", _group("instance_type: null, instance_types: [m7i.4xlarge, m6i.4xlarge]")
    ),
    "instances.mixed-architecture": Use(
        "", "node_groups: [{name: arm, instance_type: m7g.4xlarge, count: 2}]"
    ),
    "network.efa": Use(
        _group("instance_type: p5.48xlarge, placement: cluster, efa: false"), _group("efa: true")
    ),
    "network.efa-layout": Use(
        _P5,
        _group("efa_layout: efa"),
        {target: Use(_P5, _group("efa_layout: efa-only")) for target in (PC, PCS)},
    ),
    "placement.cluster": Use("", _group("placement: cluster")),
    "placement.existing": Use("", _group("placement: {group: my-group}")),
    "nodes.smt": Use(_group("threads_per_core: 1"), _group("threads_per_core: 2")),
    "nodes.image": Use("", _group("image: ami-0a1b2c3d4e5f67890")),
    "nodes.scratch": Use(_P5, _group("scratch: /scratch")),
    "nodes.mig": Use(
        _P5,
        _group("mig: {1g.10gb: 7}"),
        {PCS: Use(f"{_P5}\nslurm: {{version: '26.05'}}", _group("mig: {1g.10gb: 7}"))},
    ),
    "nodes.labels": Use("", _group("labels: {team: blue}")),
    "nodes.taints": Use("", _group("taints: [{key: team, value: blue, effect: NoSchedule}]")),
    "nodes.slurm-settings": Use("", _group("slurm: {Weight: 10}")),
    "nodes.scaling": _scaled("{min: 0, max: 2}", "2"),
    "nodes.mixed-scaling": _scaled("{min: 1, max: 2}", "{min: 0, max: 2}"),
    "health.gpu": Use(_P5, _group("health_checks: [gpu]")),
    "health.deep": Use(_P5, _group("health_checks: [instance-stress]")),
    "head.node": Use("", "head_node: {instance_type: m7i.8xlarge}"),
    "login.nodes": Use("", "login: {instance_type: m7i.2xlarge}"),
    "queues.slurm-settings": Use(_queue("default: true"), _queue("slurm: {GraceTime: 60}")),
    "queues.shared-groups": Use(
        _queue("default: true"), "queues: [{name: debug, node_groups: [nodes]}]"
    ),
    "storage.lustre": Use("", _LUSTRE),
    "storage.lustre-efa": Use(f"{_P5}\n{_LUSTRE}", _storage(f"{_SSD}, efa: true")),
    "storage.lustre-metadata": Use(_LUSTRE, _storage(f"{_SSD}, metadata_iops: 6000")),
    "storage.intelligent-tiering": Use(
        _storage(f"{_SSD}, metadata_iops: 6000"),
        _storage(
            "type: fsx-lustre, storage_class: intelligent-tiering, throughput: 4000,"
            " metadata_iops: 6000, read_cache: 4800GiB"
        ),
    ),
    "storage.data-repositories": Use(
        _LUSTRE, _storage(f"{_SSD}, data_repositories: [{{path: /in, s3: 's3://my-bucket/in'}}]")
    ),
    "storage.openzfs": Use("", _storage("type: fsx-openzfs, size: 512GiB, throughput: 160")),
    "storage.ontap": Use(
        "",
        _storage(
            "type: fsx-ontap, existing: {id: fs-0a1b2c3d4e5f67892, dns_name:"
            " svm-0a1b2c3d4e5f67892.fs-0a1b2c3d4e5f67892.fsx.us-east-1.amazonaws.com,"
            " volume_id: fsvol-0a1b2c3d4e5f67892}"
        ),
    ),
    "storage.efs": Use("", _storage("type: efs")),
    "storage.ebs": Use("", _storage("type: ebs, size: 500GiB")),
    "storage.bucket": Use("", _storage("type: s3, bucket: 's3://my-bucket/in'")),
    "storage.file-cache": Use(
        "",
        _storage("type: file-cache, existing: {id: fc-0a1b2c3d4e5f67893, mount_name: hgfedcba}"),
    ),
    "software.pyxis": Use("", "software: {containers: pyxis}"),
    "software.docker": Use("", "software: {containers: docker}"),
    "software.scripts": Use("", "software: {scripts: [{run: 's3://my-bucket/setup.sh'}]}"),
    "users": Use("", "users: [{name: alice, uid: 2001}]"),
    "slurm.version": Use(
        "", "slurm: {version: '25.05'}", {PC: Use("", "slurm: {version: '25.11'}")}
    ),
    "slurm.accounting-managed": Use("", "slurm: {accounting: managed}"),
    "slurm.accounting-database": Use("", _DATABASE),
    "slurm.idle-timeout": Use("", "slurm: {idle_timeout: 20m}"),
    "slurm.settings": Use("", "slurm: {settings: {SchedulerParameters: defer}}"),
    "slurm.slurmdbd-settings": Use(
        "",
        "slurm: {slurmdbd_settings: {PurgeJobAfter: 12months}}",
        {
            PCS: Use(
                "slurm: {accounting: managed}",
                "slurm: {slurmdbd_settings: {PurgeJobAfter: 12months}}",
            )
        },
    ),
    "slurm.cgroup-settings": Use("", "slurm: {cgroup_settings: {ConstrainRAMSpace: 'yes'}}"),
    "kubernetes": Use("", "kubernetes: {version: '1.34'}", {HPE: Use("", _KARPENTER)}),
    "monitoring.prometheus": Use("", "monitoring: {metrics: managed-prometheus}"),
    "monitoring.cloudwatch-dashboard": Use(
        "monitoring: {dashboards: none}", "monitoring: {dashboards: cloudwatch}"
    ),
    "monitoring.grafana": Use(
        "monitoring: {dashboards: none}", "monitoring: {dashboards: managed-grafana}"
    ),
    "monitoring.log-retention": Use("", "monitoring: {log_retention: 90d}"),
    "resilience.replace": Use(
        "",
        "resilience: {replace_failed_nodes: false}",
        # They always do; to be told not to is an error.
        {target: Use("", "resilience: {replace_failed_nodes: true}") for target in (PC, PCS)},
    ),
    "resilience.auto-resume": Use("", "resilience: {auto_resume: true}"),
}
