"""``clustergen diff``."""

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from clustergen.cli import main
from clustergen.commands.arguments import parser
from clustergen.commands.diff import LEVELS
from tests.support.commands import Run, runner

SPEC = """\
version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
node_groups:
  - {name: cpu, instance_type: m7i.4xlarge, count: 2}
storage:
  - mount: /work
    type: fsx-lustre
    size: 4800GiB
targets: {pcs: {}}
"""
GROWN = SPEC.replace("count: 2", "count: 3")
KEY = "arn:aws:kms:us-east-1:111122223333:key/0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"
REPLACED = f"{SPEC.replace('4800GiB', f'4800GiB{chr(10)}    kms_key: {KEY}')}"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in a folder with two specs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name, text in (("old.yaml", SPEC), ("new.yaml", REPLACED), ("grown.yaml", GROWN)):
        Path(name).write_text(text)
    return runner(capsys, "diff")


def found(run: Run, *arguments: str) -> Any:
    _, out, _ = run(*arguments, "--output", "json")
    return json.loads(out)["differences"]


def test_text(run: Run) -> None:
    status, out, _ = run("old.yaml", "new.yaml")
    assert status == 0
    assert out.startswith("pcs: data-at-risk (data is deleted")
    assert "because of storage[/work].kms_key (new.yaml:11)" in out
    assert "1. copy the data first" in out
    assert "as it costs money: StorageWork" in out


def test_json(run: Run) -> None:
    [difference] = found(run, "old.yaml", "new.yaml")
    assert (difference["target"], difference["kind"]) == ("pcs", "data-at-risk")
    first = difference["effects"][0]
    assert (first["subject"], first["property"]) == ("StorageWork", "KmsKeyId")
    assert first["spec"] == [{"path": "storage[/work].kms_key", "file": "new.yaml", "line": 11}]
    assert difference["stays"] == ["StorageWork"]


def test_several_changes_have_their_own_causes(run: Run) -> None:
    Path("both.yaml").write_text(REPLACED.replace("count: 2", "count: 3"))
    [difference] = found(run, "old.yaml", "both.yaml")
    causes = {
        (each["kind"], each["subject"]): [field["path"] for field in each["spec"]]
        for each in difference["effects"]
    }
    assert causes["data-at-risk", "StorageWork"] == ["storage[/work].kms_key"]
    assert causes["replaces-nodes", "NodeGroupCpu"] == ["storage[/work].kms_key"]


def test_changes_in_place_are_counted_or_listed(run: Run) -> None:
    assert "1 change in place" in run("old.yaml", "grown.yaml")[1]
    assert "changes NodeGroupCpu" in run("old.yaml", "grown.yaml", "--all")[1]


STATUSES = [
    ("grown.yaml", "any", 1),
    ("grown.yaml", "drain", 0),
    ("new.yaml", "drain", 1),
    ("new.yaml", "data", 1),
    ("old.yaml", "any", 0),
]


@pytest.mark.parametrize(("new", "level", "status"), STATUSES)
def test_fail_on(run: Run, new: str, level: str, status: int) -> None:
    assert run("old.yaml", new, "--fail-on", level)[0] == status


def test_every_level_has_a_kind() -> None:
    arguments = vars(parser().parse_args(["diff", "--fail-on", "any"]))
    assert arguments["fail_on"] in LEVELS
    for level in LEVELS:
        assert parser().parse_args(["diff", "--fail-on", level]).fail_on == level


def test_bundles(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "old.yaml"]) == 0
    capsys.readouterr()
    alone = found(run, "new.yaml")
    assert alone[0]["kind"] == "data-at-risk"
    assert found(run, "out/small/pcs", "new.yaml")[0]["kind"] == "data-at-risk"
    assert found(run, "old.yaml", "out/small")[0]["effects"] == []
    Path("both.yaml").write_text(Path("new.yaml").read_text().replace("{pcs", "{batch: {}, pcs"))
    assert [each["target"] for each in found(run, "out/small/pcs", "both.yaml")] == ["pcs"]
    assert [each["target"] for each in found(run, "out/small", "both.yaml")] == ["pcs", "batch"]


