"""Each lifecycle set, run for each role: twice, with failing steps, with hostile words."""

import hashlib
import json
import re
import shlex
from collections.abc import Mapping
from pathlib import Path

import pytest

from clustergen.services.hyperpod.steps import Mode
from clustergen.services.slurm import accounts, users
from tests.services.hyperpod import rig
from tests.services.hyperpod.planned import MODES, filled, lifecycle_of, plan_of
from tests.services.hyperpod.rig import Node, Run
from tests.support.scripts import programs
from tests.support.tiers import needs

pytestmark = [needs(rig.impossible), pytest.mark.sampled(3)]

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
Role = tuple[Mode, str]
ENTRY = {"extended": "on_init_complete.sh"}
# What `aws s3 cp` brings as the user's script: it writes its arguments down.
TEXT = """#!/bin/bash\nprintf '%s\\0' "$@" >>/rig/state/arguments\n"""


def downloading(script: str) -> str:
    """`aws s3 cp`, which brings the table of users, and `script` for all else."""
    return f"""case "$*" in
  "s3 cp "*.tsv*) file=${{4##*-}} && cat "/rig/state/$file" >"${{!#}}" ;;
  "s3 cp "*) printf %s {shlex.quote(script)} >"${{!#}}" ;;
esac
"""


SCRIPT = downloading(TEXT)
NO_SCRIPT = {"aws": f'[[ "$*" != *setup* ]] || exit 1\n{SCRIPT}'}
ROLES = [
    (mode, role)
    for mode in MODES
    for role in (("h200",) if mode == "kubernetes" else ("controller", "login", "h200"))
]


def node(
    folder: Path, which: Role, answers: Mapping[str, str] | None = None, spec: str = SPEC
) -> Node:
    """A node of a role, healthy but for `answers`."""
    mode, role = which
    files = filled(lifecycle_of(spec, mode))
    made = Node(folder, role, files, {"aws": SCRIPT, **(answers or {})})
    give_table(made, spec)
    made.efa(16)
    made.state("mounted", "/opt/dlami/nvme", "/opt/sagemaker")
    made.state("units", "dcgm-exporter.service")
    made.state("active", "containerd.service")
    return made


def give_table(made: Node, spec: str) -> None:
    """The users and accounts in the scripts bucket."""
    plan = plan_of(spec)
    for table in (users.table(plan), accounts.table(plan)):
        if table:
            made.state(table.path, *table.text.splitlines())


def start(made: Node, mode: Mode) -> Run:
    return made.run("bash", f"/tmp/set/{ENTRY.get(mode, 'on_create.sh')}")


def succeed(made: Node, mode: Mode) -> Run:
    run = start(made, mode)
    assert run.status == 0, run.output
    return run


def verify(made: Node) -> Run:
    return made.run("bash", "/opt/clustergen/lifecycle/verify.sh")


def settings_of(made: Node) -> str:
    """Ours of Slurm, on a controller."""
    return made.read("/opt/slurm/etc/clustergen.conf")


def steps(run: Run, ending: str = "is done") -> list[str]:
    return re.findall(rf"^lifecycle: step (.*) {ending}", run.output, re.M)


@pytest.mark.parametrize("which", ROLES, ids="-".join)
def test_a_second_run_changes_nothing(tmp_path: Path, which: Role) -> None:
    made = node(tmp_path, which)
    first = succeed(made, which[0])
    assert "all steps are done" in first.output
    assert made.read("/var/log/clustergen/lifecycle.log") == first.output
    files = made.files()
    second = succeed(made, which[0])
    after = made.files()
    changed = {path for path in {*files, *after} if files.get(path) != after.get(path)}
    assert changed == set()
    assert steps(first) == steps(second, "is done")
    assert steps(first, "failed") == []
    assert not any(call.startswith("sleep") for call in (*first.calls, *second.calls))
    assert not [call for call in second.calls if "restart" in call or "daemon-reload" in call]


SLURM_CONTROLLER: Role = ("customer-managed", "controller")
SLURM_NODE: Role = ("customer-managed", "h200")
SLURM_NODE_WITHOUT_SCRATCH: Role = ("customer-managed", "login")
AFTER_INIT: Role = ("extended", "controller")
EKS_NODE: Role = ("kubernetes", "h200")
LEGACY_NODE: Role = ("legacy", "h200")
LOGIN_NODE: Role = ("extended", "login")
COMPUTE_NODE: Role = ("extended", "h200")
CHECKED = SPEC.replace("scratch: /scratch", "scratch: /scratch, health_checks: [gpu]")
REJECTED = [
    # Role, program and what it does instead, step that fails, words of the log.
    (SLURM_NODE, {"mount": "exit 32"}, "scratch", ""),
    (SLURM_NODE_WITHOUT_SCRATCH, {"mount": "exit 32"}, "mounts", "could not be mounted on /fsx"),
    (SLURM_CONTROLLER, {"mysql": "exit 1"}, "accounting", ""),
    (SLURM_CONTROLLER, {"scontrol": "exit 1"}, "slurm settings", "Slurm rejects the settings"),
    (SLURM_CONTROLLER, {"scontrol": "[[ $1 != ping ]]"}, "slurm", "slurmctld does not respond"),
    (SLURM_NODE, NO_SCRIPT, "script nodes.sh", "cannot read s3://setup/nodes.sh"),
    (SLURM_NODE, {"nvidia-smi": "echo GPU 0"}, "health", "8 accelerators expected, 1 found"),
    (EKS_NODE, {"mount": "exit 32"}, "runtime storage", ""),
    (EKS_NODE, NO_SCRIPT, "script nodes.sh", "cannot read s3://setup/nodes.sh"),
]


