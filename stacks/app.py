"""The CDK app: from the context of the command line to stacks or findings."""

import argparse
import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import aws_cdk as cdk

from clustergen import output, targets
from clustergen.base.findings import Finding, Unrenderable, errors
from clustergen.bundle import renderer
from clustergen.checking.compiler import Checked
from clustergen.commands import inputs, request
from clustergen.commands.exit_status import UsageError
from clustergen.services.monitoring import stack as monitoring

from . import acknowledged, afterwards
from .rendered import TEMPLATE, RenderedCluster
from .template import TemplateStack

USAGE = """\
usage: npx cdk COMMAND -c spec=FILE[,FILE...] [-c target=TARGET] [-c 'set=PATH=VALUE[;...]']

  COMMAND  ls, synth, diff, deploy --all, destroy --all
  spec     the spec, or a cluster of clustergen.toml; later files are merged over earlier ones
  target   {targets}; needed where the spec names several
  set      single values, merged over the files

The project file counts as it does for `clustergen render`. Where it names custom rules that you
have not allowed, -c custom_rules=true runs them, and -c custom_rules=false goes without.
With the target parallelcluster, -c provider_role=ARN names the role that runs ParallelCluster.
With -c termination_protection=false, stacks can be deleted once they are deployed so.
"""

_SETTINGS = ("provider_role", "termination_protection")
OWN_STACKS = ("parallelcluster", "eks", "hyperpod-eks")
"""Targets with a module of their own; the others are a template, and scripts of nodes."""
_TRUTH = {"true": True, "false": False}


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
    except (UsageError, Unrenderable) as error:
        _print(error.findings)
        if not error.findings:
            usage = USAGE.format(targets=", ".join(targets.NAMES))
            sys.stderr.write(f"clustergen: {error}\n{usage}")
        return 1
    afterwards.write_policy(app.synth().directory)
    return 0


def _print(findings: Sequence[Finding]) -> None:
    colour = inputs.is_coloured("auto", sys.stderr)
    sys.stderr.write(output.render("text", findings, {}, colour=colour))


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
    names = ("spec", "target", "set", "custom_rules", *_SETTINGS)
    values = {name: app.node.try_get_context(name) for name in names}
    return {name: str(value) for name, value in values.items() if value is not None}


def render_cluster(context: Mapping[str, str]) -> tuple[RenderedCluster | None, list[Finding]]:
    """The cluster in ``context``, or None if there are errors, and all findings.

    Raises :class:`UsageError` if the context has no spec, or no target for a spec with several, or
    if the project file is not valid.
    """
    files = [name for name in context.get("spec", "").split(",") if name]
    if not files:
        raise UsageError("say which spec: -c spec=FILE")
    args = _arguments(files, context)
    asked = request.read(args)
    if len(asked.specs) != 1:
        raise UsageError(f"{files[0]} names {len(asked.specs)} specs; name one")
    checked = asked.check(asked.specs[0])
    findings = list(checked.findings)
    plans = [name for name in checked.plans if name]
    if len(plans) > 1 or (not plans and not errors(findings)):
        which = f"is for {', '.join(plans)}" if plans else "names no target"
        example = plans[0] if plans else "TARGET"
        raise UsageError(f"{files[0]} {which}: say which with -c target={example}")
    if not plans or checked.blocking(plans[0]) or inputs.status(findings, args):
        return None, findings
    cluster = rendered_cluster(checked, plans[0], context)
    if cluster.plan.sagemaker and TEMPLATE not in cluster.files:
        raise UsageError(
            "CloudFormation cannot add instance groups to an existing HyperPod cluster: run "
            f"clustergen render {files[0]}, and deploy.sh of the bundle"
        )
    return cluster, findings


def _arguments(files: Sequence[str], context: Mapping[str, str]) -> argparse.Namespace:
    return argparse.Namespace(
        specs=files[:1],
        files=files[1:],
        sets=[each for each in context.get("set", "").split(";") if each],
        targets=[context["target"]] if context.get("target") else [],
        custom_rules=_TRUTH.get(context.get("custom_rules", "").lower()),
    )


def rendered_cluster(checked: Checked, target: str, settings: Mapping[str, str]) -> RenderedCluster:
    """The cluster of a spec without errors."""
    document, bundle = renderer.rendered(checked, target)
    files = {artifact.path: artifact.text for artifact in bundle}
    given = {name: settings[name] for name in _SETTINGS if name in settings}
    return RenderedCluster(checked.plans[target], target, document, files, given)


def build(app: cdk.App, rendered: RenderedCluster) -> list[cdk.Stack]:
    """The stacks of a cluster, the foundation first if it has one."""
    props = _properties(rendered)
    # Load only the constructs of this target: those of EKS take longer than all others.
    name = rendered.target.replace("-", "_") if rendered.target in OWN_STACKS else "scripts"
    target = importlib.import_module(f"{__package__}.{name}")
    made: list[cdk.Stack] = [
        *_foundation(app, rendered, **props),
        *target.stacks(app, rendered, **props),
        *_monitoring(app, rendered, **props),
    ]
    for stack in made:
        if stack.stack_name == rendered.stack_name:
            afterwards.output_schedules(stack, rendered)
        afterwards.output_policy(stack)
    for earlier, later in pairwise(made):
        later.add_stack_dependency(earlier)
    return made


def _foundation(app: cdk.App, rendered: RenderedCluster, **props: Any) -> Iterator[cdk.Stack]:
    """Network, storage, roles and the scripts bucket, which outlive clusters."""
    if document := rendered.foundation:
        name, export = rendered.foundation_name, rendered.export_name
        stack = TemplateStack(app, name, document, export=export, **props)
        acknowledged.foundation(stack, rendered.plan)
        yield stack


def _monitoring(app: cdk.App, rendered: RenderedCluster, **props: Any) -> Iterator[cdk.Stack]:
    """Alerts and the dashboard, after the cluster: alerts of one without nodes would fire."""
    if text := rendered.files.get(monitoring.PATH):
        name, imports = monitoring.name(rendered.plan), rendered.imports
        yield TemplateStack(app, name, json.loads(text), imports=imports, **props)


def _properties(rendered: RenderedCluster) -> dict[str, Any]:
    """Properties that all stacks of a cluster share: account, region, tags, protection."""
    protected = rendered.settings.get("termination_protection", "true").lower() != "false"
    account = os.environ.get("CDK_DEFAULT_ACCOUNT")
    return {
        "env": cdk.Environment(account=account, region=rendered.plan.region),
        "tags": dict(rendered.plan.tags) or None,
        "termination_protection": protected,
    }
