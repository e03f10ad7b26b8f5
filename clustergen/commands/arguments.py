"""The commands and their options, as a parser."""

from __future__ import annotations

import argparse

from clustergen import __version__

_EXAMPLES = """\
examples:
  clustergen init specs
  clustergen check specs/cluster.yaml
  clustergen render specs/cluster.yaml --target pcs -o out
  clustergen compare specs/cluster.yaml
  clustergen cost specs/cluster.yaml --duration 14d
  clustergen explain FSX004
"""


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
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
    _check(commands)
    _render(commands)
    _compare(commands)
    _diff(commands)
    _move(commands)
    _import(commands)
    _plan(commands)
    _cost(commands)
    _recommend(commands)
    _preflight(commands)
    _graph(commands)
    _report(commands)
    _init(commands)
    _explain(commands)
    _schema(commands)
    _targets(commands)
    _catalog(commands)
    _cdk(commands)
    _lsp(commands)
    _completion(commands)
    return root


Commands = argparse._SubParsersAction  # argparse has no public name for this type


def _command(
    commands: Commands[argparse.ArgumentParser], name: str, help: str
) -> argparse.ArgumentParser:
    description = help[0].upper() + help[1:] + "."
    return commands.add_parser(name, help=help, description=description, allow_abbrev=False)


def _check(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "check", "check specs for errors")
    _specs(command)
    _reporting(command)
    command.add_argument(
        "--select",
        dest="selected",
        action="append",
        default=[],
        metavar="CODES",
        help="show only findings with these codes, or prefixes of codes",
    )
    command.add_argument(
        "--statistics", action="store_true", help="count the findings of each code instead"
    )
    command.add_argument(
        "--fix", action="store_true", help="fix findings in the files, where the fix is clear"
    )
    command.add_argument(
        "--diff", action="store_true", help="show what --fix would change; exit 1 if anything"
    )
    command.add_argument(
        "--unsafe-fixes",
        action="store_true",
        help="with --fix or --diff, also apply fixes that decide something for you",
    )


def _render(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "render", "compile specs for their targets")
    _specs(command)
    command.add_argument(
        "-o",
        "--out",
        metavar="DIR",
        help="folder for bundles: DIR/<name>/<target> (that of the project file, else out)",
    )
    command.add_argument(
        "--check", action="store_true", help="write nothing; exit 1 if a bundle would change"
    )
    command.add_argument(
        "--stdout", action="store_true", help="print one artifact of one spec and target instead"
    )
    command.add_argument("--file", metavar="PATH", help="the artifact for --stdout (the main one)")
    command.add_argument(
        "--outputs", metavar="FILE", help="fill placeholders with these stack outputs (JSON)"
    )
    command.add_argument("--force", action="store_true", help="overwrite files edited by hand")
    _reporting(command)


def _compare(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "compare", "compare how well each target fits a spec")
    _sources(command)
    command.add_argument(
        "--targets",
        "--target",
        action="append",
        default=[],
        metavar="NAMES",
        help="comma-separated targets to compare (all)",
    )
    _format(command)


def _move(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(
        commands,
        "move",
        "list the steps to move a cluster to another service, or to upgrade it; its data stays",
    )
    _sources(command, "the cluster, with --from and --to; or OLD and NEW, to upgrade it")
    command.add_argument(
        "--from", dest="old", metavar="TARGET", help="target that runs (that of OLD)"
    )
    command.add_argument(
        "--to", dest="new", metavar="TARGET", help="target to move to (that of NEW)"
    )
    _omitting(command)
    command.add_argument(
        "-o", "--out", metavar="DIR", help="folder of bundles (that of the project file, else out)"
    )
    _format(command)


def _diff(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "diff", "show what deploying a changed spec does to a cluster")
    command.add_argument(
        "specs",
        nargs="*",
        metavar="OLD NEW",
        help="each a spec, a folder of bundles or REVISION:SPEC; NEW alone is compared with the "
        "bundles that `render` has written for it",
    )
    command.add_argument(
        "--base", metavar="REVISION", help="compare NEW with itself at this revision of git"
    )
    command.add_argument(
        "--live", action="store_true", help="compare the cluster that runs in AWS with NEW"
    )
    _merging(command)
    _custom_rules(command)
    _targets_of(command)
    _omitting(command)
    command.add_argument(
        "-o", "--out", metavar="DIR", help="folder of bundles (that of the project file, else out)"
    )
    command.add_argument("--all", action="store_true", help="list changes in place too")
    command.add_argument(
        "--fail-on",
        choices=("any", "leftover", "drain", "terminate", "stop", "replace", "refused", "data"),
        help="exit 1 if an effect is of this kind or more dangerous",
    )
    _format(command)
    command.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour (auto)"
    )


