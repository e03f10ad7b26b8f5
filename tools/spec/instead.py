"""What to write on a target in place of options of other targets.

``python -m tools.spec.build`` adds these to the language, as ``instead.json``.
"""

from __future__ import annotations

from collections.abc import Mapping

_SLURM = ("pcs", "hyperpod-slurm")
_HYPERPOD = ("hyperpod-slurm", "hyperpod-eks")
_KUBERNETES = ("eks", "hyperpod-eks")
_WITH_TEMPLATES = ("pcs", "eks", "batch")
_NOT_PARALLELCLUSTER = (*_WITH_TEMPLATES, *_HYPERPOD)

OPTIONS: Mapping[str, Mapping[tuple[str, ...], str]] = {
    "directory": {
        _SLURM: "set SSSD up in a script of software.scripts: docs/how-to/directory.md has one",
        _KUBERNETES: "pods run with the users of their images; write who may use the cluster in "
        "kubernetes.admins and kubernetes.access",
        ("batch",): "jobs of AWS Batch run with the users of their images, and IAM decides who "
        "may submit them",
    },
    "dcv": {
        _SLURM: "install Amazon DCV in a script of software.scripts, and reach it through a "
        "tunnel of Session Manager or SSH",
        (*_KUBERNETES, "batch"): "there is no node to log in to; remove it here",
    },
    "memory_scheduling": {
        _SLURM: "write slurm.settings: {SelectTypeParameters: CR_CPU_Memory}",
        (*_KUBERNETES, "batch"): "jobs request memory here, and are scheduled by it; remove it",
    },
    "own_security_groups": {
        _NOT_PARALLELCLUSTER: "write leave_out: [security-groups], for all nodes that "
        "have security_groups",
    },
    "key_name": {
        _HYPERPOD: "HyperPod's instances have no EC2 key pair; write ssh_key of users, or open a "
        "shell with Session Manager",
    },
    "detailed_monitoring": {
        _HYPERPOD: "HyperPod's instances are not in your account; write monitoring.metrics, and "
        "its interval",
    },
    "imds": {_HYPERPOD: "HyperPod configures the metadata service of its instances; remove it"},
    "imds_hops": {
        _HYPERPOD: "HyperPod configures the metadata service of its instances; remove it",
        ("parallelcluster",): "ParallelCluster has no such setting; set the default of the "
        "account: aws ec2 modify-instance-metadata-defaults --http-put-response-hop-limit 2",
    },
    "lifecycle": {
        ("parallelcluster", *_WITH_TEMPLATES): "write software.scripts, which run on the nodes",
    },
    "cluster": {
        ("parallelcluster",): "a ParallelCluster cluster is one document: turn that of yours "
        "into a spec with clustergen import --adopt, and add node groups there",
        ("batch",): "clustergen makes compute environments and job queues of its own, which "
        "change no others; remove it here",
    },
    "login_pool": {_SLURM: "the nodes of login have no such settings here; remove it"},
    "more_login_pools": {_SLURM: "write count of login, or subnets there; there is one pool"},
    "elastic_ip": {_NOT_PARALLELCLUSTER: "there is no head node in your account; remove it here"},
    "permissions_boundary": {
        _NOT_PARALLELCLUSTER: "write permissions_boundary of the spec, which every role gets",
    },
    "shared_folders": {_NOT_PARALLELCLUSTER: "no head node shares folders here; remove it"},
    "bucket": {_NOT_PARALLELCLUSTER: "the foundation makes the bucket of scripts; remove it here"},
    "scaling_strategy": {
        _NOT_PARALLELCLUSTER: "the service decides what starts for a job; remove it here"
    },
    "queue_update_strategy": {
        _NOT_PARALLELCLUSTER: "`clustergen diff` lists what a change does to nodes here; remove it"
    },
    "timeouts": {_NOT_PARALLELCLUSTER: "the service decides how long it waits; remove it here"},
    "dns": {_NOT_PARALLELCLUSTER: "the service names its nodes; remove it here"},
    "proxy": {
        ("pcs", *_HYPERPOD): "set the proxy in a script of software.scripts, or write "
        "network.internet: none, which needs none",
        ("eks", "batch"): "write network.internet: none, with which nodes reach AWS through "
        "endpoints",
    },
    "default_user": {
        _NOT_PARALLELCLUSTER: "change the user of the image in a script of software.scripts"
    },
    "version": {_SLURM: "write slurm.version", _KUBERNETES: "write kubernetes.version"},
    "size": {("parallelcluster", "hyperpod-slurm"): "write head_node.instance_type"},
    "image": {
        ("parallelcluster", "pcs", *_HYPERPOD, "eks"): "the container image of AWS Batch's jobs; "
        "write the AMI of nodes in image of their group",
    },
    "purge_accounting": {
        ("parallelcluster",): "write slurm.slurmdbd_settings: {PurgeJobAfter: 12months}",
    },
    "imds_for_all": {_NOT_PARALLELCLUSTER: "there is no head node in your account; remove it"},
}
"""Help by option, and by the targets that have others."""

ADDITIONS: Mapping[str, Mapping[tuple[str, ...], str]] = {
    "session-manager": {
        _HYPERPOD: "HyperPod's own policy for instances contains it; write iam.role of the nodes: "
        "an existing role without it",
    },
}
"""What to do in place of additions in ``leave_out``."""


def by_target(helps: Mapping[str, Mapping[tuple[str, ...], str]]) -> dict[str, dict[str, str]]:
    """Help by option and target."""
    return {
        option: {name: help for names, help in texts.items() for name in names}
        for option, texts in helps.items()
    }
