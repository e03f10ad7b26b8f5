"""The Kubernetes version, and the administrators of the cluster."""

from collections.abc import Iterator

from clustergen.base.findings import Path, Problem, put, unsafe
from clustergen.plan.model import Plan
from clustergen.services.eks import versions
from clustergen.services.eks.versions import VERSIONS
from clustergen.targets.eks.options import Options
from clustergen.targets.eks.rules import rule, warning

_VERSION: Path = ("kubernetes", "version")
_NEWER = f"write version: '{versions.LASTING}'"
_FIX = unsafe(put(_VERSION, versions.LASTING))


@rule(
    "K8S500",
    "Kubernetes version that EKS does not have",
    why="EKS creates clusters only with the versions in its release calendar.",
    source=versions.SOURCE,
    bad="kubernetes: {version: '1.99'}",
)
def unknown_version(plan: Plan) -> Iterator[Problem]:
    name = plan.kubernetes.version
    if name not in VERSIONS and not versions.is_older(name):
        yield Problem(
            _VERSION,
            f"EKS had no Kubernetes {name} on {versions.DATE}; the newest was {versions.NEWEST}",
            help=_NEWER,
            fix=_FIX,
        )


@rule(
    "K8S501",
    "Kubernetes version that EKS no longer has",
    why="After the end of extended support EKS upgrades clusters automatically and creates none.",
    source=versions.SOURCE,
    bad="kubernetes: {version: '1.29'}",
)
def retired_version(plan: Plan) -> Iterator[Problem]:
    name = plan.kubernetes.version
    version = VERSIONS.get(name)
    if version and versions.is_over(version):
        ended = f"extended support of Kubernetes {name} ended on {version.extended_until}"
        yield Problem(_VERSION, ended, help=_NEWER, fix=_FIX)
    elif not version and versions.is_older(name):
        message = f"EKS no longer had Kubernetes {name} on {versions.DATE}"
        yield Problem(_VERSION, message, help=_NEWER, fix=_FIX)


@warning(
    "K8S505",
    "Cluster that nobody can use",
    why="EKS makes the identity that creates a cluster its administrator. With the CDK that is "
    "CloudFormation's role, which nobody can assume: no user has access until a role is named.",
    source="https://docs.aws.amazon.com/eks/latest/userguide/access-entries.html",
    bad="targets: {eks: {install: stack}}",
    good="targets: {eks: {install: stack}}\n"
    "kubernetes: {admins: ['arn:aws:iam::111122223333:role/platform']}",
)
def nobody_can_use_it(plan: Plan) -> Iterator[Problem]:
    by_stack = plan.creates_cluster and plan.options_as(Options).by_stack
    if by_stack and not (plan.kubernetes.admins or plan.kubernetes.access):
        yield Problem(
            ("targets", "eks", "install"),
            "a stack creates the cluster, and the spec gives nobody access to it",
            help="write your role in kubernetes.admins",
        )


@rule(
    "K8S552",
    "Stack of an adopted cluster that the CDK is to deploy",
    why="`stack` names a stack that deploy.sh updates. The CDK names its stacks itself.",
    source="https://docs.aws.amazon.com/cdk/v2/guide/stacks.html",
    bad="targets: {eks: {install: stack, stack: research}}\n"
    "kubernetes: {admins: ['arn:aws:iam::111122223333:role/platform']}",
    good="targets: {eks: {stack: research}}",
)
def adopted_by_the_cdk(plan: Plan) -> Iterator[Problem]:
    options = plan.options_as(Options)
    if options.by_stack and options.stack:
        yield Problem(
            ("targets", "eks", "stack"),
            "the CDK deploys what install: stack renders, and names its stacks itself",
            help="write install: script",
            fix=unsafe(put(("targets", "eks", "install"), "script")),
        )
