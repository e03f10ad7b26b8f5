"""CloudWatch watches what alerts watch, and the agent sends it what it needs for that."""

import json
import re
from datetime import datetime
from typing import Any

import pytest

from clustergen import targets
from clustergen.facts.catalog.prices import MONTH_HOURS, RECORDED
from clustergen.plan.model import Plan
from clustergen.services.cost.monitoring import lines, metrics
from clustergen.services.cost.pricing import Prices
from clustergen.services.monitoring import emf
from clustergen.services.monitoring.alarms import alarms, alerts_with_alarms
from clustergen.services.monitoring.cloudwatch import cloudwatch
from clustergen.services.monitoring.counters import COUNTERS
from clustergen.services.monitoring.files import node_metrics
from clustergen.services.monitoring.xids import RESET
from tests.support.checking import Fragments, check_example

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
    queries = alarm.get("Metrics", [])
    stats = [query["MetricStat"]["Metric"] for query in queries if "MetricStat" in query]
    return [(m["MetricName"], [d["Name"] for d in m["Dimensions"]]) for m in stats or [alarm]]


def properties(plan: Plan, alert: str) -> Any:
    return alarms(plan)[alert]["Properties"]


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
    search = r"SEARCH\('\{clustergen/example,cluster,node\} MetricName=\\?\"(\w+)"
    shown = set(re.findall(search, json.dumps(cloudwatch(plan))))
    assert "DCGM_FI_PROF_SM_ACTIVE" in shown
    assert shown <= {name for name, sets in declared(plan).items() if ["cluster", "node"] in sets}


@pytest.mark.parametrize("target", SLURM)
def test_metrics_that_nodes_send_have_a_dashboard(target: str) -> None:
    """ParallelCluster's own dashboard does not show them."""
    spec = SPEC.replace("cloudwatch,", "cloudwatch, dashboards: cloudwatch,")
    template = json.loads(Fragments(target).files(spec)["monitoring.template.json"])
    body = template["Resources"]["Dashboard"]["Properties"]["DashboardBody"]
    assert "DCGM_FI_PROF_SM_ACTIVE" in body["Fn::Sub"]
    plan = Fragments(target).faulty_plan(spec)
    assert "dashboard of nodes" in [line.name for line in lines(plan, RECORDED)]


@pytest.mark.parametrize(
    ("target", "metrics"),
    [*((name, "cloudwatch") for name in targets.NAMES), ("pcs", "managed-prometheus")],
)
def test_the_bill_has_the_alarms_of_the_bundle(target: str, metrics: str) -> None:
    """A tenth of a dollar for each metric; only AWS knows how many a query reads."""
    fragments = Fragments(target)
    files = fragments.files(spec := SPEC.replace("cloudwatch,", f"{metrics},"))
    templates = [json.loads(text) for path, text in files.items() if path.endswith("template.json")]
    found = [
        resource["Properties"]
        for template in templates
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::CloudWatch::Alarm"
    ]
    assert found
    queries = [a for a in found if "Metrics" in a and "MetricStat" not in json.dumps(a)]
    count = sum(len(watched(alarm)) for alarm in found if alarm not in queries)
    billed = {line.name: line for line in lines(fragments.faulty_plan(spec), RECORDED)}
    assert ("alarms" in billed, "alarms on file systems" in billed) == (count > 0, bool(queries))
    if count:
        assert billed["alarms"].usd(MONTH_HOURS) == pytest.approx((0.1 * count,) * 2)


HELD = """
node_groups: [{name: h200, count: 2, capacity: {reservation: cr-0a1b2c3d4e5f67890}}]
storage:
  - {mount: /fsx, type: fsx-lustre, size: 1200GiB}
  - {mount: /zfs, type: fsx-openzfs, size: 100GiB}
  - {mount: /tiers, type: fsx-lustre, storage_class: intelligent-tiering}
  - {mount: /there, type: fsx-openzfs, existing: {id: fs-1a1b2c3d4e5f67890}}
monitoring: {metrics: METRICS, alerts: {email: [on-call@example.com]}}
"""
FULL_OR_IDLE = {
    "FsxFull": ("LessThanThreshold", 120 * 2**30),
    "ZfsFull": ("GreaterThanThreshold", 90 * 2**30),
    "Cr0a1b2c3d4e5f67890Unused": ("LessThanThreshold", 75),
}


