"""A row for every field of the plan: which value of the spec to change, and to what.

The name of a row is the field's place in the plan. A row changes what its field holds and no more
than it has to. Where a field needs other values beside it, ``given`` sets those first, in the spec
before the change as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clustergen.base.text_lists import words
from tests.plan.features.evidence import BATCH, EKS, HP, HPE, PC, PCS
from tests.plan.features.modes import Mode, Values
from tests.support.tables import flow


@dataclass(frozen=True, slots=True)
class Change:
    """Values to set, by their path in the spec.

    ``others`` are the modes, by a word of their name, that need other values.
    """

    values: Values
    given: Values = field(default_factory=dict)
    others: Mapping[str, Change] = field(default_factory=dict)

    def on(self, mode: Mode) -> Change:
        found = (change for word, change in self.others.items() if word in mode.words)
        return next(found, self)


def _set(path: str, value: Any, given: Values | None = None, **others: Any) -> Change:
    """Another value of one path; ``others`` are values for some modes."""
    here = given or {}
    return Change(
        {path: value},
        here,
        {word.replace("_", "-"): Change({path: other}, here) for word, other in others.items()},
    )


def _rows(
    section: str, table: str, given: Values | None = None, at: str = ""
) -> dict[str, list[Change]]:
    """Rows of fields that have their name in the spec as well: other values, in YAML.

    ``at`` is the place of their section in the spec, if it is another one.
    """
    return {
        f"{section}.{name}": [_set(f"{at or section}.{name}", value, given)]
        for name, value in flow(table).items()
    }


_ARN = "arn:aws:{}:us-east-1:111122223333:{}"
_KEY = _ARN.format("kms", "key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f678{}")
_CR = "cr-0a1b2c3d4e5f6789{}"
_SECRET = _ARN.format("secretsmanager", "secret:slurm-AbCdE{}")


def _group(name: str, value: Any, given: Values | None = None, **others: Any) -> Change:
    return _set(f"node_groups.0.{name}", value, given, **others)


_CAPACITY = "node_groups.0.capacity"
_BOUGHT = {
    **dict.fromkeys(("reservation", "capacity_block", "interruptible_reservation"), _CR),
    "reservation_group": _ARN.format("resource-groups", "group/held-{}"),
    "training_plan": _ARN.format("sagemaker", "training-plan/plan-{}"),
}
"""The ways to buy capacity, with ids of it."""


def _dated(name: str) -> list[Change]:
    """The same capacity starts or ends a week later."""
    first, second = ({name: f"2026-12-{day}T11:30:00Z"} for day in (10, 17))
    bought = ({kind: _BOUGHT[kind].format(0)} for kind in ("capacity_block", "training_plan"))
    return [Change({_CAPACITY: one | second}, {_CAPACITY: one | first}) for one in bought]


_ONE_TYPE: Values = {
    "node_groups.0.instance_type": None,
    "node_groups.0.instance_types": ["m7i.4xlarge"],
    "node_groups.0.mig": {},
}
_ONE_TO_THREE = {"min": 1, "max": 3}
_THREADS = {"node_groups.0.threads_per_core": 2}
_TAINTED = {"node_groups.0.taints": [{"key": "team", "value": "blue"}]}

_POLICY = _ARN.replace("us-east-1:111122223333", ":aws").format("iam", "policy/{}")
_ROLES = "arn:aws:iam::111122223333:{}/nodes"
_IAM = {
    "policies": [_POLICY.format("AmazonS3ReadOnlyAccess")],
    "role": _ROLES.format("role"),
    "instance_profile": _ROLES.format("instance-profile"),
}
_OTHER_GROUP = "sg-0a1b2c3d4e5f67899"


def _own_access(name: str, section: str, given: Values | None = None) -> dict[str, list[Change]]:
    """What head, login or compute nodes may do and reach; ``section`` is their path."""
    here = given or {}
    subnets = "subnet" if name == "head" else "subnets"
    there = _set(f"{section}.{subnets}", _SUBNETS[name], {**_EXISTING_VPC, **here})
    return {
        f"{name}.subnets": [there],
        f"{name}.security_groups": [_set(f"{section}.security_groups", [_OTHER_GROUP], here)],
        **{f"{name}.iam.{k}": [_set(f"{section}.iam", {k: v}, here)] for k, v in _IAM.items()},
    }


def _granted(name: str, section: str) -> dict[str, list[Change]]:
    """What head and compute nodes may read and write in S3."""
    read = {f"{section}.iam": {"s3": [{"uri": "s3://my-bucket/in"}]}}
    return {
        f"{name}.iam.s3.uri": [_set(f"{section}.iam.s3.0.uri", "s3://my-bucket/out", read)],
        f"{name}.iam.s3.write": [_set(f"{section}.iam.s3.0.write", True, read)],
    }


_LARGE = {"size": "500GiB", "iops": 4000}
_VOLUMES: Mapping[str, tuple[str, Any, Values]] = {
    "size_gib": ("size", "600GiB", _LARGE),
    "type": ("type", "io1", {"size": "500GiB", "type": "io2", "iops": 3000}),
    "iops": ("iops", 5000, _LARGE),
    "throughput": ("throughput", 250, _LARGE),
    "encrypted": ("encrypted", False, _LARGE),
    "kms_key": ("kms_key", _KEY.format(0), _LARGE),
    "retain": ("on_delete", "retain", _LARGE),
}


def _volume(name: str, section: str, given: Values) -> dict[str, list[Change]]:
    """The root volume of nodes; ``section`` is their path."""
    return {
        f"{name}.volume.{field}": [
            _set(f"{section}.root_volume.{key}", value, {**given, f"{section}.root_volume": v})
        ]
        for field, (key, value, v) in _VOLUMES.items()
    }


_ELSEWHERE = "subnet-0a1b2c3d4e5f67899"
_SUBNETS = {"head": _ELSEWHERE, "login": [_ELSEWHERE], "node_groups": [_ELSEWHERE]}
_EXISTING_VPC = flow("""
network:
  zone: use1-az6
  vpc: vpc-0a1b2c3d4e5f67890
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
  control_plane_subnets: [{id: subnet-0a1b2c3d4e5f67892, zone: use1-az6},
    {id: subnet-0a1b2c3d4e5f67893, zone: use1-az2}]