@pytest.mark.parametrize(("which", "answers", "step", "words"), REJECTED)
def test_a_failed_required_step_fails_the_node_after_a_pause(
    tmp_path: Path, which: Role, answers: dict[str, str], step: str, words: str
) -> None:
    run = start(node(tmp_path, which, answers, CHECKED), which[0])
    assert run.status != 0
    assert f"lifecycle: step {step} failed with status" in run.output
    assert words in run.output
    assert run.calls[-1] == "sleep 60"
    assert run.output.rstrip().splitlines()[-1].startswith(f"lifecycle: step {step} failed")


SETTING_UP, OTHERS_REASON = "clustergen: the set-up is not done", "Action:Replace"
STATES = [
    # Of the node before, whether slurmctld answers, whether a required step fails; what is asked,
    # the node's reason at the end.
    ("", "yes", False, ["drain", "resume"], ""),
    (f"IDLE+DRAIN {SETTING_UP}", "yes", False, ["drain", "resume"], ""),
    ("DOWN* Not responding", "yes", False, ["drain", "resume"], ""),
    (f"IDLE+DRAIN {OTHERS_REASON}", "yes", False, [], OTHERS_REASON),
    (f"FAIL {OTHERS_REASON}", "yes", True, [], OTHERS_REASON),
    ("", "yes", True, ["drain", "drain"], "clustergen: the step script nodes.sh failed"),
    ("", "no", False, [], ""),
    ("", "unknown", False, ["drain"] * 12, ""),
    # The controller restarted while the scripts ran; the node registers soon, or never.
    ("", "registers", False, ["drain", "resume"], ""),
    ("", "silent", False, ["drain"], SETTING_UP),
]
STATEFUL = r"""
file=/rig/state/node answers=$(cat /rig/state/answers)
if [[ $1 == @(show|update) && $2 == node* ]]; then
  [[ $answers != no ]] || exit 1
  [[ $answers != unknown ]] || { echo "Node node-1 not found"; exit 1; }
  case $* in
    show*)
      [[ $answers != registers || $(grep -c ^sleep /rig/calls) -lt 6 ]] ||
        sed -i s/UNKNOWN/IDLE/ $file
      sed -E 's/^([^ ]*) ?(.*)/   State=\1 x=y\n   Reason=\2/' $file
      ;;
    *state=drain*)
      base=IDLE
      [[ $answers == yes ]] || base=UNKNOWN
      echo "$base+DRAIN ${4#reason=}" >$file
      ;;
    *) echo IDLE >$file ;;
  esac
fi
"""


@pytest.mark.parametrize("row", STATES, ids=str)
def test_no_job_begins_on_a_node_before_its_scripts_are_done(
    tmp_path: Path, row: tuple[str, str, bool, list[str], str]
) -> None:
    before, answers, fails, asked, reason = row
    programs = {"scontrol": STATEFUL + rig.SLURM["scontrol"], **(NO_SCRIPT if fails else {})}
    made = node(tmp_path, ("extended", "h200"), programs)
    made.state("node", before)
    made.state("answers", answers)
    run = start(made, "extended")
    updates = [call for call in run.calls if call.startswith("scontrol update")]
    assert [re.findall(r"state=(\w+)", call)[0] for call in updates] == asked
    assert made.read("/rig/state/node").partition(" ")[2].strip() == reason
    assert ("jobs may start" in run.output) is (answers in ("no", "unknown"))
    left = answers in ("no", "silent")
    assert steps(run, "failed") == ["script nodes.sh"] * fails + ["resume"] * left


TYPES = "instance_types: [g6e.48xlarge, g6e.12xlarge, g6e.4xlarge], health_checks: [gpu]"
CURL = """case $* in
  *"-X PUT"*) echo token ;;
  *"token: token"*"/latest/meta-data/instance-type") printf %s "$(cat /rig/state/type)" ;;
esac"""
HARDWARE = [
    # Group, type of the node, its GPUs, its EFA devices, words of the log.
    ("instance_type: p5en.48xlarge, efa: false, health_checks: [gpu]", "", 8, 16, ""),
    (TYPES, "g6e.48xlarge", 8, 4, ""),
    (TYPES, "g6e.12xlarge", 4, 1, ""),
    (TYPES, "ml.g6e.12xlarge", 4, 1, ""),
    (TYPES, "g6e.4xlarge", 1, 0, ""),
    (TYPES, "g6e.12xlarge", 8, 1, "4 accelerators expected, 8 found"),
    (TYPES, "g6e.12xlarge", 4, 4, "1 EFA devices expected, 4 found"),
    (TYPES, "p5.48xlarge", 1, 1, "not compared"),
    (TYPES, "", 1, 1, "not compared"),
]