@pytest.mark.parametrize(
    ("metrics", "expected"), [("cloudwatch", FULL_OR_IDLE), ("managed-prometheus", {})]
)
def test_cloudwatch_tells_of_full_file_systems_and_idle_reservations(
    metrics: str, expected: dict[str, tuple[str, int]]
) -> None:
    """Those of a size that the spec knows; with Prometheus, its alerts do."""
    made = alarms(Fragments("pcs").faulty_plan(HELD.replace("METRICS", metrics)))
    found = {id: one["Properties"] for id, one in made.items() if id.endswith(("Full", "Unused"))}
    shown = {id: (one["ComparisonOperator"], one["Threshold"]) for id, one in found.items()}
    assert shown == expected


@pytest.mark.parametrize("target", SLURM)
def test_an_exporter_has_every_metric(target: str) -> None:
    """By the file of counters, the script of nodes, or the names of Slurm that alerts share."""
    counters, script = {counter.name for counter in COUNTERS}, node_metrics()
    for metric in declared(plan_of(target)):
        family, _, rest = metric.partition("_")
        ours = metric in script or rest.removeprefix("amazonefa_") in script
        assert metric in counters or ours or family == "slurm", metric


def test_more_errors_than_an_alarm_may_have() -> None:
    both = [properties(plan_of("pcs"), name) for name in ("GpuXidReset", "GpuXidReset2")]
    stats = [query["MetricStat"]["Metric"] for one in both for query in one["Metrics"][:-1]]
    found = [dimension["Value"] for metric in stats for dimension in metric["Dimensions"]]
    assert [value for value in found if value != "example"] == [str(xid) for xid in RESET]
    assert all(len(one["Metrics"]) <= 11 for one in both)


def test_a_cluster_that_scales_to_zero_may_be_silent() -> None:
    assert "MetricsAbsent" in alarms(plan_of("pcs"))
    zero = SPEC.replace("count: 2", "count: {min: 0, max: 2}")
    assert "MetricsAbsent" in alarms(Fragments("pcs").faulty_plan(zero))  # of its login nodes
    alone = zero.replace("login: {instance_type: m7i.large}", "")
    assert "MetricsAbsent" not in alarms(Fragments("pcs").faulty_plan(alone))


RESERVED = SPEC.replace(
    "count: 2}",
    "count: 2, capacity: {reservation: cr-0a1b2c3d4e5f67890}}, "
    "{name: cpu, instance_type: m7i.xlarge, count: 1}",
).replace("[h200]}]", "[h200]}, {name: prep, node_groups: [cpu]}]")


@pytest.mark.parametrize("alert", ["SlurmNodesDown", "SlurmNodesNotResponding"])
def test_nodes_of_a_reservation_count_while_it_is_active(alert: str) -> None:
    plan = Fragments("pcs").faulty_plan(RESERVED)
    alarm = properties(plan, alert)
    assert "reservations that have not begun" in alarm["AlarmDescription"]
    assert all(dimensions in declared(plan)[name] for name, dimensions in watched(alarm))
    *_, left = alarm["Metrics"]

    def fires(nodes: int, active: int | None, shown: int = 4) -> bool:
        fill = {"FILL": lambda value, other: other if value is None else value}
        booting = 2 * (alert == "SlurmNodesNotResponding")
        given = {"nodes": nodes + booting, "booting": booting, "active1": active, "shown": shown}
        made: int = eval(left["Expression"], fill, given)
        return made > int(alarm["Threshold"])

    cases: dict[Any, bool] = {(2, 0): False, (3, 0): True, (1, 1): True, (0, 1): False}
    # Slurm shows the other node and that for logins: those of the block left with its end.
    cases |= {(1, None): True, (1, 0, 2): True, (0, 0, 2): False, (1, 0, 3): False}
    assert {case: fires(*case) for case in cases} == cases
    # Of a block that is not active, nodes wait in a reservation: none that is down is of it.
    block = RESERVED.replace("reservation:", "capacity_block:")
    for target in ("parallelcluster", "pcs"):
        found = json.dumps(properties(Fragments(target).faulty_plan(block), alert))
        assert "FILL(active" not in found
        assert ("FILL(booting, 0)" in found) == (alert == "SlurmNodesNotResponding")


@pytest.mark.parametrize("alert", ["SlurmNodesDown", "SlurmNodesNotResponding"])
def test_an_alarm_has_room_for_the_metrics_of_some_reservations(alert: str) -> None:
    reserved = "capacity: {{reservation: cr-{0:017}}}"
    group = f"{{{{name: g{{0}}, instance_type: m7i.xlarge, count: 1, {reserved}}}}}"
    groups = ", ".join(map(group.format, range(10, 19)))
    names = ", ".join(f"g{number}" for number in range(10, 19))
    spec = SPEC.replace("node_groups: [{", f"node_groups: [{groups}, {{", 1)
    spec = spec.replace("[h200]}]", f"[h200]}}, {{name: prep, node_groups: [{names}]}}]")
    assert len(properties(Fragments("pcs").faulty_plan(spec), alert)["Metrics"]) == 11