""")

_NODE_GROUPS = {
    **_rows(
        "node_groups",
        """
        {name: other, accelerator_taint: false, image: ami-0a1b2c3d4e5f67890, zone: use1-az4,
         tags: {team: blue}, scratch: /scratch, labels: {team: blue}, slurm: {Weight: 10},
         allocation: capacity-optimized, service_name: cpu}
        """,
        at="node_groups.0",
    ),
    "node_groups.types": [
        _group("instance_type", "p4d.24xlarge", mig="p5.4xlarge"),
        _group("instance_types", ["m7i.4xlarge", "m6i.4xlarge"], _ONE_TYPE),
    ],
    "node_groups.min": [_group("count", {"min": 1, "max": 2})],
    "node_groups.desired": [
        _group("count", {"min": 1, "max": 3, "desired": 2}, {"node_groups.0.count": _ONE_TO_THREE})
    ],
    "node_groups.max": [_group("count", 3, karpenter={"min": 0, "max": 3})],
    "node_groups.capacity.kind": [
        _group("capacity", "spot"),
        *(_set(_CAPACITY, {kind: id.format(0)}) for kind, id in _BOUGHT.items()),
    ],
    "node_groups.capacity.id": [
        Change({_CAPACITY: {kind: id.format(1)}}, {_CAPACITY: {kind: id.format(0)}})
        for kind, id in _BOUGHT.items()
    ],
    "node_groups.capacity.starts": _dated("starts"),
    "node_groups.capacity.ends": _dated("ends"),
    "node_groups.efa": [_group("efa", False, one_node=True)],
    "node_groups.efa_layout": [
        _group("efa_layout", "efa", None, **dict.fromkeys((PCS, HP, HPE), "efa-only"))
    ],
    "node_groups.placement.kind": [
        _group("placement", "cluster", {"node_groups.0.placement": "none"}),
        _group("placement", {"group": "held"}, {"node_groups.0.placement": "none"}),
    ],
    "node_groups.placement.group": [
        _group("placement", {"group": "held-1"}, {"node_groups.0.placement": {"group": "held-0"}})
    ],
    "node_groups.threads_per_core": [_group("threads_per_core", 1, _THREADS)],
    **_volume("node_groups", "node_groups.0", {}),
    "node_groups.mig": [
        _group("mig", {"1g.10gb": 7}, mig={"2g.20gb": 3}),
        # PCS sets Slurm up for partitions from this version on.
        _group("mig", {"1g.10gb": 7}, {"slurm.version": "26.05"}, mig={"2g.20gb": 3}),
    ],
    "node_groups.health_checks": [
        _group("health_checks", [name])
        for name in words("gpu instance-stress instance-connectivity multi-node")
    ],
    **_rows(
        "node_groups.taints",
        "{key: crew, value: red, effect: NoExecute}",
        _TAINTED,
        "node_groups.0.taints.0",
    ),
    **_own_access("node_groups", "node_groups.0"),
    **_granted("node_groups", "node_groups.0"),
}

_SECOND = {"name": "second", "instance_type": "m7i.4xlarge", "count": 1}
_TRAIN = {"name": "train", "node_groups": ["nodes"]}
_QUEUED = {
    "node_groups.1": _SECOND,
    "queues": [_TRAIN, {"name": "debug", "node_groups": ["second"]}],
}
_DIVIDED = {
    "queues": [_TRAIN, {"name": "debug", "node_groups": ["nodes"], "nodes": {"nodes": "1"}}]
}

_QUEUES = {
    **_rows(
        "queues",
        "{name: other, time_limit: 7d, priority: 10, exclusive: true, slurm: {GraceTime: 60}}",
        _QUEUED,
        "queues.0",
    ),
    "queues.node_groups": [
        Change({"queues.0.node_groups": ["second"], "queues.1.node_groups": ["nodes"]}, _QUEUED)
    ],
    "queues.default": [_set("queues.1.default", True, _QUEUED)],
    "queues.nodes": [_set("queues.1.nodes", {"nodes": "2"}, _DIVIDED)],
}

_NEW: Mapping[str, Values] = flow("""
Lustre: {mount: /data, type: fsx-lustre, size: 38400GiB, throughput: 250}
OpenZfs: {mount: /data, type: fsx-openzfs, size: 512GiB, throughput: 160}
Efs: {mount: /data, type: efs}
Ebs: {mount: /data, type: ebs, size: 500GiB}
Bucket: {mount: /data, type: s3, bucket: 's3://my-bucket/in'}
""")
_VOLUME = "fsvol-0a1b2c3d4e5f67899"
_ATTACHED: Mapping[str, Values] = flow("""
Lustre: {mount: /data, type: fsx-lustre, existing: {id: fs-0a1b2c3d4e5f67890, mount_name: abcdefgh}}
OpenZfs: {mount: /data, type: fsx-openzfs, existing: {id: fs-0a1b2c3d4e5f67890,
  volume_id: fsvol-0a1b2c3d4e5f67890}}
