"""deploy.sh of a new EKS cluster, in an account that remembers."""

import json
from collections.abc import Iterator
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from clustergen.services import foundation
from clustergen.targets.hyperpod_eks import charts, limits
from tests.support.cloud.account import EKS_CLUSTER_ARN, EXPIRED
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.hyperpod_eks.new_cluster import NEW, files_of_new, plan_of_new
from tests.targets.hyperpod_eks.planned import files_of

pytestmark = pytest.mark.scenarios(6)

ARN = "arn:aws:sagemaker:us-east-1:111122223333:cluster/abc123"


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of_new(NEW)) as made:
        yield made


STEPS = ("execute-change-set --stack-name example-foundation",
         "execute-change-set --stack-name example-eks",
         "update-kubeconfig", "get --raw /readyz", "git -C", "helm dependency update",
         "helm upgrade", "--key lifecycle/", "create-cluster --cli",
         "execute-change-set --stack-name example-addons", "create-cluster-scheduler-config",
         "create-compute-quota")  # fmt: skip


def test_a_deployment(rig: Bundle) -> None:
    rig.deployed()
    assert list(dict.fromkeys(rig.order(*STEPS))) == list(STEPS)
    request = (rig.folder / ".filled/create-cluster.json").read_text()
    assert "${" not in request
    cluster = json.loads(request)
    assert cluster["Orchestrator"] == {"Eks": {"ClusterArn": EKS_CLUSTER_ARN}}
    assert "eksclustersecuritygroupid-0a1b" in cluster["VpcConfig"]["SecurityGroupIds"]
    # Stacks get the outputs of those before.
    [eks] = rig.calling("create-change-set --stack-name example-eks")
    assert "ParameterKey=ControlPlaneSubnet1Id,ParameterValue=controlplanesubnet1id-0a1b" in eks
    [addons] = rig.calling("create-change-set --stack-name example-addons")
    assert "ParameterKey=EksClusterName,ParameterValue=eksclustername-0a1b --tags " in addons
    # Quotas name the cluster.
    made = rig.calling("create-compute-quota")
    assert [line.split("--name ")[1].split()[0] for line in made] == ["train", "tune"]
    for line in (*made, *rig.calling("create-cluster-scheduler-config")):
        assert f"--cluster-arn {ARN}" in line
        assert "--tags Key=team,Value=research" in line
    # The user's kubeconfig does not change.
    updates = rig.calling("update-kubeconfig")
    assert updates
    assert all(update.endswith("--kubeconfig .filled/kubeconfig") for update in updates)


def test_a_second_run_creates_nothing(rig: Bundle) -> None:
    rig.deploy()
    rig.deployed()
    assert rig.calling("sagemaker create-") == []
    assert rig.calling("sagemaker update-") == rig.calling("sagemaker update-cluster --cli")
    assert rig.calling("execute-change-set") == []
    assert rig.calling("git", "fetch") == []


def test_a_changed_quota_is_updated(rig: Bundle) -> None:
    rig.deploy()
    path = rig.folder / "governance/compute-quota-tune.json"
    path.write_text(path.read_text().replace('"Description": "', '"Description": "another '))
    rig.deployed()
    assert [line.split(" sagemaker ")[1] for line in rig.calling("update-compute-quota")] == [
        "update-compute-quota --compute-quota-id id-tune --target-version 1 --cli-input-json "
        "file://governance/compute-quota-tune.json"
    ]


def test_a_failed_quota_reports_the_reason(rig: Bundle) -> None:
    rig.account.governance["Status"] = "CreateFailed"
    rig.stops("the scheduler configuration example: CreateFailed: HyperPod gives no reason")


RETRIES = [
    # What failed, and what the next run does with it.
    ("CreateFailed", ["delete-compute-quota", "create-compute-quota"]),
    ("CreateRollbackFailed", ["delete-compute-quota", "create-compute-quota"]),
    ("UpdateFailed", ["update-compute-quota"]),
    ("UpdateRollbackFailed", ["update-compute-quota"]),
]


@pytest.mark.parametrize(("status", "operations"), RETRIES)
def test_the_next_run_mends_a_failed_quota(rig: Bundle, status: str, operations: list[str]) -> None:
    rig.deploy()
    rig.account.hyperpod.governed["id-tune-ComputeQuota"]["Status"] = status
    rig.deployed()
    made = [f"{verb}-compute-quota" for verb in ("delete", "create", "update")]
    assert rig.order(*made) == operations
    assert rig.account.hyperpod.governed["id-tune-ComputeQuota"]["Name"] == "tune"


