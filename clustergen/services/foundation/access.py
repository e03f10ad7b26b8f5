"""The scripts bucket, and read access for nodes: a role for PCS, policies for ParallelCluster."""

from collections.abc import Iterable, Iterator

from clustergen.base.artifacts import Json
from clustergen.base.digests import sha256
from clustergen.plan.model import Bucket, Iam, NodeGroup, Ontap, OpenZfs, Plan
from clustergen.services.aws import cfn, iam, session_manager
from clustergen.services.aws.members import filled
from clustergen.services.foundation import monitoring
from clustergen.services.foundation.parts import (
    Output,
    Part,
    lasting,
    named,
    policy,
    region_has_hyperpod,
    serves,
)

BUCKET = "ScriptsBucket"
WRITERS = "ScriptWriters"
"""Parameters of the template."""
_NOTHING = Iam()
PCS_POLICY = "AWSPCSComputeNodePolicy"
PCS_PARTITIONS = frozenset({"aws", "aws-us-gov"})
"""Partitions with AWS PCS and its managed policy: roles with unknown policies cannot be created.
https://docs.aws.amazon.com/general/latest/gr/pcs.html (2026-11)"""


def part(plan: Plan) -> Part:
    """The bucket for all targets, and the permissions that only some need."""
    name = Output("Bucket of boot scripts", cfn.ref(BUCKET))
    parts = []
    if "scripts" not in plan.shared.unused:
        parts.append(Part(_bucket(plan), {"ScriptsBucketName": name}))
    if serves(plan, "pcs-roles"):
        parts += _pcs_roles(plan)
    if serves(plan, "node-policies"):
        parts += _policies(plan)
    return Part.of(parts)


def _bucket(plan: Plan) -> Json:
    encryption = {"ServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}
    closed = ("BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets")
    properties = {
        **_bucket_name(plan),
        "BucketEncryption": {"ServerSideEncryptionConfiguration": [encryption]},
        "OwnershipControls": {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]},
        "PublicAccessBlockConfiguration": dict.fromkeys(closed, True),
        "VersioningConfiguration": {"Status": "Enabled"},
        "Tags": named(plan, "scripts"),
    }
    bucket = cfn.resource("AWS::S3::Bucket", properties)
    # CloudFormation cannot delete a bucket with objects, and this one is never empty.
    return {BUCKET: lasting(bucket, True), f"{BUCKET}Policy": _bucket_policy()}


def _bucket_name(plan: Plan) -> Json:
    """The name, where CloudFormation must not generate one that begins with that of the stack.

    Names with "sagemaker" are out: policies of AWS such as AmazonSageMakerFullAccess allow writing
    to them, and what is in this bucket runs as root.
    https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AmazonSageMakerFullAccess.html
    """
    if "sagemaker" not in plan.name.lower() or not region_has_hyperpod(plan):
        return {}
    digest = sha256(f"{plan.name}/{plan.region}")[:6]
    return {"BucketName": cfn.sub(f"clustergen-{digest}-${{AWS::AccountId}}")}


def bucket_parameters(resources: Json) -> Json:
    """The parameters and conditions of a template with the bucket."""
    if BUCKET not in resources:
        return {}
    why = (
        "ARNs of users and roles that alone may write to the bucket of boot scripts, with spaces "
        "between them; empty: all whom IAM allows to"
    )
    return {
        "parameters": {WRITERS: cfn.text(why, Default="")},
        "conditions": {"LimitsWriters": cfn.given(WRITERS)},
    }


def _bucket_policy() -> Json:
    whole, objects = cfn.get_att(BUCKET, "Arn"), cfn.sub(f"${{{BUCKET}.Arn}}/*")
    deny = iam.deny_without_tls("s3", [whole, objects])
    limit = cfn.choice("LimitsWriters", _others_write(), cfn.ref("AWS::NoValue"))
    properties = {"Bucket": cfn.ref(BUCKET), "PolicyDocument": iam.document([deny, limit])}
    return lasting(cfn.resource("AWS::S3::BucketPolicy", properties), True)


def _others_write() -> Json:
    """Denies writing to others than the writers and the account's root user.

    Who administers the bucket can change this policy, and anyone can pause: the numbers of nodes
    that ``--pause`` remembers are no scripts.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html#condition-keys-principalarn
    """
    return {
        "Sid": "OnlyWriters",
        "Effect": "Deny",
        "Principal": "*",
        "Action": iam.actions("s3", "PutObject", "DeleteObject", "DeleteObjectVersion"),
        "NotResource": cfn.sub(f"${{{BUCKET}.Arn}}/paused/*"),
        "Condition": {
            "ArnNotLike": {"aws:PrincipalArn": {"Fn::Split": [" ", cfn.ref(WRITERS)]}},
            "ArnNotEquals": {
                "aws:PrincipalArn": cfn.sub("arn:${AWS::Partition}:iam::${AWS::AccountId}:root")
            },
        },
    }


