"""From a checked spec to the files of a target."""

from typing import Any

from clustergen import overlay, targets
from clustergen.base.artifacts import Bundle
from clustergen.base.findings import Unrenderable, errors
from clustergen.bundle import bundle_json, limits, readme
from clustergen.checking import preflight
from clustergen.checking.compiler import Checked, UnknownTarget
from clustergen.deployment import resource_types
from clustergen.services import foundation
from clustergen.services.monitoring import stack


def render(checked: Checked, target: str) -> Bundle:
    """The bundle of ``target``.

    :raises Unrenderable: if there are errors.
    :raises UnknownTarget: if the spec was not checked for this target.
    """
    return rendered(checked, target)[1]


def rendered(checked: Checked, target: str) -> tuple[dict[str, Any], Bundle]:
    """The document of ``target`` with the user's overlay, and its bundle.

    :raises Unrenderable: if there are errors.
    :raises UnknownTarget: if the spec was not checked for this target.
    """
    target = targets.resolve(target) or target
    if checked.spec is not None and target not in checked.targets:
        known = ", ".join(filter(None, checked.targets)) or "no target"
        raise UnknownTarget(f"the spec was checked for {known}, not for {target}")
    blocking = checked.blocking(target)
    if blocking or target not in checked.plans:
        raise Unrenderable(blocking or errors(checked.findings))
    plan = checked.plans[target]
    chosen = targets.load(target)
    plain = chosen.document(plan)
    document = overlay.apply(plain, plan.overlay, keys=chosen.schema.list_keys)
    bundle = [*chosen.emit(plan, document)]
    bundle += foundation.files(plan)
    bundle += stack.files(plan)
    if any(artifact.path.endswith(".template.json") for artifact in bundle):
        bundle.append(resource_types.policy_file())
    bundle += bundle_json.files(plan, chosen.deployment(plan, document), bundle)
    if refused := list(limits.refused(plain, chosen.schema, tuple(bundle))):
        raise Unrenderable(refused)
    findings, checklist = checked.about(target), preflight.checklist(plan)
    bundle.append(readme.render(readme.Subject(plan, chosen, findings, checklist)))
    return document, tuple(sorted(bundle, key=lambda artifact: artifact.path))
