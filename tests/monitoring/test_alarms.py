"""CloudWatch watches what alerts watch, and the agent sends it what it needs for that."""

from __future__ import annotations

import json
import re
from datetime import datetime
from typing import Any

import pytest

from clustergen.catalog.prices import MONTH_HOURS, RECORDED
from clustergen.cost.monitoring import lines, metrics
from clustergen.cost.pricing import Prices
from clustergen.monitoring import emf
from clustergen.monitoring.alarms import alarms, alerts_with_alarms
from clustergen.monitoring.cloudwatch import cloudwatch
from clustergen.monitoring.counters import COUNTERS
from clustergen.monitoring.files import node_metrics
from clustergen.monitoring.xids import RESET
from clustergen.plan.model import Plan
from tests.checking import Fragments, check_example

SLURM = ("pcs", "parallelcluster", "hyperpod-slurm")
SPEC = """
login: {instance_type: m7i.large}
node_groups: [{name: h200, instance_type: p5en.48xlarge, count: 2}]
queues: [{name: train, node_groups: [h200]}]
storage: [{mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}]
monitoring: {metrics: cloudwatch, alerts: {email: [on-call@example.com]}}
"""


def plan_of(target: str, more: str = "") -> Plan:
    return Fragments(target).faulty_plan(SPEC + more)


def declared(plan: Plan) -> dict[str, list[list[str]]]:
    """Metric -> the sets of dimensions with which CloudWatch has it."""
    prometheus = json.loads(emf.settings(plan))["logs"]["metrics_collected"]["prometheus"]
    return {
        selector.strip("^$"): one["dimensions"]
        for one in prometheus["emf_processor"]["metric_declaration"]
        for selector in one["metric_selectors"]
    }


def watched(alarm: Any) -> list[tuple[str, list[str]]]:
    """Metrics of an alarm of nodes, and the names of their dimensions."""
    stats = [
        query["MetricStat"]["Metric"] for query in alarm.get("Metrics", []) if "MetricStat" in query
    ]
    return [(m["MetricName"], [d["Name"] for d in m["Dimensions"]]) for m in stats or [alarm]]


@pytest.mark.parametrize("target", SLURM)
def test_the_agent_sends_what_alarms_watch(target: str) -> None:
    plan = plan_of(target)
    sent = declared(plan)
    own = [one["Properties"] for one in alarms(plan).values() if "clustergen/" in json.dumps(one)]
    assert len(own) > 10
    for alarm in own:
        for metric, dimensions in watched(alarm):
            assert dimensions in sent[metric], metric


@pytest.mark.parametrize("target", SLURM)
def test_the_agent_sends_what_the_dashboard_shows(target: str) -> None:
    plan = plan_of(target)
    shown = re.findall(
        r"SEARCH\('\{clustergen/example,cluster,node\} MetricName=\\?\"(\w+)",
        json.dumps(cloudwatch(plan)),
    )
    assert "DCGM_FI_PROF_SM_ACTIVE" in shown
    assert set(shown) <= {
        name for name, sets in declared(plan).items() if ["cluster", "node"] in sets
    }


@pytest.mark.parametrize("target", SLURM)
def test_metrics_that_nodes_send_have_a_dashboard(target: str) -> None:
    """ParallelCluster's own dashboard does not show them."""
    spec = SPEC.replace("cloudwatch,", "cloudwatch, dashboards: cloudwatch,")
    template = json.loads(Fragments(target).files(spec)["monitoring.template.json"])
    body = template["Resources"]["Dashboard"]["Properties"]["DashboardBody"]
    assert "DCGM_FI_PROF_SM_ACTIVE" in body["Fn::Sub"]
    plan = Fragments(target).faulty_plan(spec)
    names = [line.name for line in lines(plan, RECORDED)]
    assert "dashboard of nodes" in names


