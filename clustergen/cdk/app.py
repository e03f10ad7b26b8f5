"""The CDK app: from the context of a command line to stacks, or to what is wrong with the spec."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import aws_cdk as cdk

from clustergen import compiler, renderer, report, targets
from clustergen.cdk.compiled import Compiled
from clustergen.commands.inputs import UsageError, wanted
from clustergen.compiler import Checked
from clustergen.findings import Finding, Unrenderable, errors

USAGE = """\
usage: npx cdk COMMAND -c spec=FILE[,FILE...] [-c target=TARGET] [-c 'set=PATH=VALUE[;...]']

  COMMAND  ls, synth, diff, deploy --all, destroy --all
  spec     the spec; what later files say is merged over it
  target   {targets}; needed where the spec names several
  set      single values, merged over the files

With the target parallelcluster, -c provider_role=ARN names the role that runs ParallelCluster.
"""

Build = Callable[[cdk.App, Compiled], object]

_SETTINGS = ("provider_role",)


def main(build: Build, app: cdk.App | None = None) -> int:
    """Make the stacks of ``app`` with ``build``; returns the exit status, 1 where there are none.

    Without ``app`` it is the one that the CDK's command line asks for.
    """
    app = app or new()
    try:
        compiled, findings = compile(context(app))
        _say(findings)
        if compiled is None:
            return 1
        build(app, compiled)
    except UsageError as error:
        sys.stderr.write(f"clustergen: {error}\n{USAGE.format(targets=', '.join(targets.NAMES))}")
        return 1
    except Unrenderable as error:
        _say(error.findings)
        return 1
    app.synth()
    return 0


def _say(findings: Sequence[Finding]) -> None:
    sys.stderr.write(report.render("text", findings, {}, colour=sys.stderr.isatty()))


def new(**props: Any) -> cdk.App:
    """An app without stacks."""
    return cdk.App(
        # Judging the templates takes four times as long as making them.
        builtin_cloud_formation_validation=os.environ.get("CDK_VALIDATION") == "true",
        analytics_reporting=False,
        **props,
    )


def context(app: cdk.App) -> dict[str, str]:
    """What was said with ``-c``, and in cdk.json, about the cluster."""
    names = ("spec", "target", "set", *_SETTINGS)
    said = {name: app.node.try_get_context(name) for name in names}
    return {name: str(value) for name, value in said.items() if value is not None}


def compile(context: Mapping[str, str]) -> tuple[Compiled | None, list[Finding]]:
    """The cluster that ``context`` names, and all that was found; None where that forbids it.

    Raises :class:`UsageError` where the context does not say which spec, or which target.
    """
    files = [name for name in context.get("spec", "").split(",") if name]
    if not files:
        raise UsageError("say which spec: -c spec=FILE")
    sets = [each for each in context.get("set", "").split(";") if each]
    asked = wanted([context["target"]] if context.get("target") else [])
    checked = compiler.check(files, sets=sets, targets=asked)
    findings = list(checked.findings)
    plans = [name for name in checked.plans if name]
    if len(plans) > 1 or (not plans and not errors(findings)):
        raise UsageError(_which(files[0], plans))
    if not plans or checked.blocking(plans[0]):
        return None, findings
    return compiled(checked, plans[0], context), findings


def compiled(checked: Checked, target: str, settings: Mapping[str, str]) -> Compiled:
    """The cluster of a spec that nothing stands against."""
    document, bundle = renderer.rendered(checked, target)
    files = {artifact.path: artifact.text for artifact in bundle}
    said = {name: settings[name] for name in _SETTINGS if name in settings}
    return Compiled(checked.plans[target], target, document, files, said)


def _which(spec: str, named: list[str]) -> str:
    if not named:
        return f"{spec} names no target: say which with -c target=TARGET"
    return f"{spec} is for {', '.join(named)}: say which with -c target={named[0]}"


def settings(compiled: Compiled) -> dict[str, Any]:
    """What every stack of a cluster is made with: where it goes, and its tags."""
    account = os.environ.get("CDK_DEFAULT_ACCOUNT")
    return {
        "env": cdk.Environment(account=account, region=compiled.plan.region),
        "tags": dict(compiled.plan.tags) or None,
    }
