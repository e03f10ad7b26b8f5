"""Files that are no cluster: what they look like, and what to import instead."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from clustergen.base.findings import Finding, Span
from clustergen.base.patterns import pattern
from clustergen.base.text_lists import word_set
from clustergen.importing.cloudformation import is_parameter_file
from clustergen.importing.cloudformation.stacks import NESTED
from clustergen.importing.descriptions import VERSIONS
from clustergen.importing.hyperpod.requests import is_parameters
from clustergen.importing.reading import Source, Unreadable, shown_lines
from clustergen.importing.rules.formats import INCOMPLETE, UNKNOWN
from clustergen.importing.settings import TEMPLATE

_FORMATS: Final = (
    "import a ParallelCluster 3 configuration, an eksctl configuration, or a cluster of HyperPod, "
    "PCS, EKS or Batch: its request, description, or CloudFormation template"
)
_RUNNING: Final = "import the running cluster with --live, or what the AWS CLI prints for it"
_WITH_REQUEST: Final = (
    "add the request of the cluster: import create-cluster.json provisioning_parameters.json"
)
_FILL_IN: Final = "replace the placeholders by values, such as with `envsubst`"
_PARALLELCLUSTER: Final = word_set("HeadNode Scheduling SharedStorage LoginNodes")
_PLACEHOLDER: Final = pattern(r"\$\{?[A-Za-z_]|\{\{")
_VERSION_2: Final = pattern(r"^\[(?:global|aws|cluster \S+)\]", re.MULTILINE)
_CONVERT: Final = (
    "convert it with `pcluster3-config-converter`, which ParallelCluster 3 has, and import that"
)
_COMMENT: Final = pattern(r'^(?:[^"\n]|"(?:[^"\\\n]|\\.)*")*?(//|/\*)', re.MULTILINE)
_TERRAFORM_FILES: Final = (".tf", ".tfvars", ".hcl")
_IS_TERRAFORM: Final = "is Terraform, which import does not read"
_TERRAFORM: Final = pattern(
    r'^\s*(?:(?:resource|module|provider|variable|data|output)\s+"|(?:locals|terraform)\s*\{)',
    re.MULTILINE,
)


def unreadable(name: str, text: str, error: Unreadable) -> Finding:
    """Why a text is neither YAML nor JSON."""
    if _is_terraform(name, text):
        return UNKNOWN.at((), f"{name} {_IS_TERRAFORM}", help=_RUNNING)
    if _VERSION_2.search(text):
        return UNKNOWN.at((), f"{name} is a configuration of ParallelCluster 2", help=_CONVERT)
    if comment := _comment(name, text):
        return comment
    line = error.span.text if error.span else ""
    help = _FILL_IN if _PLACEHOLDER.search(line) else "repair the file"
    finding = UNKNOWN.at((), f"neither YAML nor JSON: {error}", help=help)
    return replace(finding, span=error.span)


def _is_terraform(name: str, text: str) -> bool:
    return name.endswith(_TERRAFORM_FILES) or _TERRAFORM.search(text) is not None


def _comment(name: str, text: str) -> Finding | None:
    """The first comment in JSON; None if there is none."""
    comment = _COMMENT.search(text)
    if not text.lstrip().startswith(("{", "[")) or not comment:
        return None
    number, at = text.count("\n", 0, comment.start(1)), comment.start(1)
    line = shown_lines(text)[number][:200]
    column = at - text.rfind("\n", 0, at)
    finding = UNKNOWN.at((), "JSON has no comments", help="remove the comment")
    return finding.placed(Span(name, number + 1, column, max(len(line), column) + 1, line))


def unknown(source: Source) -> Finding:
    """Why a file cannot be imported."""
    if is_launch_template(source):
        text = f"{source.name} has launch templates, and no cluster that uses them"
        help = "add the file of the cluster: import FILE FILE ..."
        return INCOMPLETE.at((), text, help=help)
    if parts := _PARALLELCLUSTER & set(source.data if isinstance(source.data, Mapping) else ()):
        text = f"{source.name} is a part of a ParallelCluster configuration: {min(parts)}"
        help = "import the whole configuration, with HeadNode and Scheduling"
        return INCOMPLETE.at((), text, help=help)
    what, help = _described(source)
    return UNKNOWN.at((), f"{source.name} {what}", help=help)


def _described(source: Source) -> tuple[str, str]:
    """What a file is, and what to do instead."""
    data = source.data
    if data is None:
        return "is empty", _FORMATS
    if isinstance(data, str) and _is_terraform(source.name, data):
        return _IS_TERRAFORM, _RUNNING
    if source.is_template:
        nested = NESTED in _types(source)
        help = "add the templates that it nests: import FILE FILE ..." if nested else _FORMATS
        return "is a template without a cluster", help
    if is_parameters(data):
        return "only has the parameters of lifecycle scripts", _WITH_REQUEST
    if is_parameter_file(data):
        return "only has parameters of a template", "add the template: import FILE FILE ..."
    if source.is_object:
        return f"is a Kubernetes object ({data['kind']}), not a cluster", _FORMATS
    if isinstance(data, Mapping) and {"version", "node_groups"} <= set(data):
        return "is a spec already", "run `clustergen check` on it"
    return "is in no format that can be imported", _FORMATS


def is_launch_template(source: Source) -> bool:
    """Whether a file has launch templates: a template, or what EC2 describes."""
    described = isinstance(source.data, Mapping) and VERSIONS in source.data
    return described or TEMPLATE in _types(source)


def _types(source: Source) -> set[Any]:
    resources = source.data["Resources"].values() if source.is_template else ()
    return {str(each.get("Type")) for each in resources if isinstance(each, Mapping)}
