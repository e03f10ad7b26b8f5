"""deploy.sh, submit.sh and verify.sh of AWS Batch, in an account that remembers."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.cloud.account import EXPIRED, Fault
from tests.support.cloud.answers import Request
from tests.support.cloud.commands import Bundle, reaching
from tests.targets.batch.planned import files_of

pytestmark = pytest.mark.scenarios(6)

SHARES = "slurm: {accounts: [{name: vision}, {name: robots}]}"
SCRIPTS = "software: {scripts: [{run: 's3://my-bucket/a.sh'}]}\nstorage: [{mount: /e, type: efs}]"

DATED = """node_groups: [{name: h200, capacity: {reservation: cr-0a1b2c3d4e5f67890,
  starts: '2020-01-01T11:30:00Z', ends: '2099-01-01T11:30:00Z'}}]"""


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SCRIPTS)) as made:
        made.deployed()
        yield made


SPOT = "node_groups: [{name: h200, instance_type: g6.xlarge, capacity: spot}]"


def test_spot_instances_need_a_role_that_few_accounts_lack(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SPOT)) as bundle:
        for calls in (1, 0):
            bundle.deployed()
            assert len(bundle.calling("create-service-linked-role")) == calls


def test_scripts_are_there_before_the_nodes(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SCRIPTS)) as bundle:
        lines = bundle.deploy("--dry-run").stderr.splitlines()
    upload = next(i for i, line in enumerate(lines) if "scripts/mount.sh" in line)
    cluster = next(i for i, line in enumerate(lines) if "cluster.template.json" in line)
    assert upload < cluster


def test_an_invalid_environment_is_explained(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("")) as bundle:
        reason = "CLIENT_ERROR - Not authorized to perform sts:AssumeRole"
        bundle.account.batch.invalid = reason
        bundle.stops(f"is INVALID: {reason}.", last=True)
        bundle.account.batch.invalid = ""
        bundle.deployed()


@pytest.mark.parametrize("action", [(), ("--pause", "--resume")])
@pytest.mark.parametrize("recovers", [True, False])
@pytest.mark.parametrize("text", ["", DATED])
def test_an_environment_whose_nodes_did_not_join(
    tmp_path: Path, text: str, recovers: bool, action: tuple[str, ...]
) -> None:
    """Nothing of the template changes once S3 or a mirror answers again."""
    with reaching(tmp_path, files_of(text)) as bundle:
        batch = bundle.account.batch
        bundle.deployed()
        batch.invalid, batch.recovers = "CLIENT_ERROR - no instance joined", recovers
        for each in action[:-1]:
            bundle.deployed(each)
        if recovers:
            bundle.deployed(*action[-1:])
        else:
            bundle.stops("is INVALID: CLIENT_ERROR - no", *action[-1:], last=True)
        assert [each.state for each in batch.environments.values()] == ["ENABLED"]


def test_an_environment_is_set_by_the_time_after_its_update(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update waits for jobs, for hours: the capacity has ended by then."""
    with reaching(tmp_path, files_of(DATED)) as bundle:
        batch = bundle.account.batch
        plain = batch.describe_compute_environments

        def late(request: Request) -> Any:
            (bundle.tools / "now").write_text("4102444800")  # in 2100
            return plain(request)

        monkeypatch.setattr(batch, "describe_compute_environments", late)
        bundle.deployed()
        assert [each.state for each in batch.environments.values()] == ["DISABLED"]


def test_an_environment_is_not_left_disabled(bundle: Bundle) -> None:
    batch = bundle.account.batch
    batch.invalid, batch.recovers = "CLIENT_ERROR - no instance joined", True
    bundle.account.faults.append(Fault("--state ENABLED", *EXPIRED, times=1))
    assert bundle.deploy().returncode != 0
    bundle.stops("run deploy.sh --resume first")
    bundle.deployed("--resume")
    assert [each.state for each in batch.environments.values()] == ["ENABLED"]
    bundle.deployed()


