"""Buckets: names, and settings without effect."""

import re
from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, drop, rule, safe
from clustergen.plan import storage_kinds
from clustergen.plan.model import Bucket, Lustre, Plan

_RESERVED = ("xn--", "sthree-", "amzn-s3-demo-")
_LONGEST = 63


@rule(
    "STG021",
    "Invalid bucket name",
    why="S3 rejects names with two dots in a row, names that look like IP addresses, and a few "
    "reserved prefixes.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html",
    bad="storage: [{mount: /data, type: s3, bucket: s3://training..data}]",
    good="storage: [{mount: /data, type: s3, bucket: s3://training-data}]",
)
def names(plan: Plan) -> Iterator[Problem]:
    for path, url in _urls(plan):
        name = url.removeprefix("s3://").partition("/")[0]
        if reason := _refusal(name):
            message = f"{name} is not a valid bucket name: {reason}"
            yield Problem(path, message, help="check the name")


def _refusal(name: str) -> str:
    """Why S3 rejects a bucket name with valid characters; empty if it does not."""
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


@rule(
    "STG022",
    "Setting that does not apply to a bucket",
    why="clustergen only mounts a bucket, by its name; it neither creates nor deletes one.",
    source="the language, version 1",
    bad="storage: [{mount: /data, type: s3, bucket: s3://training-data, on_delete: delete}]",
)
def settings(plan: Plan) -> Iterator[Problem]:
    for item in storage_kinds.every(plan, Bucket):
        if plan.wrote(*item.at("existing")):
            message = f"{item.bucket} is named by bucket"
            fix = safe(drop(item.at("existing")))
            yield Problem(item.at("existing"), message, "remove existing", on_key=True, fix=fix)
        if not item.retain:
            message = f"{item.bucket} is never deleted"
            fix = safe(drop(item.at("on_delete")))
            yield Problem(item.at("on_delete"), message, help="remove on_delete", fix=fix)
