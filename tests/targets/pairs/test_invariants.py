"""The invariants find seeded faults."""

import re

import pytest

from tests.support.checking import Fragments, check, files_of
from tests.targets.pairs.features import text
from tests.targets.pairs.invariants import INVARIANTS, Invariant, given

CLOSED = {"storage": "several", "network": "closed", "queues": "one", "metrics": "prometheus"}
MIXED = {"beside": "cpu", "queues": "one", "taints": "own"}
FOUNDATION = "foundation.template.json"
BESIDE = """\
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: far}
spec: {}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: both}
spec: {resourceGroups: [{flavors: [{name: far}, {name: NEAR}]}]}
"""
# Target, levels, file, a pattern in it, what takes its place, what is found.
SEEDS = {
    "one_topology": ("eks", MIXED, "manifests/kueue.yaml", r"\Z", BESIDE, "both has flavors"),
    "tolerated": ("eks", MIXED, "jobs/main-torchrun.yaml", "acme.com/team", "other", "tolerate"),
    "fits": ("pcs", CLOSED, "jobs/torchrun-main.sbatch", r"--nodes=\d+", "--nodes=5", "of 4"),
    "permitted": ("pcs", CLOSED, "scripts/mount.sh", r"\Z", "aws ec2 run-instances\n", "ec2:Run"),
    "reachable": ("pcs", CLOSED, FOUNDATION, r"\.s3\"", '.s4"', "no endpoint of s3"),
    "opened": ("pcs", CLOSED, FOUNDATION, "ssmmessages:OpenDataChannel", "ssm:None", "no session"),
    "given": ("pcs", CLOSED, FOUNDATION, '"Outputs"', '"Others"', "no output MetricsWorkspaceId"),
    "stays": ("pcs", CLOSED, FOUNDATION, '"RetainExceptOnCreate"', '"Delete"', "retained"),
}


@pytest.mark.parametrize("invariant", INVARIANTS, ids=lambda invariant: invariant.__name__)
def test_a_fault_is_found(invariant: Invariant) -> None:
    target, levels, path, pattern, new, expected = SEEDS[invariant.__name__]
    checked = check(text(levels, target), target=target)
    files, plan = dict(files_of(checked, target)), checked.plans[target]
    assert list(invariant(plan, files)) == []
    near = re.search(r"name: (\S+)\n(?:(?!---).)*topologyName", files.get(path, ""), re.S)
    new = new.replace("NEAR", near[1] if near else "")
    files[path] = re.sub(pattern, lambda _: new, files[path])
    assert any(expected in found for found in invariant(plan, files))


@pytest.mark.parametrize("metrics", ["cloudwatch, dashboards: cloudwatch", "managed-prometheus"])
def test_a_file_system_that_the_cluster_creates_has_no_known_id(metrics: str) -> None:
    spec = f"""
login: {{}}
storage: [{{mount: /own, type: fsx-lustre, created_by: cluster, size: 2400GiB}}]
monitoring: {{metrics: {metrics}, alerts: {{email: [on-call@example.com]}}}}
"""
    made = Fragments("parallelcluster")
    assert list(given(made.plan(spec), made.files(spec))) == []
