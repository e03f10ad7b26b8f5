"""Permissions that nodes need for Systems Manager: sessions, Run Command, inventory, patches.

AmazonSSMManagedInstanceCore can also read every parameter of the account, including SecureStrings,
and users of a node can use its role. Our nodes read no parameters.
https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSSMManagedInstanceCore.html
"""

from collections.abc import Mapping

from clustergen.base.artifacts import Json
from clustergen.base.text_lists import words
from clustergen.plan.model import Plan
from clustergen.services.aws import iam

SID = "SystemsManager"
_ACTIONS: Mapping[str, str] = {
    "ssm": """
        UpdateInstanceInformation
        DescribeAssociation ListAssociations ListInstanceAssociations
        UpdateAssociationStatus UpdateInstanceAssociationStatus
        DescribeDocument GetDocument GetManifest
        GetDeployablePatchSnapshotForInstance
        PutComplianceItems PutInventory
    """,
    "ssmmessages": """
        CreateControlChannel CreateDataChannel OpenControlChannel OpenDataChannel
    """,
    "ec2messages": """
        AcknowledgeMessage DeleteMessage FailMessage GetEndpoint GetMessages SendReply
    """,
}


def statement() -> Json:
    """The statement for a node's role; most of these actions do not support resources.

    https://docs.aws.amazon.com/service-authorization/latest/reference/list_awssystemsmanager.html
    """
    named = (iam.actions(service, *words(names)) for service, names in _ACTIONS.items())
    return iam.allow(SID, [action for group in named for action in group], ["*"])


def statements(plan: Plan) -> list[Json]:
    """The statement, unless the user does without sessions."""
    return [] if plan.options.leaves_out("session-manager") else [statement()]
