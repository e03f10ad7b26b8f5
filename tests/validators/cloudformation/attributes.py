"""What a resource's `Ref` and `Fn::GetAtt` would give: a value of the right form.

The forms are those of the "Return values" section of each resource type's page under
https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/ (read 2026-11-20).
"""

from dataclasses import dataclass

from clustergen.base.text_lists import words
from tests.support.tables import flow
from tests.validators.partitions import dns_suffix_of, partition_of
from tests.validators.placeholders import ACCOUNT_ID, resource_id


@dataclass(frozen=True, slots=True)
class Place:
    """Where the stack is deployed."""

    region: str = "us-east-1"
    stack_name: str = "validated"

    def arn(self, service: str, resource: str, regional: bool = True) -> str:
        """An ARN of this account; a global service's has no region."""
        where = self.region if regional else ""
        return f"arn:{partition_of(self.region)}:{service}:{where}:{ACCOUNT_ID}:{resource}"


# Resource types whose Ref is an id with this prefix.
_ID_PREFIXES: dict[str, str] = flow("""
{AWS::APS::Workspace: ws, AWS::EC2::InternetGateway: igw, AWS::EC2::LaunchTemplate: lt,
  AWS::EC2::NatGateway: nat, AWS::EC2::RouteTable: rtb, AWS::EC2::SecurityGroup: sg,
  AWS::EC2::Subnet: subnet, AWS::EC2::VPC: vpc, AWS::EC2::VPCEndpoint: vpce,
  AWS::EC2::Volume: vol, AWS::EFS::AccessPoint: fsap, AWS::EFS::FileSystem: fs,
  AWS::EFS::MountTarget: fsmt, AWS::FSx::DataRepositoryAssociation: dra, AWS::FSx::FileSystem: fs,
  AWS::FSx::StorageVirtualMachine: svm, AWS::FSx::Volume: fsvol, AWS::Grafana::Workspace: g}
""")

# (service, resource) of the types whose ARN is asked for; `{}` is the resource's own id or name.
_ARNS = {
    "AWS::APS::Workspace": ("aps", "workspace/{}"),
    "AWS::Batch::ComputeEnvironment": ("batch", "compute-environment/{}"),
    "AWS::Batch::JobDefinition": ("batch", "job-definition/{}:1"),
    "AWS::Batch::JobQueue": ("batch", "job-queue/{}"),
    "AWS::Batch::SchedulingPolicy": ("batch", "scheduling-policy/{}"),
    "AWS::EFS::AccessPoint": ("elasticfilesystem", "access-point/{}"),
    "AWS::EFS::FileSystem": ("elasticfilesystem", "file-system/{}"),
    "AWS::EKS::Cluster": ("eks", "cluster/{}"),
    "AWS::FSx::FileSystem": ("fsx", "file-system/{}"),
    "AWS::FSx::Volume": ("fsx", "volume/{}"),
    "AWS::IAM::InstanceProfile": ("iam", "instance-profile/{}"),
    "AWS::IAM::ManagedPolicy": ("iam", "policy/{}"),
    "AWS::IAM::Role": ("iam", "role/{}"),
    "AWS::KMS::Key": ("kms", "key/{}"),
    "AWS::Logs::DeliveryDestination": ("logs", "delivery-destination:{}"),
    "AWS::Logs::LogGroup": ("logs", "log-group:{}:*"),
    "AWS::PCS::Cluster": ("pcs", "cluster/{}"),
    "AWS::PCS::ComputeNodeGroup": ("pcs", "cluster/pcs_0a1b2c3d4e/computenodegroup/{}"),
    "AWS::PCS::Queue": ("pcs", "cluster/pcs_0a1b2c3d4e/queue/{}"),
    "AWS::SageMaker::Cluster": ("sagemaker", "cluster/{}"),
    "AWS::SNS::Topic": ("sns", "{}"),
    "AWS::Scheduler::ScheduleGroup": ("scheduler", "schedule-group/{}"),
    "AWS::SQS::Queue": ("sqs", "{}"),
    "AWS::SecretsManager::Secret": ("secretsmanager", "secret:{}-AbCdEf"),
}

_REF_IS_ARN = words("""
    AWS::APS::Workspace AWS::Batch::ComputeEnvironment AWS::Batch::JobQueue
    AWS::Batch::SchedulingPolicy AWS::IAM::ManagedPolicy AWS::PCS::Cluster
    AWS::PCS::ComputeNodeGroup AWS::PCS::Queue AWS::SageMaker::Cluster AWS::SNS::Topic
    AWS::SecretsManager::Secret
""")