Ontap: {mount: /data, type: fsx-ontap, existing: {id: fs-0a1b2c3d4e5f67890,
  dns_name: svm-0a1b2c3d4e5f67890.fs-0a1b2c3d4e5f67890.fsx.us-east-1.amazonaws.com,
  volume_id: fsvol-0a1b2c3d4e5f67890}}
FileCache: {mount: /data, type: file-cache, existing: {id: fc-0a1b2c3d4e5f67890,
  mount_name: abcdefgh}}
Efs: {mount: /data, type: efs, existing: {id: fs-0a1b2c3d4e5f67890}}
Ebs: {mount: /data, type: ebs, existing: {id: vol-0a1b2c3d4e5f67890}}
""")


def _new(kind: str, name: str, value: Any, **given: Any) -> Change:
    """A setting of new storage of a kind, which has ``given`` settings as well."""
    return _set(f"storage.0.{name}", value, {"storage": [{**_NEW[kind], **given}]})


def _attached(kind: str, name: str, value: Any) -> Change:
    return _set(f"storage.0.{name}", value, {"storage": [_ATTACHED[kind]]})


def _every(kind: str) -> dict[str, list[Change]]:
    """What storage of every kind has."""
    made = [_new] if kind in _NEW else []
    attached = [_attached] if kind in _ATTACHED else []
    rows = {"mount": [change(kind, "mount", "/other") for change in (*made, *attached)]}
    rows["name"] = [change(kind, "name", "corpus") for change in (*made, *attached)]
    if kind in ("Lustre", "Efs"):
        # ParallelCluster creates no EFS with elastic throughput.
        given = {"throughput_mode": "bursting"} if kind == "Efs" else {}
        rows["by_cluster"] = [_new(kind, "created_by", "cluster", **given)]
    if attached and kind != "Ontap":
        prefix = {"Ebs": "vol", "FileCache": "fc"}.get(kind, "fs")
        rows["id"] = [_attached(kind, "existing.id", f"{prefix}-0a1b2c3d4e5f67899")]
    if made and attached:
        rows["existing"] = [Change({"storage": [_ATTACHED[kind]]}, {"storage": [{**_NEW[kind]}]})]
    if made and kind != "Bucket":
        rows["retain"] = [_new(kind, "on_delete", "delete")]
        rows["kms_key"] = [_new(kind, "kms_key", _KEY.format(1))]
    if kind in ("Lustre", "OpenZfs", "Efs"):
        before = "35d" if kind == "Efs" else "7d"
        rows["backup_days"] = [_new(kind, "backups", before)]
    return {f"storage.{kind}.{name}": changes for name, changes in rows.items()}


_CHANGES: Mapping[str, Mapping[str, list[Any]]] = flow("""
Lustre:
  size_gib: [size, 40800GiB]
  throughput: [throughput, 500]
  metadata_iops: [metadata_iops, auto, {metadata_iops: 6000}]
  efa: [efa, true, {metadata_iops: 6000}]
  compression: [compression, none]
  drive_cache: [drive_cache, true, {size: 12000GiB, storage_class: hdd, throughput: 12}]
  read_cache_gib: [read_cache, 4800GiB, {size: null, storage_class: intelligent-tiering,
    throughput: 4000, metadata_iops: 6000}]
  repositories.path: [data_repositories.0.path, /x, &linked {data_repositories: [
    {path: /in, s3: 's3://my-bucket/in'}]}]
  repositories.s3: [data_repositories.0.s3, 's3://my-bucket/other', *linked]
  repositories.imports: [data_repositories.0.import, [new], *linked]
  repositories.exports: [data_repositories.0.export, [new], *linked]
  import_from: [import_from, 's3://my-bucket/in', {size: 1200GiB, deployment: scratch-2,
    throughput: null}]
  export_to: [export_to, 's3://my-bucket/out', {size: 1200GiB, deployment: scratch-2,
    throughput: null, import_from: 's3://my-bucket'}]
OpenZfs: {deployment: [deployment, single-az-ha-2], size_gib: [size, 1024GiB],
  throughput: [throughput, 320], iops: [iops, 4096], compression: [compression, zstd]}
Efs:
  throughput_mode: [throughput_mode, bursting]
  throughput: [throughput, 256, {throughput_mode: provisioned, throughput: 128}]
  encrypted: [encrypted, false]
Ebs:
  volume.size_gib: [size, 600GiB]
  volume.type: [volume_type, io1, {volume_type: io2, iops: 3000}]
  volume.iops: [iops, 5000, {iops: 4000}]
  volume.throughput: [throughput, 250, {iops: 4000}]
  encrypted: [encrypted, false]
  snapshot: [snapshot, snap-0a1b2c3d4e5f67890]
  ends_as_snapshot: [on_delete, snapshot]
  raid.level: [raid.level, 1, {raid: {level: 0}}]
  raid.volumes: [raid.volumes, 3, {raid: {level: 0}}]
Bucket: {bucket: [bucket, 's3://other-bucket/in'], prefix: [bucket, 's3://my-bucket/out'],
  read_only: [read_only, false]}
