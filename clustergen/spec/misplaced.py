"""Keys that belong elsewhere: to another section, or to another target, and what to do instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from clustergen.findings import Path
from clustergen.spec import sections

_SLURM = ("pcs", "hyperpod-slurm")
_HYPERPOD = ("hyperpod-slurm", "hyperpod-eks")
_KUBERNETES = ("eks", "hyperpod-eks")
_WITH_TEMPLATES = ("pcs", "eks", "batch")
_NOT_PARALLELCLUSTER = (*_WITH_TEMPLATES, *_HYPERPOD)

_SECTIONS: Mapping[Path, str] = {
    ("node_groups", "spot"): "write capacity: spot",
    ("node_groups", "capacity_block"): "write capacity: {capacity_block: cr-...}",
    ("node_groups", "reservation"): "write capacity: {reservation: cr-...}",
    ("node_groups", "training_plan"): "write capacity: {training_plan: arn:...}",
    ("leave_out",): "it depends on the target: write it in targets, pcs: {leave_out: [...]}",
    ("overlay",): "it is for one target: write it in targets, pcs: {overlay: {...}}",
    ("head_node", "count"): "HyperPod has several: targets.hyperpod-slurm.controllers",
    ("slurm", "accounting", "password"): "write `secret`: the ARN of a Secrets Manager secret that "
    "holds the password",
}
"""Help for keys of sections."""

_INSTEAD: Mapping[str, Mapping[tuple[str, ...], str]] = {
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
        _NOT_PARALLELCLUSTER: "write iam of the nodes: an existing role, or on PCS an existing "
        "instance profile, that has the boundary",
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
    "version": {
        _SLURM: "write slurm.version",
        _KUBERNETES: "write kubernetes.version",
    },
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
"""What to do on some targets in place of options of others."""

_LEFT_OUT: Mapping[str, Mapping[tuple[str, ...], str]] = {
    "session-manager": {
        _HYPERPOD: "HyperPod's own policy for instances contains it; write iam.role of the nodes: "
        "an existing role without it",
    },
}
"""What to do in place of additions in ``leave_out``."""


def of_section(path: Path) -> str:
    """Help for a key that users often misplace; empty if there is none."""
    return _SECTIONS.get(tuple(step for step in path if isinstance(step, str)), "")


def of_target(path: Path) -> str:
    """Help for an option of a target that others have; empty if none has it."""
    if path[:1] != ("targets",) or len(path) != 3:
        return ""
    _, target, key = path
    others = [n for n in sections.keys(path[:1], {}) if key in sections.keys((*path[:1], n), {})]
    if not others:
        return ""
    here = _for(target, _INSTEAD.get(str(key), {})) or "remove it here"
    return f"an option of {_joined(others)}{';' if here == 'remove it here' else ':'} {here}"


def of_addition(path: Path, addition: object) -> str:
    """Help for an addition that a target cannot leave out; empty if there is none."""
    if path[:1] != ("targets",) or path[2:3] != ("leave_out",):
        return ""
    return _for(path[1], _LEFT_OUT.get(str(addition), {}))


def _for(target: object, helps: Mapping[tuple[str, ...], str]) -> str:
    return next((help for names, help in helps.items() if target in names), "")


def _joined(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
