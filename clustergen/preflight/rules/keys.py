"""Key pairs, secrets and KMS keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.findings import Path, Problem
from clustergen.plan import volumes
from clustergen.plan.model import Database, Plan
from clustergen.preflight import network
from clustergen.preflight.case import Case
from clustergen.preflight.rules import listed, rule

IAM: Final = "https://docs.aws.amazon.com/IAM/latest/UserGuide/"
EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
KEY_PAIRS: Final = "ec2:DescribeKeyPairs"
SECRETS: Final = "secretsmanager:DescribeSecret"
KEY: Final = "kms:DescribeKey"


def _key_pair_by_hand(plan: Plan) -> str:
    name = plan.options.existing.get("key_name", "")
    return f"the key pair {listed([name])} exists in {plan.region}" if name else ""


@rule(
    "PRE070",
    "The key pair does not exist",
    why="ParallelCluster puts the key on all nodes, and fails without it.",
    source=f"{EC2}ec2-key-pairs.html",
    calls=(KEY_PAIRS,),
    by_hand=_key_pair_by_hand,
    bad="ec2:DescribeKeyPairs: []",
    good="ec2:DescribeKeyPairs: {}",
)
def key_pair(case: Case) -> Iterator[Problem]:
    name = case.plan.options.existing["key_name"]
    wanted = network.filtered("key-name", [name])
    if not case.ask(KEY_PAIRS, Filters=wanted).get("KeyPairs"):
        yield Problem(
            ("targets", case.traits.section, "key_name"),
            f"the account has no key pair {name} in {case.region}",
            f"aws ec2 create-key-pair --region {case.region} --key-name {name} --key-type ed25519 "
            f"--query KeyMaterial --output text > {name}.pem",
        )


def _secrets(plan: Plan) -> Mapping[str, Path]:
    """The secrets in the spec, and where they are."""
    found: dict[str, Path] = {}
    if isinstance(plan.slurm.accounting, Database):
        found[plan.slurm.accounting.secret] = ("slurm", "accounting", "secret")
    if secret := plan.options.existing.get("directory.secret"):
        found.setdefault(secret, ("targets", plan.target, "directory", "secret"))
    return found


def _secrets_by_hand(plan: Plan) -> str:
    ids = listed(_secrets(plan))
    return f"{ids}: the secret exists, and is not scheduled for deletion" if ids else ""


@rule(
    "PRE071",
    "The secret does not exist, or is being deleted",
    why="The password of a database or directory is read from it when nodes start.",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/manage_delete-secret.html",
    calls=(SECRETS,),
    by_hand=_secrets_by_hand,
    bad="secretsmanager:DescribeSecret: {DeletedDate: 2020-01-01T00:00:00Z}",
    good="secretsmanager:DescribeSecret: {}",
)
def secret(case: Case) -> Iterator[Problem]:
    for id, path in _secrets(case.plan).items():
        found = case.find(SECRETS, SecretId=id)
        if found is None:
            help = f"aws secretsmanager create-secret --region {case.region} --name ..."
            yield Problem(path, f"there is no secret {id}", help)
        elif found.get("DeletedDate"):
            help = f"aws secretsmanager restore-secret --region {case.region} --secret-id {id}"
            yield Problem(path, f"{id} is scheduled for deletion", help)


def _keys(plan: Plan) -> Mapping[str, Path]:
    """The KMS keys in the spec, and where they are."""
    return {key: path for path, key in volumes.keys(plan)}


def _keys_by_hand(plan: Plan) -> str:
    ids = listed(_keys(plan))
    return (
        f"{ids}: the key is enabled, and its policy lets you and the service use it" if ids else ""
    )


@rule(
    "PRE072",
    "The KMS key cannot be used",
    why="Without its key, encrypted storage cannot be created or read.",
    source="https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html",
    calls=(KEY,),
    by_hand=_keys_by_hand,
    bad="kms:DescribeKey: {KeyMetadata: {KeyState: PendingDeletion}}",
    good="kms:DescribeKey: {KeyMetadata: {KeyState: Enabled}}",
)
def kms_key(case: Case) -> Iterator[Problem]:
    for id, path in _keys(case.plan).items():
        found = case.find(KEY, KeyId=id)
        state = found.get("KeyMetadata", {}).get("KeyState", "Enabled") if found else None
        if state is None:
            help = f"aws kms list-aliases --region {case.region}"
            yield Problem(path, f"there is no key {id}", help)
        elif state != "Enabled":
            verb = "cancel-key-deletion" if state == "PendingDeletion" else "enable-key"
            help = f"aws kms {verb} --region {case.region} --key-id {id}"
            yield Problem(path, f"{id} is {state}", help)