@pytest.mark.parametrize("target", SLURM)
def test_an_exporter_has_every_metric(target: str) -> None:
    """By the file of counters, the script of nodes, or the names of Slurm that alerts share."""
    counters, script = {counter.name for counter in COUNTERS}, node_metrics()
    for metric in declared(plan_of(target)):
        family, _, rest = metric.partition("_")
        ours = metric in script or rest.removeprefix("amazonefa_") in script
        assert metric in counters or ours or family == "slurm", metric


def test_more_errors_than_an_alarm_may_have() -> None:
    made = alarms(plan_of("pcs"))
    both = (made["GpuXidReset"]["Properties"], made["GpuXidReset2"]["Properties"])
    found = [
        d["Value"]
        for one in both
        for q in one["Metrics"][:-1]
        for d in q["MetricStat"]["Metric"]["Dimensions"]
    ]
    assert [value for value in found if value != "example"] == [str(xid) for xid in RESET]
    assert all(len(one["Metrics"]) <= 11 for one in both)


def test_a_cluster_that_scales_to_zero_may_be_silent() -> None:
    assert "MetricsAbsent" in alarms(plan_of("pcs"))
    zero = SPEC.replace("count: 2", "count: {min: 0, max: 2}")
    assert "MetricsAbsent" in alarms(Fragments("pcs").faulty_plan(zero))  # of its login nodes
    alone = zero.replace("login: {instance_type: m7i.large}", "")
    assert "MetricsAbsent" not in alarms(Fragments("pcs").faulty_plan(alone))


RESERVED = SPEC.replace("count: 2}", "count: 2, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}")


@pytest.mark.parametrize("alert", ["SlurmNodesDown", "SlurmNodesNotResponding"])
@pytest.mark.parametrize("target", ["pcs", "parallelcluster"])
def test_nodes_of_a_block_count_while_it_is_active(target: str, alert: str) -> None:
    plan = Fragments(target).faulty_plan(RESERVED)
    alarm = alarms(plan)[alert]["Properties"]
    assert "reservations that have not begun" in alarm["AlarmDescription"]
    assert [dimensions in declared(plan)[name] for name, dimensions in watched(alarm)] == [True] * 2
    *_, left = alarm["Metrics"]

    def fires(nodes: int, active: int | None) -> bool:
        fill = {"FILL": lambda value, other: other if value is None else value}
        made: int = eval(left["Expression"], fill, {"nodes": nodes, "active1": active})
        return made > int(alarm["Threshold"])

    cases = {(2, 0): False, (3, 0): True, (1, 1): True, (0, 1): False, (1, None): True}
    assert {case: fires(*case) for case in cases} == cases


PLANNED = SPEC.replace(
    "count: 2}",
    "count: 2, capacity: {starts: '2026-12-01T11:30Z', ends: '2026-12-08T11:30Z', training_plan: "
    "'arn:aws:sagemaker:us-east-1:111122223333:training-plan/november'}}",
)


@pytest.mark.parametrize("alert", ["SlurmNodesDown", "SlurmNodesNotResponding"])
def test_nodes_of_a_plan_count_between_its_dates(alert: str) -> None:
    alarm = alarms(Fragments("hyperpod-slurm").faulty_plan(PLANNED))[alert]["Properties"]
    *_, left = alarm["Metrics"]

    def fires(nodes: int, at: str) -> bool:
        now = datetime.fromisoformat(f"2026-12-{at}+00:00").timestamp()
        clock = {"EPOCH": lambda series: now}
        made: int = eval(left["Expression"], clock, {"nodes": nodes})
        return made > int(alarm["Threshold"])

    cases = {
        (2, "01T11:00"): False,
        (3, "01T11:00"): True,
        (1, "01T12:30"): True,
        (1, "08T10:00"): True,
        (2, "08T10:25"): False,
        (2, "09T00:00"): False,
        (3, "09T00:00"): True,
    }
    assert {case: fires(*case) for case in cases} == cases


