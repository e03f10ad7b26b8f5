"""The options of commands about other things than specs."""

from argparse import ArgumentParser

from clustergen.commands.arguments import options


def import_(command: ArgumentParser) -> None:
    help = "the configuration, of one cluster; - is standard input; with --live, the cluster"
    command.add_argument("files", nargs="+", metavar="FILE", help=help)
    help = (
        "read a running cluster from AWS: FILE is SERVICE/NAME, as in pcs/NAME, with one of "
        "parallelcluster, pcs, hyperpod, eks, batch (needs the extra `live`)"
    )
    options.flag(command, "--live", help)
    command.add_argument("-o", "--out", metavar="SPEC", help="file for the spec (standard output)")
    help = "name of the cluster, if the file does not say (name of the file)"
    command.add_argument("--name", help=help)
    command.add_argument("--region", help="region of the cluster, if the file does not say")
    command.add_argument("--vpc", default="", help="id of the VPC, if the file does not say")
    help = "zone of the subnets, or of one of them; repeatable"
    options.repeated(command, "--zone", dest="zones", metavar="[SUBNET=]ZONE", help=help)
    help = "value of a template's parameter, or of something else that it refers to; repeatable"
    options.repeated(command, "--parameter", dest="parameters", metavar="NAME=VALUE", help=help)
    help = "the cluster runs: keep its configuration as it is written, so that an update changes"
    options.flag(command, "--adopt", f"{help} nothing")
    help = "with --adopt: the stack that has the cluster (NAME-TARGET)"
    command.add_argument("--stack", default="", help=help)
    options.flag(command, "--allow-loss", "exit 0 even if the spec loses something")
    options.flag(command, "--force", "overwrite the spec")
    options.reporting(command)


_ACTIONS = {
    "--foundation": "deploy or update the foundation alone: network, storage, roles",
    "--pause": "scale compute to zero, and remember the sizes; what is on disks of nodes goes",
    "--resume": "scale compute to what it was before --pause",
    "--destroy": "delete the cluster, and with it what README.md lists; the foundation stays",
    "--destroy-foundation": "delete the foundation too, after --destroy; storage to retain stays",
    "--install": "install the software of the bundle in the cluster of Kubernetes, and its objects",
    "--uninstall": "delete those from a cluster of others; data and namespaces stay",
    "--status": "show stacks, node groups and nodes",
    "--login": "open a shell on a node; for Kubernetes, let kubectl reach the cluster",
    "--logs": "show what was logged in the last hour",
    "--test": "run the tests of the bundle: accelerators, EFA, NCCL, file systems; nodes may start",
    "--drain": "let the jobs of a node end, and keep others off it",
    "--replace": "end a node, and the jobs on it: its group gets another one",
}


def deploy(command: ArgumentParser) -> None:
    command.add_argument("bundle", metavar="FOLDER", help="what `clustergen render` has written")
    chosen = command.add_mutually_exclusive_group()
    for name, help in _ACTIONS.items():
        chosen.add_argument(name, dest="action", action="store_const", const=name[2:], help=help)
    help = "a node, by id or address; a node group for --login, --logs and --test"
    command.add_argument("--node", default="", metavar="NAME", help=help)
    help = "with --install, --uninstall: a context of kubectl that reaches the cluster"
    command.add_argument("--context", default="", metavar="NAME", help=help)
    options.flag(command, "--plan", "review the changes with AWS, and make none")
    options.flag(command, "--dry-run", "print every command of a first run; ask nobody, run none")
    help = (
        "leave the foundation alone and read its outputs from FILE, which `cdk deploy "
        "--outputs-file` or `aws cloudformation describe-stacks` wrote"
    )
    command.add_argument("--outputs", metavar="FILE", help=help)
    help = "continue if nodes that run are replaced or removed; repeatable"
    kinds = ("replaces-nodes", "removes-nodes")
    command.add_argument(
        "--allow", dest="allowed", action="append", default=[], choices=kinds, help=help
    )
    help = "continue if what has data or jobs is replaced or deleted"
    options.flag(command, "--allow-replacement", help)
    options.flag(command, "--yes", "delete without a question, where there is no terminal")
    options.flag(command, "--new-image", "use the newest image; nodes are replaced")
    help = "wait at most so long for each step, instead of its default limit"
    command.add_argument("--wait", type=int, metavar="MINUTES", help=help)
    help = "json: one event per line"
    options.format(command, "text", "json", help=help)


def recommend(command: ArgumentParser) -> None:
    options.sources(command)
    help = "e.g. H200, A100-80 or Trainium2; none for HPC"
    command.add_argument("--accelerator", metavar="NAME", help=help)
    help = "accelerators, or cores"
    command.add_argument("--count", type=options.positive, metavar="N", help=help)
    help = "duration, such as 14d; default: that of the spec"
    command.add_argument("--for", dest="duration", metavar="TIME", help=help)
    help = "regions or their beginnings, e.g. us,eu-west-1 (all)"
    options.repeated(command, "--region", dest="regions", metavar="NAMES", help=help)
    command.add_argument("--start", metavar="DATE", help="e.g. 2026-12-10")
    command.add_argument("--budget", type=float, metavar="USD", help="for the whole time")
    command.add_argument("--scheduler", choices=("slurm", "kubernetes", "batch"), help="(all)")
    help = "services to consider (all)"
    options.repeated(command, "--target", dest="targets", metavar="NAMES", help=help)
    options.flag(command, "--interruptible", "work survives the loss of nodes: allow Spot")
    command.add_argument("--top", type=options.positive, default=5, metavar="N", help="answers (5)")
    command.add_argument("--write", metavar="DIR", help="write DIR/cluster.yaml for an answer")
    help = "the answer to write (1)"
    command.add_argument("--answer", type=options.positive, default=1, metavar="N", help=help)
    options.format(command)


def init(command: ArgumentParser) -> None:
    command.add_argument("dir", nargs="?", default=".", metavar="DIR", help="output folder (.)")
    help = "kind of cluster; `--preset list` lists them"
    command.add_argument("--preset", metavar="NAME", help=help)
    options.flag(command, "--force", "overwrite existing files")


def explain(command: ArgumentParser) -> None:
    help = "e.g. FSX004; without a code, list all"
    command.add_argument("codes", nargs="*", metavar="CODE", help=help)
    options.custom_rules(command)


def targets(command: ArgumentParser) -> None:
    options.format(command)


def catalog(command: ArgumentParser) -> None:
    command.add_argument("types", nargs="*", metavar="TYPE", help="e.g. p5en.48xlarge")
    help = "filter, e.g. 'efa and accelerator=H200 and vcpus>=96'"
    command.add_argument("--where", metavar="EXPR", help=help)
    options.format(command, "text", "json")


def cdk(command: ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    help = "write cdk.json, and package.json with the CDK's command line"
    init = options.command(actions, "init", help)
    init.add_argument("dir", nargs="?", default=".", metavar="DIR", help="output folder (.)")
    options.flag(init, "--force", "overwrite existing files")


def lsp(command: ArgumentParser) -> None:
    options.flag(command, "--stdio", "accepted for editors; the server uses nothing else")
    help = (
        "check custom rules too, which are code, in projects where you have allowed them: "
        "run `clustergen check --custom-rules` there"
    )
    options.flag(command, "--custom-rules", help)


def completion(command: ArgumentParser) -> None:
    command.add_argument("shell", choices=("bash", "zsh", "fish", "tcsh"))
