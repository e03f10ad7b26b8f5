"""Every mode in which a target can be: what is set over :data:`BASE` to be in it.

A mode is a way to run the same cluster that takes other code: another scheduler of nodes, another
way to set up Slurm, another owner of the EKS cluster.
"""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clustergen.base.findings import Path
from tests.plan.features.evidence import BATCH, EKS, HP, HPE, PC, PCS
from tests.support.tables import flow

Values = Mapping[str, Any]
"""Values by their path in a spec, ``node_groups.0.efa``."""

BASE: Values = flow("""
version: 1
name: fields
region: us-east-1
network: {zone: use1-az6}
node_groups: [{name: nodes, instance_type: p5.48xlarge, count: 2}]
monitoring: {dashboards: none}
""")

_NETWORK = flow("""
network: {zone: use1-az6, vpc: vpc-0a1b2c3d4e5f67890,
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]}
""")
_CLUSTERS: Mapping[str, Values] = flow("""
shared: {targets.hyperpod-eks.eks_cluster: arn:aws:eks:us-east-1:111122223333:cluster/shared,
  targets.hyperpod-eks.eks_security_group: sg-0a1b2c3d4e5f67891}
pcs: {targets.pcs.cluster: pcs_0a1b2c3d4e,
  targets.pcs.cluster_security_group: sg-0a1b2c3d4e5f67891}
eks: {targets.eks.cluster: shared, targets.eks.cluster_security_group: sg-0a1b2c3d4e5f67891,
  kubernetes.version: '1.35'}
hyperpod-slurm: {targets.hyperpod-slurm: {cluster: platform,
  cluster_security_group: sg-0a1b2c3d4e5f67891}}
hyperpod-eks: {targets.hyperpod-eks: {cluster: platform,
  cluster_security_group: sg-0a1b2c3d4e5f67891,
  eks_cluster: arn:aws:eks:us-east-1:111122223333:cluster/shared,
  eks_security_group: sg-0a1b2c3d4e5f67892}}
""")
_EXISTING, _JOINED, _IN_PLATFORM, _JOINED_SLURM, _JOINED_EKS = (
    {**cluster, **_NETWORK} for cluster in _CLUSTERS.values()
)
_KARPENTER = {"kubernetes.autoscaler": "karpenter", "node_groups.0.count": {"min": 0, "max": 2}}
_NO_KUEUE = {"kubernetes.admission": "none"}
_DRA = {"kubernetes.devices": "dra", **_NO_KUEUE}
_MIG = {"node_groups.0.mig": {"1g.10gb": 7}}
_ALL_AT_ONCE = {"targets.hyperpod-slurm.provisioning": "all-at-once"}
_OWN_SCRIPTS = {"software.scripts": [{"run": "s3://my-bucket/setup.sh"}]}
_ONE_NODE = {"node_groups.0.efa": False}
_SOURCE = "s3://sagemaker-setup/src"
_ON_CREATE = {"source": _SOURCE, "on_create": "setup.sh"}
_OWN_LIFECYCLE = {
    "targets.hyperpod-slurm.lifecycle": {"source": _SOURCE, "on_init_complete": "setup.sh"}
}
_LEGACY = {"targets.hyperpod-slurm.mode": "legacy"}
_OWN_LEGACY = {**_LEGACY, "targets.hyperpod-slurm.lifecycle": _ON_CREATE}
_OWN_EKS = {"targets.hyperpod-eks.lifecycle": _ON_CREATE}
_CUSTOMER_MANAGED = {"targets.hyperpod-slurm.mode": "customer-managed"}
_BY_CLUSTER: Mapping[str, Values] = flow("""
fsx-lustre: {created_by: cluster}
efs: {created_by: cluster, throughput_mode: bursting}
""")


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode of a target. ``words`` are those of its name: a field may change differently in it."""

    target: str
    values: Values = field(default_factory=dict)
    words: tuple[str, ...] = ()
    storage: Mapping[str, Values] = field(default_factory=dict)
    """What new file systems have, by type, unless a change says otherwise."""

    def spec(self, data: dict[str, Any]) -> dict[str, Any]:
        """A spec with new file systems as they are in this mode."""
        entries = data.get("storage", [])
        made = [
            each if each.get("existing") else {**self.storage.get(each["type"], {}), **each}
            for each in entries
        ]
        return {**data, "storage": made} if entries else data


def _mode(
    target: str, name: str = "", *values: Values, storage: Mapping[str, Values] | None = None
) -> tuple[str, Mode]:
    merged = {path: value for one in values for path, value in one.items()}
    made = Mode(target, merged, (target, *name.split()), storage or {})
    return f"{target} {name}".strip(), made


MODES: Mapping[str, Mode] = dict(
    (
        _mode(PC),
        _mode(PC, "by-cluster", storage=_BY_CLUSTER),
        _mode(PCS),
        _mode(PCS, "existing", _JOINED),
        _mode(PCS, "adopted", {"targets.pcs.stack": "production"}),
        _mode(HP, "bootstrap"),
        _mode(HP, "bootstrap all-at-once", _ALL_AT_ONCE),
        _mode(HP, "extended", _OWN_SCRIPTS),
        _mode(HP, "extended all-at-once", _OWN_SCRIPTS, _ALL_AT_ONCE),
        _mode(HP, "customer-managed", _CUSTOMER_MANAGED),
        _mode(HP, "customer-managed all-at-once", _CUSTOMER_MANAGED, _ALL_AT_ONCE),
        _mode(HP, "legacy", _LEGACY),
        _mode(HP, "own-scripts", _OWN_LIFECYCLE),
        _mode(HP, "own-scripts legacy", _OWN_LEGACY),
        _mode(HP, "existing joined", _JOINED_SLURM),
        _mode(HPE, "new"),
        _mode(HPE, "new karpenter", _KARPENTER),
        _mode(HPE, "new no-kueue", _NO_KUEUE),
        _mode(HPE, "new mig", _MIG),
        _mode(HPE, "existing", _EXISTING),
        _mode(HPE, "existing karpenter", _EXISTING, _KARPENTER),
        _mode(HPE, "existing joined", _JOINED_EKS),
        _mode(HPE, "existing own-scripts", _EXISTING, _OWN_EKS),
        _mode(HPE, "existing no-kueue", _EXISTING, _NO_KUEUE),
        _mode(EKS, "managed"),
        _mode(EKS, "existing", _IN_PLATFORM),
        _mode(EKS, "managed no-kueue", _NO_KUEUE),
        _mode(EKS, "managed mig", _MIG),
        _mode(EKS, "managed dra", _DRA),
        _mode(EKS, "managed adopted", {"targets.eks.stack": "production"}),
        _mode(EKS, "managed stack", {"targets.eks.install": "stack"}),
        _mode(EKS, "karpenter", _KARPENTER),
        _mode(EKS, "karpenter no-kueue", _KARPENTER, _NO_KUEUE),
        _mode(BATCH, "several-nodes"),
        _mode(BATCH, "one-node", _ONE_NODE),
        _mode(BATCH, "adopted", {"targets.batch.stack": "production"}),
    )
)


def edited(data: dict[str, Any], values: Values) -> dict[str, Any]:
    """``data`` with other values; None takes a key away."""
    data = copy.deepcopy(data)
    for place, value in values.items():
        *steps, last = path_of(place)
        here: Any = data
        for step in steps:
            here = here.setdefault(step, {}) if isinstance(here, dict) else here[step]
        if isinstance(here, list):
            here[int(last) : int(last) + 1] = [copy.deepcopy(value)]
        elif value is None:
            here.pop(last, None)
        else:
            here[last] = copy.deepcopy(value)
    return data


def path_of(place: str) -> Path:
    return tuple(int(step) if step.isdigit() else step for step in place.split("."))
