"""STG021: names that no bucket can have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from clustergen.findings import Finding, Path, Rule
from clustergen.plan.model import Bucket, Lustre, Plan

RULE = Rule(
    code="STG021",
    title="No bucket can have this name",
    why="S3 refuses names with two dots in a row, names that look like addresses, and some "
    "prefixes of its own.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
    bad="storage: [{mount: /data, type: s3, bucket: s3://training..data}]",
    good="storage: [{mount: /data, type: s3, bucket: s3://training-data}]",
)

_RESERVED = ("xn--", "sthree-", "amzn-s3-demo-")
_LONGEST = 63


def check(plan: Plan) -> Iterator[Finding]:
    for path, url in _urls(plan):
        name = url.removeprefix("s3://").partition("/")[0]
        wrong = wrong_with(name)
        if wrong:
            yield RULE.at(path, f"{name} is no name of a bucket: {wrong}", help="check the name")


def wrong_with(name: str) -> str:
    """What S3 has against a bucket name of the right characters; empty when nothing."""
    if not 3 <= len(name) <= _LONGEST:
        return f"it has {len(name)} characters, not 3 to {_LONGEST}"
    if ".." in name:
        return "it has two dots in a row"
    if re.fullmatch(r"[0-9]+(\.[0-9]+){3}", name):
        return "it looks like an IP address"
    reserved = next((prefix for prefix in _RESERVED if name.startswith(prefix)), "")
    return f"{reserved}... is reserved" if reserved else ""


def _urls(plan: Plan) -> Iterator[tuple[Path, str]]:
    for item in plan.storage:
        if isinstance(item, Bucket):
            yield item.at("bucket"), item.bucket
        elif isinstance(item, Lustre):
            for index, repository in enumerate(item.repositories):
                yield item.at("data_repositories", index, "s3"), repository.s3
    for script in plan.software.scripts:
        if script.url.startswith("s3://"):
            yield (*script.path, "run"), script.url
