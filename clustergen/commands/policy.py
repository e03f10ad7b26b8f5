"""``clustergen policy``."""

import argparse
import json
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from clustergen.analysis import policy
from clustergen.base.artifacts import Bundle, Json
from clustergen.base.findings import Unrenderable, errors
from clustergen.bundle import renderer
from clustergen.checking.compiler import Checked
from clustergen.commands import inputs
from clustergen.commands.exit_status import OK, UsageError
from clustergen.commands.init import write_files
from clustergen.commands.request import read
from clustergen.plan.model import Plan


def run(args: argparse.Namespace) -> int:
    request = read(args)
    if len(request.specs) != 1:
        raise UsageError("policy takes one spec")
    if not re.fullmatch(r"\d{12}|\*", args.account):
        raise UsageError(f"--account {args.account}: an account has 12 digits")
    checked = request.check(request.specs[0])
    try:
        target = _target(checked)
        bundle = renderer.render(checked, target)
        found = _documents(checked.plans[target], bundle, args)
    except Unrenderable as error:
        return inputs.report(error.findings, args, to_stderr=True)
    _put(found, args)
    return OK


def _target(checked: Checked) -> str:
    if len(checked.targets) != 1 or checked.targets == ("",):
        if blocking := errors(checked.findings):
            raise Unrenderable(blocking)
        raise UsageError("policy is for one target: add --target NAME")
    return checked.targets[0]


def _documents(plan: Plan, bundle: Bundle, args: argparse.Namespace) -> dict[str, Json]:
    found = policy.documents(plan, bundle, account=args.account, cdk=args.cdk)
    if not args.boundary:
        return found
    if not plan.permissions_boundary:
        raise UsageError(
            "--boundary needs permissions_boundary in the spec: the ARN that the policy will have"
        )
    document, unknown = policy.boundary(plan, bundle, account=args.account)
    for name in unknown:
        print(f"clustergen: the boundary lacks what {name} allows: add it", file=sys.stderr)
    return {**found, "boundary": document}


def _put(documents: Mapping[str, Json], args: argparse.Namespace) -> None:
    """Print the documents as one, or write a file for each."""
    form = {"separators": (",", ":")} if args.minified else {"indent": 2}
    if not args.dir:
        print(json.dumps(documents, **form))
        return
    folder = Path(args.dir)
    files = {folder / f"{name}.json": json.dumps(d, **form) + "\n" for name, d in documents.items()}
    write_files(files, (), force=True)
    print("\n".join(map(str, files)))
