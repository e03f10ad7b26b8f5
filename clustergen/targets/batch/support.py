"""How AWS Batch supports each feature.

A source without https:// is a page of the Batch user guide, read on 2026-11-21.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support, monitoring
from clustergen.features.elsewhere import ELSEWHERE
from clustergen.targets.batch.limits import COMPUTE_RESOURCE, USER_GUIDE


def _support(level: Level, how: str, page: str) -> Support:
    source = page if page.startswith("https://") else f"{USER_GUIDE}{page}.html"
    return Support(level, how, source, checked="2026-11-21")


_TEMPLATES = "launch-templates"
_MULTI_NODE = "mnp-ce"
_JOBS = "job_definition_parameters"
_STATES = "job_states"
_BLOCKS = "https://aws.amazon.com/blogs/hpc/how-to-use-capacity-blocks-for-ml-with-aws-batch"
_EFA = "efa"
_ENVIRONMENT = "https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeResource.html"
_NEURON = (
    "https://docs.aws.amazon.com/AmazonECS/latest/developerguide/retrieve-ecs-optimized_AMI.html"
)
_LUSTRE = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/install-lustre-client.html"
_NO_SLURM = "ignored: Batch schedules jobs itself, without Slurm"

_EBS = "https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html"

_CAPACITY = {
    "capacity.on-demand": _support("full", "compute environment of type EC2", COMPUTE_RESOURCE),
    "capacity.spot": _support(
        "partial",
        "compute environment of type SPOT, for jobs of one node; multi-node jobs never start there",
        _MULTI_NODE,
    ),
    "capacity.reservation": _support(
        "full", "CapacityReservationTarget of the launch template", _BLOCKS
    ),
    "capacity.reservation-group": _support(
        "full", "CapacityReservationTarget of the launch template", "security-iam-awsmanpol"
    ),
    "capacity.block": _support(
        "full",
        "InstanceMarketOptions and CapacityReservationTarget of the launch template",
        _BLOCKS,
    ),
    "capacity.interruptible": _support(
        "none",
        "Batch does not document interruptible reservations; use a reservation or spot",
        _TEMPLATES,
    ),
    "capacity.dates": _support(
        "partial",
        "schedules enable and disable the compute environment; jobs that run then go on until EC2 "
        "terminates their nodes",
        COMPUTE_RESOURCE,
    ),
    "capacity.training-plan": _support(
        "none",
        "training plans reserve SageMaker instances; use {capacity_block: cr-...}",
        COMPUTE_RESOURCE,
    ),
}

_MACHINES = {
    "instances.ultraserver": _support(
        "none",
        "AWS has no ECS image for arm64 with GPUs; use p6-b200.48xlarge",
        "https://github.com/aws/amazon-ecs-ami",
    ),
    "instances.trainium": _support(
        "full",
        "ImageIdOverride: AWS's ECS image with the Neuron driver; jobs get /dev/neuron*",
        _NEURON,
    ),
    "instances.inferentia": _support(
        "full",
        "ImageIdOverride: AWS's ECS image with the Neuron driver; jobs get /dev/neuron*",
        _NEURON,
    ),
    "instances.hpc": _support(
        "partial",
        "hpc6id runs jobs of one node only: its network card has no place for a task",
        _MULTI_NODE,
    ),
    "instances.several-types": _support(
        "partial",
        "On-Demand types in this order, Spot types by price and capacity; a multi-node job names "
        "one type, and waits for it",
        "allocation-strategies",
    ),
    "instances.mixed-architecture": _support(
        "full",
        "a compute environment for each node group, and queues of one architecture",
        "create-job-queue",
    ),
    "network.efa": _support(
        "full", "NetworkInterfaces of the launch template, and devices in the job definitions", _EFA
    ),
    "network.efa-layout": _support(
        "partial",
        "interfaces are efa at device 0 of each card by default; nobody documents efa-only on "
        "Batch",
        _EFA,
    ),
    "network.no-internet": _support(
        "full",
        "AWS::EC2::VPCEndpoint in the foundation, in place of NAT",
        "vpc-endpoint-considerations",
    ),
    "placement.cluster": _support("full", "PlacementGroup of the compute environment", _MULTI_NODE),
    "placement.existing": _support(
        "full", "PlacementGroup of the compute environment", COMPUTE_RESOURCE
    ),
    "nodes.smt": _support("full", "the default of EC2; jobs ask for these vCPUs", COMPUTE_RESOURCE),
    "nodes.image": _support(
        "full", "ImageIdOverride: Amazon Linux with the ECS agent", "batch-ami-spec"
    ),
    "nodes.scratch": _support(
        "full", "mounted by a script in the user data, and in the job definitions", _TEMPLATES
    ),
    "nodes.mig": _support("none", "the ECS agent counts whole GPUs; remove mig", "gpu-jobs"),
    "nodes.labels": _support(
        "partial", "tags of instances; jobs cannot select nodes by them", COMPUTE_RESOURCE
    ),
    "nodes.taints": _support("partial", "ignored: queues separate jobs", "job_queues"),
    "nodes.slurm-settings": _support("partial", _NO_SLURM, "job_queues"),
    "nodes.scaling": _support("full", "MinvCpus: 0, up to MaxvCpus", COMPUTE_RESOURCE),
    "nodes.mixed-scaling": _support(
        "partial",
        "MinvCpus keeps nodes for jobs of one node; multi-node jobs always start their own",
        "managed_compute_environments",
    ),
}

_HEALTH = {
    "health.gpu": _support(
        "partial",
        "checked once at boot: a node without all accelerators does not join; Batch replaces nodes "
        "that fail the checks of EC2",
        _TEMPLATES,
    ),
    "health.deep": _support(
        "none", "Batch has no deep health checks; keep only gpu", "managed_compute_environments"
    ),
    "head.node": _support("managed", "Batch schedules jobs itself", "what-is-batch"),
    "login.nodes": _support(
        "partial", "ignored: submit.sh or the API of Batch submit jobs from anywhere", "submit_job"
    ),
}

_QUEUES = {
    "queues.slurm-settings": _support("partial", _NO_SLURM, "job_queues"),
    "queues.shared-groups": _support(
        "full", "a compute environment can be in several queues", "job_queues"
    ),
    "queues.parts": _support(
        "none",
        "a compute environment is whole in a job queue; write a node group for each part",
        "job_queues",
    ),
}

_STORAGE = {
    "storage.lustre": _support(
        "full", "mounted by a script in the user data, and in the job definitions", _LUSTRE
    ),
    "storage.lustre-efa": _support(
        "partial",
        "a script in the user data configures it if the client in the image can; otherwise TCP",
        "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
    ),
    "storage.lustre-metadata": _support("full", "created by the foundation", _LUSTRE),
    "storage.intelligent-tiering": _support("full", "created by the foundation", _LUSTRE),
    "storage.data-repositories": _support("full", "created by the foundation", _LUSTRE),
    "storage.openzfs": _support(
        "full",
        "mounted over NFS by a script in the user data, and in the job definitions",
        _TEMPLATES,
    ),
    "storage.ontap": _support(
        "full",
        "mounted over NFS by a script in the user data, which asks FSx for the path",
        _TEMPLATES,
    ),
    "storage.efs": _support(
        "full", "mounted with efs-utils and TLS by a script in the user data", _TEMPLATES
    ),
    "storage.ebs": _support(
        "none", "there is no head node to share a volume; use fsx-openzfs or efs", _TEMPLATES
    ),
    "storage.bucket": _support(
        "partial",
        "Mountpoint for S3 on the node, which its user data installs; S3 Files volumes are refused",
        "s3files-volumes",
    ),
    "storage.file-cache": _support(
        "partial",
        "mounted like Lustre; AWS does not document the client of the image for it",
        "https://docs.aws.amazon.com/fsx/latest/FileCacheGuide/install-lustre-client.html",
    ),
}

_SOFTWARE = {
    "software.pyxis": _support(
        "partial", "ignored: every job is a container, with an image of its own", _JOBS
    ),
    "software.registry": _support(
        "full",
        "containerProperties.image of the job definitions; mirror.sh copies the images",
        _JOBS,
    ),
    "software.docker": _support("managed", "every job is a Docker container", _JOBS),
    "software.scripts": _support(
        "partial",
        "user data: every script runs before the node joins, and none on other nodes",
        _TEMPLATES,
    ),
    "users": _support(
        "partial",
        "ignored: IAM decides who submits jobs, and a job definition as which user they run",
        "security-iam",
    ),
}

_SLURM = {
    "slurm.version": _support("partial", _NO_SLURM, _STATES),
    "slurm.accounting-managed": _support(
        "partial",
        "ignored: Batch keeps jobs for seven days after their end, and sends events of each",
        _STATES,
    ),
    "slurm.accounting-database": _support(
        "partial",
        "ignored: Batch keeps jobs for seven days after their end, and sends events of each",
        _STATES,
    ),
    "slurm.accounts": _support(
        "partial",
        "a fair-share policy divides the queues between the accounts, which submitters name",
        "fair-share-scheduling",
    ),
    "slurm.idle-timeout": _support(
        "partial",
        "MinScaleDownDelayMinutes, from 20m to 7d; by default Batch stops idle nodes after minutes",
        "https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeScalingPolicy.html",
    ),
    "nodes.volume-key": _support("full", "KmsKeyId of the launch template", _EBS),
    "nodes.volume-kept": _support("full", "DeleteOnTermination: false", _EBS),
    "nodes.tags": _support("full", "TagSpecifications of the launch template", _TEMPLATES),
    "nodes.unencrypted": _support(
        "full",
        "Encrypted of the launch template",
        _EBS,
    ),
    "nodes.subnets": _support("full", "Subnets of the compute environment", _ENVIRONMENT),
    "nodes.zone": _support(
        "full", "a subnet of the foundation; Subnets of the compute environment", _ENVIRONMENT
    ),
    "nodes.security-groups": _support(
        "full",
        "SecurityGroupIds of the compute environment, or groups of the launch template",
        _ENVIRONMENT,
    ),
    "nodes.instance-profile": _support(
        "full", "InstanceRole of the compute environment", _ENVIRONMENT
    ),
    "nodes.desired": _support(
        "none", "Batch starts nodes for jobs; remove desired, or write it as min", _ENVIRONMENT
    ),
    "nodes.allocation": _support(
        "full", "AllocationStrategy of the compute environment", "allocation-strategies"
    ),
    "nodes.ssh-sources": _support(
        "none", "users submit jobs from anywhere, without login nodes; remove ssh_from", _JOBS
    ),
    "nodes.iam": _support(
        "full", "a role and an instance profile for the group, its InstanceRole", _ENVIRONMENT
    ),
    "nodes.role": _support(
        "full", "an instance profile with the role, InstanceRole of the group", _ENVIRONMENT
    ),
    "slurm.idle-never": _support(
        "none",
        "Batch stops idle nodes after 7 days at most; write 7d, or count: N",
        "https://docs.aws.amazon.com/batch/latest/APIReference/API_ComputeScalingPolicy.html",
    ),
    "slurm.settings": _support("partial", _NO_SLURM, _STATES),
    "slurm.slurmdbd-settings": _support("partial", _NO_SLURM, _STATES),
    "slurm.cgroup-settings": _support("partial", _NO_SLURM, _STATES),
    "kubernetes": _support("partial", "ignored: Batch runs jobs with ECS here", "what-is-batch"),
}

_OPERATION = {
    "monitoring.prometheus": _support(
        "none",
        "Batch does not support daemons on its nodes; use metrics: cloudwatch",
        "managed_compute_environments",
    ),
    "monitoring.self-hosted": _support(
        "none",
        "Batch does not support daemons on its nodes; use metrics: cloudwatch",
        "managed_compute_environments",
    ),
    "monitoring.cloudwatch-metrics": _support(
        "partial",
        "Container Insights: CPU, memory and network of nodes and tasks, without GPUs and EFA",
        "cloudwatch-container-insights",
    ),
    "monitoring.alerts": _support(
        "partial",
        "alarms on file systems only; for those on jobs, subscribe to the events of Batch",
        "cloudwatch_event_stream",
    ),
    "monitoring.grafana": _support(
        "none",
        "the metrics that they show are not collected; use dashboards: cloudwatch",
        "cloudwatch-container-insights",
    ),
    "monitoring.grafana-files": _support(
        "none",
        "the metrics that they show are not collected; use dashboards: cloudwatch",
        "cloudwatch-container-insights",
    ),
    "monitoring.cloudwatch-dashboard": _support(
        "full",
        "a dashboard with what AWS measures of instances and storage",
        "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/viewing_metrics_with_cloudwatch.html",
    ),
    "monitoring.log-retention": _support(
        "full",
        "RetentionInDays of the log group of jobs, rounded up to a value of CloudWatch",
        "using_awslogs",
    ),
    "resilience.replace": _support(
        "managed", "Batch always replaces nodes that fail", "security-iam-awsmanpol"
    ),
    "resilience.auto-resume": _support(
        "partial",
        "jobs start again if the host of their main node fails, and resume from their own "
        "checkpoint",
        "job_retries",
    ),
}

SUPPORT: Mapping[str, Support] = MappingProxyType(
    {**monitoring.SHARED, **ELSEWHERE}
    | _CAPACITY
    | _MACHINES
    | _HEALTH
    | _QUEUES
    | _STORAGE
    | _SOFTWARE
    | _SLURM
    | _OPERATION
)
"""Support by feature id, for every feature."""
