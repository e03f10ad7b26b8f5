"""What each Slurm service does with a bundle when it brings up a node, as shell."""

import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

from clustergen.base.shell import content_key
from clustergen.services.slurm import accounts, users
from tests.services.hyperpod.planned import filled, lifecycle_of, plan_of
from tests.support.systemd_node import ADDRESS, SystemdNode, command
from tests.targets.parallelcluster.planned import files as parallelcluster_files
from tests.targets.pcs.planned import files_of as pcs_files
from tests.targets.pcs.planned import properties_of

GROUP = "h200"
START_SLURMD = "systemctl enable --now slurmd\n"


def _value(text: str) -> str:
    return re.sub(r"\$\{(\w+)\}", r"value-of-\1", text)


def bring_tables(node: SystemdNode, target: str, files: Mapping[str, str]) -> None:
    """The tables that deploy.sh uploads, in the bucket of scripts."""
    for name in (users.TABLE, accounts.TABLE):
        if text := files.get(name):
            node.write(f"rig/bucket/clusters/example/{target}-{name}", text)


class Pcs:
    """PCS's agent runs the actions of a node group at each boot, then starts slurmd."""

    boots_alone = False

    def __init__(self, spec: str, role: str) -> None:
        resource = "NodeGroupLogin" if role == "login" else "NodeGroupH200"
        stages = properties_of(spec, resource)["NodeLifecycleActions"]["Stages"]
        self.actions: list[dict[str, Any]] = stages["NodeBootstrapped"]
        self.with_slurm: list[dict[str, Any]] = stages.get("NodeReady", [])
        self.files = pcs_files(spec)

    def prepare(self, node: SystemdNode) -> None:
        for action in (*self.actions, *self.with_slurm):
            if name := self._script(action):
                node.write(f"rig/scripts/{name}", self.files[f"scripts/{name}"])
        bring_tables(node, "pcs", self.files)

    def first(self) -> str:
        return self._boot(self.actions, self.with_slurm)

    again = first

    def later(self) -> str:
        return self._boot(_every_boot(self.actions), _every_boot(self.with_slurm))

    def _boot(self, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> str:
        first, last = ("".join(map(self._line, actions)) for actions in (before, after))
        return f"{first}systemctl start slurmd\n{last}"

    def _script(self, action: Mapping[str, Any]) -> str:
        location = action["ScriptSource"]["ScriptLocation"]
        return "" if isinstance(location, str) else location["Fn::Sub"].rpartition("/")[2]

    def _line(self, action: Mapping[str, Any]) -> str:
        if not (name := self._script(action)):
            return ""
        words = [_argument(word) for word in action.get("Arguments", [])]
        failed = "exit 1" if action["OnError"] == "TERMINATE" else "true"
        # The agent's copy of a script is not there for good.
        return (
            f"echo 'action {action['Name']}'\n"
            f"cp /rig/scripts/{name} /tmp/action\nchmod +x /tmp/action\n"
            f"/tmp/action {command(words)} || {{ echo 'failed {action['Name']}'; {failed}; }}\n"
        )


def _every_boot(actions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [action for action in actions if action["ExecutionPolicy"] == "EVERY_BOOT"]


def _argument(word: Any) -> str:
    if isinstance(word, str):
        return word
    [(kind, name)] = word.items()
    return _value(name) if kind == "Fn::Sub" else f"value-of-{name}"


class ParallelCluster:
    """ParallelCluster runs custom actions at the first boot, around its own set-up of a node.

    https://github.com/aws/aws-parallelcluster-cookbook (3.13): file systems are in /etc/fstab, for
    Lustre with an automount; the head node opens their roots; a unit mounts local disks.
    """

    boots_alone = True

    def __init__(self, spec: str, role: str) -> None:
        self.files, self.role = parallelcluster_files(spec), role
        document = yaml.safe_load(_value(self.files["cluster.yaml"]))
        of_role = {
            "head": document["HeadNode"],
            "login": document.get("LoginNodes", {}).get("Pools", [{}])[0],
            "compute": document["Scheduling"]["SlurmQueues"][0],
        }
        self.actions = of_role[role].get("CustomActions", {})
        self.storage = document.get("SharedStorage", [])

    def prepare(self, node: SystemdNode) -> None:
        for path, text in self.files.items():
            if path.startswith("scripts/"):
                name = path.partition("/")[2]
                node.write(f"rig/bucket/{content_key(name, text)}", text)
                node.write(f"rig/bucket/clusters/example/{name}", text)
        bring_tables(node, "parallelcluster", self.files)
        node.write(
            "etc/systemd/system/setup-ephemeral.service",
            "[Service]\nType=oneshot\nRemainAfterExit=yes\n"
            "ExecStart=/bin/mount -t tmpfs -o mode=1777 vg /scratch\n"
            "[Install]\nWantedBy=multi-user.target\n",
        )

    def first(self) -> str:
        return (
            self._event("OnNodeStart")
            + self._own_setup()
            + self._event("OnNodeConfigured")
            + START_SLURMD
        )

    def again(self) -> str:
        return self._event("OnNodeUpdated")

    def later(self) -> str:
        return ""

    def _own_setup(self) -> str:
        lines = "systemctl enable --now setup-ephemeral\n" if self.role == "compute" else ""
        for item in self.storage:
            lustre = item["StorageType"] == "FsxLustre"
            type = "lustre" if lustre else "nfs4"
            options = "_netdev,noauto,x-systemd.automount" if lustre else "_netdev"
            [settings] = (value for name, value in item.items() if name.endswith("Settings"))
            source = str(next(iter(settings.values())))
            place = item["MountDir"]
            keep = f"cp -a {place} /tmp/kept\n" if place == "/home" else ""
            back = f"cp -an /tmp/kept/. {place}/\n" if place == "/home" else ""
            opened = "" if place == "/home" else f"chmod 1777 {place}\n"
            lines += (
                f"{keep}mkdir -p {place}\n"
                f"echo '{source} {place} {type} {options} 0 0' >>/etc/fstab\n"
                f"mount -t {type} {source} {place}\n{back}{opened}"
            )
        return lines

    def _event(self, name: str) -> str:
        lines = ""
        for action in self.actions.get(name, {}).get("Sequence", []):
            key = action["Script"].split("/", 3)[3]
            words = [str(word) for word in action.get("Args", [])]
            lines += (
                f"cp /rig/bucket/{key} /tmp/action\nchmod +x /tmp/action\n"
                f"/tmp/action {command(words)} || {{ echo 'failed {key}'; exit 1; }}\n"
            )
        return lines


class HyperPod:
    """HyperPod downloads the lifecycle set to a folder that a reboot empties, and runs it once."""

    boots_alone = True

    def __init__(self, spec: str, role: str, mode: Any = "extended") -> None:
        self.files = filled(lifecycle_of(spec, mode))
        table = users.table(plan_of(spec))
        self.tables = {table.path: table.text} if table else {}
        self.group = GROUP if role == "compute" else role
        self.entry = "on_init_complete.sh" if mode == "extended" else "on_create.sh"

    def prepare(self, node: SystemdNode) -> None:
        for name, text in self.files.items():
            node.write(f"rig/set/{name}", text)
        bring_tables(node, "hyperpod-slurm", self.tables)
        addresses = {"controller": "10.1.0.10", self.group: ADDRESS}
        groups = [
            {"Name": name, "Instances": [None, {"CustomerIpAddress": address}]}
            for name, address in addresses.items()
        ]
        config = {"InstanceGroups": groups}
        node.write("opt/ml/config/resource_config.json", json.dumps(config, indent=1))
        node.write("opt/slurm/etc/slurm.conf", "ClusterName=example\nSlurmctldHost=node\n")

    def first(self) -> str:
        return f"cp -r /rig/set /tmp/set\nbash /tmp/set/{self.entry} || exit 1\n{START_SLURMD}"

    again = first

    def later(self) -> str:
        return ""