_PCS_ID_PREFIXES = {"Cluster": "pcs", "ComputeNodeGroup": "compute", "Queue": "queue"}


def ref_value(resource_type: str, logical_id: str, name: str | None, place: Place) -> str:
    """What `Ref` gives: by type an ARN, an id or the name (`name` is the one the template sets)."""
    if resource_type in _REF_IS_ARN:
        return attribute_value(resource_type, logical_id, "Arn", name, place)
    return _own_id(resource_type, logical_id, name, place)


def attribute_value(
    resource_type: str, logical_id: str, attribute: str, name: str | None, place: Place
) -> str:
    """What `Fn::GetAtt` gives. Raises `LookupError` for an attribute that is not known here."""
    own = _own_id(resource_type, logical_id, name, place)
    if attribute in ("Arn", "ClusterArn", "ResourceARN", "RoleArn") and resource_type in _ARNS:
        service, resource = _ARNS[resource_type]
        return place.arn(service, resource.format(own), regional=service != "iam")
    if attribute == "Arn" and resource_type == "AWS::S3::Bucket":
        return f"arn:{partition_of(place.region)}:s3:::{own}"
    if attribute in _OWN_ID_ATTRIBUTES:
        return own
    try:
        return _OTHER_ATTRIBUTES[resource_type, attribute].format(
            id=own, region=place.region, suffix=dns_suffix_of(place.region)
        )
    except KeyError:
        raise LookupError(f"{resource_type} has no attribute {attribute}") from None


_OWN_ID_ATTRIBUTES = words("""
    AccessPointId AllocationId DeliveryId FileSystemId GroupId GroupName Id InternetGatewayId
    LaunchTemplateId NatGatewayId RouteTableId SubnetId VolumeId VpcId
""")

_OTHER_ATTRIBUTES = {
    ("AWS::APS::Workspace", "PrometheusEndpoint"): (
        "https://aps-workspaces.{region}.{suffix}/workspaces/{id}/"
    ),
    ("AWS::APS::Workspace", "WorkspaceId"): "{id}",
    ("AWS::EC2::LaunchTemplate", "LatestVersionNumber"): "1",
    ("AWS::EC2::LaunchTemplate", "DefaultVersionNumber"): "1",
    ("AWS::EC2::Subnet", "AvailabilityZone"): "{region}a",
    ("AWS::EC2::VPC", "CidrBlock"): "10.0.0.0/16",
    ("AWS::EC2::VPC", "DefaultSecurityGroup"): "sg-0a1b2c3d4e5f60718",
    ("AWS::EKS::Cluster", "CertificateAuthorityData"): "Y2VydGlmaWNhdGU=",
    ("AWS::EKS::Cluster", "ClusterSecurityGroupId"): "sg-0e1b2c3d4e5f60718",
    ("AWS::EKS::Cluster", "Endpoint"): "https://0a1b2c3d.gr7.{region}.eks.{suffix}",
    ("AWS::FSx::FileSystem", "DNSName"): "{id}.fsx.{region}.{suffix}",
    ("AWS::FSx::FileSystem", "LustreMountName"): "abcdefgh",
    ("AWS::FSx::FileSystem", "RootVolumeId"): "fsvol-0a1b2c3d4e5f60718",
    ("AWS::Grafana::Workspace", "Endpoint"): "{id}.grafana-workspace.{region}.{suffix}",
    ("AWS::SQS::Queue", "QueueName"): "{id}",
    ("AWS::S3::Bucket", "DomainName"): "{id}.s3.{suffix}",
    ("AWS::S3::Bucket", "RegionalDomainName"): "{id}.s3.{region}.{suffix}",
}


def _own_id(resource_type: str, logical_id: str, name: str | None, place: Place) -> str:
    if prefix := _ID_PREFIXES.get(resource_type):
        return resource_id(prefix, logical_id)
    if resource_type == "AWS::EC2::EIP":
        return resource_id("eipalloc", logical_id)
    if resource_type.startswith("AWS::PCS::"):
        return resource_id(_PCS_ID_PREFIXES[resource_type.rpartition(":")[2]], logical_id).replace(
            "-", "_"
        )
    generated = f"{place.stack_name}-{logical_id}-1ABCDEFGHIJKL"
    if resource_type == "AWS::S3::Bucket":
        return name or generated.lower()[:63]
    return name or generated