@pytest.mark.parametrize(("image", "told"), [("LATEST", False), ("UPDATE_AVAILABLE", True)])
def test_deploy_names_a_newer_image(bundle: Bundle, image: str, told: bool) -> None:
    bundle.account.batch.image = image
    done = bundle.deployed()
    assert ("a newer image for the nodes of" in done.stderr) == told


@pytest.mark.parametrize(("before", "after"), [(SHARES, ""), ("", SHARES)])
def test_a_queue_keeps_its_fair_shares(tmp_path: Path, before: str, after: str) -> None:
    """Batch rejects the change, and CloudFormation would roll back."""
    queue = "queues: [{name: %s, node_groups: [h200]}]\n"
    with reaching(tmp_path, files_of(before + "\n" + queue % "train")) as bundle:
        bundle.deployed()
        bundle.account.forget_calls()
        bundle.render(files_of(after + "\n" + queue % "train"))
        bundle.stops("Rename the queues in the spec", "--allow-replacement")
        assert bundle.account.calling("execute-change-set", "example-batch") == []
        bundle.render(files_of(after + "\n" + queue % "pretrain"))
        bundle.deployed("--allow-replacement")


def test_a_pause_says_that_jobs_go_on(bundle: Bundle) -> None:
    done = bundle.deploy("--pause")
    assert "and nodes until their jobs end" in done.stderr.splitlines()[-1]
    bundle.stops("is paused: run deploy.sh --resume first")


def test_a_closed_default_group_stops_before_the_cluster(tmp_path: Path) -> None:
    """Nodes of a job would not reach each other, and the job would hang."""
    with reaching(tmp_path, files_of("")) as bundle:
        bundle.account.closed_default_group = True
        bundle.stops("authorize-security-group-ingress --group-id sg-0de1")
        assert bundle.account.calling("create-change-set", "example-batch") == []


OUT: list[tuple[tuple[str, ...], int, str]] = [
    # What the group lets out to, the exit status of deploy.sh, and what it tells.
    ((), 2, "nodes of a job cannot reach each other"),
    (("itself",), 0, "programs that download something fail"),
    (("itself", "world"), 0, ""),
]


@pytest.mark.parametrize(("to", "status", "told"), OUT)
def test_what_the_default_group_lets_out(
    tmp_path: Path, to: tuple[str, ...], status: int, told: str
) -> None:
    """Images and logs are read and written by the host, in another group."""
    with reaching(tmp_path, files_of("")) as bundle:
        bundle.account.default_group_to = to
        done = bundle.deploy()
        assert done.returncode == status
        assert told in done.stderr
        assert ("default security group" in done.stderr) is bool(told)


def test_jobs_of_one_node_do_not_need_it(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of("node_groups: [{name: h200, efa: false}]")) as bundle:
        bundle.account.closed_default_group = True
        bundle.deployed()


def test_a_definition_is_registered_when_it_changes(bundle: Bundle) -> None:
    """Each registration would be another revision."""
    for _ in range(2):
        assert bundle.run("submit.sh", "h200-nccl").returncode == 0
    assert len(bundle.account.batch.definitions) == 1
    path = bundle.folder / "jobs/h200-nccl.json"
    job = json.loads(path.read_text())
    job["timeout"]["attemptDurationSeconds"] = 7200
    path.write_text(json.dumps(job, indent=2))
    assert bundle.run("submit.sh", "h200-nccl").returncode == 0
    assert len(bundle.account.batch.definitions) == 2


OPTIONS: list[tuple[list[str], dict[str, list[str]]]] = [
    ([], {"job-queue": ["example-h200"], "job-name": ["h200-nccl"]}),
    (["--nodes", "2"], {"node-overrides": ["numNodes=2"]}),
    (["--array", "10"], {"array-properties": ["size=10"]}),
    (["--after", "job-1"], {"depends-on": ["jobId=job-1"]}),
    (["--queue", "h200"], {"job-queue": ["example-h200"]}),
    (["--queue", "another"], {"job-queue": ["another"]}),
]