@pytest.mark.parametrize("mode", ["extended", "kubernetes"])
@pytest.mark.parametrize("row", HARDWARE, ids=str)
def test_a_node_has_what_its_own_type_has(
    tmp_path: Path, mode: Mode, row: tuple[str, str, int, int, str]
) -> None:
    group, type, gpus, efa, words = row
    answers = {"nvidia-smi": f"for n in {{1..{gpus}}}; do echo GPU $n; done", "curl": CURL}
    spec = SPEC.replace("instance_type: p5en.48xlarge", group).replace(", scratch: /scratch", "")
    spec = spec.replace("h200", "own")
    files = filled(lifecycle_of(spec, mode))
    made = Node(tmp_path, "own", files, {"aws": SCRIPT, **answers}, ("own",))
    give_table(made, spec)
    made.efa(efa)
    made.state("mounted", "/opt/dlami/nvme", "/opt/sagemaker")
    made.state("active", *(f"{name}.service" for name in ("containerd", "kubelet", "slurmd")))
    (made.root / "rig/state/type").write_text(type)
    run = start(made, mode)
    assert (run.status == 0, words in run.output) == ("expected" not in words, True), run.output
    verified = made.run("bash", "/tmp/set/verify.sh", "own").output
    assert bool(re.findall(r"WRONG .*(?:accelerators|EFA)", verified)) is bool(words)


@pytest.mark.parametrize("seconds", [100, 200])
def test_a_fabric_manager_that_starts_is_waited_for(tmp_path: Path, seconds: int) -> None:
    slow = f"""
if [[ $* == "is-enabled --quiet nvidia-fabricmanager.service" ]]; then exit 0; fi
if [[ $* == "is-active --quiet nvidia-fabricmanager.service" ]]; then
  (($(grep -c "^sleep 5" /rig/calls) * 5 >= {seconds}))
  exit
fi
"""
    made = node(tmp_path, SLURM_NODE, {"systemctl": slow + rig.ANSWERS["systemctl"]}, CHECKED)
    run = start(made, SLURM_NODE[0])
    assert (run.status == 0) is (seconds == 100)
    assert ("nvidia-fabricmanager is down" in run.output) is (seconds == 200)


LEFT_OUT = [
    # Role, program and what it does instead (None: the image lacks it), step that fails.
    (SLURM_NODE, {"nvidia-smi": "exit 9"}, "health"),
    (("legacy", "login"), {"enroot": None}, "containers"),
    # Without continuous provisioning, one failed node undoes the whole update.
    (("legacy", "h200"), {"nvidia-smi": "echo GPU 0"}, "health"),
    (EKS_NODE, {"modprobe": "exit 1"}, "lustre client"),
    (("extended", "login"), {f"../../{rig.AGENT}": None}, "monitoring"),
]


@pytest.mark.parametrize("mode", ["extended", "kubernetes"])
def test_a_process_in_the_background_does_not_hold_the_node(tmp_path: Path, mode: Mode) -> None:
    """It keeps the streams of the script that started it, for as long as it runs."""
    text = "#!/bin/bash\n/usr/bin/sleep 600 &\necho an agent is started\n"
    made = node(tmp_path, (mode, "h200"), {"aws": downloading(text)})
    for _ in range(2):
        run = succeed(made, mode)
        assert run.output.endswith("lifecycle: all steps are done\n")
    log = made.read("/var/log/clustergen/lifecycle.log")
    assert log.endswith(run.output)
    assert log.count("an agent is started") == 1
    assert log.count("all steps are done") == 2


@pytest.mark.parametrize(("which", "answers", "step"), LEFT_OUT)
def test_a_failed_optional_step_is_only_logged(
    tmp_path: Path, which: Role, answers: dict[str, str | None], step: str
) -> None:
    programs = {name: body for name, body in answers.items() if body}
    made = node(tmp_path, which, programs, CHECKED if which[0] == "legacy" else SPEC)
    for name, body in answers.items():
        if body is None:
            (made.root / "rig/bin" / name).unlink()
    run = succeed(made, which[0])
    assert steps(run, "failed") == [step]
    assert "the node continues without it" in run.output
    assert "some of its steps failed" in run.output
    verified = verify(made)
    assert f"WRONG   every step of the set-up is done, but not, {step}" in verified.output


REPEATED = [
    # Program of the controller and what it does instead, the steps that are left.
    ({"sacctmgr": "exit 1"}, ["accounts"]),
    ({"mount": "exit 32"}, ["mounts", "users"]),
    ({"scontrol": "[[ $1 != show ]]"}, ["slurm settings", "accounts"]),
]


def test_a_user_who_cannot_be_added_is_left_to_the_timer(tmp_path: Path) -> None:
    made = node(tmp_path, AFTER_INIT, {"useradd": "exit 1"})
    made.state("active", "slurmctld.service", "slurmdbd.service")
    run = start(made, "extended")
    assert (run.status, steps(run, "failed")) == (0, []), run.output
    assert "the timer tries again" in run.output


