"""Retired codes. Codes are never reused, so old reports remain readable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Retired(NamedTuple):
    """The successor of a retired code."""

    successor: str
    """The code that replaces it; empty if none does."""
    why: str


_MERGED: Mapping[str, tuple[str, ...]] = {
    "CAP011": ("CAP400", "CAP500"),
    "CAP012": ("CAP403", "CAP501"),
    "GPU003": ("GPU401", "K8S513"),
    "GPU004": ("SLM213",),
    "IAM002": ("IAM501",),
    "IAM005": ("IAM103",),
    "IMG001": ("IMG101", "IMG201", "IMG350", "IMG400", "IMG500"),
    "IMG002": ("IAM101", "IMG351"),
    "K8S002": ("K8S410", "K8S510"),
    "K8S003": ("K8S411", "K8S511"),
    "K8S004": ("K8S412", "K8S512"),
    "LIM001": ("K8S536", "LIM101", "LIM201", "LIM300"),
    "LIM002": ("K8S535", "LIM208", "LIM350"),
    "LIM013": ("LIM210",),
    "LIM003": ("LIM102", "LIM203", "LIM301", "LIM501"),
    "LIM004": ("LIM302", "LIM502"),
    "LIM005": ("LIM209", "LIM505"),
    "LIM010": ("LIM105",),
    "LIM006": ("LIM400", "LIM500"),
    "NET020": ("NET101", "NET201", "NET300", "NET504"),
    "NET021": ("NET301", "NET506"),
    "NET022": ("NET403", "NET500"),
    "NET043": ("NET203", "NET303", "NET510"),
    "NET044": ("NET204", "NET304"),
    "NET045": ("NET205", "NET305", "NET511"),
    "NET046": ("NET206", "NET306"),
    "SPC030": ("IAM001", "IAM400", "IAM500"),
    "SLM001": ("SLM101", "SLM201"),
    "SLM002": ("SLM110", "SLM214"),
    "SLM003": ("SLM109", "SLM354"),
    "SLM008": ("SLM357",),
    "SLM009": ("SLM102", "SLM103", "SLM104", "SLM105", "SLM203"),
    "SLM010": ("SLM108", "SLM206"),
    "STG051": ("STG106", "STG500"),
    "STG052": ("STG201", "STG351"),
}
"""Retired codes of single services, by the code of the rule that now checks all services."""

RETIRED: Mapping[str, Retired] = {
    "K8S400": Retired("", "HyperPod on a new EKS cluster is supported."),
    "K8S420": Retired("SPC024", "The form of names rules it out for every target."),
    "K8S522": Retired("", "Kueue's quotas count devices that pods claim."),
    "K8S401": Retired("SPC023", "The language checks the whole ARN."),
    "NET104": Retired("NET014", "It holds for every target."),
    "SLM356": Retired("SUP002", "Idle timeouts are a feature that HyperPod leaves out."),
    "SLM361": Retired("SUP001", "Slurm settings of a node group are a feature."),
    "STG110": Retired("STG019", "It holds for every target."),
    "SUP003": Retired("", "Every target is available."),
    "CAP602": Retired("", "Nodes of Batch always start with jobs: its README says so."),
    **{
        old: Retired(code, "One rule checks this for all services.")
        for code, codes in _MERGED.items()
        for old in codes
    },
}
"""By retired code."""