def test_the_quota_of_a_removed_queue_is_deleted(rig: Bundle) -> None:
    """A quota that another team made in the console stays."""
    rig.deploy()
    governed = rig.account.hyperpod.governed
    theirs = {"Name": "theirs", "ComputeQuotaId": "id-theirs", "Description": "of another team"}
    governed["id-theirs-ComputeQuota"] = {**governed["id-tune-ComputeQuota"], **theirs}
    rig.render(files_of_new("queues: [{name: train, node_groups: [h200], priority: 10}]"))
    done = rig.deployed()
    assert "so their quotas are deleted: tune" in done.stderr
    assert "The quota theirs: clustergen did not make it, so it stays" in done.stderr
    assert {each["Name"] for each in governed.values()} == {"example", "train", "theirs"}
    first, *_ = rig.order("delete-compute-quota", "update-compute-quota")
    assert first == "delete-compute-quota"


@pytest.mark.parametrize("key", ["id-tune-ComputeQuota", "id-example-ClusterSchedulerConfig"])
def test_what_another_team_made_under_our_name_is_left_alone(rig: Bundle, key: str) -> None:
    rig.deploy()
    theirs = rig.account.hyperpod.governed[key]
    for status in ("Created", "CreateFailed"):
        theirs |= {"Description": "of another team", "Status": status}
        done = rig.deploy()
        assert (done.returncode, theirs["Description"]) == (2, "of another team")
        assert "clustergen did not make the " in done.stderr
        assert "its description is 'of another team'" in done.stderr
        assert rig.order("sagemaker update-c", "sagemaker delete-c") == ["sagemaker update-c"]
    done = rig.deploy("--destroy")
    assert "example: clustergen did not make it" in done.stderr or "tune: clusterg" in done.stderr
    assert rig.account.hyperpod.governed[key] == theirs


@pytest.mark.parametrize("more", ["", ", jobs: none"])
def test_the_removal_of_an_add_on_needs_consent_first(rig: Bundle, more: str) -> None:
    """Not after the EKS cluster, the HyperPod cluster and the quotas have changed."""
    rig.deploy()
    rig.render(files_of_new(f"kubernetes: {{admission: none{more}}}"))
    (rig.folder / "addons.template.json").unlink(missing_ok=True) if more else None
    rig.render(files_of_new(f"kubernetes: {{admission: none{more}}}"))
    rig.stops("--allow-replacement")
    assert rig.order("execute-change-set", "update-cluster", "delete-compute-quota") == []
    rig.deployed("--allow-replacement")


BURSTS = """
node_groups: [{name: burst, instance_type: g6e.4xlarge, count: {min: 0, max: 4}}]
queues: [{name: train, node_groups: [h200]}, {name: eval, node_groups: [burst]}]
kubernetes: {autoscaler: karpenter}
"""


@pytest.mark.parametrize("changed", [("eval", "evals"), ("autoscaler: karpenter", "")])
def test_a_pool_with_nodes_leaves_with_consent(tmp_path: Path, changed: tuple[str, str]) -> None:
    """A deployment deletes it, and its nodes with their jobs."""
    with reaching(tmp_path, files_of_new(BURSTS)) as made:
        account = made.account
        account.releases.add("karpenter-crd")
        made.deployed()
        account.pools["theirs"] = "another"
        account.claims = {"node-1": "eval", "node-2": "theirs"}
        count = "{max: 4}" if changed[1] else "4"
        after = BURSTS.replace(*changed).replace("{min: 0, max: 4}", count)
        made.render(files_of_new(after))
        made.stops("the node pool eval left the spec")
        assert made.order("execute-change-set", "update-cluster --cli", " apply ") == []
        made.deployed("--allow-replacement")
        account.claims = {"node-2": "theirs"}
        made.deployed()


def test_a_group_stays_on_spot_instances(tmp_path: Path) -> None:
    spot = BURSTS.replace("count: {min: 0", "capacity: spot, count: {min: 0")
    with reaching(tmp_path, files_of_new(spot)) as made:
        made.deployed()
        made.deployed()
        made.render(files_of_new(BURSTS))
        made.stops("of burst is Spot, not OnDemand")


