"""deploy.sh and install.sh of a new EKS cluster, in an account that remembers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from clustergen import foundation
from clustergen.targets.hyperpod_eks import charts
from tests.oracles.shell import script_violations
from tests.support.cloud.account import EXPIRED, Account
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.hyperpod_eks.new_cluster import NEW, files_of_new, plan_of_new
from tests.targets.hyperpod_eks.planned import files_of

ARN = "arn:aws:sagemaker:us-east-1:111122223333:cluster/abc123"


@dataclass(frozen=True, slots=True)
class Rig:
    """A bundle, and what its account was asked."""

    bundle: Bundle

    @property
    def folder(self) -> Path:
        return self.bundle.folder

    @property
    def account(self) -> Account:
        return self.bundle.account

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.bundle.run(script, *arguments)

    def deploy(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.run("deploy.sh", *arguments)

    @property
    def calls(self) -> list[str]:
        return self.account.calls

    def calling(self, *words: str) -> list[str]:
        return self.account.calling(*words)

    def order(self, *words: str) -> list[str]:
        """Which of `words` the calls hold, in the order of the calls."""
        return [word for line in self.calls for word in words if word in line]


@contextmanager
def rig_of(folder: Path, files: Mapping[str, str]) -> Iterator[Rig]:
    with reaching(folder, files) as bundle:
        yield Rig(bundle)


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    with rig_of(tmp_path, files_of_new(NEW)) as made:
        yield made


STEPS = ("execute-change-set --stack-name example-foundation",
         "execute-change-set --stack-name example-eks",
         "update-kubeconfig", "kubectl get --raw /readyz", "git -C", "helm dependency update",
         "helm upgrade", "s3 cp --recursive", "create-cluster --cli",
         "execute-change-set --stack-name example-addons", "create-cluster-scheduler-config",
         "create-compute-quota")  # fmt: skip


def test_steps_run_in_order(rig: Rig) -> None:
    done = rig.deploy()
    assert done.returncode == 0, done.stderr
    assert list(dict.fromkeys(rig.order(*STEPS))) == list(STEPS)
    request = (rig.folder / ".filled/create-cluster.json").read_text()
    assert "${" not in request
    cluster = json.loads(request)
    assert cluster["Orchestrator"] == {"Eks": {"ClusterArn": "eksclusterarn-0a1b"}}
    assert "eksclustersecuritygroupid-0a1b" in cluster["VpcConfig"]["SecurityGroupIds"]


def test_stacks_get_the_outputs_of_those_before(rig: Rig) -> None:
    rig.deploy()
    [eks] = rig.calling("create-change-set --stack-name example-eks")
    assert "ParameterKey=ControlPlaneSubnet1Id,ParameterValue=controlplanesubnet1id-0a1b" in eks
    [addons] = rig.calling("create-change-set --stack-name example-addons")
    assert "ParameterKey=EksClusterName,ParameterValue=eksclustername-0a1b --tags " in addons


def test_quotas_name_the_cluster(rig: Rig) -> None:
    rig.deploy()
    made = rig.calling("create-compute-quota")
    assert [line.split("--name ")[1].split()[0] for line in made] == ["train", "tune"]
    for line in (*made, *rig.calling("create-cluster-scheduler-config")):
        assert f"--cluster-arn {ARN}" in line
        assert "--tags file://governance/tags.json" in line


def test_a_second_run_creates_nothing(rig: Rig) -> None:
    rig.deploy()
    done = rig.deploy()
    assert done.returncode == 0, done.stderr
    assert rig.calling("sagemaker create-") == []
    assert rig.calling("sagemaker update-") == rig.calling("sagemaker update-cluster --cli")
    assert rig.calling("execute-change-set") == []
    assert rig.calling("git", "fetch") == []


def test_a_changed_quota_is_updated(rig: Rig) -> None:
    rig.deploy()
    path = rig.folder / "governance/compute-quota-tune.json"
    path.write_text(path.read_text().replace('"Description": "', '"Description": "another '))
    done = rig.deploy()
    assert done.returncode == 0, done.stderr
    assert [line.split(" sagemaker ")[1] for line in rig.calling("update-compute-quota")] == [
        "update-compute-quota --compute-quota-id id-tune --target-version 1 --cli-input-json "
        "file://governance/compute-quota-tune.json"
    ]


def test_a_failed_quota_reports_the_reason(rig: Rig) -> None:
    rig.account.governance["Status"] = "CreateFailed"
    done = rig.deploy()
    assert done.returncode == 2
    assert "cluster-scheduler-config id-example: CreateFailed" in done.stderr


RETRIES = [
    # What failed, and what the next run does with it.
    ("CreateFailed", ["delete-compute-quota", "create-compute-quota"]),
    ("CreateRollbackFailed", ["delete-compute-quota", "create-compute-quota"]),
    ("UpdateFailed", ["update-compute-quota"]),
    ("UpdateRollbackFailed", ["update-compute-quota"]),
]


@pytest.mark.parametrize(("status", "operations"), RETRIES)
def test_the_next_run_mends_a_failed_quota(rig: Rig, status: str, operations: list[str]) -> None:
    rig.deploy()
    rig.account.hyperpod.governed["id-tune-ComputeQuota"]["Status"] = status
    done = rig.deploy()
    assert done.returncode == 0, done.stderr
    made = [f"{verb}-compute-quota" for verb in ("delete", "create", "update")]
    assert rig.order(*made) == operations
    assert rig.account.hyperpod.governed["id-tune-ComputeQuota"]["Name"] == "tune"


def test_the_quota_of_a_removed_queue_is_deleted(rig: Rig) -> None:
    """A quota that another team made in the console stays."""
    rig.deploy()
    governed = rig.account.hyperpod.governed
    governed["id-theirs-ComputeQuota"] = {
        **governed["id-tune-ComputeQuota"],
        "Name": "theirs",
        "ComputeQuotaId": "id-theirs",
        "Description": "of another team",
    }
    rig.bundle.render(files_of_new("queues: [{name: train, node_groups: [h200], priority: 10}]"))
    done = rig.deploy()
    assert done.returncode == 0, done.stderr
    assert "so their quotas are deleted: tune" in done.stderr
    assert "The quota theirs was not made by clustergen" in done.stderr
    assert {each["Name"] for each in governed.values()} == {"example", "train", "theirs"}
    first, *_ = rig.order("delete-compute-quota", "update-compute-quota")
    assert first == "delete-compute-quota"
    done = rig.run("govern.sh", "--dry-run")
    assert done.returncode == 0, done.stderr


def test_without_kueue_the_quotas_of_an_earlier_bundle_are_deleted(rig: Rig) -> None:
    rig.deploy()
    for name in ("govern.sh", "governance/tags.json"):
        (rig.folder / name).unlink()
    rig.bundle.render(files_of_new("kubernetes: {admission: none}"))
    done = rig.deploy()
    assert done.returncode == 0, done.stderr
    assert rig.account.hyperpod.governed == {}
    assert rig.order("delete-compute-quota", "execute-change-set --stack-name example-addons") == [
        "delete-compute-quota",
        "delete-compute-quota",
        "execute-change-set --stack-name example-addons",
    ]
    rig.account.eks.addon = False
    for action in ((), ("--destroy",)):
        done = rig.deploy(*action)
        assert done.returncode == 0, done.stderr
        assert rig.calling("list-compute-quotas") == []


def test_destroy_waits_for_quotas_also_of_removed_queues(rig: Rig) -> None:
    rig.deploy()
    rig.bundle.render(files_of_new("queues: [{name: train, node_groups: [h200], priority: 10}]"))
    done = rig.deploy("--destroy")
    assert done.returncode == 0, done.stderr
    assert rig.account.hyperpod.governed == {}
    assert "Waiting for the deletion of the quota train" in done.stderr
    assert len(rig.calling("delete-compute-quota")) == 2


def test_a_quota_that_cannot_be_deleted_stops_the_run(rig: Rig) -> None:
    rig.deploy()
    rig.account.governance["FailureReason"] = "it is in use"
    entry = rig.account.hyperpod.governed["id-tune-ComputeQuota"]
    rig.account.hyperpod.undeletable.add("id-tune-ComputeQuota")
    done = rig.deploy("--destroy")
    assert done.returncode == 2
    assert entry["Status"] == "DeleteFailed"
    assert "compute-quota tune could not be deleted: it is in use" in done.stderr.splitlines()[-1]
    assert rig.calling("delete-cluster") == []


def test_no_cluster_is_made_while_the_chart_cannot_be_installed(rig: Rig) -> None:
    rig.account.fail("readyz", ("", "no route to host"), times=99)
    done = rig.deploy()
    assert done.returncode == 2
    assert "the API of example does not respond" in done.stderr
    assert rig.calling("create-cluster") == []
    assert rig.calling("helm") == []


def test_a_chart_whose_last_change_was_killed_is_explained(rig: Rig) -> None:
    rig.account.pending.add("dependencies")
    done = rig.deploy()
    assert done.returncode == 2
    assert "KUBECONFIG=.filled/kubeconfig kubectl delete secret" in done.stderr
    assert rig.calling("helm upgrade") == []
    rig.account.pending.clear()
    assert rig.deploy().returncode == 0


def test_manifests_win_over_manual_changes(rig: Rig) -> None:
    """As those of Amazon EKS: otherwise one `kubectl annotate` fails all later deployments."""
    assert rig.deploy().returncode == 0
    applied = [call for call in rig.calling("kubectl") if " apply " in call]
    assert applied
    assert all("--server-side --force-conflicts" in call for call in applied)


def test_a_manifest_that_is_denied_stops_at_once(rig: Rig) -> None:
    rig.account.fail(" apply ", ("", 'admission webhook "v" denied the request: no'), times=99)
    done = rig.deploy()
    assert done.returncode == 2
    assert len(rig.calling("kubectl", " apply ")) == 1
    assert "an admission policy of the cluster denies it" in done.stderr


def test_no_placeholder_reaches_the_service(rig: Rig) -> None:
    template = json.loads((rig.folder / "eks.template.json").read_text())
    del template["Outputs"]["EksClusterArn"]
    (rig.folder / "eks.template.json").write_text(json.dumps(template))
    done = rig.deploy()
    assert (done.returncode, "placeholders" in done.stderr) == (2, True)
    assert "EksClusterArn" in done.stderr
    assert rig.calling("create-cluster") == []


def test_outputs_of_the_stack_override_those_of_a_file(rig: Rig, tmp_path: Path) -> None:
    names = list(foundation.outputs(plan_of_new(NEW)))
    given = {name: f"{name.lower()}-file" for name in (*names, "EksClusterArn")}
    path = tmp_path / "outputs.json"
    path.write_text(json.dumps({"stack": given}, indent=1))
    done = rig.deploy("--outputs", str(path))
    assert done.returncode == 0, done.stderr
    assert rig.calling("example-foundation") == []
    cluster = json.loads((rig.folder / ".filled/create-cluster.json").read_text())
    assert cluster["Orchestrator"] == {"Eks": {"ClusterArn": "eksclusterarn-0a1b"}}


def test_a_dry_run_runs_nothing(rig: Rig) -> None:
    for name in ("aws", "git", "helm", "kubectl"):
        rig.bundle.remove(name)
    done = rig.deploy("--dry-run")
    assert done.returncode == 0, done.stderr
    for step in STEPS:
        assert step in done.stderr, step
    assert rig.deploy("--dry-run", "--destroy").returncode == 0
    assert not (rig.folder / ".filled").exists()


def test_a_closed_cluster_is_deployed_without_the_internet(tmp_path: Path) -> None:
    """HyperPod's chart comes from the registry, and nothing from its repository."""
    registry = "111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"
    text = f"network: {{internet: none}}\nsoftware: {{registry: {registry}}}"
    with rig_of(tmp_path, files_of_new(text)) as made:
        made.bundle.remove("git")
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        [pulled] = made.calling("helm pull")
        assert pulled.startswith(f"helm pull oci://{registry}/charts/hyperpod-helm-chart ")
        [installed] = made.calling("helm upgrade --install dependencies")
        assert ".filled/charts/hyperpod-helm-chart" in installed
        assert made.calling("helm dependency") == []


