"""What a change set would do to what runs, and what of it needs consent.

https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_ResourceChange.html
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from clustergen.base.artifacts import Json
from clustergen.deployment import resource_types

TEMPLATE: Final = "template"
"""The cause of a change that no other resource and no parameter causes."""
# CloudFormation does not always report that a property within another one replaces the resource.
_REPLACING: Final = ("/DeploymentType", "/RootVolumeConfiguration")
_PROPERTIES: Final = "/Properties/"
_KEPT: Final = ("Retain", "Snapshot")


@dataclass(frozen=True, slots=True)
class Change:
    """The change of one resource."""

    action: str
    """Add, Modify, Remove, Import or Dynamic."""
    type: str
    id: str
    """Its logical id; ``physical`` is that of AWS."""
    physical: str = ""
    replacement: str = ""
    """True, False or Conditional: whether that is known before the change."""
    policy: str = ""
    """What becomes of it when it goes: Delete, Retain or Snapshot."""
    recreated_by: tuple[str, ...] = ()
    """Why it would be replaced: logical ids, parameters, or :data:`TEMPLATE`."""
    properties: tuple[tuple[str, str], ...] = ()
    """The properties that change, as paths without a slash in front, each with its cause."""

    @property
    def text(self) -> str:
        words = {"True": ", replaced", "Conditional": ", perhaps replaced"}
        return f"  {self.action} {self.id} ({self.type}){words.get(self.replacement, '')}"


def of(shown: Json) -> Change:
    """A change as DescribeChangeSet shows it."""
    found = shown["ResourceChange"]
    details = found.get("Details") or ()
    return Change(
        action=found["Action"],
        type=found["ResourceType"],
        id=found["LogicalResourceId"],
        physical=found.get("PhysicalResourceId") or "",
        replacement=found.get("Replacement") or "",
        policy=found.get("PolicyAction") or "",
        recreated_by=tuple(_cause(each) for each in details if _recreates(each["Target"])),
        properties=tuple(
            _property(each) for each in details if each["Target"].get("Attribute") == "Properties"
        ),
    )


def _recreates(target: Json) -> bool:
    path = target.get("Path") or ""
    always = target.get("RequiresRecreation") == "Always"
    return always or any(name in path for name in _REPLACING)


def _cause(detail: Json) -> str:
    """The resource or parameter; attributes are those of a resource."""
    return str(detail.get("CausingEntity") or TEMPLATE).partition(".")[0]


def _property(detail: Json) -> tuple[str, str]:
    target = detail["Target"]
    path = str(target.get("Path") or target.get("Name") or "").removeprefix(_PROPERTIES)
    return path, str(detail.get("CausingEntity") or "").partition(".")[0]


def replaced(changes: Collection[Change]) -> list[Change]:
    """The resources that are replaced, also because what they refer to is.

    "Conditional" means that a property depends on a value which is known only later. It is a
    replacement if the template changed the property, or if what it refers to is replaced.
    """
    modified = [each for each in changes if each.action == "Modify"]
    gone = {TEMPLATE, *(each.id for each in modified if each.replacement == "True")}
    while more := {c.id for c in modified if gone & {*c.recreated_by}} - gone:
        gone |= more
    return [each for each in modified if each.id in gone]


def removed(changes: Iterable[Change]) -> list[Change]:
    """The resources that are deleted. What an action is not known of may be deleted."""
    gone = (each for each in changes if each.action in ("Remove", "Dynamic"))
    return [each for each in gone if not each.policy.startswith(_KEPT)]


class Guard(NamedTuple):
    """Something that a change would do, which stops it unless the user consents."""

    kind: str
    """``replaces-resource``, ``replaces-nodes``, ``removes-nodes``; ``refused``: nobody can."""
    what: str
    """What goes on "the change would", without a full stop."""
    why: str = ""
    """A sentence about what that means."""


_LOST: Final = "Data and jobs in what goes are lost, and what replaces it is empty."
_ROLES: Final = (
    "Nodes that still have a role that goes lose all permissions: delete those nodes first."
)
LINK: Final = "::DataRepositoryAssociation"


def losses(changes: Collection[Change], *, of_foundation: bool) -> Iterator[Guard]:
    """What is lost with resources that are replaced or deleted, and are not harmless."""
    roles = [each for each in removed(changes) if each.type in resource_types.OF_NODES_ELSEWHERE]
    lost = [("replace", each) for each in replaced(changes)]
    lost += [("delete", each) for each in removed(changes)]
    found = [(verb, each) for verb, each in lost if each.type not in resource_types.HARMLESS]
    found += [("delete", each) for each in roles] if of_foundation else []
    if not found:
        return
    known: dict[str, list[str]] = {}
    for _, each in found:
        known.setdefault(resource_types.WORK.get(each.type, _LOST), []).append(each.id)
    why = [_LOST] if known.pop(_LOST, None) else []
    why += [f"{', '.join(names)}: {reason}." for reason, names in known.items()]
    why += [_ROLES] if of_foundation and roles else []
    names = ", ".join(dict.fromkeys(f"{verb} {each.id}" for verb, each in found))
    yield Guard("replaces-resource", names, " ".join(why))


def groups_with_one_name(changes: Collection[Change], resources: Json) -> Iterator[Guard]:
    """Node groups that would be replaced: the new one is made first, and cannot have the name.

    CloudFormation makes up a new name for one that has none in the new ``resources``.
    """
    ends = ("::ComputeNodeGroup", "::Nodegroup")
    groups = [each for each in replaced(changes) if each.type.endswith(ends)]
    new = {each.id: resources.get(each.id, {}).get("Properties", {}) for each in groups}
    named = [each for each in groups if not _NAMES.isdisjoint(new[each.id])]
    kept = [each.id for each in named if _NAMES.isdisjoint(path for path, _ in each.properties)]
    if kept:
        way = "which fails: two node groups cannot share a name. Rename it in the spec"
        yield Guard("refused", f"replace {', '.join(kept)}, {way}")


_NAMES: Final = frozenset({"Name", "NodegroupName"})


def moved_links(changes: Collection[Change]) -> Iterator[Guard]:
    """Links to S3 of file systems that stay: CloudFormation creates the new one first.

    https://docs.aws.amazon.com/fsx/latest/LustreGuide/create-dra-linked-data-repo.html
    """
    gone = {each.id for each in replaced(changes)}
    links = [each.id for each in replaced(changes) if each.type.endswith(LINK)]
    if names := [name for name in links if name.partition("Of")[2] not in gone]:
        why = (
            "which FSx refuses where the old one has the same path or place in S3. Remove it from "
            "the spec and deploy that; delete it, if it stays; and add the new one in the next "
            "deployment"
        )
        yield Guard("replaces-resource", f"replace {', '.join(names)}, {why}")


def unmounted(changes: Iterable[Change]) -> Iterator[Guard]:
    """File systems that leave: those that stay at AWS lose their addresses and rules, too."""
    kept = (each for each in changes if each.action == "Remove" and each.policy.startswith(_KEPT))
    if names := ", ".join(each.id for each in kept if each.type.endswith("::FileSystem")):
        why = "Jobs that use it hang, and so do nodes that still mount it: let jobs end first."
        yield Guard("replaces-resource", f"disconnect {names}, whose data stays", why)


def role_without_password(changes: Collection[Change], roles: Sequence[str]) -> Iterator[Guard]:
    """That a role loses the password of the accounting database to a new one.

    ``roles`` are the new one and the old one.
    """
    made = {each.id for each in changes if each.action == "Add"}
    changed = {each.id for each in changes if each.action == "Modify"}
    if roles and roles[0] in made and roles[1] in changed:
        what = f"take the password of the accounting database from {roles[1]}"
        why = (
            "A HyperPod controller of an earlier version has this role and keeps it. To keep that "
            "controller, write leave_out: [controller-role] under targets.hyperpod-slurm, and "
            "render every bundle again."
        )
        yield Guard("replaces-resource", what, why)


def changed_shares(changes: Collection[Change]) -> Iterator[Guard]:
    """A queue of Batch has a scheduling policy from its creation on, or never.

    https://docs.aws.amazon.com/batch/latest/APIReference/API_UpdateJobQueue.html
    """
    policies = (each for each in changes if each.type.endswith("::SchedulingPolicy"))
    stay = (each for each in changes if each.action == "Modify" and each.replacement != "True")
    queues = [each.id for each in stay if each.type.endswith("::JobQueue")]
    if queues and any(each.action != "Modify" for each in policies):
        why = (
            f"give fair shares to {', '.join(queues)} or take them away, which Batch rejects. "
            "Rename the queues in the spec: Batch creates new ones"
        )
        yield Guard("refused", why)


def renewed(changes: Collection[Change], type: str, properties: Sequence[str]) -> list[Change]:
    """The node groups of a type whose nodes the service replaces, by these properties.

    A launch template has a new version only if its data changes: CloudFormation also reports groups
    of one with other tags.
    """
    templates = [each for each in changes if each.type.endswith("::LaunchTemplate")]
    same = {each.id for each in templates if not _is_newer(each)}
    groups = (each for each in changes if each.action == "Modify" and each.type == type)
    return [each for each in groups if any(_renews(p, properties, same) for p in each.properties)]


def _is_newer(template: Change) -> bool:
    data = any(path.split("/")[0] == "LaunchTemplateData" for path, _ in template.properties)
    return data or template.replacement == "True"


def _renews(changed: tuple[str, str], properties: Sequence[str], same: set[str]) -> bool:
    path, cause = changed
    sized = path.endswith("vCpus")
    return path.split("/")[0] in properties and not sized and cause not in same


def denied(changes: Collection[Change], types: Collection[str], *, agreed: bool) -> bool:
    """Whether a stack policy that protects these types would deny a change that was reviewed.

    ``agreed`` is whether replacements may be. A resource that stays when it leaves the template
    needs the same permission.
    """
    ends = [each for each in changes if each.action in ("Remove", "Dynamic")]
    maybe = [each for each in changes if agreed and each.replacement == "Conditional"]
    return any(each.type in types for each in (*replaced(changes), *ends, *maybe))
