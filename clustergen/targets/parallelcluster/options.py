"""Options of ParallelCluster: ``targets.parallelcluster``."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from clustergen.plan import model


@dataclass(frozen=True, slots=True)
class Dcv:
    """Desktops on head or login nodes."""

    port: int
    allowed_from: str | None


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory whose users can log in."""

    domain: str
    address: str
    secret: str
    read_only_user: str
    ca_certificate: str | None
    require_certificate: str
    access_filter: str | None
    ssh_keys: bool
    sssd: Mapping[str, str | bool]


@dataclass(frozen=True, slots=True)
class Dns:
    """Names of nodes."""

    managed: bool
    ec2_hostnames: bool
    hosted_zone: str | None


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds until nodes must be there; None: ParallelCluster's default."""

    head_node: int | None
    nodes: int | None


@dataclass(frozen=True, slots=True)
class DefaultUser:
    """The user of the image."""

    sudo: bool
    home: Literal["shared", "local"]


@dataclass(frozen=True, slots=True)
class LoginPool:
    """The pool of login nodes."""

    name: str
    grace_time: int
    dcv: Dcv | None


@dataclass(frozen=True, slots=True)
class Options(model.Options):
    """See :class:`clustergen.spec.targets.ParallelCluster`."""

    version: str
    key_name: str | None
    scaling_strategy: Literal["all-or-nothing", "greedy-all-or-nothing", "best-effort"]
    queue_update_strategy: Literal["drain", "compute-fleet-stop", "terminate"]
    leave_out: tuple[str, ...]
    own_security_groups: tuple[str, ...]
    permissions_boundary: str | None
    resource_prefix: str | None
    timeouts: Timeouts
    default_user: DefaultUser
    login_pool: LoginPool
    more_login_pools: tuple[LoginPool, ...]
    dcv: Dcv | None
    elastic_ip: bool | str | None
    directory: Directory | None
    dns: Dns | None
    proxy: str | None
    shared_folders: Literal["ebs", "efs"]
    bucket: str | None
    detailed_monitoring: bool
    memory_scheduling: bool
    imds: Literal["v1.0", "v2.0"]
    imds_for_all: bool

    @classmethod
    def convert(cls, name: str, value: Any) -> Any:
        if name in _PARTS and value is not None:
            return _part(_PARTS[name], value)
        if name == "more_login_pools":
            return tuple(_part(LoginPool, pool) for pool in value)
        return tuple(value) if name in ("leave_out", "own_security_groups") else value

    @property
    def named(self) -> Mapping[str, str]:
        """See :attr:`clustergen.plan.model.Options.named`."""
        named = {
            "key_name": self.key_name,
            "directory.secret": self.directory.secret if self.directory else None,
            "bucket": self.bucket,
            "permissions_boundary": self.permissions_boundary,
        }
        return {field: value for field, value in named.items() if value}


_PARTS: Mapping[str, type[Any]] = MappingProxyType(
    {
        "dcv": Dcv,
        "default_user": DefaultUser,
        "directory": Directory,
        "dns": Dns,
        "login_pool": LoginPool,
        "timeouts": Timeouts,
    }
)


def _part(kind: type[Any], given: Any) -> Any:
    """A section of the spec as one of the options."""
    fields = {field.name: getattr(given, field.name) for field in dataclasses.fields(kind)}
    if kind is LoginPool and fields["dcv"] is not None:
        fields["dcv"] = _part(Dcv, fields["dcv"])
    return kind(**fields)
