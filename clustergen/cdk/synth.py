"""Synthesis within the process, for `render`: a stack as its template."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import aws_cdk as cdk

# Feature flags of new CDK projects that our constructs depend on:
# https://docs.aws.amazon.com/cdk/v2/guide/featureflags.html
FLAGS = {
    "@aws-cdk/aws-iam:minimizePolicies": True,
    "@aws-cdk/aws-iam:standardizedServicePrincipals": True,
    "@aws-cdk/core:enablePartitionLiterals": False,
}


def template(make: Callable[[cdk.App], cdk.Stack]) -> dict[str, Any]:
    """The template of the stack that ``make`` adds to an app.

    It refers to no asset bucket or bootstrap version, so CloudFormation accepts it unchanged. Only
    the tests run the CDK's own validation, which takes seconds.
    """
    with tempfile.TemporaryDirectory(prefix="clustergen-") as folder:
        app = cdk.App(
            analytics_reporting=False,
            auto_synth=False,
            builtin_cloud_formation_validation=False,
            context=FLAGS,
            default_stack_synthesizer=cdk.BootstraplessSynthesizer(),
            outdir=folder,
            stack_traces=False,
            tree_metadata=False,
        )
        stack = make(app)
        app.synth()
        text = Path(folder, stack.template_file).read_text(encoding="utf-8")
    synthesized: dict[str, Any] = json.loads(text)
    return synthesized
