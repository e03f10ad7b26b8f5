"""Whose is what has the names of a bundle? Only what is proven to be its own is changed."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.deployment import cloudformation, templates
from clustergen.deployment.model import MARK, MARK_FORMAT, Stack
from clustergen.deployment.run import Run, json_of
from clustergen.deployment.world import Stop

ACCOUNT_FILE: Final = "deployed.json"
"""Where the bundle is deployed; rendering it again keeps this file."""
_DEPLOYING: Final = ("deploy", "foundation")


def check(run: Run) -> Json | None:
    """Stop before anything changes if the account, a stack or a network is not this bundle's.

    The account and region; None if they are not known.
    """
    here = _account(run)
    for _, stack in concerned(run):
        check_stack(run, stack)
    _check_place(run, known=here is not None)
    return here


def record(run: Run, here: Json | None) -> None:
    """Remember the account and region of a deployment, once nothing has stopped it."""
    if here is not None and run.options.action in _DEPLOYING:
        (run.folder / ACCOUNT_FILE).write_text(json.dumps(here) + "\n")


def concerned(run: Run) -> Iterator[tuple[str, Stack]]:
    """Role and stack of those that the action is about."""
    for role, stack in run.bundle.stacks.items():
        founds = role == "foundation"
        if founds and (not run.founded or run.options.outputs):
            continue
        if founds or run.options.action != "destroy-foundation":
            yield role, stack


def _account(run: Run) -> Json | None:
    """The account and region of these credentials; None if AWS does not say it."""
    doubts: list[str] = []
    caller = run.world.allowed(doubts, "sts:GetCallerIdentity", "Account")
    if caller is None:
        run.note(f"The account is not known, so it is not compared: {'; '.join(doubts)}")
        return None
    number = str(caller.get("Account"))
    here = {"account": number, "region": run.bundle.region}
    run.note(f"Account {number}, region {run.bundle.region}, as {caller.get('Arn')}.")
    for named in run.bundle.accounts:
        if named != number:
            raise Stop(
                f"the spec names what is in the account {named}, and these credentials are of "
                f"{number}. Nothing was changed."
            )
    file = run.folder / ACCOUNT_FILE
    if file.exists() and json_of(file.read_text(encoding="utf-8")) != here:
        raise Stop(
            f"this bundle is deployed elsewhere: {file.read_text(encoding='utf-8').strip()}. "
            "Nothing was changed. Use the credentials of that account; or, to deploy it here too, "
            f"delete {ACCOUNT_FILE}, or render it to another folder."
        )
    return here


def check_stack(run: Run, stack: Stack) -> None:
    """Stop if a stack of this name is not this bundle's; every change of a stack begins with it."""
    if stack.name in run.proven:
        return
    if not _is_empty(run, stack.name):
        _check_summary(run, stack)
    run.proven.add(stack.name)


def _is_empty(run: Run, name: str) -> bool:
    """Whether a stack has nothing in it: it is in review, or goes without ever having had it."""
    found = cloudformation.status(run.world, name)
    goes = found == "DELETE_IN_PROGRESS" and not cloudformation.resources(run.world, name)
    return goes or found in ("", "REVIEW_IN_PROGRESS")


def _check_summary(run: Run, stack: Stack) -> None:
    call = "cloudformation:GetTemplateSummary"
    summary = run.world.ask(call, StackName=stack.name) or {}
    metadata = json_of(summary.get("Metadata") or "{}")
    mark = metadata.get(MARK) if isinstance(metadata, dict) else None
    if mark is not None:
        ours = {"cluster": stack.mark.cluster, "target": stack.mark.target}
        if not isinstance(mark, dict) or {**mark, **ours} != mark:
            text = json.dumps(mark, separators=(",", ":"))
            _refuse(stack, f"its template is marked as another's: {text}")
        if mark.get("format") != MARK_FORMAT:
            raise Stop(
                f"the stack {stack.name} is of another version of clustergen: its mark has the "
                f"format {mark.get('format')}, not {MARK_FORMAT}. Nothing was changed. Use that "
                "version."
            )
        return
    description = summary.get("Description") or ""
    if description not in stack.described and not _is_adopted(run, stack):
        _refuse(
            stack,
            "its template has no mark of clustergen, and describes itself as "
            f"'{description or None}'",
        )
    run.unmarked.add(stack.name)


def _refuse(stack: Stack, why: str) -> None:
    raise Stop(
        f"the stack {stack.name} is not this bundle's: {why}. Nothing was changed. Give the "
        "cluster another name in the spec, and render it again; or delete that stack yourself, if "
        "nobody needs it."
    )


def _is_adopted(run: Run, stack: Stack) -> bool:
    """Whether the stack has what the spec adopted: the overlay is its template."""
    if not stack.adopted:
        return False
    found = cloudformation.resources(run.world, stack.name)
    there = {(each["LogicalResourceId"], each["ResourceType"]) for each in found}
    return not there.isdisjoint(stack.adopted.items())


def tell_unmarked(run: Run, stack: Stack) -> None:
    """Say that the change of a stack without a mark gives it one."""
    if stack.name not in run.unmarked:
        return
    run.unmarked.discard(stack.name)
    what = "is of an earlier version of clustergen, by its description"
    if stack.adopted:
        what = (
            "has no mark of clustergen yet. It is the stack that the spec adopted, or of an "
            "earlier version: it has the same cluster, or describes itself so"
        )
    run.note(f"{stack.name} {what}. It is marked now.")


_NETWORK: Final = re.compile(r'"((?:vpc|subnet)-[0-9a-f]+)"|"CidrBlock": "([^"]+)"')


def _networks(template: Any) -> set[str]:
    """The networks in a template: ids of those that exist, addresses of new ones."""
    return {id or address for id, address in _NETWORK.findall(json.dumps(template))}


def _check_place(run: Run, *, known: bool) -> None:
    """Two specs may have the same names.

    Without the file that a deployment leaves, as in a new checkout, the network tells them apart,
    unless both are new and have the same addresses. Where the account is not known, the file proves
    nothing.
    """
    if known and (run.folder / ACCOUNT_FILE).exists():
        return
    for role, stack in concerned(run):
        # A cluster may get other subnets.
        if role != "foundation" and run.options.action in _DEPLOYING:
            continue
        ours = set().union(*map(_networks, templates.own(run, role)))
        deployed = cloudformation.deployed_template(run.world, stack.name) if ours else None
        theirs = _networks(deployed) if deployed else set()
        if theirs and not ours & theirs:
            raise Stop(
                f"the stack {stack.name} is in another network than this bundle's: "
                f"{', '.join(sorted(theirs))}. Nothing was changed. If it is of another spec, give "
                "the cluster another name in yours. If it is of this spec, run this from the "
                f"bundle that was deployed, or with its {ACCOUNT_FILE}."
            )
