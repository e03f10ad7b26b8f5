"""What the pod of the timetable does in a cluster at each time: queues, quotas, nodes and pods."""

import importlib.util
import json
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any

import pytest
import yaml

from clustergen.base.resources import tree
from clustergen.services.kubernetes import timetable
from tests.support.checking import Fragments

pytestmark = pytest.mark.scenarios(6)

STARTS = datetime(2026, 12, 10, 11, 30, tzinfo=UTC)
ENDS = datetime(2026, 12, 17, 11, 30, tzinfo=UTC)
DATES = f"starts: '{STARTS.isoformat()}', ends: '{ENDS.isoformat()}'"
BLOCK = f"capacity: {{capacity_block: cr-0a1b2c3d4e5f67890, {DATES}}}"
SPEC = f"""
node_groups:
  - {{name: block, instance_type: p5en.48xlarge, count: 2, {BLOCK}}}
  - {{name: rest, instance_type: p5en.48xlarge, count: 4}}
queues:
  - {{name: timed, node_groups: [block], time_limit: 12h}}
  - {{name: mixed, node_groups: [rest]}}
"""
KUEUE = "/apis/kueue.x-k8s.io/v1beta2"
SHARED = SPEC.replace("[rest]", "[rest, block]")


def script() -> ModuleType:
    path = tree("templates") / "kubernetes/timetable.py"
    found = importlib.util.spec_from_file_location("timetable", str(path))
    assert found
    assert found.loader
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class Cluster:
    """Kueue's objects of a bundle, two nodes of the block with their pods, and one other node."""

    def __init__(self, spec: str, target: str = "eks") -> None:
        files = Fragments(target).files(spec)
        self.changes: list[str] = []
        self.rejected: tuple[str, ...] = ()
        self.objects: dict[str, Any] = {}
        for item in _objects(files.get("manifests/kueue.yaml", "")):
            if item["kind"] in ("ClusterQueue", "Cohort"):
                name = f"{item['kind'].lower()}s/{item['metadata']['name']}"
                self.objects[f"{KUEUE}/{name}"] = item
        self.rendered = deepcopy(self.objects)
        objects = _objects(files["manifests/timetable.yaml"])
        [data] = [item["data"] for item in objects if item["kind"] == "ConfigMap"]
        self.configuration = json.loads(data["timetable.json"])
        label = self.configuration["groups"][0]["label"]
        for node, group in (("n1", "block"), ("n2", "block"), ("n3", "rest")):
            metadata = {"name": node, "labels": {label: group}}
            self.objects[f"/api/v1/nodes/{node}"] = {"metadata": metadata, "spec": {}}
        self.pods = {("n1", "job"): "Job", ("n1", "agent"): "DaemonSet", ("n3", "other"): "Job"}
        self.module = script()
        self.api = self.module.Api("http://nowhere")
        self.api.call = self.call

    def call(self, method: str, path: str, body: Any = None) -> Any:
        path, _, query = path.partition("?")
        if method != "GET" and any(each in path for each in self.rejected):
            raise self.module.urllib.error.HTTPError(path, 500, "rejected", None, None)
        if method != "GET":
            self.changes.append(f"{method} {path}")
        if path == "/api/v1/nodes":
            label, group = query.removeprefix("labelSelector=").split("%3D")
            label = label.replace("%2F", "/")
            nodes = [self.objects[p] for p in sorted(self.objects) if p.startswith(f"{path}/")]
            return {"items": [n for n in nodes if n["metadata"]["labels"].get(label) == group]}
        if path.endswith("/workloads"):
            found = [each for p, each in self.objects.items() if "/workloads/" in p]
            marked = [each for each in found if self.module.MARK in each["metadata"]["labels"]]
            return {"items": marked if query else found}
        if path == "/api/v1/pods":
            here = [
                (key, kind) for key, kind in self.pods.items() if query.endswith(f"%3D{key[0]}")
            ]
            return {"items": [_pod(*key, kind) for key, kind in here]}
        if path.endswith("/eviction"):
            name = path.split("/")[-2]
            self.pods = {key: kind for key, kind in self.pods.items() if key[1] != name}
        elif method == "PATCH":
            _merge(self.objects[path], body)
        elif method == "DELETE":
            del self.objects[path]
        return self.objects.get(path)

    def at(self, time: datetime) -> None:
        """The time comes, twice: the second run changes nothing."""
        self.module.follow(self.api, self.configuration, time.timestamp())
        self.changes.clear()
        self.module.follow(self.api, self.configuration, time.timestamp())
        assert self.changes == []

    def policy(self, queue: str) -> str:
        return str(self.queue(queue)["spec"].get("stopPolicy", "None"))

    def queue(self, name: str) -> Any:
        return self.objects[f"{KUEUE}/clusterqueues/{name}"]

    def quotas(self, path: str, flavor: str) -> set[str]:
        groups = self.objects[f"{KUEUE}/{path}"]["spec"]["resourceGroups"]
        flavors = [each for group in groups for each in group["flavors"] if each["name"] == flavor]
        return {str(resource["nominalQuota"]) for each in flavors for resource in each["resources"]}

    def cordoned(self) -> list[str]:
        nodes = {p: each for p, each in self.objects.items() if p.startswith("/api/v1/nodes/")}
        return [p[-2:] for p, each in nodes.items() if each["spec"].get("unschedulable")]


