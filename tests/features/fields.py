"""A row for every field of the plan: which value of the spec to change, and to what.

The name of a row is the field's place in the plan. A row changes what its field holds and no more
than it has to. Where a field needs other values beside it, ``given`` sets those first, in the spec
before the change as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.features.evidence import BATCH, EKS, HP, HPE, PC, PCS
from tests.features.modes import Mode, Values


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


_ARN = "arn:aws:{}:us-east-1:111122223333:{}"
_KEY = _ARN.format("kms", "key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f678{}")
_CR = "cr-0a1b2c3d4e5f6789{}"
_SECRET = _ARN.format("secretsmanager", "secret:slurm-AbCdE{}")


def _group(name: str, value: Any, given: Values | None = None, **others: Any) -> Change:
    return _set(f"node_groups.0.{name}", value, given, **others)


def _capacity(kind: str, id: str, **given: Any) -> Change:
    """The group is bought in another way."""
    return _group("capacity", {kind: id}, {f"node_groups.0.{k}": v for k, v in given.items()})


def _bought(kind: str, id: str) -> Change:
    """Another reservation of the same kind."""
    path = "node_groups.0.capacity"
    return Change({path: {kind: id.format(1)}}, {path: {kind: id.format(0)}})


def _dated(kind: str, id: str, name: str) -> Change:
    """The same capacity starts or ends a week later."""
    path, bought = "node_groups.0.capacity", {kind: id.format(0)}
    first, second = ({**bought, name: f"2026-12-{day}T11:30:00Z"} for day in (10, 17))
    return Change({path: second}, {path: first})


_RESERVATIONS = _ARN.format("resource-groups", "group/held-{}")
_PLAN = _ARN.format("sagemaker", "training-plan/plan-{}")
_CPU = {"node_groups.0.instance_type": "m7i.4xlarge", "node_groups.0.mig": {}}
_IO2 = {"node_groups.0.root_volume": {"size": "500GiB", "type": "io2", "iops": 3000}}
_GP3 = {"node_groups.0.root_volume": {"size": "500GiB", "iops": 4000}}
_TAINTED = {"node_groups.0.taints": [{"key": "team", "value": "blue"}]}

_POLICY = _ARN.replace("us-east-1:111122223333", ":aws").format("iam", "policy/{}")
_ROLES = "arn:aws:iam::111122223333:{}/nodes"


def _own_access(name: str, section: str, given: Values | None = None) -> dict[str, list[Change]]:
    """What head, login or compute nodes may do and reach; ``section`` is their path."""
    here = given or {}
    subnets = "subnet" if name == "head" else "subnets"
    return {
        f"{name}.subnets": [
            _set(f"{section}.{subnets}", _SUBNETS[name], {**_EXISTING_VPC, **here})
        ],
        f"{name}.security_groups": [
            _set(f"{section}.security_groups", ["sg-0a1b2c3d4e5f67899"], here)
        ],
        f"{name}.iam.policies": [
            _set(f"{section}.iam", {"policies": [_POLICY.format("AmazonS3ReadOnlyAccess")]}, here)
        ],
        f"{name}.iam.role": [_set(f"{section}.iam", {"role": _ROLES.format("role")}, here)],
        f"{name}.iam.instance_profile": [
            _set(f"{section}.iam", {"instance_profile": _ROLES.format("instance-profile")}, here)
        ],
    }


def _granted(name: str, section: str) -> dict[str, list[Change]]:
    """What head and compute nodes may read and write in S3."""
    read = {f"{section}.iam": {"s3": [{"uri": "s3://my-bucket/in"}]}}
    return {
        f"{name}.iam.s3.uri": [_set(f"{section}.iam.s3.0.uri", "s3://my-bucket/out", read)],
        f"{name}.iam.s3.write": [_set(f"{section}.iam.s3.0.write", True, read)],
    }


_ELSEWHERE = "subnet-0a1b2c3d4e5f67899"
_SUBNETS = {"head": _ELSEWHERE, "login": [_ELSEWHERE], "node_groups": [_ELSEWHERE]}
_EXISTING_VPC = {
    "network": {
        "zone": "use1-az6",
        "vpc": "vpc-0a1b2c3d4e5f67890",
        "private_subnets": [{"id": "subnet-0a1b2c3d4e5f67890", "zone": "use1-az6"}],
        "control_plane_subnets": [
            {"id": "subnet-0a1b2c3d4e5f67892", "zone": "use1-az6"},
            {"id": "subnet-0a1b2c3d4e5f67893", "zone": "use1-az2"},
        ],
    }
}

_NODE_GROUPS = {
    "node_groups.name": [_group("name", "other")],
    "node_groups.types": [
        _group("instance_type", "p4d.24xlarge", mig="p5.4xlarge"),
        Change(
            {"node_groups.0.instance_types": ["m7i.4xlarge", "m6i.4xlarge"]},
            {
                "node_groups.0.instance_type": None,
                "node_groups.0.instance_types": ["m7i.4xlarge"],
                "node_groups.0.mig": {},
            },
        ),
    ],
    "node_groups.min": [_group("count", {"min": 1, "max": 2})],
    "node_groups.desired": [
        Change(
            {"node_groups.0.count": {"min": 1, "max": 3, "desired": 2}},
            {"node_groups.0.count": {"min": 1, "max": 3}},
        )
    ],
    "node_groups.accelerator_taint": [_group("accelerator_taint", False)],
    "node_groups.max": [_group("count", 3, karpenter={"min": 0, "max": 3})],
    "node_groups.capacity.kind": [
        _group("capacity", "spot"),
        _capacity("reservation", _CR.format(0)),
        _capacity("reservation_group", _RESERVATIONS.format(0)),
        _capacity("capacity_block", _CR.format(0)),
        _capacity("interruptible_reservation", _CR.format(0)),
        _capacity("training_plan", _PLAN.format(0)),
    ],
    "node_groups.capacity.id": [
        _bought("reservation", _CR),
        _bought("reservation_group", _RESERVATIONS),
        _bought("capacity_block", _CR),
        _bought("interruptible_reservation", _CR),
        _bought("training_plan", _PLAN),
    ],
    "node_groups.capacity.starts": [
        _dated("capacity_block", _CR, "starts"),
        _dated("training_plan", _PLAN, "starts"),
    ],
    "node_groups.capacity.ends": [
        _dated("capacity_block", _CR, "ends"),
        _dated("training_plan", _PLAN, "ends"),
    ],
    "node_groups.efa": [_group("efa", False, one_node=True)],
    "node_groups.efa_layout": [
        _group(
            "efa_layout", "efa", pcs="efa-only", hyperpod_slurm="efa-only", hyperpod_eks="efa-only"
        )
    ],
    "node_groups.placement.kind": [
        _group("placement", "cluster", {"node_groups.0.placement": "none"}),
        _group("placement", {"group": "held"}, {"node_groups.0.placement": "none"}),
    ],
    "node_groups.placement.group": [
        _group("placement", {"group": "held-1"}, {"node_groups.0.placement": {"group": "held-0"}})
    ],
    "node_groups.threads_per_core": [
        _group("threads_per_core", 1, {"node_groups.0.threads_per_core": 2})
    ],
    "node_groups.image": [_group("image", "ami-0a1b2c3d4e5f67890")],
    "node_groups.volume.size_gib": [_group("root_volume.size", "600GiB", _GP3)],
    "node_groups.volume.type": [_group("root_volume.type", "io1", _IO2)],
    "node_groups.volume.iops": [_group("root_volume.iops", 5000, _GP3)],
    "node_groups.volume.throughput": [_group("root_volume.throughput", 250, _GP3)],
    "node_groups.volume.encrypted": [_group("root_volume.encrypted", False)],
    "node_groups.volume.kms_key": [_group("root_volume", {"kms_key": _KEY.format(0)})],
    "node_groups.volume.retain": [_group("root_volume", {"on_delete": "retain"})],
    "node_groups.zone": [_group("zone", "use1-az4")],
    "node_groups.tags": [_group("tags", {"team": "blue"})],
    "node_groups.scratch": [_group("scratch", "/scratch")],
    "node_groups.mig": [
        _group("mig", {"1g.10gb": 7}, mig={"2g.20gb": 3}),
        # PCS sets Slurm up for partitions from this version on.
        _group("mig", {"1g.10gb": 7}, {"slurm.version": "26.05"}, mig={"2g.20gb": 3}),
    ],
    "node_groups.health_checks": [
        _group("health_checks", ["gpu"]),
        _group("health_checks", ["instance-stress"]),
        _group("health_checks", ["instance-connectivity"]),
        _group("health_checks", ["multi-node"]),
    ],
    "node_groups.labels": [_group("labels", {"team": "blue"})],
    "node_groups.taints.key": [_group("taints.0.key", "crew", _TAINTED)],
    "node_groups.taints.value": [_group("taints.0.value", "red", _TAINTED)],
    "node_groups.taints.effect": [_group("taints.0.effect", "NoExecute", _TAINTED)],
    "node_groups.slurm": [_group("slurm", {"Weight": 10})],
    "node_groups.allocation": [_group("allocation", "capacity-optimized")],
    "node_groups.service_name": [_group("service_name", "cpu")],
    **_own_access("node_groups", "node_groups.0"),
    **_granted("node_groups", "node_groups.0"),
}

_SECOND = {"name": "second", "instance_type": "m7i.4xlarge", "count": 1}
_QUEUED = {
    "node_groups.1": _SECOND,
    "queues": [
        {"name": "train", "node_groups": ["nodes"]},
        {"name": "debug", "node_groups": ["second"]},
    ],
}


_DIVIDED = {
    "queues": [
        {"name": "train", "node_groups": ["nodes"]},
        {"name": "debug", "node_groups": ["nodes"], "nodes": {"nodes": "1"}},
    ]
}


def _queue(name: str, value: Any, **others: Any) -> Change:
    return _set(f"queues.0.{name}", value, _QUEUED, **others)


_QUEUES = {
    "queues.name": [_queue("name", "other")],
    "queues.node_groups": [
        Change({"queues.0.node_groups": ["second"], "queues.1.node_groups": ["nodes"]}, _QUEUED)
    ],
    "queues.default": [_set("queues.1.default", True, _QUEUED)],
    "queues.time_limit": [_queue("time_limit", "7d")],
    "queues.priority": [_queue("priority", 10)],
    "queues.exclusive": [_queue("exclusive", True)],
    "queues.nodes": [_set("queues.1.nodes", {"nodes": "2"}, _DIVIDED)],
    "queues.slurm": [_queue("slurm", {"GraceTime": 60})],
}

_NEW: Mapping[str, Values] = {
    "Lustre": {"mount": "/data", "type": "fsx-lustre", "size": "38400GiB", "throughput": 250},
    "OpenZfs": {"mount": "/data", "type": "fsx-openzfs", "size": "512GiB", "throughput": 160},
    "Efs": {"mount": "/data", "type": "efs"},
    "Ebs": {"mount": "/data", "type": "ebs", "size": "500GiB"},
    "Bucket": {"mount": "/data", "type": "s3", "bucket": "s3://my-bucket/in"},
}
_OTHER_ONTAP = "svm-0a1b2c3d4e5f67899.fs-0a1b2c3d4e5f67890.fsx.us-east-1.amazonaws.com"
_ONTAP = "svm-0a1b2c3d4e5f6789{0}.fs-0a1b2c3d4e5f6789{0}.fsx.us-east-1.amazonaws.com"
_ATTACHED: Mapping[str, Values] = {
    "Lustre": {
        "mount": "/data",
        "type": "fsx-lustre",
        "existing": {"id": "fs-0a1b2c3d4e5f67890", "mount_name": "abcdefgh"},
    },
    "OpenZfs": {
        "mount": "/data",
        "type": "fsx-openzfs",
        "existing": {"id": "fs-0a1b2c3d4e5f67890", "volume_id": "fsvol-0a1b2c3d4e5f67890"},
    },
    "Ontap": {
        "mount": "/data",
        "type": "fsx-ontap",
        "existing": {
            "id": "fs-0a1b2c3d4e5f67890",
            "dns_name": _ONTAP.format(0),
            "volume_id": "fsvol-0a1b2c3d4e5f67890",
        },
    },
    "FileCache": {
        "mount": "/data",
        "type": "file-cache",
        "existing": {"id": "fc-0a1b2c3d4e5f67890", "mount_name": "abcdefgh"},
    },
    "Efs": {"mount": "/data", "type": "efs", "existing": {"id": "fs-0a1b2c3d4e5f67890"}},
    "Ebs": {"mount": "/data", "type": "ebs", "existing": {"id": "vol-0a1b2c3d4e5f67890"}},
}


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
        rows["existing"] = [
            Change({"storage": [_ATTACHED[kind]]}, {"storage": [{**_NEW[kind]}]}),
        ]
    if made and kind != "Bucket":
        rows["retain"] = [_new(kind, "on_delete", "delete")]
        rows["kms_key"] = [_new(kind, "kms_key", _KEY.format(1))]
    if kind in ("Lustre", "OpenZfs", "Efs"):
        before = "35d" if kind == "Efs" else "7d"
        rows["backup_days"] = [_new(kind, "backups", before)]
    return {f"storage.{kind}.{name}": changes for name, changes in rows.items()}


_TIERED = {
    "size": None,
    "storage_class": "intelligent-tiering",
    "throughput": 4000,
    "metadata_iops": 6000,
}
_HDD = {"size": "12000GiB", "storage_class": "hdd", "throughput": 12}
_SCRATCH = {"size": "1200GiB", "deployment": "scratch-2", "throughput": None}
_LINK = {"data_repositories": [{"path": "/in", "s3": "s3://my-bucket/in"}]}

_STORAGE = {
    **_every("Lustre"),
    "storage.Lustre.dns_name": [
        _attached("Lustre", "existing.dns_name", "fs-0a1b2c3d4e5f67890.example.com")
    ],
    "storage.Lustre.mount_name": [_attached("Lustre", "existing.mount_name", "hgfedcba")],
    "storage.Lustre.deployment": [
        _new(
            "Lustre",
            "deployment",
            "scratch-2",
            deployment="scratch-1",
            size="7200GiB",
            throughput=None,
        ),
        _new("Lustre", "deployment", "persistent-1", throughput=None),
    ],
    "storage.Lustre.storage_class": [
        Change(
            {"storage.0.storage_class": "intelligent-tiering", "storage.0.size": None},
            {"storage": [{**_NEW["Lustre"], "throughput": None}]},
        ),
        _new("Lustre", "storage_class", "hdd", size="12000GiB", throughput=None),
    ],
    "storage.Lustre.size_gib": [_new("Lustre", "size", "40800GiB")],
    "storage.Lustre.throughput": [_new("Lustre", "throughput", 500)],
    "storage.Lustre.metadata_iops": [_new("Lustre", "metadata_iops", 12000, metadata_iops=6000)],
    "storage.Lustre.efa": [_new("Lustre", "efa", True, metadata_iops=6000)],
    "storage.Lustre.compression": [_new("Lustre", "compression", "none")],
    "storage.Lustre.drive_cache": [_new("Lustre", "drive_cache", True, **_HDD)],
    "storage.Lustre.read_cache_gib": [_new("Lustre", "read_cache", "4800GiB", **_TIERED)],
    "storage.Lustre.repositories.path": [_new("Lustre", "data_repositories.0.path", "/x", **_LINK)],
    "storage.Lustre.repositories.s3": [
        _new("Lustre", "data_repositories.0.s3", "s3://my-bucket/other", **_LINK)
    ],
    "storage.Lustre.repositories.imports": [
        _new("Lustre", "data_repositories.0.import", ["new"], **_LINK)
    ],
    "storage.Lustre.repositories.exports": [
        _new("Lustre", "data_repositories.0.export", ["new"], **_LINK)
    ],
    "storage.Lustre.import_from": [_new("Lustre", "import_from", "s3://my-bucket/in", **_SCRATCH)],
    "storage.Lustre.export_to": [
        _new("Lustre", "export_to", "s3://my-bucket/out", **_SCRATCH, import_from="s3://my-bucket")
    ],
    **_every("OpenZfs"),
    "storage.OpenZfs.dns_name": [
        _attached("OpenZfs", "existing.dns_name", "fs-0a1b2c3d4e5f67890.example.com")
    ],
    "storage.OpenZfs.volume": [
        _attached("OpenZfs", "existing.volume_id", "fsvol-0a1b2c3d4e5f67899")
    ],
    "storage.OpenZfs.deployment": [_new("OpenZfs", "deployment", "single-az-ha-2")],
    "storage.OpenZfs.size_gib": [_new("OpenZfs", "size", "1024GiB")],
    "storage.OpenZfs.throughput": [_new("OpenZfs", "throughput", 320)],
    "storage.OpenZfs.iops": [_new("OpenZfs", "iops", 4096)],
    "storage.OpenZfs.compression": [_new("OpenZfs", "compression", "zstd")],
    **_every("Ontap"),
    "storage.Ontap.dns_name": [_attached("Ontap", "existing.dns_name", _OTHER_ONTAP)],
    "storage.Ontap.volume": [_attached("Ontap", "existing.volume_id", "fsvol-0a1b2c3d4e5f67899")],
    **_every("FileCache"),
    "storage.FileCache.dns_name": [
        _attached("FileCache", "existing.dns_name", "fc-0a1b2c3d4e5f67890.example.com")
    ],
    "storage.FileCache.mount_name": [_attached("FileCache", "existing.mount_name", "hgfedcba")],
    **_every("Efs"),
    "storage.Efs.dns_name": [
        _attached("Efs", "existing.dns_name", "fs-0a1b2c3d4e5f67890.example.com")
    ],
    "storage.Efs.throughput_mode": [_new("Efs", "throughput_mode", "bursting")],
    "storage.Efs.throughput": [
        _new("Efs", "throughput", 256, throughput_mode="provisioned", throughput=128)
    ],
    "storage.Efs.encrypted": [_new("Efs", "encrypted", False)],
    "storage.Efs.one_zone": [
        Change(
            {"storage.0.one_zone": True},
            {"storage": [{**_NEW["Efs"]}], "network.zone": "us-east-1a"},
        )
    ],
    **_every("Ebs"),
    "storage.Ebs.volume.size_gib": [_new("Ebs", "size", "600GiB")],
    "storage.Ebs.volume.type": [_new("Ebs", "volume_type", "io1", volume_type="io2", iops=3000)],
    "storage.Ebs.volume.iops": [_new("Ebs", "iops", 5000, iops=4000)],
    "storage.Ebs.volume.throughput": [_new("Ebs", "throughput", 250, iops=4000)],
    "storage.Ebs.encrypted": [_new("Ebs", "encrypted", False)],
    "storage.Ebs.snapshot": [_new("Ebs", "snapshot", "snap-0a1b2c3d4e5f67890")],
    "storage.Ebs.ends_as_snapshot": [_new("Ebs", "on_delete", "snapshot")],
    "storage.Ebs.raid.level": [_new("Ebs", "raid.level", 1, raid={"level": 0})],
    "storage.Ebs.raid.volumes": [_new("Ebs", "raid.volumes", 3, raid={"level": 0})],
    **_every("Bucket"),
    "storage.Bucket.bucket": [_new("Bucket", "bucket", "s3://other-bucket/in")],
    "storage.Bucket.prefix": [_new("Bucket", "bucket", "s3://my-bucket/out")],
    "storage.Bucket.read_only": [_new("Bucket", "read_only", False)],
}

_OWN_IMAGE = {"node_groups.0.image": "ami-0a1b2c3d4e5f67890"}
_SCRIPT = {"software.scripts": [{"run": "s3://my-bucket/own.sh"}], "node_groups.1": _SECOND}
_LOGIN = {"login": {"count": 1}}
_OF_ALL = {**_SCRIPT, **_LOGIN}


def _script(name: str, value: Any) -> Change:
    return _set(f"software.scripts.0.{name}", value, _OF_ALL)


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
    "software.containers": [
        _set("software.containers", "pyxis"),
        _set("software.containers", "docker"),
    ],
    "software.registry": [
        _set("software.registry", "111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror")
    ],
    "software.scripts.url": [_script("run", "s3://my-bucket/other.sh")],
    "software.scripts.on": [
        _script("on", ["head"]),
        _script("on", ["login"]),
        Change(
            {"software.scripts.0.on": ["compute", "head"]},
            {**_OF_ALL, "software.scripts.0.on": ["compute"]},
        ),
        Change(
            {"software.scripts.0.on": ["compute", "login"]},
            {**_OF_ALL, "software.scripts.0.on": ["compute"]},
        ),
    ],
    "software.scripts.when": [
        Change(
            {"software.scripts.0.when": "start"},
            _OF_ALL,
            {
                EKS: Change(
                    {"software.scripts.0.when": "configured"},
                    {**_OF_ALL, "software.scripts.0.when": "start"},
                ),
                # Before or after file systems are mounted.
                BATCH: Change(
                    {"software.scripts.0.when": "start"}, {**_OF_ALL, "storage": [_NEW["Efs"]]}
                ),
            },
        ),
        Change(
            {"software.scripts.0.when": "updated"}, {**_OF_ALL, "software.scripts.0.on": ["head"]}
        ),
    ],
    "software.scripts.on_failure": [_script("on_failure", "continue")],
    "software.scripts.every_boot": [_script("every_boot", True)],
    "software.scripts.args": [_script("args", ["--fast"])],
    "software.scripts.node_groups": [_script("node_groups", ["nodes"])],
    "software.scripts.sha256": [_script("sha256", "a" * 64)],
    "users.name": [_set("users.0.name", "bob", {"users": [{"name": "alice", "uid": 2001}]})],
    "users.uid": [_set("users.0.uid", 2002, {"users": [{"name": "alice", "uid": 2001}]})],
    "users.ssh_key": [
        _set("users.0.ssh_key", "ssh-ed25519 AAAA a", {"users": [{"name": "alice", "uid": 2001}]})
    ],
}

_DATABASE = {"slurm.accounting": {"endpoint": "db.example.com", "secret": _SECRET.format("e")}}


def _database(name: str, value: Any) -> Change:
    return _set(f"slurm.accounting.{name}", value, _DATABASE)


_MANAGED = {"slurm.accounting": "managed"}

_ACCOUNTS: Values = {
    "slurm.accounts": [{"name": "vision"}, {"name": "other"}],
    "slurm.qos": [{"name": "low"}],
}


def _account(name: str, value: Any) -> Change:
    """A change of an account, where a service or a database of the user's keeps it."""
    given = {**_MANAGED, **_ACCOUNTS}
    return _set(
        f"slurm.accounts.0.{name}",
        value,
        given,
    )


