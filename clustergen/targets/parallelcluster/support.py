"""How ParallelCluster 3.16.1 supports each feature. ``pcluster`` is the code of the package."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from clustergen.features import Level, Support, monitoring
from clustergen.features.elsewhere import ELSEWHERE
from clustergen.features.elsewhere import SCRIPTS_AT_BOOT as _BOOT
from clustergen.features.elsewhere import SCRIPTS_THAT_FAIL as _FAILURE

_GUIDE = "https://docs.aws.amazon.com/parallelcluster/latest/ug"
_QUEUES = f"{_GUIDE}/Scheduling-v3.html#Scheduling-v3-SlurmQueues"
_RESOURCES = f"{_GUIDE}/Scheduling-v3.html#Scheduling-v3-SlurmQueues-ComputeResources"
_STORAGE = f"{_GUIDE}/SharedStorage-v3.html"
_ACTIONS = f"{_GUIDE}/custom-bootstrap-actions-v3.html"
_SETTINGS = f"{_GUIDE}/slurm-configuration-settings-v3.html"
_ACCOUNTING = f"{_GUIDE}/slurm-accounting-v3.html"


def _row(feature: str, level: Level, how: str, source: str) -> tuple[str, Support]:
    return feature, Support(level, how, source)


SUPPORT: Mapping[str, Support] = MappingProxyType(
    {**monitoring.SHARED}
    | dict(
        (
            _row("capacity.on-demand", "full", "CapacityType: ONDEMAND", _QUEUES),
            _row("capacity.spot", "full", "CapacityType: SPOT", _QUEUES),
            _row(
                "capacity.reservation",
                "full",
                "CapacityReservationTarget.CapacityReservationId of the compute resource",
                _RESOURCES,
            ),
            _row(
                "capacity.reservation-group",
                "full",
                "CapacityReservationTarget.CapacityReservationResourceGroupArn",
                _RESOURCES,
            ),
            _row(
                "capacity.block",
                "full",
                "CapacityType: CAPACITY_BLOCK with the block's id, MinCount equal to MaxCount",
                f"{_GUIDE}/launch-instances-capacity-blocks.html",
            ),
            _row(
                "capacity.interruptible",
                "none",
                "ParallelCluster has no such capacity type; use {reservation: cr-...}",
                "pcluster.config.common: CapacityType",
            ),
            _row(
                "capacity.training-plan",
                "none",
                "training plans are for SageMaker; write {capacity_block: cr-...}",
                "https://docs.aws.amazon.com/sagemaker/latest/dg/reserve-capacity-with-training-plans.html",
            ),
            _row(
                "capacity.dates",
                "full",
                "timetable.sh on the head node: Slurm reservations keep jobs off nodes, whose "
                "partitions become INACTIVE before the end; of a reservation that starts later, "
                "nodes start with jobs",
                "https://slurm.schedmd.com/reservations.html",
            ),
            _row(
                "instances.ultraserver",
                "partial",
                "a Capacity Block of 9 or 18; ParallelCluster configures the block topology, your "
                "script configures IMEX",
                "pcluster.constants: ULTRASERVER_CAPACITY_BLOCK_ALLOWED_SIZE_DICT",
            ),
            _row("instances.trainium", "full", "InstanceType", _RESOURCES),
            _row("instances.inferentia", "full", "InstanceType", _RESOURCES),
            _row("instances.hpc", "full", "InstanceType, On-Demand", _RESOURCES),
            _row(
                "instances.several-types",
                "partial",
                "Instances: EC2 chooses by capacity on Spot, otherwise by price or by the order of "
                "subnets, not in the order written",
                f"{_GUIDE}/slurm-multiple-instance-allocation-v3.html",
            ),
            _row(
                "instances.mixed-architecture",
                "none",
                "head, login and compute nodes share one architecture; create a second cluster on "
                "the same foundation for the other",
                "pcluster.validators: InstanceArchitectureCompatibilityValidator",
            ),
            _row("network.efa", "full", "Efa.Enabled", f"{_GUIDE}/efa-v3.html"),
            _row(
                "network.efa-layout",
                "managed",
                "ParallelCluster chooses efa-only on every card but the first; `efa` is a "
                "setting for developers",
                "pcluster.templates.queues_stack: add_network_interfaces",
            ),
            _row(
                "network.no-internet",
                "full",
                "AWS::EC2::VPCEndpoint in the foundation, in place of NAT; SlurmSettings.Dns: host "
                "names of EC2",
                f"{_GUIDE}/aws-parallelcluster-in-a-single-public-subnet-no-internet-v3.html",
            ),
            _row(
                "placement.cluster",
                "full",
                "PlacementGroup.Enabled: one group per compute resource",
                _RESOURCES,
            ),
            _row("placement.existing", "full", "PlacementGroup.Name", _RESOURCES),
            _row("nodes.smt", "full", "DisableSimultaneousMultithreading: false", _RESOURCES),
            _row("nodes.image", "full", "Image.CustomAmi, built by the same version", _QUEUES),
            _row(
                "nodes.iam",
                "full",
                "Iam: AdditionalIamPolicies, S3Access",
                f"{_GUIDE}/HeadNode-v3.html#HeadNode-v3-Iam",
            ),
            _row(
                "nodes.instance-profile",
                "full",
                "Iam.InstanceProfile",
                f"{_GUIDE}/HeadNode-v3.html#HeadNode-v3-Iam",
            ),
            _row(
                "nodes.desired",
                "none",
                "nodes above the minimum start for jobs; remove desired, or write it as min",
                _RESOURCES,
            ),
            _row(
                "nodes.accelerator-taint",
                "partial",
                "ignored: taints exist only in Kubernetes",
                _RESOURCES,
            ),
            _row(
                "nodes.role",
                "full",
                "Iam.InstanceRole",
                f"{_GUIDE}/HeadNode-v3.html#HeadNode-v3-Iam",
            ),
            _row(
                "login.smt",
                "none",
                "a pool of login nodes has no such setting; remove it",
                f"{_GUIDE}/LoginNodes-v3.html",
            ),
            _row(
                "nodes.security-groups",
                "full",
                "Networking.AdditionalSecurityGroups",
                f"{_GUIDE}/HeadNode-v3.html#HeadNode-v3-Networking",
            ),
            _row(
                "nodes.subnets",
                "full",
                "Networking.SubnetId and SubnetIds",
                f"{_GUIDE}/HeadNode-v3.html#HeadNode-v3-Networking",
            ),
            _row(
                "nodes.zone",
                "full",
                "a subnet of the foundation, in SubnetIds of the queue",
                _QUEUES,
            ),
            _row(
                "nodes.ssh-sources",
                "full",
                "Ssh.AllowedIps",
                f"{_GUIDE}/HeadNode-v3.html#HeadNode-v3-Ssh",
            ),
            _row("nodes.allocation", "full", "AllocationStrategy of the queue", _QUEUES),
            _row("nodes.service-name", "full", "Name of the compute resource", _RESOURCES),
            _row(
                "head.smt",
                "full",
                "HeadNode.DisableSimultaneousMultithreading",
                f"{_GUIDE}/HeadNode-v3.html",
            ),
            _row("storage.name", "full", "SharedStorage.Name", _STORAGE),
            _row("storage.by-cluster", "full", "FsxLustreSettings and EfsSettings", _STORAGE),
            _row("nodes.scratch", "full", "ComputeSettings.LocalStorage.EphemeralVolume", _QUEUES),
            _row(
                "nodes.mig",
                "none",
                "ParallelCluster writes Gres itself and counts whole GPUs; partition GPUs in a "
                "boot script",
                _SETTINGS,
            ),
            _row(
                "nodes.labels",
                "partial",
                "labels become Slurm features, key=value, which replace the features static and "
                "dynamic",
                _SETTINGS,
            ),
            _row(
                "nodes.taints",
                "partial",
                "ignored: taints exist only in Kubernetes; use queues to control where jobs run",
                "https://slurm.schedmd.com/slurm.conf.html#SECTION_PARTITION-CONFIGURATION",
            ),
            _row(
                "nodes.slurm-settings",
                "full",
                "CustomSlurmSettings of the compute resource, except a deny list",
                _SETTINGS,
            ),
            _row("nodes.scaling", "full", "MinCount and MaxCount", _RESOURCES),
            _row(
                "nodes.mixed-scaling",
                "full",
                "MinCount static and MaxCount - MinCount dynamic nodes",
                _RESOURCES,
            ),
            _row(
                "health.gpu",
                "full",
                "HealthChecks.Gpu: dcgmi diagnostics before each job; nodes that fail are replaced",
                f"{_GUIDE}/slurm-health-checks-v3.html",
            ),
            _row(
                "health.deep",
                "none",
                "ParallelCluster has no deep health checks; keep gpu and run NCCL tests as jobs",
                f"{_GUIDE}/slurm-health-checks-v3.html",
            ),
            _row("head.node", "full", "HeadNode", f"{_GUIDE}/HeadNode-v3.html"),
            _row("login.nodes", "full", "LoginNodes", f"{_GUIDE}/LoginNodes-v3.html"),
            _row(
                "queues.slurm-settings",
                "full",
                "CustomSlurmSettings, except a deny list",
                _SETTINGS,
            ),
            _row(
                "queues.shared-groups",
                "partial",
                "the first queue owns the nodes; the others are custom partitions with the same "
                "nodes, which `pcluster update-compute-fleet` does not stop",
                _SETTINGS,
            ),
            _row(
                "queues.parts",
                "full",
                "a custom partition over these nodes of the queue with the whole group",
                _SETTINGS,
            ),
            _row("storage.lustre", "full", "attached by FileSystemId", _STORAGE),
            _row(
                "storage.lustre-efa",
                "full",
                "a script in the bundle configures Lustre networking over EFA before the mount",
                "https://docs.aws.amazon.com/fsx/latest/LustreGuide/configure-efa-clients.html",
            ),
            _row(
                "storage.lustre-metadata",
                "full",
                "created by the foundation, attached by FileSystemId",
                "https://github.com/aws/aws-parallelcluster/issues/7616",
            ),
            _row(
                "storage.intelligent-tiering",
                "full",
                "created by the foundation, attached by FileSystemId",
                _STORAGE,
            ),
            _row(
                "storage.data-repositories",
                "full",
                "created by the foundation with the file system",
                _STORAGE,
            ),
            _row("storage.openzfs", "full", "attached by VolumeId", _STORAGE),
            _row("storage.ontap", "full", "attached by VolumeId", _STORAGE),
            _row("storage.efs", "full", "attached by FileSystemId, encrypted in transit", _STORAGE),
            _row("storage.ebs", "full", "EbsSettings, shared by the head node over NFS", _STORAGE),
            _row(
                "storage.bucket",
                "none",
                "ParallelCluster does not mount buckets; link the bucket to an fsx-lustre file "
                "system "
                "as a data repository, or install Mountpoint in a boot script",
                _STORAGE,
            ),
            _row("storage.file-cache", "full", "attached by FileCacheId", _STORAGE),
            _row(
                "software.pyxis",
                "full",
                "the official images include Enroot and Pyxis; a script enables them",
                "https://github.com/aws/aws-parallelcluster-cookbook/pull/2820",
            ),
            _row(
                "software.docker",
                "partial",
                "installed at boot from the distribution's repository; GPUs in containers need the "
                "NVIDIA toolkit in the image",
                _ACTIONS,
            ),
            ("software.registry", ELSEWHERE["software.registry"]),
            _row("software.scripts", "full", "CustomActions", _ACTIONS),
            _row(
                "users", "full", "created by a custom action, homes on the shared /home", _ACTIONS
            ),
            _row(
                "slurm.version",
                "managed",
                "each ParallelCluster version has one Slurm version",
                "https://github.com/aws/aws-parallelcluster/releases/tag/v3.16.1",
            ),
            _row(
                "slurm.accounting-managed",
                "none",
                "ParallelCluster has no managed database; write {endpoint, user, secret} of yours",
                _ACCOUNTING,
            ),
            _row("slurm.accounting-database", "full", "SlurmSettings.Database", _ACCOUNTING),
            _row(
                "slurm.accounts",
                "full",
                "a script of the head node creates them with sacctmgr",
                _ACCOUNTING,
            ),
            _row("slurm.idle-timeout", "full", "SlurmSettings.ScaledownIdletime", _SETTINGS),
            _row("slurm.idle-never", "full", "SlurmSettings.ScaledownIdletime: -1", _SETTINGS),
            _row("software.scripts-failure", "none", _FAILURE, _ACTIONS),
            _row("software.scripts-every-boot", "none", _BOOT, _ACTIONS),
            _row(
                "software.scripts-updated",
                "full",
                "OnNodeUpdated of head and login nodes; if a script fails, the update is undone",
                _ACTIONS,
            ),
            _row(
                "nodes.volume-key",
                "none",
                "ParallelCluster has no key for root volumes; remove kms_key, and make it the "
                "default of the account: aws ec2 modify-ebs-default-kms-key-id",
                _QUEUES,
            ),
            _row(
                "nodes.volume-kept",
                "none",
                "the root volumes of compute and login nodes end with them; remove on_delete, and "
                "keep what has to stay on shared storage",
                _QUEUES,
            ),
            _row(
                "head.volume-kept",
                "full",
                "LocalStorage.RootVolume.DeleteOnTermination: false",
                f"{_GUIDE}/HeadNode-v3.html",
            ),
            _row("nodes.tags", "full", "Tags of the compute resource", _RESOURCES),
            _row("nodes.unencrypted", "full", "LocalStorage.RootVolume.Encrypted: false", _QUEUES),
            _row("slurm.settings", "full", "CustomSlurmSettings, except a deny list", _SETTINGS),
            _row(
                "slurm.slurmdbd-settings",
                "none",
                "ParallelCluster writes slurmdbd.conf itself; edit it in a boot script on the "
                "head node",
                _ACCOUNTING,
            ),
            _row(
                "slurm.cgroup-settings",
                "none",
                "ParallelCluster writes cgroup.conf itself; edit it in a boot script on the head "
                "node",
                _SETTINGS,
            ),
            _row(
                "kubernetes",
                "partial",
                "ignored: ParallelCluster runs Slurm",
                _QUEUES,
            ),
            _row(
                "monitoring.prometheus",
                "partial",
                "custom actions: head and compute nodes send metrics of the node, EFA, storage and "
                "Slurm with the CloudWatch agent; for GPU metrics the image needs Docker or the "
                "nvidia-dcgm-exporter unit, which ParallelCluster's own images lack",
                f"{_GUIDE}/custom-bootstrap-actions-v3.html",
            ),
            _row(
                "monitoring.cloudwatch-metrics",
                "partial",
                f"{monitoring.SLURM_CLOUDWATCH.how}; for GPU metrics the image needs Docker or the "
                "nvidia-dcgm-exporter unit, which ParallelCluster's own images lack",
                monitoring.SLURM_CLOUDWATCH.source,
            ),
            _row(
                "monitoring.cloudwatch-dashboard",
                "full",
                "Monitoring.Dashboards.CloudWatch",
                f"{_GUIDE}/Monitoring-v3.html",
            ),
            _row(
                "monitoring.log-retention",
                "full",
                "Monitoring.Logs.CloudWatch.RetentionInDays",
                f"{_GUIDE}/Monitoring-v3.html",
            ),
            _row(
                "resilience.replace",
                "managed",
                "clustermgtd replaces failed nodes",
                f"{_GUIDE}/processes-v3.html#clustermgtd-v3",
            ),
            _row(
                "resilience.auto-resume",
                "partial",
                "Slurm requeues the jobs of a failed node; they resume from their own checkpoint",
                "https://slurm.schedmd.com/slurm.conf.html#OPT_JobRequeue",
            ),
        )
    )
)