@pytest.mark.parametrize(("arguments", "expected"), OPTIONS)
def test_options_of_a_job(bundle: Bundle, arguments: list[str], expected: object) -> None:
    done = bundle.run("submit.sh", *arguments, "h200-nccl")
    assert (done.returncode, done.stdout) == (0, "job-1\n"), done.stderr
    options = bundle.account.batch.jobs["job-1"]["options"]
    assert isinstance(expected, dict)
    assert {key: options[key] for key in expected} == expected


def test_a_definition_of_the_user(bundle: Bundle) -> None:
    job = json.loads((bundle.folder / "jobs/h200-torchrun.json").read_text())
    job["jobDefinitionName"] = "mine"
    path = bundle.tools / "my job.json"
    path.write_text(json.dumps(job, indent=2))
    assert bundle.run("submit.sh", str(path)).returncode == 0
    [job] = bundle.account.batch.jobs.values()
    assert job["options"]["job-queue"] == ["example-h200"]
    assert job["options"]["job-definition"][0].endswith("job-definition/mine:1")


MIXED = """node_groups: [{name: h200},
  {name: pre, instance_type: c7i.16xlarge, count: 2, capacity: spot, efa: false}]
queues: [{name: train, node_groups: [h200]}, {name: prep, node_groups: [pre], default: true}]"""
COPIES: list[tuple[str, str, str, str]] = [
    # The spec, the job and the type of nodes of the copy, and its queue.
    (MIXED, "train-h200-torchrun", "p5en.48xlarge", "example-train"),
    (MIXED, "train-h200-torchrun", "p5.48xlarge", ""),
    (MIXED, "train-h200-torchrun", "", ""),
    (MIXED, "prep-pre-array", "", "example-prep"),
    ("", "h200-torchrun", "", "example-h200"),
]


@pytest.mark.parametrize(("text", "name", "type", "queue"), COPIES)
def test_the_queue_of_a_copy(tmp_path: Path, text: str, name: str, type: str, queue: str) -> None:
    """A multi-node job never starts in the queue of other nodes, and blocks it."""
    with reaching(tmp_path, files_of(text)) as bundle:
        job = (bundle.folder / f"jobs/{name}.json").read_text()
        kept = job.replace('"instanceType": "p5en.48xlarge"', f'"instanceType": "{type}"')
        path = bundle.tools / "mine.json"
        path.write_text(kept if type else re.sub(r',\s*"instanceType": "[^"]*"', "", kept))
        if not queue:
            bundle.stops("add --queue", str(path), script="submit.sh", last=True)
        done = bundle.succeeds("submit.sh", *(() if queue else ("--queue", "train")), str(path))
        assert done.stdout == "job-1\n"
        options = bundle.account.batch.jobs["job-1"]["options"]
        assert options["job-queue"] == [queue or "example-train"]


def test_parameters_of_a_definition_stay(bundle: Bundle) -> None:
    """An option of the command would replace them, and a job would lack its defaults."""
    job = json.loads((bundle.folder / "jobs/h200-torchrun.json").read_text())
    path = bundle.tools / "mine.json"
    path.write_text(json.dumps({**job, "parameters": {"epochs": "3"}}, indent=2))
    assert bundle.run("submit.sh", str(path)).returncode == 0
    [made] = bundle.account.batch.definitions.values()
    assert made["parameters"] == {"epochs": "3"}


def test_many_revisions_of_a_definition(bundle: Bundle) -> None:
    """Each page of text is the result of the query on its own."""
    assert bundle.run("submit.sh", "h200-nccl").returncode == 0
    definitions = bundle.account.batch.definitions
    [(arn, known)] = definitions.items()
    for number in range(2, 4):
        definitions[f"{arn[:-1]}{number}"] = {**known, "parameters": {"content": "other"}}
    bundle.account.batch.page_size = 1
    assert bundle.run("submit.sh", "h200-nccl").returncode == 0
    assert bundle.account.batch.jobs["job-2"]["options"]["job-definition"] == [arn]


