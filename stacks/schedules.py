"""Schedules of capacity that starts and ends: a step after the CDK, whose command is an output.

They are no stack of the app: AWS rejects a schedule in the past, and `cdk deploy` does not read the
clock.
"""

from __future__ import annotations

import json

import aws_cdk as cdk

from clustergen import schedules

from .rendered import RenderedCluster


def output_command(stack: cdk.Stack, rendered: RenderedCluster) -> None:
    """Output the command that deploys them, if the bundle has any."""
    if schedules.PATH not in rendered.files:
        return
    parameters = json.loads(rendered.files[schedules.PATH])["Parameters"]
    outputs = rendered.template.get("Outputs", {})
    given = [
        f"{name}={cdk.Token.as_string(outputs[name]['Value'])}"
        for name in parameters
        if name in outputs
    ]
    command = (
        f"aws cloudformation deploy --region {rendered.plan.region} "
        f"--stack-name {schedules.name(rendered.plan)} --template-file {schedules.PATH} "
        "--capabilities CAPABILITY_IAM"
    )
    cdk.CfnOutput(
        stack,
        "Schedules",
        value=" ".join([command, *(["--parameter-overrides", *given] if given else [])]),
        description="What starts and stops nodes by the dates: run it in the rendered bundle",
    )
