"""What nodes of AWS Batch run before they join, with recorded commands."""

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.scripts import bash, completed, programs
from tests.targets.batch.planned import container_of, files_of, job_of, template_of
from tests.validators.cloudformation import resolve
from tests.validators.shell import scripts_in_user_data

STORED = """storage: [{mount: /data, type: efs}]
software: {scripts: [{run: 's3://my-bucket/own.sh'}]}"""


def node_script(text: str) -> str:
    """The script in the user data of the first node group."""
    for resource in resolve(template_of(text)):
        user_data = resource.properties.get("LaunchTemplateData", {}).get("UserData")
        if user_data:
            [script] = scripts_in_user_data("node", user_data).values()
            return script
    raise AssertionError("no user data")


Fakes = Mapping[str, str]
# Programs of a node: they note how they were called.
FAKES = {
    **dict.fromkeys(("sha256sum", "systemctl", "shutdown", "sleep", "dnf"), "true"),
    "aws": '[[ "$*" != *fails* ]] || exit 1\nprintf "%s\\n" "$BODY" >"${@: -1}"',
}


def run(folder: Path, script: str, body: str, fakes: Fakes = FAKES) -> tuple[int, list[str]]:
    """The exit status, and the commands in order."""
    tools, log = folder / "tools", folder / "log"
    noted = {name: f'echo "{name} $*" >>"{log}"\n{effect}' for name, effect in fakes.items()}
    programs(tools, noted)
    script = script.replace("export PATH=", f"export PATH={tools}:")
    script = script.replace("/dev/console", str(folder / "console"))
    done = bash("-c", script, first=tools, BODY=body, LOG=str(log))
    return done.returncode, log.read_text().splitlines()


def test_a_prepared_node_joins(tmp_path: Path) -> None:
    status, calls = run(tmp_path, node_script(STORED), '#!/bin/bash\necho "ran $*" >>"$LOG"')
    assert status == 0
    ran = [call for call in calls if call.startswith("ran")]
    assert ran[0] == "ran mount.efs=amazon-efs-utils"
    assert ran[1].startswith("ran efs /data ")
    assert ran[2] == "ran "
    assert not any(call.startswith(("systemctl", "shutdown")) for call in calls)


FAILURES: list[tuple[str, str]] = [
    # What fails, and what the console says.
    ("#!/bin/bash\nexit 1", "/packages.sh failed: this node does not join"),
    ("not a script", "/packages.sh failed: this node does not join"),
]


@pytest.mark.parametrize(("body", "reason"), FAILURES)
def test_a_node_that_fails_gets_no_jobs(tmp_path: Path, body: str, reason: str) -> None:
    """Otherwise the agent would start, and jobs would find empty folders."""
    status, calls = run(tmp_path, node_script(STORED), body)
    assert status == 1
    assert reason in (tmp_path / "console").read_text()
    assert "systemctl mask --now --no-block ecs.service" in calls
    assert "shutdown -h +15" in calls


def test_lustre_is_set_up_for_efa_before_it_is_mounted() -> None:
    lustre = "storage: [{mount: /fsx, type: fsx-lustre, size: 19200GiB, efa: true}]"
    ran = re.findall(r"^run_script (\w+) \S*/([\w-]+)\.sh", node_script(lustre), re.MULTILINE)
    # A node whose client has no EFA mounts it over TCP.
    assert ran == [("yes", "packages"), ("no", "lustre-efa"), ("yes", "mount")]


def test_a_package_that_is_not_there_at_once(tmp_path: Path) -> None:
    """The network of a node may take a moment; the image lacks the AWS CLI."""
    tools = tmp_path / "packages"
    slow = f'[[ $(grep -c ^dnf "{tmp_path}/log") -gt 2 ]] && cp {tools}/aws {tmp_path}/tools/'
    programs(tools, {"aws": 'printf "#!/bin/bash\\n" >"${@: -1}"'})
    lacking = {**FAKES, "dnf": slow}
    del lacking["aws"]
    status, calls = run(tmp_path, node_script(STORED), "", lacking)
    assert (status, sum(call.startswith("dnf") for call in calls)) == (0, 3)


def test_a_script_that_cannot_be_read(tmp_path: Path) -> None:
    text = "software: {scripts: [{run: 's3://my-bucket/fails.sh'}]}"
    status, calls = run(tmp_path, node_script(text), "#!/bin/bash")
    assert (status, sum(call.startswith("aws") for call in calls)) == (1, 5)
    assert "cannot be read" in (tmp_path / "console").read_text()


def test_the_checksum_of_a_users_script_is_checked() -> None:
    text = f"software: {{scripts: [{{run: 's3://my-bucket/a.sh', sha256: {'a' * 64}}}]}}"
    assert f"run_script yes s3://my-bucket/a.sh {'a' * 64}" in node_script(text)


def test_user_data_is_small() -> None:
    """EC2 accepts 16 KiB, and Batch adds a part of its own."""
    many = ", ".join(f"{{mount: /data{n}, type: efs}}" for n in range(8))
    assert len(base64.b64encode(node_script(f"storage: [{many}]").encode())) < 12 * 1024


