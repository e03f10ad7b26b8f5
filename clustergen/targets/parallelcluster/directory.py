"""``DirectoryService`` and ``Dcv``."""

from typing import Any

from clustergen.services.aws.members import filled
from clustergen.services.fields import Field, written
from clustergen.targets.parallelcluster.options import Dcv, Directory

DIRECTORY = (
    Field("domain", "DomainName"),
    Field("address", "DomainAddr"),
    Field("secret", "PasswordSecretArn"),
    Field("read_only_user", "DomainReadOnlyUser"),
    Field("ca_certificate", "LdapTlsCaCert"),
    Field("require_certificate", "LdapTlsReqCert", default="hard"),
    Field("access_filter", "LdapAccessFilter"),
    Field("ssh_keys", "GenerateSshKeysForUsers", default=True),
)
"""``targets.parallelcluster.directory``."""


def directory_service(directory: Directory) -> dict[str, Any]:
    """The section; ParallelCluster sets SSSD up on all nodes."""
    return {**written(DIRECTORY, directory), **filled(AdditionalSssdConfigs=dict(directory.sssd))}


def dcv(given: Dcv) -> dict[str, Any]:
    """``Dcv`` of the head node, or of a pool of login nodes."""
    return {"Enabled": True, **filled(Port=given.port, AllowedIps=given.allowed_from)}
