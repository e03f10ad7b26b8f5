"""Key pairs, secrets and KMS keys."""

from collections.abc import Iterator, Mapping
from typing import Final

from clustergen.base.findings import Path, Problem, rule
from clustergen.checking.preflight import network
from clustergen.checking.preflight.case import Case
from clustergen.checking.preflight.rules import about, where
from clustergen.plan import storage_kinds, volumes
from clustergen.plan.model import Database, Ebs, Plan, Volume

EC2: Final = "https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/"
KEY_PAIRS: Final = "ec2:DescribeKeyPairs"
SECRETS: Final = "secretsmanager:DescribeSecret"
KEY: Final = "kms:DescribeKey"


@rule(
    "PRE070",
    "The key pair does not exist",
    why="ParallelCluster puts the key on all nodes, and fails without it.",
    source=f"{EC2}ec2-key-pairs.html",
    calls=(KEY_PAIRS,),
    by_hand=about(
        lambda plan: [plan.existing.named.get("key_name", "")],
        "the key pair {names} exists in {plan.region}",
    ),
    bad="ec2:DescribeKeyPairs: []",
    good="ec2:DescribeKeyPairs: {}",
)
def key_pair(case: Case) -> Iterator[Problem]:
    name = case.plan.existing.named["key_name"]
    wanted = network.filtered("key-name", [name])
    if not case.ask(KEY_PAIRS, Filters=wanted).get("KeyPairs"):
        yield Problem(
            ("targets", case.traits.section, "key_name"),
            f"the account has no key pair {name} in {case.region}",
            f"aws ec2 create-key-pair --region {case.region} --key-name {name} --key-type ed25519 "
            f"--query KeyMaterial --output text > {name}.pem",
        )


def _secrets(plan: Plan) -> Mapping[str, Path]:
    found: dict[str, Path] = {}
    if isinstance(plan.slurm.accounting, Database):
        found[plan.slurm.accounting.secret] = ("slurm", "accounting", "secret")
    if secret := plan.existing.named.get("directory.secret"):
        found.setdefault(secret, ("targets", plan.target, "directory", "secret"))
    return found


@rule(
    "PRE071",
    "The secret does not exist, or is being deleted",
    why="The password of a database or directory is read from it when nodes start.",
    source="https://docs.aws.amazon.com/secretsmanager/latest/userguide/manage_delete-secret.html",
    calls=(SECRETS,),
    by_hand=about(_secrets, "{names}: the secret exists, and is not scheduled for deletion"),
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


@rule(
    "PRE072",
    "The KMS key cannot be used",
    why="Without its key, encrypted storage cannot be created or read.",
    source="https://docs.aws.amazon.com/kms/latest/developerguide/key-state.html",
    calls=(KEY,),
    by_hand=about(
        lambda plan: dict.fromkeys(key for _, key in volumes.keys(plan)),
        "{names}: the key is enabled, and its policy lets you and the service use it",
    ),
    bad="kms:DescribeKey: {KeyMetadata: {KeyState: PendingDeletion}}",
    good="kms:DescribeKey: {KeyMetadata: {KeyState: Enabled}}",
)
def kms_key(case: Case) -> Iterator[Problem]:
    # Where several volumes have a key, the last of them.
    for id, path in {key: path for path, key in volumes.keys(case.plan)}.items():
        yield from _unusable(case, id, path)


def _unusable(case: Case, id: str, path: Path) -> Iterator[Problem]:
    found = case.find(KEY, KeyId=id)
    if found is None:
        yield Problem(path, f"there is no key {id}", f"aws kms list-aliases --region {case.region}")
        return
    key = found.get("KeyMetadata", {})
    state, usage = key.get("KeyState", "Enabled"), key.get("KeyUsage", "ENCRYPT_DECRYPT")
    if state != "Enabled":
        verb = "cancel-key-deletion" if state == "PendingDeletion" else "enable-key"
        help = f"aws kms {verb} --region {case.region} --key-id {id}"
        yield Problem(path, f"{id} is {state}", help)
    elif (usage, key.get("KeySpec", _SYMMETRIC)) != ("ENCRYPT_DECRYPT", _SYMMETRIC):
        message = f"{id} is a key of {key.get('KeySpec')} for {usage}, not for storage"
        yield Problem(path, message, "use a symmetric key that encrypts and decrypts")


_SYMMETRIC: Final = "SYMMETRIC_DEFAULT"
DEFAULT_KEY: Final = "ec2:GetEbsDefaultKmsKeyId"
_OF_AWS: Final = "alias/aws/ebs"


def _without_key(plan: Plan) -> Path | None:
    """A volume that EBS encrypts with its default key."""
    every: list[tuple[Path, Volume | Ebs]] = [
        (item.path, item) for item in storage_kinds.new(plan, Ebs)
    ]
    every += [(node.at("root_volume"), node.volume) for node in plan.nodes]
    if plan.sagemaker:  # It has volumes of its own.
        return None
    return next((path for path, v in every if v.encrypted and not v.kms_key), None)


@rule(
    "PRE079",
    "The default key of EBS cannot be used",
    why="Volumes without a key of their own are encrypted with the default key of the region. If "
    "it is deleted or disabled, instances do not start.",
    source="https://docs.aws.amazon.com/ebs/latest/userguide/work-with-ebs-encr.html",
    calls=(DEFAULT_KEY, KEY),
    by_hand=where(_without_key, "the default key of EBS in {plan.region} is enabled"),
    bad="""ec2:GetEbsDefaultKmsKeyId: {KmsKeyId: 0a1b2c3d-4e5f-6789-0a1b-2c3d4e5f6789}
kms:DescribeKey: {KeyMetadata: {KeyState: Disabled}}""",
    good="ec2:GetEbsDefaultKmsKeyId: {KmsKeyId: alias/aws/ebs}",
)
def default_key(case: Case) -> Iterator[Problem]:
    id = case.ask(DEFAULT_KEY).get("KmsKeyId", _OF_AWS)
    if id != _OF_AWS:  # EBS makes that of AWS at the first use.
        yield from _unusable(case, id, _without_key(case.plan) or ())
