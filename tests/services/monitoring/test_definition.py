"""Alerts and dashboards are complete and agree with each other, whatever the plan."""

import itertools
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clustergen.base import resources
from clustergen.plan.model import Plan
from clustergen.services import foundation
from clustergen.services.monitoring import expected_nodes, stack
from clustergen.services.monitoring.alert import Alert
from clustergen.services.monitoring.alertmanager import configuration
from clustergen.services.monitoring.alerts import GROUPS, alerts
from clustergen.services.monitoring.boards import BOARDS
from clustergen.services.monitoring.cloudwatch import cloudwatch
from clustergen.services.monitoring.counters import COUNTERS
from clustergen.services.monitoring.dashboards import WIDTH, dashboards
from clustergen.services.monitoring.files import artifacts, node_metrics
from clustergen.services.monitoring.rules import RUNBOOKS, alerts_of, rule_groups
from clustergen.services.monitoring.samples import EFA_COUNTERS
from clustergen.services.monitoring.sources import Source, measured, sources
from tests.services.monitoring.planned import PLANS, plan_of
from tests.support.checking import Fragments

on_every_plan = pytest.mark.parametrize(("name", "target"), PLANS)
METRIC = re.compile(
    r"\b(?:DCGM|node|slurm|kube|kueue|karpenter|clustergen|prometheus|scrape|up|ALERTS|gpu:|efa:|"
    r"capacity:|filesystem:|group:)[\w:]*\b(?=[{\[\s)]|$)"
)
LABELS = {"node", "cluster"}
MANAGED = "managed-prometheus"


def expressions() -> Iterator[str]:
    """Every expression of every rule and panel."""
    for group in GROUPS:
        yield from (rule.expr for rule in group.rules)
    for board in BOARDS:
        for row in board.rows:
            yield from (query.expr for panel in row.panels for query in panel.queries)


@pytest.mark.parametrize("expr", sorted(set(expressions())))
def test_every_selector_is_of_one_cluster(expr: str) -> None:
    unquoted = re.sub(r'"[^"]*"', '""', expr)
    grouping = re.sub(r"\b(by|on) \([^)]*\)", "", unquoted)
    selectors = [found for found in METRIC.finditer(grouping) if found.group() not in LABELS]
    for found in selectors:
        after = grouping[found.end() :]
        assert after.startswith(("{$scope", "{$nodes")), f"{found.group()} in {expr}"
    # These two become numbers and series of the plan's cluster.
    assert selectors or expr in ("vector(1)", "$due", "$prices")


@pytest.mark.parametrize("expr", sorted({e for e in expressions() if "slurm_" in e}))
def test_numbers_of_the_controller_count_once(expr: str) -> None:
    """Each login node of PCS sends them; only numbers of a node add up."""
    assert not re.search(r"sum[^(]*(?:\([^(]*\) )?\((?:delta\()?slurm_(?!node_)", expr)


