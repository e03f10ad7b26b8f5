"""Nodes of each Slurm service boot, are rebooted and replaced; users find what they need."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clustergen.base.shell import render
from tests.services.slurm.services import HyperPod, ParallelCluster, Pcs
from tests.support import systemd_node
from tests.support.scripts import programs
from tests.support.systemd_node import Disks, SystemdNode
from tests.support.tiers import needs

pytestmark = [needs(systemd_node.impossible), pytest.mark.sampled(2)]

SPEC = """
head_node: {instance_type: m7i.4xlarge}
login: {instance_type: m7i.xlarge}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2, scratch: /scratch}]
queues: [{name: train, node_groups: [h200]}]
storage:
  - {mount: /fsx, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}
  - {mount: /home, type: fsx-openzfs, size: 1024GiB, throughput: 320}
  - {mount: /shared, type: efs}
software: {containers: pyxis}
users:
  - {name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA of-alice}
  - {name: bob, uid: 2002}
"""
Service = Pcs | ParallelCluster | HyperPod
SERVICES: dict[str, Callable[[str, str], Service]] = {
    "pcs": Pcs,
    "parallelcluster": ParallelCluster,
    "hyperpod": HyperPod,
    "hyperpod-legacy": functools.partial(HyperPod, mode="legacy"),
}
# What users do, whichever node they are on.
USERS = """
for user in ubuntu alice; do
  as $user bash -c 'cat ~/.ssh/authorized_keys && for place in ~ /fsx /shared; do
    mkdir -p $place/from-'$user' && echo 1 >$place/from-'$user'/file; done' && echo "$user works"
done
echo "alice in bob's: $(as alice touch /fsx/from-bob/x 2>&1 | wc -l)"
"""
# What jobs find on a compute node.
JOBS = """
as alice touch /scratch/file && echo "scratch is $(findmnt -no FSTYPE /scratch)"
echo "slurmd: $(grep -o ' /scratch ' /run/rig/at-slurmd) $(grep -c enroot/cache /run/rig/at-slurmd)"
as alice bash -c 'while read -r key value; do [[ $key != ENROOT_*_PATH ]] || eval echo "$value"
done </etc/enroot/enroot.conf' | xargs --max-args 1 stat -c '%A %U %n'
stat /fsx/. >/dev/null
grep '^lustre' /run/rig/mounts | sort -u
cat /run/rig/ipif
# Units in /usr are this machine's, and may fail for reasons of its own.
for unit in $(systemctl --no-pager --plain --no-legend --failed | cut -d ' ' -f 1); do
  [[ $(systemctl show -P FragmentPath "$unit") =~ ^(/usr)?/lib/ ]] || echo "$unit failed"
