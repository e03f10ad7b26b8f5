"""install.sh, with the programs of the simulated account."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from clustergen.words import words
from tests.kubernetes.planned import files_of, plan_of
from tests.kubernetes.specs import SPECS, STORAGE
from tests.oracles import placeholders
from tests.oracles.kubernetes import OUTPUTS
from tests.support.cloud.account import Account
from tests.support.cloud.commands import Bundle, reaching

Rigs = Callable[[str], "Rig"]

MANY = SPECS["Karpenter, Spot and a reservation"]
REJECTED = ("", "no")
IMMUTABLE = (
    "",
    'The PersistentVolume "fsx" is invalid: spec.persistentvolumesource: Forbidden: '
    "spec.persistentvolumesource is immutable after creation",
)
FINAL = {
    "an expired token": (
        "An error occurred (ExpiredTokenException) when calling the AssumeRole operation: The "
        "security token included in the request is expired\nUnable to connect to the server: "
        "getting credentials: exec: executable aws failed with exit code 254",
        "AWS does not accept these credentials",
    ),
    "no credentials": (
        "Unable to connect to the server: getting credentials: exec: executable aws failed with "
        "exit code 255",
        "does not accept these credentials",
    ),
    "no access entry": (
        "error: You must be logged in to the server (Unauthorized)",
        "kubernetes.admins",
    ),
    "no permission": (
        'Error from server (Forbidden): namespaces is forbidden: User "me" cannot create resource',
        "these credentials may not do this",
    ),
    "a webhook": (
        'Error from server (BadRequest): admission webhook "v.example.com" denied the request: no',
        "an admission policy of the cluster denies it",
    ),
    "a policy": (
        "The jobs \"a\" is invalid: : ValidatingAdmissionPolicy 'p' with binding 'b' denied "
        "request: no queue",
        "an admission policy of the cluster denies it",
    ),
    "an invalid value": (
        'The Job "a" is invalid: spec.parallelism: Invalid value: -1: must be positive',
        "the API rejects it",
    ),
    "a pod of a job": (
        'The Job "a" is invalid: spec.template: Invalid value: field is immutable',
        "cannot change",
    ),
    "a flavor of Kueue": (
        'The ResourceFlavor "a" is invalid: spec: Invalid value: tolerations are immutable when '
        "topologyName is set",
        "cannot change",
    ),
    "a class of storage": (
        'The StorageClass "a" is invalid: parameters: Forbidden: updates to parameters are '
        "forbidden.",
        "cannot change",
    ),
    "a priority": (
        'The PriorityClass "a" is invalid: value: Forbidden: may not be changed in an update.',
        "cannot change",
    ),
    "an unknown field": (
        "Error from server (BadRequest): error when creating: Job in version v1 cannot be handled "
        'as a Job: strict decoding error: unknown field "spec.x"',
        "the API rejects it",
    ),
}
"""Output of kubectl, and words of the last line."""
PASSING = [
    'Error from server (NotFound): namespaces "hyperpod-ns-train" not found',
    'error: resource mapping not found: no matches for kind "ResourceFlavor"',
    'Internal error occurred: failed calling webhook "m.kb.io": connect: connection refused',
    'Internal error occurred: failed calling webhook "m.kb.io": x509: the certificate is invalid',
    'Error from server (Forbidden): jobs "a" is forbidden: unable to create new content in '
    "namespace train because it is being terminated",
]


REGISTRY = "111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"


@dataclass(frozen=True, slots=True)
class Rig:
    """A bundle, and the account that install.sh reaches."""

    bundle: Bundle

    @property
    def folder(self) -> Path:
        return self.bundle.folder

    @property
    def account(self) -> Account:
        return self.bundle.account

    @property
    def calls(self) -> list[str]:
        return self.account.calls

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return self.bundle.run("install.sh", *arguments)

    def fill(self) -> None:
        """What deploy.sh does before it starts install.sh."""
        for path in self.folder.rglob("*.yaml"):
            name = path.relative_to(self.folder)
            filled = self.folder / ".filled" / name
            if not name.parts[0].startswith((".", "smoke", "jobs")):
                filled.parent.mkdir(parents=True, exist_ok=True)
                text = path.read_text()
                names = placeholders.names_in(text)
                values = {n: OUTPUTS.get(n) or placeholders.value_for(n) for n in names}
                filled.write_text(placeholders.fill(text, values))


@pytest.fixture
def rig_of(tmp_path: Path) -> Iterator[Callable[[str], Rig]]:
    with ExitStack() as stack:
        yield lambda text: Rig(stack.enter_context(reaching(tmp_path, files_of(text))))


def test_with_a_registry_charts_come_from_there(rig_of: Rigs) -> None:
    made = rig_of(f"software: {{registry: {REGISTRY}}}")
    made.fill()
    done = made.run()
    assert done.returncode == 0, done.stderr
    helm = [call for call in made.calls if call.startswith("helm")]
    host = REGISTRY.partition("/")[0]
    assert helm[0] == f"helm registry login --username AWS --password-stdin {host}"
    releases = [call.split()[4] for call in helm if call.startswith("helm upgrade")]
    assert releases
    assert all(chart.startswith(f"oci://{REGISTRY}/charts/") for chart in releases)
    assert "a password" not in done.stderr


def test_a_chart_that_was_not_copied_is_reported_before_anything_changes(rig_of: Rigs) -> None:
    made = rig_of(f"software: {{registry: {REGISTRY}}}")
    made.account.fail(f"helm show chart oci://{REGISTRY}/charts/kueue", ("", "kueue: not found"))
    made.fill()
    done = made.run()
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert f"the chart kueue 0.19.2 is not in oci://{REGISTRY}/charts" in last
    assert "run ./mirror.sh" in last
    assert not [call for call in made.calls if " apply " in call or "helm upgrade" in call]


@pytest.mark.parametrize("name", SPECS)
def test_a_second_run_does_the_same(name: str, rig_of: Rigs) -> None:
    made = rig_of(SPECS[name])
    made.fill()
    first = made.run()
    calls = list(made.calls)
    assert first.returncode == 0, first.stderr
    assert made.run().returncode == 0
    assert made.calls == calls
    assert calls[0] == "kubectl get --raw /readyz --request-timeout=30s"
    releases = [call for call in calls if call.startswith("helm upgrade")]
    assert all(" --version " in call and " --namespace " in call for call in releases)
    applied = [call.rpartition(" ")[2] for call in calls if " apply " in call]
    manifests = {path for path in files_of(SPECS[name]) if path.startswith("manifests/")}
    assert {path.removeprefix(".filled/") for path in applied} == manifests
    assert len(releases) == sum("helm upgrade" in line for line in _dry(made))


def _dry(made: Rig) -> list[str]:
    done = made.run("--dry-run")
    assert done.returncode == 0
    assert made.calls == []
    return [line for line in done.stderr.splitlines() if line.startswith("+ ")]


ORDER = [
    *words("""
        karpenter-crd karpenter
        nvidia-device-plugin aws-efa-k8s-device-plugin kueue
    """)
]


def test_order(rig_of: Rigs) -> None:
    """Kinds of objects come before objects of them, and namespaces before all."""
    made = rig_of(MANY)
    made.fill()
    assert made.run().returncode == 0
    steps = [
        call.split()[3] if call.startswith("helm upgrade") else call.rpartition("/")[2]
        for call in made.calls
        if call.startswith("helm upgrade") or " apply " in call
    ]
    late = ["kueue.yaml", "storage-class.yaml", "karpenter.yaml"]
    assert steps == ["namespaces.yaml", "mpi-operator.yaml", *ORDER, *late]
    waits = [call for call in made.calls if "--timeout" in call]
    assert len(waits) == len(ORDER) + 2


def test_the_context_reaches_every_command(rig_of: Rigs) -> None:
    made = rig_of("")
    assert made.run("--context", "a cluster").returncode == 0
    assert all("a cluster" in call for call in made.calls)


def test_requests_to_a_new_webhook_are_retried(rig_of: Rigs) -> None:
    made = rig_of("")
    made.account.fail("kubectl apply", REJECTED, times=3)
    assert made.run().returncode == 0
    assert made.account.clock == 18


@pytest.mark.parametrize("words", PASSING)
def test_what_may_pass_is_retried(rig_of: Rigs, words: str) -> None:
    made = rig_of("")
    made.account.fail("kubectl apply", ("", words), times=3)
    assert made.run().returncode == 0


@pytest.mark.parametrize("name", FINAL)
def test_what_cannot_pass_stops_at_once(rig_of: Rigs, name: str) -> None:
    said, way_out = FINAL[name]
    made = rig_of("")
    made.account.fail("kubectl apply", ("", said), times=99)
    done = made.run()
    assert done.returncode == 2
    assert sum(" apply " in call for call in made.calls) == 1
    assert done.stderr.count(said) == 1
    assert way_out in done.stderr.splitlines()[-1]
    assert "run the same command again" in done.stderr.splitlines()[-1]


def test_an_object_that_is_always_rejected_is_an_error(rig_of: Rigs) -> None:
    made = rig_of("")
    made.account.fail("kubectl apply", REJECTED, times=100)
    done = made.run()
    assert done.returncode == 2
    assert "manifests/namespaces.yaml could not be applied" in done.stderr
    assert sum(" apply " in call for call in made.calls) == 50


def test_a_file_system_that_was_replaced_needs_new_volumes(rig_of: Rigs) -> None:
    """Kubernetes never changes what a volume is of, so there is nothing to wait for."""
    made = rig_of(MANY)
    made.account.fail("kubectl apply", IMMUTABLE)
    made.fill()
    done = made.run()
    assert done.returncode == 2
    assert 'The PersistentVolume "fsx" is invalid' in done.stderr
    assert "a file system was replaced" in done.stderr.splitlines()[-1]
    assert len([call for call in made.calls if " apply " in call]) == 1


def test_a_release_whose_last_change_was_killed_is_explained(rig_of: Rigs) -> None:
    """Helm would say that another operation is in progress, at each further run."""
    made = rig_of("")
    made.account.pending.add("kueue")
    done = made.run("--context", "example")
    assert done.returncode == 2
    way_out = (
        "--context example delete secret --namespace kueue-system --selector "
        "'owner=helm,name=kueue,status in (pending-install,pending-upgrade,pending-rollback)'"
    )
    assert way_out in done.stderr
    made.account.pending.clear()
    assert made.run("--context", "example").returncode == 0


def test_values_of_the_stacks_are_needed(rig_of: Rigs) -> None:
    made = rig_of(MANY)
    done = made.run()
    assert done.returncode == 2
    assert "values/karpenter.yaml needs outputs of the stacks" in done.stderr


def test_the_outputs_of_the_cdk_are_read_from_its_file(rig_of: Rigs) -> None:
    made = rig_of(MANY + STORAGE)
    names = {n for p in made.folder.rglob("*.yaml") for n in placeholders.names_in(p.read_text())}
    values = {name: OUTPUTS.get(name) or placeholders.value_for(name) for name in names}
    own = {name: values[name] for name in OUTPUTS}
    rest = {name: value for name, value in values.items() if name not in OUTPUTS}
    file = made.folder / "outputs.json"
    file.write_text(json.dumps({"example-foundation": rest, "example-eks": own}, indent=2))
    done = made.run("--outputs", str(file))
    assert done.returncode == 0, done.stderr
    filled = (made.folder / ".filled/values/karpenter.yaml").read_text()
    assert OUTPUTS["KarpenterQueueName"] in filled
    assert "${" not in (made.folder / ".filled/manifests/karpenter.yaml").read_text()


def test_a_file_without_an_output_is_not_enough(rig_of: Rigs) -> None:
    made = rig_of(MANY)
    file = made.folder / "outputs.json"
    file.write_text('{"example-foundation": {"VpcId": "vpc-0a1b2c3d"}}')
    done = made.run("--outputs", str(file))
    assert done.returncode == 2
    assert "${KarpenterQueueName}" in done.stderr
    assert made.calls == []


def test_values_of_an_older_bundle_are_not_used(rig_of: Rigs) -> None:
    made = rig_of(MANY)
    made.fill()
    for path in made.folder.rglob("*.yaml"):
        if ".filled" in path.parts:
            os.utime(path, (0, 0))
    assert "needs outputs of the stacks" in made.run().stderr


def test_the_path_of_an_fsx_volume_is_looked_up(rig_of: Rigs) -> None:
    made = rig_of(STORAGE)
    made.fill()
    assert made.run().returncode == 0
    assert sum(call.startswith("aws") for call in made.calls) == 2
    text = (made.folder / ".filled/manifests/volumes.yaml").read_text()
    assert "PATH-OF" not in text
    assert text.count("path: /fsx/home") == 2
    assert "PATH-OF" in (made.folder / "manifests/volumes.yaml").read_text()


def test_only_missing_paths_are_looked_up(rig_of: Rigs) -> None:
    """Without anything that deploy.sh fills in, the script fills by itself."""
    existing = """
