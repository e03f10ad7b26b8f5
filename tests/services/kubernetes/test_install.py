"""`clustergen deploy --install`, with the programs of the simulated account."""

import base64
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from os.path import basename
from pathlib import Path

import pytest
import yaml

from clustergen.base import secrets
from clustergen.base.text_lists import words
from tests.services.kubernetes.clusters import BUNDLES
from tests.services.kubernetes.specs import SPECS, STORAGE
from tests.support.cloud.commands import Bundle, reaching
from tests.support.outcomes import rejected, succeeded

MANY = SPECS["Karpenter, Spot and a reservation"]

FINAL: dict[str, dict[str, str]] = yaml.safe_load(r"""
does not accept these credentials:
  an expired token: "An error occurred (ExpiredTokenException) when calling the AssumeRole
    operation: The security token included in the request is expired\nUnable to connect to the
    server: getting credentials: exec: executable aws failed with exit code 254"
  no credentials: "Unable to connect to the server: getting credentials: exec: executable aws
    failed with exit code 255"
kubernetes.admins:
  no access entry: "error: You must be logged in to the server (Unauthorized)"
these credentials may not do this:
  no permission: 'Error from server (Forbidden): namespaces is forbidden: User "me" cannot create
    resource'
an admission policy of the cluster denies it:
  a webhook: 'Error from server (BadRequest): admission webhook "v.example.com" denied the request:
    no'
  a policy: "The jobs \"a\" is invalid: : ValidatingAdmissionPolicy 'p' with binding 'b' denied
    request: no queue"
the API rejects it:
  an invalid value: 'The Job "a" is invalid: spec.parallelism: Invalid value: -1: must be positive'
  an unknown field: 'Error from server (BadRequest): error when creating: Job in version v1 cannot
    be handled as a Job: strict decoding error: unknown field "spec.x"'
a file system was replaced:
  a volume: 'The PersistentVolume "fsx" is invalid: spec.persistentvolumesource: Forbidden:
    spec.persistentvolumesource is immutable after creation'
cannot change:
  a pod of a job: 'The Job "a" is invalid: spec.template: Invalid value: field is immutable'
  a flavor of Kueue: 'The ResourceFlavor "a" is invalid: spec: Invalid value: tolerations are
    immutable when topologyName is set'
  a class of storage: 'The StorageClass "a" is invalid: parameters: Forbidden: updates to parameters
    are forbidden.'
  a priority: 'The PriorityClass "a" is invalid: value: Forbidden: may not be changed in an update.'
""")
"""Words of the last line -> what kubectl may say."""
PASSING = [
    'Error from server (NotFound): namespaces "hyperpod-ns-train" not found',
    'error: resource mapping not found: no matches for kind "ResourceFlavor"',
    'Internal error occurred: failed calling webhook "m.kb.io": connect: connection refused',
    'Internal error occurred: failed calling webhook "m.kb.io": x509: the certificate is invalid',
    'Error from server (Forbidden): jobs "a" is forbidden: unable to create new content in '
    "namespace train because it is being terminated",
]


REGISTRY = "111122223333.dkr.ecr.us-east-1.amazonaws.com/mirror"
MIRRORED = f"software: {{registry: {REGISTRY}}}"
Rigs = Callable[[str], Bundle]


@pytest.fixture
def rig_of(tmp_path: Path) -> Iterator[Rigs]:
    with ExitStack() as stack:

        def made(text: str) -> Bundle:
            rig = stack.enter_context(reaching(tmp_path, BUNDLES.files(text)))
            rig.deployed()
            return rig

        yield made


def install(made: Bundle, *arguments: str) -> str:
    """What it prints when it succeeds."""
    return succeeded(made.deploy("--install", *arguments))


def _files(call: str) -> list[str]:
    """The manifests that a call of kubectl applies."""
    return [word for word in call.split() if word.endswith(".yaml")]


