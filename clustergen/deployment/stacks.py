"""CloudFormation stacks: what they are, and their change sets."""

import datetime
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from clustergen.base.artifacts import Json, compact_text
from clustergen.deployment import (
    bucket,
    changes,
    cloudformation,
    ownership,
    policies,
    printing,
    templates,
)
from clustergen.deployment.changes import Change, Guard
from clustergen.deployment.cloudformation import STACK_MINUTES, explain, settled_status, status
from clustergen.deployment.model import INLINE_BYTES, Stack
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import Stop, World

_CHANGE_SET_MINUTES: Final = 15
_NOTHING: Final = ("didn't contain changes", "No updates are to be performed")

Parameters = Mapping[str, str | None]
"""Values by name; None for the value that the stack has."""


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """A change of a stack that CloudFormation has examined, and can execute."""

    stack: Stack
    name: str
    creates: bool
    template: Json | None
    """The new template; None if the stack keeps the one it has."""
    changes: tuple[Change, ...]


def prepare(run: Run, stack: Stack) -> str:
    """Wait for running operations, and delete an empty stack whose creation was rolled back.

    Its status then.
    """
    name, region = stack.name, run.bundle.region
    found = settled_status(run.world, name)
    command = f"aws --region {region} cloudformation"
    if found == "ROLLBACK_COMPLETE":
        run.note(
            f"The creation of {name} failed and was rolled back. It is deleted and created again."
        )
        explain(run.world, name)
        delete(run, stack)
        return ""
    if found in ("CREATE_FAILED", "ROLLBACK_FAILED", "DELETE_FAILED"):
        explain(run.world, name)
        raise Stop(
            f"the stack {name} is {found} and cannot be changed: delete it ({command} delete-stack "
            f"--stack-name {name}), then run this again."
        )
    if found == "UPDATE_ROLLBACK_FAILED":
        explain(run.world, name)
        raise Stop(
            f"the stack {name} is {found}: fix the errors above, run {command} "
            f"continue-update-rollback --stack-name {name}, then run this again."
        )
    return found


@dataclass(frozen=True, slots=True)
class Template:
    """A template to send, with its path in the bundle."""

    path: str
    content: Json


def create(  # noqa: PLR0913 what a change set has
    run: Run,
    stack: Stack,
    template: Template | None,
    values: Parameters,
    place: str = "",
    *,
    tags: bool = True,
) -> ChangeSet | None:
    """A change set of a stack; None if nothing would change.

    Without ``template``, the stack keeps the one it has. ``place`` is the bucket where one is
    stored that is too large for a request. Without ``tags``, the stack keeps its own.

    :raises Stop: if CloudFormation rejects the change.
    """
    world, name = run.world, stack.name
    ownership.check_stack(run, stack)
    if run.options.plan and settled_status(world, name) == "ROLLBACK_COMPLETE":
        run.note(
            f"The creation of {name} failed and was rolled back. A deployment deletes it and "
            "creates it again."
        )
        return None
    found = prepare(run, stack)
    creates = found in ("", "REVIEW_IN_PROGRESS")
    if template:
        _take_old_logs(run, name, templates.kept_log_groups(template.content))
    now = datetime.datetime.fromtimestamp(world.clock.time(), datetime.UTC)
    id = "deploy" if run.options.rehearses else f"deploy-{now:%Y%m%d-%H%M%S}"
    made = ChangeSet(stack, id, creates, template.content if template else None, ())
    kept = () if creates or template is None else _kept(world, stack, values)
    request = {
        "ChangeSetName": made.name,
        "ChangeSetType": "CREATE" if creates else "UPDATE",
        **_body(run, stack, template, place),
        **_given({**values, **dict.fromkeys(kept)}),
        **({"Tags": run.tags} if run.tags and tags and template is not None else {}),
        **({"ImportExistingResources": True} if name in run.adopting else {}),
    }
    # Before it is known to exist: Ctrl-C may come before the answer.
    run.pending[name] = made.name
    if not found:
        run.begun.add(name)
    try:
        world.change("cloudformation:CreateChangeSet", StackName=name, **request)
    except Stop:
        del run.pending[name]
        raise
    return _examined(run, made)


