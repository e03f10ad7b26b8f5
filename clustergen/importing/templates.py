"""The template that an overlay has to reach: the rendered one, with the original's settings."""

import copy
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from clustergen.base.documents import change_texts
from clustergen.base.findings import Path
from clustergen.facts.schemas import Schema
from clustergen.importing import settings
from clustergen.importing.cloudformation.functions import UNKNOWN, is_reference
from clustergen.importing.cloudformation.stacks import POLICIES, Given, Stacks
from clustergen.importing.companion_files import by_type
from clustergen.importing.conversion import Service
from clustergen.importing.normal import normal, reduced, without_additions
from clustergen.importing.reading import Source
from clustergen.importing.settings import LAUNCH_TEMPLATE, Extracted, Form, Json
from clustergen.services.aws import cfn
from clustergen.services.fields import value_at

RESOURCES = "Resources"


def service(  # noqa: PLR0913 what a comparison knows
    target: str, form: Form, region: str, name: str, original: Json, *, adopt: bool = False
) -> Service:
    """How templates of a target are compared: by the settings of ``form``.

    With ``adopt``, the resources exist already, and the template has no others.
    """
    comparison = _Comparison(form, region, name, original, adopt)
    forms = (comparison.normal, comparison.equivalent)
    return Service(target, *forms, adopts=adopt, place=comparison.place, added=comparison.added)


@dataclass(frozen=True)
class _Comparison:
    form: Form
    region: str
    name: str
    original: Json
    adopt: bool

    def normal(self, document: Mapping[str, Any], schema: Schema) -> Json:  # noqa: ARG002
        if RESOURCES not in document:
            return normal(dict(document), self.form)
        ours = normal(self._extracted(document).settings, self.form)
        theirs = normal(self.original, self.form)
        return without_additions(ours, theirs, self.form)

    def _extracted(self, document: Mapping[str, Any]) -> Extracted:
        given = Given(self.form.parameters, self.region, self.name)
        source = Source("", document, (), None)
        return settings.extract(Stacks([source], given).resources(), self.form)

    def equivalent(
        self,
        document: Mapping[str, Any],
        original: Mapping[str, Any],
        schema: Schema,  # noqa: ARG002
    ) -> Json:
        equivalence = _Equivalence(self.form, document, self._extracted(document), original)
        found = equivalence.document()
        return _adopted(found, self.form) if self.adopt else found

    def added(self, document: Mapping[str, Any]) -> str:
        """The resources of other types than those of a cluster: logs, roles."""
        known = {*self.form.by_type, settings.TEMPLATE, settings.PLACEMENT_GROUP}
        return by_type(
            each["Type"] for each in document[RESOURCES].values() if each["Type"] not in known
        )

    def place(self, document: Mapping[str, Any]) -> Callable[[Path], Path]:
        """What gives the path in the settings of a path in the document."""
        return partial(_place, self._extracted(document))


def _place(extracted: Extracted, path: Path) -> Path:
    match path:
        case ("Resources", str(id), *rest):
            rest = rest[1:] if rest[:1] == ["Properties"] else rest
            for key, known in extracted.ids.items():
                if known == id:
                    return (*key, *rest)
            for key, known in extracted.templates.items():
                if known == id:
                    return (*key, LAUNCH_TEMPLATE, *rest)
    return ()


