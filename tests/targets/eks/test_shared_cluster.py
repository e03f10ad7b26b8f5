"""What others have in a cluster, while deploy.sh pauses or deletes it: with the real kubectl."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clustergen.deployment.eks import EksCluster
from clustergen.deployment.kueue import Queues
from clustergen.deployment.world import Stop
from tests.services.kubernetes.clusters import Cluster
from tests.support.checking import Fragments, example_files
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.eks.test_emit import KARPENTER

pytestmark = pytest.mark.scenarios(6)

OWNER = "app.kubernetes.io/managed-by"
POOLS, CLAIMS = "nodepools.karpenter.sh", "nodeclaims.karpenter.sh"
QUEUES = "clusterqueues.kueue.x-k8s.io"


def engine(cluster: Cluster) -> EksCluster:
    return cluster.engine(dict(Fragments("eks").files(KARPENTER)))


def put(cluster: Cluster, resource: str, name: str, **labels: str) -> None:
    """An object with a kind, as the API lists them."""
    plain = {POOLS: "NodePool", CLAIMS: "NodeClaim", QUEUES: "ClusterQueue"}[resource]
    version = "kueue.x-k8s.io/v1beta2" if resource == QUEUES else "karpenter.sh/v1"
    item: dict[str, Any] = {"apiVersion": version, "kind": plain, "spec": {}}
    given = {key.replace("__", "/").replace("_", "."): value for key, value in labels.items()}
    item["metadata"] = {"name": name, "labels": given, "uid": "0"}
    cluster.api.objects[resource, "", name] = item


def owned(by: str) -> dict[str, str]:
    return {"app_kubernetes_io__managed-by": by} if by else {}


def fill(cluster: Cluster) -> None:
    put(cluster, POOLS, "burst", **owned("clustergen"))
    put(cluster, POOLS, "earlier", **owned("clustergen"))
    put(cluster, POOLS, "theirs")
    put(cluster, POOLS, "joined", **owned("clustergen-other"))
    for number, pool in enumerate(("burst", "earlier", "theirs", "joined", "gone")):
        put(cluster, CLAIMS, f"node-{number}", **{"karpenter_sh__nodepool": pool})


def test_a_pause_ends_the_nodes_of_its_own_pools(cluster: Cluster) -> None:
    fill(cluster)
    engine(cluster).karpenter.stop()
    assert cluster.api.names(CLAIMS) == {"node-2", "node-3", "node-4"}
    limited = {n for (r, _, n), o in cluster.api.objects.items() if r == POOLS and o["spec"]}
    assert limited == {"burst"}


def test_pools_of_others_are_listed(cluster: Cluster) -> None:
    fill(cluster)
    pools = "the node pool joined, the node pool theirs"
    nodes = "the node node-2, the node node-3, the node node-4"
    with pytest.raises(Stop, match=f"not this bundle's: {pools}, {nodes}. It would go"):
        engine(cluster).karpenter.check_alone()


def test_a_pool_of_others_with_a_name_of_ours_is_theirs(cluster: Cluster) -> None:
    put(cluster, POOLS, "burst", **owned("clustergen-other"))
    put(cluster, CLAIMS, "node", **{"karpenter_sh__nodepool": "burst"})
    engine(cluster).karpenter.stop()
    assert cluster.api.names(CLAIMS) == {"node"}
    assert cluster.api.changes == []


def test_an_api_that_fails_has_no_empty_list_of_pools(cluster: Cluster) -> None:
    fill(cluster)
    cluster.api.failing.add(POOLS)
    with pytest.raises(Stop, match="this command failed: kubectl --context fake"):
        engine(cluster).karpenter.check_alone()


@pytest.mark.parametrize("owner", ["clustergen-platform-h200", "clustergen", ""])
def test_a_pause_holds_queues_of_its_bundle_alone(cluster: Cluster, owner: str) -> None:
    """Where a first deployment stopped at the queue of others, a pause would have held it."""
    made = cluster.engine(dict(example_files("eks-existing-cluster", "eks")))
    paused = Queues(made.run, made.api, made.service)
    put(cluster, QUEUES, "research", **owned(owner))
    paused.hold_queue("research")
    [queue] = [o for (r, _, _), o in cluster.api.objects.items() if r == QUEUES]
    ours = owner == "clustergen-platform-h200"
    assert ("HoldAndDrain" in json.dumps(queue)) == ours
    paused.release_queue("research")
    assert len(cluster.api.changes) == (2 if ours else 0)


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, dict(Fragments("eks").files(KARPENTER))) as made:
        made.deployed()
        yield made


def refused(bundle: Bundle, words: str) -> None:
    bundle.stops(words, "--destroy")
    for word in ("delete", "update-nodegroup", "put-"):
        assert not [call for call in bundle.account.calls if f" {word}" in call]


def test_a_cluster_with_pools_of_others_is_not_deleted(bundle: Bundle) -> None:
    bundle.account.pools["theirs"] = "clustergen-other"
    refused(bundle, "the cluster has what is not this bundle's: the node pool theirs.")
    del bundle.account.pools["theirs"]
    bundle.deployed("--destroy")


def test_a_group_with_nodes_does_not_leave_unnoticed(bundle: Bundle) -> None:
    """A deployment deletes its pool, and Karpenter then ends its nodes."""
    account = bundle.account
    account.pools["theirs"] = "clustergen-other"
    account.claims = {"node-1": "burst", "node-2": "theirs"}
    bundle.render(Fragments("eks").files(KARPENTER.replace("burst", "bursts")))
    done = bundle.deploy()
    words = "the node group burst left the spec, and has nodes"
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr
    assert account.calling("create-change-set", "-set deploy") == []
    bundle.deployed("--allow-replacement")
    account.claims = {"node-2": "theirs"}
    bundle.deployed()


# Nothing is left for a foundation, whose review stops at what is deleted.
EXISTING = """
network:
  vpc: vpc-0a1b2c3d4e5f60001
  private_subnets: [{id: subnet-0a1b2c3d4e5f60002, cidr: 10.20.64.0/18}]
  control_plane_subnets:
    - {id: subnet-0a1b2c3d4e5f6000a, zone: use1-az2, cidr: 10.20.255.224/28}
    - {id: subnet-0a1b2c3d4e5f6000b, zone: use1-az4, cidr: 10.20.255.240/28}
  security_groups: [sg-0a1b2c3d4e5f60003]
