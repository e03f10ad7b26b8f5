"""Options that several commands have."""

from argparse import ArgumentParser, ArgumentTypeError
from typing import Any

_SPECS = (
    "spec files, folders of them or clusters of clustergen.toml (all its clusters); "
    "- is standard input"
)


def command(commands: Any, name: str, help: str) -> ArgumentParser:
    """The parser of one of ``commands``, for whose type argparse has no public name."""
    description = help[0].upper() + help[1:] + "."
    made: ArgumentParser = commands.add_parser(
        name, help=help, description=description, allow_abbrev=False
    )
    return made


def positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ArgumentTypeError("has to be 1 or more")
    return number


def flag(command: ArgumentParser, name: str, help: str, dest: str | None = None) -> None:
    """An option without a value."""
    command.add_argument(name, action="store_true", help=help, dest=dest)


def repeated(
    command: ArgumentParser, *names: str, metavar: str, help: str, dest: str | None = None
) -> None:
    """An option that may be given several times."""
    command.add_argument(*names, action="append", default=[], metavar=metavar, help=help, dest=dest)


def bundles(command: ArgumentParser) -> None:
    help = "folder of bundles (that of the project file, else out)"
    command.add_argument("-o", "--out", metavar="DIR", help=help)


def colour(command: ArgumentParser) -> None:
    help = "colour (auto)"
    command.add_argument("--color", choices=("auto", "always", "never"), default="auto", help=help)


def format(command: ArgumentParser, *choices: str, help: str = "format") -> None:
    """The format of the answer, by default the first of ``choices``."""
    names = choices or ("text", "json", "markdown")
    command.add_argument("--output", choices=names, default=names[0], help=f"{help} ({names[0]})")


def sources(command: ArgumentParser, help: str = _SPECS) -> None:
    command.add_argument("specs", nargs="*", metavar="SPEC", help=help)
    merging(command)


def merging(command: ArgumentParser) -> None:
    over = "merge these files in order, over each SPEC if there is one"
    repeated(command, "-f", "--file-over", dest="files", metavar="FILE", help=over)
    repeated(command, "--set", dest="sets", metavar="PATH=VALUE", help="set one value")


def custom_rules(command: ArgumentParser) -> None:
    """For commands that report findings of rules; others never run a project's code."""
    chosen = command.add_mutually_exclusive_group()
    help = (
        "run the project's rules, which are code, and allow them until they change; needed "
        "once, and each time in CI"
    )
    chosen.add_argument("--custom-rules", action="store_true", default=None, help=help)
    help = "run none of the project's rules"
    chosen.add_argument(
        "--no-custom-rules", dest="custom_rules", action="store_false", default=None, help=help
    )


def targets_of(command: ArgumentParser) -> None:
    help = "targets, separated by commas, or `all`; repeatable (those that the spec names)"
    repeated(command, "--target", dest="targets", metavar="NAME", help=help)


def specs(command: ArgumentParser) -> None:
    sources(command)
    targets_of(command)
    omitting(command)


def omitting(command: ArgumentParser) -> None:
    help = "omit features that a target does not support, with a warning"
    flag(command, "--allow-unsupported", help)


def reporting(command: ArgumentParser) -> None:
    """The command answers with findings."""
    command.set_defaults(reports=True)
    formats = ("text", "full", "concise", "json", "sarif", "github", "gitlab", "markdown")
    format(command, *formats, help="format of the findings; full explains notes too")
    weighing(command)
    colour(command)


def weighing(command: ArgumentParser) -> None:
    """How much findings count."""
    flag(command, "--strict", "warnings count as errors")
    help = "hide warnings and notes with these codes, or prefixes of codes"
    repeated(command, "--ignore", dest="ignored", metavar="CODES", help=help)