class _Equivalence:
    """Changes a rendered template until it has the settings of the original."""

    def __init__(
        self, form: Form, document: Mapping[str, Any], ours: Extracted, theirs: Mapping[str, Any]
    ) -> None:
        self._form = form
        self._kinds = {kind.section: kind for kind in form.kinds}
        self._ours = ours
        self._theirs = theirs
        self._raw: Json = copy.deepcopy(dict(document))
        self._resources: Json = self._raw[RESOURCES]
        self._pairs = {
            section: dict(_pairs(self._replaceable(section), items))
            for section, items in theirs.items()
        }
        self._ids = {**ours.ids, **dict(self._assigned()), **dict(self._placed())}

    def _replaceable(self, section: str) -> list[str]:
        """The names of what is rendered, without what is an addition of clustergen's."""
        known, theirs = self._ours.settings.get(section, {}), self._theirs.get(section, {})
        return [each for each in known if each in theirs or not self._form.may_add(section, each)]

    def _assigned(self) -> Iterator[tuple[tuple[str, str], str]]:
        """The logical id of each resource of the original in the rendered template."""
        for section, items in self._theirs.items():
            for name in items:
                ours = self._pairs[section].get(name)
                kind = self._kinds[section]
                named = kind.name in items[name]  # the others are known by their logical id
                made = cfn.logical_id(kind.type.rpartition(":")[2], name) if named else name
                yield (section, name), self._ours.ids[section, ours] if ours else made

    def _placed(self) -> Iterator[tuple[tuple[str, str], str]]:
        """The placement groups of the original; those that are not rendered are added."""
        for name, strategy in settings.placement_groups(dict(self._theirs)):
            key = (settings.PLACEMENT_GROUP, name)
            id = self._ours.ids.get(key) or cfn.logical_id("placement-group", name)
            if key not in self._ours.ids:
                properties = {"Strategy": strategy}
                self._resources[id] = {"Type": settings.PLACEMENT_GROUP, "Properties": properties}
            yield key, id

    def document(self) -> Json:
        self._remove()
        for section, items in self._theirs.items():
            for name, theirs in items.items():
                self._change(section, name, theirs)
        self._remove_unused_groups()
        self._remove_dependencies()
        self._declare()
        return self._raw

    def _remove_unused_groups(self) -> None:
        used = set(settings.references_in(self._resources))
        for id, resource in list(self._resources.items()):
            if resource["Type"] == settings.PLACEMENT_GROUP and id not in used:
                del self._resources[id]

    def _declare(self) -> None:
        """Adds parameters for what the resources refer to."""
        known = {*self._raw.get("Parameters", {}), *self._resources}
        names = sorted(set(cfn.references(self._resources)) - known)
        for name in (each for each in names if not each.startswith("AWS::")):
            parameter = {"Type": cfn.parameter_type(name), "Description": "As in the original"}
            self._raw.setdefault("Parameters", {})[name] = parameter

    def _remove(self) -> None:
        """Takes out what the original does not have."""
        for (section, name), id in self._ours.ids.items():
            if section == settings.PLACEMENT_GROUP or self._form.may_add(section, name):
                continue
            if name not in self._pairs.get(section, {}).values():
                self._resources.pop(id, None)
                self._resources.pop(self._ours.templates.get((section, name), ""), None)

    def _remove_dependencies(self) -> None:
        """Takes out dependencies on resources that are no longer there."""
        for id, resource in self._resources.items():
            named = resource.get("DependsOn", [])
            ids = [named] if isinstance(named, str) else named
            left = [each for each in ids if each in self._resources]
            if left != ids:
                rest = {key: value for key, value in resource.items() if key != "DependsOn"}
                self._resources[id] = {**rest, **({"DependsOn": left} if left else {})}

    def _change(self, section: str, name: str, theirs: Json) -> None:
        ours_name = self._pairs[section].get(name)
        id = self._ids[section, name]
        path = (section, name)
        if ours_name is None:
            self._add(section, name, theirs)
            return
        ours = self._ours.settings[section][ours_name]
        template = self._ours.templates.get((section, ours_name))
        if template and LAUNCH_TEMPLATE in theirs:
            resource = self._resources[template]
            resource["Properties"] = self._merged(
                resource["Properties"],
                ours[LAUNCH_TEMPLATE],
                theirs[LAUNCH_TEMPLATE],
                (*path, LAUNCH_TEMPLATE),
            )
        resource = self._resources[id]
        rest, own = (
            {k: v for k, v in each.items() if k != LAUNCH_TEMPLATE} for each in (theirs, ours)
        )
        raw = dict(resource["Properties"])
        raw |= {policy: resource[policy] for policy in POLICIES if policy in resource}
        kept: Json = {}
        if template and LAUNCH_TEMPLATE in theirs:
            kept = _nested(self._form.template, value_at(raw, self._form.template))
        elif template:
            self._resources.pop(template, None)
        properties = self._merged(raw, own, rest, path, kept)
        self._resources[id] = _resource(resource, properties)

    def _add(self, section: str, name: str, theirs: Json) -> None:
        kind = self._kinds[section]
        id = self._ids[section, name]
        rest = {key: value for key, value in theirs.items() if key != LAUNCH_TEMPLATE}
        properties = self._written(rest)
        if template := theirs.get(LAUNCH_TEMPLATE):
            made = f"{id}LaunchTemplate"
            self._resources[made] = {
                "Type": settings.TEMPLATE,
                "Properties": self._written(template),
            }
            properties = _with_template(properties, self._form, made)
        self._resources[id] = _resource({"Type": kind.type}, properties)

    def _merged(
        self, raw: Any, ours: Any, theirs: Any, path: Path, kept: Mapping[str, Any] | None = None
    ) -> Any:
        """``raw`` where both sides mean the same, else the original."""
        if self._equal(ours, theirs, path) or (theirs is None and self._keeps(path)):
            return raw
        if self._set_default(raw, theirs):
            return raw
        both = isinstance(ours, Mapping) and isinstance(theirs, Mapping)
        if both and isinstance(raw, Mapping) and not _is_function(raw) and not _is_function(theirs):
            found = {
                key: self._merged(raw.get(key), ours.get(key), theirs.get(key), (*path, key))
                for key in {**ours, **theirs}
                if key in theirs
                or self._equal(ours[key], None, (*path, key))
                or self._keeps((*path, key))
            }
            written = {key: each for key, each in found.items() if each is not None}
            return _over(written, kept or {})
        same = isinstance(ours, list) and isinstance(theirs, list) and isinstance(raw, list)
        if same and len(raw) == len(ours) == len(theirs):
            items = zip(raw, ours, theirs, strict=True)
            return [self._merged(r, o, t, (*path, "*")) for r, o, t in items]
        return self._written(theirs)

    def _keeps(self, path: Path) -> bool:
        return self._form.keeps([str(step) for step in path])

    def _set_default(self, raw: Any, theirs: Any) -> bool:
        """Makes ``theirs`` the default of a parameter of ours that has one."""
        name = raw.get("Ref") if isinstance(raw, Mapping) and len(raw) == 1 else None
        parameter = self._raw.get("Parameters", {}).get(name)
        if not isinstance(parameter, dict) or "Default" not in parameter or theirs is None:
            return False
        parameter["Default"] = theirs
        return True

    def _equal(self, ours: Any, theirs: Any, path: Path) -> bool:
        """Whether both mean the same at ``path``, a key of a map or an item of a list."""
        steps = [str(step) for step in path]
        last, item = steps[-1], steps[-1] == "*"
        above = steps if item else steps[:-1]
        pair = [
            reduced(each if item else {last: each}, self._form, above) for each in (ours, theirs)
        ]
        return bool(pair[0] == pair[1])

    def _written(self, value: Any) -> Any:
        return change_texts(settings.unlinked(value, self._ids), _as_function)