def test_the_order_says_where_deploy_stops(run: Run) -> None:
    """It stops before a file system is replaced, not where one stays outside the stack, and before
    nodes are replaced that run."""
    Path("less.yaml").write_text(f"{SPEC.partition('storage:')[0]}targets: {{pcs: {{}}}}\n")
    replaced, removed = (
        found(run, "old.yaml", name)[0]["steps"] for name in ("new.yaml", "less.yaml")
    )
    stop = "deploy: ./deploy.sh, which stops before it "
    nodes = "replaces nodes of NodeGroupCpu that run, and says which option continues"
    assert f"{stop}replaces or deletes StorageWork, or {nodes}" in replaced
    assert f"{stop}{nodes}" in removed
    # A change set neither deletes nor replaces a log group that keeps its events for fewer days.
    days = "\nmonitoring: {log_retention: %s}\nstorage:"
    for name, kept in (("long", "90d"), ("short", "7d")):
        Path(f"{name}.yaml").write_text(SPEC.replace("\nstorage:", days % kept))
    found_here = found(run, "long.yaml", "short.yaml")[0]
    assert "data-at-risk" in {each["kind"] for each in found_here["effects"]}
    assert "deploy: ./deploy.sh" in found_here["steps"]
    # Other targets, and HyperPod, may still use the role.
    own = "\n  - {name: own, instance_type: m7i.4xlarge, count: 1, iam: {s3: [{uri: 's3://images'}]}}\nstorage:"
    Path("own.yaml").write_text(SPEC.replace("\nstorage:", own))
    [step] = [s for s in found(run, "own.yaml", "old.yaml")[0]["steps"] if s.startswith(stop)]
    assert "NodeInstanceProfileOwn" in step
    assert "NodeRoleOwn" in step


def test_what_no_change_has_alone_is_because_of_those_that_touch_the_same(run: Run) -> None:
    other = SPEC.replace("count: 2", "count: 3").replace("name: small", "name: small\ntags: {a: b}")
    for name, text, size, iops in (("a", SPEC, 4800, 3000), ("b", other, 9600, 12000)):
        given = f"{size}GiB\n    metadata_iops: {iops}"
        Path(f"{name}.yaml").write_text(text.replace("4800GiB", given))
    (refused,) = [e for e in found(run, "a.yaml", "b.yaml")[0]["effects"] if e["kind"] == "refused"]
    assert {each["path"] for each in refused["spec"]} == {
        "storage[/work].size",
        "storage[/work].metadata_iops",
    }


def test_mount_targets_go_before_their_file_system(run: Run) -> None:
    for name, mount in (("a", "storage: [{mount: /home, type: efs}]\n"), ("b", "")):
        Path(f"{name}.yaml").write_text(
            f"{SPEC.partition('storage:')[0]}{mount}targets: {{pcs: {{}}}}\n"
        )
    step = found(run, "a.yaml", "b.yaml")[0]["steps"][-1]
    assert step.index("delete-mount-target") < step.index("delete-file-system")


def test_what_stays_has_the_command_that_deletes_it(run: Run) -> None:
    """A file system, a workspace for metrics with its stack, and all that has an earlier name."""
    Path("less.yaml").write_text(f"{SPEC.partition('storage:')[0]}targets: {{pcs: {{}}}}\n")
    measured = "monitoring: {metrics: managed-prometheus, alerts: {email: [a@example.com]}}"
    Path("measured.yaml").write_text(f"{SPEC}{measured}\n")
    Path("other.yaml").write_text(SPEC.replace("name: small", "name: other"))
    steps = found(run, "measured.yaml", "less.yaml")[0]["steps"]
    for id in ("StorageWork", "MetricsWorkspace"):
        [before] = [index for index, step in enumerate(steps) if f"-id {id} --query" in step]
        assert before < [step.startswith("deploy: ") for step in steps].index(True)
    assert "aws fsx --region us-east-1 delete-file-system --file-system-id ID" in steps[-1]
    assert "aws amp --region us-east-1 delete-workspace" in steps[-1]
    assert "delete-stack --stack-name small-pcs-monitoring" in steps[-1]
    steps = found(run, "old.yaml", "other.yaml")[0]["steps"]
    assert "small (./deploy.sh --destroy in its bundle" in steps[-1]


def test_a_node_group_that_has_to_stop_is_scaled_without_a_pause(run: Run) -> None:
    """deploy.sh of EKS changes no cluster that is paused."""
    block = "instance_type: p5.48xlarge, capacity: {capacity_block: cr-0a1b2c3d4e5f6789%s}"
    for number in (1, 2):
        text = SPEC.replace("instance_type: m7i.4xlarge", block % number)
        Path(f"{number}.yaml").write_text(text.replace("pcs", "eks"))
    [difference] = found(run, "1.yaml", "2.yaml")
    assert difference["kind"] == "needs-stop"
    assert not any("--pause" in step for step in difference["steps"])
    first, _, last = difference["steps"]
    scale = "--cluster-name small --nodegroup-name cpu --scaling-config"
    assert first.endswith(f"{scale} minSize=0,desiredSize=0")
    assert last.endswith(f"{scale} desiredSize=2")


