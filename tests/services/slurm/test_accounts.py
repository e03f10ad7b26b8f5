"""accounts.sh, run twice against a database with a memory, and who may submit afterwards."""

import json
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from clustergen.services.slurm import accounts
from tests.support.checking import Fragments
from tests.support.outcomes import succeeded
from tests.support.scripts import Rig, bash, programs
from tests.support.tables import flow

pytestmark = pytest.mark.scenarios(4)

# Like Slurm 24.11: to add what is there, or to set the parent that an account has, is an error.
SACCTMGR = """#!/usr/bin/env python3
import json, os, sys
file = os.environ["DATABASE"]
data = {"qos": {"normal": {"description": "Normal QOS default"}}, "account": {}, "user": []}
if os.path.exists(file):
    data = json.load(open(file))
words = [w for w in sys.argv[1:] if not w.startswith("--")]
verb, what, rest = words[0], words[1], words[2:]
given = dict(w.split("=", 1) for w in rest if "=" in w)
name = given.get("name", "")
if verb == "list" and what == "cluster":
    print("dept" if name else "\\n".join(["dept", *data.get("others", ())]))
elif verb == "list" and what == "qos":
    found = data["qos"].get(name)
    if found and given.get("description", found["description"]) == found["description"]:
        row = {"name": name, "priority": "0", "preempt": "", **found}
        print("|".join(row[key] for key in given["format"].split(",")))
elif verb == "list" and what == "user":
    print(next((account for user, account in data["user"] if user == name), ""))
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
    made = {k: v for k, v in given.items() if k not in ("name", "cluster")}
    data[what][name] = {"description": name} | made if what == "qos" else made
else:
    known = data["qos"].keys() | {""}
    asked = given.get("qos", given.get("preempt", "")).split(",")
    if name not in data[what] or given.get("parent", "-") == data[what][name].get("parent"):
        sys.exit("did not affect anything")
    where = dict(w.split("=", 1) for w in rest[: rest.index("set")] if "=" in w)
    if where.get("description", "") not in ("", data[what][name].get("description")):
        sys.exit("Nothing modified")
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
MARK = "clustergen:dept"
ENFORCED = "slurm: {accounting: managed, settings: {AccountingStorageEnforce: limits}}"
ACCOUNTS_SH = accounts.script()


def whole(folder: Path, script: str = ACCOUNTS_SH, **environment: str) -> CompletedProcess[str]:
    """Follow the table in a folder."""
    return bash("-c", script, "accounts.sh", folder / "table", **environment)


def run(folder: Path, spec: str = SPEC) -> CompletedProcess[str]:
    scontrol = "#!/bin/sh\necho 'ClusterName             = dept'\n"
    programs(folder, {"sacctmgr": SACCTMGR, "scontrol": scontrol, "sleep": "#!/bin/sh\n"})
    (folder / "table").write_text(accounts.table(Fragments("pcs").plan(spec)).text)
    script = ACCOUNTS_SH.replace("PATH=/opt/slurm/bin", f"PATH={folder}:/opt/slurm/bin", 1)
    return whole(folder, script, DATABASE=str(folder / "database.json"))


def database(folder: Path) -> Any:
    return json.loads((folder / "database.json").read_text())


def begin(folder: Path, qos: Any, **more: Any) -> None:
    """What is in the database before."""
    text = json.dumps({"qos": qos, "account": {}, "user": [], **more})
    (folder / "database.json").write_text(text)


NORMAL = {"normal": {"description": "Normal QOS default"}}
MADE = flow(
    """
qos:
  normal: {description: Normal QOS default}
  high: {description: '$MARK', priority: '100', preempt: low}
  low: {description: '$MARK', priority: '0', preempt: ''}
account:
  research: {parent: root, fairshare: '3', qos: normal}
  vision: {parent: research, fairshare: '70', qos: 'normal,high,low'}
  robots: {parent: research, fairshare: '30', qos: 'normal,low'}
  dept: {parent: root, fairshare: '1', qos: normal}
