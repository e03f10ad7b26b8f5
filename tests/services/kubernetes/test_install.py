"""install.sh, with the programs of the simulated account."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import yaml

from clustergen.base.text_lists import words
from tests.services.kubernetes.planned import files_of, plan_of
from tests.services.kubernetes.specs import SPECS, STORAGE
from tests.support.cloud.commands import Bundle, reaching
from tests.support.outcomes import rejected, succeeded
from tests.validators import placeholders
from tests.validators.kubernetes import OUTPUTS

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


def fill(bundle: Bundle) -> None:
    """What deploy.sh does before it starts install.sh."""
    for path in bundle.folder.rglob("*.yaml"):
        name = path.relative_to(bundle.folder)
        filled = bundle.folder / ".filled" / name
        if not name.parts[0].startswith((".", "smoke", "jobs")):
            filled.parent.mkdir(parents=True, exist_ok=True)
            filled.write_text(placeholders.fill(path.read_text(), OUTPUTS))


Rigs = Callable[[str], Bundle]


@pytest.fixture
def rig_of(tmp_path: Path) -> Iterator[Rigs]:
    with ExitStack() as stack:

        def made(text: str) -> Bundle:
            rig = stack.enter_context(reaching(tmp_path, files_of(text)))
            rig.account.eks.clusters.add("example")
            return rig

        yield made


@pytest.fixture
def filled_of(rig_of: Rigs) -> Rigs:
    """With the values of the stacks."""

    def made(text: str) -> Bundle:
        rig = rig_of(text)
        fill(rig)
        return rig

    return made


def install(made: Bundle, *arguments: str) -> str:
    """What install.sh prints when it succeeds."""
    return succeeded(made.run("install.sh", *arguments))


def _files(call: str) -> list[str]:
    """The manifests that a call of kubectl applies."""
    return [word for word in call.split() if word.endswith(".yaml")]


def _name(path: str) -> str:
    return path.rpartition("/")[2]


MIRRORED = f"software: {{registry: {REGISTRY}}}"


def test_with_a_registry_charts_come_from_there(filled_of: Rigs) -> None:
    made = filled_of(MIRRORED)
    assert "a password" not in install(made)
    helm = [call for call in made.calls if call.startswith("helm")]
    host = REGISTRY.partition("/")[0]
    assert helm[1] == f"helm registry login --username AWS --password-stdin {host}"
    releases = [call.split()[4] for call in helm if call.startswith("helm upgrade")]
    assert releases
    assert all(chart.startswith(f"oci://{REGISTRY}/charts/") for chart in releases)


def test_a_chart_that_was_not_copied_is_reported_before_anything_changes(filled_of: Rigs) -> None:
    made = filled_of(MIRRORED)
    made.account.fail(f"helm show chart oci://{REGISTRY}/charts/kueue", ("", "kueue: not found"))
    last = rejected(made.run("install.sh")).splitlines()[-1]
    assert f"the chart kueue 0.19.2 is not in oci://{REGISTRY}/charts" in last
    assert "run ./mirror.sh" in last
    assert not [call for call in made.calls if " apply " in call or "helm upgrade" in call]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", SPECS)
def test_a_second_run_does_the_same(name: str, filled_of: Rigs) -> None:
    made = filled_of(SPECS[name])
    install(made)
    calls = list(made.calls)
    install(made)
    assert made.calls == calls
    update = "aws eks update-kubeconfig --region {} --name example --kubeconfig .filled/kubeconfig"
    assert calls[0] == update.format(calls[0].split()[4])
    assert calls[1] == "kubectl get --raw /readyz --request-timeout=30s"
    releases = [call for call in calls if call.startswith("helm upgrade")]
    assert all(" --version " in call and " --namespace " in call for call in releases)
    applied = [word for call in calls if " apply " in call for word in _files(call)]
    manifests = {path for path in files_of(SPECS[name]) if path.startswith("manifests/")}
    assert {path.removeprefix(".filled/") for path in applied} == manifests
    announced = [line for line in install(made, "--dry-run").splitlines() if line[:2] == "+ "]
    assert made.calls == []
    assert len(releases) == sum("helm upgrade" in line for line in announced)


ORDER = words("karpenter-crd karpenter nvidia-device-plugin aws-efa-k8s-device-plugin kueue")


def test_order(filled_of: Rigs) -> None:
    """Kinds of objects come before objects of them, and namespaces before all."""
    made = filled_of(MANY)
    install(made)
    steps = [
        step
        for call in made.calls
        if call.startswith("helm upgrade") or " apply " in call
        for step in ([call.split()[3]] if call.startswith("helm") else map(_name, _files(call)))
    ]
    late = ["kueue.yaml", "storage-class.yaml", "karpenter.yaml"]
    assert steps == ["namespaces.yaml", "mpi-operator.yaml", *ORDER, *late]
    waits = [call for call in made.calls if "--timeout" in call]
    assert len(waits) == len(ORDER) + 2
    _, _, deleted = files_of(MANY)["install.sh"].partition("\nleft_over() {")
    assert deleted.index(" nodepools.") < deleted.index(" ec2nodeclasses.")


def test_the_context_reaches_every_command(rig_of: Rigs) -> None:
    made = rig_of("")
    install(made, "--context", "a cluster")
    assert made.calls[0].startswith("aws eks describe-cluster --region us-east-1 --name example ")
    assert all("a cluster" in call for call in made.calls[1:])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", ["no", *PASSING])
def test_what_may_pass_is_retried(rig_of: Rigs, words: str) -> None:
    """Such as the first requests to a new webhook."""
    made = rig_of("")
    made.account.fail("kubectl apply", ("", words), times=3)
    install(made)
    assert made.account.clock == 18


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("said", "way_out"),
    [pytest.param(each[name], words, id=name) for words, each in FINAL.items() for name in each],
)
def test_what_cannot_pass_stops_at_once(rig_of: Rigs, said: str, way_out: str) -> None:
    made = rig_of("")
    made.account.fail("kubectl apply", ("", said), times=99)
    printed = rejected(made.run("install.sh"))
    assert sum(" apply " in call for call in made.calls) == 1
    assert printed.count(said) == 1
    assert way_out in printed.splitlines()[-1]
    assert "run the same command again" in printed.splitlines()[-1]


def test_an_object_that_is_always_rejected_is_an_error(rig_of: Rigs) -> None:
    made = rig_of("")
    made.account.fail("kubectl apply", ("", "no"), times=100)
    early = "manifests/namespaces.yaml manifests/mpi-operator.yaml"
    rejected(made.run("install.sh"), f"{early} could not be applied")
    assert sum(" apply " in call for call in made.calls) == 50


def test_a_release_whose_last_change_was_killed_is_explained(rig_of: Rigs) -> None:
    """Helm would say that another operation is in progress, at each further run."""
    made = rig_of("")
    made.account.pending.add("kueue kueue-system")
    states = "status in (pending-install,pending-upgrade,pending-rollback)"
    delete = f"delete secret --namespace kueue-system --selector 'owner=helm,name=kueue,{states}'"
    rejected(made.run("install.sh", "--context", "example"), f"--context example {delete}")
    made.account.pending.clear()
    install(made, "--context", "example")


def test_values_of_the_stacks_are_needed(rig_of: Rigs) -> None:
    made = rig_of(MANY)
    rejected(made.run("install.sh"), "values/karpenter.yaml needs outputs of the stacks")


def test_values_of_an_older_bundle_are_not_used(filled_of: Rigs) -> None:
    made = filled_of(MANY)
    for path in (made.folder / ".filled").rglob("*.yaml"):
        os.utime(path, (0, 0))
    assert "needs outputs of the stacks" in made.run("install.sh").stderr


def test_the_path_of_an_fsx_volume_is_looked_up(filled_of: Rigs) -> None:
    made = filled_of(STORAGE)
    install(made)
    assert sum(call.startswith("aws") for call in made.calls) == 3
    text = (made.folder / ".filled/manifests/volumes.yaml").read_text()
    assert "PATH-OF" not in text
    assert text.count("path: /fsx/home") == 2
    assert "PATH-OF" in (made.folder / "manifests/volumes.yaml").read_text()


def test_only_missing_paths_are_looked_up(rig_of: Rigs) -> None:
    """Without anything that deploy.sh fills in, the script fills by itself."""
    of = "{id: fs-0a1b2c3d4e5f67891, volume_id: fsvol-0a1b2c3d4e5f67891}"
    made = rig_of(f"storage: [{{mount: /old, type: fsx-openzfs, existing: {of}}}]")
    install(made)
    assert any(" .filled/manifests/volumes.yaml" in call for call in made.calls)


@pytest.mark.parametrize("tool", ["aws", "kubectl", "helm"])
def test_missing_tools_are_reported_first(tool: str, rig_of: Rigs) -> None:
    made = rig_of("")
    made.remove(tool)
    for program in ("bash", "dirname"):
        (made.tools / program).symlink_to(f"/usr/bin/{program}")
    rejected(made.run("install.sh", system=""), f"{tool} is required")
    assert made.calls == []


@pytest.mark.parametrize("arguments", [(), ("--prune",)])
def test_the_current_context_is_not_used(arguments: tuple[str, ...], rig_of: Rigs) -> None:
    """It may be that of another cluster."""
    made = rig_of("")
    made.account.fail("update-kubeconfig", ("AccessDeniedException", "no"))
    rejected(made.run("install.sh", *arguments), "cannot set kubectl up")
    assert not [call for call in made.calls if not call.startswith("aws eks update-kubeconfig")]
    install(made, "--context", "mine", *arguments)
    assert not made.account.calling("update-kubeconfig")


def test_words_without_a_similar_option(rig_of: Rigs) -> None:
    made = rig_of("")
    assert made.run("install.sh", "--now").returncode == 2
    assert made.run("install.sh", "--context").returncode == 2
    assert "usage:" in made.run("install.sh", "--help").stdout
    assert made.calls == []


def test_downloads_are_pinned() -> None:
    """A chart is one version of one address; manifests are in the bundle."""
    for text in SPECS.values():
        script = files_of(text)["install.sh"]
        assert "http" not in script.replace("--repo https://", "")
        assert plan_of(text).name
