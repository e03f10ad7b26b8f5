"""EC2 service quotas that an instance type counts against.

There is one On-Demand code per group of families; Spot codes are finer for P. Codes that are not in
these tables are unknown; several published lists contain invented ones.
https://docs.aws.amazon.com/general/latest/gr/ec2-service.html#limits_ec2 (2026-10-03)
"""

import re

from clustergen.facts.catalog.instance import Quota

ON_DEMAND = {
    "P": "L-417A185B",
    "G and VT": "L-DB2E81BA",
    "Trn": "L-2C3B7624",
    "Inf": "L-1945791B",
    "HPC": "L-F7808C92",
    "DL": "L-6E869C2A",
    "F": "L-74FC7D96",
    "X": "L-7295265B",
    "High Memory": "L-43DA4232",
    "Standard": "L-1216C47A",
}

DEFAULT_VCPUS = {"Standard": 5}
"""Of a new account, On-Demand; 0 for all other groups. Same page (2026-10-03)."""

SPOT = {
    "P5": "L-C4BD4855",
    "P4, P3 and P2": "L-7212CCBC",
    "G and VT": "L-3819A6DF",
    "Trn": "L-6B0D517C",
    "Inf": "L-B5D1601B",
    "Standard": "L-34B43A08",
    "X": "L-E3A00192",
    "DL": "L-85EED4F7",
    "F": "L-88CF9481",
}

NETWORK_INTERFACES = "L-DF5E4CA3"
"""VPC quota "Network interfaces per Region"."""
VPCS = "L-F678F1CE"
"""VPC quota "VPCs per Region"; 5 in a new account.
https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html"""
ADDRESSES = "L-0263D0A3"
"""EC2 quota "EC2-VPC Elastic IPs"; 5 in a new account. Same page."""

# Service Quotas, ListAWSDefaultServiceQuotas of ebs and fsx; 2026-11.
VOLUMES = {
    "gp3": "L-7A658B76",
    "gp2": "L-D18FCD1D",
    "io1": "L-FD252861",
    "io2": "L-09BD8365",
    "st1": "L-82ACEF56",
    "sc1": "L-17AF77E8",
}
"""EBS quotas of the storage of each volume type, in TiB."""
LUSTRE = {
    "SCRATCH_1": ("Scratch", "L-AD2FC696"),
    "SCRATCH_2": ("Scratch", "L-AD2FC696"),
    "PERSISTENT_1": ("Persistent_1", "L-C8640C82"),
    "PERSISTENT_2": ("Persistent_2", "L-8F1B9C74"),
}
"""Names and codes of the FSx quotas of Lustre storage, in GiB, by deployment type."""
OPENZFS = "L-88479C21"
"""The FSx quota "OpenZFS SSD storage capacity", in GiB."""

# The longer stem first: "trn" before "t", "hpc" before "h". gr6 is a G, u- and u7 are High Memory.
_STEMS = (
    ("hpc", "HPC"),
    ("inf", "Inf"),
    ("trn", "Trn"),
    ("mac", "Mac"),
    ("dl", "DL"),
    ("vt", "G and VT"),
    ("u-", "High Memory"),
    ("u7", "High Memory"),
    ("p", "P"),
    ("g", "G and VT"),
    ("f", "F"),
    ("x", "X"),
)


def quota_of(name: str, *, spot: bool) -> Quota:
    """The quotas of the instance type ``name``; ``spot`` is whether it is available as Spot."""
    group = next((group for stem, group in _STEMS if name.startswith(stem)), "Standard")
    return Quota(group, ON_DEMAND.get(group), SPOT.get(_spot_group(name, group)) if spot else None)


def _spot_group(name: str, group: str) -> str:
    if group != "P":
        return group
    generation = re.match(r"p(\d+)", name)
    number = int(generation[1]) if generation else 0
    # No Spot code is documented for P6, nor whether it counts against the one of P5.
    return {5: "P5"}.get(number, "P4, P3 and P2" if number < 5 else "P6")