DESTRUCTION = ("delete-compute-quota", "delete-cluster-scheduler-config",
               "delete-stack --stack-name example-addons", "delete-cluster --cluster-name",
               "delete-stack --stack-name example-eks")  # fmt: skip


def test_destroy_runs_in_reverse_order(rig: Rig) -> None:
    rig.deploy()
    done = rig.deploy("--destroy")
    assert done.returncode == 0, done.stderr
    assert list(dict.fromkeys(rig.order(*DESTRUCTION))) == list(DESTRUCTION)
    assert rig.calling("delete-stack", "foundation") == []


def test_destroy_can_run_again(rig: Rig) -> None:
    rig.deploy()
    rig.deploy("--destroy")
    done = rig.deploy("--destroy")
    assert done.returncode == 0, done.stderr
    assert rig.calling("sagemaker delete-") == []


def test_the_chart_is_of_one_commit(rig: Rig) -> None:
    done = rig.run("install.sh")
    assert done.returncode == 0, done.stderr
    [fetched] = rig.calling("fetch")
    assert fetched.endswith(f"--depth 1 {charts.REPOSITORY} {charts.COMMIT}")
    assert len(charts.COMMIT) == 40
    [installed] = rig.calling("helm upgrade --install dependencies")
    assert "--namespace kube-system --values manifests/helm-values.yaml" in installed