def test_with_a_registry_charts_come_from_there(rig_of: Rigs) -> None:
    made = rig_of(MIRRORED)
    assert "a password" not in install(made)
    login = made.folder / ".filled/helm-registry.json"
    auth = base64.b64encode(b"AWS:a password").decode()
    assert json.loads(login.read_text()) == {"auths": {REGISTRY.partition("/")[0]: {"auth": auth}}}
    assert login.stat().st_mode & 0o077 == 0
    releases = [call.split()[4] for call in made.calls if call.startswith("helm upgrade")]
    assert {chart.startswith(f"oci://{REGISTRY}/charts/") for chart in releases} == {True}


def test_a_chart_that_was_not_copied_is_reported_before_anything_changes(rig_of: Rigs) -> None:
    made = rig_of(MIRRORED)
    made.account.fail(f"helm show chart oci://{REGISTRY}/charts/kueue", ("", "kueue: not found"))
    last = rejected(made.deploy("--install")).splitlines()[-1]
    lacks = f"the chart kueue 0.19.2 is not in oci://{REGISTRY}/charts, or cannot be read there"
    assert f"{lacks}: run ./mirror.sh" in last
    assert not [call for call in made.calls if " apply " in call or "helm upgrade" in call]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", SPECS)
def test_a_second_run_does_the_same(name: str, rig_of: Rigs) -> None:
    made = rig_of(SPECS[name])
    install(made)
    calls = list(made.calls)
    install(made)
    assert made.calls == calls
    [update, ready] = [n for n, c in enumerate(calls) if "update-kubeconfig" in c or "readyz" in c]
    assert not [call for call in calls[:update] if call.startswith(("kubectl", "helm"))]
    assert ready == update + 1
    releases = [call for call in calls if call.startswith("helm upgrade")]
    assert all(" --version " in call and " --namespace " in call for call in releases)
    applied = [word for call in calls if " apply " in call for word in _files(call)]
    manifests = {path for path in BUNDLES.files(SPECS[name]) if path.startswith("manifests/")}
    assert {path.removeprefix(".filled/") for path in applied} == manifests
    announced = [line for line in install(made, "--dry-run").splitlines() if line[:2] == "+ "]
    assert made.calls == []
    assert len(releases) == sum("helm upgrade" in line for line in announced)


ORDER = words("karpenter-crd karpenter nvidia-device-plugin aws-efa-k8s-device-plugin kueue")


def test_order(rig_of: Rigs) -> None:
    """Kinds of objects come before objects of them, and namespaces before all."""
    made = rig_of(MANY)
    install(made)
    steps = [
        step
        for call in made.calls
        if call.startswith("helm upgrade") or " apply " in call
        for step in ([call.split()[3]] if call.startswith("helm") else map(basename, _files(call)))
    ]
    late = ["kueue.yaml", "storage-class.yaml", "karpenter.yaml"]
    assert steps == ["namespaces.yaml", "mpi-operator.yaml", *ORDER, *late]
    waits = [call for call in made.calls if "--timeout" in call]
    assert len(waits) == len(ORDER) + 2


def test_the_context_reaches_every_command(rig_of: Rigs) -> None:
    made = rig_of("")
    install(made, "--context", "a cluster")
    called = [call for call in made.calls if call.startswith(("kubectl", "helm"))]
    assert {"context a cluster" in call for call in called} == {True}
    assert not made.account.calling("update-kubeconfig")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", ["no", *PASSING])
def test_what_may_pass_is_retried(rig_of: Rigs, words: str) -> None:
    """Such as the first requests to a new webhook."""
    made = rig_of("")
    made.account.fail(" apply --server-side", ("", words), times=3)
    before = made.account.clock
    install(made)
    assert made.account.clock - before == 18


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("said", "way_out"),
    [pytest.param(each[name], words, id=name) for words, each in FINAL.items() for name in each],
)
def test_what_cannot_pass_stops_at_once(rig_of: Rigs, said: str, way_out: str) -> None:
    made = rig_of("")
    made.account.fail(" apply --server-side", ("", said), times=99)
    printed = rejected(made.deploy("--install"))
    assert sum(" apply " in call for call in made.calls) == 1
    assert printed.count("\n".join(secrets.hidden(said.splitlines()))) == 1
    assert way_out in printed.splitlines()[-1]
    assert "run the same command again" in printed.splitlines()[-1]


