"""New file systems: what the template of another stack says about them, or stand-ins."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from clustergen.importing.cloudformation.functions import UNKNOWN, as_text
from clustergen.importing.cloudformation.stacks import Resource
from clustergen.importing.companion_files import Beside
from clustergen.importing.machines import filled, items, section
from clustergen.importing.notes import Notes
from clustergen.importing.settings import Json

_LINK: Final = "AWS::FSx::DataRepositoryAssociation"
_SIZES: Final = {"fsx-lustre": "1200GiB", "fsx-openzfs": "64GiB"}
"""The smallest sizes, as stand-ins."""
_WITH_EFA: Final = "19200GiB"


def new(  # noqa: PLR0913 what a document and the files beside it say
    type: str, named: Any, mount: str, beside: Beside, notes: Notes, *, efa: bool = False
) -> Json:
    """A file system that another stack has; ``named`` is what the document calls it."""
    found: Json = {"mount": mount, "type": type}
    if resource := beside.resource(named):
        found |= filled(_READ[type](_known(resource.properties)))
        found |= filled({"data_repositories": list(_links(resource, beside, notes))})
    if type in _SIZES and "size" not in found and found.get("storage_class") != _ELASTIC:
        found["size"] = _WITH_EFA if efa else _SIZES[type]
        text = f"the size of {mount} is in the template of the foundation"
        notes.asked((), text, "add that file, or replace the stand-in by the size", "storage")
    return found | ({"efa": True} if efa else {})


def _known(node: Json) -> Json:
    """``node`` without values that no file says."""
    inner = {key: _known(each) if isinstance(each, dict) else each for key, each in node.items()}
    return {key: each for key, each in inner.items() if not UNKNOWN.search(as_text(each))}


def _links(system: Resource, beside: Beside, notes: Notes) -> Iterator[Json]:
    for link in beside.of_type(_LINK):
        owner = beside.resource(link.properties.get("FileSystemId"))
        if owner is None or owner.id != system.id:
            continue
        known = _known(link.properties)
        if not {"FileSystemPath", "DataRepositoryPath"} <= set(known):
            notes.dropped((), f"{link.id}: no file says its folder and its bucket")
            continue
        yield {
            "path": known["FileSystemPath"],
            "s3": known["DataRepositoryPath"],
            "import": _events(known, "AutoImportPolicy"),
            "export": _events(known, "AutoExportPolicy"),
        }


def _events(link: Json, policy: str) -> list[str]:
    return [str(event).lower() for event in items(link, "S3", policy, "Events")]


def lustre(settings: Json) -> Json:
    """The words for settings of Lustre, which ParallelCluster and CloudFormation call alike."""
    kind = word(settings.get("StorageType", "SSD"))
    return {
        "size": gib(settings.get("StorageCapacity")),
        "deployment": word(settings.get("DeploymentType", "SCRATCH_2")),
        "storage_class": kind if kind != "ssd" else None,
        "throughput": settings.get("PerUnitStorageThroughput"),
        "compression": "lz4" if settings.get("DataCompressionType") == "LZ4" else "none",
        "drive_cache": True if settings.get("DriveCacheType") == "READ" else None,
        "kms_key": settings.get("KmsKeyId"),
        "backups": _days(settings.get("AutomaticBackupRetentionDays")),
        "import_from": settings.get("ImportPath"),
        "export_to": settings.get("ExportPath"),
    }


def _lustre(properties: Json) -> Json:
    own = section(properties, "LustreConfiguration")
    metadata, cache = (section(own, key) for key in ("MetadataConfiguration", _CACHE))
    mode = "auto" if metadata.get("Mode") == "AUTOMATIC" else None
    found = lustre({**properties, **own})
    elastic = found["storage_class"] == _ELASTIC
    return {
        **found,
        "throughput": own.get("ThroughputCapacity") if elastic else found["throughput"],
        "metadata_iops": metadata.get("Iops", mode),
        "read_cache": gib(cache.get("SizeGiB"))
        or ("none" if cache.get("SizingMode") == "NO_CACHE" else None),
        "efa": True if str(own.get("EfaEnabled")).lower() == "true" else None,
    }


def _openzfs(properties: Json) -> Json:
    own = section(properties, "OpenZFSConfiguration")
    compression = section(own, "RootVolumeConfiguration").get("DataCompressionType", "NONE")
    return {
        "size": gib(properties.get("StorageCapacity")),
        "deployment": word(own.get("DeploymentType")),
        "throughput": own.get("ThroughputCapacity"),
        "iops": section(own, "DiskIopsConfiguration").get("Iops"),
        "compression": word(compression),
        "kms_key": properties.get("KmsKeyId"),
        "backups": _days(own.get("AutomaticBackupRetentionDays")),
    }


def _efs(properties: Json) -> Json:
    return {
        "encrypted": None if str(properties.get("Encrypted")).lower() == "true" else False,
        "throughput_mode": properties.get("ThroughputMode", "bursting"),
        "throughput": properties.get("ProvisionedThroughputInMibps"),
        "kms_key": properties.get("KmsKeyId"),
        "one_zone": True if "AvailabilityZoneName" in properties else None,
    }


_CACHE: Final = "DataReadCacheConfiguration"
_ELASTIC: Final = "intelligent-tiering"
_READ: Final[Mapping[str, Callable[[Json], Json]]] = {
    "fsx-lustre": _lustre,
    "fsx-openzfs": _openzfs,
    "efs": _efs,
}


def gib(size: Any) -> str | None:
    return f"{size}GiB" if size else None


def word(constant: Any) -> str:
    return str(constant).lower().replace("_", "-")


def _days(number: Any) -> str | None:
    return f"{number}d" if number and str(number) != "0" else None