@pytest.mark.parametrize(("answers", "left"), REPEATED, ids=str)
def test_a_step_that_no_daemon_needs_never_costs_the_cluster(
    tmp_path: Path, answers: dict[str, str], left: list[str]
) -> None:
    """It is tried again until it succeeds, also after a reboot, and then the timer ends."""
    made = node(tmp_path, AFTER_INIT, answers)
    made.state("active", "slurmctld.service", "slurmdbd.service")
    places = {name: ("opt/slurm/bin" if name in rig.SLURM else "rig/bin") for name in answers}
    run = succeed(made, "extended")
    assert {*steps(run, "failed"), *steps(run, "waits")} == {*left}
    unfinished = made.root / "var/lib/clustergen/unfinished"
    assert sorted(file.name for file in unfinished.iterdir()) == sorted(left)
    assert "systemctl enable --now clustergen-lifecycle.timer" in run.calls
    verified = verify(made)
    assert verified.status == 1
    assert "WRONG   every step of the set-up is done" in verified.output
    unit = made.read("/etc/systemd/system/clustergen-lifecycle.service")
    command = shlex.split(re.findall("^ExecStart=(.*)", unit, re.M)[0])
    assert steps(made.run(*command)) == []
    for name, place in places.items():
        body = {**rig.ANSWERS, **rig.SLURM}.get(name, 'exec /usr/sbin/useradd "$@"')
        (made.root / place / name).write_text(f"#!/bin/bash\n{body}\n")
    again = made.run(*command)
    assert again.status == 0, again.output
    assert {*steps(again)} == {*left}
    assert not list(unfinished.iterdir())
    assert "systemctl disable --now clustergen-lifecycle.timer" in again.calls
    assert verify(made).status == 0


def test_a_script_of_the_user_fails_a_controller_only_if_the_spec_says_so(tmp_path: Path) -> None:
    run = succeed(node(tmp_path / "1", AFTER_INIT, NO_SCRIPT), "extended")
    assert steps(run, "failed") == ["script nodes.sh"]
    spec = SPEC.replace("args: [--fast]", "args: [--fast], on_failure: stop")
    assert start(node(tmp_path / "2", AFTER_INIT, NO_SCRIPT, spec), "extended").status != 0


def test_a_node_of_an_unknown_group_is_rejected(tmp_path: Path) -> None:
    made = node(tmp_path, LOGIN_NODE)
    (made.root / "rig/address").write_text("10.9.9.9\n", encoding="utf-8")
    run = start(made, "extended")
    assert (run.status != 0, run.calls.count("sleep 5")) == (True, 24)
    assert "step instance group failed" in run.output


def test_an_unknown_group_is_rejected(tmp_path: Path) -> None:
    made = node(tmp_path, LOGIN_NODE)
    config = made.root / "opt/ml/config/resource_config.json"
    config.write_text(config.read_text().replace('"login"', '"other $(touch /home/owned)"'))
    run = start(made, "extended")
    assert run.status != 0
    assert "the instance group other $(touch /home/owned) is not in these scripts" in run.output
    assert not (made.root / "home/owned").exists()


def test_a_configuration_file_elsewhere_is_found(tmp_path: Path) -> None:
    made = node(tmp_path, LOGIN_NODE)
    config = made.root / "opt/ml/config/resource_config.json"
    config.rename(made.root / "home/elsewhere.json")
    place = {"SAGEMAKER_RESOURCE_CONFIG_PATH": "/home/elsewhere.json"}
    run = made.run("bash", "/tmp/set/on_init_complete.sh", environment=place)
    assert run.status == 0, run.output


@pytest.mark.parametrize("role", ["controller", "login", "h200"])
def test_users_have_their_ids_and_the_controller_creates_homes(tmp_path: Path, role: str) -> None:
    made = node(tmp_path, ("extended", role))
    start(made, "extended")
    for name, id in (("alice", 2001), ("bob", 2002)):
        assert f"{name}:x:{id}:{id}::/home/{name}:/bin/bash\n" in made.read("/etc/passwd")
    homes = ["alice", "bob"] if role == "controller" else []
    assert sorted(path.name for path in (made.root / "home").iterdir()) == homes


def test_without_shared_storage_homes_are_on_the_nodes(tmp_path: Path) -> None:
    made = node(tmp_path, COMPUTE_NODE, spec="users: [{name: alice, uid: 2001}]")
    succeed(made, "extended")
    assert made.read("/home/alice/.profile") == "# of the image\n"


def test_a_user_with_another_id_in_the_image_is_left_out(tmp_path: Path) -> None:
    made = node(tmp_path, LOGIN_NODE)
    with (made.root / "etc/passwd").open("a") as stream:
        stream.write("alice:x:1500:1500::/home/alice:/bin/bash\n")
    run = succeed(made, "extended")
    assert "alice has the id 1500 on this node, not 2001" in run.output
    assert "alice:x:1500:1500:" in made.read("/etc/passwd")


def test_existing_mounts_are_kept_and_tested_with_a_write(tmp_path: Path) -> None:
    made = node(tmp_path, LOGIN_NODE)
    made.state("mounted", "/fsx", "/home")
    (made.root / "fsx").mkdir()
    run = succeed(made, "extended")
    assert not any(call.startswith("mount -t") for call in run.calls)
    assert "/fsx" not in made.read("/etc/fstab")
    assert list((made.root / "fsx").iterdir()) == []


def test_a_mount_without_write_access_fails_after_retries(tmp_path: Path) -> None:
    answers = {"touch": '[[ $1 != /fsx/* ]] && exec /usr/bin/touch "$@"'}
    made = node(tmp_path, LOGIN_NODE, answers)
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
NFS = f"{SCRIPT}\nprintf '/vol1\\tNone\\n'"
ANY_STORAGE = {"aws": r'printf "/vol1\tNone\n"', "mount-s3": rig.ANSWERS["mount"]}


