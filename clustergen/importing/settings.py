"""What resources of a template do, whatever their logical ids: the settings that are compared.

``{section: {name: properties}}``: each resource by the name that the service knows it by, with the
properties of its launch template in place of the template's id.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from clustergen.base.documents import change_texts
from clustergen.base.findings import Path
from clustergen.base.patterns import pattern
from clustergen.importing.cloudformation.functions import UNKNOWN, decoded, is_reference, name_in
from clustergen.importing.cloudformation.stacks import Resource
from clustergen.importing.reading import Source
from clustergen.services.fields import value_at

Json = dict[str, Any]
TEMPLATE: Final = "AWS::EC2::LaunchTemplate"
PLACEMENT_GROUP: Final = "AWS::EC2::PlacementGroup"
LAUNCH_TEMPLATE: Final = "LaunchTemplateProperties"
"""The key of a launch template in the settings of what uses it."""
NO_GROUP: Final = "nodes"
"""In place of node groups, where a cluster has none."""
_NO_ID: Final = pattern(r"[^A-Za-z0-9]")
_LINK: Final = pattern(r"(?:\x04|\\x04)([^/]*)/(.*?)/([^/]*?)(?:\x05|\\x05)")
_OPEN, _CLOSE = "\x04", "\x05"


class Kind(NamedTuple):
    """A type of resources: its section in the settings, and the property with its name."""

    type: str
    section: str
    name: str
    """Empty if resources have no name: the logical id stands for it."""
    called: Callable[[str, Mapping[str, Any]], str] = lambda id, _properties: id
    """The name of a resource without one, by its logical id and its properties."""


@dataclass(frozen=True)
class Form:
    """The resources of a service that make a cluster, and what goes without saying in them."""

    kinds: tuple[Kind, ...]
    template: str
    """The property, or dotted path of properties, that names a launch template."""
    template_id: str
    """Its member with the id."""
    defaults: Mapping[str, Any]
    """By dotted path, ``*`` for any name and any item: what the service does without the value."""
    own: tuple[Kind, ...] = ()
    """Further resources of templates that clustergen rendered."""
    unordered: frozenset[str] = frozenset()
    """Keys of lists whose order means nothing."""
    left_out: frozenset[str] = frozenset()
    """Dotted paths that are compared by other means, or mean nothing after creation."""
    open: frozenset[str] = frozenset()
    """Sections, and names in them, that clustergen may have besides the original."""
    kept: frozenset[str] = frozenset()
    """Dotted paths that stay as clustergen has them where the original says nothing."""
    parameters: Mapping[str, str] = field(default_factory=dict)
    """Values that deploy.sh looks up for parameters of our own templates."""

    def of_ours(self) -> Form:
        """The form for templates that clustergen rendered."""
        sections = {kind.section for kind in self.own}
        return replace(self, kinds=(*self.kinds, *self.own), open=self.open | sections)

    def may_add(self, section: str, name: str) -> bool:
        """Whether a resource may be there that the original does not have."""
        return bool(self.open & {section, f"{section}.{name}"})

    def naming(self, section: str, name: str) -> Form:
        """The form in which a resource of a section that has no name is called ``name``."""
        kinds = (
            kind._replace(called=lambda _id, _properties: name)
            if kind.section == section and kind.name
            else kind
            for kind in self.kinds
        )
        return replace(self, kinds=tuple(kinds))

    def keeps(self, path: Sequence[str]) -> bool:
        """Whether a value stays as clustergen has it where the original says nothing.

        CloudFormation makes a name up where a template gives none; the bundle has to know it.
        """
        place = general(path)
        return place in self.kept or any(
            place == f"{kind.section}.*.{kind.name}" for kind in self.kinds
        )

    @property
    def by_type(self) -> Mapping[str, Kind]:
        return {kind.type: kind for kind in self.kinds}


class Place(NamedTuple):
    """Where the settings at a path are written."""

    source: Source
    path: Path


@dataclass
class Extracted:
    """The settings of resources, and where each is written."""

    settings: Json
    ids: dict[tuple[str, str], str] = field(default_factory=dict)
    """Logical ids by section and name."""
    templates: dict[tuple[str, str], str] = field(default_factory=dict)
    """Logical ids of launch templates by section and name of what uses them."""
    places: dict[Path, Place] = field(default_factory=dict)
    others: list[Resource] = field(default_factory=list)
    """The resources that are no part of a cluster."""

    def place(self, path: Path) -> Place | None:
        """The place of the settings at ``path``, or of what they are in."""
        for length in range(len(path), 0, -1):
            if found := self.places.get(path[:length]):
                return Place(found.source, (*found.path, *path[length:]))
        return next(iter(self.places.values()), None)


def extract(resources: Iterable[Resource], form: Form) -> Extracted:
    known = {each.id: each for each in resources}
    names = dict(_names(known.values(), form))
    found = Extracted({})
    names |= _placement_groups(names, form, known)
    for id, resource in known.items():
        if resource.type == PLACEMENT_GROUP and id in names:
            found.ids[names[id]] = id
        if resource.type not in form.by_type:
            if resource.type not in (TEMPLATE, PLACEMENT_GROUP):
                found.others.append(resource)
            continue
        section, name = names[id]
        properties = _linked(resource.properties, names)
        found.ids[section, name] = id
        found.places[section, name] = Place(resource.source, resource.path)
        if template := _template_of(resource.properties, form, known):
            found.templates[section, name] = template.id
            properties = _without(properties, form.template)
            data = _linked(template.properties, names)
            properties[LAUNCH_TEMPLATE] = _with_plain_user_data(data)
            place = Place(template.source, template.path)
            found.places[section, name, LAUNCH_TEMPLATE] = place
        for policy, value in resource.policies:
            properties[policy] = value
            place = Place(resource.source, (*resource.path[:-1], policy))
            found.places[section, name, policy] = place
        found.settings.setdefault(section, {})[name] = properties
    return found


def identified(known: Json, found: Extracted, form: Form) -> Json:
    """``known`` with resources under their ARNs, where these had no value before.

    Names of the user may differ in the spec; an ARN that a resource is known by may not.
    """
    changed = dict(known)
    for kind in form.kinds:
        for name, item in known.get(kind.section, {}).items():
            arn = str(item.get(kind.name, "")) if isinstance(item, Mapping) else ""
            if not arn.startswith("arn:") or arn in changed[kind.section]:
                continue
            inner = {arn if key == name else key: e for key, e in changed[kind.section].items()}
            changed[kind.section] = inner
            if place := found.places.get((kind.section, name)):
                found.places[kind.section, arn] = place
    return changed


def _names(resources: Iterable[Resource], form: Form) -> Iterable[tuple[str, tuple[str, str]]]:
    used: set[tuple[str, str]] = set()
    for resource in resources:
        if kind := form.by_type.get(resource.type):
            value = resource.properties.get(kind.name)
            # Ids of nested stacks have those before them, with dots.
            id = _NO_ID.sub("", resource.id)
            # What an ARN refers to may be another resource.
            known = None if is_reference(value) and kind.name.endswith("Arn") else name_in(value)
            name = known or kind.called(id, resource.properties)
            while (kind.section, name) in used:
                name += "-"
            used.add((kind.section, name))
            yield resource.id, (kind.section, name)


def _placement_groups(
    names: Mapping[str, tuple[str, str]], form: Form, known: Mapping[str, Resource]
) -> dict[str, tuple[str, str]]:
    """The template's placement groups: by their strategy, and whose nodes are in them."""
    users: dict[str, list[str]] = {}
    for id, (_, name) in names.items():
        template = _template_of(known[id].properties, form, known)
        for used in {*references_in(known[id].properties, template and template.properties)}:
            if used in known and known[used].type == PLACEMENT_GROUP:
                users.setdefault(used, []).append(name)
    strategies = {id: known[id].properties.get("Strategy", "cluster") for id in users}
    return {
        id: (PLACEMENT_GROUP, f"{strategies[id]}:{'+'.join(sorted(found))}")
        for id, found in users.items()
    }