PLANNED = SPEC.replace(
    "count: 2}",
    "count: 2, capacity: {starts: '2026-12-01T11:30Z', ends: '2026-12-08T11:30Z', training_plan: "
    "'arn:aws:sagemaker:us-east-1:111122223333:training-plan/november'}}",
)


@pytest.mark.parametrize("alert", ["SlurmNodesDown", "SlurmNodesNotResponding"])
def test_nodes_of_a_plan_count_between_its_dates(alert: str) -> None:
    alarm = properties(Fragments("hyperpod-slurm").faulty_plan(PLANNED), alert)
    *_, left = alarm["Metrics"]

    def fires(nodes: int, at: str) -> bool:
        now = datetime.fromisoformat(f"2026-12-{at}+00:00").timestamp()
        clock = {"EPOCH": lambda series: now, "FILL": lambda value, other: value or other}
        given = {"nodes": nodes, "booting": None, "shown": 2}
        made: int = eval(left["Expression"], clock, given)
        return made > int(alarm["Threshold"])

    silent = [(2, "01T11:00"), (2, "08T10:25"), (2, "09T00:00")]
    alarming = [(3, "01T11:00"), (1, "01T12:30"), (1, "08T10:00"), (3, "09T00:00")]
    assert [fires(*case) for case in (*silent, *alarming)] == [False] * 3 + [True] * 4


def test_a_late_sample_is_not_the_only_one() -> None:
    """``FILL`` would make its nodes due: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/using-metric-math.html"""
    spec = RESERVED.replace("cloudwatch,", "cloudwatch, interval: 15m,")
    assert (
        properties(Fragments("pcs").faulty_plan(spec), "SlurmNodesDown")["EvaluationPeriods"] == 2
    )


def test_slow_samples_have_long_periods() -> None:
    spec = SPEC.replace("cloudwatch,", "cloudwatch, interval: 4m,")
    mount = properties(Fragments("pcs").faulty_plan(spec), "MountMissing")
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
    # cAdvisor measures every disk.
    assert "percent of a disk" in json.dumps(made)


JOINED = "cluster: platform, cluster_security_group: sg-0a1b2c3d4e5f67891, "


@pytest.mark.parametrize("more", ["", JOINED])
def test_container_insights_knows_the_eks_cluster_by_its_name(more: str) -> None:
    """Its dimension is the EKS cluster, which the spec, and HyperPod, may call something else."""
    spec = f"""
network: {{vpc: vpc-0a1b2c3d4e5f67890, zone: use1-az6,
  private_subnets: [{{id: subnet-0a1b2c3d4e5f67890, zone: use1-az6}}]}}
storage: [{{mount: /fsx, type: fsx-lustre, size: 4800GiB}}]
monitoring: {{metrics: cloudwatch, dashboards: cloudwatch, alerts: {{email: [a@example.com]}}}}
targets:
  hyperpod-eks: {{{more}eks_cluster: "arn:aws:eks:us-east-1:111122223333:cluster/training"}}
"""
    plan = Fragments("hyperpod-eks").plan(spec)
    failed = properties(plan, "ClusterFailedNodeCount")
    assert failed["Dimensions"] == [{"Name": "ClusterName", "Value": "training"}]
    metrics = [each["properties"]["metrics"] for each in cloudwatch(plan)["widgets"]]
    shown = [line[:4] for lines in metrics for line in lines]
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
    [query] = properties(plan_of("pcs"), "FsxNetworkThroughputUtilization")["Metrics"]
    text, values = query["Expression"]["Fn::Sub"]
    assert 'SCHEMA("AWS/FSx", FileSystemId, FileServer)' in text
    assert text.endswith("WHERE FileSystemId = '${Id}'")
    assert values == {"Id": {"Ref": "StorageFsxId"}}
    assert query["Period"] == 60


@pytest.mark.parametrize(
    ("lustre", "disks"),
    [
        ("size: 4800GiB, throughput: 250", True),
        ("size: 4800GiB, deployment: scratch-2", False),
        ("size: 6000GiB, deployment: persistent-1, storage_class: hdd, throughput: 12", False),
        ("existing: {id: fs-0123456789abcdef0, mount_name: abc}", True),
    ],
)
def test_disks_have_an_alarm_where_they_have_metrics(lustre: str, disks: bool) -> None:
    spec = SPEC.replace("size: 4800GiB, throughput: 250", lustre)
    made = alarms(Fragments("pcs").faulty_plan(spec))
    names = {name for name in made if name.endswith("Utilization")}
    expected = {"FsxNetworkThroughputUtilization"}
    assert names == expected | ({"FsxDiskIopsUtilization"} if disks else set())
