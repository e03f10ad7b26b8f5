"""Storage: the new or existing file system of every mount path."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from clustergen.base.digests import sha256
from clustergen.base.findings import Finding, Path, put, unsafe
from clustergen.facts.catalog import fsx as tables
from clustergen.facts.catalog.ebs import provisioned_iops
from clustergen.facts.catalog.regions import partition_of
from clustergen.plan import fsx, model
from clustergen.plan.model import Decision, Id, Ref, Storage
from clustergen.plan.rules.storage import BACKUP_DAYS, NO_VOLUME, ONLY_EXISTING
from clustergen.plan.storage_kinds import spelled

if TYPE_CHECKING:
    from clustergen.spec import storage as spec
    from clustergen.spec.model import Spec

_DAY = 86400
_FOUNDATIONS_OWN = "StorageSecurityGroup"


def storage(
    spec: Spec, written: Collection[Path] = ()
) -> tuple[tuple[Storage, ...], list[Decision], list[Finding]]:
    """The storage of a spec in order, the decisions, and the findings.

    Entries that cannot exist give a finding and are omitted. ``written`` has the paths that the
    user wrote: only defaults are decisions.
    """
    planner = _Planner(spec.region, _zone(spec), frozenset(written))
    planned = [planner.plan(entry, ("storage", i)) for i, entry in enumerate(spec.storage)]
    return tuple(item for item in planned if item), planner.decisions, planner.findings


def output_stem(mount: str) -> str:
    """The stem of the foundation outputs of a new file system: ``/data/x`` is ``StorageDataX``.

    It depends only on the mount path, so that an output keeps its name when other storage changes.
    Paths with characters besides lower-case letters and digits get a hash, because ``/data-x``
    would have the same stem.
    """
    words = [word for word in re.split(r"[^A-Za-z0-9]+", mount) if word]
    stem = "Storage" + "".join(word[0].upper() + word[1:] for word in words)
    if re.fullmatch(r"(/[a-z][a-z0-9]*)+", mount) and stem != _FOUNDATIONS_OWN:
        return stem
    return stem + sha256(mount)[:6]


def _zone(spec: Spec) -> str:
    subnets = (subnet.zone for subnet in spec.network.private_subnets)
    return spec.network.zone or next((zone for zone in subnets if zone), "")


class _Base(TypedDict):
    """The arguments that all kinds of :class:`clustergen.plan.model.Storage` share."""

    path: Path
    mount: str
    output: str
    existing: bool
    id: Id
    retain: bool
    kms_key: str | None
    backup_days: int | None
    name: str | None
    by_cluster: bool


class _Planner:
    """Plans the entries one by one, and collects decisions and findings."""

    def __init__(self, region: str, zone: str, written: frozenset[Path]) -> None:
        self.region, self.zone, self.written = region, zone, written
        self.suffix = partition_of(region).dns_suffix
        self.decisions: list[Decision] = []
        self.findings: list[Finding] = []

    def plan(self, entry: spec.Storage, path: Path) -> Storage | None:
        if entry.type == "fsx-lustre":
            return self._lustre(entry, path)
        if entry.type == "fsx-openzfs":
            return self._openzfs(entry, path)
        if entry.type == "efs":
            return model.Efs(
                **self._base(entry, path),
                dns_name=self._dns_name(entry, "efs"),
                throughput_mode=entry.throughput_mode,
                throughput=entry.throughput,
                one_zone=entry.one_zone,
                encrypted=entry.encrypted,
            )
        if entry.type == "ebs":
            iops = provisioned_iops(entry.volume_type, entry.iops)
            volume = model.Volume(entry.size, entry.volume_type, iops, entry.throughput)
            return model.Ebs(
                **self._base(entry, path),
                volume=volume,
                encrypted=entry.encrypted,
                snapshot=entry.snapshot,
                ends_as_snapshot=entry.on_delete == "snapshot",
                raid=model.Raid(entry.raid.level, entry.raid.volumes) if entry.raid else None,
            )
        if entry.type == "s3":
            return self._bucket(entry, path)
        return self._attached(entry, path)

    def _base(self, entry: spec.Storage, path: Path) -> _Base:
        output = output_stem(entry.mount)
        return {
            "path": path,
            "mount": entry.mount,
            "output": output,
            "existing": entry.existing is not None,
            "id": entry.existing.id if entry.existing else Ref(f"{output}Id"),
            "retain": entry.on_delete == "retain",
            "kms_key": getattr(entry, "kms_key", None),
            "backup_days": self._backup_days(entry, path),
            "name": entry.name,
            "by_cluster": getattr(entry, "created_by", "") == "cluster",
        }

    def _backup_days(self, entry: spec.Storage, path: Path) -> int | None:
        seconds: int | None = getattr(entry, "backups", None)
        if seconds is None:
            return None
        days = -(-seconds // _DAY)
        if seconds % _DAY or not seconds:
            message = f"{entry.mount}: backups are kept for whole days"
            at, write = (*path, "backups"), f"{max(days, 1)}d"
            finding = BACKUP_DAYS.at(at, message, help=f"write {write}", fix=unsafe(put(at, write)))
            self.findings.append(finding)
        return days

    def _dns_name(self, entry: spec.Storage, service: str) -> Id:
        """https://docs.aws.amazon.com/fsx/latest/LustreGuide/mount-fs-auto-mount-onreboot.html,
        https://docs.aws.amazon.com/efs/latest/ug/mounting-fs-mount-cmd-dns-name.html"""
        if entry.existing is None:
            return Ref(f"{output_stem(entry.mount)}DnsName")
        derived = f"{entry.existing.id}.{service}.{self.region}.{self.suffix}"
        return entry.existing.dns_name or derived

    def _lustre(self, entry: spec.FsxLustre, path: Path) -> model.Lustre:
        base, dns_name = self._base(entry, path), self._dns_name(entry, "fsx")
        if entry.existing is not None:
            return model.Lustre(
                **base, dns_name=dns_name, mount_name=entry.existing.mount_name, efa=entry.efa
            )
        deployment, throughput, size = self._lustre_choice(entry, path)
        return model.Lustre(
            **base,
            dns_name=dns_name,
            mount_name=Ref(f"{base['output']}MountName"),
            deployment=deployment,
            storage_class=_upper(entry.storage_class),
            size_gib=size,
            throughput=throughput,
            metadata_iops=self._metadata_iops(entry, path),
            efa=entry.efa,
            compression=_upper(entry.compression),
            drive_cache=entry.drive_cache,
            read_cache_gib=entry.read_cache,
            repositories=tuple(_repository(one) for one in entry.data_repositories),
            import_from=entry.import_from,
            export_to=entry.export_to,
        )

    def _lustre_choice(
        self, entry: spec.FsxLustre, path: Path
    ) -> tuple[fsx.Deployment, int | None, int | None]:
        """Deployment, throughput and size in GiB; combinations that FSx lacks stay unchanged."""
        deployment = self._deployment(entry, path)
        kind = tables.lustre_class(deployment, _upper(entry.storage_class))
        if kind is None:
            return deployment, entry.throughput, entry.size
        throughput, size = entry.throughput, entry.size
        if throughput is None:
            throughput = fsx.default_throughput(kind, size, efa=entry.efa)
            if throughput is not None:
                unit = "MB/s" if kind.storage is tables.Storage.INTELLIGENT_TIERING else fsx.PER_TIB
                self._decide((*path, "throughput"), f"{entry.mount}: {throughput} {unit}")
        if size is None:
            size = fsx.default_size(kind, throughput, efa=entry.efa)
            if size is not None:
                smallest = f"{entry.mount}: {size}GiB, the smallest there is"
                at = f" at {throughput} {fsx.PER_TIB}" if throughput else ""
                self._decide((*path, "size"), smallest + at)
        return deployment, throughput, size

    def _deployment(self, entry: spec.FsxLustre, path: Path) -> fsx.Deployment:
        if entry.deployment != "auto":
            deployment: fsx.Deployment = _upper(entry.deployment)
            return deployment
        deployment, why = fsx.default_deployment(
            entry.storage_class,
            throughput=entry.throughput,
            features=entry.efa or entry.metadata_iops is not None,
            at=(self.region, self.zone),
        )
        words = spelled(deployment)
        self._decide((*path, "deployment"), f"{entry.mount}: {words}, {why}")
        return deployment

    def _metadata_iops(
        self, entry: spec.FsxLustre, path: Path
    ) -> int | Literal["AUTOMATIC"] | None:
        """https://docs.aws.amazon.com/fsx/latest/LustreGuide/managing-metadata-performance.html"""
        if isinstance(entry.metadata_iops, int):
            return entry.metadata_iops
        if entry.storage_class == "intelligent-tiering":
            # AUTOMATIC needs a size.
            least = fsx.metadata_steps("INTELLIGENT_TIERING").least
            text = f"{entry.mount}: {least} metadata IOPS, the least with intelligent-tiering"
            self._decide((*path, "metadata_iops"), text)
            return least
        if entry.efa and entry.metadata_iops is None:
            text = f"{entry.mount}: metadata IOPS follow the size (EFA needs metadata IOPS)"
            self._decide((*path, "metadata_iops"), text)
        return "AUTOMATIC" if entry.efa or entry.metadata_iops == "auto" else None

    def _openzfs(self, entry: spec.FsxOpenZfs, path: Path) -> model.OpenZfs:
        base, dns_name = self._base(entry, path), self._dns_name(entry, "fsx")
        if entry.existing is not None:
            return model.OpenZfs(**base, dns_name=dns_name, volume=entry.existing.volume_id)
        deployment: str = _upper(entry.deployment)
        throughput, kind = entry.throughput, tables.openzfs_class(deployment)
        if throughput is None and kind is not None:
            throughput = kind.throughputs[0]
            text = f"{entry.mount}: {throughput} MB/s, the least of {entry.deployment}"
            self._decide((*path, "throughput"), text)
        return model.OpenZfs(
            **base,
            dns_name=dns_name,
            volume=Ref(f"{base['output']}VolumeId"),
            deployment=deployment,
            size_gib=entry.size,
            throughput=throughput,
            iops=entry.iops,
            compression=_upper(entry.compression),
        )

    def _attached(self, entry: spec.FsxOntap | spec.FileCache, path: Path) -> Storage | None:
        existing, base = entry.existing, self._base(entry, path)
        if existing is None:
            message = f"{entry.mount}: clustergen does not create {entry.type}"
            form = f"add existing: {_EXISTING_FORM[entry.type]}"
            self.findings.append(ONLY_EXISTING.at((*path, "type"), message, help=form))
            return None
        if entry.type == "file-cache":
            dns_name = self._dns_name(entry, "fsx")
            return model.FileCache(**base, dns_name=dns_name, mount_name=existing.mount_name)
        if existing.volume_id is None:
            message = f"{entry.mount}: the volume of {existing.id} is missing"
            form = "add volume_id: fsvol-..."
            self.findings.append(NO_VOLUME.at((*path, "existing"), message, help=form))
            return None
        return model.Ontap(**base, dns_name=existing.dns_name, volume=existing.volume_id)

    def _bucket(self, entry: spec.S3, path: Path) -> model.Bucket:
        bucket, _, prefix = entry.bucket.removeprefix("s3://").partition("/")
        base = self._base(entry, path) | {"existing": True, "id": bucket}
        return model.Bucket(**base, bucket=bucket, prefix=prefix, read_only=entry.read_only)

    def _decide(self, path: Path, text: str) -> None:
        if path not in self.written:
            self.decisions.append(Decision(path, text))


_EXISTING_FORM = {
    "fsx-ontap": "{id: fs-..., volume_id: fsvol-...}",
    "file-cache": "{id: fc-..., mount_name: ...}",
}


def _repository(given: spec.DataRepository) -> model.Repository:
    return model.Repository(
        path=given.path,
        s3=given.s3,
        imports=tuple(_each_once(given.import_)),
        exports=tuple(_each_once(given.export)),
    )


def _each_once(changes: list[spec.Change]) -> Iterator[str]:
    """Changes in the API's spelling, without duplicates, which the API rejects."""
    return (change.upper() for change in dict.fromkeys(changes))


def _upper(word: str) -> Any:
    """A value in the API's spelling: ``PERSISTENT_2`` for ``persistent-2``."""
    return word.upper().replace("-", "_")