def test_every_kind_of_storage(tmp_path: Path) -> None:
    run = succeed(node(tmp_path, LEGACY_NODE, ANY_STORAGE, OTHERS), "legacy")
    mounted = [call for call in run.calls if re.match(r"mount(-s3| -t)", call)]
    assert [re.sub(r" -o [^ ]*", "", call) for call in mounted] == [
        "mount -t nfs svm.ex:/vol1 /lab",
        "mount -t efs value-of-StorageToolsDnsName.example:/ /tools",
        "mount-s3 --region us-east-1 --allow-other --read-only --prefix raw/ corpus /data",
    ]


@pytest.mark.parametrize("role", ["controller", "h200"])
def test_a_node_whose_image_cannot_mount_buckets_works_without(tmp_path: Path, role: str) -> None:
    """HyperPod would start it again and again, and bill it."""
    spec = f"{OTHERS}users: [{{name: alice, uid: 2001}}]"
    made = node(tmp_path, ("extended", role), {"aws": NFS}, spec)
    (made.root / "rig/bin/mount-s3").unlink()
    run = succeed(made, "extended")
    assert {"mounts", "users"} <= set(steps(run))
    assert steps(run, "failed") == ["buckets"]
    programs(made.root / "rig/bin", {"mount-s3": rig.ANSWERS["mount"]})
    script = "/opt/clustergen/lifecycle/on_init_complete.sh"
    assert steps(made.run("bash", script, "again")) == ["buckets"]


def test_buckets_are_mounted_on_every_boot(tmp_path: Path) -> None:
    made = node(tmp_path, LEGACY_NODE, ANY_STORAGE, OTHERS)
    succeed(made, "legacy")
    unit = made.read("/etc/systemd/system/clustergen-mounts.service")
    assert 'ExecStart=/bin/bash /opt/clustergen/boot/mounts.sh "buckets"' in unit
    (made.root / "rig/state/mounted").write_text("")
    run = made.run("/bin/bash", "/opt/clustergen/boot/mounts.sh", "buckets")
    assert run.status == 0, run.output
    mounts = [call.split()[0] for call in run.calls if call.startswith("mount")]
    assert mounts == ["mountpoint", "mount-s3"]


SITE = "# site\nNCCL_DEBUG=INFO\nNCCL_SOCKET_IFNAME = ens\n"
NCCL = [
    # /etc/nccl.conf before, and after.
    ("", ["NCCL_DEBUG=WARN", "NCCL_SOCKET_IFNAME=^docker,lo,veth", "NCCL_TUNER_PLUGIN="]),
    (
        "NCCL_ALGO=Tree\n",
        ["NCCL_ALGO=Tree", "NCCL_DEBUG=WARN", "NCCL_SOCKET_IFNAME=", "NCCL_TUNER"],
    ),
    (SITE, [*SITE.splitlines(), "NCCL_TUNER_PLUGIN="]),
]


@pytest.mark.parametrize(("before", "after"), NCCL)
def test_existing_nccl_settings_are_kept(tmp_path: Path, before: str, after: list[str]) -> None:
    made = node(tmp_path, COMPUTE_NODE)
    conf = made.root / "etc/nccl.conf"
    conf.write_text(before)
    for _ in range(2):
        succeed(made, "extended")
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
    run = succeed(made, "legacy")
    assert run.calls.count("systemctl start slurmd.service") == 3
    assert run.calls.count("sleep 15") == 2


SLURM_CONF = """\
PartitionName=dev Nodes=ALL Default=NO State=UP AllowGroups=root
PartitionName=train Nodes=ip-10-1-0-30 State=UP MaxTime=7-00:00:00 PriorityTier=3\
 PriorityJobFactor=3 OverSubscribe=EXCLUSIVE Default=YES

include clustergen.conf
"""
# The user's settings come last: of two values Slurm takes the last one. Then lists of options,
# with what HyperPod has in them.
CLUSTERGEN_CONF = """\
JobAcctGatherType=jobacct_gather/linux
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=node-1
Prolog=clustergen-prolog.sh
Epilog=clustergen-epilog.sh
PrologEpilogTimeout=60
EnforcePartLimits=ALL
JobRequeue=1
ReturnToService=2
AccountingStorageTRES=gres/gpu
GresTypes=gpu
PrologFlags=DeferBatch
SchedulerParameters=defer,bf_window=1440,nohold_on_prolog_fail
"""


def test_slurm_settings(tmp_path: Path) -> None:
    made = node(tmp_path, SLURM_CONTROLLER)
    succeed(made, "customer-managed")
    lines = SLURM_CONF.splitlines()
    assert made.read("/opt/slurm/etc/slurm.conf").splitlines()[2:] == lines
    assert settings_of(made).splitlines()[1:] == CLUSTERGEN_CONF.splitlines()
    assert made.read("/opt/slurm/etc/cgroup.conf") == "ConstrainDevices=yes\n"