def _qos(name: str, value: Any) -> Change:
    return _set(f"slurm.qos.0.{name}", value, {**_MANAGED, **_ACCOUNTS})


_SLURM = {
    "slurm.version": [_set("slurm.version", "25.05")],
    "slurm.accounting": [
        _set("slurm.accounting", "managed"),
        _set("slurm.accounting", _DATABASE["slurm.accounting"]),
    ],
    "slurm.accounting.endpoint": [_database("endpoint", "other.example.com")],
    "slurm.accounting.port": [_database("port", 3307)],
    "slurm.accounting.database": [_database("database", "jobs")],
    "slurm.accounting.user": [_database("user", "scheduler")],
    "slurm.accounting.secret": [_database("secret", _SECRET.format("f"))],
    "slurm.accounts.name": [_account("name", "robots")],
    "slurm.accounts.parent": [_account("parent", "other")],
    "slurm.accounts.fair_share": [_account("fair_share", 70)],
    "slurm.accounts.users": [_account("users", ["alice"])],
    "slurm.accounts.qos": [_account("qos", ["low"])],
    "slurm.qos.name": [_qos("name", "high")],
    "slurm.qos.priority": [_qos("priority", 100)],
    "slurm.qos.preempts": [_qos("preempts", ["normal"])],
    "slurm.idle_timeout": [
        _set("slurm.idle_timeout", "20m"),
        _set("slurm.idle_timeout", "20m", {"node_groups.0.count": {"min": 0, "max": 2}}),
        _set("slurm.idle_timeout", "never"),
    ],
    "slurm.settings": [_set("slurm.settings", {"SchedulerParameters": "defer"})],
    "slurm.slurmdbd_settings": [
        _set("slurm.slurmdbd_settings", {"PurgeJobAfter": "12months"}),
        _set("slurm.slurmdbd_settings", {"PurgeJobAfter": "12months"}, _MANAGED),
        _set("slurm.slurmdbd_settings", {"PurgeJobAfter": "12months"}, _DATABASE),
    ],
    "slurm.cgroup_settings": [_set("slurm.cgroup_settings", {"ConstrainRAMSpace": "yes"})],
}

