"""Several controllers: what they share, and in what order they take over."""

import json
import os
import re
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.services.hyperpod import rig
from tests.services.hyperpod.planned import filled, lifecycle_of
from tests.services.hyperpod.rig import Node, Run
from tests.services.hyperpod.test_lifecycle import give_table
from tests.support.checking import Fragments
from tests.support.tiers import needs, without_root
from tests.validators.hyperpod.bundle import cluster_violations

pytestmark = [needs(rig.impossible), pytest.mark.sampled(3)]

SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-a1b2c3"
SPEC = f"""
login: {{instance_type: m7i.xlarge}}
storage: [{{mount: /fsx, type: fsx-lustre, size: 1200GiB}}]
queues: [{{name: train, node_groups: [h200], time_limit: 7d}}]
users: [{{name: alice, uid: 2001}}]
slurm:
  accounting: {{endpoint: db.example, secret: "{SECRET}"}}
  cgroup_settings: {{ConstrainDevices: "yes"}}
targets: {{hyperpod-slurm: {{mode: legacy, controllers: 3}}}}
"""
FOLDER = "fsx/slurm/0a1b2c3d4e5f"
Pair = tuple[Node, Node, list[Run]]
ALL = tuple((f"ip-{address.replace('.', '-')}", address) for address in rig.CONTROLLERS)


def node(folder: Path, group: str, number: int = 0, controllers: int = 2) -> Node:
    """A node of a cluster of so many controllers; each knows its own name."""
    spec = SPEC.replace("controllers: 3", f"controllers: {controllers}")
    name = ALL[number][0] if group == "controller" else "node-1"
    answers = {
        "aws": """case "$*" in
  secretsmanager*) echo '{"password": "secret"}' ;;
  "s3 cp "*.tsv*) file=${4##*-} && cat "/rig/state/$file" >"${!#}" ;;
esac""",
        "hostname": 'case "${1:-}" in --all-ip-addresses) cat /rig/address ;; '
        f"*) echo {name} ;; esac",
    }
    files = filled(lifecycle_of(spec, "legacy"))
    made = Node(folder, group, files, answers, controllers=controllers, number=number)
    give_table(made, spec)
    made.efa(16)
    made.state("mounted", "/opt/dlami/nvme", "/opt/sagemaker")
    (made.root / "etc/munge").mkdir()
    (made.root / "etc/munge/munge.key").write_text("of all nodes")
    return made


def start(made: Node) -> Run:
    return made.run("bash", "/tmp/set/on_create.sh")


def hand_over(giver: Node, taker: Node) -> None:
    """What one wrote to the shared file system is there for the other."""
    shutil.rmtree(taker.root / "fsx", ignore_errors=True)
    shutil.copytree(giver.root / "fsx", taker.root / "fsx", symlinks=True)


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """Both controllers of a cluster, after two runs of each in turn."""
    folder = tmp_path_factory.mktemp("pair")
    first, second = (node(folder / str(n), "controller", n) for n in (0, 1))
    runs = [start(first)]
    hand_over(first, second)
    runs.append(start(second))
    hand_over(second, first)
    before = first.files(), second.files()
    runs += [start(first), start(second)]
    assert before == (first.files(), second.files())
    return first, second, runs


def test_every_run_of_each_controller_succeeds(pair: Pair) -> None:
    *_, runs = pair
    for run in runs:
        assert run.status == 0, run.output
        assert re.findall("^lifecycle: step (.*) failed", run.output, re.M) == []
        assert "step controllers is done" in run.output
        assert not any(call.startswith("sleep") for call in run.calls)
    again = [call for run in runs[2:] for call in run.calls]
    assert not any("reconfigure" in call or "daemon-reload" in call for call in again)


def test_controllers_share_one_configuration_in_order_of_failover(pair: Pair) -> None:
    for made in pair[:2]:
        conf = made.root / "opt/slurm/etc/slurm.conf"
        assert str(conf.readlink()) == f"/opt/clustergen/controllers/etc/{conf.name}"
        link = made.root / "opt/clustergen/controllers"
        assert str(link.readlink()) == f"/{FOLDER}"
        lines = made.read(f"{FOLDER}/etc/slurm.conf").splitlines()
        assert [line for line in lines if line.startswith("SlurmctldHost")] == [
            f"SlurmctldHost={name}({address})" for name, address in ALL[:2]
        ]
        assert lines.count("include clustergen.conf") == 1
        ours = made.read(f"{FOLDER}/etc/clustergen.conf").splitlines()
        assert f"StateSaveLocation=/{FOLDER}/state" in ours
        assert f"AccountingStorageHost={ALL[0][0]}" in ours
        assert f"AccountingStorageBackupHost={ALL[1][0]}" in ours
        assert made.read(f"{FOLDER}/etc/cgroup.conf") == "ConstrainDevices=yes\n"


