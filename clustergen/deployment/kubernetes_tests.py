"""Tests of a bundle that are jobs of Kubernetes, one file each."""

from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment.kubernetes import Kubernetes
from clustergen.deployment.model import EXPECTED
from clustergen.deployment.nodes import TESTS, tests_of
from clustergen.deployment.world import Late, Stop, at

_MINUTES: Final = 90
"""Nodes may have to start."""
_JOBSET: Final = "jobset.sigs.k8s.io"
_PODS: Final = {
    "Job": "job-name={}",
    "MPIJob": "training.kubeflow.org/job-role=launcher,training.kubeflow.org/job-name={}",
    "TrainJob": f"{_JOBSET}/jobset-name={{}},{_JOBSET}/replicatedjob-name=launcher",
}
"""What selects the pods that say the result, by the kind of a test."""
_PASSED: Final = {"Complete", "Succeeded"}


def run(api: Kubernetes, group: str) -> None:
    """Run all tests one after the other, or those of a node group.

    :raises Stop: if some fail, with their names: these stay, to be looked at.
    """
    chosen = tests_of(api.run, "yaml", group, "{}-")
    api.reach()
    passed = {name: _passes(api, f"{TESTS}/{name}") for name in chosen}
    rows = [["PASS" if good else "FAIL", name] for name, good in passed.items()]
    api.run.world.screen.result(rows)
    if failed := [name for name, good in passed.items() if not good]:
        raise Stop(
            f"these tests have failed: {', '.join(failed)}. Their jobs stay, and may hold nodes: "
            f"see kubectl describe, then kubectl delete --filename {TESTS}/NAME."
        )


def _passes(api: Kubernetes, path: str) -> bool:
    """Run one test; what it printed is shown."""
    given = ("--filename", path)
    api.delete(*given)
    api.change("apply", *given)
    made = api.get(*given) or {}
    jobs = [each for each in made.get("items", [made]) if each.get("kind") in _PODS]
    if not jobs:
        raise Stop(f"Kubernetes shows no job of {path}. Run this again.")
    [job] = jobs
    kind, meta = job["kind"], job["metadata"]
    name, space = meta["name"], ("--namespace", meta["namespace"])

    def ended() -> set[str]:
        shown: Json = api.get(kind.lower(), name, *space) or {}
        met = (e for e in at(shown, "status.conditions") or () if e.get("status") == "True")
        return {each["type"] for each in met} & {*_PASSED, "Failed"}

    try:
        found = api.run.world.wait(_MINUTES, f"the test {name}", ended)
    except Late as stop:
        api.run.tell(stop)
        return False
    logs = api.ask("logs", *space, "--selector", _PODS[kind].format(name), "--prefix", "--tail=-1")
    api.run.note(logs.out.strip() or logs.err.strip())
    wanted = (meta.get("annotations") or {}).get(EXPECTED, "").splitlines()
    lacking = [line for line in wanted if line not in logs.out]
    for line in lacking:
        api.run.note(f"{name} has not printed: {line}")
    if lacking or not found & _PASSED:
        return False
    api.delete(*given)
    return True
