"""Deletes a HyperPod cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from clustergen.deployment.hyperpod_api import Api
from clustergen.deployment.world import Stop

_MINUTES: Final = 60


def delete(api: Api, explain: Callable[[], None]) -> None:
    """Delete a cluster, and wait until it is gone; ``explain`` says why it is not."""
    world, status = api.run.world, api.status()
    if not status:
        api.run.note(f"The HyperPod cluster {api.name} does not exist.")
        return
    if status == "Creating":
        status = _delete_in_creation(api)
    elif status in ("Updating", "SystemUpdating", "RollingBack"):
        status = api.settled("what HyperPod is doing")
    if status and status != "Deleting":
        world.change("sagemaker:DeleteCluster", ClusterName=api.name)

    def is_deleted() -> bool:
        found = api.status()
        if found == "Failed":
            explain()
            raise Stop(
                "the cluster could not be deleted: fix the errors above, and run this again."
            )
        return not found and world.is_gone(api.status)

    world.wait(_MINUTES, f"the deletion of {api.name}", is_deleted)


def _delete_in_creation(api: Api) -> str:
    """HyperPod does not document whether it accepts this; the status then."""
    try:
        api.run.world.change("sagemaker:DeleteCluster", ClusterName=api.name)
    except Stop as stop:
        api.run.tell(stop)
        api.settled(f"the creation of {api.name}")
    return api.status()
