"""IAM policy documents as plain data.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_elements.html
"""

from collections.abc import Iterable, Mapping
from typing import Any

from clustergen.base.artifacts import Json
from clustergen.plan.model import Plan
from clustergen.services.aws import cfn

VERSION = "2012-10-17"
"""Version of the policy language."""

MANAGED, INLINE = 6_144, 10_240
"""Characters of a managed policy, and of all inline policies of a role; white space does not count.
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html (2026-11)"""


def document(statements: Iterable[Json]) -> Json:
    return {"Version": VERSION, "Statement": list(statements)}


def actions(service: str, *names: str) -> list[str]:
    """Actions of one service: ``actions("s3", "GetObject")`` is ``["s3:GetObject"]``."""
    return [f"{service}:{name}" for name in names]


def allow(
    sid: str,
    actions: Iterable[str],
    resources: Iterable[Json | str],
    condition: Mapping[str, Any] | None = None,
) -> Json:
    """A statement that allows ``actions`` on ``resources`` under ``condition``."""
    return {
        "Sid": sid,
        "Effect": "Allow",
        "Action": list(actions),
        "Resource": list(resources),
        **({"Condition": dict(condition)} if condition else {}),
    }


def role(plan: Plan, properties: Json) -> Json:
    """A role in a template, with the permissions boundary of the spec."""
    boundary = plan.permissions_boundary
    limits = {"PermissionsBoundary": boundary} if boundary else {}
    return cfn.resource("AWS::IAM::Role", {**properties, **limits})


def managed(name: str) -> Json:
    """The ARN of a managed policy of AWS."""
    return cfn.sub(f"arn:${{AWS::Partition}}:iam::aws:policy/{name}")


def equal(keys: Mapping[str, Any]) -> Json:
    """A condition that requires these values for keys of the request."""
    return {"StringEquals": dict(keys)}


def deny_without_tls(service: str, resource: Any) -> Json:
    """A resource policy statement that denies requests without TLS."""
    return {
        "Sid": "TlsOnly",
        "Effect": "Deny",
        "Principal": "*",
        "Action": f"{service}:*",
        "Resource": resource,
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }


def trust(
    service: str,
    actions: str | list[str] = "sts:AssumeRole",
    condition: Mapping[str, Any] | None = None,
) -> Json:
    """The trust policy for a service, whose principal begins with the name ``service``."""
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": cfn.sub(f"{service}.${{AWS::URLSuffix}}")},
        "Action": actions,
        **({"Condition": dict(condition)} if condition else {}),
    }
    return document([statement])
