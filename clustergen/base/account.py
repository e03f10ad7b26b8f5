"""Calls to an AWS account that only read: clients, and why a call has no answer.

A call is written like an IAM action, with the service as botocore calls it:
``ec2:DescribeSubnets``.
"""

import functools
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from clustergen.base import secrets

Clients = Callable[[str, str], Any]
"""Makes a client of a service in a region."""
Answer = Mapping[str, Any]


class CallError(Exception):
    """AWS does not answer a call; the message gives the reason."""

    call = ""
    """The call; empty if it is about all of them."""
    code = ""
    """The service's word for the reason; empty if there was no answer."""

    def __init__(self, message: str) -> None:
        super().__init__("\n".join(secrets.hidden(message.splitlines())))


class Missing(CallError):
    """The resource does not exist."""


class Denied(CallError):
    """The credentials may not make the call."""


class Throttled(CallError):
    """There were too many calls, even after retries."""


class NoCredentials(CallError):
    """There are no credentials, or they are not valid."""


class Unreachable(CallError):
    """The service cannot be reached from here."""


class NoBotocore(CallError):
    """The library that makes calls is missing."""


CONNECT_SECONDS: Final = 10
READ_SECONDS: Final = 30
ATTEMPTS: Final = 5


def clients(service: str, region: str) -> Any:
    """A client of a service, which tries a call up to :data:`ATTEMPTS` times.

    :raises NoBotocore: without botocore.
    :raises CallError: if the profile of the environment is not valid.
    """
    try:
        import botocore.config
    except ImportError:
        raise NoBotocore("botocore is missing; run `pip install botocore`") from None
    config = botocore.config.Config(
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
    )
    return _answered("", lambda: _session().create_client(service, region, config=config))


@functools.cache
def _session() -> Any:
    """One session: it reads the models of services and finds credentials once."""
    import botocore.session

    return botocore.session.get_session()


def look_again() -> None:
    """Let later clients read profiles and find credentials again."""
    _session.cache_clear()


def ask(client: Any, call: str, **arguments: Any) -> Answer:
    """The answer to a call.

    :raises CallError: if there is none.
    """
    answer: Answer = _answered(call, lambda: getattr(client, _method(call))(**arguments))
    return answer


def ask_pages(client: Any, call: str, **arguments: Any) -> list[Answer]:
    """All pages of the answer to a call.

    :raises CallError: if there is none.
    """
    pages = client.get_paginator(_method(call))
    answers: list[Answer] = _answered(call, lambda: list(pages.paginate(**arguments)))
    return answers


def _method(call: str) -> str:
    import botocore

    name: str = botocore.xform_name(call.partition(":")[2])
    return name


_PREFIXES: Final = {
    "amp": "aps",
    "efs": "elasticfilesystem",
    "elbv2": "elasticloadbalancing",
    "resourcegroupstaggingapi": "tag",
    "service-quotas": "servicequotas",
}
_ACTIONS: Final = {"s3:HeadBucket": "s3:ListBucket"}


def action(call: str) -> str:
    """The IAM action that allows a call."""
    service, _, operation = call.partition(":")
    return _ACTIONS.get(call, f"{_PREFIXES.get(service, service)}:{operation}")


def _answered(call: str, answer: Callable[[], Any]) -> Any:
    import botocore.exceptions as errors
    from botocore.parsers import ResponseParserError

    try:
        return answer()
    except ResponseParserError as error:
        # A proxy or a captive portal answers in place of AWS.
        raise Unreachable(f"the answer is not one of AWS: {error}") from None
    except (errors.ClientError, errors.BotoCoreError, ValueError) as error:
        failure = _failure(error, call)
        failure.call = call
        raise failure from None


def _failure(error: Exception, call: str) -> CallError:
    import botocore.exceptions as errors

    if isinstance(error, errors.ClientError):
        return refusal(error.response["Error"], call)
    if isinstance(error, errors.NoCredentialsError | errors.PartialCredentialsError):
        return NoCredentials("no AWS credentials; set AWS_PROFILE, or run `aws configure`")
    if isinstance(error, _credential_errors()):
        return NoCredentials(str(error))
    unreachable = isinstance(error, errors.HTTPClientError | errors.ConnectionError)
    return (Unreachable if unreachable else CallError)(str(error))


@functools.cache
def _credential_errors() -> tuple[type[Exception], ...]:
    """Errors while botocore looks for credentials: of a profile, a role, SSO or a process."""
    import botocore.exceptions as errors

    return (
        errors.ConfigNotFound,
        errors.ConfigParseError,
        errors.CredentialRetrievalError,
        errors.InvalidConfigError,
        errors.ProfileNotFound,
        errors.SSOError,
        errors.TokenRetrievalError,
    )


# Services spell the same reason differently, so the codes are matched by their parts:
# https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
_KINDS: Final[Mapping[type[CallError], re.Pattern[str]]] = {
    NoCredentials: re.compile(
        "ExpiredToken|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch"
        "|InvalidSignature|InvalidAccessKeyId|AuthFailure|InvalidToken|RequestExpired"
        "|OptInRequired|IncompleteSignature"
    ),
    Denied: re.compile("Denied|Unauthorized|NotAuthorized|^403$"),
    Throttled: re.compile("Throttl|TooManyRequests|RequestLimitExceeded|SlowDown"),
    Missing: re.compile("NotFound|NoSuch|NotExist|Malformed|^404$"),
}
_MISSING_MESSAGE: Final = re.compile("not exist|not found|could not find", re.IGNORECASE)


def refusal(error: Mapping[str, str], call: str) -> CallError:
    """What a service's answer to a call means, in place of a result."""
    code, message = error.get("Code", ""), error.get("Message", "")
    kind = next((kind for kind, codes in _KINDS.items() if codes.search(code)), CallError)
    if kind is CallError and _MISSING_MESSAGE.search(message):
        kind = Missing
    needs = f"; the policy needs {action(call)}" if kind is Denied else ""
    refused = kind(f"{code}: {message}{needs}")
    refused.code = code
    return refused