def test_names_of_alerts_are_unique() -> None:
    names = [alert.name for alert in alerts()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("alert", list(alerts()), ids=lambda alert: alert.name)
def test_an_alert_describes_what_to_do(alert: Alert) -> None:
    assert alert.summary
    assert alert.meaning.endswith(".")
    assert alert.steps
    assert (alert.severity == "none") == (alert.action == "none")


@pytest.mark.parametrize("alert", list(alerts()), ids=lambda alert: alert.name)
def test_sacct_shows_jobs_of_the_past(alert: Alert) -> None:
    """With a state and no start, it lists only jobs that are in that state now."""
    for step in alert.steps:
        assert "sacct " not in step or ("--starttime=" in step and "--allusers" in step)


def test_only_used_gpu_counters_are_collected() -> None:
    read = "\n".join(expressions())
    unread = [c.name for c in COUNTERS if not re.search(rf"\b{c.name}\b", read)]
    unknown = set(re.findall(r"\bDCGM_\w+", read)) - {c.name for c in COUNTERS}
    assert (unread, unknown) == ([], set())


def test_no_efa_counter_is_paid_for_in_vain() -> None:
    [listed] = re.findall(r"^EFA_COUNTERS = \((.*?)^\)", node_metrics(), re.DOTALL | re.MULTILINE)
    sent = set(re.findall(r'"(\w+)"', listed))
    read = set(re.findall(r"\bnode_amazonefa_(\w+)", "\n".join(expressions())))
    assert sent == read
    assert len(sent) == EFA_COUNTERS


def runbook_of(name: str, target: str) -> str:
    [page] = [file.text for file in artifacts(plan_of(name, target)) if file.path == RUNBOOKS]
    return page


def lines_of(plan: Plan) -> list[Any]:
    """The metrics that CloudWatch shows."""
    return [line for w in cloudwatch(plan)["widgets"] for line in w["properties"]["metrics"]]


@on_every_plan
def test_an_alert_has_a_section_in_the_runbook(name: str, target: str) -> None:
    page, files = runbook_of(name, target), rule_groups(plan_of(name, target)).values()
    anchors = {line[3:].lower() for line in page.splitlines() if line.startswith("## ")}
    rules = [r for file in files for g in file["groups"] for r in g["rules"]]
    links = {rule["annotations"]["runbook"] for rule in rules if "alert" in rule}
    assert links == {f"{RUNBOOKS}#{anchor}" for anchor in anchors}


@on_every_plan
def test_the_runbook_names_only_what_the_cluster_has(name: str, target: str) -> None:
    """Bundles may have no dashboards, and clusters no Slurm."""
    page = runbook_of(name, target)
    assert "dashboard" not in page
    if target.endswith("eks"):
        assert not re.search(r"\b(Slurm|Munge|slurmctld|scontrol)\b", page)


@on_every_plan
def test_alerts_refer_to_topics_of_the_readme(name: str, target: str) -> None:
    named = set(re.findall(r"see (.+?) in this bundle's\s+README", runbook_of(name, target)))
    assert named
    readme = (resources.tree("templates") / "readme" / "page.md.j2").read_text()
    assert [name for name in named if f'answers("{name}")' not in readme] == []


@on_every_plan
def test_dashboards_are_well_formed(name: str, target: str) -> None:
    for uid, dashboard in dashboards(plan_of(name, target)).items():
        assert dashboard["uid"] == uid
        panels = dashboard["panels"]
        assert len({panel["id"] for panel in panels}) == len(panels)
        assert overlaps(panels) == []
        assert unknown_variables(dashboard) == set()


def overlaps(panels: list[Any]) -> list[tuple[str, str]]:
    """Titles of panels that are in each other's place, or beyond the edge."""
    places = [(panel["title"], panel["gridPos"]) for panel in panels]
    over = [(title, "edge") for title, at in places if at["x"] + at["w"] > WIDTH]
    pairs = itertools.combinations(places, 2)
    return over + [(one, other) for (one, here), (other, there) in pairs if meet(here, there)]


def meet(one: dict[str, int], other: dict[str, int]) -> bool:
    return all(
        one[at] < other[at] + other[size] and other[at] < one[at] + one[size]
        for at, size in (("x", "w"), ("y", "h"))
    )


def unknown_variables(dashboard: Any) -> set[str]:
    known = {variable["name"] for variable in dashboard["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard)))
    return {name for name in used - known if not name.startswith("__")}


@on_every_plan
def test_cloudwatch_shows_what_it_has(name: str, target: str) -> None:
    """Only what services send; no agent sends metrics there."""
    plan = plan_of(name, target)
    shown = json.dumps(cloudwatch(plan)["widgets"])
    assert ("AvailableInstanceCount" in shown) == (Source.RESERVATION in sources(plan))
    assert ("DataReadBytes" in shown) == (Source.LUSTRE in measured(plan))
    assert "nvidia_smi" not in shown


def test_cloudwatch_calls_what_it_shows_by_another_name() -> None:
    """No service counts the messages of Lustre, and no metric is a sum of ten minutes."""
    spec = f"{FILE_SYSTEMS}monitoring: {{metrics: cloudwatch, dashboards: cloudwatch}}"
    widgets = cloudwatch(Fragments("pcs").plan(spec))["widgets"]
    titles = {widget["properties"]["title"] for widget in widgets}
    assert "Bytes read from and written to Lustre in a minute" in titles
    assert [title for title in titles if "messages" in title or "10 minutes" in title] == []


@on_every_plan
def test_lines_of_a_panel_have_different_names(name: str, target: str) -> None:
    for widget in cloudwatch(plan_of(name, target))["widgets"]:
        lines = widget["properties"]["metrics"]
        called = [each["label"] for line in lines for each in line[-1:] if "label" in each]
        assert sorted(called) == sorted(set(called)), widget["properties"]["title"]


FILE_SYSTEMS = """
storage:
  - {mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250}
  - {mount: /home, type: fsx-openzfs, size: 128GiB, throughput: 160}
"""
LUSTRE, OPENZFS = "FreeDataStorageCapacity", "UsedStorageCapacity"


@pytest.mark.parametrize("target", ["pcs", "batch"])
@pytest.mark.parametrize(
    ("storage", "shown"),
    [
        (FILE_SYSTEMS, {LUSTRE: "${StorageFsxId}", OPENZFS: "${StorageHomeId}"}),
        (FILE_SYSTEMS.replace("  - {mount: /fsx", "# "), {OPENZFS: "${StorageHomeId}"}),
        ("", {}),
    ],
)
def test_cloudwatch_shows_the_file_systems_of_the_cluster(
    target: str, storage: str, shown: dict[str, str]
) -> None:
    plan = Fragments(target).faulty_plan(f"{storage}monitoring: {{dashboards: cloudwatch}}")
    lines = [json.dumps(line) for line in lines_of(plan)]
    for metric in (LUSTRE, OPENZFS):
        of = [line for line in lines if metric in line]
        assert bool(of) == (metric in shown)
        assert all(shown[metric] in line for line in of)
    assert ("DataReadBytes" in str(lines)) == (LUSTRE in shown)
    if shown:
        # The ids of new file systems are parameters.
        assert set(stack.parameters(plan) or ()) == {id.strip("${}") for id in shown.values()}
        [text] = [file.text for file in stack.files(plan) if file.path == stack.PATH]
        dashboard = json.loads(text)["Resources"]["Dashboard"]["Properties"]
        assert list(dashboard["DashboardBody"]) == ["Fn::Sub"]
        assert set(stack.parameters(plan) or ()) <= set(foundation.build(plan).outputs)


def test_free_capacity_of_lustre_is_that_of_its_parts() -> None:
    """Its metric has a second dimension: one with the id alone would be empty."""
    plan = Fragments("pcs").faulty_plan(FILE_SYSTEMS)
    found = [line[0]["expression"] for line in lines_of(plan) if LUSTRE in str(line)]
    parts = "{AWS/FSx,FileSystemId,StorageTargetId}"
    of = f'{parts} MetricName="FreeDataStorageCapacity" FileSystemId="${{StorageFsxId}}"'
    assert found == [f"SUM(SEARCH('{of}', 'Average', 60))", f"MIN(SEARCH('{of}', 'Minimum', 60))"]


def test_periods_of_a_dashboard_stay_those_of_its_titles() -> None:
    """By default, CloudWatch adapts them to the time range, and with them what is summed.

    https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/CloudWatch-Dashboard-Body-Structure.html
    """
    body = cloudwatch(plan_of("p5en-capacity-block", "pcs"))
    assert body["periodOverride"] == "inherit"
    assert {widget["properties"]["period"] for widget in body["widgets"]} == {60}


def test_without_a_node_that_collects_them_nothing_waits_for_metrics_of_slurm() -> None:
    """PCS has no head node: without login nodes, an absent controller would page forever."""
    block = "node_groups: [{name: h200, capacity: {capacity_block: cr-0a1b2c3d4e5f67890}}]\n"
    metrics = f"{block}monitoring: {{metrics: {MANAGED}}}\n"
    alone, watched = (Fragments("pcs").plan(metrics + more) for more in ("", "login: {}"))
    names = [{alert.name for alert in alerts_of(plan)} for plan in (alone, watched)]
    of_slurm = {"SlurmControllerAbsent", "SlurmNodesDown", "NodesNotMeasured"}
    of_blocks = {"NodesFewerThanMinimum", "CapacityBlockEndsSoon", "MetricsAbsent"}
    assert names[0] & (of_slurm | of_blocks) == set()
    assert of_slurm | of_blocks <= names[1]


def test_nodes_of_a_training_plan_are_undue_by_its_dates() -> None:
    """EC2 knows nothing of the plan; its nodes are down before the start and after the stop."""
    arn = "arn:aws:sagemaker:us-east-1:111122223333:training-plan/plan"
    dates = "starts: 2026-12-10T11:30:00Z, ends: 2026-12-17T11:30:00Z"
    capacity = f"capacity: {{training_plan: '{arn}', {dates}}}"
    spec = f"node_groups: [{{name: h200, count: 2, {capacity}}}]\n"
    plan = Fragments("hyperpod-slurm").plan(f"{spec}monitoring: {{metrics: {MANAGED}}}")
    text = expected_nodes.less_undue(plan)
    starts, ends = (datetime(2026, 12, day, 11, 30, tzinfo=UTC).timestamp() for day in (10, 17))
    early = f"(time() < bool {starts + 5 * 60 + 1800:.0f})"
    assert f"(2 * ({early} + (time() >= bool {ends - 70 * 60:.0f})) + 0 * group" in text
    last = f"(time() >= bool {ends - 86400:.0f}) * (time() < bool {ends:.0f})) > 0"
    assert last in expected_nodes.unless_ending(plan)


@pytest.mark.parametrize("target", ["parallelcluster", "pcs"])
def test_nodes_of_a_block_that_slurm_reserves_are_undue_after_it(target: str) -> None:
    """Before it begins, they wait in a maintenance reservation, and are not down."""
    dates = "starts: 2026-12-10T11:30:00Z, ends: 2026-12-17T11:30:00Z"
    block = f"{{capacity_block: cr-0a1b2c3d4e5f67890, {dates}}}"
    spec = f"node_groups: [{{name: h200, count: 2, capacity: {block}}}]\nlogin: {{}}"
    [(count, begin, end)] = expected_nodes.undue_times(Fragments(target).plan(spec))
    ends = datetime(2026, 12, 17, 11, 30, tzinfo=UTC).timestamp()
    assert (count, begin, end is not None and 0 < ends - end <= 3600) == (2, None, True)


@pytest.mark.parametrize(("version", "most"), [("25.05", 2), ("25.11", 3)])
def test_sinfo_counts_no_login_nodes(version: str, most: int) -> None:
    """They are in no partition; slurmctld itself counts nodes since 25.11."""
    plan = Fragments("pcs").plan(f"login: {{}}\nslurm: {{version: '{version}'}}")
    measured = "compute|login" if version == "25.11" else "compute"
    assert (expected_nodes.most_shown(plan), expected_nodes.measured(plan)) == (most, measured)


def test_queues_that_the_timetable_holds_may_be_inactive() -> None:
    block = "capacity: {capacity_block: cr-0a1b2c3d4e5f67890, ends: '2026-12-17T11:30:00Z'}"
    cpu = "{name: cpu, instance_type: m7i.xlarge, count: 1}"
    queues = "[{name: held, node_groups: [h200]}, {name: both, node_groups: [h200, cpu]}]"
    spec = f"node_groups: [{{name: h200, count: 2, {block}}}, {cpu}]\nqueues: {queues}"
    assert expected_nodes.untimed(Fragments("eks").plan(spec)) == ',cluster_queue!~"held"'


def test_cloudwatch_names_a_reservation() -> None:
    reserved = ["AWS/EC2CapacityReservations", "AvailableInstanceCount", "CapacityReservationId"]
    line = [*reserved, "cr-0a1b2c3d4e5f67890", {"stat": "Average"}]
    assert line in lines_of(plan_of("p5en-capacity-block", "pcs"))


def test_every_alert_reaches_a_receiver() -> None:
    document = configuration(sns_topic="arn:aws:sns:us-west-2:111122223333:a", region="us-west-2")
    receivers = {each["name"]: each.get("sns_configs", []) for each in document["receivers"]}
    routes = document["route"]["routes"]
    assert {route["receiver"] for route in routes} <= receivers.keys()
    assert document["route"]["receiver"] in receivers
    # And it is said when an alert has ended.
    assert all(each["send_resolved"] for configured in receivers.values() for each in configured)
    named = set(re.findall(r"[A-Z]\w+", json.dumps(document["inhibit_rules"])))
    assert named <= {alert.name for alert in alerts()}


@on_every_plan
def test_jobs_have_a_dashboard_where_a_prolog_names_them(name: str, target: str) -> None:
    plan = plan_of(name, target)
    gpus = any(group.type.gpus for group in plan.node_groups)
    assert ("clustergen-jobs" in dashboards(plan)) == (gpus and target == "hyperpod-slurm")