""")
"""Settings of new storage: by field, its name in the spec, another value, and what it needs."""

_SCRATCH = {"deployment": "scratch-1", "size": "7200GiB", "throughput": None}
_STORAGE = {
    **{
        f"storage.{kind}.{field}": [_new(kind, *change[:2], **dict(*change[2:]))]
        for kind, changes in _CHANGES.items()
        for field, change in changes.items()
    },
    **_every("Lustre"),
    **{
        f"storage.{kind}.dns_name": [_attached(kind, "existing.dns_name", name)]
        for kind, name in {
            **dict.fromkeys(("Lustre", "OpenZfs", "Efs"), "fs-0a1b2c3d4e5f67890.example.com"),
            "FileCache": "fc-0a1b2c3d4e5f67890.example.com",
            "Ontap": "svm-0a1b2c3d4e5f67899.fs-0a1b2c3d4e5f67890.fsx.us-east-1.amazonaws.com",
        }.items()
    },
    "storage.Lustre.mount_name": [_attached("Lustre", "existing.mount_name", "hgfedcba")],
    "storage.Lustre.deployment": [
        _new("Lustre", "deployment", "scratch-2", **_SCRATCH),
        _new("Lustre", "deployment", "persistent-1", throughput=None),
    ],
    "storage.Lustre.storage_class": [
        Change(
            {"storage.0.storage_class": "intelligent-tiering", "storage.0.size": None},
            {"storage": [{**_NEW["Lustre"], "throughput": None}]},
        ),
        _new("Lustre", "storage_class", "hdd", size="12000GiB", throughput=None),
    ],
    **_every("OpenZfs"),
    "storage.OpenZfs.volume": [_attached("OpenZfs", "existing.volume_id", _VOLUME)],
    **_every("Ontap"),
    "storage.Ontap.volume": [_attached("Ontap", "existing.volume_id", _VOLUME)],
    **_every("FileCache"),
    "storage.FileCache.mount_name": [_attached("FileCache", "existing.mount_name", "hgfedcba")],
    **_every("Efs"),
    "storage.Efs.one_zone": [
        _set("storage.0.one_zone", True, {"storage": [_NEW["Efs"]], "network.zone": "us-east-1a"})
    ],
    **_every("Ebs"),
    **_every("Bucket"),
}

_OWN_IMAGE = {"node_groups.0.image": "ami-0a1b2c3d4e5f67890"}
_SCRIPT = {"software.scripts": [{"run": "s3://my-bucket/own.sh"}], "node_groups.1": _SECOND}
_LOGIN = {"login": {"count": 1}}
_OF_ALL = {**_SCRIPT, **_LOGIN}
_ALICE = {"users": [{"name": "alice", "uid": 2001}]}


def _script(name: str, value: Any, given: Values | None = None) -> Change:
    return _set(f"software.scripts.0.{name}", value, {**_OF_ALL, **(given or {})})


_SOFTWARE = {
    "software.os": [
        Change(
            {"software.os": "alinux2023"},
            _OWN_IMAGE,
            {
                **{word: Change({"software.os": "ubuntu2204"}) for word in (HPE, EKS, BATCH)},
                "joined": Change({"software.os": "alinux2023"}),
            },
        )
    ],
    "software.containers": [_set("software.containers", name) for name in ("pyxis", "docker")],
    "software.scripts.url": [_script("run", "s3://my-bucket/other.sh")],
    "software.scripts.on": [
        _script("on", ["head"]),
        _script("on", ["login"]),
        _script("on", ["compute", "head"], {"software.scripts.0.on": ["compute"]}),
        _script("on", ["compute", "login"], {"software.scripts.0.on": ["compute"]}),
    ],
    "software.scripts.when": [
        Change(
            {"software.scripts.0.when": "start"},
            _OF_ALL,
            {
                EKS: _script("when", "configured", {"software.scripts.0.when": "start"}),
                # Before or after file systems are mounted.
                BATCH: _script("when", "start", {"storage": [_NEW["Efs"]]}),
            },
        ),
        _script("when", "updated", {"software.scripts.0.on": ["head"]}),
    ],
    **_rows(
        "software.scripts",
        "{on_failure: continue, every_boot: true, args: [--fast], node_groups: [nodes]}",
        _OF_ALL,
        "software.scripts.0",
    ),
    "software.scripts.sha256": [_script("sha256", "a" * 64)],
    **_rows("users", "{name: bob, uid: 2002, ssh_key: ssh-ed25519 AAAA a}", _ALICE, "users.0"),
}

_DATABASE = {"slurm.accounting": {"endpoint": "db.example.com", "secret": _SECRET.format("e")}}
_MANAGED = {"slurm.accounting": "managed"}
_ACCOUNTS: Values = {
    **_MANAGED,
    "slurm.accounts": [{"name": "vision"}, {"name": "other"}],
    "slurm.qos": [{"name": "low"}],
}

_SLURM = {
    "slurm.accounting": [Change(_MANAGED), Change(_DATABASE)],
    **_rows(
        "slurm.accounting",
        "{endpoint: other.example.com, port: 3307, database: jobs, user: scheduler}",
        _DATABASE,
    ),
    "slurm.accounting.secret": [_set("slurm.accounting.secret", _SECRET.format("f"), _DATABASE)],
    **_rows(
        "slurm.accounts",
        "{name: robots, parent: other, fair_share: 70, users: [alice], qos: [low]}",
        _ACCOUNTS,
        "slurm.accounts.0",
    ),
    **_rows(
        "slurm.qos", "{name: high, priority: 100, preempts: [normal]}", _ACCOUNTS, "slurm.qos.0"
    ),
    "slurm.idle_timeout": [
        _set("slurm.idle_timeout", "20m"),
        _set("slurm.idle_timeout", "20m", {"node_groups.0.count": {"min": 0, "max": 2}}),
        _set("slurm.idle_timeout", "never"),
    ],
    "slurm.slurmdbd_settings": [
        _set("slurm.slurmdbd_settings", {"PurgeJobAfter": "12months"}, given)
        for given in ({}, _MANAGED, _DATABASE)
    ],
}

_ROLE = "arn:aws:iam::111122223333:role/platform"

_KARPENTER = {"kubernetes.autoscaler": "karpenter"}
_ACCESS = {"kubernetes.access": [{"principal": _ROLE}]}
_ADDON = {"kubernetes.addons": [{"name": "vpc-cni"}]}
_KUBERNETES = {
    "kubernetes.admission": [_set("kubernetes.admission", "none", no_kueue="kueue", dra="kueue")],
    "kubernetes.scheduler": [_set("kubernetes.scheduler", name) for name in ("volcano", "kai")],
    "kubernetes.autoscaler": [
        Change(
            _KARPENTER,
            others={"karpenter": _set("kubernetes.autoscaler", "none", {"node_groups.0.count": 2})},
        )
    ],
    "kubernetes.devices": [
        _set("kubernetes.devices", "dra", {"node_groups.0.mig": {}}, dra="plugin")
    ],
    "kubernetes.jobs": [_set("kubernetes.jobs", kind) for kind in ("kubeflow-trainer", "none")],
    "kubernetes.system_nodes.type": [_set("kubernetes.system_nodes.instance_type", "m7i.xlarge")],
    "kubernetes.access.principal": [Change(_ACCESS)],
    "kubernetes.access.queues": [
        _set("kubernetes.access.0.queues", ["train"], {**_QUEUED, **_ACCESS})
    ],
    "kubernetes.access.level": [_set("kubernetes.access.0.level", "view", _ACCESS)],
    "kubernetes.addons.name": [_set("kubernetes.addons", [{"name": "snapshot-controller"}])],
    **_rows(
        "kubernetes.addons",
        "{version: v1.19.2-eksbuild.1, configuration: {env: {WARM_IP_TARGET: '5'}}}",
        _ADDON,
        "kubernetes.addons.0",
    ),
}

_PROMETHEUS = {"monitoring.metrics": "managed-prometheus"}
_NOT_REPLACED = {"resilience.replace_failed_nodes": False}
_TOPIC = _ARN.format("sns", "pages")
_WORKSPACE = "ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"

_OPERATION = {
    "monitoring.dashboards": [
        _set("monitoring.dashboards", "cloudwatch"),
        _set("monitoring.dashboards", "managed-grafana", _PROMETHEUS),
    ],
    "monitoring.interval_seconds": [_set("monitoring.interval", "1m", _PROMETHEUS)],
    "monitoring.workspace": [_set("monitoring.workspace", _WORKSPACE, _PROMETHEUS)],
    "monitoring.alerts.emails": [
        _set("monitoring.alerts.email", ["on-call@example.com"], _PROMETHEUS)
    ],
    "monitoring.alerts.topic": [_set("monitoring.alerts.topic", _TOPIC, _PROMETHEUS)],
    "monitoring.log_retention_days": [_set("monitoring.log_retention", "90d")],
    "resilience.replace_failed_nodes": [
        Change(
            _NOT_REPLACED,
            others={"karpenter": _set("resilience.replace_failed_nodes", True, _NOT_REPLACED)},
        )
    ],
}


def _machine(section: str, given: Values) -> dict[str, list[Change]]:
    """Head or login nodes."""
    name = {"head_node": "head"}.get(section, section)
    return {
        f"{name}.type": [_set(f"{section}.instance_type", "m7i.8xlarge", given)],
        f"{name}.image": [_set(f"{section}.image", "ami-0a1b2c3d4e5f67890", given)],
        **_volume(name, section, given),
    }


_MACHINES = {
    **_machine("head_node", {}),
    **_machine("login", _LOGIN),
    **_rows("login", "{threads_per_core: 1, count: 2, ssh_from: 203.0.113.0/24}", _LOGIN),
    **_rows("head", "{threads_per_core: 1, ssh_from: 203.0.113.0/24}", at="head_node"),
    **_own_access("head", "head_node"),
    **_granted("head", "head_node"),
    **_own_access("login", "login", _LOGIN),
}

_ID = "0a1b2c3d4e5f6789{}"
_PUBLIC = {
    **_EXISTING_VPC,
    **_LOGIN,
    "network.ssh_from": ["203.0.113.0/24"],
    "network.public_subnets": [{"id": "subnet-" + _ID.format(1), "zone": "use1-az6"}],
}


def _vpc(name: str, value: Any, given: Values = _EXISTING_VPC) -> Change:
    return _set(f"network.{name}", value, given)


_NEW_VPC = {"network": {"zone": "use1-az6"}}

_NETWORK = {
    "network.vpc": [_vpc("vpc", "vpc-" + _ID.format(9))],
    "network.new": [Change(_EXISTING_VPC, _NEW_VPC)],
    **_rows("network", "{zone: use1-az4, internet: none, cidr: 10.43.0.0/16}", _NEW_VPC),
    "network.private.id": [_vpc("private_subnets.0.id", _ELSEWHERE)],
    "network.public.id": [_vpc("public_subnets.0.id", _ELSEWHERE, _PUBLIC)],
    "network.control_plane.id": [_vpc("control_plane_subnets.0.id", _ELSEWHERE)],
    "network.node_security_groups": [_vpc("security_groups", ["sg-" + _ID.format(0)])],
    "network.ssh_from": [_set("network.ssh_from", ["203.0.113.0/24"], _LOGIN)],
}

_CLUSTER = _ARN.format("eks", "cluster/other")
_RETAIN = {"Resources": {"Cluster": {"DeletionPolicy": "Retain"}}}
_RETAINED = {
    name: Change({f"targets.{name}.overlay": value})
    for name, value in ((PCS, _RETAIN), (EKS, _RETAIN), (HP, {"Tags": []}), (HPE, {"Tags": []}))
}

_OREGON = {"region": "us-west-2", "network.zone": "usw2-az2"}
_SUBNET_OF_OREGON = {
    "network.private_subnets.0.zone": "usw2-az2",
    "targets.hyperpod-eks.eks_cluster": _CLUSTER.replace("east-1", "west-2"),
}
_MONITORED = {f"targets.{PC}.overlay": {"Monitoring": {"DetailedMonitoring": True}}}

_ALONE = {
    field: [_set(field, value)]
    for field, value in flow("""
{name: other, foundation: other, permissions_boundary: 'arn:aws:iam::aws:policy/Boundary',
 tags: {team: blue}, software.registry: 111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror,
 slurm.version: '25.05', slurm.settings: {SchedulerParameters: defer},
 slurm.cgroup_settings: {ConstrainRAMSpace: 'yes'}, kubernetes.version: '1.34',
 kubernetes.system_nodes.count: 3, kubernetes.support: standard,
 kubernetes.admins: ['arn:aws:iam::111122223333:role/platform'],
 kubernetes.public_endpoint_from: [203.0.113.0/24], monitoring.metrics: managed-prometheus,
 resilience.auto_resume: true}
