"""Lifecycle scripts of instance groups."""

from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.services.aws import references
from clustergen.services.hyperpod import limits
from clustergen.services.hyperpod.document import Document, Group
from clustergen.services.hyperpod.groups import EXECUTION_ROLE
from clustergen.services.hyperpod.rules.document import EKS, in_group, rule, warning

_MEMBERS = ("OnCreate", "OnInitComplete")
# _POLICY; 2026-11. The second is the bucket of the foundation, which gives the role access to it.
_READABLE = ("s3://sagemaker-", "s3://${ScriptsBucketName}/")
_POLICY = (
    "https://docs.aws.amazon.com/aws-managed-policy/latest/reference/"
    "AmazonSageMakerClusterInstanceRolePolicy.html"
)
_FOLDER = "SourceS3Uri: 's3://sagemaker-scripts/x/'"


@rule(
    "OVL303",
    "Scripts without a folder in S3",
    why="HyperPod downloads a group's scripts from the folder that SourceS3Uri names.",
    source=limits.SLURM_API,
    bad=in_group("LifeCycleConfig: {OnCreate: setup.sh}"),
    good=in_group(f"LifeCycleConfig: {{OnCreate: setup.sh, {_FOLDER}}}"),
)
def folder(document: Document) -> Iterator[Problem]:
    for group in _with_scripts(document):
        if "SourceS3Uri" not in group.part("LifeCycleConfig"):
            yield _in_scripts(group, "scripts without SourceS3Uri", "add the folder in S3")


@warning(
    "OVL306",
    "Scripts in a bucket that nodes may not read",
    why="The managed policy of HyperPod's nodes allows reading buckets of the same account whose "
    "names begin with sagemaker-.",
    source=_POLICY,
    bad=in_group("LifeCycleConfig: {OnCreate: setup.sh, SourceS3Uri: 's3://my-scripts/x/'}"),
    good=in_group(f"LifeCycleConfig: {{OnCreate: setup.sh, {_FOLDER}}}"),
)
def bucket(document: Document) -> Iterator[Problem]:
    for group in _with_scripts(document):
        source = group.part("LifeCycleConfig").get("SourceS3Uri")
        # The permissions of another role are unknown.
        given = group.data.get("ExecutionRole") == references.text(EXECUTION_ROLE)
        if given and isinstance(source, str) and not source.startswith(_READABLE):
            yield _in_scripts(
                group,
                f"nodes may not read {source}",
                "use a bucket whose name begins with sagemaker-, or give the role s3:GetObject "
                "there",
            )


@rule(
    "OVL332",
    "No lifecycle scripts",
    why="On EKS, and if scripts set up Slurm, each group needs LifeCycleConfig with content.",
    source=limits.SLURM_API,
    target=EKS,
    bad=in_group("LifeCycleConfig: null", EKS),
    good=in_group("LifeCycleConfig: {OnCreate: setup.sh}", EKS),
)
def missing(document: Document) -> Iterator[Problem]:
    for group in document.groups:
        is_given = group.data.get("LifeCycleConfig") is not None
        if (is_given or _needs_scripts(document)) and not group.part("LifeCycleConfig"):
            wanted = "SourceS3Uri, and OnCreate or OnInitComplete"
            if document.is_eks:
                wanted = "SourceS3Uri and OnCreate, as another group has them"
            yield _in_scripts(group, "no scripts in LifeCycleConfig", f"write {wanted}")


@rule(
    "OVL333",
    "OnInitComplete where scripts set up the node",
    why="OnInitComplete runs after HyperPod's own set-up of Slurm, which other clusters lack.",
    source=limits.SLURM_API,
    target=EKS,
    bad=in_group("LifeCycleConfig: {OnCreate: null, OnInitComplete: setup.sh}", EKS),
    good=in_group("LifeCycleConfig: {OnCreate: setup.sh}", EKS),
)
def init_complete(document: Document) -> Iterator[Problem]:
    for group in _with_scripts(document):
        if "OnInitComplete" in group.part("LifeCycleConfig") and _needs_scripts(document):
            yield _in_scripts(
                group,
                "OnInitComplete, which only clusters whose Slurm HyperPod sets up have",
                "remove it, and name the script OnCreate",
            )


@rule(
    "OVL334",
    "Not exactly one lifecycle script",
    why="A group names one script, to run instead of HyperPod's set-up or after it.",
    source=limits.SLURM_API,
    bad=in_group(f"LifeCycleConfig: {{{_FOLDER}}}"),
    good=in_group(f"LifeCycleConfig: {{OnCreate: setup.sh, {_FOLDER}}}"),
)
def one_script(document: Document) -> Iterator[Problem]:
    for group in _with_scripts(document):
        names = [name for name in _MEMBERS if name in group.part("LifeCycleConfig")]
        is_rejected = "OnInitComplete" in names and _needs_scripts(document)
        if len(names) != 1 and not is_rejected:
            yield _in_scripts(
                group,
                f"{' and '.join(names) or 'no script'} in LifeCycleConfig",
                "name one of OnCreate and OnInitComplete",
            )


def _needs_scripts(document: Document) -> bool:
    return document.is_eks or "Orchestrator" not in document


def _with_scripts(document: Document) -> Iterator[Group]:
    return (group for group in document.groups if group.part("LifeCycleConfig"))


def _in_scripts(group: Group, message: str, help: str) -> Problem:
    return group.problem("LifeCycleConfig", message, help)
