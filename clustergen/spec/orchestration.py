"""``slurm``, ``kubernetes``, ``monitoring`` and ``resilience``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from clustergen.spec import patterns, validators
from clustergen.spec.base import (
    Arn,
    Cidr,
    KubernetesVersion,
    Principal,
    Seconds,
    Section,
    Settings,
    SlurmVersion,
)


class Database(Section):
    """An external MySQL or MariaDB for Slurm accounting."""

    endpoint: str = Field(description="Host name.", pattern=patterns.HOST.regex)
    port: int = Field(3306, ge=1, le=65535, description="TCP port.")
    database: str | None = Field(
        None, pattern=patterns.DATABASE.regex, description="Database name."
    )
    user: str = Field("slurm", description="Database user.")
    secret: Arn = Field(description="Secrets Manager secret that holds the password.")


class Slurm(Section):
    """The scheduler of the Slurm targets."""

    version: SlurmVersion | None = Field(None, description='E.g. "25.11".')
    accounting: Annotated[
        Literal["off", "managed"] | Database, BeforeValidator(validators.accounting)
    ] = Field("off", description="off, managed (the service's own), or an external database.")
    idle_timeout: Seconds = Field(
        600,
        description="Idle nodes above the minimum stop after this.",
        json_schema_extra={"default": "10m"},
    )
    settings: Settings = Field({}, description="slurm.conf keys; each target accepts its own list.")
    slurmdbd_settings: Settings = Field({}, description="slurmdbd.conf keys.")
    cgroup_settings: Settings = Field({}, description="cgroup.conf keys.")


class SystemNodes(Section):
    """The nodes of what runs the cluster itself: DNS, controllers, metrics."""

    instance_type: str = Field("m7i.large", description="EC2 instance type.")
    count: int = Field(2, ge=1, description="How many.")


class Kubernetes(Section):
    """The scheduler of the Kubernetes targets."""

    version: KubernetesVersion = Field("1.35", description='E.g. "1.35".')
    admission: Literal["kueue", "none"] = Field("kueue", description="Job admission.")
    scheduler: Literal["default", "volcano", "kai"] = Field("default", description="Pod scheduler.")
    autoscaler: Literal["none", "karpenter"] = Field("none", description="Node autoscaler.")
    devices: Literal["plugin", "dra"] = Field(
        "plugin",
        description="How pods get accelerators and EFA: device plugins, or dynamic resource "
        "allocation.",
    )
    jobs: Literal["mpi-operator", "kubeflow-trainer", "none"] = Field(
        "mpi-operator", description="What runs jobs of several nodes."
    )
    system_nodes: SystemNodes = Field(
        SystemNodes.absent(), description="The nodes of DNS, controllers and the like."
    )
    support: Literal["standard", "extended"] = Field(
        "standard",
        description="What EKS does when standard support of the version ends: upgrade it, or sell "
        "extended support.",
    )
    admins: list[Principal] = Field(
        [], description="IAM roles and users that may do everything in the cluster."
    )
    public_endpoint_from: list[Cidr] = Field([], description="Empty: private endpoint only.")


class Monitoring(Section):
    """Metrics, dashboards and logs."""

    metrics: Literal["managed-prometheus", "none"] = Field("none", description="Where metrics go.")
    dashboards: Literal["cloudwatch", "managed-grafana", "none"] = Field(
        "cloudwatch", description="Dashboards."
    )
    log_retention: Seconds = Field(
        30 * 86400,
        description="How long logs are kept.",
        json_schema_extra={"default": "30d"},
    )


class Resilience(Section):
    """What happens when hardware fails."""

    replace_failed_nodes: bool = Field(True, description="Failed nodes are replaced.")
    auto_resume: bool = Field(False, description="Jobs resume by themselves where the service can.")
