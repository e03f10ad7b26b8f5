"""Calls of the AWS CLI as IAM sees them: an action, a resource and the keys of conditions."""

import functools
from collections.abc import Callable, Mapping
from typing import Any

import botocore.session

from tests.support import service_models
from tests.support.cloud.answers import Request
from tests.validators.iam import Identity

REGION, ACCOUNT = "us-east-1", "111122223333"
# The service's name in ARNs, where botocore has another; and the option that names the resource.
_PREFIXES = {"amp": "aps", "efs": "elasticfilesystem"}
_NAMED = {
    "cloudformation": ("stack-name", "stack/{}/0a1b"),
    "eks": ("cluster-name", "cluster/{}"),
    "iam": ("role-name", "role/{}"),
    "logs": ("log-group-name", "log-group:{}:*"),
    "ssm": ("name", "parameter{}"),
}
_KINDS = {"nodegroup-name": "nodegroup/{}/{}/0a1b", "addon-name": "addon/{}/{}/0a1b"}
_S3 = {"rm": "DeleteObject", "head-object": "GetObject"}


def under(documents: Mapping[str, Any], bucket: str) -> Callable[[Request], bool]:
    """What these policies allow, for an account's `allows`; `bucket` is that of the scripts."""
    return functools.partial(_allows, Identity(tuple(documents.values())), bucket)


def _allows(identity: Identity, bucket: str, request: Request) -> bool:
    if request.service == "sts":  # needs no permission
        return True
    action, resource = _s3(request) if request.service in ("s3", "s3api") else _other(request)
    resource = resource.replace(":::scriptsbucketname-0a1b/", f":::{bucket}/")
    context = {"aws:RequestedRegion": REGION, "iam:AWSServiceName": request.one("aws-service-name")}
    return identity.allows(action, resource, context)


def _s3(request: Request) -> tuple[str, str]:
    if request.service == "s3api":
        place = f"{request.one('bucket')}/{request.one('key')}"
        operation = _S3.get(request.operation, _operation(request))
        return f"s3:{operation}", f"arn:aws:s3:::{place}"
    reads = request.words[0].startswith("s3://")
    operation = _S3.get(request.operation, "GetObject" if reads else "PutObject")
    uri = next(word for word in request.words if word.startswith("s3://"))
    return f"s3:{operation}", f"arn:aws:s3:::{uri.removeprefix('s3://')}"


def _other(request: Request) -> tuple[str, str]:
    service = _PREFIXES.get(request.service, request.service)
    operation = _operation(request)
    option, form = _NAMED.get(service, ("", "thing/0a1b"))
    name = request.one(option) or request.one("name") or "0a1b"
    for own, kind in _KINDS.items():
        if request.one(own):
            form = kind.replace("{}", "{0}", 1).replace("{}", request.one(own))
    region = "" if service == "iam" else REGION
    return f"{service}:{operation}", f"arn:aws:{service}:{region}:{ACCOUNT}:{form.format(name)}"


def _operation(request: Request) -> str:
    if request.operation == "get-login-password":
        return "GetAuthorizationToken"
    if request.operation == "update-kubeconfig":
        return "DescribeCluster"
    return _operations("s3" if request.service == "s3api" else request.service)[request.operation]


@functools.cache
def _operations(service: str) -> dict[str, str]:
    model = service_models.model(service)
    return {botocore.xform_name(name, "-"): name for name in model.operation_names}