""").items()
}
"""Fields that have their name in the spec as well, and need nothing beside them."""

_PLAN_ITSELF = {
    "region": [Change(_OREGON, others={"existing": Change({**_OREGON, **_SUBNET_OF_OREGON})})],
    "overlay": [Change(_MONITORED, {}, _RETAINED)],
}


def _own(target: str, name: str, value: Any, given: Values | None = None, **others: Any) -> Change:
    return _set(f"targets.{target}.{name}", value, given, **others)


def _part(
    target: str, part: str, table: str, given: Values, at: str = ""
) -> dict[str, list[Change]]:
    """Rows of a part of a target's options."""
    return _rows(f"options.{target}.{part}", table, given, f"targets.{target}.{at or part}")


def _joins(target: str, given: Values, **refused: Values) -> Change:
    """An existing cluster, with which some modes do not go together."""
    path, here = f"targets.{target}.cluster", {**_EXISTING_VPC, **given}
    others = {word: Change({path: "platform", **too}, here) for word, too in refused.items()}
    return Change({path: "platform"}, here, {**others, "joined": Change({path: "research"})})


_AT_ONCE = {"targets.hyperpod-eks.provisioning": "all-at-once"}
_PATCHING = {"targets.hyperpod-eks.auto_patching": {"strategy": "drain-first", "batch": "10%"}}
_IDLE = {"targets.hyperpod-eks.auto_patching": {"strategy": "when-idle"}}


