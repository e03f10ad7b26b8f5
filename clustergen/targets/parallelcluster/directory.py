"""``DirectoryService``."""

from __future__ import annotations

from typing import Any

from clustergen.aws.members import filled
from clustergen.targets.parallelcluster.options import Dcv, Directory


def directory_service(directory: Directory) -> dict[str, Any]:
    """The section; ParallelCluster sets SSSD up on all nodes."""
    certificate = directory.require_certificate
    return filled(
        DomainName=directory.domain,
        DomainAddr=directory.address,
        PasswordSecretArn=directory.secret,
        DomainReadOnlyUser=directory.read_only_user,
        LdapTlsCaCert=directory.ca_certificate,
        LdapTlsReqCert=certificate if certificate != "hard" else None,
        LdapAccessFilter=directory.access_filter,
        GenerateSshKeysForUsers=None if directory.ssh_keys else False,
        AdditionalSssdConfigs=dict(directory.sssd),
    )


def dcv(given: Dcv) -> dict[str, Any]:
    """``Dcv`` of the head node, or of a pool of login nodes."""
    return {"Enabled": True, **filled(Port=given.port, AllowedIps=given.allowed_from)}
