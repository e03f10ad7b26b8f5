"""Tags and root volumes of node groups: what a bundle says, its import has in words."""

from __future__ import annotations

import pytest
import yaml

from clustergen.checking.compiler import check_text
from tests.importing.templates import bring, lossless, rendered
from tests.support.tables import flow

KEY = "arn:aws:kms:us-west-2:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"
TAGS = "tags: {purpose: debugging}"
KEPT = f"root_volume: {{size: 200GiB, kms_key: '{KEY}', on_delete: retain}}"
SPEC = """\
version: 1
name: words
region: us-west-2
tags: {{team: speech}}
network: {{zone: usw2-az1}}
node_groups:
  - {{name: cpu, instance_type: m7i.4xlarge, count: 2, {words}}}
targets: {{{target}: {{}}}}
"""
WORDS = {
    "parallelcluster": [TAGS],
    "pcs": [TAGS, KEPT],
    "eks": [TAGS, KEPT],
    "batch": [TAGS, KEPT],
    "hyperpod-slurm": [f"root_volume: {{size: 200GiB, kms_key: '{KEY}'}}"],
}


@pytest.mark.parametrize("target", WORDS)
def test_an_import_has_the_words_of_the_spec(target: str) -> None:
    text = SPEC.format(words=", ".join(WORDS[target]), target=target)
    document = rendered(check_text(text, targets=(target,)), target)
    result = lossless(bring(document, vpc="", zones={"": "usw2-az1"}))
    spec, given = (yaml.safe_load(each)["node_groups"][0] for each in (result.text, text))
    own = spec.get("tags", {})
    assert own.get("purpose") == given.get("tags", {}).get("purpose")
    assert spec.get("root_volume") == given.get("root_volume")


@pytest.mark.parametrize("target", ["pcs", "eks", "batch"])
def test_tags_of_the_cluster_are_not_repeated_at_its_groups(target: str) -> None:
    second = "\n  - {name: gpu, instance_type: g6.12xlarge, count: 1, tags: {stage: test}}"
    text = SPEC.format(words=TAGS, target=target).replace("\ntargets:", f"{second}\ntargets:")
    document = rendered(check_text(text, targets=(target,)), target)
    spec = yaml.safe_load(bring(document, vpc="", zones={"": "usw2-az1"}).text)
    assert spec["tags"] == {"team": "speech"}
    assert not any("team" in group.get("tags", {}) for group in spec["node_groups"])


def test_tags_of_a_queue_stay_where_they_are() -> None:
    """In ParallelCluster's object model, they are not those of its compute resources."""
    queue = flow("""
        {Name: main, Tags: [{Key: team, Value: speech}, {Key: stage, Value: test}],
          Networking: {SubnetIds: [subnet-0a1b2c3d4e5f67890]},
          ComputeResources: [{Name: cpu, InstanceType: c7i.4xlarge,
            Tags: [{Key: stage, Value: production}]}]}
    """)
    cluster = {
        "Region": "us-west-2",
        "Image": {"Os": "alinux2023"},
        "HeadNode": {
            "InstanceType": "c7i.xlarge",
            "Networking": {"SubnetId": "subnet-0a1b2c3d4e5f67890"},
            "LocalStorage": {"RootVolume": {"DeleteOnTermination": False}},
        },
        "Scheduling": {"Scheduler": "slurm", "SlurmQueues": [queue]},
    }
    result = lossless(bring(("cluster.yaml", yaml.safe_dump(cluster)), zones={"": "us-west-2a"}))
    spec = yaml.safe_load(result.text)
    assert spec["node_groups"][0]["tags"] == {"stage": "production"}
    (inner,) = spec["targets"]["parallelcluster"]["overlay"]["Scheduling"]["SlurmQueues"]
    assert inner["Tags"] == queue["Tags"]
    assert spec["head_node"]["root_volume"] == {"on_delete": "retain"}


POOLS = """
Region: us-west-2
Image: {Os: alinux2023}
HeadNode:
  InstanceType: c7i.xlarge
  Networking: {SubnetId: subnet-0a1b2c3d4e5f67890, ElasticIp: eipalloc-0a1b2c3d4e5f67890}
LoginNodes:
  Pools:
    - {Name: front, InstanceType: c7i.xlarge, Count: 1,
       Networking: {SubnetIds: [subnet-0a1b2c3d4e5f67890]},
       Dcv: {Enabled: true, AllowedIps: 203.0.113.0/24}}
    - {Name: large, InstanceType: c7i.8xlarge, Count: 1,
       Networking: {SubnetIds: [subnet-0a1b2c3d4e5f67890]}, Dcv: {Enabled: true, Port: 8444}}
Scheduling:
  Scheduler: slurm
  SlurmQueues:
    - Name: main
      Networking: {SubnetIds: [subnet-0a1b2c3d4e5f67890]}
      ComputeResources: [{Name: cpu, InstanceType: c7i.4xlarge}]
"""


def test_desktops_of_login_nodes_and_an_elastic_ip_need_no_overlay() -> None:
    result = lossless(bring(("cluster.yaml", POOLS), zones={"": "us-west-2a"}))
    assert not result.overlaid
    options = yaml.safe_load(result.text)["targets"]["parallelcluster"]
    assert options["elastic_ip"] == "eipalloc-0a1b2c3d4e5f67890"
    assert options["login_pool"]["dcv"] == {"port": 8443, "allowed_from": "203.0.113.0/24"}
    assert options["more_login_pools"][0]["dcv"] == {"port": 8444}
