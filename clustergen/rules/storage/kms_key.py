"""STG020: a KMS key is in the region of what it encrypts."""

from __future__ import annotations

from collections.abc import Iterator

from clustergen.findings import Finding, Rule
from clustergen.plan.model import Plan

RULE = Rule(
    code="STG020",
    title="KMS key of another region, or no key at all",
    why="Storage is encrypted with a key of its own region; no service uses one from elsewhere.",
    source="https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    kms_key: arn:aws:kms:us-west-2:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab""",
    good="""storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    kms_key: arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab""",
)


def check(plan: Plan) -> Iterator[Finding]:
    for item in plan.storage:
        if item.kms_key:
            yield from _check(item.at("kms_key"), item.kms_key, plan)


def _check(path: tuple[str | int, ...], arn: str, plan: Plan) -> Iterator[Finding]:
    _, partition, service, region, _, resource = arn.split(":", 5)
    if service != "kms" or not resource.startswith("key/"):
        form = f"arn:{plan.partition}:kms:{plan.region}:ACCOUNT:key/ID"
        yield RULE.at(path, f"{arn} is not the ARN of a KMS key", help=f"it looks like {form}")
    elif (partition, region) != (plan.partition, plan.region):
        yield RULE.at(
            path,
            f"the key is in {region}, the cluster in {plan.region}",
            help=f"take a key of {plan.region}, or replicate a multi-Region key there",
        )