user: [[alice, vision], [bob, robots], [alice, robots], [eve, dept], [ubuntu, dept]]
""",
    MARK=MARK,
)


def test_two_runs_create_what_the_spec_describes(tmp_path: Path) -> None:
    for _ in range(2):
        succeeded(run(tmp_path))
        assert database(tmp_path) == MADE


@pytest.mark.sampled(3)
@pytest.mark.parametrize("description", ["high", "for the board", "clustergen:other"])
def test_a_qos_of_others_stays(tmp_path: Path, description: str) -> None:
    """A database may have several clusters."""
    found = {"description": description, "priority": "100", "preempt": "low"}
    begin(tmp_path, {**NORMAL, "high": found})
    done = run(tmp_path)
    made = database(tmp_path)
    assert made["qos"]["high"] == found
    assert made["qos"]["low"]["description"] == MARK
    assert "vision" in made["account"], "one line holds back no other"
    assert done.returncode == 1
    assert "accounts: the QOS high was not made for this cluster" in done.stderr
    assert f"where name=high set description={MARK}" in done.stderr


WITH_NORMAL = SPEC.replace("{name: low}", "{name: low}, {name: normal, priority: 5}")


def test_the_qos_that_every_database_has_is_given_to_who_names_it(tmp_path: Path) -> None:
    succeeded(run(tmp_path, WITH_NORMAL), "the QOS normal is this cluster's from now on")
    made = database(tmp_path)["qos"]["normal"]
    assert made == {"description": MARK, "priority": "5", "preempt": ""}


def test_the_qos_that_every_database_has_stays_where_other_clusters_use_it(tmp_path: Path) -> None:
    begin(tmp_path, NORMAL, others=["prod"])
    done = run(tmp_path, WITH_NORMAL)
    assert done.returncode == 1
    assert f"sacctmgr modify qos where name=normal set description={MARK}" in done.stderr
    made = database(tmp_path)["qos"]
    assert made["normal"] == NORMAL["normal"]
    assert made["low"]["description"] == MARK


def test_pcs_uses_the_commands_of_the_version_of_the_cluster(tmp_path: Path) -> None:
    """An image may have several versions; a controller rejects newer commands."""
    files = Fragments("pcs").files(
        SPEC + "  version: '25.11'\nlogin: {instance_type: m7i.xlarge}\n"
    )
    script = files["scripts/accounts.sh"].replace("/opt/aws/", f"{tmp_path}/")
    for version, works in (("25.11", "cat"), ("26.05", "false")):
        tools = {
            "sacctmgr": f"{works} /dev/null\necho clustergen:dept",
            "scontrol": f"{works} /dev/null && echo 'ClusterName = dept'",
        }
        programs(tmp_path / f"pcs/scheduler/slurm-{version}/bin", tools)
    (tmp_path / "table").write_text(files[accounts.TABLE])
    succeeded(whole(tmp_path, f"sleep() {{ exit 9; }}\n{script}"))


def test_a_change_of_the_spec_reaches_the_database(tmp_path: Path) -> None:
    begin(tmp_path, **MADE)
    changed = SPEC.replace("fair_share: 70", "fair_share: 50")
    moved = changed.replace("robots, parent: research", "robots, parent: vision")
    succeeded(run(tmp_path, moved))
    made = database(tmp_path)["account"]
    assert (made["vision"]["fairshare"], made["robots"]["parent"]) == ("50", "vision")


@pytest.mark.parametrize("target", ["pcs", "hyperpod-slurm"])
def test_with_enforcement_users_of_spec_and_image_can_submit(target: str) -> None:
    files = Fragments(target).files(f"{ENFORCED}\nlogin: {{}}\nusers: [{{name: alice, uid: 2001}}]")
    assert "user alice example\nuser ubuntu example\n" in files[accounts.TABLE]


def test_a_node_follows_the_table_when_it_changes(tmp_path: Path) -> None:
    """Without S3, with half of a table, or while Slurm does not answer, it tries again later."""
    answers = {
        "aws": '[[ -e $ROOT/table ]] && cp "$ROOT/table" "${@: -1}"',
        "sacctmgr": f"[[ ! -e $ROOT/away ]] || exit 1; [[ $* != *list* ]] || echo {MARK}",
        "scontrol": "echo ClusterName = dept",
    }
    rig = Rig(tmp_path, answers)
    script = accounts.script()
    table = accounts.table(Fragments("pcs").plan(SPEC)).text
    (tmp_path / "table").write_text(table)
    (tmp_path / "away").touch()
    assert rig.run(script, "install", "s3://bucket/accounts.tsv").status == 1
    (tmp_path / "away").unlink()
    runs = []
    for text in (table, table, table[:-9], table.replace("qos high 100", "qos high 50")):
        (tmp_path / "table").write_text(text)
        done = rig.run(script, "run")
        assert done.status == 0, done.output
        runs.append([each for each in done.calls if each.startswith("sacctmgr")])
    assert [bool(calls) for calls in runs] == [True, False, False, True]
    changed = "modify qos where name=high description=clustergen:dept set priority=50"
    assert f"sacctmgr --immediate {changed}" in runs[-1]


def test_what_is_no_whole_table_is_not_followed(tmp_path: Path) -> None:
    table = accounts.table(Fragments("pcs").plan(SPEC)).text
    cut, hostile = table.rsplit("#", 1)[0], table.replace("user bob", "user $(id)")
    for wrong in ("", cut, hostile, "reboot\n# end 1\n"):
        (tmp_path / "table").write_text(wrong)
        done = whole(tmp_path)
        assert (done.returncode, done.stderr[:16]) == (1, "accounts: usage:")


def test_without_login_nodes_the_readme_of_pcs_explains_accounts() -> None:
    fragments = Fragments("pcs")
    found = [f.severity for f in fragments.checked(ENFORCED).findings if f.code == "SLM215"]
    assert found == ["warning"]
    files = fragments.files(ENFORCED)
    assert "scripts/accounts.sh" in files
    assert "run `scripts/accounts.sh accounts.tsv` after that" in files["README.md"]
    with_login = fragments.files(f"{ENFORCED}\nlogin: {{}}")
    assert "accounts.tsv` after that" not in with_login["README.md"]


def test_on_parallelcluster_only_the_head_node_creates_accounts() -> None:
    secret = "arn:aws:secretsmanager:us-east-1:111122223333:secret:a-AbCdEf"
    files = Fragments("parallelcluster").files(f"""
slurm:
  accounting: {{endpoint: db.example.com, secret: "{secret}"}}
  accounts: [{{name: vision, users: [alice]}}]
login: {{}}
""")
    hook = files["scripts/hook.sh"].split("head-configured | head-updated)")[1]
    head, login = hook.split("login-configured | login-updated)")
    assert "/accounts.sh" in head
    assert "/accounts.sh" not in login