@pytest.mark.parametrize("claims", [{"node-1": "eval"}, {}])
def test_a_change_of_who_reaches_the_api_needs_no_api(
    tmp_path: Path, claims: dict[str, str]
) -> None:
    with reaching(tmp_path, files_of_new(BURSTS)) as made:
        made.account.releases.add("karpenter-crd")
        made.deployed()
        made.account.claims = claims
        made.account.fail("get customresourcedefinitions", ("", "no route to host"))
        public = BURSTS.replace("{auto", "{public_endpoint_from: [203.0.113.0/24], auto")
        made.render(files_of_new(public.replace("eval", "evals")))
        done = made.deploy()
        assert made.order("execute-change-set")
        assert done.returncode == (2 if claims else 0), done.stderr
        assert ("on them. No node pool was changed." in done.stderr) == bool(claims)
        assert bool(made.order("update-cluster --cli")) != bool(claims)


def test_system_nodes_of_another_type_are_refused(rig: Bundle) -> None:
    """CloudFormation would make the new group first, which cannot have the same name."""
    rig.deploy()
    rig.render(files_of_new("kubernetes: {system_nodes: {instance_type: m7g.large, count: 3}}"))
    rig.stops("which fails: two node groups cannot share a name", "--allow-replacement")
    assert rig.order("execute-change-set") == []


def test_without_kueue_the_quotas_of_an_earlier_bundle_are_deleted(rig: Bundle) -> None:
    rig.deploy()
    rig.render(files_of_new("kubernetes: {admission: none}"))
    done = rig.deploy("--allow-replacement")  # The add-on goes, too.
    assert done.returncode == 0, done.stderr
    assert rig.account.hyperpod.governed == {}
    assert rig.order("delete-compute-quota", "execute-change-set --stack-name example-addons") == [
        "delete-compute-quota",
        "delete-compute-quota",
        "execute-change-set --stack-name example-addons",
    ]
    rig.account.eks.addon = False
    for action in ((), ("--destroy",)):
        rig.deployed(*action)
        assert rig.calling("list-compute-quotas") == []


def test_destroy_waits_for_quotas_also_of_removed_queues(rig: Bundle) -> None:
    rig.deploy()
    rig.render(files_of_new("queues: [{name: train, node_groups: [h200], priority: 10}]"))
    done = rig.deployed("--destroy")
    assert rig.account.hyperpod.governed == {}
    assert "Waiting for the deletion of the quota train" in done.stderr
    assert len(rig.calling("delete-compute-quota")) == 2


def test_a_quota_that_cannot_be_deleted_stops_the_run(rig: Bundle) -> None:
    rig.deploy()
    rig.account.governance["FailureReason"] = "it is in use"
    entry = rig.account.hyperpod.governed["id-tune-ComputeQuota"]
    rig.account.hyperpod.undeletable.add("id-tune-ComputeQuota")
    done = rig.deploy("--destroy")
    assert done.returncode == 2
    assert entry["Status"] == "DeleteFailed"
    *_, said = (line for line in done.stderr.splitlines() if line.startswith("clustergen: "))
    assert "the quota tune could not be deleted: it is in use" in said
    assert rig.calling("delete-cluster") == []


def test_no_cluster_is_made_while_the_chart_cannot_be_installed(rig: Bundle) -> None:
    rig.account.fail("readyz", ("", "no route to host"), times=99)
    rig.stops("the API of example does not respond")
    assert rig.calling("create-cluster") == []
    assert rig.calling("helm") == []


def test_a_chart_whose_last_change_was_killed_is_explained(rig: Bundle) -> None:
    rig.account.pending.add("dependencies kube-system")
    rig.stops("KUBECONFIG=.filled/kubeconfig kubectl --context example delete secret")
    assert rig.calling("helm upgrade") == []
    rig.account.pending.clear()
    rig.deployed()


def test_manifests_win_over_manual_changes(rig: Bundle) -> None:
    """As those of Amazon EKS: otherwise one `kubectl annotate` fails all later deployments."""
    rig.deployed()
    applied = [call for call in rig.calling("kubectl") if " apply " in call]
    assert applied
    assert all("--server-side --force-conflicts" in call for call in applied)


