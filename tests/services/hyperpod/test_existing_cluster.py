"""Instance groups that are added to an existing cluster."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clustergen.base.findings import EXAMPLE_BASE
from clustergen.deployment.hyperpod_requests import FIXED
from clustergen.plan.timetable import events
from clustergen.services.hyperpod.limits import FIXED_MEMBERS
from tests.services.hyperpod.planned import TARGETS
from tests.services.hyperpod.test_deploy import calls, files_of, filled
from tests.support.checking import Fragments
from tests.support.cloud.clusters import HyperPod, Theirs
from tests.support.cloud.commands import Bundle, reaching
from tests.support.outcomes import rejected, succeeded
from tests.validators.hyperpod.bundle import cluster_violations

pytestmark = pytest.mark.scenarios(10)

EKS_ARN = "arn:aws:eks:us-east-1:111122223333:cluster/training"
NETWORK = """
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-az6
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}]
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
"""
JOINED = "cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f67891"
SPECS = {
    "slurm": f"{NETWORK}targets: {{hyperpod-slurm: {{{JOINED}}}}}\n",
    "eks": f"{NETWORK}targets: {{hyperpod-eks: {{{JOINED}, eks_cluster: '{EKS_ARN}'}}}}\n",
}
SHOWN: dict[str, Any] = {
    "NodeProvisioningMode": "Continuous",
    "VpcConfig": {"Subnets": ["subnet-0a1b2c3d4e5f67890"], "SecurityGroupIds": ["sg-1"]},
}
ROLES: dict[str, dict[str, Any]] = {
    "head": {"NodeType": "Controller"},
    "old": {"NodeType": "Compute", "PartitionNames": ["old"]},
}
OTHERS = {"head": 1, "old": 3}
NEXT = "{name: next, instance_type: p5en.48xlarge, count: 1}"


def theirs(orchestrator: str, **shown: Any) -> Theirs:
    """The cluster, with a controller and a group; ``shown`` differs from a fitting one."""
    if orchestrator == "slurm":
        return Theirs("platform", OTHERS, {**SHOWN, "Orchestrator": {"Slurm": {}}, **shown}, ROLES)
    eks = {"Orchestrator": {"Eks": {"ClusterArn": EKS_ARN}}}
    return Theirs("platform", {"old": 3, "more": 2}, {**SHOWN, **eks, **shown})


@pytest.fixture(params=["slurm", "eks"])
def orchestrator(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def bundle(orchestrator: str, tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SPECS[orchestrator], orchestrator)) as made:
        made.account.hyperpod.join(theirs(orchestrator))
        yield made


def own(made: Bundle) -> dict[str, int]:
    """The groups of the bundle; those of others have to be there as they were."""
    hyperpod = made.account.hyperpod
    assert hyperpod.theirs
    assert {n: hyperpod.groups[n] for n in hyperpod.theirs.groups} == hyperpod.theirs.groups
    return {n: count for n, count in hyperpod.groups.items() if n not in hyperpod.theirs.groups}


def recorded(made: Bundle) -> set[str]:
    """The groups that the bundle believes to be its own."""
    noted = [v.decode() for key, v in made.account.objects.items() if "instance-groups/" in key]
    return {line.split("\t")[0] for text in noted for line in text.splitlines()}


def test_logs_are_those_of_the_nodes_of_the_bundle(bundle: Bundle) -> None:
    bundle.deployed()
    streams = [f"LifecycleConfig/{name}/i-{name}" for name in ("h200", "old")]
    events = [{"logStreamName": each, "timestamp": 0, "message": "booted"} for each in streams]
    bundle.account.events["/aws/sagemaker/Clusters/platform/abc123"] = events
    [line] = bundle.deployed("--logs").stdout.splitlines()
    assert streams[0] in line


def test_the_oracle_accepts_the_requests(orchestrator: str) -> None:
    files = files_of(SPECS[orchestrator], orchestrator)
    assert cluster_violations(files, "us-east-1") == []
    whole = json.loads(files["update-cluster.json"])
    sent = json.dumps({**whole, "NodeRecovery": "None"})
    assert cluster_violations({**files, "update-cluster.json": sent}, "us-east-1") != []


def test_added_nodes_are_in_the_security_group_of_the_cluster(orchestrator: str) -> None:
    """No rule changes that group; it lets added nodes, others and file systems meet."""
    spec = SPECS[orchestrator].replace(
        f"eks_cluster: '{EKS_ARN}'",
        f"eks_cluster: '{EKS_ARN}', eks_security_group: sg-0a1b2c3d4e5f67892",
    )
    files = files_of(spec, orchestrator)
    (group,) = json.loads(files["update-cluster.json"])["InstanceGroups"]
    theirs = ["sg-0a1b2c3d4e5f67891"] + ["sg-0a1b2c3d4e5f67892"] * (orchestrator == "eks")
    assert group["OverrideVpcConfig"]["SecurityGroupIds"] == ["${ClusterSecurityGroupId}", *theirs]
    assert not [id for id in theirs if id in files["foundation.template.json"]]
    owned = spec.replace("zone: use1-az6}]", f"zone: use1-az6}}]\n  security_groups: [{theirs[0]}]")
    (group,) = json.loads(files_of(owned, orchestrator)["update-cluster.json"])["InstanceGroups"]
    assert group["OverrideVpcConfig"]["SecurityGroupIds"] == theirs


def test_groups_have_at_most_five_security_groups(orchestrator: str) -> None:
    """That of the cluster counts, too, unless it is one of those in network."""
    found = Fragments(TARGETS[orchestrator])
    four = [f"sg-0a1b2c3d4e5f6780{number}" for number in range(4)]
    for fifth, more in (("sg-0a1b2c3d4e5f67809", True), ("sg-0a1b2c3d4e5f67891", False)):
        listed = ", ".join((*four, fifth))
        spec = SPECS[orchestrator].replace("az6}]", f"az6}}]\n  security_groups: [{listed}]")
        assert ("LIM305" in found.codes(spec)) is more


def test_the_readme_counts_what_is_added(orchestrator: str) -> None:
    files = files_of(SPECS[orchestrator], orchestrator)
    readme = " ".join(files["README.md"].split())
    assert "HyperPod cluster | by name | 2 more than the cluster has" in readme
    assert "EBS: the root volume, and a second volume of 500 GiB" in readme
    assert "AWSServiceRoleForSageMakerHyperPod" not in readme
    users = "users: [{name: ann, uid: 2001}, {name: bob, uid: 2002}]"
    added = files_of(SPECS[orchestrator] + users, orchestrator)["README.md"]
    assert ("users: those of the image, ann, bob." in added) is (orchestrator == "slurm")
    copied = "lifecycle scripts copy it" in files["verify.sh"]
    assert copied is any(name.startswith("lifecycle/") for name in files)


def test_the_readme_names_types_that_device_plugins_may_lack() -> None:
    cpu = "{name: cpu, instance_type: m7i.4xlarge, count: 1}"
    text = files_of(SPECS["eks"].replace("}]\ntargets", f"}}, {cpu}]\ntargets"), "eks")["README.md"]
    assert "add ml.p5en.48xlarge to the node affinity of `nvidia-device-plugin` and" in text
    assert "ml.m7i.4xlarge to" not in text
    only = SPECS["eks"].replace("p5en.48xlarge", "m7i.4xlarge")
    assert "HyperPod's chart is in the EKS cluster already\n" in files_of(only, "eks")["README.md"]


def test_only_groups_are_sent(bundle: Bundle) -> None:
    for _ in range(2):
        said = succeeded(bundle.deploy())
        assert own(bundle) == {"h200": 2}
        assert set(filled(bundle, "update-cluster.json")) == {"ClusterName", "InstanceGroups"}
    assert calls(bundle, "create-cluster") == []
    assert "create-cluster.json" not in {path.name for path in bundle.folder.iterdir()}
    assert "is not in the spec" not in said


def test_deletion_leaves_the_cluster(bundle: Bundle) -> None:
    succeeded(bundle.deploy())
    rejected(bundle.deploy("--destroy-foundation"), "run deploy.sh --destroy first")
    said = succeeded(bundle.deploy("--destroy"))
    assert calls(bundle, "delete") == [
        "update-cluster --cluster-name platform --instance-groups-to-delete h200"
    ]
    assert own(bundle) == {}
    assert "The stack example-foundation remains\n" in said
    done = bundle.deploy("--destroy")
    assert (done.returncode, calls(bundle, "update-cluster")) == (0, []), done.stderr
    succeeded(bundle.deploy("--destroy-foundation"))
    assert own(bundle) == {}


def test_a_pause_is_one_of_the_added_groups(bundle: Bundle, orchestrator: str) -> None:
    rejected(bundle.deploy("--pause"), "run deploy.sh first")
    succeeded(bundle.deploy())
    for action, size in (("--pause", 0), ("--resume", 2)):
        said = succeeded(bundle.deploy(action))
        assert own(bundle) == {"h200": size}
        noted = "Running jobs on the nodes that stop end" in said
        assert noted == (action == "--pause")


def with_next(orchestrator: str) -> Mapping[str, str]:
    """The bundle with a second group."""
    more = SPECS[orchestrator].replace("}]\ntargets", f"}}, {NEXT}]\ntargets")
    return files_of(more, orchestrator)


def succeed(made: Bundle, *actions: str) -> str:
    """What the last action prints; `deploy` is the one without a name."""
    for action in actions:
        printed = succeeded(made.deploy(*([] if action == "deploy" else [action])))
    return printed


def test_a_group_that_comes_to_the_spec_during_a_pause(bundle: Bundle, orchestrator: str) -> None:
    succeed(bundle, "deploy", "--pause")
    bundle.render(with_next(orchestrator))
    assert "Run deploy.sh once more after that" in succeed(bundle, "deploy")
    assert own(bundle) == {"h200": 0}
    succeed(bundle, "--resume")
    assert own(bundle) == {"h200": 2}
    succeed(bundle, "deploy")
    assert own(bundle) == {"h200": 2, "next": 1}


def test_a_group_that_leaves_the_spec_during_a_pause(bundle: Bundle, orchestrator: str) -> None:
    bundle.render(with_next(orchestrator))
    succeed(bundle, "deploy", "--pause")
    bundle.render(files_of(SPECS[orchestrator], orchestrator))
    assert "The instance group next is not in the spec" in succeed(bundle, "--resume")
    assert own(bundle) == {"h200": 2, "next": 0}
    succeed(bundle, "deploy")


@pytest.mark.parametrize("lost", [("next",), ("h200", "next")])
def test_groups_lost_in_a_pause(bundle: Bundle, orchestrator: str, lost: tuple[str, ...]) -> None:
    bundle.render(with_next(orchestrator))
    succeed(bundle, "deploy", "--pause")
    for name in lost:
        del bundle.account.hyperpod.groups[name]
    assert "or no longer in platform" in succeed(bundle, "--resume")
    assert own(bundle) == ({"h200": 2} if len(lost) == 1 else {})
    assert len(calls(bundle, "update-cluster")) == (1 if len(lost) == 1 else 0)
    succeed(bundle, "deploy")
    assert own(bundle) == {"h200": 2, "next": 1}


def test_groups_of_others_with_the_same_name_stay(bundle: Bundle) -> None:
    hyperpod = bundle.account.hyperpod
    assert hyperpod.theirs
    hyperpod.theirs.groups = {**hyperpod.theirs.groups, "h200": 5}
    hyperpod.join(hyperpod.theirs)
    for action in ((), ("--pause",), ("--resume",), ("--destroy",)):
        done = bundle.deploy(*action)
        assert calls(bundle, "update-cluster") == []
        assert done.returncode == (0 if action == ("--destroy",) else 2)
    done = bundle.deploy()
    assert "has an instance group h200, which this bundle did not add" in done.stderr
    assert bundle.account.calling("create-change-set") == []
    assert own(bundle) == {}


def test_a_failed_deployment_can_be_retried(bundle: Bundle) -> None:
    hyperpod = bundle.account.hyperpod
    hyperpod.failure = "Lifecycle scripts did not run successfully."
    for _ in range(2):  # the second time, the message is not a new one
        rejected(
            bundle.deploy(),
            "HyperPod reports: Lifecycle scripts did not run successfully.",
            "not as requested: h200 is not as requested",
        )
        assert bundle.account.clock < 3 * 3600
        assert own(bundle) == {}
    hyperpod.failure = ""
    succeeded(bundle.deploy())
    assert own(bundle) == {"h200": 2}


def test_a_message_from_before_is_no_failure(bundle: Bundle) -> None:
    """An update of others failed; whether HyperPod reports it ever after is not documented."""
    bundle.account.hyperpod.stale = "Partition configuration drift detected."
    succeeded(bundle.deploy(), "reported this since before the update: Partition configuration")


def test_a_group_that_others_create_later_is_theirs(bundle: Bundle) -> None:
    """Under a name that the bundle has had, after its own group was not created or was deleted."""
    hyperpod = bundle.account.hyperpod
    assert hyperpod.theirs
    hyperpod.failure = "Lifecycle scripts did not run successfully."
    assert bundle.deploy().returncode == 2
    hyperpod.failure = ""
    hyperpod.theirs.groups = {**hyperpod.theirs.groups, "h200": 5}
    hyperpod.join(hyperpod.theirs)
    for action in ((), ("--pause",), ("--destroy",)):
        done = bundle.deploy(*action)
        assert calls(bundle, "update-cluster") == []
        assert done.returncode == (0 if action == ("--destroy",) else 2), done.stderr
    assert own(bundle) == {}


def test_groups_that_were_deleted_are_forgotten(bundle: Bundle, orchestrator: str) -> None:
    bundle.render(with_next(orchestrator))
    succeeded(bundle.deploy())
    assert recorded(bundle) == {"h200", "next"}
    bundle.account.hyperpod.groups.pop("next")
    bundle.account.hyperpod.sent.pop("next")
    bundle.render(files_of(SPECS[orchestrator], orchestrator))
    succeeded(bundle.deploy())
    assert recorded(bundle) == {"h200"}
    succeeded(bundle.deploy("--destroy"))
    assert recorded(bundle) == set()


def test_what_hyperpod_never_changes_is_compared_first(bundle: Bundle, orchestrator: str) -> None:
    succeeded(bundle.deploy())
    spec = SPECS[orchestrator]
    moved = "node_groups: [{name: h200, subnets: [subnet-0a1b2c3d4e5f67899],"
    for changed, words in (
        (spec.replace("p5en.48", "p5.48"), "InstanceType of h200 is ml.p5en.48xlarge, not ml.p5."),
        (spec.replace("count: 2", "count: 2, threads_per_core: 1"), "ThreadsPerCore of h200 is 2"),
        (spec.replace("node_groups: [{name: h200,", moved), "OverrideVpcConfig.Subnets of h200"),
    ):
        bundle.render(files_of(changed, orchestrator))
        rejected(bundle.deploy(), words)
        assert bundle.account.calling("create-change-set") + calls(bundle, "update-cluster") == []
    bundle.render(files_of(spec, orchestrator))
    succeeded(bundle.deploy())


def test_all_that_is_fixed_is_compared() -> None:
    assert {each.member.partition(".")[0] for each in FIXED} == {*FIXED_MEMBERS}


def test_a_failed_update_of_others_is_not_one_of_the_bundle(bundle: Bundle) -> None:
    hyperpod = bundle.account.hyperpod
    hyperpod.others = "Instance group old: insufficient capacity."
    succeeded(
        bundle.deploy(),
        "HyperPod reports: Instance group old",
        "can be about someone else's update",
    )
    hyperpod.others, hyperpod.lingers = "Instance group old: quota exceeded.", 200
    succeeded(bundle.deploy("--destroy"))
    assert own(bundle) == {}


def test_bundles_in_one_cluster_know_their_own(bundle: Bundle, orchestrator: str) -> None:
    other = Fragments(TARGETS[orchestrator], EXAMPLE_BASE.replace("h200", "b200")).files(
        f"name: second\n{SPECS[orchestrator]}".replace("name: h200", "name: b200")
    )
    for files in (files_of(SPECS[orchestrator], orchestrator), other):
        bundle.render(files)
        said = succeeded(bundle.deploy())
        assert "is not in the spec" not in said
    succeeded(bundle.deploy("--pause"))
    assert own(bundle) == {"h200": 2, "b200": 0}
    bundle.render(files_of(SPECS[orchestrator], orchestrator))
    assert bundle.deploy().returncode == 0  # the other one is paused, not this
    succeeded(bundle.deploy("--destroy"))
    bundle.render(other)
    succeeded(bundle.deploy("--resume"))
    assert own(bundle) == {"b200": 2}


def test_the_targets_of_a_spec_in_two_clusters_do_not_meet(tmp_path: Path) -> None:
    """They share the foundation, and nothing else."""
    both = SPECS["slurm"].replace("}}\n", "}, ") + SPECS["eks"].partition("targets: {")[2]
    both = both.replace("hyperpod-eks: {cluster: platform", "hyperpod-eks: {cluster: kube")
    with reaching(tmp_path, {}) as made:
        clusters = {"slurm": HyperPod(made.account), "eks": HyperPod(made.account)}
        for orchestrator, cluster in clusters.items():
            cluster.join(theirs(orchestrator))
        assert clusters["eks"].theirs
        clusters["eks"].theirs.name = "kube"

        def run(orchestrator: str, *actions: str) -> dict[str, int]:
            """The groups of the bundle in this cluster after these actions."""
            made.account.hyperpod = clusters[orchestrator]
            made.render(files_of(both, orchestrator))
            succeed(made, *actions)
            return own(made)

        assert run("slurm", "deploy") == run("eks", "deploy") == {"h200": 2}
        assert run("slurm", "--pause") == {"h200": 0}
        assert run("eks", "deploy", "--pause", "--resume") == {"h200": 2}
        assert run("slurm", "--resume") == {"h200": 2}
        assert run("slurm", "--destroy") == {}
        assert run("eks", "deploy", "--pause") == {"h200": 0}
        assert run("eks", "--resume", "--destroy", "--destroy-foundation") == {}


def test_an_interrupted_deployment_knows_its_groups(bundle: Bundle) -> None:
    expired = ("ExpiredTokenException", "The security token included in the request is expired")
    bundle.account.fail("sagemaker list-cluster-nodes", expired, after=1)
    assert bundle.deploy().returncode != 0
    assert own(bundle) == {"h200": 2}
    succeeded(bundle.deploy())


def test_a_group_that_left_the_spec_is_reported(bundle: Bundle, orchestrator: str) -> None:
    bundle.render(with_next(orchestrator))
    succeeded(bundle.deploy())
    bundle.render(files_of(SPECS[orchestrator], orchestrator))
    said = succeeded(bundle.deploy())
    assert own(bundle) == {"h200": 2, "next": 1}
    notes = [line for line in said.splitlines() if "is not in the spec" in line]
    assert [line.split()[3] for line in notes] == ["next"]
    succeeded(bundle.deploy("--destroy"))
    assert own(bundle) == {}


def test_what_others_do_is_waited_for(bundle: Bundle) -> None:
    hyperpod, clock = bundle.account.hyperpod, bundle.account.clock
    hyperpod.status, hyperpod.next, hyperpod.until = "Updating", "InService", clock + 100
    hyperpod.checked["old"] = clock + 400
    succeeded(bundle.deploy(), "platform: InService, 1 of old in DeepHealthCheckInProgress")


def test_missing_nodes_of_others_are_not_waited_for(bundle: Bundle) -> None:
    bundle.account.none_for = "old"
    said = succeeded(bundle.deploy())
    assert "old 0 of" not in said
    bundle.account.hyperpod.checked["old"] = bundle.account.clock + 9999
    assert bundle.deploy("--wait", "5").returncode == 2


@pytest.mark.sampled(2)
def test_only_events_of_own_groups_explain_a_failure(bundle: Bundle) -> None:
    bundle.account.no_capacity = True
    rejected(bundle.deploy("--wait", "5"))
    bundle.account.hyperpod.failure = "Nodes are missing"
    done = bundle.deploy()
    events = [line for line in done.stderr.splitlines() if line.startswith("Event: ")]
    assert events
    assert all(" h200 " in line for line in events), events


def test_groups_that_cannot_be_deleted_are_a_failure(bundle: Bundle) -> None:
    succeed(bundle, "deploy")
    bundle.account.hyperpod.undeletable.add("h200")
    rejected(bundle.deploy("--destroy"), "these instance groups could not be deleted: h200")
    bundle.account.hyperpod.undeletable.clear()
    bundle.account.hyperpod.failure = ""
    succeeded(bundle.deploy("--destroy"))
    assert own(bundle) == {}


@pytest.mark.parametrize(
    ("shown", "status", "words"),
    [
        ({"VpcConfig": None}, "InService", "created without a VPC"),
        ({"NodeProvisioningMode": None}, "InService", "write provisioning: all-at-once"),
        ({}, "", "there is no HyperPod cluster platform"),
        ({}, "Failed", "platform is Failed"),
    ],
)
def test_nothing_changes_where_the_cluster_does_not_fit(
    bundle: Bundle, orchestrator: str, shown: dict[str, Any], status: str, words: str
) -> None:
    bundle.account.hyperpod.join(theirs(orchestrator, **shown))
    bundle.account.hyperpod.status = status
    rejected(bundle.deploy(), words)
    assert bundle.account.calling("create-change-set") + calls(bundle, "update-cluster") == []


def test_a_cluster_of_another_orchestrator_is_left_alone(bundle: Bundle, orchestrator: str) -> None:
    other = "eks" if orchestrator == "slurm" else "slurm"
    bundle.account.hyperpod.join(theirs(other))
    for action in ((), ("--pause",), ("--destroy",)):
        rejected(bundle.deploy(*action), f"hyperpod-{other}")
        assert calls(bundle, "update-cluster") == []


def test_another_eks_cluster_stops(tmp_path: Path) -> None:
    other = f"{EKS_ARN}-2"
    with reaching(tmp_path, files_of(SPECS["eks"], "eks")) as made:
        cluster = theirs("eks", Orchestrator={"Eks": {"ClusterArn": other}})
        made.account.hyperpod.join(cluster)
        rejected(made.deploy(), f"join {other}: write that")


SLURM = f"{NETWORK}targets: {{hyperpod-slurm: {{{JOINED}, %s}}}}\n"
OWN_SCRIPTS = "lifecycle: {source: 's3://sagemaker-theirs/src', on_create: on_create.sh}"
LEGACY = f"mode: legacy, {OWN_SCRIPTS}"
PARAMETERS = {"worker_groups": [{"instance_group_name": "h200", "partition_name": "h200"}]}


def deployed(folder: Path, options: str, cluster: Theirs, given: Any = None) -> tuple[int, str]:
    """Status and complaints of a deployment to a cluster with Slurm."""
    with reaching(folder, files_of(SLURM % options, "slurm")) as made:
        made.account.hyperpod.join(cluster)
        if given is not None:
            key = "sagemaker-theirs/src/provisioning_parameters.json"
            made.account.objects[key] = json.dumps(given, indent=2).encode()
        done = made.deploy()
        assert set(own(made)) <= {"h200", "login"}
        return done.returncode, done.stderr


def test_who_sets_up_slurm_is_a_property_of_the_cluster(tmp_path: Path) -> None:
    legacy = Theirs("platform", OTHERS, {"VpcConfig": SHOWN["VpcConfig"]})
    all_at_once = "provisioning: all-at-once"
    for number, (options, cluster, words) in enumerate(
        (
            (all_at_once, legacy, "write mode: legacy and lifecycle"),
            (LEGACY, theirs("slurm"), "write mode: api"),
            ("mode: customer-managed", theirs("slurm"), "the controller of platform is the group"),
            (LEGACY, legacy, "src/provisioning_parameters.json does not exist"),
        )
    ):
        status, complaints = deployed(tmp_path / str(number), options, cluster)
        assert (status, words in complaints) == (2, True), complaints
    status, complaints = deployed(tmp_path / "empty", LEGACY, legacy, {"worker_groups": []})
    assert (status, "add the group h200 to worker_groups" in complaints) == (2, True), complaints
    assert deployed(tmp_path / "listed", LEGACY, legacy, PARAMETERS)[0] == 0
    named = "mode: customer-managed, controller_group: head"
    assert deployed(tmp_path / "named", named, theirs("slurm"))[0] == 0


def test_login_nodes_are_added_where_there_are_none(tmp_path: Path) -> None:
    spec = "controller_group: head}}\nlogin: {instance_type: m7i.xlarge}\n#"
    assert deployed(tmp_path / "none", spec, theirs("slurm"))[0] == 0
    cluster = theirs("slurm")
    cluster.groups = {**OTHERS, "entry": 1}
    cluster.roles = {**ROLES, "entry": {"NodeType": "Login"}}
    status, complaints = deployed(tmp_path / "there", spec, cluster)
    assert (status, "has login nodes, the group entry" in complaints) == (2, True), complaints


def test_a_partition_of_others_with_the_same_name_is_reported(tmp_path: Path) -> None:
    cluster = theirs("slurm")
    for partition, reported in (("h200", True), ("old", False)):
        cluster.roles["old"] = {"NodeType": "Compute", "PartitionNames": [partition]}
        status, notes = deployed(tmp_path / partition, "provisioning: continuous", cluster)
        assert (status, "The group old of platform is in the partition" in notes) == (0, reported)


def test_the_own_partition_is_not_reported(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SPECS["slurm"], "slurm")) as made:
        cluster = theirs("slurm")
        cluster.roles["h200"] = {"NodeType": "Compute", "PartitionNames": ["h200"]}
        made.account.hyperpod.join(cluster)
        for _ in range(2):
            assert "is in the partition" not in succeed(made, "deploy")


def test_nothing_promises_what_an_existing_controller_does_not_do() -> None:
    """It runs no script of the bundle, and its partitions have limits of their owner."""
    plan = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/december"
    dates = "starts: 2026-12-10T11:30:00Z, ends: 2026-12-24T11:30:00Z"
    dated = f"count: 2, capacity: {{training_plan: '{plan}', {dates}}}"
    queues = "queues: [{name: h200, node_groups: [h200], time_limit: 2d}]\n"
    spec = SPECS["slurm"].replace("count: 2", dated) + queues
    fragments = Fragments(TARGETS["slurm"])
    unlimited = spec.replace(", time_limit: 2d", "")
    for text, codes in ((spec, {"CAP352", "SLM367"}), (unlimited, {"CAP352", "CAP028"})):
        about = {"CAP028", "CAP030", "CAP352", "SLM367"}
        found = {f.code: f for f in fragments.checked(text).findings if f.code in about}
        assert {*found} == codes
        assert "time_limit" not in str(found.get("CAP028") and found["CAP028"].help)
    assert "| h200        | its owner's |" in fragments.files(spec)["README.md"]
    happens = [event.what for event in events(fragments.plan(spec))]
    assert happens == [
        "capacity starts; nodes follow within minutes",
        "AWS terminates what still runs",
        "capacity ends",
    ]


def test_nodes_of_others_are_neither_shown_nor_ended(bundle: Bundle, orchestrator: str) -> None:
    """A group of others may have the name of one that has come into the spec since."""
    bundle.deployed()
    spec = SPECS[orchestrator].replace("]\ntargets", f", {NEXT.replace('next', 'old')}]\ntargets")
    bundle.render(files_of(spec, orchestrator))
    shown = bundle.deployed("--status").stdout
    assert "i-h200" in shown
    assert "old" not in shown
    bundle.stops("no node", "--replace", "--yes", "--node", "i-old")