def _resource(members: Json, found: Json) -> Json:
    """A resource with the settings in ``found``: its properties, and its policies."""
    rest = {key: each for key, each in members.items() if key not in POLICIES}
    policies: Json = {key: found[key] for key in POLICIES if key in found}
    return {**rest, "Properties": {k: v for k, v in found.items() if k not in policies}, **policies}


def _adopted(template: Json, form: Form) -> Json:
    """``template`` with nothing but what exists, in the form in which a stack can take it over.

    CloudFormation imports no resource without a deletion policy, and creates none meanwhile:
    https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/import-resources-manually.html
    """
    resources = dict(template[RESOURCES])
    while extra := [id for id in _unused(resources) if resources[id]["Type"] not in form.by_type]:
        for id in extra:
            del resources[id]
    kept = {id: {**each, "DeletionPolicy": "Retain"} for id, each in resources.items()}
    outputs = {
        name: output
        for name, output in template.get("Outputs", {}).items()
        if set(settings.references_in(output)) <= set(kept) | set(template.get("Parameters", {}))
    }
    return {**template, RESOURCES: kept, "Outputs": outputs}


def _unused(resources: Json) -> list[str]:
    used = {*settings.references_in(resources), *cfn.references(resources)}
    return [id for id in resources if id not in used]


def _over(found: Json, kept: Mapping[str, Any]) -> Json:
    """``found`` with the members of ``kept``, at any depth."""
    merged = dict(found)
    for key, value in kept.items():
        inner = merged.get(key)
        if isinstance(value, Mapping) and isinstance(inner, Mapping) and not _is_function(value):
            merged[key] = _over(dict(inner), value)
        else:
            merged[key] = value
    return merged


def _with_template(properties: Json, form: Form, id: str) -> Json:
    named = {form.template_id: cfn.ref(id), "Version": cfn.get_att(id, "LatestVersionNumber")}
    return _over(properties, _nested(form.template, named))


def _nested(path: str, value: Any) -> Json:
    for key in reversed(path.split(".")):
        value = {key: value}
    return dict(value)


def _is_function(value: Any) -> bool:
    if not isinstance(value, Mapping) or len(value) != 1:
        return False
    return is_reference(value) or str(next(iter(value))).startswith("Fn::")


def _as_function(text: str) -> str | Json:
    """``Fn::Sub`` for a text that holds references."""
    if "\x02" not in text:
        return text
    return {"Fn::Sub": UNKNOWN.sub(r"${\1}", text.replace("${", "${!"))}


def _pairs(ours: Sequence[str], theirs: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Their names with ours: the same ones, then those that are left, in order."""
    rest = [name for name in ours if name not in theirs]
    for name in theirs:
        if name in ours:
            yield name, name
        elif rest:
            yield name, rest.pop(0)