def test_eight_nodes_that_boot_at_once_share_one_file_system(tmp_path: Path) -> None:
    """Three controllers, which make the shared folder and the homes, and five that only mount."""
    places = [*(("controller", n) for n in range(3)), *[("login", 0)] * 2, *[("h200", 0)] * 3]
    fsx = tmp_path / "fsx"
    fsx.mkdir()
    made = [node(tmp_path / str(n), *place, 3) for n, place in enumerate(places)]
    for each in made:
        each.shared = str(fsx)
    with ThreadPoolExecutor(len(made)) as pool:
        runs = list(pool.map(start, made))
    assert [run.output for run in runs if run.status or " failed with status" in run.output] == []
    etc = tmp_path / FOLDER / "etc"
    lines = (etc / "slurm.conf").read_text().splitlines()
    hosts = [line for line in lines if line.startswith("SlurmctldHost")]
    assert hosts == [f"SlurmctldHost={name}({address})" for name, address in ALL]
    assert lines.count("include clustergen.conf") == 1
    for each in made[:3]:
        assert (each.root / "opt/slurm/etc/slurm.conf").is_symlink()
    for each in made:
        assert each.read("/etc/fstab").count(" /fsx lustre ") == 1
    # Nothing is half done.
    assert [path.name for path in (fsx / "home").iterdir()] == ["alice"]
    assert (fsx / "home/alice/.profile").read_text() == "# of the image\n"
    left = [path.name for path in fsx.rglob("*") if re.search(r"\.(new|clustergen)\b", path.name)]
    assert left == []


def test_files_that_replace_a_link_reach_all_controllers(tmp_path: Path) -> None:
    first = node(tmp_path / "first", "controller")
    assert start(first).status == 0
    conf, shared = (first.root / f"{at}/etc/slurm.conf" for at in ("opt/slurm", FOLDER))
    conf.unlink()
    conf.write_text(shared.read_text() + "TCPTimeout=61\n")
    assert start(first).status == 0
    assert conf.is_symlink()
    assert "TCPTimeout=61" in shared.read_text()


@pytest.mark.parametrize("above", ["fsx/slurm", FOLDER, f"{FOLDER}/etc"])
@pytest.mark.parametrize(
    "theirs", ["link", "open to all", pytest.param("of a user", marks=needs(without_root))]
)
def test_what_a_user_made_is_not_where_slurm_reads(tmp_path: Path, above: str, theirs: str) -> None:
    """Everyone may write to the root of a new file system, and slurm.conf names root's programs."""
    made = node(tmp_path, "controller")
    place = made.root / above
    place.parent.mkdir(parents=True, exist_ok=True)
    if theirs == "link":
        (made.root / "fsx/alice/etc").mkdir(parents=True)
        place.symlink_to("/fsx/alice")
    else:
        (place / "etc").mkdir(parents=True)
        place.chmod(0o777 if theirs == "open to all" else 0o755)
        if theirs == "of a user":
            os.chown(place, 2001, 2001)
    run = start(made)
    assert run.status == 1
    assert f"others than root can write to /{above}" in run.output
    assert not (made.root / "opt/slurm/etc/slurm.conf").is_symlink()


@pytest.mark.parametrize(("bits", "status"), [(0o777, 1), (0o1777, 0)])
def test_no_user_renames_the_folder_of_slurm(tmp_path: Path, bits: int, status: int) -> None:
    made = node(tmp_path, "controller")
    (made.root / "fsx").mkdir(exist_ok=True)
    (made.root / "fsx").chmod(bits)
    run = start(made)
    assert run.status == status, run.output
    assert ("others than root can replace /fsx/slurm" in run.output) == bool(status)


def test_only_slurm_can_read_the_state(pair: Pair) -> None:
    for made, run in zip(pair[:2], pair[2][:2], strict=True):
        state = made.root / FOLDER / "state"
        assert state.stat().st_mode & 0o777 == 0o700
        assert f"chown slurm:slurm /{FOLDER}/state" in run.calls


