"""The resources of a PCS cluster, and the defaults of the service."""

from typing import Final

from clustergen.importing.settings import NO_GROUP, Form, Kind
from clustergen.targets.pcs.images import PARAMETERS
from clustergen.targets.pcs.limits import IMAGE_PARAMETER

CLUSTER, NODE_GROUPS, QUEUES = "Cluster", "NodeGroups", "Queues"
_DATA: Final = "NodeGroups.*.LaunchTemplateProperties.LaunchTemplateData"

# https://docs.aws.amazon.com/pcs/latest/APIReference/API_CreateCluster.html and
# API_CreateComputeNodeGroup.html, and for launch templates
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html,
# read on 2026-11-22.
FORM: Final = Form(
    kinds=(
        Kind("AWS::PCS::Cluster", CLUSTER, "Name"),
        Kind("AWS::PCS::ComputeNodeGroup", NODE_GROUPS, "Name"),
        Kind("AWS::PCS::Queue", QUEUES, "Name"),
    ),
    template="CustomLaunchTemplate",
    template_id="TemplateId",
    defaults={
        "Cluster.*.Networking.NetworkType": "IPV4",
        "Cluster.*.SlurmConfiguration.Accounting.Mode": "NONE",
        "Cluster.*.SlurmConfiguration.ScaleDownIdleTimeInSeconds": 600,
        "Cluster.*.SlurmConfiguration.SlurmRest.Mode": "NONE",
        "NodeGroups.*.PurchaseOption": "ONDEMAND",
        "NodeGroups.*.SpotOptions.AllocationStrategy": "lowest-price",
        f"{_DATA}.MetadataOptions.HttpEndpoint": "enabled",
        f"{_DATA}.NetworkInterfaces.*.InterfaceType": "interface",
        f"{_DATA}.NetworkInterfaces.*.NetworkCardIndex": 0,
    },
    unordered=frozenset(("SecurityGroupIds", "Groups")),
    open=frozenset((f"{NODE_GROUPS}.{NO_GROUP}", f"{QUEUES}.{NO_GROUP}")),
    parameters={
        name: f"{{{{resolve:ssm:{IMAGE_PARAMETER.format(arch=arch)}}}}}"
        for arch, name in PARAMETERS.items()
    },
)
