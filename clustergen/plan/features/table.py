"""The features that a spec can use, and how to detect them in a plan."""

from collections.abc import Iterator
from typing import Final

from clustergen.base.findings import Path
from clustergen.plan import model
from clustergen.plan.features import uses
from clustergen.plan.features.model import Feature, Uses

_TITLES_AND_USES: Final[dict[str, tuple[str, Uses]]] = {
    "capacity.on-demand": ("On-Demand instances", uses.capacity("on-demand")),
    "capacity.spot": ("Spot instances", uses.capacity("spot")),
    "capacity.reservation": ("On-Demand Capacity Reservation", uses.capacity("reservation")),
    "capacity.reservation-group": (
        "Capacity Reservation group",
        uses.capacity("reservation-group"),
    ),
    "capacity.block": ("Capacity Block for ML", uses.capacity("capacity-block")),
    "capacity.interruptible": (
        "Interruptible Capacity Reservation",
        uses.capacity("interruptible-reservation"),
    ),
    "capacity.training-plan": ("SageMaker training plan", uses.capacity("training-plan")),
    "capacity.dates": (
        "Capacity that starts and ends",
        uses.groups(lambda g: g.capacity.dated, "capacity"),
    ),
    "instances.ultraserver": (
        "P6e-GB200 UltraServers",
        uses.groups(lambda g: g.type.nvlink_domain, "instance_type"),
    ),
    "instances.trainium": ("AWS Trainium", uses.family("trn")),
    "instances.inferentia": ("AWS Inferentia", uses.family("inf")),
    "instances.hpc": ("HPC instances (hpc6a to hpc8a)", uses.family("hpc")),
    "instances.several-types": (
        "Several instance types in a node group",
        uses.groups(lambda g: len(g.types) > 1, "instance_types"),
    ),
    "instances.mixed-architecture": (
        "x86_64 and arm64 nodes in one cluster",
        uses.when(("node_groups",), uses.mixed_architecture),
    ),
    "network.efa": ("Elastic Fabric Adapter", uses.group_field("efa")),
    "network.efa-layout": (
        "Choice of EFA interface type",
        lambda plan: (
            g.at("efa_layout") for g in plan.node_groups if plan.wrote(*g.at("efa_layout"))
        ),
    ),
    "network.no-internet": (
        "VPC without a way to the internet",
        uses.when(("network", "internet"), lambda p: p.network.closed),
    ),
    "placement.cluster": (
        "Cluster placement group",
        uses.groups(lambda g: g.placement.kind == "cluster", "placement"),
    ),
    "placement.existing": (
        "Existing placement group",
        uses.groups(lambda g: g.placement.kind == "existing", "placement"),
    ),
    "nodes.smt": (
        "Two threads per core",
        uses.groups(lambda g: g.threads_per_core == 2, "threads_per_core"),
    ),
    "nodes.image": ("Custom image", uses.group_field("image")),
    "nodes.unencrypted": (
        "Root volumes without encryption",
        uses.nodes(lambda n: not n.volume.encrypted, "root_volume", "encrypted"),
    ),
    "nodes.volume-key": (
        "KMS keys of root volumes",
        uses.nodes(lambda n: n.volume.kms_key, "root_volume", "kms_key"),
    ),
    "nodes.volume-kept": (
        "Root volumes that stay when their nodes end",
        lambda plan: (
            node.at("root_volume", "on_delete")
            for node in (plan.login, *plan.node_groups)
            if node and node.volume.retain
        ),
    ),
    "head.volume-kept": (
        "A root volume that stays when the head node ends",
        uses.when(
            uses.HEAD_STAYS, lambda p: p.head.volume.retain if p.head else p.wrote(*uses.HEAD_STAYS)
        ),
    ),
    "nodes.tags": ("Tags for some nodes", uses.group_field("tags")),
    "nodes.scratch": ("Local NVMe as scratch", uses.group_field("scratch")),
    "nodes.iam": (
        "Policies and S3 access for nodes",
        uses.nodes(lambda n: n.iam.policies or n.iam.s3, "iam"),
    ),
    "nodes.instance-profile": (
        "Existing instance profiles for nodes",
        uses.nodes(lambda n: n.iam.instance_profile, "iam", "instance_profile"),
    ),
    "nodes.role": ("Existing roles for nodes", uses.nodes(lambda n: n.iam.role, "iam", "role")),
    "nodes.security-groups": (
        "Security groups for some nodes",
        uses.nodes(lambda n: n.security_groups, "security_groups"),
    ),
    "nodes.subnets": ("Subnets for some nodes", uses.own_subnets),
    "nodes.zone": ("Zones for some nodes", uses.group_field("zone")),
    "nodes.ssh-sources": (
        "SSH sources for head or login nodes",
        lambda plan: (
            (node, "ssh_from") for node in ("head_node", "login") if plan.wrote(node, "ssh_from")
        ),
    ),
    "nodes.allocation": ("Choice among types and subnets", uses.group_field("allocation")),
    "nodes.service-name": ("Names of node groups per queue", uses.group_field("service_name")),
    "nodes.mig": ("MIG partitions", uses.group_field("mig")),
    "nodes.labels": ("Node labels", uses.group_field("labels")),
    "nodes.taints": ("Node taints", uses.group_field("taints")),
    "nodes.slurm-settings": ("Slurm settings for a node group", uses.group_field("slurm")),
    "nodes.scaling": (
        "Nodes started on demand",
        uses.groups(lambda g: 0 == g.min < g.max, "count"),
    ),
    "nodes.mixed-scaling": (
        "Static and dynamic nodes in one group",
        uses.groups(lambda g: 0 < g.min < g.max, "count"),
    ),
    "nodes.desired": (
        "A number of nodes between minimum and maximum",
        uses.groups(lambda g: g.desired is not None, "count"),
    ),
    "nodes.accelerator-taint": (
        "Accelerators without a taint",
        uses.groups(lambda g: not g.accelerator_taint, "accelerator_taint"),
    ),
    "health.gpu": (
        "GPU health check",
        uses.groups(lambda g: "gpu" in g.health_checks, "health_checks"),
    ),
    "health.deep": (
        "Deep instance health checks",
        uses.groups(lambda g: set(g.health_checks) - {"gpu"}, "health_checks"),
    ),
    "head.node": ("Choice of head node size", uses.written("head_node")),
    "head.smt": ("Threads per core of the head node", uses.written("head_node.threads_per_core")),
    "login.nodes": ("Login nodes", uses.written("login")),
    "login.smt": ("Threads per core of login nodes", uses.written("login.threads_per_core")),
    "queues.slurm-settings": (
        "Slurm settings for a queue",
        lambda plan: (q.at("slurm") for q in plan.queues if q.slurm),
    ),
    "queues.shared-groups": ("A node group in several queues", uses.shared_groups),
    "queues.parts": ("Queues over some nodes of a group", uses.parts_of_groups),
    "storage.name": (
        "Names of storage",
        lambda plan: (s.at("name") for s in plan.storage if s.name),
    ),
    "storage.by-cluster": (
        "File systems that the cluster creates",
        lambda plan: (s.at("created_by") for s in plan.storage if s.new_in_cluster),
    ),
    "storage.lustre": ("FSx for Lustre", uses.storage(model.Lustre)),
    "storage.lustre-efa": ("FSx for Lustre over EFA", uses.lustre(lambda s: s.efa, "efa")),
    "storage.lustre-metadata": (
        "Provisioned Lustre metadata IOPS",
        uses.lustre(lambda s: s.metadata_iops is not None and not s.efa, "metadata_iops"),
    ),
    "storage.intelligent-tiering": (
        "FSx Intelligent-Tiering",
        uses.lustre(lambda s: s.storage_class == "INTELLIGENT_TIERING", "storage_class"),
    ),
    "storage.data-repositories": (
        "Lustre data repositories in S3",
        uses.lustre(lambda s: s.repositories, "data_repositories"),
    ),
    "storage.openzfs": ("FSx for OpenZFS", uses.storage(model.OpenZfs)),
    "storage.ontap": ("FSx for ONTAP", uses.storage(model.Ontap)),
    "storage.efs": ("EFS", uses.storage(model.Efs)),
    "storage.ebs": ("EBS volume shared by the head node", uses.storage(model.Ebs)),
    "storage.bucket": ("Mountpoint for S3", uses.storage(model.Bucket)),
    "storage.file-cache": ("Amazon File Cache", uses.storage(model.FileCache)),
    "software.pyxis": ("Pyxis and Enroot containers", uses.chosen("software.containers", "pyxis")),
    "software.docker": ("Docker", uses.chosen("software.containers", "docker")),
    "software.registry": (
        "Copies of public images in a private registry",
        uses.given("software.registry"),
    ),
    "software.scripts": ("Boot scripts", uses.given("software.scripts")),
    "software.scripts-failure": (
        "What happens when a script fails",
        uses.scripts(lambda script: script.on_failure, "on_failure"),
    ),
    "software.scripts-every-boot": (
        "Scripts that run at each boot",
        uses.scripts(lambda script: script.every_boot, "every_boot"),
    ),
    "software.scripts-updated": (
        "Scripts that run when the cluster is updated",
        uses.scripts(lambda script: script.when == "updated", "when"),
    ),
    "users": ("Users with fixed ids", uses.given("users")),
    "slurm.version": ("Choice of the Slurm version", uses.written("slurm.version")),
    "slurm.accounting-managed": (
        "Managed Slurm accounting",
        uses.chosen("slurm.accounting", "managed"),
    ),
    "slurm.accounting-database": (
        "External accounting database",
        uses.when(
            ("slurm", "accounting"), lambda p: isinstance(p.slurm.accounting, model.Database)
        ),
    ),
    "slurm.accounts": (
        "Accounts and qualities of service",
        lambda plan: [
            ("slurm", field) for field in ("accounts", "qos") if getattr(plan.slurm, field)
        ],
    ),
    "slurm.idle-timeout": ("Idle timeout for nodes", uses.written("slurm.idle_timeout")),
    "slurm.idle-never": (
        "Nodes that stay when they are idle",
        uses.chosen("slurm.idle_timeout", None),
    ),
    "slurm.settings": ("slurm.conf settings", uses.given("slurm.settings")),
    "slurm.slurmdbd-settings": ("slurmdbd.conf settings", uses.given("slurm.slurmdbd_settings")),
    "slurm.cgroup-settings": ("cgroup.conf settings", uses.given("slurm.cgroup_settings")),
    "kubernetes": ("Kubernetes", uses.written("kubernetes")),
    "monitoring.prometheus": ("Managed Prometheus", uses.metrics("managed-prometheus")),
    "monitoring.self-hosted": ("Prometheus in the cluster", uses.metrics("self-hosted")),
    "monitoring.cloudwatch-metrics": ("Metrics in CloudWatch", uses.metrics("cloudwatch")),
    "monitoring.alerts": (
        "Alerts",
        uses.when(("monitoring", "alerts"), lambda p: p.monitoring.alerts.wanted),
    ),
    "monitoring.cloudwatch-dashboard": (
        "CloudWatch dashboard",
        lambda plan: (
            [("monitoring", "dashboards")]
            if plan.wrote("monitoring", "dashboards") and plan.monitoring.dashboards == "cloudwatch"
            else []
        ),
    ),
    "monitoring.grafana": ("Managed Grafana", uses.dashboards("managed-grafana")),
    "monitoring.grafana-files": ("Dashboards as files", uses.dashboards("grafana-files")),
    "monitoring.log-retention": ("Log retention", uses.written("monitoring.log_retention")),
    "resilience.replace": (
        "Replacement of failed nodes",
        uses.written("resilience.replace_failed_nodes"),
    ),
    "resilience.auto-resume": ("Automatic job resume", uses.given("resilience.auto_resume")),
}
FEATURES: Final = tuple(Feature(name, *row) for name, row in _TITLES_AND_USES.items())


def used(plan: model.Plan) -> Iterator[tuple[Feature, tuple[Path, ...]]]:
    """The features that ``plan`` uses, each with its places in the spec."""
    for feature in FEATURES:
        if paths := tuple(feature.uses(plan)):
            yield feature, paths