def pcs_profile(name: str = "") -> str:
    """The logical id of the instance profile of PCS nodes, or of those of one group."""
    return f"NodeInstanceProfile{cfn.logical_id(name) if name else ''}"


def pcs_role_output(group: NodeGroup) -> str:
    """The output with the role of a group's nodes; empty if its instance profile exists."""
    if group.iam.exists:
        return ""
    return f"NodeRole{cfn.logical_id(group.name) if group.iam.adds else ''}Arn"


def _pcs_roles(plan: Plan) -> Iterator[Part]:
    """The role of PCS nodes, and those of nodes with permissions of their own."""
    yield _pcs_role(plan, "", _NOTHING)
    login = [(name, own) for name, own in plan.shared.slurm_machines if name == "login"]
    for name, own in (*login, *((group.name, group.iam) for group in plan.node_groups)):
        if own.adds and not own.exists:
            yield _pcs_role(plan, name, own)


def _pcs_role(plan: Plan, name: str, own: Iam) -> Part:
    id, profile_id = f"NodeRole{cfn.logical_id(name) if name else ''}", pcs_profile(name)
    whose = f"nodes of {name}" if name else "nodes"
    managed = [PCS_POLICY] if plan.partition in PCS_PARTITIONS else []
    role = {
        # PCS accepts only roles with this path, or whose names start with AWSPCS.
        # https://docs.aws.amazon.com/pcs/latest/userguide/security-instance-profiles.html
        "Path": "/aws-pcs/",
        "AssumeRolePolicyDocument": iam.trust("ec2"),
        **filled(ManagedPolicyArns=[*map(iam.managed, managed), *own.policies]),
        "Policies": [{"PolicyName": "cluster", "PolicyDocument": _document(plan, own)}],
        "Tags": named(plan, name or "node"),
    }
    profile = {"Path": "/aws-pcs/", "Roles": [cfn.ref(id)]}
    return Part(
        {
            id: iam.role(plan, role),
            profile_id: cfn.resource("AWS::IAM::InstanceProfile", profile),
        },
        {
            f"{id}Arn": Output(f"Role of {whose}", cfn.get_att(id, "Arn")),
            f"{profile_id}Arn": Output(
                f"Instance profile of {whose}", cfn.get_att(profile_id, "Arn")
            ),
        },
    )


def _policies(plan: Plan) -> Iterator[Part]:
    """Policies for the roles that ParallelCluster creates: its login nodes cannot read scripts."""
    if "scripts" not in plan.shared.unused:
        what = f"Boot scripts of {plan.name}"
        yield policy("ScriptsPolicy", what, "Policy of login nodes: boot scripts", _scripts(plan))
    if "sessions" not in plan.shared.unused:
        what, session = f"Shells on nodes of {plan.name}", [session_manager.statement()]
        yield policy("SessionPolicy", what, "Policy of nodes: Systems Manager", session)


def _document(plan: Plan, own: Iam) -> Json:
    statements = [
        *([] if "pcs-sessions" in plan.shared.unused else [session_manager.statement()]),
        *_scripts(plan),
        *_pcs_scripts(plan),
        *buckets(plan),
        *volumes(plan),
        *monitoring.writing(plan),
        *_controller(plan),
        _logs(),
        *grants(own),
    ]
    return iam.document(statements)


def _controller(plan: Plan) -> Iterator[Json]:
    """Who collects Slurm's metrics asks PCS for the address of slurmctld."""
    if plan.monitoring.of_nodes:
        clusters = "arn:${AWS::Partition}:pcs:${AWS::Region}:${AWS::AccountId}:cluster/*"
        yield iam.allow("Controller", ["pcs:GetCluster"], [cfn.sub(clusters)])


def _scripts(plan: Plan) -> list[Json]:
    own = iam.allow("OwnScripts", ["s3:GetObject"], [cfn.sub(f"${{{BUCKET}.Arn}}/*")])
    return [own, *user_scripts(plan)]


def listed_scripts(plan: Plan) -> Iterator[Json]:
    """Permissions of HyperPod, which downloads the whole folder of a cluster's scripts.

    The managed policy of its nodes allows that only in buckets whose names begin with sagemaker-.
    """
    if "scripts" not in plan.shared.unused:
        yield _scripts(plan)[0]
        yield iam.allow("OwnScriptsList", ["s3:ListBucket"], [cfn.get_att(BUCKET, "Arn")])


def _pcs_scripts(plan: Plan) -> Iterator[Json]:
    """The mount scripts that AWS hosts for PCS in each region."""
    if plan.partition in PCS_PARTITIONS:
        yield iam.allow("PcsScripts", ["s3:GetObject"], [_s3_arn("aws-pcs-repo-${AWS::Region}/*")])


