"""The AWS CLI commands in the scripts and the README of a bundle, and the IAM actions they need."""

import re
from collections.abc import Iterable, Iterator, Mapping

from clustergen.base import account
from clustergen.base.artifacts import Artifact, Bundle
from clustergen.deployment import calls as deployed
from clustergen.deployment import model, reading

_OPTION = r"(?:--[\w-]+(?:[ =](?:\"[^\"]*\"|'[^']*'|[^\s-][^\s\"']*))?\s+)"
# In messages, commands are text for the user: before them is neither a command nor a substitution.
_CALL = re.compile(
    r"(?:^|[`|&(!]|\b(?:run|ask|again|if|timeout \d+|AWS_MAX_ATTEMPTS=\d+)|\$\()\s*"
    rf"aws\s+{_OPTION}*([a-z][a-z0-9-]+)\s+{_OPTION}*([a-z][\w-]*)",
    re.MULTILINE,
)
_MESSAGE = re.compile(r"^\s*(?:#|note\b|fail\b|\"|echo\b|printf\b|command=).*$", re.MULTILINE)


def bundles(bundle: Bundle) -> list[model.Bundle]:
    """What the bundle deploys, if it says so."""
    return [reading.parsed(file.text) for file in bundle if file.path == model.PATH]


def scripts(bundle: Bundle) -> Iterator[Artifact]:
    """The scripts that an operator runs: those in folders run on nodes."""
    return (file for file in bundle if "/" not in file.path and file.path.endswith(".sh"))


def calls(bundle: Bundle) -> set[str]:
    """The commands as ``service operation``."""
    found = {command for bundled in bundles(bundle) for command in deployed.commands(bundled)}
    texts = [_MESSAGE.sub("", script.text) for script in scripts(bundle)]
    texts += [file.text for file in bundle if file.path == "README.md"]
    for text in texts:
        found |= {" ".join(words) for words in _CALL.findall(text.replace("\\\n", " "))}
    return found


_S3 = ("s3:GetObject", "s3:PutObject", "s3:ListBucket")
_OTHERS: Mapping[str, tuple[str, ...]] = {
    "ecr get-login-password": ("ecr:GetAuthorizationToken",),
    "eks update-kubeconfig": ("eks:DescribeCluster",),
    "logs tail": ("logs:FilterLogEvents",),
    "s3 cp": _S3,
    "s3 sync": _S3,
    "s3 ls": ("s3:ListBucket",),
    "s3 rb": ("s3:DeleteBucket",),
    "s3 rm": ("s3:DeleteObject",),
    # Without s3:ListBucket, S3 answers 403 in place of 404 for an object that is not there.
    "s3api head-object": ("s3:GetObject", "s3:ListBucket"),
    "s3api get-object": ("s3:GetObject", "s3:ListBucket"),
    "s3api delete-object": ("s3:DeleteObject",),
    # CloudFormation reads the version that was uploaded, with the permissions of its caller.
    "s3api put-object": ("s3:PutObject", "s3:GetObjectVersion"),
    "sts get-caller-identity": (),
}
"""Commands that are not named like what they call, and the actions that each needs.

https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html,
https://docs.aws.amazon.com/systems-manager/latest/userguide/getting-started-restrict-access-quickstart.html
(2026-11)
"""


def actions(commands: Iterable[str]) -> set[str]:
    """The IAM actions that the commands need."""
    found: set[str] = set()
    for command in commands:
        service, _, operation = command.partition(" ")
        named = account.action(f"{service}:{camel(operation)}")
        found.update(_OTHERS.get(command, (named,)))
    return found


def camel(operation: str) -> str:
    """``describe-stacks`` as the API and IAM write it; IAM ignores the case of what is left."""
    return "".join(part[:1].upper() + part[1:] for part in operation.split("-"))