# Role, state of slurmd in the image, whether it is restarted for its limits.
UNITS = [
    *((AFTER_INIT, state, False) for state in ("absent", "masked", "inactive", "active")),
    *((LOGIN_NODE, state, False) for state in ("absent", "masked", "inactive")),
    *((role, "active", True) for role in (LOGIN_NODE, COMPUTE_NODE)),
    *((SLURM_CONTROLLER, state, False) for state in ("absent", "masked")),
]


@pytest.mark.parametrize(("which", "state", "restarted"), UNITS)
def test_slurmd_may_be_absent_masked_or_stopped(
    tmp_path: Path, which: Role, state: str, restarted: bool
) -> None:
    made = node(tmp_path, which)
    if state != "inactive":
        made.state(state, "slurmd.service")
    run = succeed(made, which[0])
    assert ("systemctl restart slurmd.service" in run.calls) is restarted


@pytest.mark.parametrize("state", ["absent", "masked"])
@pytest.mark.parametrize("mode", ["legacy", "customer-managed"])
def test_login_nodes_without_slurmd_query_the_controller(
    tmp_path: Path, mode: Mode, state: str
) -> None:
    made = node(tmp_path, (mode, "login"))
    made.state(state, "slurmd.service")
    run = succeed(made, mode)
    assert "slurmd does not run here; commands query 10.1.0.10" in run.output
    text = made.read("/etc/profile.d/91-clustergen-slurm.sh")
    assert text == "export SLURM_CONF_SERVER=10.1.0.10\n"
    verified = verify(made)
    assert verified.status == 0, verified.output


def test_options_of_hyperpod_are_kept_in_lists(tmp_path: Path) -> None:
    settings = "slurm: {settings: {slurmctldparameters: idle_on_node_suspend, PrologFlags: x11}}"
    made = node(tmp_path, AFTER_INIT, spec=settings)
    conf = made.root / "opt/slurm/etc/slurm.conf"
    (conf.parent / "more.conf").write_text("SchedulerParameters = bf_window=10,bf_continue # a\n")
    conf.write_text(f"SlurmctldParameters=enable_configless\ninclude more.conf\n{conf.read_text()}")
    succeed(made, "extended")
    assert settings_of(made).splitlines()[6:] == [
        "PrologFlags=DeferBatch,x11",
        "SchedulerParameters=bf_window=10,bf_continue,nohold_on_prolog_fail",
        "SlurmctldParameters=idle_on_node_suspend,enable_configless",
    ]


def ours(folder: Path, before: str = "", answers: Mapping[str, str] | None = None) -> str:
    """Our settings on a controller whose slurm.conf begins with these lines."""
    made = node(folder, AFTER_INIT, answers)
    conf = made.root / "opt/slurm/etc/slurm.conf"
    conf.write_text(before + conf.read_text())
    succeed(made, "extended")
    return settings_of(made)


@pytest.mark.parametrize("lines", ["AccountingStorageType=accounting_storage/slurmdbd\n", ""])
def test_gpus_are_counted_with_a_database(tmp_path: Path, lines: str) -> None:
    assert ("AccountingStorageTRES=gres/gpu\n" in ours(tmp_path, lines)) is bool(lines)


OLD_AND_NEW = [
    # Slurm's version, where nodes have the prolog from.
    ("slurm 22.05.8", "/opt/clustergen/lifecycle/prolog.sh"),
    *((version, "clustergen-prolog.sh") for version in ("slurm-wlm 23.11.4", "slurm 25.11.8")),
]


@pytest.mark.parametrize(("version", "path"), OLD_AND_NEW)
def test_the_place_of_the_prolog(tmp_path: Path, version: str, path: str) -> None:
    answers = f'[[ "$*" == "show config" ]] && echo "ClusterName = a" || echo {version} is UP'
    assert f"\nProlog={path}\n" in ours(tmp_path, answers={"scontrol": answers})
    kept = tmp_path / "root/opt/clustergen/lifecycle/prolog.sh"
    assert kept.stat().st_mode & 0o111


REFUSED_SETTINGS = [
    # What Slurm rejects, what is reconfigured how often.
    ('[[ "$*" != "show daemons" ]]', 0),
    ("[[ $1 != reconfigure ]]", 7),
]


@pytest.mark.parametrize(("scontrol", "times"), REFUSED_SETTINGS)
def test_files_stay_if_slurm_rejects_settings(tmp_path: Path, scontrol: str, times: int) -> None:
    answer = f"{scontrol} || exit 1\n{rig.SLURM['scontrol']}"
    made = node(tmp_path, AFTER_INIT, {"scontrol": answer})
    made.state("active", "slurmctld.service")
    etc = made.root / "opt/slurm/etc"
    before = {path.name: path.read_bytes() for path in etc.iterdir()}
    run = succeed(made, "extended")
    assert "step slurm settings failed" in run.output
    assert "/opt/slurm/etc is unchanged" in run.output
    assert {path.name: path.read_bytes() for path in etc.iterdir()} == before
    assert run.calls.count("scontrol reconfigure") == times


def test_prolog_and_accounting_of_the_image_are_kept(tmp_path: Path) -> None:
    settings = ours(tmp_path, "Prolog=/opt/slurm/etc/image.sh\n")
    assert not re.search("Prolog|AccountingStorage", settings)


def test_settings_are_restored_when_hyperpod_rewrites_slurm_conf(tmp_path: Path) -> None:
    made = node(tmp_path, AFTER_INIT)
    conf = made.root / "opt/slurm/etc/slurm.conf"
    before = conf.read_text()
    succeed(made, "extended")
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