"""


@pytest.mark.parametrize("more", ["", EXISTING])
def test_nodes_of_karpenter_do_not_leave_with_it_unnoticed(tmp_path: Path, more: str) -> None:
    with reaching(tmp_path, dict(Fragments("eks").files(KARPENTER + more))) as made:
        made.deployed()
        made.account.claims = {"node-1": "burst"}
        made.render(Fragments("eks").files(KARPENTER.replace("autoscaler: karpenter", "") + more))
        made.stops("Its node pool burst is still there, and has nodes: they would be terminated")
        assert made.account.calling("create-change-set") + made.account.calling("helm") == []
        made.deployed("--allow-replacement")
        looked, changed = "api-resources", "execute-change-set --stack-name example-eks"
        assert made.order(looked, changed)[:2] == [looked, changed]


def test_karpenter_stays_until_the_change_of_the_stack_is_allowed(bundle: Bundle) -> None:
    bundle.render(Fragments("eks").files(KARPENTER.replace("autoscaler: karpenter", "")))
    bundle.stops("delete KarpenterQueue")
    assert bundle.account.calling("helm") == []


@pytest.mark.parametrize("changed", [("burst", "bursts"), ("autoscaler: karpenter", "")])
def test_an_api_that_fails_says_nothing_of_nodes(bundle: Bundle, changed: tuple[str, str]) -> None:
    bundle.account.fail("get nodeclaims", ("", "no route to host"))
    bundle.render(Fragments("eks").files(KARPENTER.replace(*changed)))
    assert bundle.deploy().returncode != 0
    assert bundle.account.calling("create-change-set") == []


PUBLIC = "{autoscaler: karpenter, public_endpoint_from: [203.0.113.0/24]}"


@pytest.mark.parametrize("claims", [{"node-1": "burst"}, {}])
def test_a_change_of_who_reaches_the_api_needs_no_api(
    bundle: Bundle, claims: dict[str, str]
) -> None:
    account = bundle.account
    account.claims = claims
    account.fail("get customresourcedefinitions", ("", "Forbidden"))
    renamed = KARPENTER.replace("burst", "bursts").replace("{autoscaler: karpenter}", PUBLIC)
    bundle.render(Fragments("eks").files(renamed))
    done = bundle.deploy()
    assert account.calling("execute-change-set")
    assert done.returncode == (2 if claims else 0), done.stderr
    assert ("on them. No node pool was changed." in done.stderr) == bool(claims)
    assert bool(account.calling("helm upgrade")) != bool(claims)


def test_without_karpenter_nothing_asks_for_its_pools(tmp_path: Path) -> None:
    with reaching(tmp_path, dict(Fragments("eks").files(""))) as made:
        made.deployed()
        made.deployed()
        assert made.account.calling("nodepools.karpenter.sh --ignore") == []


def test_karpenter_stays_while_others_have_pools(tmp_path: Path) -> None:
    """Its role would go, and their nodes would run on."""
    with reaching(tmp_path, dict(Fragments("eks").files(KARPENTER))) as made:
        made.deployed()
        made.account.pools["theirs"] = ""
        made.render(Fragments("eks").files(KARPENTER.replace("autoscaler: karpenter", "")))
        made.stops("node pools that are not this bundle's", "--allow-replacement")
        assert made.account.calling("helm") + made.account.calling("execute-change") == []
        del made.account.pools["theirs"]
        made.deployed("--allow-replacement")


def test_a_cluster_with_hyperpod_nodes_of_others_is_not_deleted(bundle: Bundle) -> None:
    account = bundle.account
    arn = "arn:aws:eks:us-east-1:111122223333:cluster/example"
    account.clusters_of_others = {"train": {"Orchestrator": {"Eks": {"ClusterArn": arn}}}}
    refused(bundle, "the cluster has what is not this bundle's: HyperPod cluster train.")
    account.clusters_of_others["train"]["Orchestrator"]["Eks"]["ClusterArn"] += "-2"
    account.fail("sagemaker list-clusters", ("AccessDenied", "not you"))
    refused(bundle, "HyperPod clusters have their nodes in example cannot be known: ")
    bundle.deployed("--destroy")