def _kept(world: World, stack: Stack, values: Parameters) -> list[str]:
    """The parameters of the overlay that the stack has: they keep their values.

    CloudFormation would go back to their defaults.
    """
    had = cloudformation.parameters(world, stack.name) if stack.kept else {}
    return [name for name in stack.kept if name in had and name not in values]


def _given(values: Parameters) -> Json:
    found = [
        {"ParameterKey": name, "UsePreviousValue": True}
        if value is None
        else {"ParameterKey": name, "ParameterValue": value}
        for name, value in values.items()
    ]
    return {"Parameters": found} if found else {}


def _body(run: Run, stack: Stack, template: Template | None, place: str) -> Json:
    """The template as arguments of a request."""
    if template is None:
        return {"UsePreviousTemplate": True, "Capabilities": ["CAPABILITY_NAMED_IAM"]}
    text = compact_text(template.content)
    allowed = {"Capabilities": [templates.capability(text)]}
    if len(text.encode()) <= INLINE_BYTES:
        return {"TemplateBody": printing.FileText(text, _path(run, template, text)), **allowed}
    if not place:
        raise Stop(f"{template.path} is too large for a request, and there is no bucket for it")
    key = f"templates/{stack.name}.json"
    body = printing.FileBytes(text.encode(), template.path)
    stored = run.world.change("s3:PutObject", Bucket=place, Key=key, Body=body)
    # CloudFormation reads this version, even if another one is uploaded in the meantime.
    version = stored.get("VersionId")
    if not version:
        raise Stop(f"the bucket {place} keeps no versions: turn on its versioning.")
    domain = "amazonaws.com.cn" if run.bundle.partition == "aws-cn" else "amazonaws.com"
    host = f"https://{place}.s3.{run.bundle.region}.{domain}"
    return {"TemplateURL": f"{host}/{key}?versionId={version}", **allowed}


def _path(run: Run, template: Template, text: str) -> str:
    """The path of a file that may be sent: without indentation, a template may be short enough."""
    fits = len(json.dumps(template.content, indent=2).encode()) <= INLINE_BYTES
    if fits or run.options.rehearses:
        return template.path
    return run.write(f"sent/{template.path}", text)


def _examined(run: Run, made: ChangeSet) -> ChangeSet | None:
    """The change set once CloudFormation has examined it."""
    world, stack = run.world, made.stack
    names = {"StackName": stack.name, "ChangeSetName": made.name}
    call = "cloudformation:DescribeChangeSet"

    def ended() -> Json | None:
        found = world.ask(call, **names)
        if found is None:
            raise Stop(f"the change set {made.name} no longer exists")
        return found if found.get("Status") in ("CREATE_COMPLETE", "FAILED") else None

    found = world.wait(_CHANGE_SET_MINUTES, f"the change set of {stack.name}", ended)
    if found["Status"] == "FAILED":
        reason = found.get("StatusReason", "")
        if not any(words in reason for words in _NOTHING):
            raise Stop(f"CloudFormation rejects the change of {stack.name}: {reason}")
        drop(run, stack.name)
        run.note(f"{stack.name} is up to date: nothing changes.")
        if not run.options.plan:
            policies.protect(run, stack, made.template)
        return None
    shown = world.ask_all(call, "Changes", "Status", **names, IncludePropertyValues=True) or []
    return replace(made, changes=tuple(changes.of(e) for e in shown if e.get("ResourceChange")))


def reviewed(
    run: Run, stack: Stack, template: Template, values: Parameters, outputs: Outputs
) -> ChangeSet | None:
    """A change set of which the user is told; ``outputs`` are those of the foundation."""
    found = create(run, stack, template, values, outputs.get(bucket.NAME, ""))
    if found:
        show(run, found)
    return found


def agree(run: Run, stack: Stack, guards: list[Guard]) -> None:
    """Stop a change without consent. Of one that is made in part, nobody is asked again."""
    if stack.name not in run.changed:
        run.agree({stack.name: guards})
    elif new := [each.what for each in guards if not run.consents(each.kind)]:
        raise Stop(
            f"the change of {stack.name} is made in part. The rest would {', '.join(new)}: run "
            "this again to review it."
        )


