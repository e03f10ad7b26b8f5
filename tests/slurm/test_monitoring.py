"""Nodes measure themselves and send it, on images with and without what that takes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.slurm.services import HyperPod, ParallelCluster, Pcs
from tests.support import systemd_node
from tests.support.systemd_node import Boot, SystemdNode

pytestmark = pytest.mark.skipif(bool(systemd_node.impossible()), reason=systemd_node.impossible())

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
for n in 1 2 3 4 5 6 7 8 9; do
  if python3 - <<'END'
import urllib.request
text = urllib.request.urlopen("http://127.0.0.1:9101/metrics", timeout=5).read().decode()
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


def node(service: Service, folder: Path, *, agent: bool = True) -> SystemdNode:
    """A node whose image has the agent, configured by the service for its logs."""
    made = SystemdNode(folder, folder / "servers")
    service.prepare(made)
    # An exporter keeps running.
    made.write("rig/bin/docker", "#!/bin/bash\n[[ $1 != run ]] || exec /usr/bin/sleep 1000\n")
    if agent:
        made.write(f"{AGENT}/bin/amazon-cloudwatch-agent-ctl", CONTROL)
        (made.root / AGENT / "bin/amazon-cloudwatch-agent-ctl").chmod(0o755)
        made.write(f"{AGENT}/etc/amazon-cloudwatch-agent.d/file_logs.json", "{}")
    return made


def has(boot: Boot, *expected: str) -> None:
    for text in (*expected, "status 0"):
        assert text in boot, f"{text!r} is not in:\n{boot.output}\n{boot.journal[-2000:]}"
    assert "failed" not in boot, boot.output


@pytest.mark.parametrize("name", SERVICES)
def test_a_compute_node_measures_itself_after_every_boot(name: str, tmp_path: Path) -> None:
    service = SERVICES[name](SPEC, "compute")
    made = node(service, tmp_path)
    expected = ("clustergen_expected_gpus 8", "clustergen_expected_efa 16", 'group="h200"')
    both = "files: file_clustergen-metrics.json file_logs.json"
    for steps in (service.first(), service.later(), service.later()):
        has(made.boot(f"{steps}\n{LOOK}"), *expected, *RUNNING, "node_load1", both)
    # Nothing was new at the later boots, so the agent kept running.
    calls = (made.root / "rig/agent").read_text().splitlines()
    assert len(calls) == 1
    assert calls[0].startswith("agent: -a append-config -m ec2 -s -c file:")


@pytest.mark.parametrize("name", SERVICES)
def test_a_node_sends_metrics_to_cloudwatch(name: str, tmp_path: Path) -> None:
    service = SERVICES[name](CLOUDWATCH, "compute")
    made = node(service, tmp_path)
    both = "files: file_clustergen-metrics.json file_logs.json"
    for steps in (service.first(), service.later()):
        has(made.boot(f"{steps}\n{LOOK}"), "clustergen_expected_gpus 8", *RUNNING, both)
    folder = made.root / "opt/clustergen/monitoring"
    settings = json.loads((folder / "clustergen-metrics.json").read_text())
    prometheus = settings["logs"]["metrics_collected"]["prometheus"]
    assert prometheus["prometheus_config_path"] == "/opt/clustergen/monitoring/prometheus.yaml"
    scraped = yaml.safe_load((folder / "prometheus.yaml").read_text())
    assert [job["job_name"] for job in scraped["scrape_configs"]] == ["node", "dcgm"]
    [declared, _] = prometheus["emf_processor"]["metric_declaration"]
    assert declared["label_matcher"] == "^example$"
    assert "^DCGM_FI_DEV_GPU_TEMP$" in declared["metric_selectors"]
    assert len((made.root / "rig/agent").read_text().splitlines()) == 1


def test_an_agent_that_lost_the_settings_gets_them_again(tmp_path: Path) -> None:
    service = Pcs(SPEC, "compute")
    made = node(service, tmp_path)
    has(made.boot(service.first()))
    (made.root / AGENT / "etc/amazon-cloudwatch-agent.d/file_clustergen-metrics.json").unlink()
    has(made.boot(service.later() + LOOK), "files: file_clustergen-metrics.json file_logs.json")


@pytest.mark.parametrize("name", SERVICES)
def test_an_image_without_agent_and_docker_boots(name: str, tmp_path: Path) -> None:
    service = SERVICES[name](SPEC, "compute")
    made = node(service, tmp_path, agent=False)
    (made.root / "rig/bin/docker").unlink()
    # Programs of nodes are those of this machine, which may have it.
    made.write("rig/hide", 'command() { [[ $* != "-v docker" ]] && builtin command "$@"; }\n')
    said = made.boot(f"export BASH_ENV=/rig/hide\n{service.first()}{LOOK}")
    has(said, "no CloudWatch agent", "node-metrics: enabled active", "clustergen_expected_gpus 8")
    assert "neither Docker nor a DCGM exporter" in said
    # An exporter that is not there would count as one that is down.
    scraped = yaml.safe_load((made.root / "opt/clustergen/monitoring/prometheus.yaml").read_text())
    assert [job["job_name"] for job in scraped["scrape_configs"]] == ["node"]


def test_the_head_node_reads_the_workspace_and_collects_slurm(tmp_path: Path) -> None:
    service = ParallelCluster(NEW, "head")
    made = node(service, tmp_path)
    made.write(
        "rig/bucket/clusters/example/metrics-workspace.json", f'{{"workspace": "{WORKSPACE}"}}'
    )
    made.write(
        "rig/bin/aws",
        "#!/bin/bash\nurl=${@: -2:1} to=${@: -1}\n[[ $to != - ]] || to=/dev/stdout\n"
        'cat "/rig/bucket/${url#s3://*/}" >"$to"\n',
    )
    for steps in (service.first(), service.again()):
        has(made.boot(steps + LOOK), 'role="head"', "node-metrics: enabled active")
    folder = made.root / "opt/clustergen/monitoring"
    assert WORKSPACE in (folder / "clustergen-metrics.json").read_text()
    scraped = yaml.safe_load((folder / "prometheus.yaml").read_text())
    assert scraped["global"]["scrape_interval"] == "60s"
    jobs = {job["job_name"]: job["static_configs"] for job in scraped["scrape_configs"]}
    assert set(jobs) == {"node", "slurm"}
    assert {target["targets"][0] for target in jobs["slurm"]} == {"localhost:6820"}
    assert jobs["node"][0]["labels"] == {"cluster": "example", "node": "node"}


def test_a_login_node_of_pcs_asks_for_the_controller(tmp_path: Path) -> None:
    service = Pcs(SPEC, "login")
    made = node(service, tmp_path)
    [action] = (one for one in service.actions if one["Name"] == "monitoring")
    assert action["Arguments"][1] == {"Fn::GetAtt": ["Cluster", "Id"]}
    action["Arguments"][1] = "pcs_0a1b2c3d4e"
    made.write(
        "rig/bin/aws",
        '#!/bin/bash\n[[ "$*" != *"pcs get-cluster"* ]] || printf "10.1.0.5\\t6817\\n"\n',
    )
    has(made.boot(service.first() + LOOK), 'role="login"')
    scraped = (made.root / "opt/clustergen/monitoring/prometheus.yaml").read_text()
    assert '"10.1.0.5:6817"' in scraped
