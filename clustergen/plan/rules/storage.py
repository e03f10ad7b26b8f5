"""Storage: problems found while planning."""

from clustergen.base.findings import Rule

_ONTAP = """storage:
  - mount: /data
    type: fsx-ontap
    existing: {id: fs-0123456789abcdef0, volume_id: fsvol-0123456789abcdef0}"""

ONLY_EXISTING = Rule(
    code="STG001",
    title="Storage type that clustergen only mounts",
    why="FSx for ONTAP needs a storage virtual machine and volumes, Amazon File Cache a "
    "repository; create them elsewhere; nodes mount them by their id.",
    source="the language, version 1",
    bad="storage: [{mount: /data, type: fsx-ontap}]",
    good=_ONTAP,
)
NO_VOLUME = Rule(
    code="STG002",
    title="ONTAP file system without a volume",
    why="Nodes mount a volume of an ONTAP file system; the file system's id alone does not "
    "identify one.",
    source="https://docs.aws.amazon.com/fsx/latest/ONTAPGuide/attach-linux-client.html",
    bad="storage: [{mount: /data, type: fsx-ontap, existing: {id: fs-0123456789abcdef0}}]",
    good=_ONTAP,
)
BACKUP_DAYS = Rule(
    code="STG003",
    title="Backups are kept for whole days",
    why="Backups are made daily, and how long they are kept is counted in days.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/using-backups-fsx.html",
    bad="storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB, backups: 36h}]",
)
