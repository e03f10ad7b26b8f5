"""Values for ``deploy.sh`` of every target."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from clustergen.artifacts import Artifact, Json, json_artifact
from clustergen.aws import cfn
from clustergen.foundation import deletion
from clustergen.foundation.part import Part, created
from clustergen.foundation.template import build, document
from clustergen.monitoring import stack
from clustergen.plan.model import Ebs, Lustre, Plan, Storage

INLINE_BYTES = 51_200
"""Maximum size of a template in a CloudFormation request; larger ones must be in S3.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html"""

STAGE = "foundation-bucket.template.json"
"""Template with only the bucket, if the whole foundation is too large for one request."""

_BUCKET = ("ScriptsBucket", "ScriptsBucketPolicy")

# In the order in which they must be deleted.
_DELETE: Mapping[str, str] = {
    "AWS::EFS::MountTarget": "efs delete-mount-target --mount-target-id ID",
    # https://docs.aws.amazon.com/efs/latest/ug/API_DeleteMountTarget.html (2026-11)
    "AWS::EFS::FileSystem": "efs delete-file-system --file-system-id ID  # once its mount targets "
    "are gone, after a minute or two",
    "AWS::FSx::FileSystem": "fsx delete-file-system --file-system-id ID",
    "AWS::EC2::SecurityGroup": "ec2 delete-security-group --group-id ID  # once the file systems "
    "are gone, after some minutes",
    "AWS::EC2::Subnet": "ec2 delete-subnet --subnet-id ID",
    "AWS::EC2::VPC": "ec2 delete-vpc --vpc-id ID",
    # Its id here is its ARN, which ends with the id that the command takes.
    "AWS::APS::Workspace": 'amp delete-workspace --workspace-id "$(basename ID)"',
    "AWS::Logs::LogGroup": "logs delete-log-group --log-group-name ID",
    # Its versions must be deleted first: the console's "Empty" does that.
    "AWS::S3::Bucket": "s3 rb s3://ID  # empty it in the console first, with all versions",
}


def frame(plan: Plan) -> Mapping[str, Any]:
    """The values that ``shared/deploy.sh.j2`` needs for every target."""
    whole = build(plan)
    return {
        "plan": plan,
        "foundation": bool(whole.resources),
        "files_with_nodes": any(isinstance(s, Lustre) and s.efa for s in created(plan)),
        "monitoring": stack.parameters(plan),
        "monitoring_stack": stack.name(plan),
        "knows_pause": stack.knows_pause(plan),
        "overlay_parameters": _of_overlay(plan),
        "staged": STAGE if _is_large(plan) else "",
        "tags": json.dumps(cfn.tags(plan.tags), ensure_ascii=False),
        "retained": [word for pair in retained(whole) for word in pair],
        "machines": list(_machines(plan)),
        "lost": deletion.data(plan),
        "besides": deletion.besides(plan),
        "data": [(s.mount, _fate(s)) for s in plan.storage if not s.existing],
    }


def _fate(item: Storage) -> str:
    if item.retain:
        return "stays and continues to cost money"
    if isinstance(item, Ebs) and item.ends_as_snapshot:
        return "is deleted; its snapshot stays and continues to cost money"
    return "is deleted with its data"


def _of_overlay(plan: Plan) -> list[str]:
    """The parameters of the template that the overlay adds."""
    found = plan.overlay.get("Parameters") if plan.overlay else None
    added = found if isinstance(found, Mapping) else {}
    return [str(name) for name, value in added.items() if value is not None]


def _machines(plan: Plan) -> Iterator[str]:
    """The nodes that a pause leaves running."""
    if plan.head:
        yield "controller" if plan.sagemaker else "head node"
    if plan.login:
        yield "login nodes"
    if plan.system:
        yield "system nodes"


def retained(whole: Part) -> Iterator[tuple[str, str]]:
    """Logical ids of resources that outlive the stack, with commands to delete them, in order."""
    for type, command in _DELETE.items():
        for name, resource in whole.resources.items():
            kept = resource.get("DeletionPolicy", "").startswith("Retain")
            if kept and resource["Type"] == type:
                yield name, command


def stage(plan: Plan) -> Artifact | None:
    """The first stage of a foundation that is too large for one request; otherwise None."""
    if not _is_large(plan):
        return None
    whole = build(plan)
    resources = {name: whole.resources[name] for name in _BUCKET}
    outputs = {"ScriptsBucketName": whole.outputs["ScriptsBucketName"]}
    return json_artifact(STAGE, document(plan, Part(resources, outputs)))


def _is_large(plan: Plan) -> bool:
    # Without a bucket there is little else in it.
    whole = build(plan)
    return "ScriptsBucket" in whole.resources and sent_bytes(document(plan, whole)) > INLINE_BYTES


def sent_bytes(template: Json) -> int:
    """The size of a template as ``deploy.sh`` sends it, without indentation and line ends."""
    return len(json.dumps(template, ensure_ascii=False, separators=(",", ": ")).encode())