_ROLE = "arn:aws:iam::111122223333:role/platform"

_ADDON = {"kubernetes.addons": [{"name": "vpc-cni"}]}
_KUBERNETES = {
    "kubernetes.version": [_set("kubernetes.version", "1.34")],
    "kubernetes.admission": [_set("kubernetes.admission", "none", no_kueue="kueue", dra="kueue")],
    "kubernetes.scheduler": [
        _set("kubernetes.scheduler", "volcano"),
        _set("kubernetes.scheduler", "kai"),
    ],
    "kubernetes.autoscaler": [
        Change(
            {"kubernetes.autoscaler": "karpenter"},
            others={
                "karpenter": Change({"kubernetes.autoscaler": "none"}, {"node_groups.0.count": 2})
            },
        )
    ],
    "kubernetes.devices": [
        _set("kubernetes.devices", "dra", {"node_groups.0.mig": {}}, dra="plugin")
    ],
    "kubernetes.jobs": [
        _set("kubernetes.jobs", "kubeflow-trainer"),
        _set("kubernetes.jobs", "none"),
    ],
    "kubernetes.system_nodes.type": [_set("kubernetes.system_nodes.instance_type", "m7i.xlarge")],
    "kubernetes.system_nodes.count": [_set("kubernetes.system_nodes.count", 3)],
    "kubernetes.support": [_set("kubernetes.support", "standard")],
    "kubernetes.admins": [_set("kubernetes.admins", [_ROLE])],
    "kubernetes.access.principal": [_set("kubernetes.access", [{"principal": _ROLE}])],
    "kubernetes.access.queues": [
        _set(
            "kubernetes.access",
            [{"principal": _ROLE, "queues": ["train"]}],
            {**_QUEUED, "kubernetes.access": [{"principal": _ROLE}]},
        )
    ],
    "kubernetes.access.level": [
        _set(
            "kubernetes.access",
            [{"principal": _ROLE, "level": "view"}],
            {"kubernetes.access": [{"principal": _ROLE}]},
        )
    ],
    "kubernetes.addons.name": [_set("kubernetes.addons", [{"name": "snapshot-controller"}])],
    "kubernetes.addons.version": [
        _set("kubernetes.addons.0.version", "v1.19.2-eksbuild.1", _ADDON)
    ],
    "kubernetes.addons.configuration": [
        _set("kubernetes.addons.0.configuration", {"env": {"WARM_IP_TARGET": "5"}}, _ADDON)
    ],
    "kubernetes.public_endpoint_from": [
        _set("kubernetes.public_endpoint_from", ["203.0.113.0/24"])
    ],
}