def test_a_failed_job_fails(bundle: Bundle) -> None:
    bundle.account.batch.failing = "Essential container in task exited"
    done = bundle.run("submit.sh", "--wait", "h200-nccl")
    assert done.returncode == 2
    assert "h200-nccl failed: Essential container" in done.stderr.splitlines()[-1]
    assert "logs tail /aws/batch/example --log-stream-name-prefix h200-nccl --s" in done.stderr


@pytest.mark.parametrize(("prefix", "shown"), [("h200-nccl", True), ("", False)])
@pytest.mark.parametrize("text", [SCRIPTS, "node_groups: [{name: h200, efa: false}]"])
def test_the_log_of_a_failed_copy(tmp_path: Path, text: str, prefix: str, shown: bool) -> None:
    """It has the streams that its file names, not one of its own name."""
    with reaching(tmp_path, files_of(text)) as bundle:
        bundle.account.batch.failing = "Essential container in task exited"
        job = (bundle.folder / "jobs/h200-nccl.json").read_text()
        path = bundle.tools / "mine.json"
        named = '"awslogs-stream-prefix": "h200-nccl"'
        path.write_text(job if prefix else re.sub(rf",\s*{named}", "", job))
        for arguments in (("--wait", str(path)), ("--wait-for", "job-1")):
            done = bundle.run("submit.sh", *arguments)
            assert ("--log-stream-name-prefix h200-nccl --since" in done.stderr) is shown
            assert "/aws/batch/example --" in done.stderr


def test_waiting_again_submits_nothing(bundle: Bundle) -> None:
    bundle.account.faults.append(Fault("describe-jobs", *EXPIRED, times=1))
    bundle.stops("submit.sh --wait-for job-1", "--wait", "h200-nccl", script="submit.sh", last=True)
    assert "goes on" not in bundle.succeeds("submit.sh", "--wait-for", "job-1").stderr
    assert len(bundle.account.batch.jobs) == 1


def test_a_wait_that_takes_too_long_tells_how_to_wait_again(bundle: Bundle) -> None:
    for arguments in (("--wait", "h200-nccl"), ("--wait-for", "job-1")):
        done = bundle.run("submit.sh", "--minutes", "0", *arguments)
        assert done.returncode == 2
        assert "run submit.sh --wait-for job-1 to wait for it again" in done.stderr
        assert ("would submit it once more" in done.stderr) == (arguments[0] == "--wait")
        assert "same command again" not in done.stderr
    assert len(bundle.account.batch.jobs) == 1


WRONG: list[tuple[list[str], str]] = [
    ([], "usage: submit.sh"),
    (["no-such-job"], "there is no job no-such-job"),
    (["--nodes", "two", "h200-nccl"], "--nodes needs a number"),
    (["--queue"], "--queue needs a value"),
    (["h200-nccl", "h200-efa"], "these are two: h200-nccl and h200-efa"),
    (["--wait-for", "job-1", "h200-nccl"], "submits no h200-nccl"),
    (["--share", "vision", "h200-nccl"], "usage: submit.sh"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_wrong_arguments(bundle: Bundle, arguments: list[str], words: str) -> None:
    bundle.stops(words, *arguments, script="submit.sh")
    assert bundle.account.batch.jobs == {}


def test_a_job_names_its_share(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SHARES)) as bundle:
        bundle.deployed()
        bundle.stops("add --share, one of vision robots", "h200-nccl", script="submit.sh")
        done = bundle.run("submit.sh", "--share", "vision", "--priority", "5", "h200-nccl")
        assert done.returncode == 0
        [job] = bundle.account.batch.jobs.values()
        assert job["options"]["share-identifier"] == ["vision"]
        assert job["options"]["scheduling-priority-override"] == ["5"]


def test_verify_runs_a_job_for_each_group(bundle: Bundle) -> None:
    done = bundle.run("verify.sh")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "PASS  h200-verify")
    bundle.account.batch.failing = "Essential container in task exited"
    done = bundle.run("verify.sh")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (1, "FAIL  h200-verify")