def test_verify_finds_what_is_missing(tmp_path: Path) -> None:
    """Here are neither GPUs nor EFA devices."""
    script = container_of(job_of("", "h200-verify"))["command"][2]
    done = completed("/bin/bash", "-c", script, cwd=tmp_path)
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert "WRONG   16 EFA devices" in lines
    assert "WRONG   8 GPUs" in lines
    assert lines[-1].startswith("FAIL: ")


MOUNTS: list[tuple[str, bool]] = [
    # What is mounted on /data, and whether verify accepts it, on a node whose disk is nvme8n1p1.
    ("ext4 /dev/nvme8n1p1", False),
    ("nfs4 fs-0a1b2c3d.efs.us-east-1.amazonaws.com:/", True),
    ("ext4 /dev/nvme0n1p1", True),
]


@pytest.mark.parametrize(("mounted", "accepted"), MOUNTS)
def test_verify_knows_folders_of_root_volumes(tmp_path: Path, mounted: str, accepted: bool) -> None:
    """Docker makes a folder that is missing on the node."""
    table = tmp_path / "mountinfo"
    table.write_text(
        "30 20 259:1 /var/lib/docker/hosts /etc/hosts rw - ext4 /dev/nvme8n1p1 rw\n"
        f"31 20 0:50 / /data rw - {mounted} rw\n"
    )
    job = job_of("storage: [{mount: /data, type: efs}]", "h200-verify")
    script = container_of(job)["command"][2].replace("/proc/self/mountinfo", str(table))
    done = completed("/bin/bash", "-c", script, cwd=tmp_path)
    assert ("ok      /data is mounted" in done.stdout.splitlines()) is accepted


def test_torchrun_needs_a_program(tmp_path: Path) -> None:
    script = container_of(job_of("", "h200-torchrun"))["command"][2]
    done = completed("/bin/bash", "-c", script, cwd=tmp_path)
    assert (done.returncode, "has no /workspace/train.py" in done.stdout) == (1, True)


MAIN = "AWS_BATCH_JOB_MAIN_NODE_PRIVATE_IPV4_ADDRESS"
RANKS: list[tuple[dict[str, str], str]] = [
    ({"AWS_BATCH_JOB_NODE_INDEX": "0"}, "--rdzv-endpoint=192.0.2.1:29500"),
    ({"AWS_BATCH_JOB_NODE_INDEX": "1", MAIN: "192.0.2.9"}, "--rdzv-endpoint=192.0.2.9:29500"),
]


TRAINIUM = "node_groups: [{name: h200, instance_type: trn1.32xlarge}]"
STARTED = (("", "h200-torchrun"), (TRAINIUM, "h200-all-reduce"))


@pytest.mark.parametrize(("text", "name"), STARTED)
@pytest.mark.parametrize(("own", "expected"), RANKS)
def test_the_nodes_of_torchrun_meet(
    tmp_path: Path, own: dict[str, str], expected: str, text: str, name: str
) -> None:
    """Batch tells the address of the main node to the children only."""
    script = container_of(job_of(text, name))["command"][2]
    script = script.replace("/tmp/", f"{tmp_path}/")
    torchrun = 'echo "$*"\npython3 -m py_compile "${@: -1}"'
    programs(tmp_path, {"torchrun": torchrun, "hostname": "echo 192.0.2.1 192.0.2.2"})
    program = tmp_path / "train.py"
    program.touch()
    batch = {"AWS_BATCH_JOB_NUM_NODES": "2", "AWS_BATCH_JOB_ID": "0a1b#1", **own}
    done = bash("-c", script, first=tmp_path, PROGRAM=str(program), **batch)
    words = done.stdout.split()
    assert (done.returncode, expected in words) == (0, True), done.stderr
    assert {"--rdzv-id=0a1b", "--rdzv-conf=join_timeout=1800"} <= set(words)
    # The others reach a node by its address, where names of hosts do not resolve.
    assert "--local-addr=192.0.2.1" in words
    assert f"--node-rank={own['AWS_BATCH_JOB_NODE_INDEX']}" in words


@pytest.mark.parametrize("more", ["", ", efa: false"])
@pytest.mark.parametrize("type", ["p5.48xlarge", "trn1.32xlarge", "hpc8a.96xlarge"])
def test_tests_of_closed_networks_install_nothing(type: str, more: str) -> None:
    """Their images come from the registry; nodes reach no mirror of packages."""
    text = f"node_groups: [{{name: h200, instance_type: {type}{more}}}]"
    files = files_of(text)
    test = re.compile(r"jobs/.*-(nccl|nccom|all-reduce|verify).json")
    names = [path for path in files if test.fullmatch(path)]
    assert names
    for path in names:
        script = container_of(json.loads(files[path]))["command"][2]
        assert not re.search(r"\b(apt-get|dnf|pip)\b|https://", script), path
