"""User scripts, which user data downloads and compute nodes run."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Plan
from clustergen.services.aws.launch_templates import MAX_USER_DATA
from clustergen.targets.eks.rules import rule

_OWN_USER_DATA, _QUOTES = 2048, 4
"""Maximum bytes of user data besides scripts, and of quotes around each word."""


@rule(
    "LIM504",
    "User data above the limit of EC2",
    why="The user data of a node names every script with its arguments, and EC2 accepts 16 KiB.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/user-data.html",
    bad='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: ['
    + ", ".join(["a" * 500] * 33)
    + "]}]}",
    good='software: {scripts: [{run: "s3://my-bucket/setup.sh", args: [--fast]}]}',
)
def user_data(plan: Plan) -> Iterator[Problem]:
    scripts = plan.software.scripts
    text = sum(len(part) + _QUOTES for s in scripts for part in (s.url, s.sha256 or "", *s.args))
    if text + _OWN_USER_DATA > MAX_USER_DATA:
        yield Problem(
            ("software", "scripts"),
            f"scripts and arguments take {text:,} characters; at most "
            f"{MAX_USER_DATA - _OWN_USER_DATA:,} fit",
            help="keep arguments in a file that the script fetches",
        )
