"""``slurm``, ``kubernetes``, ``monitoring`` and ``resilience``."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from clustergen.spec import base, patterns, validators


class Database(base.Section):
    """An external MySQL or MariaDB for Slurm accounting."""

    endpoint: str = Field(description="Host name.", pattern=patterns.HOST.regex)
    port: int = Field(3306, ge=1, le=65535, description="TCP port.")
    database: str | None = Field(
        None, pattern=patterns.DATABASE.regex, description="Database name."
    )
    user: str = Field("slurm", pattern=patterns.DATABASE_USER.regex, description="Database user.")
    secret: base.Secret = Field(description="Secrets Manager secret that holds the password.")


class Account(base.Section):
    """Users who share a part of the cluster."""

    name: str = Field(pattern=patterns.SLURM_NAME.regex, description="Name of the account.")
    parent: str | None = Field(None, description="The account that it is part of.")
    fair_share: int = Field(
        1, ge=1, le=2**31 - 1, description="Its share, relative to others of the same parent."
    )
    users: list[Annotated[str, Field(pattern=patterns.LOGIN_NAME.regex)]] = Field(
        [], description="Users who submit jobs in the account."
    )
    qos: list[str] = Field(
        [], description="Qualities of service that its jobs can ask for, besides normal."
    )


class Qos(base.Section):
    """A quality of service, which jobs request with --qos."""

    name: str = Field(pattern=patterns.SLURM_NAME.regex, description="Name.")
    priority: int = Field(0, ge=0, le=2**31 - 1, description="Priority of its jobs.")
    preempts: list[str] = Field([], description="Qualities of service whose jobs its jobs preempt.")


class Slurm(base.Section):
    """Slurm settings, for targets that run Slurm."""

    version: base.SlurmVersion | None = Field(None, description='Slurm version, e.g. "25.11".')
    accounting: Annotated[
        Literal["off", "managed"] | Database, BeforeValidator(validators.accounting)
    ] = Field("off", description="off, managed (run by the service), or an external database.")
    accounts: list[Account] = Field([], description="Accounts; needs accounting.")
    qos: list[Qos] = Field([], description="Qualities of service; needs accounting.")
    idle_timeout: Literal["never"] | base.Seconds = Field(
        600,
        description="Time after which idle nodes above the minimum stop, or never.",
        json_schema_extra={"default": "10m"},
    )
    settings: base.Settings = Field(
        {}, description="slurm.conf parameters; each target accepts a different set."
    )
    slurmdbd_settings: base.Settings = Field({}, description="slurmdbd.conf parameters.")
    cgroup_settings: base.Settings = Field({}, description="cgroup.conf parameters.")


class SystemNodes(base.Section):
    """Nodes for system pods: DNS, controllers, metrics."""

    instance_type: base.NodeType = Field("m7i.large", description="EC2 instance type.")
    count: int = Field(2, ge=1, description="Number of nodes.")


class ClusterAccess(base.Section):
    """What an IAM role or user may do in an EKS cluster, besides its administrators."""

    principal: base.Principal = Field(description="ARN of an IAM role or user.")
    queues: list[str] = Field(
        [], description="Queues whose namespaces it can use; empty: all namespaces."
    )
    level: Literal["admin", "edit", "view"] = Field(
        "edit",
        description="Kubernetes' role of that name: view reads, edit also runs jobs, admin also "
        "gives others access to the namespace.",
    )


class ClusterAddon(base.Section):
    """An add-on of EKS, besides those that the spec needs, or settings of one of them."""

    name: str = Field(
        pattern=patterns.ADDON.regex, description="Name, such as snapshot-controller."
    )
    version: str | None = Field(
        None,
        pattern=patterns.ADDON_VERSION.regex,
        description="Version, such as v1.19.2-eksbuild.1; default: that of EKS.",
    )
    configuration: dict[str, Any] = Field(
        {}, description="Configuration values; they replace those of clustergen key by key."
    )


class Kubernetes(base.Section):
    """Kubernetes settings, for targets that run Kubernetes."""

    version: base.KubernetesVersion = Field("1.35", description='Kubernetes version, e.g. "1.35".')
    admission: Literal["kueue", "none"] = Field("kueue", description="Job admission.")
    scheduler: Literal["default", "volcano", "kai"] = Field("default", description="Pod scheduler.")
    autoscaler: Literal["none", "karpenter"] = Field("none", description="Node autoscaler.")
    devices: Literal["plugin", "dra"] = Field(
        "plugin",
        description="How pods get accelerators and EFA: device plugins, or dynamic resource "
        "allocation.",
    )
    jobs: Literal["mpi-operator", "kubeflow-trainer", "none"] = Field(
        "mpi-operator", description="Operator for multi-node jobs."
    )
    system_nodes: SystemNodes = Field(
        SystemNodes.absent(), description="Nodes for DNS, controllers and other system pods."
    )
    support: Literal["auto", "standard", "extended"] = Field(
        "auto",
        description="What EKS does when standard support for the version ends: upgrade the "
        "cluster, or charge for extended support; auto: the default of EKS, extended.",
    )
    admins: list[base.Principal] = Field(
        [], description="IAM roles and users with cluster-admin access."
    )
    access: list[ClusterAccess] = Field(
        [], description="IAM roles and users with less access than administrators."
    )
    addons: list[ClusterAddon] = Field([], description="EKS add-ons of a new EKS cluster.")
    public_endpoint_from: list[base.Cidr] = Field(
        [], description="CIDR blocks that can reach the API; empty: private endpoint only."
    )


class Alerts(base.Section):
    """Who hears of alerts."""

    email: list[Annotated[str, Field(pattern=patterns.EMAIL.regex)]] = Field(
        [], description="Addresses; AWS asks each to confirm the subscription."
    )
    topic: base.Topic | None = Field(None, description="SNS topic that exists; empty: a new one.")


class Monitoring(base.Section):
    """Metrics, dashboards, alerts and logs."""

    metrics: Literal["managed-prometheus", "self-hosted", "cloudwatch", "none"] = Field(
        "none",
        description="Metrics backend: Amazon Managed Service for Prometheus, a Prometheus server "
        "in the cluster, or CloudWatch.",
    )
    dashboards: Literal["cloudwatch", "managed-grafana", "grafana-files", "none"] = Field(
        "cloudwatch",
        description="Dashboards: in CloudWatch, in Amazon Managed Grafana, or as files for a "
        "Grafana of your own.",
    )
    alerts: Alerts = Field(Alerts.absent(), description="Who hears of alerts; needs metrics.")
    interval: base.Seconds = Field(
        30,
        description="Time between two samples of a metric; a longer one costs less.",
        json_schema_extra={"default": "30s"},
    )
    workspace: str = Field(
        "new",
        pattern=patterns.WORKSPACE.regex,
        description="Workspace of Amazon Managed Service for Prometheus: new, or the id of one.",
    )
    log_retention: base.LongSeconds | Literal["forever"] = Field(
        30 * 86400,
        description="Retention time of logs, or forever.",
        json_schema_extra={"default": "30d"},
    )


class Resilience(base.Section):
    """What happens when hardware fails."""

    replace_failed_nodes: bool = Field(True, description="Replace failed nodes.")
    auto_resume: bool = Field(
        False, description="Resume jobs automatically, if the service supports it."
    )
