"""The options of commands about specs."""

from argparse import ArgumentParser

from clustergen.commands.arguments import options


def check(command: ArgumentParser) -> None:
    options.specs(command)
    options.custom_rules(command)
    options.reporting(command)
    help = "show only findings with these codes, or prefixes of codes"
    options.repeated(command, "--select", dest="selected", metavar="CODES", help=help)
    options.flag(command, "--statistics", "count the findings of each code instead")
    options.flag(command, "--fix", "fix findings in the files, where the fix is clear")
    options.flag(command, "--diff", "show what --fix would change; exit 1 if anything")
    help = "with --fix or --diff, also apply fixes that decide something for you"
    options.flag(command, "--unsafe-fixes", help)


def render(command: ArgumentParser) -> None:
    options.specs(command)
    options.custom_rules(command)
    help = "folder for bundles: DIR/<name>/<target> (that of the project file, else out)"
    command.add_argument("-o", "--out", metavar="DIR", help=help)
    options.flag(command, "--check", "write nothing; exit 1 if a bundle would change")
    options.flag(command, "--stdout", "print one artifact of one spec and target instead")
    command.add_argument("--file", metavar="PATH", help="the artifact for --stdout (the main one)")
    help = "fill placeholders with these stack outputs (JSON)"
    command.add_argument("--outputs", metavar="FILE", help=help)
    options.flag(command, "--force", "overwrite files edited by hand")
    options.reporting(command)


def compare(command: ArgumentParser) -> None:
    options.sources(command)
    help = "comma-separated targets to compare (all)"
    options.repeated(command, "--targets", "--target", metavar="NAMES", help=help)
    options.format(command)


def move(command: ArgumentParser) -> None:
    options.sources(command, "the cluster, with --from and --to; or OLD and NEW, to upgrade it")
    help = "target in use now (that of OLD)"
    command.add_argument("--from", dest="old", metavar="TARGET", help=help)
    help = "target to move to (that of NEW)"
    command.add_argument("--to", dest="new", metavar="TARGET", help=help)
    options.omitting(command)
    options.bundles(command)
    options.format(command)


def diff(command: ArgumentParser) -> None:
    help = (
        "each a spec, a folder of bundles or REVISION:SPEC; NEW alone is compared with the "
        "bundles that `render` has written for it"
    )
    command.add_argument("specs", nargs="*", metavar="OLD NEW", help=help)
    help = "compare NEW with itself at this revision of git"
    command.add_argument("--base", metavar="REVISION", help=help)
    options.flag(command, "--live", "compare the cluster that runs in AWS with NEW")
    options.merging(command)
    options.targets_of(command)
    options.omitting(command)
    options.bundles(command)
    options.flag(command, "--all", "list changes in place too")
    levels = ("any", "leftover", "drain", "terminate", "stop", "replace", "refused", "data")
    help = "exit 1 if an effect is of this kind or more dangerous"
    command.add_argument("--fail-on", choices=levels, help=help)
    options.format(command)
    options.colour(command)


def plan(command: ArgumentParser) -> None:
    options.sources(command)
    options.targets_of(command)
    help = "text: only the defaults; yaml and json: the whole spec"
    options.format(command, "text", "yaml", "json", help=help)


def cost(command: ArgumentParser) -> None:
    options.specs(command)
    help = "how long it is used, e.g. 14d: one more column"
    command.add_argument("--duration", metavar="TIME", help=help)
    help = "also price node groups with each purchase option that the target supports"
    options.flag(command, "--compare-purchase", help, dest="purchases")
    help = "ask the Price List of AWS, with your credentials (needs the extra `live`)"
    options.flag(command, "--live", help)
    options.format(command)


def preflight(command: ArgumentParser) -> None:
    options.specs(command)
    options.custom_rules(command)
    help = "print the IAM policy that the checks of SPEC need (of all checks), and stop"
    options.flag(command, "--policy", help)
    options.reporting(command)


def policy(command: ArgumentParser) -> None:
    options.specs(command)
    help = "account in ARNs (any account)"
    command.add_argument("--account", default="*", metavar="ID", help=help)
    help = "add the permissions boundary of the roles, which the spec names"
    options.flag(command, "--boundary", help)
    help = "for `cdk deploy`: add the CDK's own types to `stacks`, and a policy to use its roles"
    options.flag(command, "--cdk", help)
    help = "write each policy to a file of DIR instead"
    command.add_argument("-o", "--out", dest="dir", metavar="DIR", help=help)
    options.flag(command, "--minified", "print no white space")
    command.set_defaults(output="text", color="auto", strict=False)


def graph(command: ArgumentParser) -> None:
    options.sources(command)
    options.targets_of(command)
    options.format(command, "svg", "mermaid")


def report(command: ArgumentParser) -> None:
    options.specs(command)
    options.custom_rules(command)
    help = "file for the page; - is standard output (-)"
    command.add_argument("-o", "--out", dest="page", default="-", metavar="FILE", help=help)
    help = (
        "also show what changes: from a revision of git of the spec, REVISION:SPEC, another "
        "spec, or a folder of bundles"
    )
    command.add_argument("--base", metavar="OLD", help=help)
    help = "folder of bundles to link to (that of the project file, else out)"
    command.add_argument("--bundles", dest="out", metavar="DIR", help=help)
    options.flag(command, "--force", "overwrite a file of another kind")
    options.weighing(command)
