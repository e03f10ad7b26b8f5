"""File systems for pods: a volume and its claim in each namespace of users."""

import re
from collections.abc import Iterable, Iterator, Sequence

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.plan.model import Bucket, Ebs, Efs, FileCache, Lustre, Ontap, OpenZfs, Plan, Storage
from clustergen.services.aws import mounts, references
from clustergen.services.foundation import storage as file_systems
from clustergen.services.kubernetes import names
from clustergen.services.kubernetes.manifest import kubernetes_object

_SIZE = "1200Gi"
"""Kubernetes requires a size, and nothing uses it. It is the same for every volume: a claim cannot
change its size, and would be rejected once its file system has grown."""


def mountable(plan: Plan) -> tuple[Storage, ...]:
    """The storage that pods can mount."""
    return tuple(item for item in plan.storage if not isinstance(item, Ebs))


def objects(plan: Plan, namespaces: Sequence[str]) -> Iterator[Json]:
    """A volume and a claim for each file system and namespace; a volume can have only one claim."""
    for item in mountable(plan):
        for namespace in namespaces:
            yield _volume(plan, item, namespace)
            yield _claim(plan, item, namespace)


def claim_name(plan: Plan, item: Storage) -> str:
    """The name of a claim: ``/data/x`` is ``data-x``.

    In an existing cluster, the name of the plan comes first.
    """
    name = names.of_bundle(plan, item.mount.strip("/").lower().replace("/", "-"))
    if re.fullmatch(r"(/[a-z0-9]+)+/?", item.mount) and len(name) <= _LONGEST:
        return name
    plain = re.sub(r"[^a-z0-9]+", "-", name).strip("-")[: _LONGEST - 7].strip("-")
    return "-".join(filter(None, (plain, sha256(names.of_bundle(plan, item.mount))[:6])))


_LONGEST = 60


def unknown_paths(plan: Plan) -> tuple[str, ...]:
    """Ids of FSx volumes whose path only FSx knows; manifests use :func:`path_of` for it."""
    return tuple(
        item.volume
        for item in mountable(plan)
        if isinstance(item, OpenZfs | Ontap) and isinstance(item.volume, str)
    )


def path_of(volume: str) -> str:
    """The placeholder for the path of an FSx volume."""
    return f"/PATH-OF-{volume}"


def read_only(item: Storage) -> bool:
    """Whether storage is read-only for pods."""
    return isinstance(item, Bucket) and item.read_only


def pod_volumes(plan: Plan, items: Iterable[Storage]) -> list[Json]:
    """Volumes of a pod, by claim."""
    found = ((claim_name(plan, item), item) for item in items)
    return [{"name": name, "persistentVolumeClaim": _used(name, item)} for name, item in found]


def pod_mounts(plan: Plan, items: Iterable[Storage]) -> list[Json]:
    """Mounts of a container for :func:`pod_volumes`."""
    return [{"name": claim_name(plan, item), "mountPath": item.mount} for item in items]


def _used(name: str, item: Storage) -> Json:
    return {"claimName": name, **({"readOnly": True} if read_only(item) else {})}


def _volume(plan: Plan, item: Storage, namespace: str) -> Json:
    name = claim_name(plan, item)
    spec = {
        "capacity": {"storage": _SIZE},
        "accessModes": [_mode(item)],
        # The foundation owns the data: deleting a claim does not delete it.
        "persistentVolumeReclaimPolicy": "Retain",
        "storageClassName": "",
        "claimRef": {"namespace": namespace, "name": name},
        **_source(plan, item, f"{name}.{namespace}"),
    }
    return kubernetes_object("v1", "PersistentVolume", f"{name}.{namespace}", spec=spec)


def _claim(plan: Plan, item: Storage, namespace: str) -> Json:
    name = claim_name(plan, item)
    spec = {
        "accessModes": [_mode(item)],
        "storageClassName": "",
        "volumeName": f"{name}.{namespace}",
        "resources": {"requests": {"storage": _SIZE}},
    }
    return kubernetes_object("v1", "PersistentVolumeClaim", name, namespace=namespace, spec=spec)


def _mode(item: Storage) -> str:
    return "ReadOnlyMany" if read_only(item) else "ReadWriteMany"


def _source(plan: Plan, item: Storage, name: str) -> Json:
    match item:
        case Lustre() | FileCache():
            return _lustre(item)
        case OpenZfs() | Ontap():
            return _nfs(item)
        case Efs():
            return _efs(plan, item)
        case Bucket():
            return _bucket(item, name)
    raise TypeError(f"no volume for {item!r}")


def _lustre(item: Lustre | FileCache) -> Json:
    """The volume of a Lustre file system or cache; the same CSI driver mounts both.

    https://github.com/kubernetes-sigs/aws-fsx-csi-driver (1.9.0, 2026-04)
    """
    return {
        "mountOptions": mounts.LUSTRE_OPTIONS.split(","),
        "csi": {
            "driver": "fsx.csi.aws.com",
            "volumeHandle": references.text(item.id),
            "volumeAttributes": {
                "dnsname": references.text(item.dns_name),
                "mountname": references.text(item.mount_name),
            },
        },
    }


def _efs(plan: Plan, item: Efs) -> Json:
    """A volume cannot change its attributes, which may have the address too, but its options.

    https://github.com/aws/efs-utils#mounttargetip (2026-07)
    """
    address = references.placeholder(f"{item.output}Address")
    options = {"mountOptions": [f"mounttargetip={address}"]}
    return {
        **(options if file_systems.needs_address(plan, item) else {}),
        "csi": {"driver": "efs.csi.aws.com", "volumeHandle": references.text(item.id)},
    }


def _nfs(item: OpenZfs | Ontap) -> Json:
    volume = mounts.existing_volume(item.volume)
    path = path_of(volume) if volume else mounts.ROOT_OF_OPENZFS
    return {
        "mountOptions": mounts.NFS_OPTIONS.split(","),
        "nfs": {"server": references.text(item.dns_name), "path": path},
    }


def _bucket(item: Bucket, name: str) -> Json:
    """The volume of a bucket, open to the users of all pods; by default only root has access.

    https://github.com/awslabs/mountpoint-s3-csi-driver (2026-08); volume handles are never shared.
    """
    writing = ["dir-mode=0777", "file-mode=0666", "allow-delete", "allow-overwrite"]
    prefix = [f"prefix {item.prefix.rstrip('/')}/"] if item.prefix else []
    return {
        "mountOptions": ["allow-other", *([] if item.read_only else writing), *prefix],
        "csi": {
            "driver": "s3.csi.aws.com",
            "volumeHandle": name,
            "volumeAttributes": {"bucketName": item.bucket},
        },
    }