_PROMETHEUS = {"monitoring.metrics": "managed-prometheus"}
_WORKSPACE = "ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"

_OPERATION = {
    "monitoring.metrics": [_set("monitoring.metrics", "managed-prometheus")],
    "monitoring.dashboards": [
        _set("monitoring.dashboards", "cloudwatch"),
        _set("monitoring.dashboards", "managed-grafana", _PROMETHEUS),
    ],
    "monitoring.interval_seconds": [_set("monitoring.interval", "1m", _PROMETHEUS)],
    "monitoring.workspace": [_set("monitoring.workspace", _WORKSPACE, _PROMETHEUS)],
    "monitoring.alerts.emails": [
        _set("monitoring.alerts.email", ["on-call@example.com"], _PROMETHEUS)
    ],
    "monitoring.alerts.topic": [
        _set("monitoring.alerts.topic", _ARN.format("sns", "pages"), _PROMETHEUS)
    ],
    "monitoring.log_retention_days": [_set("monitoring.log_retention", "90d")],
    "resilience.replace_failed_nodes": [
        Change(
            {"resilience.replace_failed_nodes": False},
            others={
                "karpenter": Change(
                    {"resilience.replace_failed_nodes": True},
                    {"resilience.replace_failed_nodes": False},
                )
            },
        )
    ],
    "resilience.auto_resume": [_set("resilience.auto_resume", True)],
}