def test_a_manifest_that_is_denied_stops_at_once(rig: Bundle) -> None:
    rig.account.fail(" apply ", ("", 'admission webhook "v" denied the request: no'), times=99)
    done = rig.deploy()
    assert done.returncode == 2
    assert len(rig.calling("kubectl", " apply ")) == 1
    assert "an admission policy of the cluster denies it" in done.stderr


def test_no_placeholder_reaches_the_service(rig: Bundle) -> None:
    template = json.loads((rig.folder / "eks.template.json").read_text())
    del template["Outputs"]["EksClusterArn"]
    (rig.folder / "eks.template.json").write_text(json.dumps(template))
    assert "EksClusterArn" in rig.stops("placeholders").stderr
    assert rig.calling("create-cluster") == []


def test_outputs_of_the_stack_override_those_of_a_file(rig: Bundle, tmp_path: Path) -> None:
    names = list(foundation.outputs(plan_of_new(NEW)))
    given = {name: f"{name.lower()}-file" for name in (*names, "EksClusterArn")}
    path = tmp_path / "outputs.json"
    path.write_text(json.dumps({"stack": given}, indent=1))
    rig.deployed("--outputs", str(path))
    assert rig.calling("example-foundation") == []
    cluster = json.loads((rig.folder / ".filled/create-cluster.json").read_text())
    assert cluster["Orchestrator"] == {"Eks": {"ClusterArn": EKS_CLUSTER_ARN}}


def test_a_dry_run_runs_nothing(rig: Bundle) -> None:
    for name in ("aws", "git", "helm", "kubectl"):
        rig.remove(name)
    done = rig.deployed("--dry-run")
    for step in STEPS:
        assert step in done.stderr or "readyz" in step, step
    rig.deployed("--dry-run", "--destroy")
    assert not (rig.folder / ".filled").exists()


def test_nodes_stop_without_programs(rig: Bundle) -> None:
    rig.deploy()
    for name in ("aws", "git", "helm", "kubectl"):
        rig.remove(name)
    rig.deployed("--pause")
    rig.stops("is required, but not on PATH")


def test_a_chart_that_lacks_in_an_existing_cluster_is_named(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("")) as made:
        assert "probably not HyperPod's chart" in made.deployed().stderr


@pytest.mark.parametrize(
    ("path", "text"),
    [("eks.template.json", "{"), ("create-cluster.json", "{"), ("addons.template.json", None)],
)
def test_a_damaged_bundle_is_named(rig: Bundle, path: str, text: str | None) -> None:
    if text is None:
        (rig.folder / path).unlink()
    else:
        (rig.folder / path).write_text(text)
    for options in ((), ("--dry-run",)):
        rig.stops(f"{path}", *options)
        rig.stops("render the spec again", *options)


def test_a_closed_cluster_is_deployed_without_the_internet(tmp_path: Path) -> None:
    """HyperPod's chart comes from the registry, and nothing from its repository."""
    registry = "111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"
    text = f"network: {{internet: none}}\nsoftware: {{registry: {registry}}}"
    with reaching(tmp_path, files_of_new(text)) as made:
        made.remove("git")
        made.deployed()
        [pulled] = made.calling("helm pull")
        assert pulled.startswith(f"helm pull oci://{registry}/charts/hyperpod-helm-chart ")
        [installed] = made.calling("helm upgrade --install dependencies")
        assert ".filled/charts/hyperpod-helm-chart" in installed
        assert made.calling("helm dependency") == []


DESTRUCTION = ("delete-compute-quota", "delete-cluster-scheduler-config",
               "delete-stack --stack-name example-addons", "delete-cluster --cluster-name",
               "delete-stack --stack-name example-eks")  # fmt: skip


def test_destroy_runs_in_reverse_order(rig: Bundle) -> None:
    rig.deploy()
    rig.deployed("--destroy")
    assert list(dict.fromkeys(rig.order(*DESTRUCTION))) == list(DESTRUCTION)
    assert rig.calling("delete-stack", "foundation") == []


def test_the_chart_is_of_one_commit(rig: Bundle) -> None:
    rig.deployed()
    [fetched] = rig.calling("fetch")
    assert fetched.endswith(f"--depth 1 {limits.CHART_REPOSITORY} {charts.COMMIT}")
    assert len(charts.COMMIT) == 40
    [installed] = rig.calling("helm upgrade --install dependencies")
    assert "--namespace kube-system --labels managed-by=clustergen --values manifests/" in installed