def test_an_object_that_is_always_rejected_is_an_error(rig_of: Rigs) -> None:
    made = rig_of("")
    made.account.fail(" apply --server-side", ("", "no"), times=100)
    early = "manifests/namespaces.yaml manifests/mpi-operator.yaml"
    rejected(made.deploy("--install"), f"{early} could not be applied")
    assert sum(" apply " in call for call in made.calls) == 50


def test_a_release_whose_last_change_was_killed_is_explained(rig_of: Rigs) -> None:
    """Helm would say that another operation is in progress, at each further run."""
    made = rig_of("")
    made.account.pending.add("kueue kueue-system")
    states = "status in (pending-install,pending-upgrade,pending-rollback)"
    delete = f"delete secret --namespace kueue-system --selector 'owner=helm,name=kueue,{states}'"
    rejected(made.deploy("--install", "--context", "example"), f"--context example {delete}")
    made.account.pending.clear()
    install(made, "--context", "example")


def test_values_of_the_stacks_are_needed_first(rig_of: Rigs) -> None:
    made = rig_of(MANY)
    file = made.tools / "outputs.json"
    file.write_text('{"stack": {"Any": "value"}}')
    said = rejected(made.deploy("--install", "--outputs", str(file)))
    assert "manifests/karpenter.yaml still has placeholders without a value" in said
    assert not [call for call in made.calls if " apply " in call or "helm upgrade" in call]


def test_a_cluster_of_another_bundle_is_left_alone(tmp_path: Path) -> None:
    """Bundles that create their cluster have one label: what is there would look left over."""
    with reaching(tmp_path, BUNDLES.files("")) as made:
        made.account.eks.clusters.add("example")
        rejected(made.deploy("--install"), "the stack example-eks did not create it")
        assert not [call for call in made.calls if call.startswith(("kubectl", "helm"))]


def test_the_path_of_an_fsx_volume_is_looked_up(rig_of: Rigs) -> None:
    made = rig_of(STORAGE)
    install(made)
    assert len(made.account.calling("describe-volumes")) == 2
    text = (made.folder / ".filled/manifests/volumes.yaml").read_text()
    assert "PATH-OF" not in text
    assert text.count("path: /fsx/home") == 2
    assert "PATH-OF" in (made.folder / "manifests/volumes.yaml").read_text()


def test_only_missing_paths_are_looked_up(rig_of: Rigs) -> None:
    of = "{id: fs-0a1b2c3d4e5f67891, volume_id: fsvol-0a1b2c3d4e5f67891}"
    made = rig_of(f"storage: [{{mount: /old, type: fsx-openzfs, existing: {of}}}]")
    install(made)
    assert any(" .filled/manifests/volumes.yaml" in call for call in made.calls)


@pytest.mark.parametrize("tool", ["aws", "kubectl", "helm"])
def test_missing_tools_are_reported_first(tool: str, rig_of: Rigs) -> None:
    made = rig_of("")
    made.remove(tool)
    rejected(made.deploy("--install"), f"{tool} is required")
    assert made.calls == []


def test_the_current_context_is_not_used(rig_of: Rigs) -> None:
    """It may be that of another cluster."""
    made = rig_of("")
    made.account.fail("update-kubeconfig", ("AccessDeniedException", "no"))
    rejected(made.deploy("--install"), "update-kubeconfig", "failed")
    assert not [call for call in made.calls if call.startswith(("kubectl", "helm"))]
    install(made, "--context", "mine")
    assert not made.account.calling("update-kubeconfig")


def test_a_plan_only_reads(rig_of: Rigs) -> None:
    made = rig_of("")
    install(made, "--plan")
    assert made.calling("api-resources")
    changes = [call for call in made.calls if " apply " in call or "helm upgrade" in call]
    assert all("--dry-run=server" in call for call in changes)


def test_a_context_is_for_software(rig_of: Rigs) -> None:
    made = rig_of("")
    rejected(made.deploy("--pause", "--context", "mine"), "--context is for --install")
    assert made.calls == []


def test_a_cluster_of_the_bundle_goes_as_a_whole(rig_of: Rigs) -> None:
    rejected(rig_of("").deploy("--uninstall", "--yes"), "see --destroy")
