"""Resources that outlive the cluster and its foundation, and how to delete them."""

from typing import Any

from clustergen.deployment import resource_types
from clustergen.plan.model import Bucket, Ebs, OpenZfs, Plan, Storage
from clustergen.services import foundation
from clustergen.services.foundation import deletion, monitoring


def values(plan: Plan) -> dict[str, Any]:
    """What goes with the cluster, and what remains."""
    whole = foundation.build(plan)
    kept = list(resource_types.retained(whole.resources))
    staying = deletion.staying(plan)
    return {
        "losses": deletion.losses(plan),
        "has_foundation": bool(whole.resources),
        "has_rules": plan.network.new_security_groups and any(map(_admits_nodes, plan.storage)),
        "has_grafana": monitoring.GRAFANA in whole.resources,
        "kept": kept,
        "staying": staying[0].upper() + staying[1:],
        "with_final_backup": [item.mount for item in plan.storage if _has_final_backup(item)],
    }


def _admits_nodes(item: Storage) -> bool:
    """Whether the user has to let nodes reach it."""
    return item.existing and not isinstance(item, Bucket | Ebs)


def _has_final_backup(item: Storage) -> bool:
    """Whether FSx takes one unless the request says otherwise, as it does not of Lustre."""
    return isinstance(item, OpenZfs) and not item.existing
