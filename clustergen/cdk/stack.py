"""The stack that a cluster's constructs stand in: its resources are called what they are."""

from __future__ import annotations

import re

import aws_cdk as cdk
from constructs import Construct

from clustergen.plan.model import Plan


class ClusterStack(cdk.Stack):
    """A stack whose logical ids are the words of the constructs' paths, without a hash.

    People read the template, and overlays name its resources. Two paths of the same words are an
    error of the CDK, never one resource for two.
    """

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

    def _allocate_logical_id(self, cfn_element: cdk.CfnElement) -> str:
        # A child called Resource or Default is its parent's main one, by the CDK's own custom.
        path = cfn_element.node.path.removeprefix(f"{self.node.path}/").split("/")
        words = (word for part in path if part not in _MAIN for word in _WORDS.findall(part))
        return "".join(word[0].upper() + word[1:] for word in words)


_MAIN = ("Resource", "Default")
_WORDS = re.compile(r"[A-Za-z0-9]+")
