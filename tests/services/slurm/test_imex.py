"""NVIDIA IMEX of UltraServers: the prolog, and where it is."""

from pathlib import Path

import pytest
import yaml

from clustergen.services.slurm import imex
from tests.support.checking import Fragments, example_files
from tests.support.scripts import Rig

BLOCK = "capacity: {capacity_block: cr-0a1b2c3d4e5f67890}"
GB200 = f"""
head_node: {{instance_type: m7g.4xlarge}}
node_groups:
  - {{name: gb200, instance_type: p6e-gb200.36xlarge, count: 18, {BLOCK}}}
queues: [{{name: ultra, node_groups: [gb200], exclusive: true}}]
"""
NODES = "etc/nvidia-imex/nodes_config.cfg"
NODE = {
    "curl": "[[ $* != *instance-type ]] || echo p6e-gb200.36xlarge",
    "scontrol": "for n in 1 2; do echo NodeName=g-$n A=aarch64 NodeAddr=10.0.0.$n X=g-$n; done",
    **dict.fromkeys(("logger", "mknod"), ""),
}
ENVIRONMENT = (
    "export SLURMD_NODENAME=g-1 SLURM_JOB_ID=7 SLURM_NODELIST='g-[1-2]'\n"
    "export SLURM_JOB_OVERSUBSCRIBE={}\n"
)


def prolog(
    tmp_path: Path, shares: str, answers: dict[str, str], before: str = "0.0.0.0"
) -> tuple[int, list[str], str]:
    """The status, the calls, and the nodes of the domain."""
    rig = Rig(tmp_path, {**NODE, **answers})
    (tmp_path / NODES).parent.mkdir(parents=True)
    (tmp_path / NODES).write_text(f"{before}\n")
    head, _, body = imex.script(linger=0).partition("\n")
    done = rig.run(f"{head}\n{ENVIRONMENT.format(shares)}{body}")
    return done.status, done.calls, (tmp_path / NODES).read_text()


@pytest.mark.parametrize("shares", ["NO", "TOPO"])
def test_the_nodes_of_a_job_are_a_domain(tmp_path: Path, shares: str) -> None:
    status, calls, nodes = prolog(tmp_path, shares, {})
    assert (status, nodes) == (0, "10.0.0.1\n10.0.0.2\n")
    assert "scontrol --all --oneliner show node g-[1-2]" in calls
    services = [call.removeprefix("systemctl ") for call in calls if call.startswith("systemctl")]
    verbs = ("is-enabled --quiet", "stop", "start")
    assert services == [f"{verb} nvidia-imex" for verb in verbs]


@pytest.mark.parametrize(
    ("before", "restarts"), [("10.0.0.1\n10.0.0.2", True), ("10.0.0.1", False)]
)
def test_a_job_that_shares_its_node_leaves_the_domain_of_an_earlier_one(
    tmp_path: Path, before: str, restarts: bool
) -> None:
    """Once: other jobs that share the node use the new one."""
    alone = {"scontrol": "[[ $* != *'node g-1' ]] || echo NodeName=g-1 NodeAddr=10.0.0.1 X=1"}
    status, calls, nodes = prolog(tmp_path, "YES", alone, before)
    assert (status, nodes) == (0, "10.0.0.1\n" if restarts else before + "\n")
    assert ("systemctl start nvidia-imex" in calls) is restarts
    assert "add --exclusive" in "".join(calls)


UNCHANGED = [
    ("YES", {}, "add --exclusive"),
    ("NO", {"curl": "[[ $* != *instance-type ]] || echo p5en.48xlarge"}, ""),
    ("NO", {"curl": "exit 7"}, ""),
    ("NO", {"systemctl": "exit 1"}, "the image has no nvidia-imex"),
]


@pytest.mark.parametrize(("shares", "answers", "said"), UNCHANGED)
def test_other_jobs_and_nodes_stay_as_they_are(
    tmp_path: Path, shares: str, answers: dict[str, str], said: str
) -> None:
    """Slurm would drain a node whose prolog fails."""
    status, calls, nodes = prolog(tmp_path, shares, answers)
    assert (status, nodes) == (0, "0.0.0.0\n")
    assert not [call for call in calls if call.startswith(("systemctl st", "mknod"))]
    assert said in "".join(calls)