_GROUPED = {"node_groups.0.security_groups": [_OTHER_GROUP]}


_TWO_SUBNETS = {
    **_EXISTING_VPC,
    "network.private_subnets.1": {"id": "subnet-0a1b2c3d4e5f67891", "zone": "use1-az6"},
}
_SOURCE = "s3://sagemaker-setup/src"


def _lifecycle(target: str) -> Values:
    """The user's own scripts."""
    entry = "on_init_complete" if target == HP else "on_create"
    own = {"source": _SOURCE, entry: "setup.sh"}
    mode = {"targets.hyperpod-slurm.mode": "api"} if target == HP else {}
    return {**mode, f"targets.{target}.lifecycle": own}


_OWN_ON_CREATE = {
    "targets.hyperpod-slurm.mode": "customer-managed",
    "targets.hyperpod-slurm.lifecycle": {"source": _SOURCE, "on_create": "setup.sh"},
}
_FOR_TWO_CONTROLLERS = {**_DATABASE, "storage": [{**_NEW["Lustre"], "mount": "/shared"}]}
_TWO_POOLS = {
    **_EXISTING_VPC,
    **_LOGIN,
    "targets.parallelcluster.more_login_pools": [{"name": "large", "count": 1}],
}
_SECOND_POOL = "more_login_pools.0"
_OTHER_DCV = "{port: 8444, allowed_from: 203.0.113.0/24}"
_DCV = {"targets.parallelcluster.dcv": {"port": 8443}}
_LDAP = flow(f"""
targets.parallelcluster.directory: {{domain: 'dc=example,dc=com',
  address: ldaps://corp.example.com, secret: {_SECRET.format("e")},
  read_only_user: 'cn=reader,dc=example,dc=com'}}
""")

_OWN_GROUP = {"login": {"security_groups": [_OTHER_GROUP]}}