def _import(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "import", "turn a cluster configuration into a spec")
    command.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="the configuration, of one cluster; - is standard input; with --live, the cluster",
    )
    command.add_argument(
        "--live",
        action="store_true",
        help="read a running cluster from AWS: FILE is SERVICE/NAME, as in pcs/NAME, with one of "
        "parallelcluster, pcs, hyperpod, eks, batch (needs the extra `live`)",
    )
    command.add_argument("-o", "--out", metavar="SPEC", help="file for the spec (standard output)")
    command.add_argument(
        "--name", help="name of the cluster, if the file does not say (name of the file)"
    )
    command.add_argument("--region", help="region of the cluster, if the file does not say")
    command.add_argument("--vpc", default="", help="id of the VPC, if the file does not say")
    command.add_argument(
        "--zone",
        dest="zones",
        action="append",
        default=[],
        metavar="[SUBNET=]ZONE",
        help="zone of the subnets, or of one of them; repeatable",
    )
    command.add_argument(
        "--parameter",
        dest="parameters",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of a template's parameter, or of something else that it refers to; repeatable",
    )
    command.add_argument(
        "--adopt",
        action="store_true",
        help="the cluster runs: keep its configuration as it is written, so that an update "
        "changes nothing",
    )
    command.add_argument(
        "--allow-loss", action="store_true", help="exit 0 even if the spec loses something"
    )
    command.add_argument("--force", action="store_true", help="overwrite the spec")
    _reporting(command)


def _plan(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "plan", "print a spec with all its defaults, and why they are so")
    _sources(command)
    _targets_of(command)
    command.add_argument(
        "--output",
        choices=("text", "yaml", "json"),
        default="text",
        help="text: only the defaults; yaml and json: the whole spec (text)",
    )


def _cost(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "cost", "estimate what a cluster costs, part by part")
    _specs(command)
    command.add_argument(
        "--duration", metavar="TIME", help="how long it is used, e.g. 14d: one more column"
    )
    command.add_argument(
        "--compare-purchase",
        dest="purchases",
        action="store_true",
        help="also price node groups with each purchase option that the target supports",
    )
    command.add_argument(
        "--live",
        action="store_true",
        help="ask the Price List of AWS, with your credentials (needs the extra `live`)",
    )
    _format(command)