def test_the_users_kubeconfig_is_not_changed(rig: Rig) -> None:
    rig.deploy()
    [update] = rig.calling("update-kubeconfig")
    assert update.endswith("--kubeconfig .filled/kubeconfig")


MIG = "node_groups: [{name: h200, mig: {1g.18gb: 7}}]"


def test_partitions_use_images_of_the_region() -> None:
    text = files_of_new(MIG)["install.sh"]
    assert "regional-values/values-$region.yaml" in text
    assert script_violations({"install.sh": text}) == []


EXISTING = """
queues: [{name: train, node_groups: [h200], priority: 10}]
"""


def test_an_existing_cluster_waits_for_its_add_on(tmp_path: Path) -> None:
    with rig_of(tmp_path, files_of(EXISTING)) as made:
        made.account.eks.addon = False
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert "eks create-addon --cluster-name training" in done.stderr
        assert made.calling("create-compute-quota") == []
        made.account.eks.addon = True
        assert made.deploy().returncode == 0
        assert len(made.calling("create-compute-quota")) == 1


@pytest.mark.parametrize("text", [NEW, MIG, "kubernetes: {admission: none, jobs: none}"])
def test_validators_accept_the_scripts(text: str) -> None:
    files = files_of_new(text)
    scripts = {name: text for name, text in files.items() if "/" not in name and ".sh" in name}
    assert {"deploy.sh", "install.sh"} <= set(scripts)
    assert script_violations(scripts) == []
    existing = files_of(EXISTING)
    assert script_violations({name: existing[name] for name in ("deploy.sh", "govern.sh")}) == []