_EC2 = flow("""
{stack: research, key_name: platform, detailed_monitoring: true, imds: v1.0, imds_hops: 3}
""")
_PLAIN: Mapping[str, Values] = {
    target: {**values, **(_EC2 if target in (PCS, EKS, BATCH) else {})}
    for target, values in flow("""
parallelcluster: {key_name: platform, scaling_strategy: best-effort,
  queue_update_strategy: terminate, permissions_boundary: arn:aws:iam::aws:policy/Boundary,
  resource_prefix: /teams/ml/, timeouts.head_node: 1h, timeouts.nodes: 1h,
  default_user.sudo: false, default_user.home: local, dns.managed: false, dns.ec2_hostnames: true,
  dns.hosted_zone: Z0123456789ABCDEFGHIJ, proxy: http://10.42.0.10:3128, shared_folders: efs,
  bucket: my-bucket, detailed_monitoring: true, memory_scheduling: true, imds: v1.0,
  imds_for_all: true}
pcs: {cluster_security_group: sg-0a1b2c3d4e5f67899, size: large, rest: true}
hyperpod-slurm: {cluster_security_group: sg-0a1b2c3d4e5f67899, controller_group: head}
hyperpod-eks: {cluster_security_group: sg-0a1b2c3d4e5f67899,
  eks_cluster: arn:aws:eks:us-east-1:111122223333:cluster/other,
  eks_security_group: sg-0a1b2c3d4e5f67899, cluster_role: arn:aws:iam::111122223333:role/nodes,
  tiered_checkpoints: 20, update_schedule: 'cron(0 3 ? * SUN *)'}
eks: {cluster_security_group: sg-0a1b2c3d4e5f67899, deletion_protection: true}
batch: {image: public.ecr.aws/example/train:1}
""").items()
}
"""Options that need nothing beside them."""
_NOTHING: Values = {}
_HYPERPOD: Mapping[str, Values] = {
    **dict.fromkeys(words("second-volume threads-per-core node-recovery"), _NOTHING),
    "one-subnet": _TWO_SUBNETS,
    "security-groups": _GROUPED,
}
_LEFT_OUT: Mapping[str, Mapping[str, Values]] = {
    PC: {
        **dict.fromkeys(
            words("script-access security-groups session-manager service-groups"), _NOTHING
        ),
        "hook": _SCRIPT,
        "default-queue": _QUEUED,
        "efs-tls": {"storage": [_ATTACHED["Efs"]]},
    },
    PCS: {"session-manager": {}, "security-groups": _GROUPED},
    HP: _HYPERPOD,
    HPE: _HYPERPOD,
    EKS: dict.fromkeys(
        words("""
            security-groups session-manager control-plane-logs secrets-key ebs-driver
            node-monitoring
        """),
        _NOTHING,
    ),
    BATCH: {"security-groups": _GROUPED, "session-manager": {}, "stuck-jobs": {}},
}
"""What a target can leave out, and what has to be there to leave it out of."""

_OPTIONS = {
    **{
        f"options.{target}.{name}": [_own(target, name, value)]
        for target, values in _PLAIN.items()
        for name, value in values.items()
    },
    **{
        f"options.{target}.leave_out": [
            _own(target, "leave_out", [addition], given) for addition, given in additions.items()
        ]
        for target, additions in _LEFT_OUT.items()
    },
    "options.parallelcluster.own_security_groups": [
        _own(PC, "own_security_groups", ["login"], _OWN_GROUP)
    ],
    **_part(PC, "login_pool", "{name: front, grace_time: 30}", _LOGIN),
    **_part(PC, "more_login_pools", "{name: small, grace_time: 30}", _TWO_POOLS, _SECOND_POOL),
    **_part(PC, "dcv", _OTHER_DCV, _DCV),
    **_part(PC, "login_pool.dcv", _OTHER_DCV, {**_LOGIN, f"targets.{PC}.login_pool.dcv": {}}),
    **_part(
        PC,
        "more_login_pools.dcv",
        _OTHER_DCV,
        {**_TWO_POOLS, f"targets.{PC}.{_SECOND_POOL}.dcv": {}},
        f"{_SECOND_POOL}.dcv",
    ),
    **_rows(
        "more_login",
        """
        {count: 2, image: ami-0a1b2c3d4e5f67890, name: small, subnets: [subnet-0a1b2c3d4e5f67899],
         security_groups: [sg-0a1b2c3d4e5f67899], ssh_from: 203.0.113.0/24}
        """,
        _TWO_POOLS,
        f"targets.{PC}.{_SECOND_POOL}",
    ),
    **{
        f"more_login.{field}": [_own(PC, f"{_SECOND_POOL}.{name}", value, _TWO_POOLS)]
        for field, name, value in (
            ("type", "instance_type", "m7i.8xlarge"),
            *((f"iam.{k}", "iam", {k: v}) for k, v in _IAM.items()),
        )
    },
    "options.parallelcluster.elastic_ip": [
        _own(PC, "elastic_ip", "eipalloc-0a1b2c3d4e5f67890"),
        _own(PC, "elastic_ip", True),
    ],
    **_part(
        PC,
        "directory",
        """
        {domain: 'dc=example,dc=org', address: ldaps://other.example.com,
         read_only_user: 'cn=other,dc=example,dc=com', ca_certificate: /opt/certificate.pem,
         require_certificate: never, access_filter: (objectClass=person), ssh_keys: false,
         sssd: {debug_level: '9'}}
        """,
        _LDAP,
    ),
    "options.parallelcluster.directory.secret": [
        _own(PC, "directory.secret", _SECRET.format("f"), _LDAP)
    ],
    "options.pcs.cluster": [
        _own(PCS, "cluster", "pcs_0a1b2c3d4e", _EXISTING_VPC, existing="pcs_0a1b2c3d4f")
    ],
    "options.pcs.purge_accounting": [
        _own(PCS, "purge_accounting", "365d", _MANAGED),
        _own(PCS, "purge_accounting", "365d"),
    ],
    "options.hyperpod-slurm.provisioning": [
        _own(HP, "provisioning", "all-at-once", all_at_once="continuous", legacy="continuous")
    ],
    "options.hyperpod-eks.provisioning": [
        # What needs continuous provisioning has the finding.
        Change(
            _AT_ONCE,
            others={
                "karpenter": Change({**_AT_ONCE, **_KARPENTER}),
                "mig": Change({**_AT_ONCE, "node_groups.0.mig": {"1g.10gb": 7}}),
            },
        )
    ],
    "options.hyperpod-slurm.mode": [
        _own(HP, "mode", "customer-managed", customer_managed="legacy"),
        _own(HP, "mode", "legacy", legacy="api"),
    ],
    "options.hyperpod-slurm.controllers": [_own(HP, "controllers", 2, _FOR_TWO_CONTROLLERS)],
    "options.hyperpod-slurm.cluster": [
        _joins(HP, {}, legacy={"targets.hyperpod-slurm.mode": "legacy"})
    ],
    "options.hyperpod-slurm.login_group": [_own(HP, "login_group", "front", _LOGIN)],
    **{
        f"options.{target}.lifecycle.{field}": [
            _own(target, f"lifecycle.{field}", value, _lifecycle(target))
        ]
        for target, entry in ((HP, "on_init_complete"), (HPE, "on_create"))
        for field, value in {"source": "s3://my-bucket/src", entry: "other.sh"}.items()
    },
    "options.hyperpod-slurm.lifecycle.on_create": [
        _own(HP, "lifecycle.on_create", "other.sh", _OWN_ON_CREATE)
    ],
    "options.hyperpod-eks.cluster": [
        _joins(HPE, {"targets.hyperpod-eks.eks_cluster": _CLUSTER}, karpenter=_KARPENTER)
    ],
    **_part(HPE, "auto_patching", "{strategy: when-all-idle, idle_wait: 12h}", _IDLE),
    **_part(
        HPE,
        "auto_patching",
        """
        {batch: 20%, pause: 5m, drain_timeout: 30m, on_drain_timeout: force,
         rollback_alarms: [failing]}
        """,
        _PATCHING,
    ),
    "options.eks.cluster": [
        _joins(
            EKS,
            {},
            existing={"targets.eks.cluster": "research"},
            mig={"node_groups.0.mig": {}},
            karpenter={"kubernetes.autoscaler": "none"},
            stack={"targets.eks.install": "script"},
        )
    ],
    "options.eks.install": [
        _own(EKS, "install", "stack", stack="script", adopted="none"),
        _own(EKS, "install", "none"),
    ],
    "options.batch.queue_names": [_own(BATCH, "queue_names", {"train": "Training"}, _QUEUED)],
}