def test_a_service_that_does_not_stop_or_start_is_reported(tmp_path: Path) -> None:
    hangs = {"systemctl": "[[ $1 == is-enabled || $1 == kill ]]"}
    status, calls, _ = prolog(tmp_path, "NO", hangs)
    assert status == 0
    assert "systemctl kill --signal=KILL nvidia-imex" in calls
    assert any("nvidia-imex does not start" in call for call in calls)


@pytest.mark.parametrize("answer", ["exit 1", "exit 0", "echo slurm_load_node error"])
def test_without_the_nodes_of_the_job_there_is_no_domain(tmp_path: Path, answer: str) -> None:
    """That of an earlier job would reach its nodes, which others have now."""
    status, calls, _ = prolog(tmp_path, "NO", {"scontrol": answer})
    assert status == 0
    assert "systemctl stop nvidia-imex" in calls
    assert "systemctl start nvidia-imex" not in calls
    assert any("Slurm does not say which nodes" in call for call in calls)


def test_it_installs_itself(tmp_path: Path) -> None:
    rig = Rig(tmp_path, {"chmod": '/bin/chmod "$@"'})
    folder = tmp_path / "opt/prolog.d"
    assert rig.run(imex.script(linger=0), "install", f"{folder}/91_imex.sh").status == 0
    [file] = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o755


def test_pcs_has_it_on_every_node() -> None:
    files = Fragments("pcs").files(GB200)
    assert '"/opt/clustergen/imex/prolog.sh"' in files["cluster.template.json"]
    assert "Alloc,NoHold" in files["cluster.template.json"]
    # The other group is that of the smallest spec.
    assert files["cluster.template.json"].count('"Name": "imex"') == 2
    assert "enabled nvidia-imex" in files["verify.sh"]
    assert "NCCL_MNNVL_ENABLE=1" in files["jobs/torchrun-gb200.sbatch"]
    assert "nvidia-imex-ctl -N" in files["smoke/imex-gb200.sbatch"]


def test_without_our_prolog_jobs_do_not_count_on_nvlink() -> None:
    own = f"{GB200}slurm: {{settings: {{Prolog: /opt/own.sh}}}}"
    files = Fragments("pcs").files(own)
    assert "scripts/imex.sh" not in files
    assert "smoke/imex-gb200.sbatch" not in files
    assert "MNNVL" not in files["jobs/torchrun-gb200.sbatch"]


def test_an_existing_cluster_needs_a_prolog_of_its_own() -> None:
    text = f"{GB200}slurm: {{version: '25.11'}}\ntargets: {{pcs: {{cluster: pcs_0a1b2c3d4e}}}}"
    assert "CAP207" in {each.code for each in Fragments("pcs").findings(text)}


def test_a_version_of_slurm_without_imex_is_an_error() -> None:
    """PCS needs 25.05 for it, and offers no earlier one."""
    found = Fragments("pcs").findings(f"{GB200}slurm: {{version: '24.11'}}")
    assert [each.path for each in found if each.severity == "error"] == [("slurm", "version")]


def test_the_head_node_of_parallelcluster_gives_it_to_the_others() -> None:
    files = example_files("p6e-gb200-ultraserver", "parallelcluster")
    settings = yaml.safe_load(files["cluster.yaml"])["Scheduling"]["SlurmSettings"]
    found = {name: text for each in settings["CustomSlurmSettings"] for name, text in each.items()}
    assert (found["PrologFlags"], found["MessageTimeout"]) == ("Alloc,NoHold", 100)
    assert "imex.sh" in files["scripts/hook.sh"]
    assert "/opt/slurm/etc/scripts/prolog.d/91_clustergen_imex.sh" in files["scripts/hook.sh"]
    assert "NCCL_MNNVL_ENABLE=1" in files["jobs/torchrun-gb200.sbatch"]


@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_other_nodes_need_none_of_it(target: str) -> None:
    files = Fragments(target).files("")
    assert not [path for path, text in files.items() if "imex" in path or "nvidia-imex" in text]