def _objects(text: str) -> list[Any]:
    return [item for item in yaml.safe_load_all(text) if item]


def _pod(node: str, name: str, owner: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "timed", "ownerReferences": [{"kind": owner}]}
    return {"metadata": metadata, "spec": {"nodeName": node}, "status": {"phase": "Running"}}


def _merge(item: dict[str, Any], change: dict[str, Any]) -> None:
    for key, value in change.items():
        if value is None:
            item.pop(key, None)
        elif isinstance(value, dict):
            _merge(item.setdefault(key, {}), value)
        else:
            item[key] = value


def test_life() -> None:
    cluster = Cluster(SPEC)
    cluster.at(STARTS - timedelta(days=2))
    assert (cluster.policy("timed"), cluster.policy("mixed")) == ("Hold", "None")
    assert cluster.cordoned() == []
    cluster.at(STARTS + timedelta(minutes=10))
    assert cluster.policy("timed") == "None"
    assert cluster.quotas("clusterqueues/timed", "block") != {"0"}
    cluster.at(ENDS - timedelta(minutes=59))
    assert (cluster.policy("timed"), cluster.policy("mixed")) == ("Hold", "None")
    assert cluster.cordoned() == ["n1", "n2"]
    assert ("n1", "job") in cluster.pods
    cluster.at(ENDS - timedelta(minutes=44))
    assert cluster.policy("timed") == "HoldAndDrain"
    assert [name for _, name in cluster.pods] == ["agent", "other"]
    cluster.at(ENDS + timedelta(days=1))
    assert cluster.policy("timed") == "HoldAndDrain"
    # A deployment runs: it restores what it owns.
    for path, item in cluster.rendered.items():
        cluster.objects[path]["spec"]["resourceGroups"] = deepcopy(item["spec"]["resourceGroups"])
    cluster.at(ENDS + timedelta(days=1))
    assert cluster.quotas("clusterqueues/timed", "block") == {"0"}
    # The block was extended.
    for group in cluster.configuration["groups"]:
        for name in ("checkpoint", "evict", "stop"):
            group[name] = group[name] and group[name] + 7 * 86400
    cluster.at(ENDS + timedelta(days=1))
    assert (cluster.policy("timed"), cluster.cordoned()) == ("None", [])
    assert [path for path in cluster.objects if "kueue" in path] == [*cluster.rendered]
    for path, item in cluster.rendered.items():
        assert cluster.objects[path]["spec"]["resourceGroups"] == item["spec"]["resourceGroups"]


