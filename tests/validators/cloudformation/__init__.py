"""CloudFormation templates as a validator reads them.

`resolve` gives every resource the values it would have on deployment, `requests` the API requests
that the resources imply, `check` what the service models and EC2's facts say of those, and `lint`
what cfn-lint says of the template itself.
"""

from tests.validators.cloudformation.check import check
from tests.validators.cloudformation.intrinsics import Resource, outputs, resolve
from tests.validators.cloudformation.linting import lint
from tests.validators.cloudformation.requests import KNOWN_TYPES, Request, requests, unknown_types

__all__ = [
    "KNOWN_TYPES",
    "Request",
    "Resource",
    "check",
    "lint",
    "outputs",
    "requests",
    "resolve",
    "unknown_types",
]
