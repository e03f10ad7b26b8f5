"""Schema violations as findings."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from clustergen.base.findings import Finding, Path, rename, safe
from clustergen.facts.schemas import Violation
from clustergen.overlay.merging import PATCH, RENAME
from clustergen.overlay.rules.schema import BAD_VALUE, COMBINATION, REQUIRED, UNKNOWN_KEY
from clustergen.overlay.suggestions import nearest, short, shortened, similar
from clustergen.spec.source.nodes import dotted

_DIRECTIVES: Mapping[str, tuple[str, str]] = {
    PATCH: ("$patch is `delete` or `replace`", "write KEY: null to delete a key of a mapping"),
    RENAME: ("$rename is for items of a list that have a name", "delete the key, and add another"),
}
"""Message and help for directives of an overlay that are not where they work."""

Place = Callable[[Path], Path]
"""The deepest path in the overlay that leads to a path of the merged document."""


def refusals(violation: Violation, place: Place) -> Iterator[Finding]:
    """The findings for one violation, at their places in the overlay."""
    match violation.keyword:
        case "additionalProperties":
            yield from _unknown_keys(violation, place)
        case "required":
            yield from _missing_keys(violation, place)
        case "not" | "oneOf" | "anyOf" if together := _together(violation):
            message = f"{_where(violation)}: {together}"
            help = "compare with the rendered document, and change the overlay"
            if _with(violation):
                help = "leave one of them out"
            yield COMBINATION.at(place(violation.path), message, help=help)
        case _:
            message, help = _bad_value(violation)
            yield BAD_VALUE.at(place(violation.path), message, help=help)


def once(violations: Sequence[Violation]) -> Iterator[Violation]:
    """``violations`` without repetitions.

    Text that is too short also violates its pattern; a key in the wrong case also looks missing; a
    number is neither text nor one of the allowed values.
    """
    unmatched = {v.path for v in violations if v.keyword == "pattern"}
    unlisted = {v.path for v in violations if v.keyword == "enum"}
    misspelt = {(v.path, key.lower()) for v in violations for key in _unknown(v)}
    for violation in violations:
        length = violation.keyword in ("minLength", "maxLength")
        missing = {(violation.path, key.lower()) for key in _missing(violation)}
        if violation.keyword == "type" and violation.path in unlisted:
            continue
        if not (length and violation.path in unmatched) and not missing & misspelt:
            yield violation


def _unknown(violation: Violation) -> list[str]:
    if violation.keyword != "additionalProperties":
        return []
    keys = set(violation.found) - set(violation.schema.get("properties", {}))
    return [key for key in sorted(keys) if repr(key) in violation.message]


def _missing(violation: Violation) -> list[str]:
    """The missing key of a violation, which only the validator's message names."""
    if violation.keyword != "required":
        return []
    return [key for key in violation.wanted if violation.message.startswith(repr(key))]


def _unknown_keys(violation: Violation, place: Place) -> Iterator[Finding]:
    known = violation.schema.get("properties", {})
    for key in _unknown(violation):
        at = place((*violation.path, key))
        if key in _DIRECTIVES:
            message, help = _DIRECTIVES[key]
            yield UNKNOWN_KEY.at(at, message, help=help, on_key=True)
            continue
        message = f"{_where(violation)} has no key {key}"
        near = similar(key, known)
        fix = safe(rename(at, near)) if near and at[-1:] == (key,) else None
        yield UNKNOWN_KEY.at(at, message, help=nearest(key, known), on_key=True, fix=fix)


def _missing_keys(violation: Violation, place: Place) -> Iterator[Finding]:
    for key in _missing(violation):
        message = f"{_where(violation)} needs {key}{_with(violation)}"
        help = f"give {key}" if _with(violation) else f"give {key}, or do not delete it"
        if key == "Type" and violation.path[:1] == ("Resources",) and len(violation.path) == 2:
            message = f"the template has no resource {violation.path[1]}"
            help = "use a name from the rendered template, or give Type to add a resource"
        yield REQUIRED.at(place((*violation.path, key)), message, help=help)


def _bad_value(violation: Violation) -> tuple[str, str]:
    key = _where(violation).rpartition(".")[2]
    match violation.keyword:
        case "enum":
            message = f"{key} cannot be {short(violation.found)}{_with(violation)}"
            return message, nearest(violation.found, violation.wanted)
        case "type":
            wanted = _kinds(violation.wanted)
            return f"{key} is {wanted}, not {short(violation.found)}", f"write {wanted}"
        case "pattern":
            message = f"{key}: {short(violation.found)} does not match the required pattern"
            return message, f"the pattern is {violation.wanted}"
        case _:
            limit = f"{violation.keyword} {short(violation.wanted)}"
            return f"{key}: {shortened(violation.message)}", f"the schema says {limit}"


def _where(violation: Violation) -> str:
    return dotted(violation.path) if violation.path else "the document"


def _together(violation: Violation) -> str:
    """The keys that the schema requires or forbids together; empty for other violations."""
    wanted = violation.wanted
    if not isinstance(violation.found, Mapping):
        return ""  # the kind of the value is the problem
    parts = wanted.get("anyOf", [wanted]) if isinstance(wanted, Mapping) else wanted
    if not all(isinstance(part, Mapping) and part.keys() == {"required"} for part in parts):
        return ""
    groups = [part["required"] for part in parts]
    if violation.keyword != "not":
        options = " or ".join(" with ".join(group) for group in groups)
        return f"{'exactly ' if violation.keyword == 'oneOf' else ''}one of {options} is needed"
    if "anyOf" not in wanted:
        return f"{' and '.join(groups[0])} cannot both be given"
    given = [
        " and ".join(group) for group in groups if all(key in violation.found for key in group)
    ]
    return f"{', '.join(given)} cannot be given{_with(violation) or ' here'}"


def _with(violation: Violation) -> str:
    """The value that the violated part of the schema depends on."""
    value = violation.schema.get("title")
    return f" with {value}" if value else ""


KIND_WORDS = {
    "array": "a list",
    "boolean": "true or false",
    "integer": "a whole number",
    "number": "a number",
    "object": "a mapping",
    "string": "text",
    "null": "null",
}


def _kinds(types: str | Sequence[str]) -> str:
    return " or ".join(KIND_WORDS[type] for type in ([types] if isinstance(types, str) else types))
