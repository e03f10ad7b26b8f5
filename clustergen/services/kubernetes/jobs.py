"""Kubernetes jobs with one pod per node, as files with instructions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clustergen.base.artifacts import Artifact, Json
from clustergen.plan.model import NodeGroup, Plan
from clustergen.services.kubernetes import names, namespaces, pods
from clustergen.services.kubernetes.manifest import file, kubernetes_object

FOLDER = "smoke"
_MINUTES = 60
"""Time limit of jobs: Karpenter takes about ten minutes to start nodes, large images as long.
"""


@dataclass(frozen=True, slots=True)
class Test:
    """A job with one pod per node."""

    name: str
    nodes: int
    expectation: str
    alone: bool = True
    """No second pod fits on its node. Other pods use anti-affinity and no queue, because Kueue
    ignores anti-affinity when it chooses nodes."""


def job(
    plan: Plan, group: NodeGroup, test: Test, pod: Json, beside: Sequence[Json] = ()
) -> Artifact:
    """The file of a test; ``pod`` has members for its pods."""
    namespace = namespaces.group_namespace(plan, group)
    spec: Json = {
        "completions": test.nodes,
        "parallelism": test.nodes,
        "completionMode": "Indexed",
        # Pods fail separately, so that the other nodes still report.
        "backoffLimitPerIndex": 0,
        "activeDeadlineSeconds": _MINUTES * 60,
        "template": pods.template(plan, group, _kept(test, pod), queued=test.alone),
    }
    made = kubernetes_object(
        "batch/v1",
        "Job",
        test.name,
        namespace=namespace,
        labels=pods.queue_labels(plan, group) if test.alone else {},
        spec=spec,
    )
    return file(
        f"{FOLDER}/{test.name}.yaml", _how(test, namespace, alone=not beside), [*beside, made]
    )


def _kept(test: Test, pod: Json) -> Json:
    """Spread constraints for one pod per node, if a pod does not use the whole node."""
    constraint = {
        "maxSkew": 1,
        "topologyKey": names.HOST_LABEL,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"batch.kubernetes.io/job-name": test.name}},
    }
    spread = {} if test.alone else {"topologySpreadConstraints": [constraint]}
    return {"restartPolicy": "Never", **spread, **pod}


def _how(test: Test, namespace: str, *, alone: bool) -> Iterator[str]:
    at = f"--namespace {namespace}"
    yield f"{test.expectation} Run it while the nodes are idle:"
    yield f"  kubectl apply -f {FOLDER}/{test.name}.yaml"
    # `kubectl wait` waits for one condition: if the job fails, Complete never comes.
    conditions = "jsonpath='{.status.conditions[*].type}'"
    yield f"  until kubectl get {at} job/{test.name} --output {conditions} |"
    yield "    grep -E 'Complete|Failed'; do sleep 10; done"
    yield f"  kubectl logs {at} --selector job-name={test.name} --prefix --tail=-1"
    if alone:
        yield f"  kubectl delete {at} job/{test.name}"
    else:
        yield f"  kubectl delete -f {FOLDER}/{test.name}.yaml"