def _preflight(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(
        commands,
        "preflight",
        "look in your account for what would stop a deployment, by calls that only read (needs the "
        "extra `live`)",
    )
    _specs(command)
    command.add_argument(
        "--policy",
        action="store_true",
        help="print the IAM policy that the checks of SPEC need (of all checks), and stop",
    )
    _reporting(command)


def _graph(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "graph", "draw what will exist, for a README")
    _sources(command)
    _targets_of(command)
    command.add_argument("--output", choices=("svg", "mermaid"), default="svg", help="format (svg)")


def _report(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "report", "write a page with everything about a spec, as HTML")
    _specs(command)
    command.add_argument(
        "-o",
        "--out",
        dest="page",
        default="-",
        metavar="FILE",
        help="file for the page; - is standard output (-)",
    )
    command.add_argument(
        "--base",
        metavar="OLD",
        help="also show what changes: from a revision of git of the spec, REVISION:SPEC, another "
        "spec, or a folder of bundles",
    )
    command.add_argument(
        "--bundles",
        dest="out",
        metavar="DIR",
        help="folder of bundles to link to (that of the project file, else out)",
    )
    command.add_argument("--force", action="store_true", help="overwrite a file of another kind")
    _weighing(command)
    command.set_defaults(output="text", color="auto")


def _recommend(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "recommend", "rank instance types, purchase options and services")
    _sources(command)
    command.add_argument(
        "--accelerator", metavar="NAME", help="e.g. H200, A100-80 or Trainium2; none for HPC"
    )
    command.add_argument("--count", type=_positive, metavar="N", help="accelerators, or cores")
    command.add_argument(
        "--for", dest="duration", metavar="TIME", help="how long (14d, or as in the spec)"
    )
    command.add_argument(
        "--region",
        dest="regions",
        action="append",
        default=[],
        metavar="NAMES",
        help="regions or their beginnings, e.g. us,eu-west-1 (all)",
    )
    command.add_argument("--start", metavar="DATE", help="e.g. 2026-12-10")
    command.add_argument("--budget", type=float, metavar="USD", help="for the whole time")
    command.add_argument("--scheduler", choices=("slurm", "kubernetes", "batch"), help="(all)")
    command.add_argument(
        "--target",
        dest="targets",
        action="append",
        default=[],
        metavar="NAMES",
        help="services to consider (all)",
    )
    command.add_argument(
        "--interruptible", action="store_true", help="work survives the loss of nodes: allow Spot"
    )
    command.add_argument("--top", type=_positive, default=5, metavar="N", help="answers (5)")
    command.add_argument("--write", metavar="DIR", help="write DIR/cluster.yaml for an answer")
    command.add_argument(
        "--answer", type=_positive, default=1, metavar="N", help="the answer to write (1)"
    )
    _format(command)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("has to be 1 or more")
    return number


def _init(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "init", "write a commented starter spec and its schema")
    command.add_argument("dir", nargs="?", default=".", metavar="DIR", help="output folder (.)")
    command.add_argument(
        "--preset", metavar="NAME", help="kind of cluster; `--preset list` lists them"
    )
    command.add_argument("--force", action="store_true", help="overwrite existing files")


def _explain(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "explain", "explain the codes of findings")
    command.add_argument(
        "codes", nargs="*", metavar="CODE", help="e.g. FSX004; without a code, list all"
    )
    _custom_rules(command)


def _schema(commands: Commands[argparse.ArgumentParser]) -> None:
    _command(commands, "schema", "print the JSON Schema for specs")


def _targets(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "targets", "show what each target supports")
    _format(command)


def _format(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--output", choices=("text", "json", "markdown"), default="text", help="format (text)"
    )


def _catalog(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "catalog", "show the facts of instance types")
    command.add_argument("types", nargs="*", metavar="TYPE", help="e.g. p5en.48xlarge")
    command.add_argument(
        "--where", metavar="EXPR", help="filter, e.g. 'efa and accelerator=H200 and vcpus>=96'"
    )
    command.add_argument("--output", choices=("text", "json"), default="text", help="format (text)")


def _cdk(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "cdk", "set up a folder for `cdk deploy`")
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    init = _command(actions, "init", "write cdk.json, and package.json with the CDK's command line")
    init.add_argument("dir", nargs="?", default=".", metavar="DIR", help="output folder (.)")
    init.add_argument("--force", action="store_true", help="overwrite existing files")


def _lsp(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "lsp", "run the language server for an editor")
    command.add_argument(
        "--stdio", action="store_true", help="accepted for editors; the server uses nothing else"
    )
    command.add_argument(
        "--custom-rules",
        action="store_true",
        help="check custom rules too, which runs code of the project that you open",
    )


def _completion(commands: Commands[argparse.ArgumentParser]) -> None:
    command = _command(commands, "completion", "print a shell completion script")
    command.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh"))


_SPECS = (
    "spec files, folders of them or clusters of clustergen.toml (all its clusters); "
    "- is standard input"
)


def _sources(command: argparse.ArgumentParser, help: str = _SPECS) -> None:
    command.add_argument("specs", nargs="*", metavar="SPEC", help=help)
    _merging(command)
    _custom_rules(command)


def _merging(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "-f",
        "--file-over",
        dest="files",
        action="append",
        default=[],
        metavar="FILE",
        help="merge these files in order, over each SPEC if there is one",
    )
    command.add_argument(
        "--set",
        dest="sets",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set one value",
    )


def _custom_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--no-custom-rules",
        dest="custom_rules",
        action="store_false",
        help="run none of the project's rules, which are code",
    )


def _targets_of(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--target",
        dest="targets",
        action="append",
        default=[],
        metavar="NAME",
        help="targets, separated by commas, or `all`; repeatable (those that the spec names)",
    )


def _specs(command: argparse.ArgumentParser) -> None:
    _sources(command)
    _targets_of(command)
    _omitting(command)


def _omitting(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--allow-unsupported",
        action="store_true",
        help="omit features that a target does not support, with a warning",
    )


def _reporting(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--output",
        choices=("text", "concise", "json", "sarif", "github", "gitlab", "markdown"),
        default="text",
        help="format of the findings (text)",
    )
    _weighing(command)
    command.add_argument(
        "--color", choices=("auto", "always", "never"), default="auto", help="colour (auto)"
    )


def _weighing(command: argparse.ArgumentParser) -> None:
    """How much findings count."""
    command.add_argument("--strict", action="store_true", help="warnings count as errors")
    command.add_argument(
        "--ignore",
        dest="ignored",
        action="append",
        default=[],
        metavar="CODES",
        help="hide warnings and notes with these codes, or prefixes of codes",
    )