def git(*arguments: str) -> None:
    known = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *known, *arguments], check=True, capture_output=True)


def test_revisions(run: Run) -> None:
    git("init", "-q", "-b", "main")
    git("add", "old.yaml")
    git("commit", "-qm", "first")
    Path("old.yaml").write_text(REPLACED)
    [difference] = found(run, "--base", "main", "old.yaml")
    assert (difference["old"], difference["kind"]) == ("main:old.yaml", "data-at-risk")
    assert found(run, "main:old.yaml", "old.yaml")[0]["kind"] == "data-at-risk"
    status, _, error = run("--base", "main", "new.yaml")
    assert status == 2
    assert "git does not have new.yaml at main" in error
    assert run("--base=--output=x", "old.yaml")[0] == 2


def test_what_if(run: Run) -> None:
    """--set changes the new side only."""
    [difference] = found(run, "old.yaml", "old.yaml", "--set", "node_groups[0].count=1")
    assert difference["kind"] == "removes-nodes"


def test_a_target_that_comes_or_goes(run: Run) -> None:
    Path("moved.yaml").write_text(SPEC.replace("pcs", "parallelcluster"))
    kinds = {each["target"]: each["kind"] for each in found(run, "old.yaml", "moved.yaml")}
    assert kinds == {"parallelcluster": "in-place", "pcs": "leftover"}


MISTAKES: Sequence[tuple[Sequence[str], int, str]] = [
    ((), 2, "name OLD and NEW"),
    (("a", "b", "c"), 2, "name OLD and NEW"),
    (("new.yaml",), 2, "out/small has no bundles to compare new.yaml with"),
    (("nothing",), 2, "cannot read nothing: no such file"),
    (("HEAD", "new.yaml"), 2, "a spec at a revision of git is HEAD:SPEC"),
    (("old.yaml", "missing.yaml"), 2, "cannot read missing.yaml"),
    (("old.yaml", "broken.yaml"), 1, "SPC"),
]


@pytest.mark.parametrize(("arguments", "status", "words"), MISTAKES)
def test_mistakes(run: Run, arguments: Sequence[str], status: int, words: str) -> None:
    Path("broken.yaml").write_text("version: 1\nname: [\n")
    found, _, error = run(*arguments)
    assert (found, words in error) == (status, True), error


RENAMED = (("node_groups[0].name", "other"), ("queues", "[{name: work, node_groups: [other]}]"))


def test_changes_that_are_valid_only_together(run: Run) -> None:
    """Another name of a node group needs another queue; neither spec would be valid alone."""
    Path("queued.yaml").write_text(f"{SPEC}queues: [{{name: work, node_groups: [cpu]}}]\n")
    edits = [word for path, value in RENAMED for word in ("--set", f"{path}={value}")]
    [difference] = found(run, "queued.yaml", "queued.yaml", *edits)
    [group] = [e for e in difference["effects"] if e["kind"] == "replaces-resource"]
    assert "the jobs on them" in group["message"]
    assert "node_groups[cpu]" in [each["path"] for each in group["spec"]]
    assert [step.partition(" ")[0] for step in difference["steps"]] == ["drain", "deploy:"]


def test_metrics_are_no_file_system(run: Run) -> None:
    Path("measured.yaml").write_text(f"{SPEC}monitoring: {{metrics: managed-prometheus}}\n")
    [difference] = found(run, "measured.yaml", "old.yaml")
    assert difference["kind"] == "data-at-risk"
    assert not any("file system" in step for step in difference["steps"])
    assert difference["steps"][0].startswith("save what you need of the recorded metrics")


def test_cost(run: Run) -> None:
    (difference,) = found(run, "old.yaml", "grown.yaml")
    cost = difference["cost"]
    # A node, the fee of PCS for it, and its root volume of 200 GiB.
    node = (0.8064 + 0.08) * 730 + 200 * 0.08
    assert cost["new"]["month"][0] - cost["old"]["month"][0] == pytest.approx(node)
    (cpu,) = (change for change in cost["changes"] if change["name"] == "cpu")
    assert cpu["month"] == pytest.approx([0.8064 * 730] * 2)
    _, out, _ = run("old.yaml", "grown.yaml")
    assert "cpu: 1,177.34 -> 1,766.02 (+588.67)" in out
    _, out, _ = run("old.yaml", "grown.yaml", "--output", "markdown")
    assert "- cpu: 1,177.34 -" in out


