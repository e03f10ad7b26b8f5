"""Nodes of each Slurm service boot, are rebooted and replaced; users find what they need."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from clustergen.shell import render
from tests.slurm.services import HyperPod, ParallelCluster, Pcs
from tests.support import systemd_node
from tests.support.systemd_node import Boot, Disks, SystemdNode

pytestmark = pytest.mark.skipif(bool(systemd_node.impossible()), reason=systemd_node.impossible())

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
COMPUTE = list(SERVICES)
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
as alice mkdir -p /run/enroot/user-2001 && echo "runtime folder"
stat /fsx/. >/dev/null
grep '^lustre' /run/rig/mounts | sort -u
cat /run/rig/ipif
systemctl --no-pager --plain --no-legend --failed
"""
WORKS = ("ubuntu works", "alice works", "AAAA of-the-image", "AAAA of-alice")
READY = ("scratch is tmpfs", "slurmd:  /scratch  ", "lustre /fsx efa", "ipif_name=ens32")
# HyperPod itself looks after containers, but in legacy mode.
CONTAINERS = ("slurmd:  /scratch  1", "runtime folder")


def made(service: Service, node: SystemdNode) -> SystemdNode:
    service.prepare(node)
    return node


def check(boot: Boot, *expected: str) -> None:
    for text in (*expected, "status 0"):
        assert text in boot, f"{text!r} is not in:\n{boot.output}\n{boot.journal[-3000:]}"
    assert "failed" not in boot, boot.output
    assert ".service loaded failed" not in boot.output


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The file servers, in which HyperPod's controller or the head node has been already."""
    return tmp_path / "servers"


def controller(name: str, tmp_path: Path, shared: Path) -> None:
    """Brings up the node that makes the homes of all, where one does."""
    if name == "pcs":
        return
    pc = name == "parallelcluster"
    service = ParallelCluster(SPEC, "head") if pc else HyperPod(SPEC, "controller")
    node = made(service, SystemdNode(tmp_path / "head", shared))
    check(node.boot(service.first() + USERS), *WORKS)
    check(node.boot(service.again() + USERS), *WORKS)


@pytest.mark.parametrize("name", COMPUTE)
def test_a_compute_node_from_first_boot_to_replacement(
    name: str, tmp_path: Path, shared: Path
) -> None:
    controller(name, tmp_path, shared)
    service = SERVICES[name](SPEC, "compute")
    ready = READY if name == "hyperpod" else (*READY, *CONTAINERS)
    node = made(service, SystemdNode(tmp_path / "first", shared))
    check(node.boot(service.first() + USERS + JOBS), *WORKS, *ready)
    check(node.boot(service.later() + USERS + JOBS), *WORKS, *ready)
    new = made(service, SystemdNode(tmp_path / "second", shared, disks="late", network_seconds=0.5))
    check(new.boot(service.first() + USERS + JOBS), *WORKS, *ready)
    check(new.boot(service.later() + USERS + JOBS), *WORKS, *ready)


LOGIN = ["pcs", "parallelcluster", "hyperpod"]


@pytest.mark.parametrize("name", LOGIN)
def test_a_login_node_runs_twice_and_is_rebooted(name: str, tmp_path: Path, shared: Path) -> None:
    controller(name, tmp_path, shared)
    service = SERVICES[name](SPEC, "login")
    node = made(service, SystemdNode(tmp_path / "login", shared, disks="absent"))
    check(node.boot(service.first() + service.again() + USERS), *WORKS)
    check(node.boot(service.later() + USERS), *WORKS)


VARIANTS: list[Disks] = ["absent", "masked", "inactive"]


@pytest.mark.parametrize("name", ["pcs", "hyperpod"])
@pytest.mark.parametrize("disks", VARIANTS)
def test_scratch_without_the_disks_of_the_image_fails_at_once(
    name: str, disks: Disks, tmp_path: Path, shared: Path
) -> None:
    """Free disks would be taken instead, and there are none; nothing lands on the root volume."""
    service = SERVICES[name](SPEC, "compute")
    node = made(service, SystemdNode(tmp_path / "node", shared, disks=disks))
    boot = node.boot(f"({service.first()})\nas ubuntu touch /scratch/x || echo refused")
    assert "scratch: the instance has no local NVMe" in boot
    assert "refused" in boot
    assert ("failed scratch" in boot) or ("step scratch failed with status 1" in boot)


@pytest.mark.parametrize("name", ["pcs", "parallelcluster", "hyperpod"])
def test_lustre_over_tcp_is_reported_at_each_boot(name: str, tmp_path: Path, shared: Path) -> None:
    service = SERVICES[name](SPEC, "compute")
    node = made(service, SystemdNode(tmp_path / "node", shared))
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


