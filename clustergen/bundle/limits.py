"""What no service accepts of a rendered bundle: too many items, too long texts, too large files.

The limits of fields come from the service's own model, in the target's schema; those of whole
files are below. An overlay is checked where it is written, by :mod:`clustergen.overlay`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clustergen.base.artifacts import Bundle, Json
from clustergen.base.findings import Finding, Path
from clustergen.base.patterns import pattern
from clustergen.bundle.rules.accepted import TOO_MUCH
from clustergen.facts.schemas import Schema
from clustergen.services.aws import iam
from clustergen.services.aws.launch_templates import MAX_USER_DATA

_SIZES: Final = {
    "maxItems": "{} items, where the service takes at most {}",
    "maxProperties": "{} entries, where the service takes at most {}",
    "maxLength": "{} characters, where the service takes at most {}",
    "maximum": "{}, where the service takes at most {}",
    "minimum": "{}, where the service takes at least {}",
}
# https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html; 2026-11
_ENTRIES: Final = {"Resources": 500, "Outputs": 200, "Parameters": 200, "Mappings": 200}
_TEMPLATE_BYTES: Final = 1_000_000

_PLACES: Final[tuple[tuple[str, Path], ...]] = (
    ("LifecycleScripts", ("storage",)),
    ("Scripts", ("software", "scripts")),
    ("SecurityGroup", ("network",)),
    ("Subnet", ("network",)),
    ("Storage", ("storage",)),
    ("Mount", ("storage",)),
    ("Polic", ("storage",)),
    ("Queue", ("queues",)),
    ("Tags", ("tags",)),
    ("UserData", ("software",)),
)
"""Words of a path in a document, each with the part of a spec that its size follows."""

_PLACEHOLDER = pattern(r"\$\{[^!}][^}]*\}")


def refused(document: Mapping[str, Any], schema: Schema, bundle: Bundle) -> Iterator[Finding]:
    """Errors for what is larger than the service takes.

    ``document`` is the target's, before the overlay, for ``schema``; the files are all of a bundle.
    """
    for excess in schema.exceeded(document):
        yield _finding(excess.path, _SIZES[excess.keyword].format(excess.found, excess.wanted))
    for file in bundle:
        if file.path.endswith(".template.json"):
            for path, message in _of_template(json.loads(file.text), len(file.text.encode())):
                yield _finding((file.path, *path), message)


def _finding(path: Path, message: str) -> Finding:
    where = ".".join(map(str, path))
    place = next((at for word, at in _PLACES if word in where), ())
    help = "shorten this part of the spec, or spread its groups over two specs"
    return TOO_MUCH.at(place, f"{where}: {message}", help=help)


def _of_template(template: Json, size: int) -> Iterator[tuple[Path, str]]:
    if size > _TEMPLATE_BYTES:
        yield (), f"{size} bytes, where CloudFormation takes at most {_TEMPLATE_BYTES}"
    for section, most in _ENTRIES.items():
        if (count := len(template.get(section, ()))) > most:
            yield (section,), f"{count} entries, where CloudFormation takes at most {most}"
    for name, resource in template.get("Resources", {}).items():
        properties = resource.get("Properties", {})
        at = ("Resources", name)
        match resource["Type"]:
            case "AWS::IAM::ManagedPolicy":
                yield from _over(at, _length(properties["PolicyDocument"]), iam.MANAGED)
            case "AWS::IAM::Role":
                inline = [p["PolicyDocument"] for p in properties.get("Policies", ())]
                yield from _over((*at, "Policies"), sum(map(_length, inline)), iam.INLINE)
            case "AWS::EC2::LaunchTemplate":
                data = properties.get("LaunchTemplateData", {}).get("UserData", "")
                yield from _over((*at, "UserData"), _length(data), MAX_USER_DATA)


def _over(path: Path, length: int, most: int) -> Iterator[tuple[Path, str]]:
    if length > most:
        yield path, f"at least {length} characters, where the service takes at most {most}"


def _length(value: Any) -> int:
    """The least number of characters that ``value`` can have when its references are filled in."""
    match value:
        case {"Ref": _} | {"Fn::GetAtt": _} | {"Fn::ImportValue": _}:
            return 0
        case {"Fn::Base64": inner}:
            return _length(inner)
        case {"Fn::Sub": str(text)} | {"Fn::Sub": [str(text), *_]}:
            return len(_PLACEHOLDER.sub("", text))
        case {"Fn::Join": [str(between), list(parts)]}:
            return sum(map(_length, parts)) + len(between) * (len(parts) - 1)
        case {"Fn::If": [_, one, other]}:
            return min(_length(one), _length(other))
        case dict():
            entries = sum(len(key) + 3 + _length_in(inner) for key, inner in value.items())
            return 2 + entries + max(0, len(value) - 1)
        case list():
            return 2 + sum(map(_length_in, value)) + max(0, len(value) - 1)
        case str():
            return len(value)
        case _:
            return len(json.dumps(value))


def _length_in(value: Any) -> int:
    """The same within a document, where a text has quotes."""
    return _length(value) + (2 if isinstance(value, str) else 0)
