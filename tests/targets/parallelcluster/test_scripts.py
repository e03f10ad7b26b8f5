"""The hook and the checker of checksums, run in a folder that stands for the node's root."""

from pathlib import Path

import pytest

from clustergen.base.digests import sha256
from tests.support.scripts import Rig
from tests.targets.parallelcluster.planned import files, plan_of

VERIFIED = f"software: {{scripts: [{{run: 's3://my-bucket/x.sh', sha256: '{'0' * 64}'}}]}}"
BODY = '#!/bin/bash\necho "got $*" >&2\nexit 7\n'


@pytest.mark.parametrize(("tampered", "status"), [(False, 7), (True, 1)])
def test_a_script_runs_only_with_its_checksum(tmp_path: Path, tampered: bool, status: int) -> None:
    """A failing script waits until the log agent has sent the reason."""
    rig = Rig(tmp_path, {"aws": 'cp "$ROOT/body" "${*: -1}"', "chmod": '/bin/chmod "$@"'})
    (tmp_path / "body").write_text(BODY + ("true\n" if tampered else ""))
    sum256 = sha256(BODY)
    text = files(VERIFIED)["scripts/verified.sh"]
    run = rig.run(text, "s3://b/x.sh", sum256, "--fast", "a b")
    assert run.status == status
    assert ("got --fast a b" in run.output) is not tampered
    assert "sleep 20" in run.calls


def test_a_download_is_bounded() -> None:
    assert "timeout 600 aws s3 cp" in files(VERIFIED)["scripts/verified.sh"]


USERS = "users: [{name: alice, uid: 2001}]\n"
BRINGS = {"aws": 'cp "$ROOT/body" "${*: -1}"', "chmod": '/bin/chmod "$@"'}


ACCOUNTING = """
slurm:
  accounting:
    endpoint: db.example.com
    secret: "arn:aws:secretsmanager:us-east-1:111122223333:secret:a-AbCdEf"
  accounts: [{name: vision, users: [alice]}]
"""


def hook(body: str, *urls: str) -> str:
    """The hook of a spec with these scripts on the head node, and `body` in place of users.sh."""
    runs = ", ".join(f"{{run: '{url}', on: [head], args: ['{url}']}}" for url in urls)
    made = files(f"{USERS}software: {{scripts: [{runs}]}}")
    assert sha256(made["scripts/users.sh"]) in made["scripts/hook.sh"]
    return made["scripts/hook.sh"].replace(sha256(made["scripts/users.sh"]), sha256(body))


def test_another_script_in_the_bucket_does_not_run(tmp_path: Path) -> None:
    """Write access to the bucket does not make root on the nodes."""
    rig = Rig(tmp_path, BRINGS)
    (tmp_path / "body").write_text("#!/bin/bash\necho ran >&2\n")
    run = rig.run(hook("other"), "head", "configured", "scripts-bucket")
    assert (run.status, "ran" in run.output) == (1, False)
    assert "users.sh has the checksum" in run.output


def test_the_hook_runs_what_the_spec_has_now(tmp_path: Path) -> None:
    """At first boot everything; at an update our own scripts again, and of the user's new ones."""
    rig = Rig(tmp_path, BRINGS)
    body = '#!/bin/bash\necho "ran $*" >&2\n'
    (tmp_path / "body").write_text(body)
    first, second = "s3://my-bucket/a.sh", "s3://my-bucket/b.sh"

    def ran(text: str, event: str) -> list[str]:
        run = rig.run(text, "head", event, "scripts-bucket")
        assert run.status == 0, run.output
        return run.output.splitlines()

    users = "ran install clusters/example/parallelcluster-users.tsv /home make"
    assert ran(hook(body, first), "start") == []
    assert ran(hook(body, first), "configured") == [users, f"ran {first}"]
    assert ran(hook(body, first, second), "updated") == [users, f"ran {second}"]
    assert ran(hook(body, first, second), "updated") == [users]
    # An image that was made of a node remembers nothing that a new node would need.
    assert ran(hook(body, first), "configured") == [users, f"ran {first}"]


def test_a_failed_script_runs_again_at_the_next_update(tmp_path: Path) -> None:
    rig = Rig(tmp_path, BRINGS)
    for status in (3, 0):
        body = f"#!/bin/bash\n[[ $1 == install ]] || exit {status}\n"
        (tmp_path / "body").write_text(body)
        run = rig.run(hook(body, "s3://my-bucket/a.sh"), "head", "updated", "scripts-bucket")
        assert run.status == status


def test_accounts_that_slurm_rejects_do_not_cost_the_cluster(tmp_path: Path) -> None:
    """A new cluster fails with a script of its head node; a timer tries accounts again."""
    made = files(f"{USERS}{ACCOUNTING}")
    body = "#!/bin/bash\n[[ $2 != *accounts.tsv ]]\n"
    text = made["scripts/hook.sh"]
    for script in ("users", "accounts"):
        text = text.replace(sha256(made[f"scripts/{script}.sh"]), sha256(body))
    (tmp_path / "body").write_text(body)
    run = Rig(tmp_path, BRINGS).run(text, "head", "configured", "scripts-bucket")
    assert run.status == 0
    assert "accounts.sh failed; the node continues" in run.output


def test_the_hook_checks_checksums(tmp_path: Path) -> None:
    rig = Rig(tmp_path, BRINGS)
    (tmp_path / "body").write_text("#!/bin/bash\n")
    url = "s3://my-bucket/x.sh"
    checked = f"software: {{scripts: [{{run: '{url}', on: [head], sha256: '{'0' * 64}'}}]}}"
    run = rig.run(files(checked)["scripts/hook.sh"], "head", "configured", "scripts-bucket")
    assert (run.status, f"{url} has the checksum" in run.output) == (1, True)


def test_update_scripts_run_where_updates_reach_by_default() -> None:
    plan = plan_of('software: {scripts: [{run: "s3://my-bucket/a.sh", when: updated}]}')
    assert plan.software.scripts[0].on == ("head", "login")