def test_the_network_of_mounted_lustre_is_not_changed(tmp_path: Path, shared: Path) -> None:
    service = Pcs(SPEC, "compute")
    node = made(service, SystemdNode(tmp_path / "node", shared))
    mount = "mkdir -p /fsx && mount -t lustre fs@tcp:/x /fsx\n"
    run = "bash /rig/scripts/lustre-efa.sh 8; cat /run/rig/lnet\n"
    boot = node.boot(mount + run)
    assert "a Lustre file system is mounted already" in boot
    assert "@efa" not in boot


EXISTING = """
storage:
  - mount: /fsx
    type: fsx-lustre
    existing: {id: fs-0123456789abcdef0, mount_name: abcdefgh}
  - {mount: /new, type: fsx-lustre, size: 1200GiB}
users: [{name: alice, uid: 2001}]
"""
MODES = "stat -c '%n %U %a' /fsx /new /home\n"


@pytest.mark.parametrize("name", ["pcs", "hyperpod"])
def test_only_new_file_systems_are_opened_and_only_once(
    name: str, tmp_path: Path, shared: Path
) -> None:
    service = SERVICES[name](EXISTING, "compute")
    node = made(service, SystemdNode(tmp_path / "node", shared))
    boot = node.boot(service.first() + MODES + "chmod 0750 /new\n" + service.again() + MODES)
    assert "/fsx root 755\n/new root 1777\n/home root 755\n" in boot, boot.output
    assert "/fsx root 755\n/new root 750\n" in boot, boot.output


HOMES_ON_FSX = """
storage: [{mount: /fsx, type: fsx-lustre, size: 1200GiB}]
users: [{name: alice, uid: 2001}]
"""


@pytest.mark.parametrize("name", ["pcs", "hyperpod"])
def test_homes_are_on_shared_storage(name: str, tmp_path: Path, shared: Path) -> None:
    role = "compute" if name == "pcs" else "controller"
    spec = f"{HOMES_ON_FSX}head_node: {{instance_type: m7i.4xlarge}}"
    service = SERVICES[name](spec, role)
    node = made(service, SystemdNode(tmp_path / "node", shared))
    assert "/fsx/home/alice" in node.boot(service.first() + "as alice pwd")


DOCKER = SPEC.replace("containers: pyxis", "containers: docker")


@pytest.mark.parametrize("name", ["pcs", "parallelcluster", "hyperpod-legacy"])
def test_users_may_use_docker_which_keeps_images_on_local_disks(
    name: str, tmp_path: Path, shared: Path
) -> None:
    if name != "pcs":
        controller(name, tmp_path, shared)
    service = SERVICES.get(name, Pcs)(DOCKER, "compute")
    node = made(service, SystemdNode(tmp_path / "node", shared))
    node.write("etc/docker/daemon.json", '{"runtimes": {"nvidia": {"path": "x"}}}')
    ask = "id -nG alice; id -nG ubuntu; cat /etc/docker/daemon.json; cat /run/rig/at-docker\n"
    first = node.boot(service.first() + ask)
    assert "alice docker" in first, first.output
    assert "ubuntu docker" in first, first.output
    assert '"nvidia"' in first
    later = node.boot(service.later() + ask)
    root = "/opt/dlami/nvme/docker" if name == "hyperpod-legacy" else "/scratch/docker"
    assert f'"data-root": "{root}"' in later, later.output
    # It is there when Docker starts, for that makes what it misses on the root volume.
    assert f"{root}\n" in later.output.partition("at-docker")[0].partition("data-root")[2], (
        later.output
    )


TRAFFIC = [
    # What LNet has sent over EFA after the write, exit status of the check.
    (1000, "yes"),
    (0, "no"),
]


@pytest.mark.parametrize(("sent", "answer"), TRAFFIC)
def test_verify_sees_whether_lustre_moves_over_efa(
    sent: int, answer: str, tmp_path: Path, shared: Path
) -> None:
    node = SystemdNode(tmp_path / "node", shared)
    node.write("rig/traffic", render("shared/lustre-traffic.sh.j2"))
    node.write("rig/bin/dd", f"#!/bin/bash\necho {sent} >/run/rig/sent\n")
    (node.root / "rig/bin/dd").chmod(0o755)
    boot = node.boot(
        "echo '- nid: x@efa' >/run/rig/lnet\n. /rig/traffic\n"
        "if moves_over_efa /tmp; then echo yes; else echo no; fi"
    )
    assert boot.output == f"{answer}\nstatus 0\n"


def test_compute_nodes_verify_lustre_over_efa() -> None:
    for service in (Pcs(SPEC, "compute"), ParallelCluster(SPEC, "compute"), HyperPod(SPEC, "h200")):
        assert "lustre_efa /fsx\n" in service.files["verify.sh"]
