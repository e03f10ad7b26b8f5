"""Write access to new file systems: at first only root has it, and pods often are others."""

from collections.abc import Iterator, Mapping, Sequence

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.base.yaml_text import Lines, yaml_text
from clustergen.plan.images import AMAZON_LINUX, pulled
from clustergen.plan.model import Efs, Lustre, OpenZfs, Plan
from clustergen.services.aws import mounts
from clustergen.services.kubernetes import pods, volumes
from clustergen.services.kubernetes.manifest import kubernetes_object

_KEPT_SECONDS = 600
"""Finished jobs are kept this long, for inspection."""
_MINUTES = 30

# All users may write, and only owners may delete, as in /tmp. Later changes are kept.
_OPEN = 'if [ "$(stat -c %u:%a {0})" = 0:755 ]; then chmod 1777 {0}; fi\n'
_SHOW = "stat -c '%A %U' /volume\n"


def objects(
    plan: Plan,
    namespaces: Sequence[str],
    nodes: Json,
    labels: Mapping[str, str] = {},
    *,
    waits: bool = False,
) -> Iterator[Json]:
    """A job for each new file system; ``nodes`` has members of its pod that select the node.

    ``labels`` are those of the job and its pod. A job that ``waits`` for nodes whose capacity may
    start days later has no deadline.
    """
    for item in volumes.mountable(plan):
        if isinstance(item, Lustre | OpenZfs | Efs) and not item.existing:
            claim = volumes.claim_name(plan, item)
            script = "".join(_OPEN.format(f"/volume{at}") for at in ("", *mounts.exported(item)))
            yield _job(claim, namespaces[0], _pod(plan, claim, script, nodes), labels, waits)


def _pod(plan: Plan, claim: str, script: str, nodes: Json) -> Json:
    container = {
        "name": "ownership",
        "image": pulled(plan, AMAZON_LINUX),
        "command": ["bash", "-ec", Lines(script + _SHOW)],
        "resources": pods.amounts({"cpu": "100m", "memory": "128Mi"}),
        "volumeMounts": [{"name": "volume", "mountPath": "/volume"}],
    }
    return {
        "restartPolicy": "OnFailure",
        "automountServiceAccountToken": False,
        **nodes,
        "containers": [container],
        "volumes": [{"name": "volume", "persistentVolumeClaim": {"claimName": claim}}],
    }


def _job(claim: str, namespace: str, pod: Json, labels: Mapping[str, str], waits: bool) -> Json:
    spec = {
        **({} if waits else {"activeDeadlineSeconds": _MINUTES * 60}),
        "ttlSecondsAfterFinished": _KEPT_SECONDS,
        "template": {**({"metadata": {"labels": dict(labels)}} if labels else {}), "spec": pod},
    }
    # The pods of a job cannot change, so a new version needs a new job.
    name = f"{claim[:50]}-ownership-{sha256(yaml_text(spec))[:6]}"
    return kubernetes_object("batch/v1", "Job", name, namespace=namespace, labels=labels, spec=spec)