STORED = f"""{NEW}
storage:
  - {{mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500, efa: true}}
  - mount: /home
    type: fsx-openzfs
    existing: {{id: fs-0a1b2c3d4e5f60718, volume_id: fsvol-0a1b2c3d4e5f60718}}
"""


def test_volumes_are_in_the_namespaces_of_queues(tmp_path: Path) -> None:
    with rig_of(tmp_path, files_of_new(STORED)) as made:
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        [applied] = made.calling("apply --server-side", "volumes.yaml")
        assert applied.endswith(".filled/manifests/volumes.yaml")
        text = (made.folder / ".filled/manifests/volumes.yaml").read_text()
    assert "${" not in text
    assert "PATH-OF" not in text
    objects = [item for item in yaml.safe_load_all(text) if item["kind"] == "PersistentVolumeClaim"]
    assert {item["metadata"]["namespace"] for item in objects} == {
        "hyperpod-ns-train",
        "hyperpod-ns-tune",
    }
    for item in yaml.safe_load_all(text):
        kubernetes_validate.validate(item, "1.35", strict=True)
    assert script_violations({"deploy.sh": files_of_new(STORED)["deploy.sh"]}) == []


DATED = """
node_groups:
  - name: h200
    count: 2
    capacity:
      training_plan: arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan
      starts: 2026-12-10T11:30:00Z
      ends: 2026-12-17T11:30:00Z
"""
LUSTRE = "storage: [{mount: /fsx, type: fsx-lustre, size: 9600GiB, throughput: 500}]\n"


