"""``Iam`` of nodes: what the user adds, and what clustergen's scripts need."""

from collections.abc import Sequence

from clustergen.base.artifacts import Json
from clustergen.plan.model import Grant, Iam
from clustergen.services.aws.members import filled
from clustergen.targets.parallelcluster.options import Options

SESSION_POLICY = {"Policy": "${SessionPolicyArn}"}
"""For access with Session Manager, which needs neither an open port nor a key."""


def session(options: Options) -> list[dict[str, str]]:
    """What nodes of all kinds need for it: ParallelCluster's own policies lack it."""
    return [] if options.leaves_out("session-manager") else [SESSION_POLICY]


def iam(own: Iam, *, s3: Sequence[Json] = (), policies: Sequence[dict[str, str]] = ()) -> Json:
    """``Iam`` with clustergen's entries first; ParallelCluster adds neither to an existing role."""
    if own.role or own.instance_profile:
        return filled(InstanceRole=own.role, InstanceProfile=own.instance_profile)
    given = [{"Policy": policy} for policy in own.policies]
    granted = [_access(grant) for grant in own.s3]
    return filled(
        S3Access=[*s3, *granted],
        AdditionalIamPolicies=[*policies, *(each for each in given if each not in policies)],
    )


def _access(grant: Grant) -> Json:
    bucket, _, key = grant.uri.removeprefix("s3://").partition("/")
    return filled(BucketName=bucket, KeyName=key or None, EnableWriteAccess=grant.write or None)