def references_in(*values: Any) -> Iterator[str]:
    """The logical ids that ``values`` refer to."""
    for value in values:
        if is_reference(value):
            yield _target(next(iter(value.values())))[0]
        elif isinstance(value, Mapping):
            yield from references_in(*value.values())
        elif isinstance(value, list):
            yield from references_in(*value)


def _linked(value: Any, names: Mapping[str, tuple[str, str]]) -> Any:
    """``value`` with names in place of logical ids."""
    if is_reference(value):
        ((function, target),) = value.items()
        id, attribute = _target(target)
        if id in names:
            section, name = names[id]
            return f"{_OPEN}{section}/{name}/{attribute if function != 'Ref' else ''}{_CLOSE}"
        return dict(value)
    if isinstance(value, Mapping):
        return {str(key): _linked(each, names) for key, each in value.items()}
    return [_linked(each, names) for each in value] if isinstance(value, list) else value


def _target(target: Any) -> tuple[str, str]:
    if isinstance(target, list) and target:
        return str(target[0]), ".".join(map(str, target[1:]))
    return str(target), ""


def own_group(value: Any) -> bool:
    """Whether a value of linked settings is a placement group of the template."""
    return isinstance(value, str) and value.startswith(f"{_OPEN}{PLACEMENT_GROUP}/cluster:")