_LARGE = {"size": "500GiB", "iops": 4000}
_VOLUMES: Mapping[str, tuple[str, Any, Values]] = {
    "volume.size_gib": ("size", "600GiB", _LARGE),
    "volume.type": ("type", "io1", {"size": "500GiB", "type": "io2", "iops": 3000}),
    "volume.iops": ("iops", 5000, _LARGE),
    "volume.throughput": ("throughput", 250, _LARGE),
    "volume.encrypted": ("encrypted", False, _LARGE),
    "volume.kms_key": ("kms_key", _KEY.format(0), _LARGE),
    "volume.retain": ("on_delete", "retain", _LARGE),
}


def _machine(section: str, given: Values) -> dict[str, list[Change]]:
    """Head or login nodes."""
    name = {"head_node": "head"}.get(section, section)
    return {
        f"{name}.type": [_set(f"{section}.instance_type", "m7i.8xlarge", given)],
        f"{name}.image": [_set(f"{section}.image", "ami-0a1b2c3d4e5f67890", given)],
        **{
            f"{name}.{field}": [
                _set(f"{section}.root_volume.{key}", value, {**given, f"{section}.root_volume": v})
            ]
            for field, (key, value, v) in _VOLUMES.items()
        },
    }


_MACHINES = {
    **_machine("head_node", {}),
    **_machine("login", _LOGIN),
    "login.threads_per_core": [_set("login.threads_per_core", 1, _LOGIN)],
    "login.count": [_set("login.count", 2, _LOGIN)],
    "head.threads_per_core": [_set("head_node.threads_per_core", 1)],
    "head.ssh_from": [_set("head_node.ssh_from", "203.0.113.0/24")],
    "login.ssh_from": [_set("login.ssh_from", "203.0.113.0/24", _LOGIN)],
    **_own_access("head", "head_node"),
    **_granted("head", "head_node"),
    **_own_access("login", "login", _LOGIN),
}

_ID = "0a1b2c3d4e5f6789{}"
_VPC = {
    "network": {
        "zone": "use1-az6",
        "vpc": "vpc-" + _ID.format(0),
        "private_subnets": [{"id": "subnet-" + _ID.format(0), "zone": "use1-az6"}],
        "control_plane_subnets": [
            {"id": "subnet-" + _ID.format(2), "zone": "use1-az6"},
            {"id": "subnet-" + _ID.format(3), "zone": "use1-az2"},
        ],
    }
}
_PUBLIC = {
    **_VPC,
    **_LOGIN,
    "network.ssh_from": ["203.0.113.0/24"],
    "network.public_subnets": [{"id": "subnet-" + _ID.format(1), "zone": "use1-az6"}],
}


def _vpc(name: str, value: Any, given: Values = _VPC) -> Change:
    return _set(f"network.{name}", value, given)


_OTHER_SUBNET = "subnet-" + _ID.format(9)

_NETWORK = {
    "network.vpc": [_vpc("vpc", "vpc-" + _ID.format(9))],
    "network.new": [Change(_VPC, {"network": {"zone": "use1-az6"}})],
    "network.zone": [_set("network.zone", "use1-az4", {"network": {"zone": "use1-az6"}})],
    "network.internet": [_set("network.internet", "none", {"network": {"zone": "use1-az6"}})],
    "network.cidr": [_set("network.cidr", "10.43.0.0/16", {"network": {"zone": "use1-az6"}})],
    "network.private.id": [_vpc("private_subnets.0.id", _OTHER_SUBNET)],
    "network.public.id": [_vpc("public_subnets.0.id", _OTHER_SUBNET, _PUBLIC)],
    "network.control_plane.id": [_vpc("control_plane_subnets.0.id", _OTHER_SUBNET)],
    "network.node_security_groups": [_vpc("security_groups", ["sg-" + _ID.format(0)])],
    "network.ssh_from": [_set("network.ssh_from", ["203.0.113.0/24"], _LOGIN)],
}