storage:
  - {mount: /old, type: fsx-openzfs,
     existing: {id: fs-0a1b2c3d4e5f67891, volume_id: fsvol-0a1b2c3d4e5f67891}}
"""
    made = rig_of(existing)
    assert made.run().returncode == 0
    assert any(call.endswith(" .filled/manifests/volumes.yaml") for call in made.calls)


@pytest.mark.parametrize("tool", ["kubectl", "helm"])
def test_missing_tools_are_reported_first(tool: str, rig_of: Rigs) -> None:
    made = rig_of("")
    made.bundle.remove(tool)
    for program in ("bash", "dirname"):
        (made.bundle.tools / program).symlink_to(f"/usr/bin/{program}")
    done = made.bundle.run("install.sh", system="")
    assert done.returncode == 2
    assert f"{tool} is required" in done.stderr
    assert made.calls == []


def test_words_without_a_similar_option(rig_of: Rigs) -> None:
    made = rig_of("")
    assert made.run("--now").returncode == 2
    assert made.run("--context").returncode == 2
    assert "usage:" in made.run("--help").stdout
    assert made.calls == []


def test_downloads_are_pinned() -> None:
    """A chart is one version of one address; manifests are in the bundle."""
    for text in SPECS.values():
        script = files_of(text)["install.sh"]
        assert "http" not in script.replace("--repo https://", "")
        assert plan_of(text).name
