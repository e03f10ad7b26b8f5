"""`clustergen deploy`: consent, reviews, formats, and what it says of bad input."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from clustergen import deployment
from clustergen.base.findings import EXAMPLE_BASE
from clustergen.cli import main
from clustergen.commands import deploy
from clustergen.deployment import calls, printing
from clustergen.deployment.model import STAGE
from tests.support.cloud.account import Fault
from tests.support.cloud.commands import Bundle, reaching
from tests.support.syntax import tree_of
from tests.targets.test_deployments import STORAGE, TAGGED, files

LOSING = STORAGE.replace("500}", "500, efa: true}")


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files("batch")) as made:
        made.deployed()
        yield made


def typing(monkeypatch: pytest.MonkeyPatch, answer: str, *, yes: bool = False) -> list[str]:
    """Let a terminal answer each question; what it was asked."""
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return answer

    plain = deploy._options
    monkeypatch.setattr(deploy, "_options", lambda args: replace(plain(args), asks=ask, yes=yes))
    return asked


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("", 2), ("no", 2)])
def test_a_terminal_asks_before_nodes_are_replaced(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    bundle.render(files("batch", TAGGED))
    asked = typing(monkeypatch, answer)
    done = bundle.deploy()
    assert (done.returncode, asked) == (status, ["Continue? [y/N] "]), done.stderr
    assert "would replace the 384 vCPUs of nodes" in done.stderr
    assert bool(bundle.calling("execute-change-set")) is (status == 0)


@pytest.mark.parametrize(("answer", "status"), [("example", 0), ("exampel", 2), ("y", 2)])
def test_a_deletion_wants_the_name_typed(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    asked = typing(monkeypatch, answer)
    done = bundle.deploy("--destroy")
    assert done.returncode == status, done.stderr
    assert bool(bundle.calling("delete-stack")) is (status == 0)
    assert asked == ["This deletes the cluster example. To continue, type example: "]


@pytest.mark.parametrize(("yes", "status"), [(True, 2), (False, 0)])
def test_data_goes_only_with_the_name_typed_or_an_option(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch, yes: bool, status: int
) -> None:
    """The option --yes is about clusters, which the same spec makes again."""
    path = bundle.folder / "bundle.json"
    told = json.loads(path.read_text())
    told["losses"]["data"] = ["StorageScratch"]
    path.write_text(json.dumps(told))
    asked = typing(monkeypatch, "example", yes=yes)
    done = bundle.deploy("--destroy")
    assert (done.returncode, len(asked)) == (status, not yes), done.stderr
    assert "with all data: StorageScratch" in done.stderr


def test_a_cluster_goes_without_the_bucket_of_scripts(bundle: Bundle) -> None:
    missing = "NoSuchBucket", "The specified bucket does not exist"
    bundle.account.faults.append(Fault("s3api", *missing, times=99))
    bundle.deployed("--destroy")


def test_nothing_is_deleted_without_consent(
    bundle: Bundle, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = deploy._options
    monkeypatch.setattr(deploy, "_options", lambda args: replace(plain(args), yes=False))
    bundle.stops("this deletes the cluster example. Nothing was deleted.", "--destroy")
    assert not bundle.calling("delete-stack")


@pytest.mark.parametrize("action", [(), ("--destroy",), ("--pause",)])
def test_a_plan_changes_nothing(bundle: Bundle, action: tuple[str, ...]) -> None:
    bundle.render(files("batch", TAGGED))
    done = bundle.deploy(*action, "--plan", "--allow-replacement")
    assert done.returncode == 0, done.stderr
    assert not bundle.calling("execute-"), done.stderr
    assert not bundle.calling("delete-stack")
    assert all(not each.change_sets for each in bundle.account.cloudformation.stacks.values())
    if not action:
        assert "deploying it replaces the instances of ComputeEnvironmentH200" in done.stderr


EFS = "".join(f"\n  - {{mount: /m{n}, type: efs}}" for n in range(20))
TAGS = ", ".join(f"tag{n}: value-of-tag-{n}" for n in range(40))
LARGE = f"tags: {{{TAGS}}}\nstorage:{EFS}\n"
"""A foundation that is too large for a request, so its bucket is created first."""


def test_a_plan_of_a_large_foundation_changes_nothing(tmp_path: Path) -> None:
    with reaching(tmp_path, files("batch", LARGE)) as bundle:
        assert (bundle.folder / STAGE).exists()
        done = bundle.deployed("--plan")
        assert "only then can the rest be reviewed" in done.stderr
        assert not bundle.calling("execute-", "create-change-set")


def test_a_plan_of_a_new_cluster_leaves_nothing(tmp_path: Path) -> None:
    with reaching(tmp_path, files("batch")) as bundle:
        bundle.deployed("--plan")
        assert bundle.calling("create-change-set")
        bundle.account.run("sleep", ["600"], tmp_path)
        assert bundle.account.cloudformation.stacks == {}


def test_a_plan_deletes_no_stack(tmp_path: Path) -> None:
    with reaching(tmp_path, files("batch")) as bundle:
        bundle.account.broken["ClusterSecurityGroup"] = "no more groups"
        assert bundle.deploy().returncode == 2
        done = bundle.deployed("--plan")
        assert "A deployment deletes it and creates it again" in done.stderr
        assert not bundle.calling("delete-stack")


def test_a_foundation_that_gets_a_bucket_keeps_the_rest(bundle: Bundle) -> None:
    """Another target's foundation may have none. Its template goes first, with the bucket."""
    founded = bundle.account.cloudformation.stacks["example-foundation"]
    of_bucket = [name for name in founded.resources if name.startswith("ScriptsBucket")]
    for part, names in (("Resources", of_bucket), ("Outputs", ["ScriptsBucketName"])):
        for name in names:
            del founded.template[part][name]
    before = dict(founded.resources)
    bundle.render(files("batch", f"{LARGE}{STORAGE.replace('storage:', '')}"))
    said = bundle.deployed("--allow", "replaces-nodes").stderr
    assert "Remove " not in said
    assert before.keys() <= founded.resources.keys()


