"""The commands and their options, as a parser."""

import argparse
from collections.abc import Callable, Mapping, Sequence

from clustergen.base.version import __version__
from clustergen.commands.arguments import of_specs, options, without_spec

_EXAMPLES = """\
examples:
  clustergen init specs
  clustergen check specs/cluster.yaml
  clustergen render specs/cluster.yaml --target pcs -o out
  clustergen compare specs/cluster.yaml
  clustergen cost specs/cluster.yaml --duration 14d
  clustergen explain FSX004
"""


_COMMANDS: Mapping[str, tuple[str, Callable[[argparse.ArgumentParser], None] | None]] = {
    "check": ("check specs for errors", of_specs.check),
    "render": ("compile specs for their targets", of_specs.render),
    "compare": ("compare how well each target fits a spec", of_specs.compare),
    "diff": ("show what deploying a changed spec does to a cluster", of_specs.diff),
    "move": (
        "list the steps to move a cluster to another service, or to upgrade it; its data stays",
        of_specs.move,
    ),
    "import": ("turn a cluster configuration into a spec", without_spec.import_),
    "plan": ("print a spec with all its defaults, and why they are so", of_specs.plan),
    "cost": ("estimate what a cluster costs, part by part", of_specs.cost),
    "recommend": ("rank instance types, purchase options and services", without_spec.recommend),
    "preflight": (
        "look in your account for what would stop a deployment, by calls that only read (needs the "
        "extra `live`)",
        of_specs.preflight,
    ),
    "deploy": (
        "deploy, operate, pause or delete what a bundle describes (needs the extra `live`)",
        without_spec.deploy,
    ),
    "policy": (
        "print the IAM policies that deploy and operate the bundle of a spec, as JSON",
        of_specs.policy,
    ),
    "graph": ("draw what will exist, for a README", of_specs.graph),
    "report": ("write a page with everything about a spec, as HTML", of_specs.report),
    "init": ("write a commented starter spec and its schema", without_spec.init),
    "explain": ("explain the codes of findings", without_spec.explain),
    "schema": ("print the JSON Schema for specs", None),
    "targets": ("show what each target supports", without_spec.targets),
    "catalog": ("show the facts of instance types", without_spec.catalog),
    "cdk": ("set up a folder for `cdk deploy`", without_spec.cdk),
    "lsp": ("run the language server for an editor", without_spec.lsp),
    "completion": ("print a shell completion script", without_spec.completion),
}
"""What each does, and what adds its options, in the order of the help."""


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of the command line, without the parsers of other commands than theirs."""
    return parser(next(iter(arguments), "")).parse_args(arguments)


def parser(only: str = "") -> argparse.ArgumentParser:
    """The parser of the whole command line, or that of the command ``only`` if there is one."""
    root = argparse.ArgumentParser(
        prog="clustergen",
        description="Describe an ML training cluster once; compile it for every AWS service that "
        "can run it.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    root.add_argument("--version", action="version", version=f"clustergen {__version__}")
    commands = root.add_subparsers(dest="command", required=True, metavar="COMMAND")
    wanted = (only,) if only in _COMMANDS else _COMMANDS
    for name in wanted:
        help, add_options = _COMMANDS[name]
        command = options.command(commands, name, help)
        if add_options:
            add_options(command)
    return root
