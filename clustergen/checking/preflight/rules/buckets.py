"""Buckets."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Final

from clustergen.base.account import Answer, CallError, Denied
from clustergen.base.findings import Path, Problem, Severity, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about
from clustergen.plan.model import Bucket, Lustre, Plan

LUSTRE: Final = "https://docs.aws.amazon.com/fsx/latest/LustreGuide/"
BUCKET: Final = "s3:HeadBucket"


def _buckets(plan: Plan) -> Mapping[str, tuple[Path, bool]]:
    """The buckets in the spec: where they are, and whether they have to be in the region."""
    found: dict[str, tuple[Path, bool]] = {}
    for item in plan.storage:
        if isinstance(item, Bucket):
            found.setdefault(item.bucket, (item.at("bucket"), False))
        for number, each in enumerate(item.repositories if isinstance(item, Lustre) else ()):
            found[_bucket_of(each.s3)] = (item.at("data_repositories", number, "s3"), True)
        if isinstance(item, Lustre) and item.import_from:
            found[_bucket_of(item.import_from)] = (item.at("import_from"), True)
    if bucket := plan.existing.named.get("bucket"):
        found[bucket] = (("targets", plan.target, "bucket"), True)
    for script in plan.software.scripts:
        if script.url.startswith("s3://"):
            found.setdefault(_bucket_of(script.url), ((*script.path, "run"), False))
    for owner in network.owners(plan):
        for number, grant in enumerate(owner.iam.s3):
            found.setdefault(_bucket_of(grant.uri), (owner.at("iam", "s3", number), False))
    return found


def _bucket_of(uri: str) -> str:
    return uri.removeprefix("s3://").partition("/")[0]


def _head(case: Case, bucket: str) -> Answer | None:
    """The answer for a bucket; None if it does not exist.

    A denial does not say whether it exists: nodes may have rights that you lack.
    """
    try:
        return case.find(BUCKET, Bucket=bucket)
    except Denied:
        raise
    except CallError as error:
        if str(error).startswith(("301", "400", "PermanentRedirect")):
            return {}  # It exists in another region, which the answer does not name.
        raise


_EXIST: Final = about(_buckets, "{names}: the bucket exists, and is in {plan.region}")


common_rule = partial(rule, calls=(BUCKET,), by_hand=_EXIST)


@common_rule(
    "PRE065",
    "The bucket does not exist",
    why="Mounts, data repositories and scripts fail without their bucket.",
    source="https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadBucket.html",
    bad="s3:HeadBucket: '404'",
    good="s3:HeadBucket: {}",
)
def bucket(case: Case) -> Iterator[Problem]:
    for name, (path, _) in _buckets(case.plan).items():
        if _head(case, name) is None:
            help = f"aws s3 mb --region {case.region} s3://{name}"
            yield Problem(path, f"there is no bucket {name}", help)


@common_rule(
    "PRE066",
    "The bucket is in another region",
    why="FSx links buckets of its region only. Elsewhere the traffic between regions costs per "
    "gigabyte, and does not pass the S3 gateway endpoint.",
    source=f"{LUSTRE}create-dra-linked-data-repo.html",
    bad="s3:HeadBucket: {BucketRegion: eu-west-1}",
    good="s3:HeadBucket: {}",
)
def bucket_region(case: Case) -> Iterator[Problem]:
    for name, (path, linked) in _buckets(case.plan).items():
        region = (_head(case, name) or {}).get("BucketRegion") or case.region
        if region != case.region:
            severity = Severity.ERROR if linked else Severity.WARNING
            message = f"the bucket {name} is in {region}, the cluster in {case.region}"
            help = f"copy it: `aws s3 sync s3://{name} s3://BUCKET-IN-{case.region}`"
            yield Problem(path, message, help, severity=severity)
