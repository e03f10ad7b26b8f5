"""The resources of AWS Batch, and the defaults of the service."""

from collections.abc import Mapping
from typing import Any, Final

from clustergen.importing.cloudformation.functions import name_in
from clustergen.importing.settings import Form, Kind
from clustergen.services.aws import cfn

ENVIRONMENTS, QUEUES, JOBS = "ComputeEnvironments", "JobQueues", "JobDefinitions"
POLICIES: Final = "SchedulingPolicies"
NAME: Final = "ComputeEnvironmentName"
_PREFIX: Final = "compute-environment"
_ID: Final = cfn.logical_id(_PREFIX)
_DATA: Final = "ComputeEnvironments.*.LaunchTemplateProperties.LaunchTemplateData"


def _environment(id: str, properties: Mapping[str, Any]) -> str:
    """The logical id that clustergen gives an environment: those that it makes have no name."""
    if named := name_in(properties.get(NAME)):
        return cfn.logical_id(_PREFIX, named)
    # The rest is the name of the group, which begins with a letter.
    ours = id.startswith(_ID) and id.removeprefix(_ID)[:1].isalpha()
    return id if ours else cfn.logical_id(_PREFIX, id)


def group_name(key: str, properties: Mapping[str, Any], tagged: str) -> str:
    """The name of the node group for an environment, whose nodes may be tagged with it.

    A logical id does not show small letters and hyphens: the tag does, where the two agree.
    """
    named = properties.get(NAME)
    if isinstance(named, str):
        return named
    return tagged if cfn.logical_id(_PREFIX, tagged) == key else key.removeprefix(_ID)


# https://docs.aws.amazon.com/batch/latest/APIReference/API_CreateComputeEnvironment.html and
# API_CreateJobQueue.html, read on 2026-11-22.
FORM: Final = Form(
    kinds=(
        Kind("AWS::Batch::ComputeEnvironment", ENVIRONMENTS, "", _environment),
        Kind("AWS::Batch::JobQueue", QUEUES, "JobQueueName"),
        Kind("AWS::Batch::JobDefinition", JOBS, "JobDefinitionName"),
        Kind("AWS::Batch::SchedulingPolicy", POLICIES, ""),
    ),
    template="ComputeResources.LaunchTemplate",
    template_id="LaunchTemplateId",
    defaults={
        "ComputeEnvironments.*.State": "ENABLED",
        "ComputeEnvironments.*.ComputeResources.MinvCpus": 0,
        "JobQueues.*.State": "ENABLED",
        f"{_DATA}.MetadataOptions.HttpEndpoint": "enabled",
        f"{_DATA}.NetworkInterfaces.*.InterfaceType": "interface",
        f"{_DATA}.NetworkInterfaces.*.NetworkCardIndex": 0,
    },
    # The present number, which Batch changes; and whether an update may replace the environment.
    left_out=frozenset(
        (
            "ComputeEnvironments.*.ComputeResources.DesiredvCpus",
            "ComputeEnvironments.*.ReplaceComputeEnvironment",
        )
    ),
    unordered=frozenset(("SecurityGroupIds", "Groups", "Subnets")),
    own=(
        Kind("AWS::IAM::Role", "Roles", ""),
        Kind("AWS::IAM::InstanceProfile", "InstanceProfiles", ""),
    ),
)
