"""Nodes that join a Slurm cluster of others: first boot, reboot and replacement; its users."""

from pathlib import Path

import pytest

from tests.services.hyperpod.test_existing_cluster import JOINED, NETWORK
from tests.services.slurm.services import HyperPod
from tests.support import systemd_node
from tests.support.systemd_node import SystemdNode
from tests.support.tiers import needs

pytestmark = needs(systemd_node.impossible)

FSX = "fs-0a1b2c3d4e5f67890.fsx.us-east-1.amazonaws.com@tcp:/abcdefgh"
OF_FSX = "{id: fs-0a1b2c3d4e5f67890, mount_name: abcdefgh}"
SPEC = f"""
{NETWORK}
storage: [{{mount: /fsx, type: fsx-lustre, existing: {OF_FSX}}}]
users:
  - {{name: alice, uid: 2001, ssh_key: ssh-ed25519 AAAA of-alice}}
  - {{name: bob, uid: 2002, ssh_key: ssh-ed25519 AAAA of-bob}}
targets: {{hyperpod-slurm: {{{JOINED}}}}}
"""
ON_OPENZFS = SPEC.replace(
    "]\nusers", ", {mount: /home, type: fsx-openzfs, existing: {id: fs-0a1b2c3d4e5f67891}}]\nusers"
)
MOUNTED = f"mkdir -p /fsx && mount -t lustre {FSX} /fsx || exit 1\n"
# As AWS's own scripts do: homes at the root of the file system, with keys of their own.
OWNER = f"""{MOUNTED}
useradd --uid 2001 --create-home --home-dir /fsx/alice alice
install -d -m 700 -o 2001 -g 2001 /fsx/alice/.ssh
install -m 600 -o 2001 -g 2001 <(echo "ssh-rsa AAAA of-the-owner") /fsx/alice/.ssh/authorized_keys
echo 1 >/fsx/alice/results && chown 2001:2001 /fsx/alice/results
"""
LOGIN = """
for user in alice bob; do
  as $user bash -c 'cat ~/.ssh/authorized_keys && touch ~/new && echo "'$user' is in $(pwd)"'
done
cat /fsx/alice/results
stat -c '%n is %u %a' /fsx /fsx/alice
"""
STATE = "cat /etc/passwd /etc/fstab; find /fsx -printf '%p %U %m %s\\n' | sort\n"


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The file system, on which the owner's scripts made a home for alice alone."""
    owner = SystemdNode(tmp_path / "owner", tmp_path / "servers")
    assert "status 0" in owner.boot(OWNER)
    return tmp_path / "servers"


def added(folder: Path, shared: Path, spec: str = SPEC) -> tuple[SystemdNode, HyperPod]:
    """A node of the added group."""
    service, node = HyperPod(spec, "compute"), SystemdNode(folder, shared)
    service.prepare(node)
    return node, service


WORKS = (
    "ssh-rsa AAAA of-the-owner\nssh-ed25519 AAAA of-alice\nalice is in /fsx/alice",
    "ssh-ed25519 AAAA of-bob\nbob is in /fsx/bob",
    "\n1\n",
    "/fsx is 0 755\n/fsx/alice is 2001 ",
)


@pytest.mark.parametrize("mounted_by", ["scripts", "hyperpod"])
def test_homes_stay_from_boot_to_replacement(mounted_by: str, tmp_path: Path, shared: Path) -> None:
    before = MOUNTED if mounted_by == "hyperpod" else ""
    for name in ("first", "replaced"):
        node, service = added(tmp_path / name, shared)
        node.boot(before + service.first() + LOGIN).shows(*WORKS)
        node.boot(before + service.later() + LOGIN).shows(*WORKS)


def test_a_second_run_changes_nothing(tmp_path: Path, shared: Path) -> None:
    node, service = added(tmp_path / "node", shared)
    once, twice = (
        node.boot(service.first() * times + "echo; echo STATE\n" + STATE) for times in (1, 2)
    )
    assert once.output.partition("STATE")[2] == twice.output.partition("STATE")[2] != ""


def test_homes_are_beside_those_of_clustergen(tmp_path: Path, shared: Path) -> None:
    """Where the owner's bundle has a folder for homes, new ones are there."""
    node, service = added(tmp_path / "node", shared)
    owner = f"{MOUNTED}install -d -o 2002 -g 2002 /fsx/home/carol\nrm -r /fsx/alice\n"
    node.boot(owner + service.first() + "as alice pwd\n").shows("\n/fsx/home/alice\n")


def test_homes_on_openzfs_come_first(tmp_path: Path, shared: Path) -> None:
    node, service = added(tmp_path / "node", shared, ON_OPENZFS)
    node.boot(service.first() + "as alice pwd; as bob pwd\n").shows("/home/alice\n/home/bob\n")


def test_homes_of_other_ids_stay_and_are_reported(tmp_path: Path, shared: Path) -> None:
    """The spec has another id than the cluster."""
    node, service = added(tmp_path / "node", shared, SPEC.replace("uid: 2001", "uid: 2005"))
    boot = node.boot(service.first() + "stat -c '%n is %u %s' /fsx/alice /fsx/alice/results\n")
    words = "/fsx/alice belongs to the id 2001: write it in the spec for alice, instead of 2005"
    boot.shows(words, "/fsx/alice is 2001", "/fsx/alice/results is 2001 2")


def test_a_node_starts_where_root_cannot_make_homes(tmp_path: Path, shared: Path) -> None:
    node, service = added(tmp_path / "node", shared)
    node.write("rig/bin/mktemp", '[[ $* != *"/fsx/"* ]] && exec /usr/bin/mktemp "$@"\n')
    (node.root / "rig/bin/mktemp").chmod(0o755)
    boot = node.boot(service.first() + "as alice pwd\n")
    boot.shows("root cannot make /fsx/bob: ask the owner of the cluster for it", "/fsx/alice")


def test_a_node_of_others_keeps_its_scripts(tmp_path: Path, shared: Path) -> None:
    """Such as the controller, if someone runs ours there."""
    node, service = added(tmp_path / "node", shared)
    node.write("opt/clustergen/lifecycle/users.sh", "of the owner\n")
    node.write(
        "opt/ml/config/resource_config.json",
        '{"InstanceGroups": [{"Name": "head", "Instances": [{"CustomerIpAddress": "10.1.0.30"}]}]}',
    )
    boot = node.boot(f"({service.first()})\ncat /opt/clustergen/lifecycle/*\n")
    boot.shows("the instance group head is not in these scripts", "\nof the owner\n")
    assert "alice" not in boot
