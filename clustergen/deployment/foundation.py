"""The foundation: a stack that outlives clusters, and that several of them may use."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from clustergen.base.artifacts import Json, compact_text
from clustergen.deployment import bucket, changes, cloudformation, stacks, templates
from clustergen.deployment.changes import Guard
from clustergen.deployment.model import STAGE, Stack
from clustergen.deployment.run import Outputs, Run, json_of
from clustergen.deployment.stacks import ChangeSet, Template
from clustergen.deployment.world import Stop

_BUCKET: Final = "ScriptsBucket"
_PARTS: Final = ("Parameters", "Conditions", "Resources", "Outputs")


def stack(run: Run) -> Stack:
    """The stack of the foundation."""
    return run.bundle.stacks["foundation"]


def outputs(run: Run) -> Outputs:
    """The outputs of the foundation: from the user's file, or of the stack."""
    if run.options.outputs:
        return from_file(run.options.outputs, stack(run).name)
    return cloudformation.outputs(run.world, stack(run).name) if run.founded else {}


def from_file(path: Path, stack: str) -> Outputs:
    """Outputs as `cdk deploy --outputs-file` or `describe-stacks` wrote them.

    Where the file has the outputs of ``stack``, they are those of that alone.

    :raises Stop: if the file cannot be read, or stacks in it differ.
    """
    try:
        found = json_of(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Stop(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        found = None
    every = dict.fromkeys(_outputs(found))
    own = [each for each in every if each[0] == stack]
    known = {key: value for _, key, value in own or every}
    if not known:
        raise Stop(
            f"{path} has no outputs of stacks: write it with `cdk deploy --outputs-file {path}`"
        )
    for place, key, value in own or every:
        if known[key] != value:
            raise Stop(f"{path} has two values of {key}, one of {place}: leave other stacks out")
    return known


def _outputs(value: Any, stack: str = "") -> Iterable[tuple[str, str, str]]:
    """Stack, name and value of each output in both formats."""
    if isinstance(value, list):
        for each in value:
            yield from _outputs(each, stack)
    elif isinstance(value, dict) and {"OutputKey", "OutputValue"} <= value.keys():
        yield stack, str(value["OutputKey"]), str(value["OutputValue"])
    elif isinstance(value, dict):
        within = value.get("StackName", stack) if "Outputs" in value else stack
        for key, each in value.items():
            if isinstance(each, str) and "Outputs" not in value:
                yield stack, key, each
            else:
                yield from _outputs(each, within or key)


def review(run: Run) -> ChangeSet | None:
    """The change of the foundation, which is not made yet; None if nothing changes."""
    own, template, given = stack(run), run.foundation, _bucket_parameters(run)
    known = cloudformation.outputs(run.world, own.name)
    if (run.folder / STAGE).exists() and bucket.NAME not in known:
        if run.options.plan:
            run.note(
                f"The template of {own.name} is too large for a request. A deployment creates its "
                "bucket first; only then can the rest be reviewed."
            )
            return None
        # Create the bucket first, and store the whole template in it.
        first = stacks.reviewed(run, own, *_with_bucket(run), {})
        if first:
            run.agree({own.name: guards(run, first)})
            stacks.execute(run, first)
        known = cloudformation.outputs(run.world, own.name)
    return stacks.reviewed(run, own, Template(own.template, template), given, known)


def _with_bucket(run: Run) -> tuple[Template, stacks.Parameters]:
    """The bucket alone, or with what the foundation has, if an earlier spec needed no bucket."""
    own, stage = stack(run), json_of(run.text(STAGE))
    if not cloudformation.is_usable(run.world, own.name):
        return Template(STAGE, stage), {}
    deployed = _deployed(run)
    merged = {part: {**deployed.get(part, {}), **stage.get(part, {})} for part in _PARTS}
    whole = {**deployed, **{part: found for part, found in merged.items() if found}}
    path = run.write(STAGE, compact_text(whole))
    return Template(path, whole), dict.fromkeys(cloudformation.parameters(run.world, own.name))


def _deployed(run: Run, names: Iterable[str] = ()) -> Json:
    """The template that the stack has, with resources of these names."""
    name = stack(run).name
    found = cloudformation.deployed_template(run.world, name)
    if not isinstance(found, dict) or not {*names} <= found["Resources"].keys():
        raise Stop(
            f"the template of {name} is not one of clustergen's: deploy this bundle as that stack "
            "was deployed, and deploy with --outputs FILE."
        )
    return found


def guards(run: Run, found: ChangeSet | None) -> list[Guard]:
    """What of a change needs consent."""
    if found is None or found.creates:
        return []
    lost = changes.losses(found.changes, of_foundation=True)
    roles = changes.role_without_password(found.changes, run.bundle.controller_roles)
    links = changes.moved_links(found.changes)
    return [*roles, *links, *changes.unmounted(found.changes), *lost]


def deploy(run: Run, found: ChangeSet | None) -> list[str]:
    """Make a reviewed change. What leaves the foundation stays until the cluster has changed.

    The logical ids of that.
    """
    if found is None:
        return []
    gone = [] if found.creates else [e for e in found.changes if e.action == "Remove"]
    _tell_of_links(run, found.changes)
    if not gone:
        stacks.execute(run, found)
        return []
    names = [each.id for each in gone]
    run.note(f"{', '.join(names)}: removed from the foundation after the cluster has changed.")
    _deploy_without(run, found, names)
    return names


def _tell_of_links(run: Run, changed: Iterable[changes.Change]) -> None:
    for each in changed:
        if each.type.endswith(changes.LINK) and "Retain" in each.policy:
            run.note(
                f"{each.id} stays at FSx, and goes on importing and exporting. After this "
                f"deployment, delete it: aws --region {run.bundle.region} fsx "
                "delete-data-repository-association --no-delete-data-in-file-system "
                f"--association-id {each.physical}"
            )


def _deploy_without(run: Run, found: ChangeSet, names: list[str]) -> None:
    """Make the other changes first."""
    own = stack(run)
    stacks.drop(run, own.name)
    if all(each.action == "Remove" for each in found.changes):
        return
    merged = templates.with_resources(run.foundation, _deployed(run, names), names)
    path = run.write("kept.template.json", compact_text(merged))
    _change(run, Template(path, merged))


def finish(run: Run, removed: list[str]) -> None:
    """Remove what left the foundation, once the cluster no longer uses it."""
    if removed:
        _change(run, Template(stack(run).template, run.foundation))


def _change(run: Run, template: Template) -> None:
    """Change the foundation again, in a way that was reviewed before."""
    own = stack(run)
    known = cloudformation.outputs(run.world, own.name)
    given = _bucket_parameters(run)
    if found := stacks.create(run, own, template, given, known.get(bucket.NAME, "")):
        run.agree({own.name: guards(run, found)})
        stacks.execute(run, found)


def _bucket_parameters(run: Run) -> Mapping[str, str]:
    """Who alone may write to the bucket, where that is limited: the caller, too."""
    own = stack(run)
    writers = cloudformation.parameters(run.world, own.name).get("ScriptWriters", "")
    if _BUCKET not in run.foundation["Resources"] or not writers:
        return {}
    caller = _writer(run)
    listed = not caller or f" {caller} " in f" {writers} "
    given = {"ScriptWriters": writers if listed else f"{writers} {caller}"}
    # The template of the foundation may have to be uploaded, too.
    if not listed and not run.options.plan:
        first = stacks.create(run, own, None, given)
        if first:
            stacks.execute(run, first)
    return given


def _writer(run: Run) -> str:
    """The IAM name of the caller; empty for the root user, who is never locked out.

    A session has the name of its role without the role's path, so there are two forms of it.
    https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_identifiers.html#identifiers-arns
    """
    arn: str = run.world.need("sts:GetCallerIdentity", "Arn")
    if arn.endswith(":root"):
        return ""
    if ":assumed-role/" not in arn:
        return arn
    account, _, session = arn.partition(":assumed-role/")
    role = session.partition("/")[0]
    account = account.replace(":sts:", ":iam:")
    return f"{account}:role/{role} {account}:role/*/{role}"
