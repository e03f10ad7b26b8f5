"""Metrics: where they go, and dashboards that show them."""

from collections.abc import Iterator

from clustergen.base.findings import Problem, note, put, rule, unsafe, unwanted, warning
from clustergen.plan.model import Plan

_SHORTEST, _LONGEST = 30, 300
"""Seconds."""


@rule(
    "MON010",
    "Grafana without metrics",
    why="The dashboards query a Prometheus, so without one they show nothing.",
    source="https://docs.aws.amazon.com/grafana/latest/userguide/prometheus-data-source.html",
    bad="monitoring: {dashboards: managed-grafana}",
)
def grafana_without_metrics(plan: Plan) -> Iterator[Problem]:
    dashboards, metrics = plan.monitoring.dashboards, plan.monitoring.metrics
    if "grafana" in dashboards and metrics in ("none", "cloudwatch"):
        yield Problem(
            ("monitoring", "dashboards"),
            f"{dashboards} has no Prometheus to query: metrics is {metrics}",
            help="write metrics: managed-prometheus",
            fix=unsafe(put(("monitoring", "metrics"), "managed-prometheus")),
        )
    elif (dashboards, metrics) == ("managed-grafana", "self-hosted"):
        yield Problem(
            ("monitoring", "dashboards"),
            "managed Grafana does not reach the Prometheus in the cluster",
            help="write dashboards: grafana-files, or metrics: managed-prometheus",
        )


@rule(
    "MON011",
    "Workspace without managed Prometheus",
    why="A workspace stores metrics only if they are sent to it.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/what-is-Amazon-Managed-Service-Prometheus.html",
    bad="monitoring: {workspace: ws-0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789}",
)
def unused_workspace(plan: Plan) -> Iterator[Problem]:
    path = ("monitoring", "workspace")
    if plan.wrote(*path) and plan.monitoring.metrics != "managed-prometheus":
        yield Problem(
            path,
            f"no metrics go to the workspace: metrics is {plan.monitoring.metrics}",
            help="write metrics: managed-prometheus",
            fix=unsafe(put(("monitoring", "metrics"), "managed-prometheus")),
        )


@note(
    "MON012",
    "Managed Grafana needs IAM Identity Center",
    why="Users of the workspace sign in through IAM Identity Center. In an account without it, "
    "the workspace cannot be created, and with it the foundation.",
    source="https://docs.aws.amazon.com/grafana/latest/userguide/authentication-in-AMG-SSO.html",
    bad="monitoring: {metrics: managed-prometheus, dashboards: managed-grafana}",
    good="monitoring: {metrics: managed-prometheus, dashboards: none}",
)
def identity_center(plan: Plan) -> Iterator[Problem]:
    if plan.monitoring.dashboards == "managed-grafana":
        yield Problem(
            ("monitoring", "dashboards"),
            "the account, or its organization, needs IAM Identity Center",
            help="enable it before ./deploy.sh; after it, `aws grafana update-permissions` makes "
            "the first administrator",
        )


@warning(
    "MON013",
    "PrivateData and the metrics of Slurm",
    why="With PrivateData, the metrics endpoint of slurmctld answers 401 to everybody. Dashboards "
    "and alerts on nodes and jobs of Slurm stay empty.",
    source="https://slurm.schedmd.com/metrics.html",
    target="parallelcluster",
    by_limits=True,
    bad="slurm: {settings: {PrivateData: jobs}}\nmonitoring: {metrics: managed-prometheus}",
    good="slurm: {settings: {PrivateData: cloud}}\nmonitoring: {metrics: managed-prometheus}",
)
def private_data(plan: Plan) -> Iterator[Problem]:
    if plan.limits.slurm_settings is None or not plan.monitoring.of_nodes:
        return
    for name, value in plan.slurm.settings.items():
        # What is private about cloud nodes is no data.
        hidden = {word.strip().lower() for word in value.split(",")} - {"cloud", ""}
        if name.lower() == "privatedata" and hidden:
            yield unwanted(
                ("slurm", "settings", name),
                f"with PrivateData of {value}, Slurm gives nobody its metrics",
                help="remove PrivateData, or write metrics: none",
            )