REWRITES = [
    # What HyperPod does while slurmctld first reads its files, whether slurmctld accepts any
    # settings, how often it reads them.
    ("sed -i -e '$a NodeName=new' -e '/^include/d' $conf", 0, 2),
    ("sed -i '$a NodeName=new' $conf", 1, 7),
]


@pytest.mark.parametrize(("written", "status", "times"), REWRITES)
def test_what_hyperpod_writes_meanwhile_is_kept(
    tmp_path: Path, written: str, status: int, times: int
) -> None:
    answer = f"""conf=/opt/slurm/etc/slurm.conf
if [[ $1 == reconfigure ]]; then grep -q new $conf || {written}; exit {status}; fi\n"""
    made = node(tmp_path, AFTER_INIT, {"scontrol": answer + rig.SLURM["scontrol"]})
    made.state("active", "slurmctld.service")
    run = start(made, "extended")
    assert run.calls.count("scontrol reconfigure") == times
    lines = made.read("/opt/slurm/etc/slurm.conf").splitlines()
    assert {"NodeName=new", "include clustergen.conf"} <= {*lines}
    assert bool(made.read("/opt/slurm/etc/clustergen.conf")) is not bool(status)
    for unit in ("path", "timer"):
        assert f"systemctl enable --now clustergen-slurm-settings.{unit}" in run.calls


def test_a_running_slurmctld_is_reconfigured_once(tmp_path: Path) -> None:
    made = node(tmp_path, AFTER_INIT)
    made.state("active", "slurmctld.service")
    for times in (1, 0):
        assert start(made, "extended").calls.count("scontrol reconfigure") == times


USERS_OF_SECRETS = [
    # More of the secret, more of the spec, who logs in.
    ("", "", "slurm"),
    (', "username": "admin"', "", "admin"),
    (', "username": "admin"', "user: clusters, ", "clusters"),
]


@pytest.mark.parametrize(("more", "given", "user"), USERS_OF_SECRETS)
def test_an_external_database_of_jobs(tmp_path: Path, more: str, given: str, user: str) -> None:
    arn = "arn:aws:secretsmanager:us-east-1:111122223333:secret:x"
    elsewhere = f"accounting: {{{given}endpoint: db.example, secret: '{arn}'}}"
    spec = SPEC.replace("accounting: managed", elsewhere)
    text = f'{{"password": "p$(x) \\"y"{more}}}'
    secret = f"[[ $1 != secretsmanager ]] || echo '{text}'\n{SCRIPT}"
    made = node(tmp_path, SLURM_CONTROLLER, {"aws": secret}, spec)
    run = succeed(made, "customer-managed")
    conf = made.root / "opt/slurm/etc/slurmdbd.conf"
    assert "StorageHost=db.example\n" in conf.read_text()
    assert f"StorageUser={user}\n" in conf.read_text()
    assert conf.read_text().endswith('StoragePass=p$(x) "y\n')
    assert conf.stat().st_mode & 0o777 == 0o600
    assert "p$(x)" not in run.output


HOSTILE = "a  b'\"$(touch /home/owned)`touch /home/owned`;|\n# c\\"


def test_hostile_text_is_quoted(tmp_path: Path) -> None:
    key = "ssh-ed25519 AAAA '\"$(touch /home/owned)`id` \\\\n"
    script = {"run": "s3://setup/$(touch${IFS}/home/owned)'.sh", "args": [HOSTILE, "", "-n"]}
    user = {"name": "alice", "uid": 2001, "ssh_key": key}
    spec = json.dumps({"users": [user], "software": {"scripts": [script]}})
    for which in (AFTER_INIT, LEGACY_NODE, EKS_NODE):
        made = node(tmp_path / "-".join(which), which, spec=spec)
        succeed(made, which[0])
        assert made.read("/rig/state/arguments").split("\0")[:-1] == [HOSTILE, "", "-n"]
        assert not (made.root / "home/owned").exists()
        if which[1] == "controller":
            assert made.read("/home/alice/.ssh/authorized_keys") == f"{key}\n"


@pytest.mark.parametrize(("text", "status"), [(TEXT, 0), ("another script", 1)])
def test_a_script_is_run_only_with_its_checksum(tmp_path: Path, text: str, status: int) -> None:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    spec = f"software: {{scripts: [{{run: s3://setup/x.sh, sha256: {sha256}, args: [a]}}]}}"
    made = node(tmp_path, COMPUTE_NODE, spec=spec)
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
    succeed(made, "customer-managed")
    for name, body in broken.items():
        place = "opt/slurm/bin" if name in rig.SLURM else "rig/bin"
        (made.root / place / name).write_text(f"#!/bin/bash\n{body}\n")
    run = verify(made)
    assert (run.status, words in run.output) == (1 if broken else 0, True), run.output