def test_jobs_of_kueue_are_suspended_before_pods_are_evicted() -> None:
    """A Job fails with its evicted pods unless Kueue has suspended it by then."""
    cluster = Cluster(SPEC)
    cluster.at(ENDS - timedelta(minutes=48))
    assert cluster.policy("timed") == "Hold"
    cluster.at(ENDS - timedelta(minutes=46, seconds=59))
    assert cluster.policy("timed") == "HoldAndDrain"
    cluster.at(ENDS - timedelta(minutes=45, seconds=1))
    assert ("n1", "job") in cluster.pods
    cluster.at(ENDS - timedelta(minutes=45))
    assert ("n1", "job") not in cluster.pods


def test_a_rejected_call_stops_no_other_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Kueue's webhook is down, and a pod has two disruption budgets."""
    cluster = Cluster(SPEC)
    cluster.pods = {("n1", "kept"): "Job", **cluster.pods}
    cluster.rejected = ("kueue.x-k8s.io", "/pods/kept/")
    cluster.at(ENDS - timedelta(minutes=44))
    assert cluster.cordoned() == ["n1", "n2"]
    assert [name for _, name in cluster.pods] == ["kept", "agent", "other"]
    log = capsys.readouterr().err
    assert "timetable: follow_queue timed: HTTP Error 500" in log
    assert "timetable: evict timed kept: HTTP Error 500" in log
    cluster.rejected = ()
    cluster.at(ENDS - timedelta(minutes=43))
    assert cluster.policy("timed") == "HoldAndDrain"
    assert ("n1", "kept") not in cluster.pods


def test_a_queue_with_other_nodes_goes_on() -> None:
    """Jobs of a queue that has other nodes too are admitted there: the quota decides."""
    cluster = Cluster(SHARED)
    cluster.at(ENDS - timedelta(minutes=59))
    assert (cluster.policy("timed"), cluster.policy("mixed")) == ("Hold", "None")
    assert cluster.quotas("cohorts/with-timed", "block") == {"0"}
    assert cluster.quotas("clusterqueues/mixed", "rest") != {"0"}


def workload(cluster: Cluster, name: str, *flavors: str, **spec: Any) -> dict[str, Any]:
    """A workload of Kueue whose pods run on the nodes of flavors."""
    sets = [{"name": flavor, "flavors": {"cpu": flavor}} for flavor in flavors]
    metadata = {"name": name, "namespace": "mixed", "labels": {}}
    status = {"admission": {"podSetAssignments": sets}}
    made = {"metadata": metadata, "spec": spec, "status": status}
    cluster.objects[f"{KUEUE}/namespaces/mixed/workloads/{name}"] = made
    return made


def test_jobs_of_a_queue_with_other_nodes_end_as_a_whole() -> None:
    """Otherwise it would fail with the first of its pods that is evicted."""
    cluster = Cluster(SHARED)
    ended = workload(cluster, "ended", "block", "rest")
    stays = workload(cluster, "stays", "rest")
    theirs = workload(cluster, "theirs", "block", active=False)
    others = [stays, theirs, workload(cluster, "finished", "block")]
    others[2]["status"]["conditions"] = [{"type": "Finished", "status": "True"}]
    before = deepcopy((ended, others))
    cluster.at(ENDS - timedelta(minutes=48))
    assert (ended, others) == before
    cluster.at(ENDS - timedelta(minutes=46, seconds=59))
    assert ended["spec"] == {"active": False}
    del ended["status"]["admission"]
    cluster.at(ENDS - timedelta(minutes=45))
    assert (ended["spec"], ended["metadata"]["labels"]) == ({"active": True}, {})
    assert others == before[1]


def test_a_job_that_finishes_meanwhile_stays_finished() -> None:
    cluster = Cluster(SHARED)
    ended = workload(cluster, "ended", "block")
    cluster.at(ENDS - timedelta(minutes=46))
    assert ended["spec"] == {"active": False}
    ended["status"]["conditions"] = [{"type": "Finished", "status": "True"}]
    cluster.at(ENDS + timedelta(days=1))
    assert ended["metadata"]["labels"] == {}


