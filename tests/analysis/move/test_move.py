"""``clustergen move``: the way from one service to another."""

import json
from io import BytesIO, TextIOWrapper
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from clustergen import targets
from clustergen.cli import main
from clustergen.services import cost
from tests.support.checking import EXAMPLES, Fragments
from tests.support.cloud.commands import reaching
from tests.support.tables import flow

Capture = pytest.CaptureFixture[str]

SPEC = """\
version: 1
name: small
region: us-east-1
network: {zone: use1-az6}
login: {instance_type: m7i.large}
node_groups: [{name: gpu, instance_type: p5.48xlarge, count: 2%s}]
storage: [{mount: /work, type: fsx-lustre, size: 4800GiB}%s]
targets: {pcs: {}}
"""
PLAIN = SPEC % ("", "")
WITHOUT_LOGIN = PLAIN.replace("login: {instance_type: m7i.large}\n", "")
HELD = SPEC % (", capacity: {reservation: cr-0a1b2c3d4e5f67890}", "")
BLOCK = SPEC % (", capacity: {capacity_block: cr-0a1b2c3d4e5f67890}", "")
WITH_VOLUME = (SPEC % ("", ", {mount: /data, type: ebs, size: 500GiB}")).replace(
    "pcs", "parallelcluster"
)
FROM_PCS = ("--from", "pcs", "--to", "parallelcluster")
TO_PCS = ("--from", "parallelcluster", "--to", "pcs")
SIDE_BY_SIDE = flow("""
[prepare, create the new cluster, cut over, drain the old cluster, remove the old cluster]
""")


def second(text: str, name: str = "small-2") -> str:
    """The same cluster again, on the foundation of the first."""
    return text.replace("name: small", f"name: {name}\nfoundation: small")


