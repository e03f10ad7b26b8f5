"""accounts.sh in the real Slurm, as several login nodes run it that boot at once."""

from dataclasses import replace

import pytest

from tests.services.slurm.test_accounts import SPEC
from tests.support import debian
from tests.support.checking import Fragments
from tests.support.slurm import pcs
from tests.support.slurm.cluster import Refused, cluster
from tests.support.tiers import needs

pytestmark = needs(debian.impossible)

COPIES = 8
RUN = f"""
for ((copy = 1; copy <= {COPIES}; copy++)); do
  (bash /rig/accounts.sh /rig/accounts.tsv >/rig/said-$copy 2>&1 ||
    {{ echo "$copy:"; cat /rig/said-$copy; }}) &
done
wait
"""
QOS = "sacctmgr -nP list qos format=name,description,priority | grep -v ^normal | sort"
SHOWN = "sacctmgr -nP list associations format=account,user,parentname,fairshare,qos"


def test_copies_at_once_make_accounts() -> None:
    """Another one may have added what is missing in the meantime, which sacctmgr calls an error."""
    files = Fragments("pcs").files(SPEC.replace("name: dept\n", "login: {}\n"))
    with cluster(debian.OLDEST) as made:
        made.start(replace(pcs.configuration(files), accounts=""), per_group=0)
        made.wait("sacctmgr -n list cluster format=cluster", "cluster")
        made.put("/rig/accounts.sh", files["scripts/accounts.sh"])
        made.put("/rig/accounts.tsv", files["accounts.tsv"])
        assert made.ask(RUN) == ""
        assert made.ask(QOS).split() == ["high|clustergen:cluster|100", "low|clustergen:cluster|0"]
        several = made.ask(SHOWN)
        made.ask("bash /rig/accounts.sh /rig/accounts.tsv")
        assert made.ask(SHOWN) == several
        assert "vision|alice||1|high,low,normal" in several


def test_who_gets_an_account_submits_in_it() -> None:
    """Also who had that of the cluster before, which Slurm keeps as their default."""
    with cluster(debian.OLDEST) as made:
        files = Fragments("pcs").files(SPEC.replace("name: dept\n", "login: {}\n"))
        made.start(pcs.configuration(files), per_group=0)
        for name in ("alice", "bob, alice"):
            moved = SPEC.replace("users: [alice]", f"users: [{name}, eve]")
            files = Fragments("pcs").files(moved.replace("name: dept\n", "login: {}\n"))
            made.put("/rig/accounts.tsv", files["accounts.tsv"])
            made.ask("bash /rig/accounts.sh /rig/accounts.tsv")
        found = made.ask("sacctmgr -nP list users format=user,defaultaccount").split()
        assert {"alice|vision", "bob|robots", "eve|vision", "ubuntu|example"} <= {*found}


def test_who_leaves_their_default_account_gets_another_one() -> None:
    """Of their account in this cluster: a database may have several."""
    with cluster(debian.OLDEST) as made:
        for users in ("[alice]", "[]"):
            spec = SPEC.replace("users: [alice]", f"users: {users}")
            files = Fragments("pcs").files(spec.replace("name: dept\n", "login: {}\n"))
            if users == "[alice]":
                made.start(pcs.configuration(files), per_group=0)
                made.ask(
                    "sacctmgr -i add cluster other; sacctmgr -i add account vision cluster=other;"
                    "sacctmgr -i add user alice account=vision cluster=other"
                )
            made.put("/rig/accounts.tsv", files["accounts.tsv"])
            made.ask("bash /rig/accounts.sh /rig/accounts.tsv")
        shown = "sacctmgr -nP list users name=alice withassoc format=cluster,account,defaultaccount"
        found = made.ask(shown).split()
        assert {"cluster|robots|robots", "other|vision|vision"} <= {*found}


ASSOCIATED = "sacctmgr -nP list users withassoc format=user,account,defaultaccount | grep '^[abe]'"