_CLUSTER = _ARN.format("eks", "cluster/other")
_RETAIN = {"Resources": {"Cluster": {"DeletionPolicy": "Retain"}}}
_RETAINED = {
    name: Change({f"targets.{name}.overlay": value})
    for name, value in ((PCS, _RETAIN), (EKS, _RETAIN), (HP, {"Tags": []}), (HPE, {"Tags": []}))
}

_PLAN_ITSELF = {
    "name": [_set("name", "other")],
    "foundation": [_set("foundation", "other")],
    "region": [
        Change(
            {"region": "us-west-2", "network.zone": "usw2-az2"},
            others={
                "existing": Change(
                    {
                        "region": "us-west-2",
                        "network.zone": "usw2-az2",
                        "network.private_subnets.0.zone": "usw2-az2",
                        "targets.hyperpod-eks.eks_cluster": _CLUSTER.replace("east-1", "west-2"),
                    }
                )
            },
        )
    ],
    "tags": [_set("tags", {"team": "blue"})],
    "overlay": [
        Change(
            {f"targets.{PC}.overlay": {"Monitoring": {"DetailedMonitoring": True}}},
            others=_RETAINED,
        )
    ],
}


def _own(target: str, name: str, value: Any, given: Values | None = None, **others: Any) -> Change:
    return _set(f"targets.{target}.{name}", value, given, **others)


def _joins(target: str, given: Values, **refused: Values) -> Change:
    """An existing cluster, with which some modes do not go together."""
    path, here = f"targets.{target}.cluster", {**_EXISTING_VPC, **given}
    others = {word: Change({path: "platform", **too}, here) for word, too in refused.items()}
    return Change({path: "platform"}, here, {**others, "joined": Change({path: "research"})})


_PATCHING = {"targets.hyperpod-eks.auto_patching": {"strategy": "drain-first", "batch": "10%"}}
_IDLE = {"targets.hyperpod-eks.auto_patching": {"strategy": "when-idle"}}


_GROUPED = {"node_groups.0.security_groups": ["sg-0a1b2c3d4e5f67899"]}


def _patching(name: str, value: Any, given: Values = _PATCHING) -> Change:
    return _own(HPE, f"auto_patching.{name}", value, given)


_TWO_SUBNETS = {
    "network": {
        **_EXISTING_VPC["network"],
        "private_subnets": [
            {"id": "subnet-0a1b2c3d4e5f67890", "zone": "use1-az6"},
            {"id": "subnet-0a1b2c3d4e5f67891", "zone": "use1-az6"},
        ],
    }
}
_SOURCE = "s3://sagemaker-setup/src"


def _lifecycle(target: str) -> Values:
    """The user's own scripts."""
    entry = "on_init_complete" if target == HP else "on_create"
    own = {"source": _SOURCE, entry: "setup.sh"}
    mode = {"targets.hyperpod-slurm.mode": "api"} if target == HP else {}
    return {**mode, f"targets.{target}.lifecycle": own}


_TWO_POOLS = {
    **_EXISTING_VPC,
    **_LOGIN,
    "targets.parallelcluster.more_login_pools": [{"name": "large", "count": 1}],
}
_DCV = {"targets.parallelcluster.dcv": {"port": 8443}}
_LDAP = {
    "targets.parallelcluster.directory": {
        "domain": "dc=example,dc=com",
        "address": "ldaps://corp.example.com",
        "secret": _SECRET.format("e"),
        "read_only_user": "cn=reader,dc=example,dc=com",
    }
}

_OWN_GROUP = {"login": {"security_groups": ["sg-0a1b2c3d4e5f67899"]}}

