"""Alerts and panels read series that the exporters of their bundle export, as it sets them up."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pytest

from clustergen.base.findings import EXAMPLE_BASE
from clustergen.base.text_lists import word_set
from clustergen.plan.model import Plan
from clustergen.services.monitoring.alarms import alerts_with_alarms
from clustergen.services.monitoring.counters import ADD_ON_FIELDS
from clustergen.services.monitoring.dashboards import dashboards
from clustergen.services.monitoring.files import node_metrics
from clustergen.services.monitoring.rules import rule_groups
from clustergen.services.monitoring.sources import Source, sources
from tests.services.monitoring.exporters import SLURM
from tests.support.checking import Fragments

METRIC = re.compile(r"\b[a-zA-Z_:][\w:]*(?=[{\[])")
ADD_ON = word_set("""
    DCGM_FI_DEV_SM_CLOCK DCGM_FI_DEV_MEM_CLOCK DCGM_FI_DEV_MEMORY_TEMP DCGM_FI_DEV_GPU_TEMP
    DCGM_FI_DEV_POWER_USAGE DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION DCGM_FI_DEV_PCIE_REPLAY_COUNTER
    DCGM_FI_DEV_GPU_UTIL DCGM_FI_DEV_MEM_COPY_UTIL DCGM_FI_DEV_ENC_UTIL DCGM_FI_DEV_DEC_UTIL
    DCGM_FI_DEV_XID_ERRORS DCGM_FI_DEV_FB_FREE DCGM_FI_DEV_FB_USED DCGM_FI_DEV_FB_RESERVED
    DCGM_FI_DEV_RETIRED_SBE DCGM_FI_DEV_RETIRED_DBE DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL
    DCGM_FI_DEV_VGPU_LICENSE_STATUS DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS
    DCGM_FI_DEV_CORRECTABLE_REMAPPED_ROWS DCGM_FI_DEV_ROW_REMAP_FAILURE
    DCGM_FI_PROF_GR_ENGINE_ACTIVE DCGM_FI_PROF_PIPE_TENSOR_ACTIVE DCGM_FI_PROF_DRAM_ACTIVE
    DCGM_FI_PROF_PCIE_TX_BYTES DCGM_FI_PROF_PCIE_RX_BYTES
""")
"""Of each GPU with the level BASIC: the lines of dcgm-exporter's own file.

https://docs.aws.amazon.com/sagemaker/latest/dg/hyperpod-observability-cluster-metrics.html and
https://github.com/NVIDIA/dcgm-exporter/blob/main/etc/dcp-metrics-included.csv; 2026-11-23.
"""
ADVANCED = word_set("""
    DCGM_FI_DEV_POWER_VIOLATION DCGM_FI_DEV_THERMAL_VIOLATION DCGM_FI_DEV_SYNC_BOOST_VIOLATION
    DCGM_FI_DEV_BOARD_LIMIT_VIOLATION DCGM_FI_DEV_LOW_UTIL_VIOLATION
    DCGM_FI_DEV_RELIABILITY_VIOLATION DCGM_FI_DEV_ECC_SBE_VOL_TOTAL DCGM_FI_DEV_ECC_DBE_VOL_TOTAL
    DCGM_FI_DEV_ECC_SBE_AGG_TOTAL DCGM_FI_DEV_ECC_DBE_AGG_TOTAL DCGM_FI_DEV_RETIRED_PENDING
    DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL DCGM_FI_DEV_NVLINK_CRC_DATA_ERROR_COUNT_TOTAL
    DCGM_FI_DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL DCGM_FI_DEV_NVLINK_RECOVERY_ERROR_COUNT_TOTAL
    DCGM_FI_DEV_NVLINK_BANDWIDTH_L0 DCGM_FI_PROF_SM_ACTIVE DCGM_FI_PROF_SM_OCCUPANCY
    DCGM_FI_PROF_PIPE_FP64_ACTIVE DCGM_FI_PROF_PIPE_FP32_ACTIVE DCGM_FI_PROF_PIPE_FP16_ACTIVE
