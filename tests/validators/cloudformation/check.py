"""All that can be checked in a template without deploying it, except by cfn-lint."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.validators.cloudformation.intrinsics import resolve
from tests.validators.cloudformation.launch_templates import launch_template_violations
from tests.validators.cloudformation.requests import Request, requests_of, unknown_types
from tests.validators.service_model import validate


def check(template: Mapping[str, Any], region: str = "us-east-1") -> list[str]:
    """Violations as `logical id: service:Operation: path: message`; empty when all is well."""
    return list(_violations(template, region))


def _violations(template: Mapping[str, Any], region: str) -> Iterator[str]:
    for unknown in sorted(unknown_types(template)):
        yield f"{unknown}: this validator does not know the resource type"
    try:
        resources = resolve(template, region=region)
    except LookupError as error:
        yield f"template: {error}"
        return
    for resource in resources:
        for request in requests_of(resource):
            call = f"{request.logical_id}: {request.service}:{request.operation}"
            yield from (f"{call}: {violation}" for violation in _of_request(request))
    for logical_id, violation in launch_template_violations(resources):
        yield f"{logical_id}: {violation}"


def _of_request(request: Request) -> Iterator[str]:
    yield from validate(request.service, request.operation, request.params)
    if request.operation == "CreateBucket":
        yield from _bucket_name(request.params["Bucket"])
    if "SecurityGroup" in request.operation:
        yield from _descriptions(request.params)


# https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html; the model has no
# pattern for names.
_BUCKET_NAME = re.compile(r"(?!xn--|sthree-)[a-z0-9](?!.*\.\.)[a-z0-9.-]{1,61}[a-z0-9]")


def _bucket_name(name: str) -> Iterator[str]:
    if not _BUCKET_NAME.fullmatch(name):
        yield f"Bucket: {name!r} is not a bucket name"


# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html; again not in the model.
_DESCRIPTION = re.compile(r"[a-zA-Z0-9. _\-:/()#,@\[\]+=&;{}!$*]{0,255}")


def _descriptions(value: Any, path: str = "") -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if key == "Description" and not _DESCRIPTION.fullmatch(str(item)):
                yield f"{path}Description: {item!r} has characters that EC2 refuses"
            yield from _descriptions(item, f"{path}{key}.")
    elif isinstance(value, list):
        for item in value:
            yield from _descriptions(item, path)
