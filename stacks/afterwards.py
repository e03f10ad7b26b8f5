"""What remains to do after `cdk deploy`, as commands in outputs.

Schedules of capacity that starts and ends are no stack of the app: AWS rejects a schedule in the
past, and `cdk deploy` does not read the clock. Neither a template nor `cdk deploy` can set a stack
policy: https://github.com/aws/aws-cdk-rfcs/issues/72 (open, 2026-11).
"""

import json
from pathlib import Path

import aws_cdk as cdk

from clustergen.deployment import resource_types
from clustergen.services import schedules

from .rendered import RenderedCluster


def output_schedules(stack: cdk.Stack, rendered: RenderedCluster) -> None:
    """Output the command that deploys the schedules, if the bundle has any."""
    if schedules.PATH not in rendered.files:
        return
    parameters = json.loads(rendered.files[schedules.PATH])["Parameters"]
    outputs = rendered.template.get("Outputs", {})
    known = {name: each["Value"] for name, each in outputs.items()}
    known |= {name: cdk.Fn.import_value(export) for name, export in rendered.imports.items()}
    given = [f"{name}={cdk.Token.as_string(known[name])}" for name in parameters if name in known]
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


def output_policy(stack: cdk.Stack) -> None:
    """Output the command that sets the policy of a stack with clusters or data."""
    found = (each for each in stack.node.find_all() if isinstance(each, cdk.CfnResource))
    if {each.cfn_resource_type for each in found}.isdisjoint(resource_types.PROTECTED):
        return
    cdk.CfnOutput(
        stack,
        "StackPolicy",
        value=f"aws cloudformation set-stack-policy --region {stack.region} --stack-name "
        f"{stack.stack_name} --stack-policy-body file://cdk.out/{resource_types.POLICY}",
        description="Lets no update replace or delete clusters and data; run it once",
    )


def write_policy(folder: str) -> None:
    """Write the policy beside the templates."""
    file = resource_types.policy_file()
    (Path(folder) / file.path).write_text(file.text, encoding="utf-8")