def placement_groups(value: Any) -> Iterator[tuple[str, str]]:
    """The new placement groups in linked settings: the name of each, and its strategy."""
    if isinstance(value, Mapping | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from placement_groups(each)
    elif isinstance(value, str) and value.startswith(f"{_OPEN}{PLACEMENT_GROUP}/"):
        name = linked_name(value)
        yield name, name.partition(":")[0]


def readable(text: str) -> str:
    """A message with plain words for references."""
    text = _LINK.sub(lambda link: f"{link[3] or 'id'} of {link[2]}", text)
    return UNKNOWN.sub(r"${\1}", text)


def linked_name(value: Any) -> str:
    """The name of the resource that a value of linked settings refers to; empty if it is none."""
    if not (isinstance(value, str) and value.startswith(_OPEN)):
        return ""
    return value.strip(_OPEN + _CLOSE).split("/", 1)[1].rsplit("/", 1)[0]


def placement_group(name: str) -> str:
    """A reference to a new cluster placement group for the nodes of one group."""
    return link(PLACEMENT_GROUP, f"cluster:{name}")


def link(section: str, name: str, attribute: str = "") -> str:
    """A reference to the resource of this name."""
    return f"{_OPEN}{section}/{name}/{attribute}{_CLOSE}"


def with_member(settings: Json, sections: Iterable[str], key: str, value: Any) -> Json:
    """The sections, each of whose resources gets the same member."""
    return {
        section: {name: {**each, key: value} for name, each in settings.get(section, {}).items()}
        for section in sections
    }


def unlinked(value: Any, ids: Mapping[tuple[str, str], str]) -> Any:
    """``value`` with the logical ids of another template in place of names."""
    return change_texts(value, lambda text: _unlinked(text, ids))


def _unlinked(text: str, ids: Mapping[tuple[str, str], str]) -> str | Json:
    if not text.startswith(_OPEN):
        return text
    section, rest = text.strip(_OPEN + _CLOSE).split("/", 1)
    name, attribute = rest.rsplit("/", 1)
    id = ids.get((section, name), name)
    return {"Fn::GetAtt": [id, attribute]} if attribute else {"Ref": id}


def _template_of(properties: Json, form: Form, known: Mapping[str, Resource]) -> Resource | None:
    """The launch template that a resource uses, by reference, by name, or the only one there is."""
    named = value_at(properties, form.template)
    if not isinstance(named, Mapping):
        return None
    for value in named.values():
        if is_reference(value):
            id, _ = _target(next(iter(value.values())))
            if id in known and known[id].type == TEMPLATE:
                return known[id]
        for each in known.values():
            handles = (each.properties.get("LaunchTemplateName"), each.id)
            if each.type == TEMPLATE and value and value in handles:
                return each
    return None


def _with_plain_user_data(template: Json) -> Json:
    data = template.get("LaunchTemplateData")
    if not isinstance(data, Mapping) or "UserData" not in data:
        return template
    plain = {**data, "UserData": {"Fn::Base64": decoded(data["UserData"])}}
    return {**template, "LaunchTemplateData": plain}


def _without(node: Json, path: str) -> Json:
    key, _, rest = path.partition(".")
    kept = {k: v for k, v in node.items() if k != key}
    return {**kept, key: _without(dict(node.get(key, {})), rest)} if rest else kept


def general(path: Sequence[str]) -> str:
    """A path of settings as a form writes it: with ``*`` for the name."""
    return ".".join(path if len(path) < len(("section", "name")) else (path[0], "*", *path[2:]))
