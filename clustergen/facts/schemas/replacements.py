"""Properties whose change makes CloudFormation replace the resource."""

import functools
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

_FILE = Path(__file__).with_name("replacements.json")

NAMES: Mapping[str, str] = {
    "AWS::Batch::JobQueue": "JobQueueName",
    "AWS::Batch::SchedulingPolicy": "Name",
    "AWS::EC2::SecurityGroup": "GroupName",
    "AWS::EKS::Cluster": "Name",
    "AWS::EKS::Nodegroup": "NodegroupName",
    "AWS::IAM::Role": "RoleName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::PCS::Cluster": "Name",
    "AWS::PCS::ComputeNodeGroup": "Name",
    "AWS::PCS::Queue": "Name",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SageMaker::Cluster": "ClusterName",
    "AWS::SageMaker::ComputeQuota": "Name",
}
"""By resource type, the property with the name that only one resource can have."""


@functools.cache
def properties() -> Mapping[str, Sequence[str]]:
    """Property names by resource type; nested ones as dotted paths."""
    table: Mapping[str, Sequence[str]] = json.loads(_FILE.read_text(encoding="utf-8"))["$defs"]
    return table