_OPTIONS = {
    "options.parallelcluster.key_name": [_own(PC, "key_name", "platform")],
    "options.parallelcluster.scaling_strategy": [_own(PC, "scaling_strategy", "best-effort")],
    "options.parallelcluster.queue_update_strategy": [
        _own(PC, "queue_update_strategy", "terminate")
    ],
    "options.parallelcluster.leave_out": [
        _own(PC, "leave_out", ["hook"], {**_SCRIPT}),
        _own(PC, "leave_out", ["script-access"]),
        _own(PC, "leave_out", ["security-groups"]),
        _own(PC, "leave_out", ["session-manager"]),
        _own(PC, "leave_out", ["default-queue"], _QUEUED),
        _own(PC, "leave_out", ["efs-tls"], {"storage": [_ATTACHED["Efs"]]}),
        _own(PC, "leave_out", ["service-groups"]),
    ],
    "options.parallelcluster.own_security_groups": [
        _own(PC, "own_security_groups", ["login"], _OWN_GROUP)
    ],
    "options.parallelcluster.permissions_boundary": [
        _own(PC, "permissions_boundary", _POLICY.format("Boundary"))
    ],
    "options.parallelcluster.resource_prefix": [_own(PC, "resource_prefix", "/teams/ml/")],
    "options.parallelcluster.timeouts.head_node": [_own(PC, "timeouts.head_node", "1h")],
    "options.parallelcluster.timeouts.nodes": [_own(PC, "timeouts.nodes", "1h")],
    "options.parallelcluster.default_user.sudo": [_own(PC, "default_user.sudo", False)],
    "options.parallelcluster.default_user.home": [_own(PC, "default_user.home", "local")],
    "options.parallelcluster.login_pool.name": [_own(PC, "login_pool.name", "front", _LOGIN)],
    "options.parallelcluster.login_pool.grace_time": [
        _own(PC, "login_pool.grace_time", 30, _LOGIN)
    ],
    **{
        f"more_login.{field}": [_own(PC, f"more_login_pools.0.{name}", value, _TWO_POOLS)]
        for field, name, value in (
            ("type", "instance_type", "m7i.8xlarge"),
            ("count", "count", 2),
            ("image", "image", "ami-0a1b2c3d4e5f67890"),
            ("name", "name", "small"),
            ("subnets", "subnets", [_ELSEWHERE]),
            ("security_groups", "security_groups", ["sg-0a1b2c3d4e5f67899"]),
            ("ssh_from", "ssh_from", "203.0.113.0/24"),
            ("iam.policies", "iam", {"policies": [_POLICY.format("AmazonS3ReadOnlyAccess")]}),
            ("iam.role", "iam", {"role": _ROLES.format("role")}),
            (
                "iam.instance_profile",
                "iam",
                {"instance_profile": _ROLES.format("instance-profile")},
            ),
        )
    },
    "options.parallelcluster.more_login_pools.name": [
        _own(PC, "more_login_pools.0.name", "small", _TWO_POOLS)
    ],
    "options.parallelcluster.more_login_pools.grace_time": [
        _own(PC, "more_login_pools.0.grace_time", 30, _TWO_POOLS)
    ],
    **{
        f"options.parallelcluster.{place}.dcv.{name}": [
            _own(
                PC,
                f"{pool}.dcv.{name}",
                value,
                {**given, f"targets.parallelcluster.{pool}.dcv": {}},
            )
        ]
        for place, pool, given in (
            ("login_pool", "login_pool", _LOGIN),
            ("more_login_pools", "more_login_pools.0", _TWO_POOLS),
        )
        for name, value in (("port", 8444), ("allowed_from", "203.0.113.0/24"))
    },
    "options.parallelcluster.elastic_ip": [
        _own(PC, "elastic_ip", "eipalloc-0a1b2c3d4e5f67890"),
        _own(PC, "elastic_ip", True),
    ],
    "options.parallelcluster.dcv.port": [_own(PC, "dcv.port", 8444, _DCV)],
    "options.parallelcluster.dcv.allowed_from": [
        _own(PC, "dcv.allowed_from", "203.0.113.0/24", _DCV)
    ],
    **{
        f"options.parallelcluster.directory.{name}": [_own(PC, f"directory.{name}", value, _LDAP)]
        for name, value in {
            "domain": "dc=example,dc=org",
            "address": "ldaps://other.example.com",
            "secret": _SECRET.format("f"),
            "read_only_user": "cn=other,dc=example,dc=com",
            "ca_certificate": "/opt/certificate.pem",
            "require_certificate": "never",
            "access_filter": "(objectClass=person)",
            "ssh_keys": False,
            "sssd": {"debug_level": "9"},
        }.items()
    },
    "options.parallelcluster.dns.managed": [_own(PC, "dns.managed", False)],
    "options.parallelcluster.dns.ec2_hostnames": [_own(PC, "dns.ec2_hostnames", True)],
    "options.parallelcluster.dns.hosted_zone": [
        _own(PC, "dns.hosted_zone", "Z0123456789ABCDEFGHIJ")
    ],
    "options.parallelcluster.proxy": [_own(PC, "proxy", "http://10.42.0.10:3128")],
    "options.parallelcluster.shared_folders": [_own(PC, "shared_folders", "efs")],
    "options.parallelcluster.bucket": [_own(PC, "bucket", "my-bucket")],
    "options.parallelcluster.detailed_monitoring": [_own(PC, "detailed_monitoring", True)],
    "options.parallelcluster.memory_scheduling": [_own(PC, "memory_scheduling", True)],
    "options.parallelcluster.imds": [_own(PC, "imds", "v1.0")],
    "options.parallelcluster.imds_for_all": [_own(PC, "imds_for_all", True)],
    "options.pcs.cluster": [
        _own(PCS, "cluster", "pcs_0a1b2c3d4e", _EXISTING_VPC, existing="pcs_0a1b2c3d4f")
    ],
    "options.pcs.cluster_security_group": [
        _own(PCS, "cluster_security_group", "sg-0a1b2c3d4e5f67899")
    ],
    "options.pcs.size": [_own(PCS, "size", "large")],
    "options.pcs.rest": [_own(PCS, "rest", True)],
    "options.pcs.purge_accounting": [
        _own(PCS, "purge_accounting", "365d", _MANAGED),
        _own(PCS, "purge_accounting", "365d"),
    ],
    "options.hyperpod-slurm.provisioning": [
        _own(HP, "provisioning", "all-at-once", all_at_once="continuous", legacy="continuous")
    ],
    "options.hyperpod-slurm.mode": [
        _own(HP, "mode", "customer-managed", customer_managed="legacy"),
        _own(HP, "mode", "legacy", legacy="api"),
    ],
    "options.hyperpod-slurm.controllers": [
        _own(
            HP, "controllers", 2, {**_DATABASE, "storage": [{**_NEW["Lustre"], "mount": "/shared"}]}
        ),
    ],
    "options.hyperpod-slurm.cluster": [
        _joins(HP, {}, legacy={"targets.hyperpod-slurm.mode": "legacy"})
    ],
    "options.hyperpod-slurm.cluster_security_group": [
        _own(HP, "cluster_security_group", "sg-0a1b2c3d4e5f67899")
    ],
    "options.hyperpod-slurm.controller_group": [_own(HP, "controller_group", "head")],
    "options.hyperpod-slurm.login_group": [_own(HP, "login_group", "front", _LOGIN)],
    "options.hyperpod-eks.provisioning": [_own(HPE, "provisioning", "all-at-once")],
    **{
        f"options.{target}.leave_out": [
            _own(target, "leave_out", ["second-volume"]),
            _own(target, "leave_out", ["threads-per-core"]),
            _own(target, "leave_out", ["node-recovery"]),
            _own(target, "leave_out", ["one-subnet"], _TWO_SUBNETS),
            _own(target, "leave_out", ["security-groups"], _GROUPED),
        ]
        for target in (HP, HPE)
    },
    **{
        f"options.{target}.lifecycle.{field}": [
            _own(target, f"lifecycle.{field}", value, _lifecycle(target))
        ]
        for target, entry in ((HP, "on_init_complete"), (HPE, "on_create"))
        for field, value in {"source": "s3://my-bucket/src", entry: "other.sh"}.items()
    },
    "options.hyperpod-slurm.lifecycle.on_create": [
        _own(
            HP,
            "lifecycle.on_create",
            "other.sh",
            {
                "targets.hyperpod-slurm.mode": "customer-managed",
                "targets.hyperpod-slurm.lifecycle": {"source": _SOURCE, "on_create": "setup.sh"},
            },
        )
    ],
    "options.hyperpod-eks.cluster": [
        _joins(
            HPE,
            {"targets.hyperpod-eks.eks_cluster": _CLUSTER},
            karpenter={"kubernetes.autoscaler": "karpenter"},
        )
    ],
    "options.hyperpod-eks.cluster_security_group": [
        _own(HPE, "cluster_security_group", "sg-0a1b2c3d4e5f67899")
    ],
    "options.hyperpod-eks.eks_cluster": [_own(HPE, "eks_cluster", _CLUSTER)],
    "options.hyperpod-eks.eks_security_group": [
        _own(HPE, "eks_security_group", "sg-0a1b2c3d4e5f67899")
    ],
    "options.hyperpod-eks.cluster_role": [_own(HPE, "cluster_role", _ROLES.format("role"))],
    "options.hyperpod-eks.tiered_checkpoints": [_own(HPE, "tiered_checkpoints", 20)],
    "options.hyperpod-eks.auto_patching.strategy": [_patching("strategy", "when-all-idle", _IDLE)],
    "options.hyperpod-eks.auto_patching.idle_wait": [_patching("idle_wait", "12h", _IDLE)],
    "options.hyperpod-eks.auto_patching.batch": [_patching("batch", "20%")],
    "options.hyperpod-eks.auto_patching.pause": [_patching("pause", "5m")],
    "options.hyperpod-eks.auto_patching.drain_timeout": [_patching("drain_timeout", "30m")],
    "options.hyperpod-eks.auto_patching.on_drain_timeout": [_patching("on_drain_timeout", "force")],
    "options.hyperpod-eks.auto_patching.rollback_alarms": [
        _patching("rollback_alarms", ["failing"])
    ],
    "options.hyperpod-eks.update_schedule": [_own(HPE, "update_schedule", "cron(0 3 ? * SUN *)")],
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
    "options.eks.cluster_security_group": [
        _own(EKS, "cluster_security_group", "sg-0a1b2c3d4e5f67899")
    ],
    "options.eks.install": [
        _own(EKS, "install", "stack", stack="script"),
        _own(EKS, "install", "none"),
    ],
    "options.eks.deletion_protection": [_own(EKS, "deletion_protection", True)],
    **{
        f"options.{target}.{field}": [_own(target, field, value)]
        for target in (PCS, EKS, BATCH)
        for field, value in (
            ("key_name", "platform"),
            ("detailed_monitoring", True),
            ("imds", "v1.0"),
            ("imds_hops", 3),
        )
    },
    "options.pcs.leave_out": [
        _own(PCS, "leave_out", ["session-manager"]),
        _own(PCS, "leave_out", ["security-groups"], _GROUPED),
    ],
    "options.eks.leave_out": [
        _own(EKS, "leave_out", [addition])
        for addition in (
            "security-groups",
            "session-manager",
            "control-plane-logs",
            "secrets-key",
            "ebs-driver",
            "node-monitoring",
        )
    ],
    "options.batch.leave_out": [
        _own(BATCH, "leave_out", ["security-groups"], _GROUPED),
        _own(BATCH, "leave_out", ["session-manager"]),
        _own(BATCH, "leave_out", ["stuck-jobs"]),
    ],
    "options.batch.queue_names": [_own(BATCH, "queue_names", {"train": "Training"}, _QUEUED)],
    "options.batch.image": [_own(BATCH, "image", "public.ecr.aws/example/train:1")],
}