def test_a_foundation_alone_is_reviewed_with_its_cluster(bundle: Bundle) -> None:
    bundle.render(files("batch", TAGGED))
    bundle.stops("would replace the 384 vCPUs of nodes", "--foundation")
    assert not bundle.calling("execute-change-set")


def test_the_cdk_deploys_what_it_alone_can(tmp_path: Path) -> None:
    text = "targets: {eks: {install: stack}}\n"
    with reaching(tmp_path, files("eks", text)) as bundle:
        bundle.stops("so the CDK deploys and deletes this cluster")
        assert bundle.calls == []


def test_programs_get_one_event_per_line(bundle: Bundle) -> None:
    done = bundle.deployed("--output", "json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert {each["event"] for each in events} >= {"note", "command", "result"}
    assert events[-1] == {"event": "note", "text": "example is deployed."}
    assert done.stderr == ""


def test_a_dry_run_needs_no_account_and_leaves_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in files("batch").items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    before = sorted(tmp_path.rglob("*"))
    for action in ("", "--pause", "--resume", "--destroy", "--destroy-foundation"):
        assert main(["deploy", str(tmp_path), "--dry-run", *action.split()]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert sorted(tmp_path.rglob("*")) == before
    commands = [line for line in lines if line.startswith("+ ")]
    assert all(re.match(r"\+ aws (--region us-east-1 )?[a-z0-9]+ [a-z-]+ ", c) for c in commands)
    assert any("--bucket ${ScriptsBucketName} --key" in line for line in commands)


def test_what_a_bundle_lacks_is_known_before_anything_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = tmp_path / "spec.yaml"
    spec.write_text(EXAMPLE_BASE + STORAGE)
    assert main(["render", str(spec), "--target", "pcs", "-o", str(tmp_path)]) == 0
    [path] = tmp_path.rglob("mount.sh")
    path.unlink()
    folder = next(tmp_path.rglob("bundle.json")).parent
    assert main(["deploy", str(folder), "--dry-run"]) == 2
    assert "lacks scripts/mount.sh: render the spec again" in capsys.readouterr().err


BAD = [
    ("nowhere", [], "bundle.json: No such file or directory; render the spec again"),
    ("batch", ["--new-image"], "--new-image has no effect"),
    ("batch", ["--outputs", "missing.json"], "missing.json: No such file or directory"),
]


@pytest.mark.parametrize(("target", "options", "words"), BAD)
def test_bad_input_is_named(
    target: str, options: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if target != "nowhere":
        for name, text in files(target).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
    assert main(["deploy", str(tmp_path), *options, "--dry-run"]) == 2
    assert words in capsys.readouterr().err


def test_the_permissions_are_for_all_calls() -> None:
    """A call without its permission would stop a deployment half-way."""
    folder = Path(deployment.__file__).parent
    found = {
        node.value
        for path in folder.glob("*.py")
        if path.name != "calls.py"
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and re.fullmatch(r"[a-z0-9]+:[A-Z]\w+", str(node.value))
    }
    known = {each for own in calls.OWN.values() for each in own}
    known |= {*calls.EVERY, *calls.SPOT, *calls.NODES_IN_EKS}
    known |= {*calls.UNGOVERNED, *calls.GOVERNED}
    assert found == known
    assert set(calls.OWN) == set(deploy.CLUSTERS)


SHOWN = [
    ({"Values": ["a", "b c"]}, "--values a 'b c'"),
    ({"Flag": True, "Other": False}, "--flag --no-other"),
    ({"Tags": [{"Key": "a", "Value": "b"}]}, "--tags Key=a,Value=b"),
    ({"Tags": [{"Key": "a", "Value": "b, c"}]}, '--tags \'{"Key": "a", "Value": "b, c"}\''),
    ({"minvCpus": 1, "KMSKeyId": "${Key}"}, "--minv-cpus 1 --kms-key-id ${Key}"),
    ({"TemplateBody": printing.FileText("{}", "a.json")}, "--template-body file://a.json"),
]


@pytest.mark.parametrize(("arguments", "expected"), SHOWN)
def test_calls_are_shown_as_commands(arguments: dict[str, object], expected: str) -> None:
    shown = printing.line(printing.aws("s3:PutObject", arguments, "us-east-1"))
    assert shown == f"aws --region us-east-1 s3api put-object {expected}"
