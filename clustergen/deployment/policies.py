"""The stack policy, which no update by other tools gets around.

A change set has no policy of its own: the policy is lifted for a reviewed change that it denies. It
is enforced while a stack is updated, not when it is deleted.
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/protect-stack-resources.html
https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ExecuteChangeSet.html
"""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

from clustergen.base.artifacts import Json
from clustergen.deployment import changes, printing, resource_types
from clustergen.deployment.changes import Change
from clustergen.deployment.model import Stack
from clustergen.deployment.run import Run, json_of
from clustergen.deployment.world import Stop

# A policy cannot be removed; this one allows everything.
OPEN: Final = {
    "Statement": [{"Effect": "Allow", "Principal": "*", "Action": "Update:*", "Resource": "*"}]
}
_SET: Final = "cloudformation:SetStackPolicy"


def protect(run: Run, stack: Stack, template: Json | None) -> None:
    """Set the policy of a stack whose template has something to protect.

    A policy of its owner's stays.
    """
    if template is None or not resource_types.holds_data(template):
        return
    found = _read(run, stack)
    ours = json_of(run.text(resource_types.POLICY))
    if found is None or found == ours:
        return
    if found and found != OPEN and not _is_ours(found, ours):
        run.note(
            f"The stack {stack.name} has a policy that is not of this bundle, and keeps it. "
            f"Compare it with {resource_types.POLICY}."
        )
        return
    try:
        _set(run, stack, run.text(resource_types.POLICY), resource_types.POLICY)
    except Stop as error:
        run.note(
            "\n".join([*error.notes, f"The stack {stack.name} has no policy: this was refused."])
        )


@contextmanager
def lifted(run: Run, stack: Stack, changed: Collection[Change]) -> Iterator[None]:
    """Lift the policy of a stack during a reviewed change that it denies."""
    agreed = run.consents("replaces-resource")
    types = resource_types.PROTECTED
    found = _read(run, stack) if changes.denied(changed, types, agreed=agreed) else None
    if not found:
        yield
        return
    if found != OPEN and not _is_ours(found, json_of(run.text(resource_types.POLICY))):
        run.note(
            f"The stack {stack.name} has a policy that is not of this bundle: it may reject the "
            "change."
        )
        yield
        return
    if found != OPEN:
        _open(run, stack)
    try:
        yield
    finally:
        _close(run, stack)


def _open(run: Run, stack: Stack) -> None:
    try:
        _set(run, stack, json.dumps(OPEN, separators=(",", ":")))
    except Stop as error:
        raise Stop(
            f"the policy of the stack {stack.name} cannot be lifted for this change, for the "
            f"reason above. Nothing was changed in {stack.name}. Who deploys needs "
            "cloudformation:SetStackPolicy. Then run this again.",
            *error.notes,
        ) from None


def _close(run: Run, stack: Stack) -> None:
    """Set the policy again; the reason of a failure stays the last line on the terminal."""
    try:
        _set(run, stack, run.text(resource_types.POLICY), resource_types.POLICY)
    except Stop as error:
        lines = [*error.notes, f"The stack {stack.name} is without its policy."]
        run.note("\n".join([*lines, "The next deployment sets it."]))


def _read(run: Run, stack: Stack) -> Any:
    """The policy of a stack; empty if it has none, None if that is not known."""
    doubts: list[str] = []
    call = "cloudformation:GetStackPolicy"
    answer = run.world.allowed(doubts, call, StackName=stack.name)
    if doubts:
        run.note(
            f"The policy of the stack {stack.name} cannot be read, and stays as it is: "
            f"{'; '.join(doubts)}"
        )
        return None
    text = (answer or {}).get("StackPolicyBody") or "{}"
    return json_of(text) if json_of(text) is not None else text


def _set(run: Run, stack: Stack, text: str, path: str = "") -> None:
    body = printing.FileText(text, path) if path else text
    run.world.change(_SET, StackName=stack.name, StackPolicyBody=body)


def _is_ours(policy: Any, ours: Any) -> bool:
    """Whether a policy is that of the bundle, or one of an earlier version, with fewer types."""
    types, known = _types(policy), _types(ours)
    return types <= known and _without_types(policy) == _without_types(ours)


def _types(policy: Any) -> set[str]:
    if isinstance(policy, dict):
        return set().union(*map(_types, policy.values()))
    if isinstance(policy, list):
        return set().union(*map(_types, policy))
    return {policy} if isinstance(policy, str) and policy.startswith("AWS::") else set()


def _without_types(policy: Any) -> Any:
    if isinstance(policy, dict):
        return {key: _without_types(each) for key, each in policy.items()}
    if isinstance(policy, list):
        return [
            _without_types(each) for each in policy if not _types(each) or isinstance(each, dict)
        ]
    return policy
