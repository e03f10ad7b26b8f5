"""The stack of a cluster's constructs, with readable logical ids."""

from __future__ import annotations

import aws_cdk as cdk
from constructs import Construct

from clustergen.patterns import pattern
from clustergen.plan.model import Plan


class ClusterStack(cdk.Stack):
    """A stack with the tags of the spec."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        plan: Plan,
        description: str | None = None,
        env: cdk.Environment | None = None,
        stack_name: str | None = None,
        synthesizer: cdk.IStackSynthesizer | None = None,
    ) -> None:
        super().__init__(
            scope,
            id,
            analytics_reporting=False,
            description=description,
            env=env,
            stack_name=stack_name,
            synthesizer=synthesizer,
        )
        self.template_options.template_format_version = "2010-09-09"
        for key, value in plan.tags.items():
            cdk.Tags.of(self).add(key, value)


def name_resources(scope: Construct) -> None:
    """Give every resource in ``scope`` a logical id made of its path, without a hash.

    Users read the template, and overlays name its resources. If two paths give the same id,
    the CDK raises an error. A construct calls this once its parts exist; parts added later keep the
    ids from the CDK.
    """
    root = f"{cdk.Stack.of(scope).node.path}/"
    for construct in scope.node.find_all():
        if isinstance(construct, cdk.CfnResource):
            construct.override_logical_id(_logical_id(construct.node.path.removeprefix(root)))


def _logical_id(path: str) -> str:
    # By CDK convention, a child called Resource or Default is the main resource of its parent.
    parts = (part for part in path.split("/") if part not in _MAIN)
    words = (word for part in parts for word in _WORDS.findall(part))
    return "".join(word[0].upper() + word[1:] for word in words)


_MAIN = ("Resource", "Default")
_WORDS = pattern(r"[A-Za-z0-9]+")
