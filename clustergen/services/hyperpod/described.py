"""What DescribeCluster shows, in the words of a request."""

from collections.abc import Mapping
from typing import Any, Final

from clustergen.base.text_lists import word_set

# Members that a request does not have: DescribeCluster of botocore 1.44.5 (2026-11).
# https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_DescribeCluster.html
_STATE: Final = word_set("""
    ClusterStatus CreationTime FailureMessage CurrentCount Status TrainingPlanStatus
    ActiveOperations CurrentImageId CurrentInstanceType InstanceTypeDetails CurrentLabels
    CurrentTaints SoftwareUpdateStatus ActiveSoftwareUpdateConfig CurrentInstanceTypes
    CurrentPatchSchedule DesiredPatchSchedule CurrentImageReleaseVersion
    DesiredImageReleaseVersion ImageVersionStatus TargetStateCount S3OutputPath
    CurrentFSxLustreConfig CurrentFSxLustreDeletionPolicy
""")
_RENAMED: Final = {
    "TargetCount": "InstanceCount",
    "MinCount": "MinInstanceCount",
    "DesiredImageId": "ImageId",
    "DesiredInstanceTypes": "InstanceTypes",
    "DesiredLabels": "Labels",
    "DesiredTaints": "Taints",
    "DesiredFSxLustreConfig": "FSxLustreConfig",
    "DesiredFSxLustreDeletionPolicy": "FSxLustreDeletionPolicy",
}


def without_state(value: Any) -> Any:
    """A part of a description as a request has it."""
    if isinstance(value, Mapping):
        return {
            _RENAMED.get(key, key): without_state(inner)
            for key, inner in value.items()
            if key not in _STATE
        }
    return [without_state(each) for each in value] if isinstance(value, list) else value