def test_a_late_sample_is_not_the_only_one() -> None:
    """``FILL`` would make its nodes due: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html"""
    slow = Fragments("pcs").faulty_plan(
        RESERVED.replace("cloudwatch,", "cloudwatch, interval: 4m,")
    )
    assert alarms(slow)["SlurmNodesDown"]["Properties"]["EvaluationPeriods"] == 2


def test_slow_samples_have_long_periods() -> None:
    slow = Fragments("pcs").faulty_plan(SPEC.replace("cloudwatch,", "cloudwatch, interval: 4m,"))
    mount = alarms(slow)["MountMissing"]["Properties"]
    assert (mount["Period"], mount["EvaluationPeriods"]) == (240, 1)


def test_no_alerts_no_alarms() -> None:
    silent = Fragments("pcs").plan(SPEC.replace(", alerts: {email: [on-call@example.com]}", ""))
    assert alarms(silent) == {}
    assert list(alerts_with_alarms(silent))


def test_a_workspace_watches_nodes_itself() -> None:
    managed = Fragments("pcs").plan(SPEC.replace("cloudwatch", "managed-prometheus"))
    assert set(alarms(managed)) == {"FsxDiskIopsUtilization", "FsxNetworkThroughputUtilization"}


def test_container_insights_has_metrics_of_the_cluster() -> None:
    made = alarms(check_example("eks-trn2", "eks").plans["eks"])
    names = [one["Properties"].get("MetricName") for one in made.values()]
    assert {"cluster_failed_node_count", "node_filesystem_utilization"} <= set(names)


@pytest.mark.parametrize(
    "more", ["", "cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f67891, "]
)
def test_container_insights_knows_the_eks_cluster_by_its_name(more: str) -> None:
    """Its dimension is the EKS cluster, which the spec, and HyperPod, may call something else."""
    spec = f"""
network:
  vpc: vpc-0a1b2c3d4e5f67890
  zone: use1-az6
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}}]
node_groups: [{{name: h200, instance_type: p5en.48xlarge, count: 2}}]
storage: [{{mount: /fsx, type: fsx-lustre, size: 4800GiB}}]
monitoring: {{metrics: cloudwatch, dashboards: cloudwatch, alerts: {{email: [a@example.com]}}}}
targets:
  hyperpod-eks: {{{more}eks_cluster: "arn:aws:eks:us-east-1:111122223333:cluster/training"}}
"""
    plan = Fragments("hyperpod-eks").plan(spec)
    failed = alarms(plan)["ClusterFailedNodeCount"]["Properties"]
    assert failed["Dimensions"] == [{"Name": "ClusterName", "Value": "training"}]
    shown = [
        line[:4] for each in cloudwatch(plan)["widgets"] for line in each["properties"]["metrics"]
    ]
    assert ["ContainerInsights", "node_gpu_utilization", "ClusterName", "training"] in shown
    assert ["AWS/FSx", "DataReadBytes", "FileSystemId", "${StorageFsxId}"] in shown


def test_tiers_of_metrics() -> None:
    at = Prices(RECORDED, "us-east-1", "us-east-1")
    for count, usd in ((100, 30), (10_000, 3000), (20_000, 3000 + 1000)):
        amount = metrics(count, at)
        assert amount
        assert amount.usd(MONTH_HOURS) == pytest.approx(usd)


def test_a_file_system_is_as_busy_as_its_busiest_part() -> None:
    """Its metrics have a second dimension, and an alarm sees only metrics with all of its own."""
    made = alarms(plan_of("pcs"))
    [query] = made["FsxNetworkThroughputUtilization"]["Properties"]["Metrics"]
    text, values = query["Expression"]["Fn::Sub"]
    assert 'SCHEMA("AWS/FSx", FileSystemId, FileServer)' in text
    assert text.endswith("WHERE FileSystemId = '${Id}'")
    assert values == {"Id": {"Ref": "StorageFsxId"}}
    assert query["Period"] == 60