def drop(run: Run, stack: str) -> None:
    """Delete the change set of a stack that is not executed."""
    if name := run.pending.pop(stack, ""):
        run.world.change("cloudformation:DeleteChangeSet", StackName=stack, ChangeSetName=name)


def drop_all(run: Run) -> None:
    """Delete all change sets that are not executed, as far as AWS lets it.

    A stack without resources, which one of them has created, goes with it.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html
    """
    for stack in [*run.pending]:
        with suppress(Stop):
            drop(run, stack)
    for stack in run.begun:
        with suppress(Stop):
            if status(run.world, stack) == "REVIEW_IN_PROGRESS":
                run.world.change("cloudformation:DeleteStack", StackName=stack)


def show(run: Run, change: ChangeSet) -> None:
    """Say what a change set changes."""
    name = change.stack.name
    if change.creates:
        some = "resource" if len(change.changes) == 1 else "resources"
        run.note(f"{name}: a new stack of {len(change.changes)} {some}")
        return
    run.note("\n".join([f"{name} changes:", *(each.text for each in change.changes)]))
    if change.template is None:
        return
    call, whole = "cloudformation:GetTemplate", "Original"
    answer = run.world.allowed([], call, StackName=name, TemplateStage=whole) or {}
    if isinstance(before := answer.get("TemplateBody"), dict):
        path = change.stack.template
        for line in run.explain(path, json.dumps(before), json.dumps(change.template)):
            run.note(f"  deploying it {line}")


def execute(run: Run, change: ChangeSet) -> None:
    """Make a change, and wait for it; raises Stop if it fails, with the reasons."""
    world, stack = run.world, change.stack
    ownership.tell_unmarked(run, stack)
    with policies.lifted(run, change.stack, change.changes):
        world.change(
            "cloudformation:ExecuteChangeSet", StackName=stack.name, ChangeSetName=change.name
        )
        del run.pending[stack.name]
        run.begun.discard(stack.name)
        run.changed.add(stack.name)
        # Once a change set is executed, the stack is no longer in review.
        found = settled_status(world, stack.name, idle="")
    if found not in ("CREATE_COMPLETE", "UPDATE_COMPLETE"):
        explain(run.world, stack.name)
        raise Stop(
            f"the stack {stack.name} is {found or 'gone'}: fix the errors above, and run this "
            "again."
        )
    policies.protect(run, stack, change.template)


def delete(run: Run, stack: Stack, *, quietly: bool = False) -> None:
    """Delete a stack, and wait until it is gone; ``quietly`` where it often does not exist."""
    ownership.check_stack(run, stack)
    name = stack.name
    if quietly and not status(run.world, name):
        return
    if not settled_status(run.world, name):
        run.note(f"The stack {name} does not exist.")
        return
    run.world.change("cloudformation:DeleteStack", StackName=name)

    def deleted() -> bool:
        found = status(run.world, name)
        if found.endswith("_FAILED"):
            explain(run.world, name)
            raise Stop(
                f"the stack {name} could not be deleted: fix the errors above, and run this again."
            )
        return not found and run.world.is_gone(lambda: status(run.world, name))

    run.world.wait(STACK_MINUTES, f"the deletion of {name}", deleted)


def _take_old_logs(run: Run, stack: str, groups: Iterable[str]) -> None:
    """Let a stack take over log groups that exist: they outlive the cluster that made them.

    EKS may also write the last logs of a deleted cluster to a new group.
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-automatically.html
    """
    for group in groups if stack not in run.adopting else ():
        call, member = "logs:DescribeLogGroups", "logGroups"
        found = run.world.ask_all(call, member, logGroupNamePrefix=group) or []
        if all(each.get("logGroupName") != group for each in found):
            continue
        # A creation that failed also leaves a group, which the stack then no longer has.
        there = cloudformation.resources(run.world, stack)
        mine = (each for each in there if each.get("PhysicalResourceId") == group)
        if all(each.get("ResourceStatus") == "DELETE_SKIPPED" for each in mine):
            run.note(
                f"The log group {group} exists, probably from a deleted cluster of this name: the "
                "stack takes it over, with its events and their retention."
            )
            run.adopting.add(stack)