def test_what_others_hold_stays_held() -> None:
    cluster = Cluster(SPEC)
    cluster.queue("timed")["spec"]["stopPolicy"] = "Hold"
    cluster.objects["/api/v1/nodes/n1"]["spec"]["unschedulable"] = True
    cluster.at(STARTS + timedelta(days=1))
    assert (cluster.policy("timed"), cluster.cordoned()) == ("Hold", ["n1"])


def test_a_paused_queue_is_left_alone() -> None:
    """Its capacity starts, and ends, during the pause."""
    cluster = Cluster(SPEC)
    cluster.at(STARTS - timedelta(days=2))
    queue = cluster.queue("timed")
    queue["spec"]["stopPolicy"] = "HoldAndDrain"
    queue["metadata"]["annotations"][timetable.PAUSED] = "Hold"
    for time in (STARTS + timedelta(days=1), ENDS - timedelta(minutes=59)):
        cluster.at(time)
        assert cluster.policy("timed") == "HoldAndDrain"
    # deploy.sh --resume
    queue["spec"]["stopPolicy"] = "Hold"
    del queue["metadata"]["annotations"][timetable.PAUSED]
    cluster.at(STARTS + timedelta(days=1))
    assert cluster.policy("timed") == "None"


def test_nodes_of_a_group_without_dates_are_released() -> None:
    """Another group still has dates, so the pod is there."""
    cluster = Cluster(SPEC)
    cluster.at(ENDS - timedelta(minutes=59))
    assert cluster.cordoned() == ["n1", "n2"]
    other = f"count: 4, capacity: {{reservation: cr-1a1b2c3d4e5f67890, {DATES}}}"
    undated = SPEC.replace(f", {DATES}", "").replace("count: 4", other)
    cluster.configuration = Cluster(undated).configuration
    cluster.at(ENDS - timedelta(minutes=59))
    assert (cluster.policy("timed"), cluster.cordoned()) == ("None", [])


def test_nodes_of_karpenter_are_deleted() -> None:
    """A reservation that ends does not end instances, and Karpenter keeps those that are idle."""
    capacity = f"reservation: cr-0a1b2c3d4e5f67890, {DATES}"
    spec = SPEC.replace(f"capacity_block: cr-0a1b2c3d4e5f67890, {DATES}", capacity)
    spec = spec.replace("count: 2", "count: {min: 0, max: 2}")
    cluster = Cluster("kubernetes: {autoscaler: karpenter}\n" + spec)
    cluster.at(ENDS - timedelta(minutes=11))
    assert "/api/v1/nodes/n1" in cluster.objects
    cluster.rejected = ("/eviction",)
    cluster.at(ENDS - timedelta(minutes=9))
    nodes = [path for path in cluster.objects if path.startswith("/api/v1/nodes/")]
    assert nodes == ["/api/v1/nodes/n3"]


def test_hyperpod() -> None:
    """Its task governance owns the queues; nodes have another label, and an hour less."""
    plan = "training_plan: 'arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan'"
    cluster = Cluster(SPEC.replace("capacity_block: cr-0a1b2c3d4e5f67890", plan), "hyperpod-eks")
    cluster.at(ENDS - timedelta(minutes=91))
    assert cluster.cordoned() == []
    cluster.at(ENDS - timedelta(minutes=89))
    assert cluster.cordoned() == ["n1", "n2"]
    assert ("n1", "job") in cluster.pods
    cluster.at(ENDS - timedelta(minutes=74))
    assert ("n1", "job") not in cluster.pods


@pytest.mark.parametrize("code", [404, 409, 429])
def test_another_minute_tries_again(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    module = script()

    def fail(*_: object, **__: object) -> None:
        raise module.urllib.error.HTTPError("", code, "", None, None)

    monkeypatch.setattr(module.urllib.request, "urlopen", fail)
    assert module.Api("http://nowhere").call("GET", "/x") is None
