"""deploy.sh of every target, played in an account that remembers: what an operator goes through."""

import functools
import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clustergen.analysis import policy
from clustergen.base.artifacts import Artifact
from clustergen.base.findings import EXAMPLE_BASE
from tests.support.checking import Fragments
from tests.support.cloud.account import EXPIRED, THROTTLED
from tests.support.cloud.commands import Bundle, reaching
from tests.support.cloud.identity import under

pytestmark = [pytest.mark.scenarios(8), pytest.mark.sampled(3)]

STORAGE = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500}
  - {mount: /home, type: efs}
"""
MORE = STORAGE + "  - {mount: /data, type: efs}\n"
TAGGED = STORAGE + "tags: {team: research}\n"
BASES = {
    "parallelcluster": EXAMPLE_BASE,
    "pcs": EXAMPLE_BASE,
    "hyperpod-slurm": EXAMPLE_BASE,
    "hyperpod-eks": f"{EXAMPLE_BASE}targets: {{hyperpod-eks: {{eks_cluster: new}}}}\n",
    "eks": EXAMPLE_BASE,
    # Of nodes without EFA, some run at any time.
    "batch": EXAMPLE_BASE.replace("count: 2", "count: 2, efa: false"),
}
# The calls that make, change and delete the cluster itself, and the call that waits for it.
OF_STACKS = {
    target: (
        f"example-{target} --change-set-name",
        f"example-{target} --change-set-name",
        f"delete-stack --stack-name example-{target}",
    )
    for target in ("pcs", "eks", "batch")
}
OF_HYPERPOD = tuple(f"sagemaker {verb}-cluster" for verb in ("create", "update", "delete"))
CHANGES = {
    "parallelcluster": tuple(f"pcluster {verb}-cluster" for verb in ("create", "update", "delete")),
    "hyperpod-slurm": OF_HYPERPOD,
    "hyperpod-eks": OF_HYPERPOD,
    **OF_STACKS,
}
REQUESTED = {
    "parallelcluster": "describe-cluster",
    "hyperpod-slurm": "sagemaker describe-cluster",
    "hyperpod-eks": "sagemaker describe-cluster",
    **{target: f"describe-stacks --stack-name example-{target}" for target in OF_STACKS},
}
TARGETS = list(BASES)
LOG_GROUP = "AWS::Logs::LogGroup"
"""An empty one costs nothing, and the next attempt takes it over."""
ASKED = tuple(OF_STACKS)
"""Where a change of the launch templates replaces nodes that run, for which deploy.sh asks."""


def files(target: str, text: str = STORAGE) -> dict[str, str]:
    return dict(Fragments(target, BASES[target]).files(text))


@functools.cache
def policies(target: str) -> dict[str, Any]:
    """What `clustergen policy` prints: all is played with these permissions."""
    made = Fragments(target, BASES[target])
    artifacts = tuple(Artifact(path, text) for path, text in made.files(STORAGE).items())
    return policy.documents(made.plan(STORAGE), artifacts)


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def bundle(target: str, tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files(target)) as made:
        # CloudFormation's name: that of the stack, the logical id and a random end.
        bucket = "example-foundation-scriptsbucket-0a1b2c3d4e5f"
        made.account.allows = under(policies(target), bucket)
        yield made


def last(stderr: str) -> str:
    return stderr.strip().splitlines()[-1]


def deployed(bundle: Bundle, *arguments: str) -> str:
    """The output of a run that has to succeed."""
    return bundle.deployed(*arguments).stderr


def changed(bundle: Bundle, target: str) -> str:
    """The output of a run that may replace nodes."""
    return deployed(bundle, *(["--allow-replacement"] if target in ASKED else []))


def test_a_first_deployment_reports_success(bundle: Bundle, target: str) -> None:
    output = deployed(bundle)
    assert last(output) == "example is deployed."
    assert bundle.account.calling(CHANGES[target][0])


def test_a_second_deployment_changes_nothing(bundle: Bundle) -> None:
    deployed(bundle)
    output = deployed(bundle)
    assert "example-foundation is up to date" in output
    assert bundle.account.calling("execute-change-set") == []
    assert bundle.account.calling("create-cluster") == []


def test_a_change_of_the_spec_reaches_the_cluster(bundle: Bundle, target: str) -> None:
    deployed(bundle)
    bundle.render(files(target, TAGGED))
    changed(bundle, target)
    assert bundle.account.calling("execute-change-set", "example-foundation")
    assert bundle.account.calling(CHANGES[target][1])


def test_a_failed_foundation_is_created_again(bundle: Bundle) -> None:
    bundle.account.broken["StorageFsx"] = "the quota of FSx is used up"
    done = bundle.stops("StorageFsx\tthe quota of FSx is used up")
    assert last(done.stderr).endswith(
        "ROLLBACK_COMPLETE: fix the errors above, and run this again."
    )
    left = [each for each in bundle.account.cloudformation.orphans if each[0] != LOG_GROUP]
    assert left == []
    bundle.account.broken.clear()
    assert "It is deleted and created again." in deployed(bundle)


OF_EKS = "/aws/eks/example/cluster"
LOGS = {"eks": OF_EKS, "hyperpod-eks": OF_EKS, "batch": "/aws/batch/example"}


@pytest.mark.parametrize("target", LOGS)
def test_logs_outlive_a_cluster_and_the_next_takes_them_over(bundle: Bundle, target: str) -> None:
    account, group = bundle.account, LOGS[target]
    account.log_groups.add(f"{group}-2")
    assert "takes it over" not in deployed(bundle)
    deployed(bundle, "--destroy")
    assert group in account.log_groups
    assert f"The log group {group} exists" in deployed(bundle)
    assert "takes it over" not in deployed(bundle)


@pytest.mark.parametrize("target", ["pcs", "hyperpod-slurm", "eks"])
def test_logs_outlive_a_foundation_and_the_next_takes_them(target: str, tmp_path: Path) -> None:
    group = "/aws/vendedlogs/prometheus/example-metrics"
    text = f"monitoring: {{metrics: managed-prometheus}}\n{STORAGE}"
    with reaching(tmp_path, files(target, text)) as made:
        made.account.broken["StorageFsx"] = "the quota of FSx is used up"
        assert made.deploy().returncode == 2
        made.account.broken.clear()
        assert f"The log group {group} exists" in deployed(made)
        assert "takes it over" not in deployed(made)
        deployed(made, "--destroy")
        deployed(made, "--destroy-foundation")
        assert group in made.account.log_groups
        assert f"The log group {group} exists" in deployed(made)


@pytest.mark.parametrize("target", ["eks", "hyperpod-eks"])
def test_a_second_access_entry_of_the_caller_stops_first(target: str, tmp_path: Path) -> None:
    text = f"{STORAGE}kubernetes: {{admins: ['arn:aws:iam::111122223333:role/deployer']}}\n"
    with reaching(tmp_path, files(target, text)) as made:
        for action in ([], ["--foundation"]):
            made.stops("is an administrator already", *action, last=True)
            assert made.account.calling("create-change-set") == []


PAUSED = {
    "parallelcluster": "network, storage, head node.",
    "pcs": "network, storage, controller.",
    "hyperpod-slurm": "network, storage, controller.",
    "hyperpod-eks": "network, storage, control plane, system nodes.",
    "eks": "network, storage, control plane, system nodes.",
    "batch": "network, storage, and nodes until their jobs end.",
}


def test_a_pause_names_the_nodes_that_stay(bundle: Bundle, target: str) -> None:
    deployed(bundle)
    assert last(deployed(bundle, "--pause")).endswith(f"money: {PAUSED[target]}")


def test_throttled_requests_are_retried(bundle: Bundle, target: str) -> None:
    bundle.account.fail(REQUESTED[target], THROTTLED, times=5, after=1)
    bundle.account.fail("describe-change-set", THROTTLED, times=3)
    deployed(bundle)


def test_an_expired_token_does_not_mean_a_missing_cluster(bundle: Bundle, target: str) -> None:
    bundle.account.fail(REQUESTED[target], EXPIRED, after=7)
    done = bundle.stops("Renew them, and run the same command again", last=True)
    assert "is deleted" not in last(done.stderr)
    deployed(bundle)
    assert bundle.account.calling("sagemaker create-cluster --cli") == []


def test_a_run_continues_an_operation_of_another_run(bundle: Bundle, target: str) -> None:
    done = bundle.stops("run the same command again to wait for it again", "--wait", "1", last=True)
    while done.returncode == 2:
        done = bundle.deploy("--wait", "7")
        assert "to wait for it again" in last(done.stderr) or done.returncode == 0, done.stderr
    assert last(done.stderr) == "example is deployed."


def test_deploy_lists_losses_before_they_happen(bundle: Bundle, target: str) -> None:
    """In a plan, and once more before nodes stop or anything is deleted."""
    ends = target != "batch"
    deployed(bundle)
    usage = deployed(bundle, "--destroy", "--plan").replace("This goes:", " ")
    paused = deployed(bundle, "--pause")
    assert ("Running jobs on the nodes that stop end" in paused) is ends
    deployed(bundle, "--resume")
    lines = deployed(bundle, "--destroy").splitlines()
    told = [number for number, line in enumerate(lines) if line.startswith("This goes: ")]
    assert told
    for number in told:
        assert f"  {lines[number].removeprefix('This goes: ')}" in usage.splitlines()
    assert max(told) < min(n for n, line in enumerate(lines) if "delete-" in line and "+ " in line)


def test_destroy_waits_and_can_run_again(bundle: Bundle, target: str) -> None:
    deployed(bundle)
    output = deployed(bundle, "--destroy")
    assert bundle.account.calling(CHANGES[target][2])
    remains = "The stack example-foundation remains, with the network and the data of: /fsx /home"
    assert last(output) == remains
    output = deployed(bundle, "--destroy")
    assert bundle.account.calling(CHANGES[target][2]) == []
    assert "does not exist." in output


def test_an_expired_token_during_deletion_is_not_success(bundle: Bundle, target: str) -> None:
    deployed(bundle)
    bundle.account.fail(REQUESTED[target], EXPIRED, after=3)
    # A script says it before the engine says that it failed.
    bundle.stops("Renew them", "--destroy", last=target != "hyperpod-eks")
    deployed(bundle, "--destroy")


def test_deleting_the_foundation_prints_what_remains(bundle: Bundle) -> None:
    deployed(bundle)
    deployed(bundle, "--destroy")
    output = deployed(bundle, "--destroy-foundation")
    lines = [line.strip() for line in output.splitlines() if line.startswith("  aws ")]
    where = "aws --region us-east-1"
    target = "--mount-target-id mounttarget1ofstoragehome-0a1b"
    assert lines[0] == f"{where} efs delete-mount-target {target}"
    (command,) = (line for line in lines if "efs delete-file-system" in line)
    assert command.endswith("-0a1b  # once its mount targets are gone, after a minute or two")
    assert f"{where} fsx delete-file-system --file-system-id storagefsx-0a1b" in lines
    assert lines[-2] == f"{where} ec2 delete-vpc --vpc-id vpc-0a1b"
    assert "storagefsx" in str(bundle.account.cloudformation.orphans).lower()
    output = deployed(bundle, "--destroy-foundation")
    assert "The stack example-foundation does not exist." in output


def test_an_interrupted_deletion_of_the_foundation_prints_what_remains(bundle: Bundle) -> None:
    for action in ((), ("--destroy",)):
        deployed(bundle, *action)
    bundle.stops("is not done after 0 minutes", "--destroy-foundation", "--wait", "0", last=True)
    bundle.account.run("sleep", ["3600"], bundle.folder)
    for remains in (True, False):
        output = deployed(bundle, "--destroy-foundation")
        assert "The stack example-foundation does not exist." in output
        assert ("fsx delete-file-system --file-system-id storagefsx-0a1b" in output) is remains


def test_a_foundation_in_use_is_not_deleted(bundle: Bundle) -> None:
    """Routes and roles of running nodes would be gone before CloudFormation notices the nodes."""
    deployed(bundle)
    bundle.stops("run deploy.sh --destroy first", "--destroy-foundation")
    assert bundle.account.calling("delete-stack") == []
    for step in ("--destroy", "--destroy-foundation"):
        deployed(bundle, step)


WITH_EFA = "storage: [{mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500, efa: true}]"


@pytest.mark.parametrize("target", ["pcs", "hyperpod-eks"])
@pytest.mark.parametrize("place", ["cluster", "group"])
def test_a_foundation_stays_for_nodes_of_hyperpod(target: str, place: str, tmp_path: Path) -> None:
    """EC2 shows no instances, and file systems with EFA have interfaces like theirs."""
    with reaching(tmp_path, files(target, WITH_EFA)) as made:
        deployed(made)
        deployed(made, "--destroy")
        config = {"SecurityGroupIds": ["sg-1", made.account.output("ClusterSecurityGroupId")]}
        shown: dict[str, Any] = {
            "VpcConfig": config if place == "cluster" else {"SecurityGroupIds": ["sg-1"]},
            "InstanceGroups": [{"OverrideVpcConfig": config} if place == "group" else {}],
        }
        made.account.clusters_of_others = {"other": shown}
        made.stops("these still use the foundation: HyperPod cluster other", "--destroy-foundation")
        made.account.fail("sagemaker list-clusters", ("AccessDeniedException", "no"), times=9)
        made.stops("cannot be known", "--destroy-foundation", last=True)
        deployed(made, "--destroy-foundation", "--allow-replacement")


def test_only_the_foundation_is_deployed(bundle: Bundle, target: str) -> None:
    """An external database of a new VPC is created between the two."""
    output = deployed(bundle, "--foundation")
    assert last(output) == "example-foundation is deployed."
    assert set(bundle.account.cloudformation.stacks) == {"example-foundation"}
    assert bundle.account.calling(CHANGES[target][0]) == []
    deployed(bundle)
    assert bundle.account.calling(CHANGES[target][0])


def test_removed_file_systems_leave_the_cluster_first(bundle: Bundle, target: str) -> None:
    bundle.render(files(target, MORE))
    deployed(bundle)
    bundle.render(files(target))
    bundle.stops("disconnect StorageData, whose data stays. Jobs that use it hang", last=True)
    output = deployed(bundle, "--allow-replacement")
    calls = bundle.account.calls
    change = "execute-change-set --stack-name example-f"
    [foundation] = [i for i, call in enumerate(calls) if change in call]
    cluster = [i for i, call in enumerate(calls) if CHANGES[target][1] in call]
    assert "StorageData: removed from the foundation after the cluster has changed" in output
    assert all(place < foundation for place in cluster)
    assert any("delete-change-set --stack-name example-f" in call for call in calls[:foundation])


def test_a_file_system_is_replaced_by_another_in_one_run(bundle: Bundle, target: str) -> None:
    """The new one comes before the cluster changes, the old one goes after that."""
    bundle.render(files(target, MORE))
    deployed(bundle)
    bundle.render(files(target, MORE.replace("/data", "/results") + "tags: {team: research}\n"))
    change = CHANGES[target][1].replace("example-", "execute-change-set --stack-name example-")
    bundle.account.fail(change.removesuffix(" --change-set-name"), ("Refused", "not now"))
    assert bundle.deploy("--allow-replacement").returncode != 0
    stack = bundle.account.cloudformation.stacks["example-foundation"]
    assert {"StorageData", "StorageResults"} <= set(stack.resources)
    deployed(bundle, "--allow-replacement")
    calls = bundle.account.calls
    [removal] = bundle.account.calling("execute-change-set", "example-foundation")
    cluster = [i for i, call in enumerate(calls) if CHANGES[target][1] in call]
    assert cluster
    assert max(cluster) < calls.index(removal)
    stack = bundle.account.cloudformation.stacks["example-foundation"]
    assert "StorageResults" in stack.resources
    assert not any("StorageData" in json.dumps(each) for each in stack.resources.values())


def test_a_file_system_that_would_be_replaced_stops_the_run(bundle: Bundle, target: str) -> None:
    deployed(bundle)
    bundle.render(files(target, STORAGE.replace("500}", "500, efa: true}")))
    bundle.stops("would replace StorageFsx", last=True)
    assert bundle.account.calling("execute-change-set") == []
    deployed(bundle, "--allow-replacement")


def test_a_property_within_another_may_replace_as_well(bundle: Bundle, target: str) -> None:
    """The schema of file systems does not list it, so the change set may call it an update."""
    deployed(bundle)
    bundle.render(files(target, STORAGE.replace("throughput: 500", "deployment: scratch-2")))
    bundle.stops("would replace StorageFsx", last=True)


def test_a_value_that_is_known_later_replaces_nothing(bundle: Bundle, target: str) -> None:
    """CloudFormation calls a file system perhaps replaced if its security group changes."""
    deployed(bundle)
    bundle.render(files(target, f"tags: {{team: blue}}\n{STORAGE}"))
    output = changed(bundle, target)
    assert "Modify StorageFsx (AWS::FSx::FileSystem), perhaps replaced" in output


def test_a_file_system_that_would_be_deleted_stops_the_run(bundle: Bundle, target: str) -> None:
    bundle.render(files(target, f"{MORE.rstrip()[:-1]}, on_delete: delete}}\n"))
    deployed(bundle)
    bundle.render(files(target))
    bundle.stops("would delete StorageData", last=True)
    assert bundle.account.calling("execute-change-set", "example-foundation") == []
    deployed(bundle, "--allow-replacement")
    assert "StorageData" not in bundle.account.cloudformation.stacks["example-foundation"].resources


def test_what_is_remembered_is_data(tmp_path: Path) -> None:
    """Bash would run the command in the subscript, on the machine of those who resume."""
    with reaching(tmp_path, files("pcs")) as bundle:
        deployed(bundle)
        deployed(bundle, "--pause")
        [key] = [key for key in bundle.account.objects if "/paused/" in key]
        command = f"a[$(touch {bundle.folder}/ran)]"
        kept = bundle.account.objects[key].decode().split("\t")
        for column in range(len(kept)):
            changed = [*kept[:column], command, *kept[column + 1 :]]
            bundle.account.objects[key] = "\t".join(changed).encode()
            bundle.stops("is not what deploy.sh wrote", "--resume")
        assert not (bundle.folder / "ran").exists()


def test_a_pause_is_remembered(bundle: Bundle, target: str) -> None:
    deployed(bundle)
    before = sizes(bundle, target)
    assert any(before.values())
    deployed(bundle, "--pause")
    assert not any(sizes(bundle, target).values())
    assert "is paused" in last(deployed(bundle, "--pause"))
    if target in {"pcs", "eks", "batch"}:
        bundle.render(files(target, TAGGED))
        bundle.stops("is paused: run deploy.sh --resume first")
        assert bundle.account.calling("create-change-set") == []
        bundle.render(files(target))
    deployed(bundle, "--resume")
    assert sizes(bundle, target) == before
    deployed(bundle)


def test_a_lost_environment_does_not_stop_a_resume(tmp_path: Path) -> None:
    groups = "node_groups: [{name: h200}, {name: cpu, instance_type: c7i.16xlarge, count: 4}]\n"
    with reaching(tmp_path, files("batch", groups)) as bundle:
        deployed(bundle)
        deployed(bundle, "--pause")
        stack = bundle.account.cloudformation.stacks["example-batch"]
        lost = stack.ids.pop("ComputeEnvironmentCpu")
        del bundle.account.batch.environments[lost]
        done = bundle.deployed("--resume")
        assert f"no longer has the compute environment {lost}: it is left out" in done.stderr
        [left] = bundle.account.batch.environments.values()
        assert left.state == "ENABLED"


@pytest.mark.parametrize("target", ["pcs", "eks"])
def test_a_lost_node_group_does_not_stop_a_resume(bundle: Bundle, target: str) -> None:
    """A deployment is impossible before it."""
    deployed(bundle)
    before = sizes(bundle, target)
    deployed(bundle, "--pause")
    groups = getattr(bundle.account, target).groups
    lost = groups.pop(next(id for id, each in groups.items() if each.name != "system_nodes"))
    done = bundle.deployed("--resume")
    assert f"no longer has the node group {lost.name}: it is left out" in done.stderr
    assert sizes(bundle, target) == {name: n for name, n in before.items() if name in groups}


@pytest.mark.parametrize(
    ("target", "metrics"),
    [
        *itertools.product(
            ("parallelcluster", "pcs", "hyperpod-slurm"), ("managed-prometheus", "cloudwatch")
        ),
        ("hyperpod-eks", "managed-prometheus"),
        ("eks", "managed-prometheus"),  # on queues that are held
    ],
)
def test_a_pause_turns_off_alerts_on_nodes(tmp_path: Path, target: str, metrics: str) -> None:
    spec = f"{STORAGE}monitoring: {{metrics: {metrics}, alerts: {{email: [on-call@example.com]}}}}"
    alarms = {"managed-prometheus": "RulesDue RulesGpu", "cloudwatch": "MetricsAbsent MountMissing"}
    absence, other = alarms[metrics].split()

    def watched() -> tuple[bool, bool]:
        stack = account.cloudformation.stacks[f"example-{target}-monitoring"]
        return absence in stack.resources, other in stack.resources

    with reaching(tmp_path, files(target, spec)) as bundle:
        account = bundle.account
        deployed(bundle)
        assert watched() == (True, True)
        for _ in range(2):
            deployed(bundle, "--pause")
            assert watched() == (False, True)
        if target in {"parallelcluster", "hyperpod-slurm", "hyperpod-eks"}:
            deployed(bundle)  # some changes need a stopped fleet
            assert watched() == (False, True)
        deployed(bundle, "--resume")
        assert watched() == (True, True)
        deployed(bundle)
        assert watched() == (True, True)


@pytest.mark.parametrize("target", ["pcs", "hyperpod-slurm", "hyperpod-eks"])
def test_nodes_that_run_are_watched_while_others_lack(target: str, tmp_path: Path) -> None:
    alerts = "monitoring: {metrics: managed-prometheus, alerts: {email: [on-call@example.com]}}\n"
    with reaching(tmp_path, files(target, alerts)) as bundle:
        stacks, name = bundle.account.cloudformation.stacks, f"example-{target}-monitoring"
        bundle.account.none_for = "h200"
        done = bundle.stops("is deployed, but not all of its nodes: ", "--wait", "5", last=True)
        assert "h200 0 of 2" in done.stderr
        assert "RulesDue" in stacks[name].resources
        bundle.deployed("--pause")
        assert "RulesDue" not in stacks[name].resources
        bundle.stops("AWS continues: run deploy.sh to wait", "--resume", "--wait", "5")
        assert "RulesDue" in stacks[name].resources
        bundle.stops("is not paused. If it lacks nodes", "--resume")
        bundle.account.none_for = ""
        bundle.deployed()


def test_the_alerts_of_another_target_stay(tmp_path: Path) -> None:
    """While a cluster moves, both services run it; the old one goes last."""
    spec = STORAGE + "monitoring: {metrics: managed-prometheus}\n"
    old, new = "parallelcluster", "pcs"
    both = [json.loads(files(one, spec)["monitoring.template.json"]) for one in (old, new)]
    kind = "AWS::APS::RuleGroupsNamespace"
    resources = [template["Resources"].values() for template in both]
    names = [{r["Properties"]["Name"] for r in each if r["Type"] == kind} for each in resources]
    assert all(names)
    assert names[0] & names[1] == set()  # they are unique in a workspace
    with reaching(tmp_path, files(old, spec)) as bundle:
        deployed(bundle)
        deployed(bundle, "--destroy")
        [gone] = [call for call in bundle.account.calling("delete-stack") if "monitoring" in call]
        assert gone.endswith(f"example-{old}-monitoring")


def sizes(bundle: Bundle, target: str) -> dict[str, int]:
    """Nodes that every group for the cluster's work is to have."""
    account = bundle.account
    match target:
        case "parallelcluster":
            return {"fleet": int(account.pcluster.fleet == "RUNNING")}
        case "pcs":
            return {group.name: group.minimum for group in account.pcs.groups.values()}
        case "batch":
            return {id: each.least for id, each in account.batch.environments.items()}
        case "eks":
            groups = account.eks.groups.values()
            return {group.name: group.desired for group in groups if group.name != "system_nodes"}
        case _:
            return {"h200": account.hyperpod.groups["h200"]}


@pytest.mark.parametrize(
    "action",
    [[], ["--foundation"], ["--destroy"], ["--destroy-foundation"], ["--pause"], ["--resume"]],
)
def test_a_dry_run_calls_no_aws_command(bundle: Bundle, action: list[str]) -> None:
    output = deployed(bundle, "--dry-run", *action)
    assert [call for call in bundle.account.calls if not call.startswith("git")] == []
    assert "\n+ " in f"\n{output}"
    assert re.search(r"example is (deployed|paused|resumed)", output) is None
    assert not (bundle.folder / ".filled").exists()


@pytest.mark.parametrize("target", ["parallelcluster", "pcs", "hyperpod-slurm", "eks"])
@pytest.mark.parametrize("action", ["--pause", "--resume"])
def test_dry_runs_with_alerts_need_no_credentials(target: str, action: str, tmp_path: Path) -> None:
    alerts = "{metrics: managed-prometheus, alerts: {email: [on-call@example.com]}}"
    with reaching(tmp_path, files(target, f"{STORAGE}monitoring: {alerts}")) as bundle:
        deployed(bundle, "--dry-run", action)
        assert bundle.account.calls == []