TOPOLOGY = """\
ClusterName=example
SlurmctldHost=ip-10-1-0-10
TopologyPlugin=topology/tree
PartitionName=dev Nodes=ALL Default=YES State=UP
PartitionName=train Nodes=ip-10-1-0-30 State=UP Topology=tree
"""
REAL = "- topology: tree\n  tree:\n    switches: [{switch: a, nodes: ip-10-1-0-30}]\n"
TOPOLOGIES = [
    ({"topology.conf": "", "topology.yaml": "[]\n"}, False),
    ({"topology.conf": "# none\n", "topology.yaml": "---\n[ ]\n"}, False),
    ({}, False),
    ({"topology.conf": "SwitchName=a Nodes=ip-10-1-0-30\n"}, True),
    ({"topology.yaml": REAL}, True),
]


@pytest.mark.parametrize(("files", "real"), TOPOLOGIES)
def test_slurm_gets_no_empty_topology(tmp_path: Path, files: dict[str, str], real: bool) -> None:
    made = node(tmp_path, AFTER_INIT)
    etc = made.root / "opt/slurm/etc"
    (etc / "slurm.conf").write_text(TOPOLOGY)
    for name, text in files.items():
        (etc / name).write_text(text)
    for _ in range(2):
        run = made.run("bash", "/tmp/set/slurm-settings.sh")
        assert run.status == 0, run.output
        active = re.sub("^#.*$", "", (etc / "slurm.conf").read_text(), flags=re.MULTILINE)
        assert ("Topology=tree" in active, "TopologyPlugin" in active) == (real, real)
        assert "PartitionName=train Nodes=ip-10-1-0-30 State=UP" in active
        assert {path.name for path in etc.glob("topology.*")} == (set(files) if real else set())


def test_a_topology_that_comes_later_is_used(tmp_path: Path) -> None:
    made = node(tmp_path, AFTER_INIT)
    etc = made.root / "opt/slurm/etc"
    (etc / "slurm.conf").write_text(TOPOLOGY)
    (etc / "topology.yaml").write_text("[]\n")
    for text in ("[]\n", REAL):
        (etc / "topology.yaml").write_text(text)
        assert made.run("bash", "/tmp/set/slurm-settings.sh").status == 0
    lines = (etc / "slurm.conf").read_text().splitlines()
    assert "TopologyPlugin=topology/tree" in lines
    assert [line.count("Topology=tree") for line in lines if "PartitionName=train" in line] == [1]
    assert not [line for line in lines if "without" in line]


@pytest.mark.parametrize(("found", "drained"), [(8, False), (7, True)])
def test_the_prolog(tmp_path: Path, found: int, drained: bool) -> None:
    """On a node that was made with eight GPUs."""
    gpus = f'for ((n = 0; n < {found}; n++)); do echo "GPU $n: x"; done'
    made = node(tmp_path, AFTER_INIT, {"nvidia-smi": gpus})
    start(made, "extended")
    (made.root / "etc/clustergen").mkdir(exist_ok=True)
    (made.root / "etc/clustergen/accelerators").write_text("gpu 8\n")
    folders = [
        made.root / f"run/{name}" for name in ("slurm/dcgm_job_mapping", "clustergen/gpu-jobs")
    ]
    for folder in folders:
        folder.mkdir(parents=True)
    job = {"SLURM_JOB_GPUS": "0,1", "SLURM_JOB_ID": "77", "SLURMD_NODENAME": "n1"}
    run = made.run("bash", "/opt/slurm/etc/clustergen-prolog.sh", environment=job)
    assert run.status == int(drained), run.output
    assert any("state=drain" in call for call in run.calls) is drained
    mapped = [folder / "0" for folder in folders]
    assert [one.exists() for one in mapped] == [not drained] * 2
    ended = made.run("bash", "/opt/slurm/etc/clustergen-epilog.sh", environment=job)
    assert (ended.status, [one.exists() for one in mapped]) == (0, [False] * 2)


@pytest.mark.parametrize("mode", ["extended", "customer-managed", "legacy"])
def test_the_exporter_reads_the_jobs_where_the_prolog_writes_them(mode: Mode) -> None:
    scripts = filled(lifecycle_of(SPEC, mode))
    [folder] = re.findall(r"--volume (\S+):/jobs:ro", scripts["monitoring.sh"])
    # With mode: api, the prolog can be that of HyperPod's image.
    assert (folder == "/run/slurm/dcgm-job-mapping") is (mode == "extended")
    for name in ("prolog.sh", "epilog.sh"):
        [folders] = re.findall(r"for folder in (.+); do", scripts[name])
        assert folder in folders.split()


EFA_LUSTRE = (
    "storage: [{mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}]"
)
NETWORKS = """case "$*" in
  "net add --net efa"*) echo "nid: 10.1.0.30@efa" >>/rig/state/units ;;
  "net show") cat /rig/state/units ;;
esac"""
# Role, whether Lustre's network is set up for EFA.
EFA_NODES = [
    *((role, True) for role in (SLURM_NODE, LEGACY_NODE, COMPUTE_NODE, EKS_NODE)),
    *((role, False) for role in (("legacy", "controller"), AFTER_INIT)),
]


@pytest.mark.parametrize(("which", "expected"), EFA_NODES)
def test_lustre_over_efa_comes_before_mounts(tmp_path: Path, which: Role, expected: bool) -> None:
    route = 'echo "169.254.169.254 dev ens32 src 10.1.0.30 uid 0"'
    made = node(tmp_path, which, {"lnetctl": NETWORKS, "ip": route}, EFA_LUSTRE)
    run = succeed(made, which[0])
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