FIELDS: Mapping[str, list[Change]] = {
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
    "*.path": "its place in the spec",
    "target": "what the plan is for",
    "targets": "what the foundation is for: tests/foundation/test_targets.py",
    "limits": "of the target",
    "sagemaker": "of the target",
    "scheduler": "of the target",
    "written": "what the user wrote",
    "unused": "targets.parallelcluster.leave_out: tests/foundation/test_unused.py",
    "lifecycle_sources": "targets.hyperpod-*.lifecycle",
    "slurm_machines": "head.iam and login.iam",
    "slurm_machines.*": "head.iam and login.iam",
    "decisions.*": "what the planner chose",
    "partition": "follows from the region",
    "system.*": "kubernetes.system_nodes, where an EKS cluster is created",
    "kubernetes.system_nodes.image": "not in the language",
    **{
        f"kubernetes.system_nodes.{field}": "not in the language"
        for field in ("volume.*", "subnets", "security_groups", "ssh_from", "iam.*")
    },
    "kubernetes.system_nodes.threads_per_core": "not in the language",
    **{
        f"{name}.{field}": "not in the language"
        for name in ("login", "more_login")
        for field in ("iam.s3.*",)
    },
    "stopped_login.*": "those of login, with a count of 0",
    "more_login.volume.*": "not in the language",
    "more_login.threads_per_core": "not in the language",
    "head.name": "of further login nodes",
    "login.name": "of further login nodes",
    "kubernetes.system_nodes.name": "of further login nodes",
    "head.count": "options.hyperpod-slurm.controllers",
    "network.needed_addresses": "counted",
    "network.needed_system_addresses": "counted",
    "network.zonal.*": "node_groups.zone: tests/plan/test_zones.py",
    "network.system.*": "follow from the other subnets: tests/foundation/test_subnets.py",
    "network.login_security_groups": "follows from network.node_security_groups",
    "network.new_security_groups": "follows from network.node_security_groups",
    "network.control_plane_security_group": "options.hyperpod-eks.eks_security_group",
    "network.scheduler_security_group": "options.pcs.cluster_security_group",
    "node_groups.interfaces.*": "follow from types, efa and efa_layout",
    **{
        f"network.{subnets}.{fact}": "a fact about a subnet that exists; only rules read it"
        for subnets in ("private", "public", "control_plane")
        for fact in ("zone", "cidr")
    },
    "storage.*.output": "follows from mount",
    **{
        f"storage.{kind}.{field}": "not in the language"
        for kind in ("Ontap", "FileCache", "Bucket")
        for field in ("kms_key", "backup_days")
    },
    **{
        f"storage.{kind}.by_cluster": "not in the language"
        for kind in ("OpenZfs", "Ontap", "FileCache", "Ebs", "Bucket")
    },
    "storage.Ebs.volume.encrypted": "storage.Ebs.encrypted",
    "storage.Ebs.volume.kms_key": "storage.Ebs.kms_key",
    "storage.Ebs.volume.retain": "storage.Ebs.retain",
    "storage.Ebs.backup_days": "refused for every EBS volume (STG019)",
    "storage.Ontap.id": "required; it is mounted by the names of its volume",
    "storage.Ontap.existing": "required (STG001)",
    "storage.FileCache.existing": "required (STG001)",
    "storage.Bucket.existing": "refused for every bucket (STG022)",
    "storage.Bucket.id": "refused for every bucket (STG022)",
    "storage.Ontap.retain": "refused for what exists (STG004)",
    "storage.FileCache.retain": "refused for what exists (STG004)",
    "storage.Bucket.retain": "refused for every bucket (STG022)",
    "options.hyperpod-eks.lifecycle.on_init_complete": "refused on every cluster (K8S436)",
    "options.parallelcluster.version": "the language has one",
}
"""Fields that need no row, and why."""

EXCEPTIONS: Mapping[tuple[str, str], str] = {
    (
        "storage.OpenZfs.id",
        PC,
    ): "required; ParallelCluster mounts the volume by its own id",
}
"""Fields that have no effect in some modes, by a word of their name, and need not say so."""
