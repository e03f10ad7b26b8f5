"""What Slurm on HyperPod accepts, as of 2026-11-20; see also ``hyperpod.limits``."""

from typing import Final

from clustergen.base.text_lists import word_set
from clustergen.plan.limits import Form, Names, SlurmSettings, Systems, Users
from clustergen.services.hyperpod import limits
from clustergen.targets.hyperpod_slurm.modes import by_service

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-multihead-slurm.html
# 2026-11-20.
MAX_CONTROLLERS: Final = 3

# The image is a Deep Learning AMI for Ubuntu with Slurm; 2026-11-20.
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-release-ami-slurm.html
DEFAULT_USER: Final = "ubuntu"
TAKEN_USERS: Final = frozenset({DEFAULT_USER, "root", "slurm", "munge", "mysql", "ssm-user"})
# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html: where HyperPod has
# its files, the secondary volume and local disks; 2026-11-20.
OWN_FOLDERS: Final = ("/opt/sagemaker", "/opt/dlami", "/opt/ml", "/opt/clustergen")

# https://docs.aws.amazon.com/sagemaker/latest/dg/sagemaker-hyperpod-ref.html: settings that
# HyperPod updates with the instance groups; nodes get their configuration from the controller;
# sagemaker-hyperpod-resiliency-slurm-auto-resume.html: that resuming needs task/none; 2026-11-22.
SLURM_SETTINGS = SlurmSettings(
    source=f"{limits.GUIDE}sagemaker-hyperpod-ref.html",
    own={
        "cluster": word_set("""
            authtype clustername include nodename nodeset partitionname
            slurmctldhost slurmctldport slurmdport slurmuser statesavelocation
            topologyplugin
        """),
        "partition": word_set("nodes partitionname"),
    },
    kept={
        "SlurmctldParameters": "enable_configless",
        "SchedulerParameters": "nohold_on_prolog_fail",
    },
    replaced={"taskplugin": "HyperPod resumes jobs only with task/none"},
    cgroups="HyperPod sets TaskPlugin=task/none, with which Slurm does not read cgroup.conf",
)

_OSES = ("ubuntu2204", "ubuntu2404")
_IMAGE = f"{limits.GUIDE}sagemaker-hyperpod-release-ami-slurm.html"

LIMITS = limits.LIMITS._replace(
    names=(
        *limits.LIMITS.names,
        Names(
            of=("queue",),
            longest=limits.MAX_NAME,
            form=limits.NAME_FORM,
            source=limits.CREATE_CLUSTER,
            when=by_service,
        ),
        # PartitionName of slurm.conf, which scripts write; AWS's own are called ml.p5.48xlarge.
        Names(
            of=("queue",),
            longest=limits.MAX_NAME,
            form=Form(r"[A-Za-z0-9][A-Za-z0-9._-]*", "letters, digits, -, _ and ."),
            source="https://slurm.schedmd.com/slurm.conf.html#OPT_PartitionName",
            when=lambda plan: not by_service(plan),
        ),
    ),
    systems=Systems(
        images=frozenset(_OSES), title="HyperPod", suggested="ubuntu2404", source=_IMAGE
    ),
    users=Users(names=TAKEN_USERS, default=dict.fromkeys(_OSES, DEFAULT_USER), source=_IMAGE),
    # HyperPod sets up Docker itself where it sets up Slurm.
    docker_group=lambda plan: not by_service(plan),
    accounting_database=f"{limits.CREATE_CLUSTER}#sagemaker-CreateCluster-request-Orchestrator",
    slurm_settings=SLURM_SETTINGS,
    unmounted=frozenset({"fsx-lustre", "file-cache"}),
    unmounted_source=limits.SLURM_API,
)