def test_without_dates_the_timetable_of_an_earlier_bundle_ends(tmp_path: Path) -> None:
    with rig_of(tmp_path, files_of_new(DATED)) as made:
        assert made.deploy().returncode == 0
        assert "timetable.yaml" in made.account.applied
        made.bundle.render(files_of_new(""))
        done = made.deploy()
        assert done.returncode == 0, done.stderr
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
    with rig_of(tmp_path, files) as made:
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        calls = made.calling("kubectl apply", "--force-conflicts --request-timeout")
        applied = [call.split("--filename ")[1] for call in calls]
        assert applied == paths
    assert f"creates the objects of `manifests/{names[0]}.yaml`" in files["README.md"]


def test_volumes_of_an_existing_cluster_are_filled_in(tmp_path: Path) -> None:
    files = files_of(STORED.replace(NEW, ""))
    with rig_of(tmp_path, files) as made:
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        text = (made.folder / ".filled/manifests/volumes.yaml").read_text()
        assert "${" not in text
        assert "namespace: default" in text
    assert script_violations({"deploy.sh": files["deploy.sh"]}) == []


def test_quotas_without_a_cluster(rig: Rig) -> None:
    done = rig.run("govern.sh")
    assert done.returncode == 2
    assert done.stderr.endswith("govern.sh: the HyperPod cluster example does not exist\n")
    assert rig.run("govern.sh", "--dry-run").returncode == 0


@pytest.mark.parametrize(
    "question", ["eks describe-addon", "list-compute-quotas", "sagemaker describe-cluster"]
)
def test_a_failed_query_is_an_error(rig: Rig, question: str) -> None:
    """With a token that expired, nothing is missing: no quota is made again."""
    assert rig.deploy().returncode == 0
    rig.account.fail(question, EXPIRED)
    done = rig.run("govern.sh")
    assert (done.returncode, "Renew them" in done.stderr) == (2, True)
    assert rig.calling("create-") == []


def test_an_existing_eks_cluster_loses_the_quotas_of_an_earlier_bundle(tmp_path: Path) -> None:
    """Priorities that others made with the name of the cluster stay."""
    with rig_of(tmp_path, files_of(EXISTING)) as made:
        assert made.deploy().returncode == 0
        governed = made.account.hyperpod.governed
        assert {each["Name"] for each in governed.values()} == {"example", "train"}
        key = next(key for key, each in governed.items() if each["Name"] == "example")
        governed[key]["Description"] = "of another team"
        made.bundle.render(files_of(""))
        done = made.deploy()
        assert done.returncode == 0, done.stderr
        assert {each["Name"] for each in governed.values()} == {"example"}
        assert "The priorities example were not made by clustergen" in done.stderr