EXISTING = """
queues: [{name: train, node_groups: [h200], priority: 10}]
"""


def test_an_existing_cluster_waits_for_its_add_on(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(EXISTING)) as made:
        made.account.eks.addon = False
        assert "eks create-addon --cluster-name training" in made.deployed().stderr
        assert made.calling("create-compute-quota") == []
        made.account.eks.addon = True
        made.deployed()
        assert len(made.calling("create-compute-quota")) == 1


STORED = f"""{NEW}
storage:
  - {{mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500, efa: true}}
  - mount: /home
    type: fsx-openzfs
    existing: {{id: fs-0a1b2c3d4e5f60718, volume_id: fsvol-0a1b2c3d4e5f60718}}
"""


def test_volumes_are_in_the_namespaces_of_queues(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of_new(STORED)) as made:
        made.deployed()
        [applied] = made.calling("apply --server-side", "volumes.yaml")
        assert " .filled/manifests/volumes.yaml " in applied
        text = (made.folder / ".filled/manifests/volumes.yaml").read_text()
    assert "${" not in text
    assert "PATH-OF" not in text
    objects = [item for item in yaml.safe_load_all(text) if item["kind"] == "PersistentVolumeClaim"]
    spaces = {item["metadata"]["namespace"] for item in objects}
    assert spaces == {"hyperpod-ns-train", "hyperpod-ns-tune"}
    for item in yaml.safe_load_all(text):
        kubernetes_validate.validate(item, "1.35", strict=True)


DATED = """
node_groups:
  - {name: h200, count: 2,
     capacity: {training_plan: arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan,
     starts: 2026-12-10T11:30:00Z, ends: 2026-12-17T11:30:00Z}}
"""
LUSTRE = "storage: [{mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500}]\n"


def test_without_dates_the_timetable_of_an_earlier_bundle_ends(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of_new(DATED)) as made:
        made.deployed()
        assert "timetable.yaml" in made.account.applied
        made.render(files_of_new(""))
        made.deployed()
        assert "timetable.yaml" not in made.account.applied


@pytest.mark.parametrize(
    ("storage", "names"), [(LUSTRE, ("volumes", "timetable", "ownership")), ("", ("timetable",))]
)
def test_manifests_are_applied_to_an_existing_cluster(
    storage: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    files = files_of(DATED + storage)
    filled = {"volumes": ".filled/manifests/volumes.yaml"}
    paths = [filled.get(name, f"manifests/{name}.yaml") for name in names]
    with reaching(tmp_path, files) as made:
        made.deployed()
        [call] = made.calling("apply --server-side --force-conflicts --request-timeout")
        assert call.split()[call.split().index("--filename") + 1 :: 2] == paths
    assert f"creates the objects of `manifests/{names[0]}.yaml`" in files["README.md"]


def test_volumes_of_an_existing_cluster_are_filled_in(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(STORED.replace(NEW, ""))) as made:
        made.deployed()
        text = (made.folder / ".filled/manifests/volumes.yaml").read_text()
        assert "${" not in text
        assert "namespace: default" in text


@pytest.mark.parametrize(
    "question", ["eks describe-addon", "list-compute-quotas", "sagemaker describe-cluster"]
)
def test_a_failed_query_is_an_error(rig: Bundle, question: str) -> None:
    """With a token that expired, nothing is missing: no quota is made again."""
    rig.deployed()
    rig.account.fail(question, EXPIRED)
    rig.stops("Renew them")
    assert rig.calling("sagemaker create-") == []


def test_an_existing_eks_cluster_loses_the_quotas_of_an_earlier_bundle(tmp_path: Path) -> None:
    """Priorities that others made with the name of the cluster stay."""
    with reaching(tmp_path, files_of(EXISTING)) as made:
        made.deployed()
        governed = made.account.hyperpod.governed
        assert {each["Name"] for each in governed.values()} == {"example", "train"}
        key = next(key for key, each in governed.items() if each["Name"] == "example")
        governed[key]["Description"] = "of another team"
        made.render(files_of(""))
        done = made.deployed()
        assert {each["Name"] for each in governed.values()} == {"example"}
        assert "The scheduler configuration example: clustergen did not make it" in done.stderr
