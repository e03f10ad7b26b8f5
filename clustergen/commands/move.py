"""``clustergen move``."""

import argparse
import shlex
import sys

from clustergen.analysis import compare
from clustergen.analysis import move as moves
from clustergen.analysis.move import End
from clustergen.checking.compiler import Checked
from clustergen.commands import inputs
from clustergen.commands.exit_status import FOUND, OK, UsageError
from clustergen.commands.request import Input, Request, read
from clustergen.spec.source import STDIN

_UPGRADE = (
    "to upgrade, copy the spec, give the copy another name and `foundation: NAME`, and run "
    "`clustergen move OLD NEW`"
)


def run(args: argparse.Namespace) -> int:
    out_option = shlex.join(["-o", args.out]) if args.out else ""  # before the project file sets it
    old, new = (end._replace(out_option=out_option) for end in _ends(read(args), args))
    for end in (old, new):
        if not compare.is_clear(end.checked):
            return inputs.report(end.checked.findings, args) or FOUND
    move = moves.plan(old, new)
    sys.stdout.write(moves.render(args.output, move))
    return FOUND if move.blocked else OK


def _ends(request: Request, args: argparse.Namespace) -> tuple[End, End]:
    """:raises UsageError: if it is unclear what moves where."""
    out = args.out or inputs.OUT
    if len(request.specs) == 2:
        old, new = (_end(request, args, number, out) for number in (0, 1))
        if old.name and old.name == new.name:
            raise UsageError(
                f"both specs are called {old.name}, and are one cluster; {_UPGRADE}; to move to "
                "another service, name one spec, with --from and --to"
            )
        return old, new
    if len(request.specs) != 1:
        raise UsageError("name one spec and --from and --to, or two specs: OLD NEW")
    if not (args.old and args.new):
        raise UsageError(f"name --from and --to; {_UPGRADE}")
    return _ends_of_one(request, args, out)


def _ends_of_one(request: Request, args: argparse.Namespace, out: str) -> tuple[End, End]:
    """Both ends of a move to another service."""
    old, new = inputs.one_target(args.old), inputs.one_target(args.new)
    if old == new:
        raise UsageError(f"--from and --to are both {old}; {_UPGRADE}")
    spec = request.specs[0]
    known = [target for target in request.check(spec).targets if target and target != new]
    before = _checked(request, spec, *known, old)
    after = _checked(request, spec, *known, old, new)
    named = _arguments(request, args, 0)
    return End(before, old, out, named), End(after, new, out, named)


def _end(request: Request, args: argparse.Namespace, number: int, out: str) -> End:
    """The end that has a spec of its own."""
    option, named = (("--from", args.old), ("--to", args.new))[number]
    spec, arguments = request.specs[number], _arguments(request, args, number)
    checked = request.check(spec)
    if checked.spec is None:
        return End(checked, named or "", out, arguments)
    targets = [inputs.one_target(named)] if named else [name for name in checked.targets if name]
    if len(targets) != 1:
        count = f"{len(targets)} targets" if targets else "no target"
        raise UsageError(f"{spec.title} names {count}: choose with {option}")
    again = _checked(request, spec, *filter(None, checked.targets), *targets)
    return End(again, targets[0], out, arguments)


def _arguments(request: Request, args: argparse.Namespace, number: int) -> str:
    """The arguments that name the spec in another command, as the user gave them."""
    one_each = len(args.specs) == len(request.specs)
    name = args.specs[number] if one_each else request.specs[number].title
    over = (word for file in args.files if file != name for word in ("-f", file))
    sets = (word for each in args.sets for word in ("--set", each))
    return shlex.join(["SPEC" if name == STDIN else name, *over, *sets])


def _checked(request: Request, spec: Input, *targets: str) -> Checked:
    return request.check(spec, list(dict.fromkeys(targets)))
