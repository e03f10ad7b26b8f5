"""Each lifecycle set, run for each role: twice, with failing steps, with hostile words."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from clustergen.hyperpod.steps import Mode
from tests.hyperpod import rig
from tests.hyperpod.planned import MODES, filled, lifecycle_of
from tests.hyperpod.rig import Node, Run

pytestmark = pytest.mark.skipif(bool(rig.impossible()), reason=rig.impossible())

SPEC = """
head_node: {instance_type: m7i.4xlarge}
login: {instance_type: m7i.xlarge}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2, scratch: /scratch}]
queues:
  - {name: train, node_groups: [h200], default: true, time_limit: 7d, priority: 3, exclusive: true}
storage:
  - {mount: /fsx, type: fsx-lustre, size: 1200GiB}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
software:
  containers: pyxis
  scripts: [{run: s3://setup/nodes.sh, args: [--fast]}]
users:
  - {name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAAC3 alice}
  - {name: bob, uid: 2002}
slurm:
  accounting: managed
  settings: {SchedulerParameters: "defer,bf_window=1440"}
  cgroup_settings: {ConstrainDevices: "yes"}
monitoring: {metrics: managed-prometheus}
resilience: {auto_resume: true}
"""
ENTRY = {"extended": "on_init_complete.sh"}
# What `aws s3 cp` brings as the user's script: it writes its arguments down.
TEXT = """#!/bin/bash\nprintf '%s\\0' "$@" >>/rig/state/arguments\n"""
SCRIPT = f"""[[ "$1 $2" != "s3 cp" ]] || printf %s {shlex.quote(TEXT)} >"${{!#}}"\n"""
ROLES = [
    (mode, role)
    for mode in MODES
    for role in (("h200",) if mode == "kubernetes" else ("controller", "login", "h200"))
]


def node(
    folder: Path,
    which: tuple[Mode, str],
    answers: Mapping[str, str] | None = None,
    spec: str = SPEC,
) -> Node:
    """A node of a role, healthy but for `answers`."""
    mode, role = which
    files = filled(lifecycle_of(spec, mode))
    made = Node(folder, role, files, {"aws": SCRIPT, **(answers or {})})
    made.efa(16)
    made.state("mounted", "/opt/dlami/nvme", "/opt/sagemaker")
    made.state("units", "dcgm-exporter.service")
    made.state("active", "containerd.service")
    return made


def start(made: Node, mode: Mode) -> Run:
    return made.run("bash", f"/tmp/set/{ENTRY.get(mode, 'on_create.sh')}")


def steps(run: Run, ending: str = "is done") -> list[str]:
    return re.findall(rf"^lifecycle: step (.*) {ending}", run.output, re.M)


@pytest.mark.parametrize("which", ROLES, ids="-".join)
def test_a_second_run_changes_nothing(tmp_path: Path, which: tuple[Mode, str]) -> None:
    made = node(tmp_path, which)
    first = start(made, which[0])
    assert first.status == 0, first.output
    assert "all steps are done" in first.output
    files = made.files()
    second = start(made, which[0])
    assert second.status == 0, second.output
    after = made.files()
    changed = {path for path in {*files, *after} if files.get(path) != after.get(path)}
    assert changed == set()
    assert steps(first) == steps(second, "is done")
    assert steps(first, "failed") == []
    assert not any(call.startswith("sleep") for call in (*first.calls, *second.calls))
    restarted = [call for call in second.calls if "restart" in call or "daemon-reload" in call]
    assert restarted == []


def test_logs_are_on_the_node_and_in_cloudwatch(tmp_path: Path) -> None:
    made = node(tmp_path, ("extended", "h200"))
    run = start(made, "extended")
    assert made.read("/var/log/clustergen/lifecycle.log") == run.output


SLURM_CONTROLLER: tuple[Mode, str] = ("customer-managed", "controller")
SLURM_NODE: tuple[Mode, str] = ("customer-managed", "h200")
AFTER_INIT: tuple[Mode, str] = ("extended", "controller")
EKS_NODE: tuple[Mode, str] = ("kubernetes", "h200")
CHECKED = SPEC.replace("scratch: /scratch", "scratch: /scratch, health_checks: [gpu]")
REJECTED = [
    # Role, program and what it does instead, step that fails, words of the log.
    (SLURM_NODE, {"mount": "exit 32"}, "scratch", ""),
    (SLURM_CONTROLLER, {"mount": "exit 32"}, "mounts", "could not be mounted on /fsx"),
    (AFTER_INIT, {"useradd": "exit 1"}, "users", "cannot add alice"),
    (SLURM_CONTROLLER, {"mysql": "exit 1"}, "accounting", ""),
    (
        SLURM_CONTROLLER,
        {"scontrol": "exit 1"},
        "slurm settings",
        "Slurm rejects the settings",
    ),
    (SLURM_CONTROLLER, {"scontrol": "[[ $1 != ping ]]"}, "slurm", "slurmctld does not respond"),
    (AFTER_INIT, {"sacctmgr": "exit 1"}, "accounts", "the accounting database has no cluster"),
    (SLURM_NODE, {"aws": "exit 1"}, "script nodes.sh", "cannot read s3://setup/nodes.sh"),
    (SLURM_NODE, {"nvidia-smi": "echo GPU 0"}, "health", "8 accelerators expected, 1 found"),
    (EKS_NODE, {"mount": "exit 32"}, "runtime storage", ""),
    (EKS_NODE, {"aws": "exit 1"}, "script nodes.sh", "cannot read s3://setup/nodes.sh"),
]


@pytest.mark.parametrize(("which", "answers", "step", "words"), REJECTED)
def test_a_failed_required_step_fails_the_node_after_a_pause(
    tmp_path: Path, which: tuple[Mode, str], answers: dict[str, str], step: str, words: str
) -> None:
    run = start(node(tmp_path, which, answers, CHECKED), which[0])
    assert run.status != 0
    assert f"lifecycle: step {step} failed with status" in run.output
    assert words in run.output
    assert run.calls[-1] == "sleep 60"
    assert run.output.rstrip().splitlines()[-1].startswith(f"lifecycle: step {step} failed")


LEFT_OUT = [
    # Role, program and what it does instead (None: the image lacks it), step that fails.
    (SLURM_NODE, {"nvidia-smi": "exit 9"}, "health"),
    (("legacy", "login"), {"enroot": None}, "containers"),
    (EKS_NODE, {"modprobe": "exit 1"}, "lustre client"),
]


@pytest.mark.parametrize("mode", ["extended", "kubernetes"])
def test_a_process_in_the_background_does_not_hold_the_node(tmp_path: Path, mode: Mode) -> None:
    """It keeps the streams of the script that started it, for as long as it runs."""
    text = "#!/bin/bash\n/usr/bin/sleep 600 &\necho an agent is started\n"
    script = f"""[[ "$1 $2" != "s3 cp" ]] || printf %s {shlex.quote(text)} >"${{!#}}"\n"""
    made = node(tmp_path, (mode, "h200"), {"aws": script})
    for _ in range(2):
        run = start(made, mode)
        assert run.status == 0, run.output
        assert run.output.endswith("lifecycle: all steps are done\n")
    log = made.read("/var/log/clustergen/lifecycle.log")
    assert log.endswith(run.output)
    assert log.count("an agent is started") == 1
    assert log.count("all steps are done") == 2


@pytest.mark.parametrize(("which", "answers", "step"), LEFT_OUT)
def test_a_failed_optional_step_is_only_logged(
    tmp_path: Path, which: tuple[Mode, str], answers: dict[str, str | None], step: str
) -> None:
    made = node(tmp_path, which, {name: body for name, body in answers.items() if body})
    for name, body in answers.items():
        if body is None:
            (made.root / "rig/bin" / name).unlink()
    run = start(made, which[0])
    assert run.status == 0, run.output
    assert steps(run, "failed") == [step]
    assert "the node continues without it" in run.output
    assert "all steps are done" in run.output


def test_a_node_of_an_unknown_group_is_rejected(tmp_path: Path) -> None:
    made = node(tmp_path, ("extended", "login"))
    (made.root / "rig/address").write_text("10.9.9.9\n", encoding="utf-8")
    run = start(made, "extended")
    assert run.status != 0
    assert "step instance group failed" in run.output
    assert run.calls.count("sleep 5") == 24


def test_an_unknown_group_is_rejected(tmp_path: Path) -> None:
    made = node(tmp_path, ("extended", "login"))
    config = made.root / "opt/ml/config/resource_config.json"
    config.write_text(config.read_text().replace('"login"', '"other $(touch /home/owned)"'))
    run = start(made, "extended")
    assert run.status != 0
    assert "the instance group other $(touch /home/owned) is not in these scripts" in run.output
    assert not (made.root / "home/owned").exists()


def test_a_configuration_file_elsewhere_is_found(tmp_path: Path) -> None:
    made = node(tmp_path, ("extended", "login"))
    config = made.root / "opt/ml/config/resource_config.json"
    config.rename(made.root / "home/elsewhere.json")
    place = {"SAGEMAKER_RESOURCE_CONFIG_PATH": "/home/elsewhere.json"}
    run = made.run("bash", "/tmp/set/on_init_complete.sh", environment=place)
    assert run.status == 0, run.output


def test_users_have_their_ids_and_the_controller_creates_homes(tmp_path: Path) -> None:
    homes = {}
    for role in ("controller", "login", "h200"):
        made = node(tmp_path / role, ("extended", role))
        start(made, "extended")
        assert "alice:x:2001:2001::/home/alice:/bin/bash\n" in made.read("/etc/passwd")
        assert "bob:x:2002:2002::/home/bob:/bin/bash\n" in made.read("/etc/passwd")
        homes[role] = sorted(path.name for path in (made.root / "home").iterdir())
    assert homes == {"controller": ["alice", "bob"], "login": [], "h200": []}


def test_without_shared_storage_homes_are_on_the_nodes(tmp_path: Path) -> None:
    made = node(tmp_path, ("extended", "h200"), spec="users: [{name: alice, uid: 2001}]")
    assert start(made, "extended").status == 0
    assert made.read("/home/alice/.profile") == "# of the image\n"


def test_a_user_with_another_id_in_the_image_is_rejected(tmp_path: Path) -> None:
    made = node(tmp_path, ("extended", "login"))
    with (made.root / "etc/passwd").open("a") as stream:
        stream.write("alice:x:1500:1500::/home/alice:/bin/bash\n")
    run = start(made, "extended")
    assert (run.status, "alice has the id 1500 on this node, not 2001" in run.output) == (1, True)


def test_existing_mounts_are_kept_and_tested_with_a_write(tmp_path: Path) -> None:
    made = node(tmp_path, ("extended", "login"))
    made.state("mounted", "/fsx", "/home")
    (made.root / "fsx").mkdir()
    run = start(made, "extended")
    assert run.status == 0, run.output
    assert not any(call.startswith("mount -t") for call in run.calls)
    assert "/fsx" not in made.read("/etc/fstab")
    assert list((made.root / "fsx").iterdir()) == []


def test_a_mount_without_write_access_fails_after_retries(tmp_path: Path) -> None:
    made = node(
        tmp_path,
        ("extended", "login"),
        {"touch": '[[ $1 != /fsx/* ]] && exec /usr/bin/touch "$@"'},
    )
    made.state("mounted", "/fsx", "/home")
    run = start(made, "extended")
    assert run.status != 0
    assert run.calls.count("sleep 5") == 20
    assert "or does not respond" in run.output


OTHERS = """
storage:
  - {mount: /data, type: s3, bucket: "s3://corpus/raw", read_only: true}
  - {mount: /tools, type: efs}
  - mount: /lab
    type: fsx-ontap
    existing: {id: fs-0a1b2c3d4e5f67892, dns_name: svm.ex, volume_id: fsvol-0a1b2c3d4e5f67892}
"""


def test_every_kind_of_storage(tmp_path: Path) -> None:
    answers = {"aws": r'printf "/vol1\tNone\n"', "mount-s3": rig.ANSWERS["mount"]}
    made = node(tmp_path, ("legacy", "h200"), answers, OTHERS)
    run = start(made, "legacy")
    assert run.status == 0, run.output
    mounted = [call for call in run.calls if re.match(r"mount(-s3| -t)", call)]
    assert [re.sub(r" -o [^ ]*", "", call) for call in mounted] == [
        "mount-s3 --region us-east-1 --allow-other --read-only --prefix raw/ corpus /data",
        "mount -t nfs svm.ex:/vol1 /lab",
        "mount -t nfs4 value-of-StorageToolsDnsName.example:/ /tools",
    ]


def test_buckets_are_mounted_on_every_boot(tmp_path: Path) -> None:
    answers = {"aws": r'printf "/vol1\tNone\n"', "mount-s3": rig.ANSWERS["mount"]}
    made = node(tmp_path, ("legacy", "h200"), answers, OTHERS)
    assert start(made, "legacy").status == 0
    unit = made.read("/etc/systemd/system/clustergen-mounts.service")
    assert "ExecStart=/bin/bash /opt/clustergen/boot/mounts.sh" in unit
    (made.root / "rig/state/mounted").write_text("")
    run = made.run("/bin/bash", "/opt/clustergen/boot/mounts.sh")
    assert run.status == 0, run.output
    assert any(call.startswith("mount-s3 ") for call in run.calls)


NCCL = [
    # /etc/nccl.conf before, and after.
    ("", ["NCCL_DEBUG=WARN", "NCCL_SOCKET_IFNAME=^docker,lo,veth", "NCCL_TUNER_PLUGIN="]),
    (
        "NCCL_ALGO=Tree\n",
        ["NCCL_ALGO=Tree", "NCCL_DEBUG=WARN", "NCCL_SOCKET_IFNAME=", "NCCL_TUNER"],
    ),
    (
        "# site\nNCCL_DEBUG=INFO\nNCCL_SOCKET_IFNAME = ens\n",
        ["# site", "NCCL_DEBUG=INFO", "NCCL_SOCKET_IFNAME = ens", "NCCL_TUNER_PLUGIN="],
    ),
]


@pytest.mark.parametrize(("before", "after"), NCCL)
def test_existing_nccl_settings_are_kept(tmp_path: Path, before: str, after: list[str]) -> None:
    made = node(tmp_path, ("extended", "h200"))
    conf = made.root / "etc/nccl.conf"
    conf.write_text(before)
    for _ in range(2):
        assert start(made, "extended").status == 0
        lines = [line for line in conf.read_text().splitlines() if "clustergen" not in line]
        assert len(lines) == len(after), lines
        assert all(line.startswith(words) for line, words in zip(lines, after, strict=True))


SLURMD = """
[[ "$*" != "start slurmd.service" ]] || {
  echo >>/rig/state/tries
  (($(wc -l </rig/state/tries) >= 3))
}
"""


def test_a_node_waits_for_its_controller(tmp_path: Path) -> None:
    made = node(tmp_path, ("legacy", "login"), {"systemctl": SLURMD})
    run = start(made, "legacy")
    assert run.status == 0, run.output
    assert run.calls.count("systemctl start slurmd.service") == 3
    assert run.calls.count("sleep 15") == 2


def test_slurm_settings(tmp_path: Path) -> None:
    made = node(tmp_path, SLURM_CONTROLLER)
    assert start(made, "customer-managed").status == 0
    assert made.read("/opt/slurm/etc/slurm.conf").splitlines()[2:] == [
        "PartitionName=dev Nodes=ALL Default=NO State=UP AllowGroups=root",
        "PartitionName=train Nodes=ip-10-1-0-30 State=UP MaxTime=7-00:00:00 PriorityTier=3"
        " PriorityJobFactor=3 OverSubscribe=EXCLUSIVE Default=YES",
        "",
        "include clustergen.conf",
    ]
    assert made.read("/opt/slurm/etc/clustergen.conf").splitlines()[1:] == [
        "JobAcctGatherType=jobacct_gather/linux",
        "AccountingStorageType=accounting_storage/slurmdbd",
        "AccountingStorageHost=node-1",
        "Prolog=clustergen-prolog.sh",
        "Epilog=clustergen-epilog.sh",
        "PrologEpilogTimeout=60",
        # The user's come last: of two values Slurm takes the last one.
        "EnforcePartLimits=ALL",
        "JobRequeue=1",
        # Lists of options, with what HyperPod has in them.
        "AccountingStorageTRES=gres/gpu",
        "GresTypes=gpu",
        "PrologFlags=DeferBatch",
        "SchedulerParameters=defer,bf_window=1440,nohold_on_prolog_fail",
    ]
    assert made.read("/opt/slurm/etc/cgroup.conf") == "ConstrainDevices=yes\n"


UNITS = [
    # Role, state of slurmd in the image, whether it is restarted for its limits.
    *((("extended", "controller"), state, False) for state in ("absent", "masked", "inactive")),
    *((("extended", "login"), state, False) for state in ("absent", "masked", "inactive")),
    (("extended", "controller"), "active", False),
    (("extended", "login"), "active", True),
    (("extended", "h200"), "active", True),
    (("customer-managed", "controller"), "absent", False),
    (("customer-managed", "controller"), "masked", False),
]


@pytest.mark.parametrize(("which", "state", "restarted"), UNITS)
def test_slurmd_may_be_absent_masked_or_stopped(
    tmp_path: Path, which: tuple[Mode, str], state: str, restarted: bool
) -> None:
    made = node(tmp_path, which)
    if state != "inactive":
        made.state(state, "slurmd.service")
    run = start(made, which[0])
    assert run.status == 0, run.output
    assert ("systemctl restart slurmd.service" in run.calls) is restarted


@pytest.mark.parametrize("state", ["absent", "masked"])
@pytest.mark.parametrize("mode", ["legacy", "customer-managed"])
def test_a_login_node_without_slurmd_queries_the_controller(
    tmp_path: Path, mode: Mode, state: str
) -> None:
    made = node(tmp_path, (mode, "login"))
    made.state(state, "slurmd.service")
    run = start(made, mode)
    assert run.status == 0, run.output
    assert "slurmd does not run here; commands query 10.1.0.10" in run.output
    text = made.read("/etc/profile.d/91-clustergen-slurm.sh")
    assert text == "export SLURM_CONF_SERVER=10.1.0.10\n"
    verified = made.run("bash", "/opt/clustergen/lifecycle/verify.sh")
    assert verified.status == 0, verified.output


def test_options_of_hyperpod_are_kept_in_lists(tmp_path: Path) -> None:
    settings = "slurm: {settings: {slurmctldparameters: idle_on_node_suspend, PrologFlags: x11}}"
    made = node(tmp_path, AFTER_INIT, spec=settings)
    conf = made.root / "opt/slurm/etc/slurm.conf"
    (conf.parent / "more.conf").write_text("SchedulerParameters = bf_window=10,bf_continue # a\n")
    conf.write_text(f"SlurmctldParameters=enable_configless\ninclude more.conf\n{conf.read_text()}")
    assert start(made, "extended").status == 0
    assert made.read("/opt/slurm/etc/clustergen.conf").splitlines()[5:] == [
        "PrologFlags=DeferBatch,x11",
        "SchedulerParameters=bf_window=10,bf_continue,nohold_on_prolog_fail",
        "SlurmctldParameters=idle_on_node_suspend,enable_configless",
    ]


DATABASES = [
    # Lines of HyperPod's slurm.conf, whether GPUs are counted in job records.
    ("AccountingStorageType=accounting_storage/slurmdbd\n", True),
    ("", False),
]


@pytest.mark.parametrize(("lines", "counted"), DATABASES)
def test_gpus_are_counted_with_a_database(tmp_path: Path, lines: str, counted: bool) -> None:
    made = node(tmp_path, AFTER_INIT)
    conf = made.root / "opt/slurm/etc/slurm.conf"
    conf.write_text(lines + conf.read_text())
    assert start(made, "extended").status == 0
    ours = made.read("/opt/slurm/etc/clustergen.conf")
    assert ("AccountingStorageTRES=gres/gpu\n" in ours) is counted


OLD_AND_NEW = [
    # Slurm's version, where nodes have the prolog from.
    ("slurm 22.05.8", "/opt/clustergen/lifecycle/prolog.sh"),
    ("slurm-wlm 23.11.4", "clustergen-prolog.sh"),
    ("slurm 25.11.8", "clustergen-prolog.sh"),
]


@pytest.mark.parametrize(("version", "path"), OLD_AND_NEW)
def test_the_place_of_the_prolog(tmp_path: Path, version: str, path: str) -> None:
    answers = f'[[ "$*" == "show config" ]] && echo "ClusterName = a" || echo {version} is UP'
    made = node(tmp_path, AFTER_INIT, {"scontrol": answers})
    assert start(made, "extended").status == 0
    assert f"\nProlog={path}\n" in made.read("/opt/slurm/etc/clustergen.conf")
    kept = made.root / "opt/clustergen/lifecycle/prolog.sh"
    assert kept.stat().st_mode & 0o111


REFUSED_SETTINGS = [
    # What Slurm rejects, what is reconfigured how often.
    ('[[ "$*" != "show daemons" ]]', 0),
    ("[[ $1 != reconfigure ]]", 7),
]


@pytest.mark.parametrize(("scontrol", "times"), REFUSED_SETTINGS)
def test_files_are_unchanged_if_slurm_rejects_the_settings(
    tmp_path: Path, scontrol: str, times: int
) -> None:
    answer = f"{scontrol} || exit 1\n{rig.SLURM['scontrol']}"
    made = node(tmp_path, AFTER_INIT, {"scontrol": answer})
    made.state("active", "slurmctld.service")
    etc = made.root / "opt/slurm/etc"
    before = {path.name: path.read_bytes() for path in etc.iterdir()}
    run = start(made, "extended")
    assert (run.status, "step slurm settings failed" in run.output) == (1, True), run.output
    assert "/opt/slurm/etc is unchanged" in run.output
    assert {path.name: path.read_bytes() for path in etc.iterdir()} == before
    assert run.calls.count("scontrol reconfigure") == times


def test_prolog_and_accounting_of_the_image_are_kept(tmp_path: Path) -> None:
    made = node(tmp_path, AFTER_INIT)
    conf = made.root / "opt/slurm/etc/slurm.conf"
    conf.write_text(f"Prolog=/opt/slurm/etc/image.sh\n{conf.read_text()}")
    assert start(made, "extended").status == 0
    ours = made.read("/opt/slurm/etc/clustergen.conf")
    assert "Prolog" not in ours
    assert "AccountingStorage" not in ours


def test_settings_are_restored_when_hyperpod_rewrites_slurm_conf(tmp_path: Path) -> None:
    made = node(tmp_path, AFTER_INIT)
    conf = made.root / "opt/slurm/etc/slurm.conf"
    before = conf.read_text()
    assert start(made, "extended").status == 0
    ours = conf.read_text()
    unit = made.read("/etc/systemd/system/clustergen-slurm-settings.path")
    assert "PathChanged=/opt/slurm/etc/slurm.conf\n" in unit
    assert "clustergen-slurm-settings.path\n" in made.read("/rig/state/active")
    service = made.read("/etc/systemd/system/clustergen-slurm-settings.service")
    [command] = re.findall("^ExecStart=(.*)$", service, re.M)
    made.state("active", "slurmctld.service")
    for text, times in ((before, 1), (ours, 0)):
        conf.write_text(text)
        run = made.run(*command.split())
        assert run.status == 0, run.output
        assert conf.read_text() == ours
        assert run.calls.count("scontrol reconfigure") == times


def test_a_running_slurmctld_is_reconfigured_once(tmp_path: Path) -> None:
    made = node(tmp_path, AFTER_INIT)
    made.state("active", "slurmctld.service")
    assert start(made, "extended").calls.count("scontrol reconfigure") == 1
    assert start(made, "extended").calls.count("scontrol reconfigure") == 0


def test_accounting_with_an_external_database(tmp_path: Path) -> None:
    arn = "arn:aws:secretsmanager:us-east-1:111122223333:secret:x"
    elsewhere = f"accounting: {{endpoint: db.example, secret: '{arn}'}}"
    spec = SPEC.replace("accounting: managed", elsewhere)
    secret = """[[ $1 != secretsmanager ]] || echo '{"password": "p$(x) \\"y"}'\n""" + SCRIPT
    made = node(tmp_path, SLURM_CONTROLLER, {"aws": secret}, spec)
    run = start(made, "customer-managed")
    assert run.status == 0, run.output
    conf = made.root / "opt/slurm/etc/slurmdbd.conf"
    assert "StorageHost=db.example\n" in conf.read_text()
    assert conf.read_text().endswith('StoragePass=p$(x) "y\n')
    assert conf.stat().st_mode & 0o777 == 0o600
    assert "p$(x)" not in run.output


HOSTILE = "a  b'\"$(touch /home/owned)`touch /home/owned`;|\n# c\\"


def test_hostile_text_is_quoted(tmp_path: Path) -> None:
    key = "ssh-ed25519 AAAA '\"$(touch /home/owned)`id` \\\\n"
    script = {
        "run": "s3://setup/$(touch${IFS}/home/owned)'.sh",
        "args": [HOSTILE, "", "-n"],
    }
    user = {"name": "alice", "uid": 2001, "ssh_key": key}
    spec = json.dumps({"users": [user], "software": {"scripts": [script]}})
    for which in (("extended", "controller"), ("legacy", "h200"), EKS_NODE):
        made = node(tmp_path / "-".join(which), which, spec=spec)
        run = start(made, which[0])
        assert run.status == 0, run.output
        assert made.read("/rig/state/arguments").split("\0")[:-1] == [HOSTILE, "", "-n"]
        assert not (made.root / "home/owned").exists()
        if which[1] == "controller":
            assert made.read("/home/alice/.ssh/authorized_keys") == f"{key}\n"


CHECKSUMS = [
    # Checksum of the spec, exit status.
    (hashlib.sha256(TEXT.encode()).hexdigest(), 0),
    (hashlib.sha256(b"another script").hexdigest(), 1),
]


@pytest.mark.parametrize(("sha256", "status"), CHECKSUMS)
def test_a_script_is_run_only_with_its_checksum(tmp_path: Path, sha256: str, status: int) -> None:
    spec = f"software: {{scripts: [{{run: s3://setup/x.sh, sha256: {sha256}, args: [a]}}]}}"
    made = node(tmp_path, ("extended", "h200"), spec=spec)
    run = start(made, "extended")
    assert (run.status, f"not {sha256}" in run.output) == (status, bool(status)), run.output
    assert (made.root / "rig/state/arguments").exists() is not bool(status)


WRONG = [
    # What is broken on a finished node, words of verify.sh.
    ({"nvidia-smi": "echo GPU 0"}, "WRONG   8 accelerators, found 1"),
    ({"mountpoint": "exit 1"}, "WRONG   /fsx is mounted"),
    ({"srun": "echo none"}, "WRONG   srun has --container-image"),
    ({}, ""),
]


@pytest.mark.parametrize(("broken", "words"), WRONG)
def test_verify(tmp_path: Path, broken: dict[str, str], words: str) -> None:
    made = node(tmp_path, SLURM_NODE)
    assert start(made, "customer-managed").status == 0
    for name, body in broken.items():
        place = "opt/slurm/bin" if name in rig.SLURM else "rig/bin"
        (made.root / place / name).write_text(f"#!/bin/bash\n{body}\n")
    run = made.run("bash", "/opt/clustergen/lifecycle/verify.sh")
    assert (run.status, words in run.output) == (1 if broken else 0, True), run.output


PROLOGS = [
    # GPUs of a node that was made with eight, exit status, whether the node is drained.
    (8, 0, False),
    (7, 1, True),
]


@pytest.mark.parametrize(("found", "status", "drained"), PROLOGS)
def test_the_prolog(tmp_path: Path, found: int, status: int, drained: bool) -> None:
    gpus = f'for ((n = 0; n < {found}; n++)); do echo "GPU $n: x"; done'
    made = node(tmp_path, ("extended", "controller"), {"nvidia-smi": gpus})
    start(made, "extended")
    (made.root / "etc/clustergen").mkdir(exist_ok=True)
    (made.root / "etc/clustergen/accelerators").write_text("gpu 8\n")
    folders = ("run/slurm/dcgm_job_mapping", "run/clustergen/gpu-jobs")
    for folder in folders:
        (made.root / folder).mkdir(parents=True)
    job = {"SLURM_JOB_GPUS": "0,1", "SLURM_JOB_ID": "77", "SLURMD_NODENAME": "n1"}
    run = made.run("bash", "/opt/slurm/etc/clustergen-prolog.sh", environment=job)
    assert run.status == status, run.output
    assert any("state=drain" in call for call in run.calls) is drained
    mapped = [made.root / folder / "0" for folder in folders]
    assert [one.exists() for one in mapped] == [not drained] * 2
    ended = made.run("bash", "/opt/slurm/etc/clustergen-epilog.sh", environment=job)
    assert (ended.status, [one.exists() for one in mapped]) == (0, [False] * 2)


def test_the_exporter_reads_the_jobs_where_the_prolog_writes_them() -> None:
    scripts = filled(lifecycle_of(SPEC, "extended"))
    [folder] = re.findall(r"--volume (\S+):/jobs:ro", scripts["monitoring.sh"])
    for name in ("prolog.sh", "epilog.sh"):
        [folders] = re.findall(r"for folder in (.+); do", scripts[name])
        assert folder in folders.split()


EFA_LUSTRE = """
storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}]
"""
NETWORKS = """
case "$*" in
  "net add --net efa"*) echo "nid: 10.1.0.30@efa" >>/rig/state/units ;;
  "net show") cat /rig/state/units ;;
esac
"""
EFA_NODES: list[tuple[tuple[Mode, str], bool]] = [
    # Role, whether Lustre's network is set up for EFA.
    (("customer-managed", "h200"), True),
    (("legacy", "h200"), True),
    (("legacy", "controller"), False),
    (("extended", "h200"), True),
    (("extended", "controller"), False),
    (("kubernetes", "h200"), True),
]


@pytest.mark.parametrize(("which", "expected"), EFA_NODES)
def test_lustre_over_efa_is_configured_before_mounts(
    tmp_path: Path, which: tuple[Mode, str], expected: bool
) -> None:
    route = 'echo "169.254.169.254 dev ens32 src 10.1.0.30 uid 0"'
    made = node(tmp_path, which, {"lnetctl": NETWORKS, "ip": route}, EFA_LUSTRE)
    run = start(made, which[0])
    assert run.status == 0, run.output
    assert ("lustre efa" in steps(run)) is expected
    added = [call for call in run.calls if call.startswith("lnetctl net add --net efa")]
    assert len(added) == (8 if expected else 0)
    mounted = [n for n, call in enumerate(run.calls) if call.startswith("mount -t lustre")]
    assert bool(mounted) is (which[0] != "kubernetes")
    assert all(run.calls.index(added[0]) < place for place in mounted if added)
    # A node that HyperPod reboots runs no lifecycle script.
    unit = made.root / "etc/systemd/system/clustergen-lustre-efa.service"
    assert unit.exists() is expected
    if expected:
        command = '/bin/bash /opt/clustergen/boot/lustre-efa.sh "8" "1"'
        assert f"ExecStart={command}\n" in unit.read_text()
        assert (made.root / "opt/clustergen/lifecycle/lustre-efa.sh").exists()
        again = made.run(*command.split())
        assert (again.status, added[0] in again.calls) == (0, False), again.output