@pytest.fixture
def answer(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the command on a spec, or on an old and a new one, and reads its JSON."""
    monkeypatch.chdir(tmp_path)

    def run(text: str | tuple[str, str], *arguments: str) -> tuple[int, Any]:
        texts = [text] if isinstance(text, str) else text
        files = [tmp_path / f"{number}.yaml" for number, _ in enumerate(texts)]
        for file, content in zip(files, texts, strict=True):
            file.write_text(content)
        status = main(["move", *(file.name for file in files), "--output", "json", *arguments])
        out = capsys.readouterr().out
        return status, json.loads(out) if out else None

    return run


def titles(move: Any) -> list[str]:
    return [phase["title"].partition(",")[0] for phase in move["phases"]]


def steps(move: Any) -> str:
    return "\n".join(step for phase in move["phases"] for step in phase["steps"])


def test_the_new_cluster_is_created_beside_the_old_one(answer: Any) -> None:
    status, move = answer(PLAIN, *FROM_PCS)
    assert (status, move["from"], move["to"]) == (0, "pcs", "parallelcluster")
    assert titles(move) == SIDE_BY_SIDE
    text = steps(move)
    assert "update the foundation, and create the cluster in it: out/small/parallel" in text
    assert "check that the data is there: /work" in text
    assert "the foundation stays, with the data: out/small/pcs/deploy.sh --destroy" in text
    assert "start the nodes: out/small/pcs/deploy.sh --resume" in move["back"]
    assert "768 vCPUs of EC2 On-Demand P instances (L-417A185B)" in text
    assert "both together cost" in text


def test_reserved_capacity_is_for_one_cluster_at_a_time(answer: Any) -> None:
    _, move = answer(HELD, *FROM_PCS)
    assert titles(move)[1:3] == ["drain the old cluster", "create the new cluster"]
    assert "reserved capacity of gpu" in move["phases"][1]["title"]


def test_volumes_of_the_old_cluster_are_lost(answer: Any) -> None:
    _, move = answer(WITH_VOLUME, *TO_PCS)
    [line] = [line for line in move["blocked"] if "EBS" in line]
    assert line.endswith("or go without it, with --allow-unsupported")
    assert "use parallelcluster" not in line
    _, move = answer(WITH_VOLUME, *TO_PCS, "--allow-unsupported")
    assert any("/data is a volume of the old cluster" in line for line in move["lost"])
    assert any("home directories" in line for line in move["lost"])
    assert any(line.startswith("EBS volume shared") for line in move["lost"])
    # What neither service has is not lost.
    _, move = answer(WITH_VOLUME, "--from", "pcs", "--to", "hyperpod-slurm", "--allow-unsupported")
    assert not any(line.startswith("EBS volume shared") for line in move["lost"])


def test_jobs_are_rewritten_for_kubernetes(answer: Any) -> None:
    status, move = answer(WITHOUT_LOGIN, "--from", "pcs", "--to", "eks")
    assert (status, move["blocked"]) == (0, [])
    assert "rewrite the jobs for Kubernetes" in steps(move)


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("eks", "would both own the EKS cluster small"),
        ("hyperpod-slurm", "would both be the HyperPod cluster"),
    ],
)
def test_two_targets_cannot_have_one_cluster(old: str, words: str, answer: Any) -> None:
    """Deploying or destroying one of the two would be an operation on the other."""
    text = WITHOUT_LOGIN.replace("pcs", old)
    status, move = answer(text, "--from", old, "--to", "hyperpod-eks")
    assert status == 1
    [line] = [line for line in move["blocked"] if words in line]
    assert "`foundation: small`" in line


def test_what_one_service_lacks_goes_into_a_second_spec(answer: Any) -> None:
    """Each service has capacity of its own kind, and one spec can name only one."""
    ends = ("--from", "pcs", "--to", "hyperpod-slurm")
    status, move = answer(HELD, *ends)
    assert status == 1
    assert move["blocked"][-1].startswith("write a second spec for what pcs does not support")
    both = HELD.replace("{pcs: {}}", "{pcs: {}, hyperpod-slurm: {}}")
    plan = "training_plan: arn:aws:sagemaker:us-east-1:111122223333:training-plan/abc"
    new = both.replace("reservation: cr-0a1b2c3d4e5f67890", plan)
    status, move = answer((both, second(new)), *ends)
    assert (status, move["blocked"]) == (0, [])
    assert titles(move)[1] == "create the new cluster", "reservations of two kinds are both there"


OF_THE_CLUSTER = PLAIN.replace("pcs", "parallelcluster").replace(
    "size: 4800GiB", "size: 4800GiB, created_by: cluster"
)


def test_a_file_system_of_the_old_cluster_is_named_by_its_id(answer: Any) -> None:
    """The new cluster would create an empty one, and the old one may take its own along."""
    status, move = answer(OF_THE_CLUSTER, *TO_PCS)
    assert status == 1
    assert any("`existing: {id: fs-...}`" in line for line in move["blocked"])
    assert not any("remove created_by" in line for line in move["blocked"])
    again = second(OF_THE_CLUSTER).replace(
        "size: 4800GiB, created_by: cluster",
        "existing: {id: fs-0a1b2c3d4e5f67890, mount_name: abcdefgh}",
    )
    assert answer((OF_THE_CLUSTER, second(OF_THE_CLUSTER)))[0] == 1
    assert answer((OF_THE_CLUSTER, again))[0] == 0
    goes = OF_THE_CLUSTER.replace("created_by: cluster", "created_by: cluster, on_delete: delete")
    status, move = answer((goes, again))
    assert status == 1
    assert any("/work is deleted with the old cluster" in line for line in move["blocked"])


def test_help_that_begins_with_use_is_kept(answer: Any) -> None:
    _, move = answer(SPEC.replace("p5.48xlarge", "mac2.metal") % ("", ""), *FROM_PCS)
    assert "pcs: mac2.metal runs macOS: use a type that runs Linux" in move["blocked"]


def test_kubectl_changes_the_cluster_that_is_meant(answer: Any) -> None:
    """Both clusters have a queue of this name, and the kubeconfig may point at either."""
    text = WITHOUT_LOGIN.replace("pcs", "eks")
    _, move = answer((text, second(text)))
    phases = {phase["title"].split()[0]: phase for phase in move["phases"]}
    at, close = "aws eks update-kubeconfig --region us-east-1 --name ", "kubectl patch clusterqueue"
    for commands, names in (
        (phases["drain"]["commands"], ["small"]),
        (phases["drain"]["back_commands"], ["small-2", "small"]),
        (phases["cut"]["back_commands"], ["small-2"]),
    ):
        before = [first for first, second in pairwise(commands) if second.startswith(close)]
        assert before == [f"{at}{name}" for name in names]


def test_what_both_clusters_use_is_paid_once(answer: Any) -> None:
    """Two clusters with their volumes, one file system and one way to the internet."""
    _, move = answer(PLAIN, *FROM_PCS)
    bills = {
        name: cost.bill(plan, targets.load(name).fees)
        for name in ("pcs", "parallelcluster")
        for plan in [Fragments(name).plan(PLAIN.replace("{pcs: {}}", f"{{{name}: {{}}}}"))]
    }
    once = [line for line in bills["pcs"].lines if line.part == "network" or line.name == "/work"]
    most = sum(each.usd(1)[1] for each in bills.values()) - sum(each.usd(1)[1] for each in once)
    [step] = [line for line in steps(move).splitlines() if line.startswith("both together cost")]
    assert f"to {most:,.2f} USD per hour" in step


def test_the_kubeconfig_is_that_of_the_existing_cluster(answer: Any) -> None:
    text = EXAMPLES["hyperpod-eks-karpenter"].read_text()
    _, move = answer(text, "--from", "batch", "--to", "hyperpod-eks", "--allow-unsupported")
    assert "update-kubeconfig --region us-west-2 --name platform" in steps(move)


SCONTROL = 'sudo "$(which scontrol)" update partitionname='
UPDATE = "aws batch --region us-east-1 update-job-queue --job-queue small-gpu --state %s"
PATCH = """kubectl patch clusterqueue gpu --type merge --patch '{"spec": {"stopPolicy": "%s"}}'"""
QUOTA = ("create quota closed --hard pods=0", "delete quota closed")
QUEUES = "queues: [{name: fast, node_groups: [gpu]}, {name: slow, node_groups: [gpu]}]"
EACH = f'for name in fast slow; do {SCONTROL}"$name" state=%s; done'


@pytest.mark.parametrize(
    ("target", "more", "command", "words"),
    [
        ("pcs", "", f"{SCONTROL}gpu state=%s", ("drain", "up")),
        ("parallelcluster", QUEUES, EACH, ("drain", "up")),
        ("batch", "", UPDATE, ("DISABLED", "ENABLED")),
        ("eks", "", PATCH, ("Hold", "None")),
        ("eks", "kubernetes: {admission: none}", "kubectl %s --namespace default", QUOTA),
        ("hyperpod-eks", "", "kubectl %s --namespace hyperpod-ns-gpu", QUOTA),
    ],
)
def test_queues_are_closed_and_opened_again(
    target: str, more: str, command: str, words: tuple[str, str], answer: Any
) -> None:
    """Resuming nodes does not open what was closed."""
    text = WITHOUT_LOGIN.replace("pcs", target)
    to = "pcs" if target == "batch" else "batch"
    _, move = answer(text + more, "--from", target, "--to", to)
    phases = {phase["title"].split()[0]: phase for phase in move["phases"]}
    assert command % words[0] in phases["drain"]["commands"]
    assert phases["drain"]["back_commands"][-1] == command % words[1]
    # The old cluster still takes jobs when users leave it.
    assert command % words[1] not in phases["cut"]["back_commands"]


def test_jobs_that_still_start_are_waited_for(answer: Any) -> None:
    """Those of a disabled queue run to their end, and so do pods whose image is being pulled."""
    _, move = answer(WITHOUT_LOGIN.replace("pcs", "batch"), "--from", "batch", "--to", "pcs")
    [drain] = [each for each in move["phases"] if each["title"].startswith("drain")]
    [listed] = [each for each in drain["commands"] if "list-jobs" in each]
    assert "SUBMITTED PENDING RUNNABLE STARTING RUNNING" in listed
    _, move = answer(WITHOUT_LOGIN.replace("pcs", "eks"), "--from", "eks", "--to", "pcs")
    assert "status.phase!=Succeeded,status.phase!=Failed" in steps(move)


def test_jobs_of_the_new_cluster_end_before_it_is_left(answer: Any) -> None:
    _, move = answer(PLAIN, *FROM_PCS)
    [cut] = [each for each in move["phases"] if each["title"].startswith("drain")]
    words = ["state=drain", "squeue", "parallelcluster/deploy.sh --pause", "pcs/deploy.sh --resume"]
    places = [next(n for n, c in enumerate(cut["back_commands"]) if word in c) for word in words]
    assert places == sorted(places)
    assert cut["back"][0].startswith("on a node of the new cluster, stop new jobs")
    assert cut["back"][-1].startswith("send users back to the old cluster")


def test_commands_omit_what_the_user_allowed_to_omit(answer: Any) -> None:
    """Otherwise, the first of them would fail."""
    _, move = answer(WITH_VOLUME, *TO_PCS, "--allow-unsupported")
    rendered = [each for phase in move["phases"] for each in phase["commands"] if "render" in each]
    assert rendered == ["clustergen render 0.yaml --allow-unsupported"] * 2
    _, move = answer(PLAIN, *FROM_PCS)
    assert "--allow-unsupported" not in steps(move)


def test_commands_name_the_spec_as_the_user_did(answer: Any) -> None:
    Path("over.yaml").write_text("tags: {team: speech}\n")
    given = ("-f", "over.yaml", "--set", "tags.owner=alice b", "-o", "made here")
    _, move = answer(PLAIN, *FROM_PCS, *given)
    spec = "0.yaml -f over.yaml --set 'tags.owner=alice b'"
    prepare, *others = [phase["commands"] for phase in move["phases"]]
    assert prepare[0] == f"clustergen render {spec} -o 'made here'"
    assert f"clustergen preflight {spec} --target parallelcluster" in prepare
    assert any("'made here/small/parallelcluster'/deploy.sh" in commands for commands in others)
    assert move["back"][-1].endswith(f"clustergen move {spec} --from parallelcluster --to pcs")


def test_a_spec_from_standard_input_has_no_name(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(PLAIN.encode())))
    assert main(["move", "-", *FROM_PCS]) == 0
    assert "clustergen render SPEC\n" in capsys.readouterr().out


@pytest.mark.parametrize("target", targets.NAMES)
def test_the_files_that_test_a_cluster_are_in_its_bundle(target: str, answer: Any) -> None:
    old = "batch" if target != "batch" else "pcs"
    _, move = answer(WITHOUT_LOGIN.replace("pcs", old), "--from", old, "--to", target)
    [step] = [line for line in steps(move).splitlines() if line.startswith("test it: ")]
    words = step.removeprefix("test it: ").partition(";")[0]
    files = Fragments(target).files()
    for word in words.replace(",", " ").split():
        name = word.removeprefix(f"out/small/{target}/")
        if "/" in name or name.endswith(".sh"):
            assert any(file.startswith(name) for file in files) or name == f"out/small/{target}"


def test_records_are_exported_while_slurm_answers(answer: Any) -> None:
    """Without a start time, sacct shows only the jobs of today."""
    text = PLAIN + "slurm: {accounting: managed}\n"
    _, move = answer(text, *FROM_PCS, "--allow-unsupported")
    [command] = [line for line in steps(move).splitlines() if "sacct" in line]
    assert "--starttime=1970-01-01" in command
    assert steps(move).index("sacct") < steps(move).index("--pause")


def test_what_only_the_old_section_sets_is_named(answer: Any) -> None:
    text = PLAIN.replace("{pcs: {}}", "{pcs: {key_name: team, size: auto}}")
    _, move = answer(text, *FROM_PCS)
    assert any("settings only under targets.pcs: key_name, size" in line for line in move["lost"])


def test_an_existing_cluster_keeps_its_records_and_homes(answer: Any) -> None:
    _, move = answer(EXAMPLES["pcs-existing-cluster"].read_text(), *FROM_PCS)
    assert not any("home directories" in line or "records" in line for line in move["lost"])
    assert "delete the nodes and queues; pcs_0a1b2c3d4e stays" in steps(move)


@pytest.mark.parametrize("form", ["text", "markdown"])
def test_forms(form: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(PLAIN)
    assert main(["move", str(file), "--output", form, *FROM_PCS]) == 0
    out = capsys.readouterr().out
    assert out.startswith({"text": "small: from pcs to", "markdown": "# small: from `pcs`"}[form])
    assert "1. name both under targets" in out
    command = 'sudo "$(which scontrol)" update partitionname=gpu state=up'
    assert (
        f"cluster, let jobs in:\n        {command}\n" in out
        or f"cluster, let jobs in: `{command}`\n" in out
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--from", "pcs", "--to", "pcs"), "are both pcs"),
        (("--from", "x", "--to", "pcs"), "no target 'x'; use one of parallelcluster, pcs"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], words: str, tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(PLAIN)
    assert main(["move", str(file), *arguments]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_two_specs_of_one_name_are_one_cluster(
    target: str, tmp_path: Path, capsys: Capture
) -> None:
    """Its steps would destroy the only cluster, or change the foundation without a word."""
    old, new = tmp_path / "old.yaml", tmp_path / "new.yaml"
    old.write_text(PLAIN)
    new.write_text(PLAIN.replace("pcs", target))
    assert main(["move", str(old), str(new)]) == 2
    assert "both specs are called small" in capsys.readouterr().err


def test_a_spec_that_cannot_be_read_is_named(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "spec.yaml"
    file.write_text(PLAIN)
    assert main(["move", str(file), str(tmp_path / "nothing.yaml")]) == 2
    assert "nothing.yaml: no such file" in capsys.readouterr().err


MOUNTED = "storage: [{mount: /work, type: fsx-lustre, size: 4800GiB}]\n"
BOTH = "targets: {pcs: {}, parallelcluster: {}}\n"


def deployed(made: Any, files: Any, arguments: tuple[str, ...], left: set[str]) -> None:
    """Deploys a bundle, and looks which stacks are left, and that the file system stays."""
    made.render(files)
    made.deployed(*arguments)
    stacks = made.account.cloudformation.stacks
    assert set(stacks) == left
    assert stacks["example-foundation"].ids["StorageWork"] == "storagework-0a1b"


def test_the_steps_keep_the_file_system(tmp_path: Path) -> None:
    """PCS alone, then ParallelCluster beside it, then PCS destroyed: one foundation throughout."""
    alone = Fragments("pcs").files(f"{MOUNTED}targets: {{pcs: {{}}}}\n")
    beside = Fragments("parallelcluster").files(MOUNTED + BOTH)
    with reaching(tmp_path, alone) as made:
        rendered_again = Fragments("pcs").files(MOUNTED + BOTH)
        deployed(made, alone, (), {"example-foundation", "example-pcs"})
        deployed(made, beside, (), {"example-foundation", "example-pcs"})
        deployed(made, rendered_again, ("--destroy",), {"example-foundation"})
        orphans = {type for type, _ in made.account.cloudformation.orphans}
        assert orphans <= {"AWS::Logs::LogGroup"}
        assert made.account.pcluster.status == "CREATE_COMPLETE"


# ------------------------------------------------------------------ an upgrade beside the old one


@pytest.mark.parametrize("to", ["parallelcluster", "pcs"])
def test_volumes_are_copied_there_and_back(to: str, answer: Any) -> None:
    """A new volume is empty, so its data cannot be there before the copy."""
    if to == "pcs":
        status, move = answer(WITH_VOLUME, *TO_PCS, "--allow-unsupported")
    else:
        status, move = answer((WITH_VOLUME, second(WITH_VOLUME)))
    assert status == 0
    phases = {phase["title"].split()[0]: phase for phase in move["phases"]}
    [check] = [step for step in phases["create"]["steps"] if "check that the data" in step]
    assert check.endswith(": /work")
    rsync = "sudo rsync --archive --hard-links --acls --xattrs --update"
    between = f"sudo mkdir -p /work/moved/data && {rsync} /data/ /work/moved/data/"
    there = [f"{rsync} /work/moved/data/ /data/"] if to == "parallelcluster" else []
    for phase in ("create", "drain"):
        for command in (between, *there):
            assert command in phases[phase]["commands"]
    assert f"{rsync} /work/moved/data/ /data/" in phases["cut"]["back_commands"]
    assert f"{rsync} /work/moved/home/ /home/" in phases["create"]["commands"]


GREEN = second(PLAIN)


def test_an_upgrade_is_a_new_cluster_on_the_same_foundation(answer: Any) -> None:
    status, move = answer((PLAIN, GREEN))
    assert (status, move["name"], move["new_name"]) == (0, "small", "small-2")
    assert titles(move) == SIDE_BY_SIDE
    text = steps(move)
    assert "clustergen render 1.yaml --target pcs" in text
    assert "create the cluster in it: out/small-2/pcs/deploy.sh" in text
    assert "the foundation stays, with the data: out/small/pcs/deploy.sh --destroy" in text
    assert "keep `foundation: small` in that of small-2" in text
    assert not any("home directories" in line for line in move["lost"]), "they are in /work/home"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("foundation: small\n", "", "write `foundation: small` in the spec of small-2"),
        ("region: us-east-1", "region: us-east-2", "file systems stay in us-east-1"),
        ("4800GiB", "1200GiB", "the foundation: StorageWork"),
        (
            "{pcs: {}}",
            "{parallelcluster: {}}",
            "would delete NodeRole, NodeInstanceProfile from the foundation",
        ),
    ],
)
def test_an_upgrade_needs_the_same_foundation(old: str, new: str, words: str, answer: Any) -> None:
    zone = "use2-az1" if "east-2" in new else "use1-az6"
    text = GREEN.replace(old, new).replace("use1-az6", zone)
    status, move = answer((PLAIN, text))
    assert status == 1
    assert any(words in line for line in move["blocked"]), move["blocked"]


SECRET = "arn:aws:secretsmanager:us-east-1:111122223333:secret:slurm-AbCdEf"
DATABASE = (
    f"slurm: {{accounting: {{endpoint: db.example.com, user: slurm, secret: '{SECRET}', %s}}}}"
)


@pytest.mark.parametrize(("named", "kept"), [("database: records", True), ("port: 3306", False)])
def test_records_stay_in_a_database_that_both_use(named: str, kept: bool, answer: Any) -> None:
    """ParallelCluster names the database after the cluster unless the spec names it."""
    text = PLAIN.replace("{pcs: {}}", "{parallelcluster: {}}") + DATABASE % named
    _, move = answer((text, second(text)))
    assert ("disable --now slurmdbd" in steps(move)) is kept
    assert ("make a snapshot of the database at db.example.com" in steps(move)) is kept
    assert titles(move)[1] == ("drain the old cluster" if kept else "create the new cluster")
    assert any("records of jobs" in line for line in move["lost"]) is not kept


def test_a_spec_with_several_targets_needs_the_option(answer: Any) -> None:
    two = PLAIN.replace("{pcs: {}}", "{pcs: {}, parallelcluster: {}}")
    both = two, second(two, "beta")
    assert answer(both)[0] == 2
    status, move = answer(both, "--from", "pcs", "--to", "pcs")
    assert (status, move["from"], move["to"]) == (0, "pcs", "pcs")


USERS = {
    "instances": {"Reservations": [{"Instances": [{"InstanceId": "i-0a1b2c3d4e5f67890"}]}]},
    "network-interfaces": {"NetworkInterfaces": [{"NetworkInterfaceId": "eni-0a1b2c3d4e5f67890"}]},
}


@pytest.mark.parametrize("efa", ["true", "false"])
def test_the_upgrade_keeps_the_file_system(efa: str, tmp_path: Path) -> None:
    """A second cluster beside the first, the first destroyed, the foundation destroyed last."""
    mounted = MOUNTED.replace("4800GiB", f"4800GiB, efa: {efa}")
    old = Fragments("pcs").files(f"{mounted}targets: {{pcs: {{}}}}\n")
    new = Fragments("pcs").files(
        f"{mounted}name: second\nfoundation: example\ntargets: {{pcs: {{}}}}\n"
    )
    with reaching(tmp_path, old) as made:
        account = made.account
        stacks = account.cloudformation.stacks
        deployed(made, old, (), {"example-foundation", "example-pcs"})
        deployed(made, new, (), {"example-foundation", "example-pcs", "second-pcs"})
        deployed(made, old, ("--destroy",), {"example-foundation", "second-pcs"})
        for what, users in USERS.items():
            account.answers[f"ec2 describe-{what}"] = users
        done = made.stops("-0a1b2c3d4e5f67890", "--destroy-foundation")
        assert "specs with the foundation example" in done.stderr
        assert "example-foundation" in stacks
        for what in USERS:
            del account.answers[f"ec2 describe-{what}"]
        made.render(new)
        for option in ("--destroy", "--destroy-foundation"):
            made.deployed(option)
        assert set(stacks) == set()


def test_the_new_cluster_waits_for_the_capacity_of_the_old_one(answer: Any) -> None:
    """ParallelCluster deletes a new cluster whose first nodes do not start."""
    _, move = answer(BLOCK, *FROM_PCS)
    *_, pause, wait = move["phases"][1]["steps"]
    assert pause.startswith("stop the nodes, which frees the reserved capacity")
    assert "--capacity-reservation-ids cr-0a1b2c3d4e5f67890" in wait
    _, move = answer(PLAIN, *FROM_PCS)
    assert "and with them most of the cost" in steps(move)
    assert "are available" not in steps(move)


def test_nodes_of_a_capacity_block_are_requested_from_eks(answer: Any) -> None:
    """Without dates, deploy.sh leaves the group at zero, and nothing could be tested."""
    _, move = answer(BLOCK, "--from", "pcs", "--to", "eks")
    (create,) = [each for each in move["phases"] if each["title"] == "create the new cluster"]
    assert "--nodegroup-name gpu --scaling-config desiredSize=2" in create["commands"][1]


def test_one_recipe_for_a_second_spec_is_enough(answer: Any) -> None:
    _, move = answer(BLOCK, "--from", "eks", "--to", "hyperpod-eks")
    assert sum("copy this spec" in line for line in move["blocked"]) == 1


def test_the_old_service_leaves_the_foundation_after_a_move_with_two_specs(answer: Any) -> None:
    old = PLAIN.replace("{pcs: {}}", "{eks: {}, hyperpod-eks: {}}")
    _, move = answer((old, second(old, "small2")), "--from", "eks", "--to", "hyperpod-eks")
    assert "take eks out of targets: clustergen render 1.yaml" in move["phases"][-1]["steps"]