FIELDS: Mapping[str, list[Change]] = {
    **_ALONE,
    **_PLAN_ITSELF,
    **_NETWORK,
    **_MACHINES,
    **_NODE_GROUPS,
    **_QUEUES,
    **_STORAGE,
    **_SOFTWARE,
    **_SLURM,
    **_KUBERNETES,
    **_OPERATION,
    **_OPTIONS,
}
"""Changes by field of the plan; fields of storage and options by their class and target."""

NO_ROW: Mapping[str, str] = {
    field: reason
    for reason, fields in flow("""
its place in the spec: ['*.path']
what the plan is for: [target]
follows from the options: [existing]
'what the foundation is for: tests/services/foundation/': [shared]
of the target: [limits, sagemaker, scheduler]
what the user wrote: [written, node_groups.listed]
what the planner chose: [decisions.*]
follows from the region: [partition]
'kubernetes.system_nodes, where an EKS cluster is created': [system.*]
not in the language: [kubernetes.system_nodes.image, kubernetes.system_nodes.volume.*,
  kubernetes.system_nodes.subnets, kubernetes.system_nodes.security_groups,
  kubernetes.system_nodes.ssh_from, kubernetes.system_nodes.iam.*,
  kubernetes.system_nodes.threads_per_core, login.iam.s3.*, more_login.iam.s3.*,
  more_login.volume.*, more_login.threads_per_core, storage.Ontap.kms_key,
  storage.Ontap.backup_days, storage.FileCache.kms_key, storage.FileCache.backup_days,
  storage.Bucket.kms_key, storage.Bucket.backup_days, storage.OpenZfs.by_cluster,
  storage.Ontap.by_cluster, storage.FileCache.by_cluster, storage.Ebs.by_cluster,
  storage.Bucket.by_cluster]
'those of login, with a count of 0': [stopped_login.*]
of further login nodes: [head.name, login.name, kubernetes.system_nodes.name]
options.hyperpod-slurm.controllers: [head.count]
counted: [network.needed_addresses, network.needed_system_addresses]
'node_groups.zone: tests/plan/test_zones.py': [network.zonal.*]
'follow from the other subnets: tests/services/foundation/test_subnets.py': [network.system.*]
follows from network.node_security_groups: [network.login_security_groups,
  network.new_security_groups]
options.hyperpod-eks.eks_security_group: [network.control_plane_security_group]
options.pcs.cluster_security_group: [network.scheduler_security_group]
'follow from types, efa and efa_layout': [node_groups.interfaces.*]
a fact about a subnet that exists; only rules read it: [network.private.zone, network.private.cidr,
  network.public.zone, network.public.cidr, network.control_plane.zone, network.control_plane.cidr]
follows from mount: [storage.*.output]
storage.Ebs.encrypted: [storage.Ebs.volume.encrypted]
storage.Ebs.kms_key: [storage.Ebs.volume.kms_key]
storage.Ebs.retain: [storage.Ebs.volume.retain]
refused for every EBS volume (STG019): [storage.Ebs.backup_days]
required; it is mounted by the names of its volume: [storage.Ontap.id]
required (STG001): [storage.Ontap.existing, storage.FileCache.existing]
refused for every bucket (STG022): [storage.Bucket.existing, storage.Bucket.id,
  storage.Bucket.retain]
refused for what exists (STG004): [storage.Ontap.retain, storage.FileCache.retain]
refused on every cluster (K8S436): [options.hyperpod-eks.lifecycle.on_init_complete]
the language has one: [options.parallelcluster.version]
""").items()
    for field in fields
}
"""Fields that need no row, and why."""

EXCEPTIONS: Mapping[tuple[str, str], str] = {
    ("storage.OpenZfs.id", PC): "required; ParallelCluster mounts the volume by its own id",
    **{
        (f"storage.{name}", "by-cluster"): "what the mode consists of"
        for name in ("Lustre.by_cluster", "Efs.by_cluster", "Efs.throughput_mode")
    },
}
"""Fields that have no effect in some modes, by a word of their name, and need not say so."""