done
"""
WORKS = ("ubuntu works", "alice works", "AAAA of-the-image", "AAAA of-alice")
READY = ("scratch is tmpfs", "slurmd:  /scratch  ", "lustre /fsx efa", "ipif_name=ens32")
# HyperPod itself looks after containers, but in legacy mode.
CONTAINERS = (
    "slurmd:  /scratch  1",
    "drwx------ alice /run/enroot/user-2001",
    "/enroot/cache/user-2001",
    "drwxrwxrwt root",
)


def node_of(
    name: str, role: str, folder: Path, spec: str = SPEC, **more: Any
) -> tuple[SystemdNode, Service]:
    """A node of a service, in a folder beside the file servers."""
    service = SERVICES[name](spec, role)
    node = SystemdNode(folder, folder.parent / "servers", **more)
    service.prepare(node)
    return node, service


def controller(name: str, tmp_path: Path) -> None:
    """Brings up the node that makes the homes of all, where one does."""
    if name == "pcs":
        return
    role = "head" if name == "parallelcluster" else "controller"
    node, service = node_of(name.partition("-")[0], role, tmp_path / "head")
    for steps in (service.first(), service.again()):
        node.boot(steps + USERS).works(*WORKS)


@pytest.mark.parametrize("name", SERVICES)
def test_a_compute_node_from_first_boot_to_replacement(name: str, tmp_path: Path) -> None:
    controller(name, tmp_path)
    ready = READY if name == "hyperpod" else (*READY, *CONTAINERS)
    late: dict[str, Any] = {"disks": "late", "network_seconds": 0.5}
    for instance, more in (("first", {}), ("second", late)):
        node, service = node_of(name, "compute", tmp_path / instance, **more)
        for steps in (service.first(), service.later()):
            node.boot(steps + USERS + JOBS).works(*WORKS, *ready)


@pytest.mark.parametrize("name", ["pcs", "parallelcluster", "hyperpod"])
def test_a_login_node_runs_twice_and_is_rebooted(name: str, tmp_path: Path) -> None:
    controller(name, tmp_path)
    node, service = node_of(name, "login", tmp_path / "login", disks="absent")
    for steps in (service.first() + service.again(), service.later()):
        node.boot(steps + USERS).works(*WORKS)


# The table of users without bob, and with carol; then one that was cut off.
CHANGED = """
cd /rig/bucket/clusters/example
for table in *-users.tsv; do sed -i 's/^bob 2002 -$/carol 2003 -/' $table; done
bash /opt/clustergen/users/users.sh run
as carol true && echo "carol works"
expires() { getent shadow "$1" | cut -d : -f 8; }
echo "bob ends on day $(expires bob), alice on$(expires alice)"
ls -d /home/bob
for table in *-users.tsv; do sed -i '$d' $table; done
bash /opt/clustergen/users/users.sh run && id alice && systemctl is-enabled clustergen-users.timer
"""


def test_users_come_and_go_on_a_node_that_runs(tmp_path: Path) -> None:
    node, service = node_of("pcs", "compute", tmp_path / "node")
    expected = ("carol works", "bob ends on day 1, alice on\n", "/home/bob", "enabled")
    node.boot(service.first() + CHANGED).works(*expected)
    # After a reboot, nothing of it is lost, and the table of the bucket is no table.
    node.boot(service.later() + "id carol\n" + USERS).works("uid=2003(carol)", "alice works")


@pytest.mark.parametrize("name", ["pcs", "hyperpod"])
@pytest.mark.parametrize("disks", ["absent", "masked", "inactive"])
def test_scratch_fails_at_once_without_disks(name: str, disks: Disks, tmp_path: Path) -> None:
    """Free disks would be taken instead, and there are none; nothing lands on the root volume."""
    node, service = node_of(name, "compute", tmp_path / "node", disks=disks)
    boot = node.boot(f"({service.first()})\nas ubuntu touch /scratch/x || echo refused")
    assert "scratch: the instance has no local NVMe" in boot
    assert "refused" in boot
    assert ("failed scratch" in boot) or ("step scratch failed with status 1" in boot)


@pytest.mark.parametrize("name", ["pcs", "parallelcluster", "hyperpod"])
def test_lustre_over_tcp_is_reported_at_each_boot(name: str, tmp_path: Path) -> None:
    node, service = node_of(name, "compute", tmp_path / "node")
    node.write("rig/no-efa-client", "")
    ask = (
        "stat /fsx/. >/dev/null; grep '^lustre' /run/rig/mounts | sort -u\n"
        "systemctl is-failed clustergen-lustre-efa\n"
    )
    first = node.boot(service.first() + ask)
    assert "lustre-efa: Lustre stays on TCP" in first, first.output
    assert "lustre /fsx tcp" in first, first.output
    later = node.boot(service.later() + ask)
    assert "lustre /fsx tcp" in later, later.output
    assert "\nfailed\n" in f"\n{later.output}", later.output


def test_the_network_of_mounted_lustre_is_not_changed(tmp_path: Path) -> None:
    node, _ = node_of("pcs", "compute", tmp_path / "node")
    mount = "mkdir -p /fsx && mount -t lustre fs@tcp:/x /fsx\n"
    boot = node.boot(f"{mount}bash /rig/scripts/lustre-efa.sh 8; cat /run/rig/lnet\n")
    assert "a Lustre file system is mounted already" in boot
    assert "@efa" not in boot


FSX = "existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}"
EXISTING = f"""
storage:
  - {{mount: /fsx, type: fsx-lustre, {FSX}}}
  - mount: /new
    type: fsx-lustre
    size: 1200GiB
    data_repositories:
      - {{path: /data, s3: s3://training-data/data, import: [new]}}
      - {{path: /results/run, s3: s3://training-data/results, export: [new]}}
      - {{path: /link, s3: s3://training-data/link, export: [new]}}
      - {{path: /absent, s3: s3://training-data/absent, export: [new]}}
users: [{{name: alice, uid: 2001}}]
"""
MODES = "stat -c '%n %U %a' /fsx /new /home\n"
LINKED = "stat -c '%n %a' /new/data /new/results /new/results/run /opt/theirs\n"


@pytest.mark.parametrize("name", ["pcs", "hyperpod"])
def test_only_new_file_systems_are_opened_and_only_once(name: str, tmp_path: Path) -> None:
    node, service = node_of(name, "compute", tmp_path / "node", EXISTING)
    boot = node.boot(service.first() + MODES + "chmod 0750 /new\n" + service.again() + MODES)
    assert "/fsx root 755\n/new root 1777\n/home root 755\n" in boot, boot.output
    assert "/fsx root 755\n/new root 750\n" in boot, boot.output


@pytest.mark.parametrize("name", ["pcs", "hyperpod"])
def test_users_write_where_results_are_exported(name: str, tmp_path: Path) -> None:
    node, service = node_of(name, "compute", tmp_path / "node", EXISTING)
    linked = "mkdir -p /new/data /new/results/run /opt/theirs && ln -s /opt/theirs /new/link\n"
    boot = node.boot(service.first() + linked + service.again() + LINKED)
    modes = "/new/data 755\n/new/results 755\n/new/results/run 1777\n/opt/theirs 755\n"
    assert modes in boot, boot.output


HOMES_ON_FSX = """
storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]
users: [{name: alice, uid: 2001}]
"""


@pytest.mark.parametrize(("name", "role"), [("pcs", "compute"), ("hyperpod", "controller")])
def test_homes_are_on_shared_storage(name: str, role: str, tmp_path: Path) -> None:
    spec = f"{HOMES_ON_FSX}head_node: {{instance_type: m7i.4xlarge}}"
    node, service = node_of(name, role, tmp_path / "node", spec)
    assert "/fsx/home/alice" in node.boot(service.first() + "as alice pwd")


DOCKER = SPEC.replace("containers: pyxis", "containers: docker")


@pytest.mark.parametrize("name", ["pcs", "parallelcluster", "hyperpod-legacy"])
def test_users_may_use_docker_which_keeps_images_on_local_disks(name: str, tmp_path: Path) -> None:
    controller(name, tmp_path)
    node, service = node_of(name, "compute", tmp_path / "node", DOCKER)
    node.write("etc/docker/daemon.json", '{"runtimes": {"nvidia": {"path": "x"}}}')
    ask = "id -nG alice; id -nG ubuntu; cat /etc/docker/daemon.json; cat /run/rig/at-docker\n"
    first = node.boot(service.first() + ask)
    for words in ("alice docker", "ubuntu docker", '"nvidia"'):
        assert words in first, first.output
    printed = node.boot(service.later() + ask).output
    root = "/opt/dlami/nvme/docker" if name == "hyperpod-legacy" else "/scratch/docker"
    assert f'"data-root": "{root}"' in printed, printed
    # It is there when Docker starts, for that makes what it misses on the root volume.
    at_docker = printed.partition("at-docker")[0].partition("data-root")[2]
    assert f"{root}\n" in at_docker, printed


@pytest.mark.parametrize(("sent", "answer"), [(1000, "yes"), (0, "no")])
def test_verify_sees_whether_lustre_moves_over_efa(sent: int, answer: str, tmp_path: Path) -> None:
    """By what LNet has sent over EFA after a write."""
    node = SystemdNode(tmp_path / "node", tmp_path / "servers")
    node.write("rig/traffic", render("shared/lustre-traffic.sh.j2"))
    programs(node.root / "rig/bin", {"dd": f"echo {sent} >/run/rig/sent"})
    boot = node.boot(
        "echo '- nid: x@efa' >/run/rig/lnet\n. /rig/traffic\n"
        "if moves_over_efa /tmp; then echo yes; else echo no; fi"
    )
    assert boot.output == f"{answer}\nstatus 0\n"


def test_compute_nodes_verify_lustre_over_efa() -> None:
    for service in (Pcs(SPEC, "compute"), ParallelCluster(SPEC, "compute"), HyperPod(SPEC, "h200")):
        assert "lustre_efa /fsx\n" in service.files["verify.sh"]
