"""Node groups that are added to an existing PCS cluster."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from clustergen.analysis.graph import diagram
from clustergen.base.text_lists import word_set
from clustergen.services import cost
from clustergen.targets import load
from tests.support.cloud.clusters import Group
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.pcs.planned import files_of, found, plan_of, template_of

ID = "pcs_0a1b2c3d4e"
SPEC = f"""
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-az6
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}}]
node_groups: [{{name: h200, count: 2}}]
login: {{instance_type: m7i.xlarge}}
slurm: {{version: "25.05"}}
targets: {{pcs: {{cluster: {ID}, cluster_security_group: sg-0a1b2c3d4e5f67891}}}}
"""


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    """A bundle, and an account in which the cluster has another node group."""
    with reaching(tmp_path, files_of(SPEC)) as made:
        made.account.pcs.clusters[ID] = ("ACTIVE", "25.05")
        made.account.pcs.groups["pcs-theirs"] = Group("theirs", 3, 8, 0, 0)
        made.account.values["ClusterId"] = ID
        yield made


def test_only_what_is_added_is_in_the_template() -> None:
    types = [resource["Type"] for resource in template_of(SPEC)["Resources"].values()]
    assert set(types) == word_set("""
        AWS::EC2::LaunchTemplate AWS::EC2::PlacementGroup AWS::PCS::ComputeNodeGroup AWS::PCS::Queue
    """)


def test_nodes_and_jobs_of_others_are_not_counted() -> None:
    """An alert for them would be for someone else, and those without metrics would seem broken."""
    spec = f"monitoring: {{metrics: managed-prometheus}}\n{SPEC}"
    login = template_of(spec)["Resources"]["NodeGroupLogin"]["Properties"]
    actions = login["NodeLifecycleActions"]["Stages"]["NodeBootstrapped"]
    [arguments] = [each["Arguments"] for each in actions if each["Name"] == "monitoring"]
    assert arguments[-4:] == ["--slurm", "--partitions", "h200", "--own-jobs"]


def test_all_refers_to_the_cluster() -> None:
    template = template_of(SPEC)
    members = [r for r in template["Resources"].values() if r["Type"].startswith("AWS::PCS::")]
    assert {member["Properties"]["ClusterId"] for member in members} == {ID}
    assert "Cluster." not in json.dumps(template)
    assert template["Outputs"]["ClusterId"]["Value"] == ID


def test_the_default_queue_stays_the_default() -> None:
    assert "SlurmConfiguration" not in template_of(SPEC)["Resources"]["QueueH200"]["Properties"]
    asked = SPEC + "queues: [{name: h200, node_groups: [h200], default: true}]\n"
    queue = template_of(asked)["Resources"]["QueueH200"]["Properties"]
    default = {"ParameterName": "Default", "ParameterValue": "YES"}
    assert queue["SlurmConfiguration"]["SlurmCustomSettings"] == [default]


def test_rules_that_are_in_the_foundation_do_not_keep_it(bundle: Bundle) -> None:
    """The group of the scheduler has them."""
    bundle.deployed()
    bundle.deployed("--destroy")
    bundle.account.naming = [("", "sg-0a1b2c3d4e5f67891")]
    bundle.deployed("--destroy-foundation")


def test_the_foundation_lets_nodes_and_scheduler_reach_each_other() -> None:
    foundation = json.loads(dict(files_of(SPEC))["foundation.template.json"])["Resources"]
    rules = {name for name in foundation if "Scheduler" in name}
    sides, ways = ("ClusterSecurityGroupScheduler", "SchedulerNodes"), ("Ingress", "Egress")
    assert rules == {f"{side}{way}" for side in sides for way in ways}


def test_the_controller_is_not_on_the_bill() -> None:
    lines = cost.bill(plan_of(SPEC), load("pcs").fees).lines
    names = {line.name for line in lines if line.part == "service"}
    assert names == {"node management", "login node management"}


def test_the_picture_names_the_cluster() -> None:
    box = next(b for b in diagram(plan_of(SPEC), load("pcs")).all() if b.kind == "service")
    assert box.lines[0] == f"existing cluster {ID}"


def test_settings_of_the_cluster_are_reported() -> None:
    findings = found(f"{SPEC}resilience: {{auto_resume: true}}\n")
    paths = [finding.path for finding in findings if finding.code == "SLM216"]
    assert paths == [("resilience", "auto_resume")]


def sizes(bundle: Bundle) -> dict[str, tuple[int, int]]:
    return {g.name: (g.minimum, g.maximum) for g in bundle.account.pcs.groups.values()}


def test_deploying_twice_and_deleting_leave_the_cluster(bundle: Bundle) -> None:
    for _ in range(2):
        bundle.deployed()
        assert sizes(bundle) == {"theirs": (3, 8), "h200": (2, 2), "login": (1, 1)}
    bundle.deployed("--destroy")
    assert sizes(bundle) == {"theirs": (3, 8)}
    assert ID in bundle.account.pcs.clusters


def test_a_pause_is_one_of_the_added_groups(bundle: Bundle) -> None:
    bundle.deployed()
    for action, size in (("--pause", 0), ("--resume", 2)):
        done = bundle.deployed(action)
        assert ("sbatch rejects new jobs" in done.stderr) == (size == 0)
        assert sizes(bundle) == {"theirs": (3, 8), "h200": (size, size), "login": (1, 1)}


@pytest.mark.parametrize(
    ("clusters", "words"),
    [
        ({}, f"there is no PCS cluster {ID}"),
        ({ID: ("SUSPENDED", "25.05")}, f"{ID} is SUSPENDED"),
        ({ID: ("ACTIVE", "25.11")}, 'write slurm.version: "25.11"'),
    ],
)
def test_nothing_changes_where_the_cluster_does_not_fit(
    bundle: Bundle, clusters: dict[str, tuple[str, str]], words: str
) -> None:
    bundle.account.pcs.clusters = clusters
    bundle.stops(words)
    assert bundle.account.cloudformation.stacks == {}


def test_the_readme_leaves_out_what_the_cluster_has() -> None:
    """Its default queue, the time until it is created, and its controller belong to its owner."""
    text = files_of(SPEC)["README.md"]
    [row] = [line for line in text.splitlines() if line.startswith("| h200  | h200")]
    assert "yes" not in row
    without_login = files_of(SPEC.replace("login: {instance_type: m7i.xlarge}\n", ""))["README.md"]
    for words in ("the cluster about 15", "he controller", "PCS_SCHEDULER_LOGS", "add `login`"):
        assert words not in text + without_login
    assert "submit jobs from the login nodes of the cluster" in without_login


def test_our_cluster_is_not_deleted_for_an_existing_one(bundle: Bundle) -> None:
    bundle.render(files_of(SPEC.replace(SPEC[SPEC.index("targets:") :], "targets: {pcs: {}}\n")))
    bundle.deployed()
    bundle.render(files_of(SPEC))
    bundle.stops("would delete Cluster. Data and jobs in what goes are lost")
