"""accounts.sh, run twice against a database with a memory, and who may submit afterwards."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from clustergen.slurm import accounts
from tests.checking import Fragments

# Like Slurm 24.11: to add what is there, or to set the parent that an account has, is an error.
SACCTMGR = """#!/usr/bin/env python3
import json, os, sys
file = os.environ["DATABASE"]
data = {"qos": {"normal": {}}, "account": {}, "user": []}
if os.path.exists(file):
    data = json.load(open(file))
words = [w for w in sys.argv[1:] if not w.startswith("--")]
verb, what, rest = words[0], words[1], words[2:]
given = dict(w.split("=", 1) for w in rest if "=" in w)
name = given.get("name", "")
if verb == "list" and what == "cluster":
    print("dept")
elif verb == "list" and what == "qos":
    print(name if name in data["qos"] else "", end="")
elif verb == "list" and given["user"]:
    print(given["user"] if [given["user"], given["account"]] in data["user"] else "", end="")
elif verb == "list":
    print(data["account"].get(given["account"], {}).get("parent", ""), end="")
elif what == "user":
    if [name, given["account"]] in data["user"] or given["account"] not in data["account"]:
        sys.exit("nothing new added")
    data["user"].append([name, given["account"]])
elif verb == "add":
    if name in data[what] or given.get("parent", "root") not in ("root", *data["account"]):
        sys.exit("nothing new added")
    data[what][name] = {k: v for k, v in given.items() if k not in ("name", "cluster")}
else:
    known = data["qos"].keys() | {""}
    asked = given.get("qos", given.get("preempt", "")).split(",")
    if name not in data[what] or given.get("parent", "-") == data[what][name].get("parent"):
        sys.exit("did not affect anything")
    if not known >= set(asked):
        sys.exit("unknown qos")
    data[what][name] |= {k: v for k, v in given.items() if k not in ("name", "cluster")}
json.dump(data, open(file, "w"))
"""
SPEC = """
name: dept
users: [{name: alice, uid: 2001}, {name: bob, uid: 2002}, {name: eve, uid: 2003}]
slurm:
  accounting: managed
  accounts:
    - {name: vision, parent: research, fair_share: 70, users: [alice], qos: [high, low]}
    - {name: research, fair_share: 3}
    - {name: robots, parent: research, fair_share: 30, users: [bob, alice], qos: [low]}
  qos: [{name: high, priority: 100, preempts: [low]}, {name: low}]
  settings:
    AccountingStorageEnforce: associations,limits,qos,safe
    PreemptType: preempt/qos
    PreemptMode: REQUEUE
"""
ENFORCED = "slurm: {accounting: managed, settings: {AccountingStorageEnforce: limits}}"


def run(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    tools = {
        "sacctmgr": SACCTMGR,
        "scontrol": "#!/bin/sh\necho 'ClusterName             = dept'\n",
    }
    for name, tool in tools.items():
        (folder / name).write_text(tool)
        (folder / name).chmod(0o755)
    script = text.replace("PATH=/opt/slurm/bin", f"PATH={folder}:/opt/slurm/bin", 1)
    environment = {"DATABASE": str(folder / "database.json"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )


def test_two_runs_create_what_the_spec_describes(tmp_path: Path) -> None:
    text = accounts.script(Fragments("pcs").plan(SPEC))
    first = run(tmp_path, text)
    assert first.returncode == 0, first.stderr
    made = json.loads((tmp_path / "database.json").read_text())
    assert made == {
        "qos": {
            "normal": {},
            "high": {"priority": "100", "preempt": "low"},
            "low": {"priority": "0", "preempt": ""},
        },
        "account": {
            "research": {"parent": "root", "fairshare": "3", "qos": "normal"},
            "vision": {"parent": "research", "fairshare": "70", "qos": "normal,high,low"},
            "robots": {"parent": "research", "fairshare": "30", "qos": "normal,low"},
            "dept": {"parent": "root", "fairshare": "1", "qos": "normal"},
        },
        "user": [
            ["alice", "vision"],
            ["bob", "robots"],
            ["alice", "robots"],
            ["eve", "dept"],
            ["ubuntu", "dept"],
        ],
    }
    second = run(tmp_path, text)
    assert second.returncode == 0, second.stderr
    assert json.loads((tmp_path / "database.json").read_text()) == made


def test_pcs_uses_the_commands_of_the_version_of_the_cluster(tmp_path: Path) -> None:
    """An image may have several versions; a controller rejects newer commands."""
    files = Fragments("pcs").files(
        SPEC + "  version: '25.11'\nlogin: {instance_type: m7i.xlarge}\n"
    )
    script = files["scripts/accounts.sh"].replace("/opt/aws/", f"{tmp_path}/")
    for version, works in (("25.11", "cat"), ("26.05", "false")):
        folder = tmp_path / f"pcs/scheduler/slurm-{version}/bin"
        folder.mkdir(parents=True)
        (folder / "sacctmgr").write_text(f"#!/bin/sh\n{works} /dev/null\necho dept\n")
        tool = f"#!/bin/sh\n{works} /dev/null && echo 'ClusterName = dept'\n"
        (folder / "scontrol").write_text(tool)
        for name in ("sacctmgr", "scontrol"):
            (folder / name).chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", f"sleep() {{ exit 9; }}\n{script}"],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_change_of_the_spec_reaches_the_database(tmp_path: Path) -> None:
    assert run(tmp_path, accounts.script(Fragments("pcs").plan(SPEC))).returncode == 0
    changed = SPEC.replace("fair_share: 70", "fair_share: 50").replace(
        "{name: robots, parent: research", "{name: robots, parent: vision"
    )
    assert run(tmp_path, accounts.script(Fragments("pcs").plan(changed))).returncode == 0
    made = json.loads((tmp_path / "database.json").read_text())["account"]
    assert made["vision"]["fairshare"] == "50"
    assert made["robots"]["parent"] == "vision"


@pytest.mark.parametrize(
    ("target", "path"),
    [("pcs", "scripts/accounts.sh"), ("hyperpod-slurm", "lifecycle/accounts.sh")],
)
def test_with_enforcement_users_of_spec_and_image_can_submit(target: str, path: str) -> None:
    files = Fragments(target).files(f"{ENFORCED}\nlogin: {{}}\nusers: [{{name: alice, uid: 2001}}]")
    assert "user alice example\nuser ubuntu example\n" in files[path]


def test_without_login_nodes_the_readme_of_pcs_explains_accounts() -> None:
    fragments = Fragments("pcs")
    assert [f.severity for f in fragments.checked(ENFORCED).findings if f.code == "SLM215"] == [
        "warning"
    ]
    assert "scripts/accounts.sh" in fragments.files(ENFORCED)


def test_on_parallelcluster_only_the_head_node_creates_accounts() -> None:
    secret = "arn:aws:secretsmanager:us-east-1:111122223333:secret:a-AbCdEf"
    files = Fragments("parallelcluster").files(
        f"""
slurm:
  accounting: {{endpoint: db.example.com, secret: "{secret}"}}
  accounts: [{{name: vision, users: [alice]}}]
login: {{}}
"""
    )
    head, login = (
        files["scripts/hook.sh"]
        .split("head-configured | head-updated)")[1]
        .split("login-configured | login-updated)")
    )
    assert "/accounts.sh" in head
    assert "/accounts.sh" not in login
