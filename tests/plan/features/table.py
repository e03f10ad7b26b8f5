"""The features: for each, a spec that uses it, the same without it, and what shows it in the files.

A use is a pair of fragments over :data:`BASE`: the first makes room for the feature (the right kind
of instance, a queue to set), the second, laid over it, asks for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from clustergen.checking.compiler import Checked
from tests.plan.features.evidence import BATCH, EKS, HP, HPE, NAMES, PC, PCS, Cells
from tests.plan.features.shown import cells
from tests.support.checking import check

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


def _p5(fields: str) -> str:
    """The same on instances with EFA, GPUs and local disks."""
    return _group(f"instance_type: p5.48xlarge, {fields}")


def _queue(fields: str) -> str:
    return f"queues: [{{name: train, node_groups: [nodes], {fields}}}]"


def _storage(fields: str) -> str:
    return f"storage: [{{mount: /data, {fields}}}]"


_MANAGED = "slurm: {accounting: managed}\nlogin: {}"
_HELD = "cr-0a1b2c3d4e5f67890"
_RESERVED = "arn:aws:resource-groups:us-east-1:111122223333:group/held"
_PLAN = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan"
_PLANNED = f"capacity: {{training_plan: '{_PLAN}'}}"
_BLOCK = f"capacity: {{capacity_block: {_HELD}}}"
_SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"
_IMAGE = "image: ami-0a1b2c3d4e5f67890"
_P5 = _group("instance_type: p5.48xlarge")
_TRN1, _INF2 = "instance_type: trn1.32xlarge", "instance_type: inf2.8xlarge"
_TWO_TYPES = _group("instance_type: null, instance_types: [m7i.4xlarge, m6i.4xlarge]")
_ARM = "node_groups: [{name: arm, instance_type: m7g.4xlarge, count: 2}]"
_KARPENTER = "kubernetes: {autoscaler: karpenter}"
_PROMETHEUS = "monitoring: {metrics: managed-prometheus}"
_SSD = "type: fsx-lustre, size: 38400GiB, throughput: 250"
_LUSTRE = _storage(_SSD)
_LINK = "{path: /in, s3: 's3://my-bucket/in'}"
_TIERED = """type: fsx-lustre, storage_class: intelligent-tiering, throughput: 4000,
  metadata_iops: 6000, read_cache: 4800GiB"""
_BURSTING = "type: efs, throughput_mode: bursting"
_ONTAP = """type: fsx-ontap, existing: {id: fs-0a1b2c3d4e5f67892,
  dns_name: svm-0a1b2c3d4e5f67892.fs-0a1b2c3d4e5f67892.fsx.us-east-1.amazonaws.com,
  volume_id: fsvol-0a1b2c3d4e5f67892}"""
_CLOSED = "network: {internet: none}"
_DATABASE = f"slurm: {{accounting: {{endpoint: db.example.com, secret: '{_SECRET}'}}}}"
_REGISTRY = "software: {registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror}"
_ECR_IMAGE = "targets: {batch: {image: '111122223333.dkr.ecr.us-east-1.amazonaws.com/train:1'}}"
_POLICY = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"
_SCRIPT = "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [compute]%s}]}"
_KEY = "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"
_PROFILE = "arn:aws:iam::111122223333:instance-profile/nodes"
_ROLE = "arn:aws:iam::111122223333:role/nodes"
_VPC_THERE = """\
network:
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f67892, zone: use1-az6}
    - {id: subnet-0a1b2c3d4e5f67893, zone: use1-az2}