def test_what_stays_is_paid_as_well(run: Run) -> None:
    """The new file system costs the same: the difference of the bills is none."""
    (difference,) = found(run, "old.yaml", "new.yaml")
    low, high = difference["cost"]["staying"]
    assert low == high > 0
    _, out, _ = run("old.yaml", "new.yaml")
    assert f"not in it, until you delete what stays (/work): {low:,.2f}" in out
    assert found(run, "old.yaml", "grown.yaml")[0]["cost"]["staying"] == [0, 0]


def test_unknown_prices_are_not_compared(run: Run) -> None:
    _, out, _ = run("old.yaml", "old.yaml", "--set", "node_groups[0].capacity=spot")
    assert "cpu: not comparable, the market sets the Spot price" in out


def test_the_same_cost_is_not_shown(run: Run) -> None:
    _, out, _ = run("old.yaml", "old.yaml", "--set", "tags.a=b")
    assert "USD a month" not in out


def test_a_version_that_costs_the_same_is_not_shown(run: Run) -> None:
    Path("kube.yaml").write_text(SPEC.replace("pcs", "eks") + 'kubernetes: {version: "1.34"}\n')
    _, out, _ = run("kube.yaml", "kube.yaml", "--set", "kubernetes.version=1.35")
    assert "replaces the nodes of SystemNodes" in out
    assert "USD a month" not in out


def test_bundles_have_no_cost(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    main(["render", "old.yaml", "-o", "out"])
    capsys.readouterr()
    (difference,) = found(run, "out/small", "grown.yaml")
    assert difference["cost"] is None


def test_an_old_spec_that_rules_reject_today_is_compared(run: Run) -> None:
    """History cannot be edited; what does not even render is an error still."""
    bad = SPEC.replace("type: fsx-lustre", "type: fsx-lustre\n    backups: 100d")
    Path("bad.yaml").write_text(bad)
    status, out, errors = run("bad.yaml", "old.yaml")
    assert (status, out.startswith("pcs: ")) == (0, True), errors
    assert "note" in errors
    assert "error" not in errors
    status, out, errors = run("old.yaml", "bad.yaml")
    assert (status, out) == (1, "")
    Path("bad.yaml").write_text(SPEC.replace("count: 2", "count: many"))
    assert run("bad.yaml", "old.yaml")[:2] == (1, "")


def test_another_uid_leaves_files_behind(run: Run) -> None:
    users = "users: [{name: ann, uid: 2001}, {name: bob, uid: %s}%s]\n"
    Path("old.yaml").write_text(SPEC + users % (2002, ""))
    Path("new.yaml").write_text(SPEC + users % (2003, ", {name: eve, uid: 2002}"))
    [difference] = found(run, "old.yaml", "new.yaml")
    [effect] = [each for each in difference["effects"] if each["subject"] == "user bob"]
    assert effect["kind"] == "leftover"
    assert "files keep the number 2002, which is now eve's" in effect["message"]
    assert "find /home /work -xdev -uid 2002 -exec chown -h 2003:2003 {} +" in effect["message"]
    assert [each["path"] for each in effect["spec"]] == ["users[bob].uid"]


def test_users_who_swap_uids_keep_their_files(run: Run) -> None:
    """The commands, run on a set of files, in the order in which they are printed."""
    users = "users: [{name: ann, uid: %s}, {name: bob, uid: %s}]\n"
    Path("old.yaml").write_text(SPEC + users % (2001, 2002))
    Path("new.yaml").write_text(SPEC + users % (2002, 2001))
    [difference] = found(run, "old.yaml", "new.yaml")
    texts = [e["message"] for e in difference["effects"] if e["subject"].startswith("user ")]
    steps = [re.findall(r"-uid (\d+) -exec chown -h (\d+)", text) for text in texts]
    files = {"of ann": "2001", "of bob": "2002"}
    for old, new in (step for round in zip(*steps, strict=True) for step in round):
        files = {name: new if owner == old else owner for name, owner in files.items()}
    assert files == {"of ann": "2002", "of bob": "2001"}


def test_what_expires_earlier_is_shown_and_exported_first(run: Run) -> None:
    Path("new.yaml").write_text(f"{SPEC}monitoring: {{log_retention: 7d}}\n")
    _, out, _ = run("old.yaml", "new.yaml")
    assert "events of SchedulerLogGroup that are older than 7 days" in " ".join(out.split())
    assert "export the events, and copy the backups" in " ".join(out.split())
    assert "add the new file system at another mount" not in " ".join(out.split())