""")
"""And with ADVANCED: those that are comments there."""
OPTIONAL = {
    "clustergen_expected_gpus": "--gpus",
    "clustergen_expected_efa": "--efa",
    "clustergen_expected_lustre_efa": "--lustre-efa",
    "clustergen_missing_neuron": "--neuron",
    "clustergen_unfinished_steps": "--unfinished",
    "clustergen_mount_": "--mounts",
    "clustergen_lustre_target_": "--lustre-targets",
    "clustergen_reservation_": "--reservations",
    "clustergen_slurm_": "--slurm",
    "slurm_": "--slurm",
}
"""What the script of nodes measures only with an option."""
OF_PROGRAMS = word_set("node_timex_offset_seconds clustergen_lnet_sent_messages_total")
"""What the script of nodes asks programs for, which its container in Kubernetes lacks."""
OF_QUOTAS = ("kueue_cluster_queue_resource_usage", "kueue_cluster_queue_nominal_quota")
OF_PROMETHEUS = ("up", "ALERTS", "scrape_duration_seconds")


@dataclass(frozen=True)
class Exported:
    """Names of series, and how others begin."""

    names: frozenset[str]
    prefixes: tuple[str, ...] = ()

    def __contains__(self, name: str) -> bool:
        return name in self.names or name.startswith(self.prefixes or ("-",))


def exported(files: Mapping[str, str]) -> Exported:
    """What the exporters of a bundle export."""
    text = "\n".join(files.values())
    found = {*OF_PROMETHEUS, *re.findall(r"^\s*(DCGM_\w+), gauge", text, re.MULTILINE)}
    found |= set(of_the_add_on(files)) | set(kept(text))
    script = node_metrics()
    begins: set[str] = set()
    if "EFA_COUNTERS = (" in text:
        own = re.findall(r'"((?:clustergen|node|slurm)_[a-z_A-Z0-9]+)"', script)
        begin = re.findall(r'f"((?:clustergen|node|slurm)_\w*)\{', script)
        found |= {name for name in own if has_option(name, text)}
        begins = {name for name in begin if has_option(name, text)}
    found -= OF_PROGRAMS if "kind: DaemonSet" in text else set()
    if "/metrics/nodes" in text:
        found |= set(re.findall(r"^slurm_\w+", SLURM, re.MULTILINE))
    return Exported(frozenset(found), tuple(begins))


def has_option(name: str, text: str) -> bool:
    wanted = (option for begin, option in OPTIONAL.items() if name.startswith(begin))
    return all(re.search(rf"{option}\b", without_script(text)) for option in wanted)


def without_script(text: str) -> str:
    """Without the script itself, which knows all its options."""
    return re.sub(r"^ *parser\.add_argument.*$", "", text, flags=re.MULTILINE)


def of_the_add_on(files: Mapping[str, str]) -> Iterator[str]:
    """Metrics of HyperPod's add-on."""
    if "addons.template.json" not in files:
        return
    resources = json.loads(files["addons.template.json"])["Resources"]
    if "Observability" not in resources:
        return
    values = resources["Observability"]["Properties"]["ConfigurationValues"]["Fn::Sub"]
    level = re.search(r'"acceleratedComputeMetrics": \{"level": "(\w+)"', str(values))
    assert level
    yield from {"DISABLED": (), "BASIC": ADD_ON, "ADVANCED": ADD_ON | ADVANCED}[level[1]]


def kept(text: str) -> Iterator[str]:
    """What the scraper keeps of the metrics of Kubernetes."""
    quotas = "enableClusterQueueResources: true" in text
    for listed in re.findall(r'regex: \\*"?((?:kube_|kueue_|karpenter_)[\w|]+)', text):
        yield from (name for name in listed.split("|") if quotas or name not in OF_QUOTAS)


def read(plan: Plan) -> Iterator[tuple[str, str]]:
    """Alerts, recorded series and panels, each with a series that it reads."""
    groups = [group for file in rule_groups(plan).values() for group in file["groups"]]
    rules = [rule for group in groups for rule in group["rules"]]
    recorded = {rule.get("record") for rule in rules}
    readers = [(rule.get("alert") or rule["record"], str(rule["expr"])) for rule in rules]
    readers += [
        (f"{uid}: {panel['title']}", target["expr"])
        for uid, board in dashboards(plan).items()
        for panel in board["panels"]
        for target in panel.get("targets", ())
    ]
    for what, expr in readers:
        yield from ((what, name) for name in series(expr) if name not in recorded)


