"""The stack of a cluster's constructs, with readable names of resources."""

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
    """Give every resource in ``scope`` the words of its path as logical id, without a hash.

    People read the template, and overlays name its resources. Two paths of the same words are an
    error of the CDK, never one resource for two. A construct calls this when its parts are there;
    what is added to it later keeps the ids that the CDK gives.
    """
    root = f"{cdk.Stack.of(scope).node.path}/"
    for construct in scope.node.find_all():
        if isinstance(construct, cdk.CfnResource):
            construct.override_logical_id(_logical_id(construct.node.path.removeprefix(root)))


def _logical_id(path: str) -> str:
    # A child called Resource or Default is its parent's main one, by the CDK's own custom.
    parts = (part for part in path.split("/") if part not in _MAIN)
    words = (word for part in parts for word in _WORDS.findall(part))
    return "".join(word[0].upper() + word[1:] for word in words)


_MAIN = ("Resource", "Default")
_WORDS = pattern(r"[A-Za-z0-9]+")