def test_who_leaves_accounts_leaves_them_in_slurm() -> None:
    """Once their jobs have ended, and not what someone else gave them."""
    with cluster(debian.OLDEST) as made:
        moved = SPEC.replace("users: [alice]", "users: [eve]").replace("[bob, alice]", "[eve]")
        both, left = (
            Fragments("pcs").files(spec.replace("name: dept\n", "login: {}\n"))
            for spec in (SPEC, moved.replace("{name: bob, uid: 2002}, ", ""))
        )
        made.start(pcs.configuration(both), per_group=1)
        made.put("/usr/local/bin/aws", '#!/bin/sh\nfor last; do :; done; cp /rig/table "$last"\n')
        made.put("/usr/local/bin/systemctl", "#!/bin/sh\n")
        made.ask("chmod 0755 /usr/local/bin/aws /usr/local/bin/systemctl")
        made.put("/rig/table", both["accounts.tsv"])
        run = "bash /rig/accounts.sh install s3://bucket/table 2>&1 | tail -n 1"
        made.ask(run)
        made.ask("sacctmgr -i add account guests; sacctmgr -i add user alice account=guests")
        sbatch = "cd /tmp; setpriv --reuid 2001 --regid 2001 --clear-groups sbatch -A robots --wrap"
        made.ask(f"{sbatch} 'sleep 600'")
        made.wait("squeue --noheader --format=%T", "RUNNING")
        made.put("/rig/table", left["accounts.tsv"])
        assert "could not be followed" in made.ask(run)
        made.ask("scancel --user=alice")
        made.wait("squeue --noheader | wc -l", "0")
        made.ask(run)
        now = {"alice|example|example", "alice|guests|example"}
        assert {*made.ask(ASSOCIATED).split()} == now | {"eve|vision|vision", "eve|robots|vision"}


def test_a_line_that_slurm_rejects_holds_back_no_other_one() -> None:
    with cluster(debian.OLDEST) as made:
        files = Fragments("pcs").files(SPEC.replace("name: dept\n", "login: {}\n"))
        made.start(replace(pcs.configuration(files), accounts=""), per_group=0)
        made.wait("sacctmgr -n list cluster format=cluster", "cluster")
        made.put("/rig/accounts.sh", files["scripts/accounts.sh"])
        table = files["accounts.tsv"].replace("preempts low -", "preempts low absent")
        made.put("/rig/accounts.tsv", table)
        made.ask("sacctmgr -i add qos high description=other priority=3")
        said = made.ask("bash /rig/accounts.sh /rig/accounts.tsv 2>&1 >/dev/null || true")
        reasons = [line for line in said.splitlines() if line.startswith("accounts:")]
        assert "the QOS high was not made for this cluster (its description is other)" in reasons[0]
        assert reasons[1:] == [
            "accounts: not followed: qos high 100",
            "accounts: not followed: preempts high low",
            "accounts: not followed: preempts low absent",
            "accounts: 3 of the lines could not be followed",
        ]
        assert made.ask(QOS).split() == ["high|other|3", "low|clustergen:cluster|0"]
        assert "vision|alice||1|high,low,normal" in made.ask(SHOWN)


def test_slurm_does_not_start_before_the_quality_of_service_of_a_queue_exists() -> None:
    """SLM024; one that is allowed there may come later."""
    queue = "queues: [{name: h200, node_groups: [h200], slurm: {%s: high}}]\n"
    for setting, starts in (("QOS", False), ("AllowQoS", True)):
        spec = SPEC.replace("name: dept\n", "login: {}\n") + queue % setting
        configuration = replace(pcs.configuration(Fragments("pcs").files(spec)), accounts="")
        with cluster(debian.OLDEST) as made:
            if starts:
                made.start(configuration, per_group=0)
            else:
                with pytest.raises(Refused, match="has an invalid qos"):
                    made.start(configuration, per_group=0)