def user_scripts(plan: Plan) -> Iterator[Json]:
    scripts = (s.url for s in plan.software.scripts if s.url.startswith("s3://"))
    objects = sorted({cfn.literal(url.removeprefix("s3://")) for url in scripts})
    if objects:
        yield iam.allow("UserScripts", ["s3:GetObject"], [_s3_arn(path) for path in objects])


def grants(own: Iam) -> Iterator[Json]:
    """The user's grants in S3: ``s3://bucket``, or a key of it that may end with ``*``."""
    for number, grant in enumerate(own.s3, 1):
        bucket, _, key = cfn.literal(grant.uri.removeprefix("s3://")).partition("/")
        within = {"StringLike": {"s3:prefix": [key]}} if key else None
        yield iam.allow(f"Lists{number}", ["s3:ListBucket"], [_s3_arn(bucket)], within)
        actions = ["s3:GetObject", *(_WRITE if grant.write else ())]
        yield iam.allow(f"Grants{number}", actions, [_s3_arn(f"{bucket}/{key or '*'}")])


_WRITE = ("s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload")


def granted(statements: Iterable[Json]) -> list[Json]:
    """``iam.s3`` for the statements of a role: see :func:`grants`."""
    found = _objects(statements, "Grants")
    return [{"uri": uri, **({"write": True} if write else {})} for uri, write in found]


def lifecycle_sources(plan: Plan) -> Iterator[Json]:
    """Permission to download the folders of the user's lifecycle scripts."""
    places = [source.removeprefix("s3://").rstrip("/") for source in plan.shared.lifecycle_sources]
    if places:
        names = sorted({cfn.literal(place.partition("/")[0]) for place in places})
        objects = [_s3_arn(f"{cfn.literal(place)}/*") for place in places]
        yield iam.allow("Lifecycle", ["s3:GetObject"], objects)
        yield iam.allow("LifecycleList", ["s3:ListBucket"], [_s3_arn(name) for name in names])


def buckets(plan: Plan) -> Iterator[Json]:
    """Permissions that Mountpoint for S3 needs on each mounted bucket.

    https://github.com/awslabs/mountpoint-s3/blob/main/doc/CONFIGURATION.md#iam-permissions
    """
    mounts = [s for s in plan.storage if isinstance(s, Bucket)]
    for number, mount in enumerate(mounts, 1):
        prefix = cfn.literal(mount.prefix.strip("/"))
        within = f"{prefix}/*" if prefix else "*"
        within_prefix = {"StringLike": {"s3:prefix": _prefixes(mount)}}
        yield iam.allow(f"List{number}", ["s3:ListBucket"], [_s3_arn(mount.bucket)], within_prefix)
        actions = ["s3:GetObject", *(() if mount.read_only else _WRITE)]
        yield iam.allow(f"Objects{number}", actions, [_s3_arn(f"{mount.bucket}/{within}")])


def mounted(statements: Iterable[Json]) -> list[Json]:
    """``storage`` for the statements of a role: see :func:`buckets`."""
    return [
        {"type": "s3", "bucket": uri, **({"read_only": False} if write else {})}
        for uri, write in _objects(statements, "Objects")
    ]


def _objects(statements: Iterable[Json], sid: str) -> Iterator[tuple[str, bool]]:
    """The places of statements whose ids begin with ``sid``, and whether they allow writing."""
    for each in statements:
        if str(each.get("Sid")).startswith(sid):
            place = str(each["Resource"][0]).partition(":::")[2].removesuffix("/*")
            yield f"s3://{place}", _WRITE[0] in each["Action"]


def _prefixes(mount: Bucket) -> list[str]:
    prefix = mount.prefix.strip("/")
    return [f"{prefix}/*", prefix] if prefix else ["*", ""]


def volumes(plan: Plan) -> Iterator[Json]:
    """Permission for nodes that mount an existing volume to read its export path from FSx."""
    if any(isinstance(s, Ontap | OpenZfs) and s.existing and s.volume for s in plan.storage):
        yield iam.allow("Volumes", ["fsx:DescribeVolumes"], ["*"])


def _logs() -> Json:
    """Permission for PCS nodes to write logs of lifecycle scripts."""
    group = "arn:${AWS::Partition}:logs:${AWS::Region}:${AWS::AccountId}:log-group:/aws/pcs/*"
    writing = ("CreateLogGroup", "CreateLogStream", "DescribeLogStreams", "PutLogEvents")
    return iam.allow("Logs", iam.actions("logs", *writing), [cfn.sub(group)])


def _s3_arn(path: str) -> Json:
    return cfn.sub(f"arn:${{AWS::Partition}}:s3:::{path}")