"""
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


def _over(without: str, uses: str, **others: str | Use) -> Use:
    """A use; some targets need another spec without it, or a use of their own."""
    own = {
        NAMES[target.upper()]: Use(other, uses) if isinstance(other, str) else other
        for target, other in others.items()
    }
    return Use(without, uses, own)


def _ending(capacity: str) -> str:
    return _group(capacity.replace("}", ", ends: '2026-12-17T11:30:00Z'}"))


_PLAN_ENDS = Use(_p5(_PLANNED), _ending(_PLANNED))


def _scaled(count: str, before: str) -> Use:
    use = Use(_group(f"count: {before}"), _group(f"count: {count}"))
    karpenter = Use(f"{use.without}\n{_KARPENTER}", use.uses)
    return Use(use.without, use.uses, {HPE: karpenter, EKS: karpenter})


def _mixed() -> Use:
    """HyperPod has a minimum where Karpenter does not scale the group."""
    use = _scaled("{min: 1, max: 2}", "{min: 0, max: 2}")
    fixed = Use(_group("count: 2"), _group("count: {min: 1, max: 2}"))
    return Use(use.without, use.uses, {**use.others, HPE: fixed})


def _ultraserver() -> Use:
    """In place of another kind of node that is bought in the same way."""
    other = f"{_VPC}head_node: {{instance_type: m7g.4xlarge}}\n"
    other += _group("instance_type: p6-b200.48xlarge, count: 18")
    ultra = _group("instance_type: p6e-gb200.36xlarge")
    planned = Use(f"{other[:-2]}, {_PLANNED}}}]", ultra)
    # Its head node has the architecture of the others.
    block, arm = f"{other[:-2]}, {_BLOCK}}}]", "head_node: {instance_type: m7g.4xlarge}\n"
    same = Use(block.replace("m7g", "m7i"), f"{arm}{ultra}")
    return Use(block, ultra, {HP: planned, HPE: planned, PC: same})


@dataclass(frozen=True, slots=True)
class Row:
    """How a spec asks for a feature, and what shows it.

    ``evidence`` has every target that supports the feature in full, and no other.
    """

    use: Use
    evidence: Cells


# A fragment alone has the base before it.
_USES: Mapping[str, Use | str] = {
    "capacity.on-demand": _over(
        _group("capacity: spot"), _group("capacity: on-demand"), hp=_p5(_PLANNED)
    ),
    "capacity.spot": _group("capacity: spot"),
    "capacity.reservation": _group(f"capacity: {{reservation: {_HELD}}}"),
    "capacity.reservation-group": _group(f"capacity: {{reservation_group: '{_RESERVED}'}}"),
    "capacity.block": Use(_P5, _group(_BLOCK)),
    "capacity.interruptible": _group(f"capacity: {{interruptible_reservation: {_HELD}}}"),
    "capacity.training-plan": Use(_P5, _group(_PLANNED)),
    "capacity.dates": Use(_p5(_BLOCK), _ending(_BLOCK), {HP: _PLAN_ENDS, HPE: _PLAN_ENDS}),
    "instances.ultraserver": _ultraserver(),
    # The default image of PCS has no Neuron driver.
    "instances.trainium": _over(
        _P5, _group(_TRN1), pcs=Use(_p5(_IMAGE), _group(f"{_TRN1}, {_IMAGE}"))
    ),
    "instances.inferentia": _over(
        "", _group(_INF2), pcs=Use(_group(_IMAGE), _group(f"{_INF2}, {_IMAGE}"))
    ),
    "instances.hpc": Use(_group("efa: false"), _group("instance_type: hpc7a.96xlarge")),
    "instances.several-types": _TWO_TYPES,
    "instances.mixed-architecture": _ARM,
    "network.efa": Use(_p5("placement: cluster, efa: false"), _group("efa: true")),
    "network.efa-layout": Use(
        _P5,
        _group("efa_layout: efa"),
        dict.fromkeys((PC, PCS), Use(_P5, _group("efa_layout: efa-only"))),
    ),
    "network.no-internet": _over(
        "network: {internet: nat}",
        _CLOSED,
        batch=Use(_ECR_IMAGE, f"{_CLOSED}\n{_ECR_IMAGE}"),
        eks=Use(_REGISTRY, f"{_CLOSED}\n{_REGISTRY}"),
        hpe=Use(_REGISTRY, f"{_CLOSED}\n{_REGISTRY}"),
    ),
    "placement.cluster": _group("placement: cluster"),
    "placement.existing": _group("placement: {group: my-group}"),
    "nodes.smt": Use(_group("threads_per_core: 1"), _group("threads_per_core: 2")),
    "nodes.image": _group("image: ami-0a1b2c3d4e5f67890"),
    "nodes.iam": _group(f"iam: {{policies: ['{_POLICY}']}}"),
    "nodes.unencrypted": _group("root_volume: {encrypted: false}"),
    "nodes.volume-key": _group(f"root_volume: {{kms_key: '{_KEY}'}}"),
    "nodes.volume-kept": _group("root_volume: {on_delete: retain}"),
    "head.volume-kept": Use("head_node: {}", "head_node: {root_volume: {on_delete: retain}}"),
    "nodes.tags": _group("tags: {team: blue}"),
    "nodes.instance-profile": _group(f"iam: {{instance_profile: '{_PROFILE}'}}"),
    "nodes.desired": Use(
        _group("count: {min: 1, max: 4}"), _group("count: {min: 1, max: 4, desired: 2}")
    ),
    "nodes.accelerator-taint": Use(_P5, _p5("accelerator_taint: false")),
    "nodes.role": _group(f"iam: {{role: '{_ROLE}'}}"),
    "nodes.security-groups": _group("security_groups: [sg-0a1b2c3d4e5f67899]"),
    "nodes.subnets": Use(_VPC_THERE, _group("subnets: [subnet-0a1b2c3d4e5f67899]")),
    "nodes.zone": _group("zone: use1-az4"),
    "nodes.ssh-sources": Use("login: {}", "login: {ssh_from: pl-0a1b2c3d4e5f67890}"),
    "nodes.allocation": _over(
        _TWO_TYPES,
        _group("allocation: prioritized"),
        pcs=Use(_group("capacity: spot"), _group("allocation: lowest-price")),
        batch=Use(_TWO_TYPES, _group("allocation: lowest-price")),
    ),
    "nodes.service-name": _group("service_name: cpu"),
    "head.smt": Use("head_node: {}", "head_node: {threads_per_core: 1}"),
    "login.smt": Use("login: {}", "login: {threads_per_core: 1}"),
    "storage.name": Use(_storage("type: efs"), _storage("type: efs, name: corpus")),
    "storage.by-cluster": Use(_storage(_BURSTING), _storage(f"{_BURSTING}, created_by: cluster")),
    "nodes.scratch": Use(_P5, _group("scratch: /scratch")),
    "nodes.mig": _over(_P5, _group("mig: {1g.10gb: 7}"), pcs=f"{_P5}\nslurm: {{version: '26.05'}}"),
    "nodes.labels": _group("labels: {team: blue}"),
    "nodes.taints": _group("taints: [{key: team, value: blue, effect: NoSchedule}]"),
    "nodes.slurm-settings": _group("slurm: {Weight: 10}"),
    "nodes.scaling": _scaled("{min: 0, max: 2}", "2"),
    "nodes.mixed-scaling": _mixed(),
    "health.gpu": Use(_P5, _group("health_checks: [gpu]")),
    "health.deep": Use(_P5, _group("health_checks: [instance-stress]")),
    "head.node": "head_node: {instance_type: m7i.8xlarge}",
    "login.nodes": "login: {instance_type: m7i.2xlarge}",
    "queues.slurm-settings": Use(_queue("default: true"), _queue("slurm: {GraceTime: 60}")),
    "queues.shared-groups": Use(
        _queue("default: true"), "queues: [{name: debug, node_groups: [nodes]}]"
    ),
    "queues.parts": Use(
        "queues: [{name: train, node_groups: [nodes]}, {name: debug, node_groups: [nodes]}]",
        "queues: [{name: debug, node_groups: [nodes], nodes: {nodes: 1}}]",
    ),
    "storage.lustre": _LUSTRE,
    "storage.lustre-efa": Use(f"{_P5}\n{_LUSTRE}", _storage(f"{_SSD}, efa: true")),
    "storage.lustre-metadata": Use(_LUSTRE, _storage(f"{_SSD}, metadata_iops: 6000")),
    "storage.intelligent-tiering": Use(_storage(f"{_SSD}, metadata_iops: 6000"), _storage(_TIERED)),
    "storage.data-repositories": Use(_LUSTRE, _storage(f"{_SSD}, data_repositories: [{_LINK}]")),
    "storage.openzfs": _storage("type: fsx-openzfs, size: 512GiB, throughput: 160"),
    "storage.ontap": _storage(_ONTAP),
    "storage.efs": _storage("type: efs"),
    "storage.ebs": _storage("type: ebs, size: 500GiB"),
    "storage.bucket": _storage("type: s3, bucket: 's3://my-bucket/in'"),
    "storage.file-cache": _storage(
        "type: file-cache, existing: {id: fc-0a1b2c3d4e5f67893, mount_name: hgfedcba}"
    ),
    "software.pyxis": "software: {containers: pyxis}",
    "software.docker": "software: {containers: docker}",
    "software.registry": _REGISTRY,
    "software.scripts": "software: {scripts: [{run: 's3://my-bucket/setup.sh'}]}",
    "software.scripts-failure": Use(_SCRIPT % "", _SCRIPT % ", on_failure: continue"),
    "software.scripts-every-boot": Use(_SCRIPT % "", _SCRIPT % ", every_boot: true"),
    "software.scripts-updated": Use(
        "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [head]}]}",
        "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [head], when: updated}]}",
    ),
    "users": "users: [{name: alice, uid: 2001}]",
    "slurm.version": Use(
        "", "slurm: {version: '25.05'}", {PC: Use("", "slurm: {version: '25.11'}")}
    ),
    "slurm.accounting-managed": "slurm: {accounting: managed}",
    "slurm.accounting-database": _DATABASE,
    "slurm.accounts": _over(
        f"{_DATABASE}\nlogin: {{}}", "slurm: {accounts: [{name: vision}]}", pcs=_MANAGED
    ),
    "slurm.idle-timeout": "slurm: {idle_timeout: 20m}",
    "slurm.idle-never": Use("slurm: {idle_timeout: 20m}", "slurm: {idle_timeout: never}"),
    "slurm.settings": "slurm: {settings: {SchedulerParameters: defer}}",
    "slurm.slurmdbd-settings": _over(
        "",
        "slurm: {slurmdbd_settings: {PurgeJobAfter: 12months}}",
        pcs="slurm: {accounting: managed}",
    ),
    "slurm.cgroup-settings": "slurm: {cgroup_settings: {ConstrainRAMSpace: 'yes'}}",
    "kubernetes": Use("", "kubernetes: {version: '1.34'}", {HPE: Use("", _KARPENTER)}),
    "monitoring.prometheus": "monitoring: {metrics: managed-prometheus}",
    "monitoring.cloudwatch-dashboard": Use(
        "monitoring: {dashboards: none}", "monitoring: {dashboards: cloudwatch}"
    ),
    "monitoring.self-hosted": "monitoring: {metrics: self-hosted}",
    "monitoring.cloudwatch-metrics": "monitoring: {metrics: cloudwatch}",
    "monitoring.alerts": _over(
        _PROMETHEUS,
        "monitoring: {alerts: {email: [on-call@example.com]}}",
        batch="monitoring: {metrics: cloudwatch}",
    ),
    "monitoring.grafana": Use(_PROMETHEUS, "monitoring: {dashboards: managed-grafana}"),
    "monitoring.grafana-files": Use(_PROMETHEUS, "monitoring: {dashboards: grafana-files}"),
    "monitoring.log-retention": "monitoring: {log_retention: 90d}",
    "resilience.replace": Use(
        "",
        "resilience: {replace_failed_nodes: false}",
        # They always do; a spec that disables it is an error.
        dict.fromkeys((PC, PCS, BATCH), Use("", "resilience: {replace_failed_nodes: true}")),
    ),
    "resilience.auto-resume": "resilience: {auto_resume: true}",
}
_SHOWN = cells(
    HELD=_HELD,
    RESERVED=_RESERVED,
    SECRET=_SECRET,
    POLICY=_POLICY,
    KEY=_KEY,
    PROFILE=_PROFILE,
    ROLE=_ROLE,
)
assert _SHOWN.keys() == _USES.keys()
TABLE: Mapping[str, Row] = {
    feature: Row(Use("", use) if isinstance(use, str) else use, _SHOWN[feature])
    for feature, use in _USES.items()
}