def test_the_database_is_behind_both_and_its_password_is_not_shared(pair: Pair) -> None:
    for made in pair[:2]:
        conf = made.read("/opt/slurm/etc/slurmdbd.conf")
        assert f"DbdHost={ALL[0][0]}\nDbdBackupHost={ALL[1][0]}\n" in conf
        assert "StorageHost=db.example\n" in conf
        shared = (path for path in (made.root / "fsx").rglob("*") if path.is_file())
        assert not any("secret" in path.read_text() for path in shared)


def test_accounts_are_created_once(pair: Pair) -> None:
    first, second, _ = pair
    assert "user alice" in first.read("/rig/state/accounting")
    assert second.read("/rig/state/accounting") == ""


@pytest.mark.parametrize("group", ["login", "h200"])
def test_other_nodes_query_all_controllers(tmp_path: Path, group: str) -> None:
    made = node(tmp_path, group)
    for _ in range(2):
        run = start(made)
        assert run.status == 0, run.output
        unit = made.read("/etc/systemd/system/slurmd.service.d/80-clustergen.conf")
        assert "--conf-server 10.1.0.10,10.1.0.11" in unit
    assert not any("daemon-reload" in call for call in run.calls)


def test_the_third_controller_has_no_database(tmp_path: Path) -> None:
    first, third = (node(tmp_path / str(n), "controller", n, 3) for n in (0, 2))
    assert start(first).status == 0
    hand_over(first, third)
    run = start(third)
    assert run.status == 0, run.output
    assert "two other controllers do it" in run.output
    assert not (third.root / "opt/slurm/etc/slurmdbd.conf").exists()
    hosts = re.findall("^SlurmctldHost=(.*)$", third.read(f"{FOLDER}/etc/slurm.conf"), re.M)
    assert hosts == [f"{name}({address})" for name, address in ALL]


def test_a_controller_waits_until_all_controllers_are_listed(tmp_path: Path) -> None:
    made = node(tmp_path, "controller")
    config = made.root / "opt/ml/config/resource_config.json"
    document = json.loads(config.read_text())
    document["InstanceGroups"][1]["Instances"].pop(1)
    config.write_text(json.dumps(document))
    run = start(made)
    assert run.status != 0
    assert "not all 2 controllers are listed" in run.output
    assert "lifecycle: step controllers failed" in run.output


def test_different_keys_are_rejected(tmp_path: Path) -> None:
    first, second = (node(tmp_path / str(n), "controller", n) for n in (0, 1))
    assert start(first).status == 0
    hand_over(first, second)
    (second.root / "etc/munge/munge.key").write_text("another")
    run = start(second)
    assert run.status != 0
    assert "munge.key differs from that of the other controllers" in run.output


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_controller_keeps_its_jobs_when_others_join(tmp_path: Path, interrupted: bool) -> None:
    made = node(tmp_path, "controller")
    if interrupted:
        half = made.root / FOLDER / "state.new"
        half.mkdir(parents=True)
        (half / "part_state").write_text("half")
        (made.root / "opt/slurm/etc/clustergen-old-state").write_text("/var/spool/slurmctld\n")
    else:
        made.state("active", "slurmctld.service")
    (made.root / "var/spool/slurmctld").mkdir(parents=True)
    (made.root / "var/spool/slurmctld/job_state").write_text("jobs")
    scontrol = made.root / "opt/slurm/bin/scontrol"
    answer = '[[ $1 != show ]] || echo "StateSaveLocation = /var/spool/slurmctld"\n'
    scontrol.write_text(scontrol.read_text() + answer)
    assert start(made).status == 0
    assert made.read(f"{FOLDER}/state/job_state") == "jobs"
    assert not (made.root / FOLDER / "state/part_state").exists()
    assert not (made.root / "opt/slurm/etc/clustergen-old-state").exists()


def test_the_validator_requires_a_shared_directory_of_controllers() -> None:
    files = Fragments("hyperpod-slurm").files(SPEC)
    assert cluster_violations(files, "us-east-1") == []
    path = "lifecycle/provisioning_parameters.json"
    document = json.loads(files[path])
    del document["slurm_configurations"]["slurm_shared_directory"]
    [violation] = cluster_violations({**files, path: json.dumps(document, indent=2)}, "us-east-1")
    assert "3 controllers, and no slurm_configurations.slurm_shared_directory" in violation
