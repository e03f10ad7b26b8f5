"""The CDK app: from the context of the command line to stacks or findings."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import aws_cdk as cdk

from clustergen import compiler, renderer, report, targets
from clustergen.commands import colour
from clustergen.commands.inputs import UsageError, wanted
from clustergen.compiler import Checked
from clustergen.findings import Finding, Unrenderable, errors

from . import monitoring, schedules
from .foundation import FoundationStack
from .rendered import TEMPLATE, RenderedCluster

USAGE = """\
usage: npx cdk COMMAND -c spec=FILE[,FILE...] [-c target=TARGET] [-c 'set=PATH=VALUE[;...]']

  COMMAND  ls, synth, diff, deploy --all, destroy --all
  spec     the spec; later files are merged over earlier ones
  target   {targets}; needed where the spec names several
  set      single values, merged over the files

With the target parallelcluster, -c provider_role=ARN names the role that runs ParallelCluster.
"""

_SETTINGS = ("provider_role",)


def main(app: cdk.App | None = None) -> int:
    """Create the stacks for the context of ``app``; returns the exit status, 1 on errors.

    Without ``app``, a new one for the CDK's command line.
    """
    app = app or new()
    try:
        rendered, findings = render_cluster(read_context(app))
        _print(findings)
        if rendered is None:
            return 1
        build(app, rendered)
    except UsageError as error:
        sys.stderr.write(f"clustergen: {error}\n{USAGE.format(targets=', '.join(targets.NAMES))}")
        return 1
    except Unrenderable as error:
        _print(error.findings)
        return 1
    app.synth()
    return 0


def _print(findings: Sequence[Finding]) -> None:
    sys.stderr.write(
        report.render("text", findings, {}, colour=colour.is_wanted("auto", sys.stderr))
    )


def new(**props: Any) -> cdk.App:
    """An app without stacks."""
    return cdk.App(
        # Validating the templates takes four times as long as creating them.
        builtin_cloud_formation_validation=os.environ.get("CDK_VALIDATION") == "true",
        analytics_reporting=False,
        **props,
    )


def read_context(app: cdk.App) -> dict[str, str]:
    """The context values for the cluster, from ``-c`` and cdk.json."""
    names = ("spec", "target", "set", *_SETTINGS)
    values = {name: app.node.try_get_context(name) for name in names}
    return {name: str(value) for name, value in values.items() if value is not None}


def render_cluster(context: Mapping[str, str]) -> tuple[RenderedCluster | None, list[Finding]]:
    """The cluster in ``context``, or None if there are errors, and all findings.

    Raises :class:`UsageError` if the context has no spec, or no target for a spec with several.
    """
    files = [name for name in context.get("spec", "").split(",") if name]
    if not files:
        raise UsageError("say which spec: -c spec=FILE")
    sets = [each for each in context.get("set", "").split(";") if each]
    requested = wanted([context["target"]] if context.get("target") else [])
    checked = compiler.check(files, sets=sets, targets=requested)
    findings = list(checked.findings)
    plans = [name for name in checked.plans if name]
    if len(plans) > 1 or (not plans and not errors(findings)):
        raise UsageError(_which(files[0], plans))
    if not plans or checked.blocking(plans[0]):
        return None, findings
    cluster = rendered_cluster(checked, plans[0], context)
    if cluster.plan.sagemaker and TEMPLATE not in cluster.files:
        raise UsageError(
            "CloudFormation cannot add instance groups to an existing HyperPod cluster: run "
            f"clustergen render {files[0]}, and deploy.sh of the bundle"
        )
    return cluster, findings


def rendered_cluster(checked: Checked, target: str, settings: Mapping[str, str]) -> RenderedCluster:
    """The cluster of a spec without errors."""
    document, bundle = renderer.rendered(checked, target)
    files = {artifact.path: artifact.text for artifact in bundle}
    given = {name: settings[name] for name in _SETTINGS if name in settings}
    return RenderedCluster(checked.plans[target], target, document, files, given)


def _which(spec: str, named: list[str]) -> str:
    if not named:
        return f"{spec} names no target: say which with -c target=TARGET"
    return f"{spec} is for {', '.join(named)}: say which with -c target={named[0]}"


def build(app: cdk.App, rendered: RenderedCluster) -> list[cdk.Stack]:
    """The stacks of a cluster, the foundation first if it has one."""
    props = _properties(rendered)
    document = rendered.foundation
    base = [FoundationStack(app, rendered, document, **props)] if document else []
    # Load only the constructs of this target: those of EKS take longer than all others.
    target = importlib.import_module(f"{__package__}.{rendered.target.replace('-', '_')}")
    made: list[cdk.Stack] = [
        *base,
        *target.stacks(app, rendered, **props),
        *monitoring.stacks(app, rendered, **props),
    ]
    for stack in made:
        if stack.stack_name == rendered.stack_name:
            schedules.output_command(stack, rendered)
    for earlier, later in pairwise(made):
        later.add_stack_dependency(earlier)
    return made


def _properties(rendered: RenderedCluster) -> dict[str, Any]:
    """Properties that all stacks of a cluster share: account, region, tags."""
    account = os.environ.get("CDK_DEFAULT_ACCOUNT")
    return {
        "env": cdk.Environment(account=account, region=rendered.plan.region),
        "tags": dict(rendered.plan.tags) or None,
    }
