"""The CDK app in this process: what it makes of a spec for a target."""

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import Any

import aws_cdk as cdk

from clustergen.checking.compiler import Checked
from stacks import app
from stacks.rendered import RenderedCluster
from tests.support.checking import check_example
from tests.support.paths import ROOT

_WARNING = cdk.cx_api.SynthesisMessageLevel.WARNING
CONTEXT: dict[str, Any] = json.loads((ROOT / "cdk.json").read_text(encoding="utf-8"))["context"]


@dataclass(frozen=True, slots=True)
class Synthesized:
    """One cluster, and the templates of its stacks by their names, in the order of deployment."""

    rendered: RenderedCluster
    templates: dict[str, dict[str, Any]]
    warnings: tuple[str, ...] = ()
    """What the command line of the CDK prints of them."""

    @property
    def foundation(self) -> dict[str, Any] | None:
        return self.templates.get(self.rendered.foundation_name)

    @property
    def cluster(self) -> dict[str, Any]:
        return self.templates[self.rendered.stack_name]


@functools.cache
def example(name: str, target: str) -> Synthesized:
    """The app for an example spec that its target takes."""
    return synthesize(check_example(name, target), target)


def synthesize(
    checked: Checked, target: str, settings: dict[str, str] | None = None
) -> Synthesized:
    """The app for a spec that nothing stands against."""
    rendered = app.rendered_cluster(checked, target, settings or {})
    with TemporaryDirectory() as folder:
        made = new_app(folder)
        app.build(made, rendered)
        assembly = made.synth()
        warnings = [
            m.entry.data for s in assembly.stacks for m in s.messages if m.level is _WARNING
        ]
        templates = {s.stack_name: s.template for s in assembly.stacks}
        return Synthesized(rendered, templates, tuple(map(str, warnings)))


def new_app(folder: str | None = None, plugins: Sequence[Any] = (), **more: str) -> cdk.App:
    """An app as `app.py` makes it."""
    made = app.new(outdir=folder, context={**CONTEXT, **more})
    if plugins:
        cdk.Validations.of(made).add_plugins(*plugins)
    return made
