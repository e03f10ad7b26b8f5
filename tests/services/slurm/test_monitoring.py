"""Nodes measure themselves and send it, on images with and without what that takes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.services.slurm.services import HyperPod, ParallelCluster, Pcs
from tests.support import systemd_node
from tests.support.scripts import programs
from tests.support.systemd_node import SystemdNode
from tests.support.tiers import needs

pytestmark = [needs(systemd_node.impossible), pytest.mark.sampled(3)]

WORKSPACE = "ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789"
SPEC = f"""
head_node: {{instance_type: m7i.4xlarge}}
login: {{instance_type: m7i.xlarge}}
node_groups: [{{name: h200, instance_type: p5en.48xlarge, count: 2}}]
queues: [{{name: train, node_groups: [h200]}}]
storage: [{{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}}]
monitoring: {{metrics: managed-prometheus, workspace: {WORKSPACE}, interval: 1m}}
"""
CLOUDWATCH = SPEC.replace(f"managed-prometheus, workspace: {WORKSPACE}", "cloudwatch")
NEW = SPEC.replace(f", workspace: {WORKSPACE}", "")
AGENT = "opt/aws/amazon-cloudwatch-agent"
# It remembers its files on the disk, restarts when asked to, and adds to what it has.
CONTROL = f"""#!/bin/bash
echo "agent: $*" >>/rig/agent
file=${{@: -1}}
[[ $2 == append-config ]] || rm -f /{AGENT}/etc/amazon-cloudwatch-agent.d/*
python3 -m json.tool "${{file#file:}}" >/dev/null || exit 1
cp "${{file#file:}}" "/{AGENT}/etc/amazon-cloudwatch-agent.d/file_$(basename "$file")"
"""
# What the node answers to the agent, and what starts at a boot.
LOOK = """
/usr/sbin/ip link set lo up
for ((n = 0; n < 300; n++)); do
  if python3 - <<'END'
import urllib.request
text = urllib.request.urlopen("http://127.0.0.1:9101/metrics", timeout=60).read().decode()
for line in text.splitlines():
    if line.startswith(("clustergen_", "node_load1")):
        print(line)
END
  then break; fi
  /usr/bin/sleep 0.3
done
for unit in node-metrics dcgm; do
  name=clustergen-$unit
  echo "$unit: $(systemctl is-enabled $name) $(systemctl show -P ActiveState $name)"
done
echo "files: $(ls /opt/aws/amazon-cloudwatch-agent/etc/*.d | tr '\\n' ' ')"
"""
Service = Pcs | ParallelCluster | HyperPod
SERVICES: dict[str, Callable[[str, str], Service]] = {
    "pcs": Pcs,
    "parallelcluster": ParallelCluster,
    "hyperpod": HyperPod,
}
RUNNING = ("node-metrics: enabled active", "dcgm: enabled")
BOTH = "files: file_clustergen-metrics.json file_logs.json"
HERE = "opt/clustergen/monitoring"
TOOLKIT = "nvidia-container-runtime-hook"


def node(service: Service, folder: Path, *, agent: bool = True) -> SystemdNode:
    """A node whose image has the agent, configured by the service for its logs."""
    made = SystemdNode(folder, folder / "servers")
    service.prepare(made)
    # An exporter keeps running.
    docker = {"docker": "[[ $1 != run ]] || exec /usr/bin/sleep 1000"}
    programs(made.root / "rig/bin", docker | {TOOLKIT: ""})
    if agent:
        programs(made.root / AGENT / "bin", {"amazon-cloudwatch-agent-ctl": CONTROL})
        made.write(f"{AGENT}/etc/amazon-cloudwatch-agent.d/file_logs.json", "{}")
    return made


def scraped(made: SystemdNode) -> Any:
    return yaml.safe_load((made.root / HERE / "prometheus.yaml").read_text())


def calls_of_agent(made: SystemdNode) -> list[str]:
    return (made.root / "rig/agent").read_text().splitlines()


@pytest.mark.parametrize("name", SERVICES)
def test_a_compute_node_measures_itself_after_every_boot(name: str, tmp_path: Path) -> None:
    service = SERVICES[name](SPEC, "compute")
    made = node(service, tmp_path)
    expected = ("clustergen_expected_gpus 8", "clustergen_expected_efa 16", 'group="h200"')
    for steps in (service.first(), service.later(), service.later()):
        made.boot(f"{steps}\n{LOOK}").works(*expected, *RUNNING, "node_load1", BOTH)
    # Nothing was new at the later boots, so the agent kept running.
    [call] = calls_of_agent(made)
    assert call.startswith("agent: -a append-config -m ec2 -s -c file:")


@pytest.mark.parametrize("name", SERVICES)
def test_a_node_of_a_group_with_several_types_knows_its_own(name: str, tmp_path: Path) -> None:
    """What it costs is read by it."""
    types = "instance_type: null, instance_types: [g6e.12xlarge, g6.12xlarge]"
    service = SERVICES[name](SPEC.replace("instance_type: p5en.48xlarge", types), "compute")
    made = node(service, tmp_path)
    made.write("rig/bin/curl", "#!/bin/bash\n[[ $* != *instance-type ]] || echo ml.g6.12xlarge\n")
    assert 'instance_type="g6.12xlarge"' in made.boot(service.first() + LOOK)


TOLD = '{"cluster": {"scheduler_compute_resource_name": "tune"}}'


@pytest.mark.parametrize(("dna", "group"), [(TOLD, ',group="tune"'), ("{}", "")])
def test_a_node_of_a_queue_knows_its_group(dna: str, group: str, tmp_path: Path) -> None:
    """The actions of a queue are the same for the nodes of all of its groups."""
    more = "{name: tune, instance_type: p5.48xlarge, count: 1}"
    two = SPEC.replace("count: 2}", f"count: 2}}, {more}").replace("[h200]", "[h200, tune]")
    service = ParallelCluster(two, "compute")
    made = node(service, tmp_path)
    made.write("etc/chef/dna.json", dna)
    labels = f'{{role="compute"{group},instance_type="'
    made.boot(service.first() + LOOK).works(f"clustergen_node_info{labels}")


@pytest.mark.parametrize("name", SERVICES)
def test_a_node_sends_metrics_to_cloudwatch(name: str, tmp_path: Path) -> None:
    service = SERVICES[name](CLOUDWATCH, "compute")
    made = node(service, tmp_path)
    for steps in (service.first(), service.later()):
        made.boot(f"{steps}\n{LOOK}").works("clustergen_expected_gpus 8", *RUNNING, BOTH)
    settings = json.loads((made.root / HERE / "clustergen-metrics.json").read_text())
    prometheus = settings["logs"]["metrics_collected"]["prometheus"]
    assert prometheus["prometheus_config_path"] == f"/{HERE}/prometheus.yaml"
    assert [job["job_name"] for job in scraped(made)["scrape_configs"]] == ["node", "dcgm"]
    [declared, _] = prometheus["emf_processor"]["metric_declaration"]
    assert declared["label_matcher"] == "^example$"
    assert "^DCGM_FI_DEV_GPU_TEMP$" in declared["metric_selectors"]
    assert len(calls_of_agent(made)) == 1


def test_an_agent_that_lost_the_settings_gets_them_again(tmp_path: Path) -> None:
    service = Pcs(SPEC, "compute")
    made = node(service, tmp_path)
    made.boot(service.first()).works()
    (made.root / AGENT / "etc/amazon-cloudwatch-agent.d/file_clustergen-metrics.json").unlink()
    made.boot(service.later() + LOOK).works(BOTH)


@pytest.mark.parametrize(
    ("name", "lacks"), [*((name, "docker") for name in SERVICES), ("pcs", TOOLKIT)]
)
def test_an_image_without_agent_and_docker_boots(name: str, lacks: str, tmp_path: Path) -> None:
    service = SERVICES[name](SPEC, "compute")
    made = node(service, tmp_path, agent=False)
    (made.root / f"rig/bin/{lacks}").unlink()
    # Programs of nodes are those of this machine, which may have it.
    made.write("rig/hide", f'command() {{ [[ $* != "-v {lacks}"* ]] && builtin command "$@"; }}\n')
    said = made.boot(f"export BASH_ENV=/rig/hide\n{service.first()}{LOOK}")
    assert "no CloudWatch agent" in said
    assert "node-metrics: enabled active" in said
    assert "neither Docker with NVIDIA's container toolkit nor a DCGM exporter" in said
    # Of HyperPod's nodes, verify.sh and an alert name steps that failed.
    assert ("clustergen_unfinished_steps 1" in said) is (name == "hyperpod")
    assert ("step monitoring failed" in said) is (name == "hyperpod")
    # An exporter that is not there would count as one that is down.
    assert [job["job_name"] for job in scraped(made)["scrape_configs"]] == ["node"]


def test_the_head_node_reads_the_workspace_and_collects_slurm(tmp_path: Path) -> None:
    service = ParallelCluster(NEW, "head")
    made = node(service, tmp_path)
    workspace = "rig/bucket/clusters/example/metrics-workspace.json"
    made.write(workspace, f'{{"workspace": "{WORKSPACE}"}}')
    reads = "url=${@: -2:1} to=${@: -1}\n[[ $to != - ]] || to=/dev/stdout\n"
    made.write("rig/bin/aws", f'#!/bin/bash\n{reads}cat "/rig/bucket/${{url#s3://*/}}" >"$to"\n')
    for steps in (service.first(), service.again()):
        made.boot(steps + LOOK).works('role="head"', "node-metrics: enabled active")
    assert WORKSPACE in (made.root / HERE / "clustergen-metrics.json").read_text()
    assert scraped(made)["global"]["scrape_interval"] == "60s"
    jobs = {job["job_name"]: job["static_configs"] for job in scraped(made)["scrape_configs"]}
    assert set(jobs) == {"node", "slurm"}
    assert {target["targets"][0] for target in jobs["slurm"]} == {"localhost:6820"}
    assert jobs["node"][0]["labels"] == {"cluster": "example", "node": "node"}


def test_a_login_node_of_pcs_asks_for_the_controller(tmp_path: Path) -> None:
    service = Pcs(SPEC, "login")
    made = node(service, tmp_path)
    [action] = (one for one in service.actions if one["Name"] == "monitoring")
    assert action["Arguments"][1] == {"Fn::GetAtt": ["Cluster", "Id"]}
    action["Arguments"][1] = "pcs_0a1b2c3d4e"
    answer = '[[ "$*" != *"pcs get-cluster"* ]] || printf "10.1.0.5\\t6817\\n"'
    made.write("rig/bin/aws", f"#!/bin/bash\n{answer}\n")
    made.boot(service.first() + LOOK).works('role="login"')
    assert '"10.1.0.5:6817"' in (made.root / HERE / "prometheus.yaml").read_text()