def series(expr: str) -> list[str]:
    return METRIC.findall(re.sub(r'"[^"]*"', '""', expr))


BASES = dict.fromkeys(("parallelcluster", "pcs", "hyperpod-slurm", "eks", "batch"), EXAMPLE_BASE)
BASES["hyperpod-eks"] = f"{EXAMPLE_BASE}targets: {{hyperpod-eks: {{eks_cluster: new}}}}\n"
MORE = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 9600GiB, efa: true, throughput: 500}
  - {mount: /home, type: fsx-openzfs, size: 128GiB, throughput: 160}
"""
BLOCK = "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]\n"
_TRN = "instance_type: trn1.32xlarge, count: 2, image: ami-0a1b2c3d4e5f67890"
NEURON = f"node_groups: [{{name: trn, {_TRN}}}]\n"
METRICS = {"eks": ("managed-prometheus", "self-hosted", "cloudwatch"), "batch": ("cloudwatch",)}
CASES = [
    (target, more, metrics)
    for target in BASES
    for more in ("", NEURON, "kubernetes: {autoscaler: karpenter}" if "eks" in target else MORE)
    for metrics in METRICS.get(target, ("managed-prometheus", "cloudwatch"))
]


def test_docker_alone_exports_no_metrics_of_gpus() -> None:
    docker = Fragments("parallelcluster", BASES["parallelcluster"])
    assert Source.GPU_EXPORTER not in sources(docker.plan("software: {containers: docker}"))


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("target", "more", "metrics"), CASES)
def test_what_alerts_and_panels_read_is_exported(target: str, more: str, metrics: str) -> None:
    fragments = Fragments(target, BASES[target])
    more += BLOCK if more == MORE and not target.startswith("hyperpod") else ""
    spec = f"{more}\nmonitoring: {{metrics: {metrics}, alerts: {{email: [a@example.com]}}}}"
    plan, files = fragments.plan(spec), fragments.files(spec)
    found = exported(files)
    reads = list(read(plan)) if plan.monitoring.scraped else []
    assert [(what, name) for what, name in reads if name not in found] == []
    assert bool(reads) is plan.monitoring.scraped
    sent = "\n".join(files.values())
    for alert, alarm in alerts_with_alarms(plan) if metrics == "cloudwatch" else ():
        assert (alert.name, alarm.metric, alarm.metric in found) == (alert.name, alarm.metric, True)
        assert f"^{alarm.metric}$" in sent


GRAFANA = "monitoring: {metrics: managed-prometheus, dashboards: grafana-files}\n"
JOINED = """
network: {vpc: vpc-0a1b2c3d4e5f67890, cidr: 10.20.0.0/16,
  private_subnets: [{id: subnet-0a1b2c3d4e5f67890, cidr: 10.20.0.0/17}]}
targets: {hyperpod-slurm: {cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f67891}}
"""


@pytest.mark.parametrize("more", ["", JOINED])
def test_panels_of_jobs_need_the_prolog_that_names_the_job_of_a_gpu(more: str) -> None:
    files = Fragments("hyperpod-slurm").files(GRAFANA + more)
    shown = "monitoring/dashboards/clustergen-jobs.json" in files
    assert shown is ("lifecycle/prolog.sh" in files) is (more == "")


def test_gpus_that_pods_claim_are_no_resources() -> None:
    fragments = Fragments("eks", BASES["eks"])
    for devices, counted in (("plugin", True), ("dra", False)):
        monitored = "monitoring: {metrics: managed-prometheus}"
        plan = fragments.plan(f"kubernetes: {{devices: {devices}}}\n{monitored}")
        found = {name for _, name in read(plan)} & {"kube_node_status_allocatable"}
        assert (devices, bool(found)) == (devices, counted)


def test_all_fields_of_the_add_on_are_paid_for() -> None:
    assert len(ADD_ON | ADVANCED) == ADD_ON_FIELDS


def test_kueue_exports_quotas_only_with_its_option() -> None:
    keep = f"regex: {'|'.join(OF_QUOTAS)}"
    assert not set(OF_QUOTAS) & exported({"a": keep}).names
    told = {"a": keep, "b": "enableClusterQueueResources: true"}
    assert set(OF_QUOTAS) <= exported(told).names
