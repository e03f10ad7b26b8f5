"""User data of nodes: the commands and settings with which eksctl starts them."""

from typing import Final

from clustergen.base.yaml_text import yaml_text
from clustergen.importing.eksctl.keys import Keys
from clustergen.importing.settings import Json
from clustergen.services.aws import mime

_NODE_CONFIG: Final = "application/node.eks.aws"
FAMILY: Final = "AmazonLinux2023"


def _kubelet(group: Keys) -> Json:
    """The settings of the kubelet, which nodes of Amazon Linux 2023 read from a NodeConfig.

    https://docs.aws.amazon.com/eks/latest/eksctl/customizing-the-kubelet.html
    """
    if group.value("amiFamily") not in (None, FAMILY):
        return {}
    dns = group.take("clusterDNS")
    given = {"maxPods": group.number("maxPodsPerNode"), "clusterDNS": [dns] if dns else None}
    own = {key: each for key, each in given.items() if each is not None}
    return own | group.table("kubeletExtraConfig")


def user_data(group: Keys) -> str | None:
    """The user data of a node group; None if it has none of its own."""
    before = group.texts("preBootstrapCommands")
    override = group.take("overrideBootstrapCommand")
    parts = []
    if kubelet := _kubelet(group):
        config = {
            "apiVersion": "node.eks.aws/v1alpha1",
            "kind": "NodeConfig",
            "spec": {"kubelet": {"config": kubelet}},
        }
        parts.append((_NODE_CONFIG, yaml_text(config)))
    if before:
        script = "#!/bin/bash\nset -o errexit\n" + "\n".join(before)
        parts.append((mime.SHELL_SCRIPT, script.rstrip("\n") + "\n"))
    if override:
        text = str(override).rstrip("\n") + "\n"
        kind = _NODE_CONFIG if "kind: NodeConfig" in text else mime.SHELL_SCRIPT
        parts.append((kind, text))
    return mime.multipart(parts) if parts else None
