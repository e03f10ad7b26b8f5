"""Encryption: of root volumes; KMS keys in the right region, and not for scratch file systems."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, drop, put, rule, unsafe, unwanted, warning
from clustergen.plan import storage_kinds, volumes
from clustergen.plan.model import Ebs, Efs, Lustre, Plan

_KEY = "arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"
_FSX = """storage:
  - mount: /fsx
    type: fsx-lustre
    size: 1200GiB
    kms_key: arn:aws:kms:{}:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab"""


@rule(
    "STG020",
    "KMS key of another region, or no key at all",
    why="Storage is encrypted with a key of its own region; no service uses one from elsewhere.",
    source="https://docs.aws.amazon.com/kms/latest/developerguide/concepts.html",
    bad=_FSX.format("us-west-2"),
    good=_FSX.format("us-east-1"),
)
def key(plan: Plan) -> Iterator[Problem]:
    for path, arn in volumes.keys(plan):
        if volumes.is_key_here(plan, arn):
            continue
        _, _, service, region, _, resource = arn.split(":", 5)
        if service != "kms" or not resource.startswith("key/"):
            form = f"arn:{plan.partition}:kms:{plan.region}:ACCOUNT:key/ID"
            yield Problem(path, f"{arn} is not the ARN of a KMS key", help=f"it looks like {form}")
        else:
            yield Problem(
                path,
                f"the key is in {region}, the cluster in {plan.region}",
                help=f"use a key of {plan.region}, or replicate a multi-Region key there",
            )


@rule(
    "FSX022",
    "KMS key of a scratch file system",
    why="FSx encrypts scratch file systems with a key that it manages; the API rejects another "
    "one.",
    source="https://docs.aws.amazon.com/fsx/latest/LustreGuide/encryption-at-rest.html",
    bad="""storage:
  - mount: /fsx
    type: fsx-lustre
    deployment: scratch-2
    kms_key: arn:aws:kms:us-east-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab""",
)
def scratch(plan: Plan) -> Iterator[Problem]:
    for item in storage_kinds.new(plan, Lustre):
        if item.deployment.startswith("SCRATCH") and item.kms_key:
            yield unwanted(
                item.at("kms_key"),
                f"FSx encrypts {storage_kinds.spelled(item.deployment)} with a key that it manages",
                help="remove kms_key, or write deployment: persistent-2",
            )


@warning(
    "STG055",
    "Volume or EFS without encryption",
    why="What nodes write to it, credentials and data of jobs included, can be read from its "
    "snapshots. Encryption costs nothing.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html",
    bad="node_groups: [{name: h200, root_volume: {encrypted: false}}]",
)
def unencrypted(plan: Plan) -> Iterator[Problem]:
    for path, what, _ in _unencrypted(plan):
        message = f"{what} is not encrypted"
        yield Problem(path, message, help="write true", fix=unsafe(put(path, True)))


def _unencrypted(plan: Plan) -> Iterator[tuple[Path, str, object]]:
    """What is created without encryption: its place in the spec, its name, and its KMS key."""
    for node in plan.nodes:
        if not node.volume.encrypted:
            yield node.at("root_volume", "encrypted"), "the root volume", node.volume.kms_key
    for item in plan.storage:
        if isinstance(item, Efs | Ebs) and not item.existing and not item.encrypted:
            yield item.at("encrypted"), item.mount, item.kms_key


@rule(
    "STG024",
    "KMS key without encryption",
    why="EC2 and EFS reject a volume or file system that has a key and is not encrypted.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_EbsBlockDevice.html",
    bad=f"node_groups: [{{name: h200, root_volume: {{encrypted: false, kms_key: {_KEY!r}}}}}]",
)
def key_without_encryption(plan: Plan) -> Iterator[Problem]:
    for path, what, key in _unencrypted(plan):
        if key:
            yield Problem(
                (*path[:-1], "kms_key"),
                f"{what} has a key, and is not encrypted",
                help="remove encrypted: false, or the key",
                fix=unsafe(drop(path)),
            )
