"""deploy.sh, submit.sh and verify.sh of AWS Batch, in an account that remembers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cloud.commands import Bundle, reaching
from tests.targets.batch.planned import files_of

SHARES = "slurm: {accounts: [{name: vision}, {name: robots}]}"
SCRIPTS = "software: {scripts: [{run: 's3://my-bucket/a.sh'}]}\nstorage: [{mount: /e, type: efs}]"


@pytest.fixture
def bundle(tmp_path: Path) -> Iterator[Bundle]:
    with reaching(tmp_path, files_of(SCRIPTS)) as made:
        assert made.deploy().returncode == 0
        yield made


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
        done = bundle.deploy()
        assert done.returncode == 2
        assert f"is INVALID: {reason}." in done.stderr.splitlines()[-1]
        bundle.account.batch.invalid = ""
        assert bundle.deploy().returncode == 0


@pytest.mark.parametrize(("before", "after"), [(SHARES, ""), ("", SHARES)])
def test_a_queue_keeps_its_fair_shares(tmp_path: Path, before: str, after: str) -> None:
    """Batch rejects the change, and CloudFormation would roll back."""
    queue = "queues: [{name: %s, node_groups: [h200]}]\n"
    with reaching(tmp_path, files_of(before + "\n" + queue % "train")) as bundle:
        assert bundle.deploy().returncode == 0
        bundle.account.forget_calls()
        bundle.render(files_of(after + "\n" + queue % "train"))
        done = bundle.deploy("--allow-replacement")
        assert (done.returncode, "Rename the queues in the spec" in done.stderr) == (2, True)
        assert bundle.account.calling("execute-change-set", "example-batch") == []
        bundle.render(files_of(after + "\n" + queue % "pretrain"))
        done = bundle.deploy("--allow-replacement")
        assert done.returncode == 0, done.stderr


def test_a_pause_says_that_jobs_go_on(bundle: Bundle) -> None:
    done = bundle.deploy("--pause")
    assert "and nodes until their jobs end" in done.stderr.splitlines()[-1]
    assert "running ones end first" in bundle.deploy("--help").stdout


def test_a_closed_default_group_stops_before_the_cluster(tmp_path: Path) -> None:
    """Nodes of a job would not reach each other, and the job would hang."""
    with reaching(tmp_path, files_of("")) as bundle:
        bundle.account.closed_default_group = True
        done = bundle.deploy()
        assert done.returncode == 2
        assert "authorize-security-group-ingress --group-id sg-0de1" in done.stderr
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
        assert bundle.deploy().returncode == 0


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
    assert "logs tail /aws/batch/example --log-stream-name-prefix h200-nccl" in done.stderr


WRONG: list[tuple[list[str], str]] = [
    ([], "usage: submit.sh"),
    (["no-such-job"], "there is no job no-such-job"),
    (["--nodes", "two", "h200-nccl"], "--nodes needs a number"),
    (["--queue"], "--queue needs a value"),
    (["--share", "vision", "h200-nccl"], "usage: submit.sh"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_wrong_arguments(bundle: Bundle, arguments: list[str], words: str) -> None:
    done = bundle.run("submit.sh", *arguments)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr
    assert bundle.account.batch.jobs == {}


def test_a_job_names_its_share(tmp_path: Path) -> None:
    with reaching(tmp_path, files_of(SHARES)) as bundle:
        assert bundle.deploy().returncode == 0
        done = bundle.run("submit.sh", "h200-nccl")
        assert (done.returncode, "add --share, one of vision robots" in done.stderr) == (2, True)
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


def test_help_lists_jobs_and_queues(bundle: Bundle) -> None:
    done = bundle.run("submit.sh", "--help")
    assert done.returncode == 0
    assert "Jobs:   h200-torchrun" in done.stdout
    assert "Queues: h200" in done.stdout


def test_destroy_leaves_no_definitions(bundle: Bundle) -> None:
    for job in ("h200-nccl", "h200-verify"):
        assert bundle.run("submit.sh", job).returncode == 0
    assert bundle.deploy("--destroy").returncode == 0
    states = {each["status"] for each in bundle.account.batch.definitions.values()}
    assert states == {"INACTIVE"}


def test_a_replaced_environment_needs_consent(bundle: Bundle) -> None:
    """Its jobs would end with it."""
    files = dict(files_of(SCRIPTS))
    template = json.loads(files["cluster.template.json"])
    environment = template["Resources"]["ComputeEnvironmentH200"]["Properties"]
    environment["Tags"] = {"team": "a"}
    bundle.render({**files, "cluster.template.json": json.dumps(template)})
    done = bundle.deploy()
    assert (done.returncode, "would replace ComputeEnvironmentH200" in done.stderr) == (2, True)