@rule(
    "MON014",
    "Interval of metrics out of range",
    why="A managed scraper collects every 30 seconds at most, and alerts look at the last five "
    "minutes.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-collector-how-to.html",
    bad="monitoring: {metrics: managed-prometheus, interval: 10s}",
)
def interval(plan: Plan) -> Iterator[Problem]:
    seconds = plan.monitoring.interval_seconds
    nearest = min(max(seconds, _SHORTEST), _LONGEST)
    if nearest != seconds:
        yield Problem(
            ("monitoring", "interval"),
            f"an interval of {seconds} s",
            help=f"write a time from {_SHORTEST}s to {_LONGEST}s",
            fix=unsafe(put(("monitoring", "interval"), f"{nearest}s")),
        )


@note(
    "MON016",
    "Metrics of Slurm without a node that collects them",
    why="The controller is AWS's own on PCS, and its owner's in an existing HyperPod cluster: a "
    "login node of the spec collects its metrics, and asks EC2 about reservations. Without one, "
    "there are no alerts and panels on jobs, states of nodes and the end of Capacity Blocks.",
    source="https://slurm.schedmd.com/metrics.html",
    target="pcs",
    by_limits=True,
    bad="monitoring: {metrics: managed-prometheus}",
)
def uncollected(plan: Plan) -> Iterator[Problem]:
    slurm = plan.limits.slurm_settings is not None
    if plan.monitoring.of_nodes and slurm and not (plan.head or plan.login):
        yield Problem(
            ("monitoring", "metrics"),
            "no node collects the metrics of Slurm and of reservations",
            help="add login to the spec, which adds a login node",
            fix=unsafe(put(("login",), {})),
        )


@note(
    "MON015",
    "Way of the metrics out of an existing network",
    why="Nodes send metrics to the public address of the workspace or of CloudWatch, unless the "
    "VPC has an endpoint for it. Slurm's nodes with Docker also pull dcgm-exporter from nvcr.io.",
    source="https://docs.aws.amazon.com/prometheus/latest/userguide/AMP-and-interface-VPC.html",
    bad="""network: {vpc: vpc-0a1b2c3d4e5f67890, private_subnets: [subnet-0a1b2c3d4e5f67890]}
monitoring: {metrics: managed-prometheus}""",
    good="monitoring: {metrics: managed-prometheus}",
)
def way_out(plan: Plan) -> Iterator[Problem]:
    if plan.monitoring.of_nodes and not plan.network.new:
        workspace = plan.monitoring.workspace is not None
        place, endpoint = (
            ("the workspace", "aps-workspaces") if workspace else ("CloudWatch", "logs")
        )
        yield Problem(
            ("monitoring", "metrics"),
            f"whether nodes reach {place} depends on the routes of the VPC",
            help="check that its subnets have a way to the internet, or an interface endpoint "
            f"{endpoint} with private DNS",
        )


@note(
    "MON017",
    "Neuron devices that are not measured",
    why="The exporters of clustergen know GPUs. Of Trainium and Inferentia, they know how many "
    "devices a node has: nothing about errors, memory or use reaches alerts and dashboards.",
    source="https://awsdocs-neuron.readthedocs-hosted.com/en/latest/tools/neuron-sys-tools/neuron-monitor-user-guide.html",
    bad="""node_groups: [{name: h200, instance_type: trn1.32xlarge}]
monitoring: {metrics: managed-prometheus}""",
    good="monitoring: {metrics: managed-prometheus}",
)
def unmeasured(plan: Plan) -> Iterator[Problem]:
    if plan.monitoring.of_nodes and any(type.neuron_devices for type in plan.instance_types):
        yield Problem(
            ("monitoring", "metrics"),
            "of Neuron devices, alerts and dashboards know only the number",
            help="run neuron-monitor in your jobs or on the nodes, and send its metrics yourself",
        )