TWO = """node_groups: [{name: h200, %s}, {name: cpu, instance_type: c7i.16xlarge, count: 2}]
queues: [{name: train, node_groups: [h200]}, {name: prep, node_groups: [cpu]}]"""
RESERVED = "capacity: {reservation: cr-0a1b2c3d4e5f67890, starts: '%s', ends: '%s'}"
TIMES = [("2020-01-01", "2099-01-01"), ("2098-01-01", "2099-01-01"), ("2020-01-01", "2021-01-01")]


@pytest.mark.parametrize("dates", TIMES)
def test_verify_leaves_out_capacity_that_is_not_there(
    tmp_path: Path, dates: tuple[str, str]
) -> None:
    """And it submits every job before it waits for one."""
    text = TWO % (RESERVED % tuple(f"{day}T11:30:00Z" for day in dates))
    with reaching(tmp_path, files_of(text)) as bundle:
        assert "PASS" not in bundle.succeeds("verify.sh", "--dry-run").stdout
        done = bundle.succeeds("verify.sh")
        there = dates == TIMES[0]
        result = "PASS  train-h200-verify" if there else "SKIP  train-h200-verify: the capacity of"
        assert result in done.stdout
        assert done.stdout.splitlines()[-1] == "PASS  prep-cpu-verify"
        submitted = ["submit-job"] * (2 if there else 1)
        assert bundle.order("submit-job", "describe-jobs ")[: len(submitted) + 1] == [
            *submitted,
            "describe-jobs ",
        ]


def test_help_lists_jobs_and_queues(bundle: Bundle) -> None:
    done = bundle.run("submit.sh", "--help")
    assert done.returncode == 0
    assert "Jobs:   h200-torchrun" in done.stdout
    assert "Queues: h200" in done.stdout


def test_destroy_leaves_no_definitions(bundle: Bundle) -> None:
    for job in ("h200-nccl", "h200-verify"):
        assert bundle.run("submit.sh", job).returncode == 0
    shown = bundle.deployed("--dry-run", "--destroy").stderr
    assert "deregister-job-definition --job-definition example-h200-nccl:${Revision}" in shown
    bundle.deployed("--destroy")
    states = {each["status"] for each in bundle.account.batch.definitions.values()}
    assert states == {"INACTIVE"}


def test_destroy_leaves_definitions_of_others(bundle: Bundle) -> None:
    assert bundle.run("submit.sh", "h200-nccl").returncode == 0
    known = bundle.account.batch.definitions
    [(arn, ours)] = known.items()
    text = json.dumps(ours)
    assert '"/aws/batch/example"' in text
    known[f"{arn[:-1]}2"] = json.loads(text.replace("/aws/batch/example", "/aws/batch/job"))
    known[f"{arn[:-1]}2"]["jobDefinitionArn"] = f"{arn[:-1]}2"
    bundle.deployed("--destroy")
    assert [each["status"] for each in known.values()] == ["INACTIVE", "ACTIVE"]


def test_a_replaced_environment_needs_consent(bundle: Bundle) -> None:
    """Its jobs would end with it."""
    files = dict(files_of(SCRIPTS))
    template = json.loads(files["cluster.template.json"])
    environment = template["Resources"]["ComputeEnvironmentH200"]["Properties"]
    environment["Tags"] = {"team": "a"}
    bundle.render({**files, "cluster.template.json": json.dumps(template)})
    bundle.stops("would replace ComputeEnvironmentH200")
