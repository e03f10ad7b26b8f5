"""Findings about invalid values of fields."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from clustergen.base.documents import value_at
from clustergen.base.findings import Finding, Fix, Path, corrected, drop, put, rename, safe, unsafe
from clustergen.spec import misplaced, patterns, sections
from clustergen.spec.patterns import DESCRIPTIONS
from clustergen.spec.quantities import number_in
from clustergen.spec.rules import form
from clustergen.spec.source.scalars import resolve

Error = Any
"""One of pydantic's error details, a TypedDict."""

_KINDS: Mapping[str, type] = {
    "string_type": str,
    "int_type": int,
    "int_from_float": int,
    "bool_type": bool,
    "list_type": list,
    "dict_type": dict,
    "model_type": dict,
    "model_attributes_type": dict,
}
_EXPECTED: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    bool: "true or false",
    list: "a list",
    dict: "a mapping",
}
_LIMITS = {
    "greater_than_equal": ("{0} is below {ge}", "write {ge} or more"),
    "less_than_equal": ("{0} is above {le}", "write {le} or less"),
    "too_short": ("an empty list", "give at least {min_length}"),
    "too_long": ("{1} entries", "write at most {max_length}"),
    "string_too_short": ("an empty text", "give at least {min_length} character"),
    "string_too_long": ("a text of {1} characters", "write at most {max_length}"),
}
_NAMES = frozenset(
    each.regex
    for each in (patterns.CLUSTER_NAME, patterns.NAME, patterns.LOGIN_NAME, patterns.SLURM_NAME)
)
_TAINT = re.compile(
    r"(?P<key>[^=:]+)(=(?P<value>[^=:]*))?:(?P<effect>NoSchedule|PreferNoSchedule|NoExecute)"
)
"""As kubectl takes it."""
_DURATION = re.compile(r"[0-9.]+ *(s|m|h|d|sec|min|minutes?|hours?)")
"""What is not repaired as a number: in which unit the field counts, its description says."""
_FORMS = frozenset((*DESCRIPTIONS.values(), "a whole number"))
# Words that are booleans in YAML 1.1 and many programs; here they are text.
_YES_AND_NO = {"yes": "true", "on": "true", "no": "false", "off": "false"}


def finding(path: Path, details: Sequence[Error], data: Any) -> Finding:
    """One finding about the value at ``path``; a field with several forms has an error for each."""
    if details[0]["loc"][-1] == "[key]":
        return replace(_of_kind(path, details[0], str(path[-1]), data), on_key=True)
    found = _finding(path, details, data)
    value = value_at(data, path)
    elsewhere = misplaced.of_addition(path, value) or misplaced.of_image(path, value)
    return replace(found, help=found.help or elsewhere or _about(path, data))


def _about(path: Path, data: Any) -> str:
    """The description of the field that contains ``path``, as fallback help."""
    for end in range(len(path), 0, -1):
        if text := sections.description(path[:end], data):
            return f"{path[end - 1]}: {text}"
    return ""


def _finding(path: Path, details: Sequence[Error], data: Any) -> Finding:
    value = value_at(data, path)
    own = next((detail["ctx"] for detail in details if detail["type"] == "clustergen"), None)
    words = [word for detail in details for word in _words(detail)]
    options = [word for word in words if word not in _FORMS]
    near = nearest(value, options) if isinstance(value, str) else []
    if own and near:
        # A misspelt word where another form is possible too, as in `idle_timeout: nevr`.
        meant = corrected(path, str(value), near[0])
        return form.VALUE.at(path, own["message"], help=f"did you mean {near[0]}?", fix=meant)
    if own:
        return form.VALUE.at(path, own["message"], help=own["help"], fix=_own_fix(path, own))
    if details[0]["type"] == "union_tag_not_found":
        types = ", ".join(sections.types(path, data))
        return form.MISSING.at(path, "`type` is missing", help=f"add type: one of {types}")
    if len(words) > 1 or details[0]["type"] == "literal_error":
        found = _not_an_option(path, value, words, near)
        formed = [d for d in details if d["type"] == "string_pattern_mismatch"]
        repaired = next(filter(None, (_repaired([d], value) for d in formed)), "")
        if found.help or not repaired:
            return found
        return replace(found, help=f"write {repaired}", fix=safe(put(path, repaired)))
    if details[0]["type"] == "string_pattern_mismatch":
        repaired = _repaired(details, value)
        help = f"write {repaired}" if repaired else ""
        fix = safe(put(path, repaired)) if repaired else None
        return form.VALUE.at(path, f"{value!r} is not {words[0]}", help=help, fix=fix)
    return _of_kind(path, details[0], value, data)


def nearest(word: str, options: Sequence[str], cutoff: float = 0.6) -> list[str]:
    """The option that ``word`` probably means, in any case; None if there is none."""
    lower = {option.lower(): option for option in options}
    meant = _YES_AND_NO.get(word.lower(), "")
    if meant in lower:
        return [meant]
    near = difflib.get_close_matches(word.lower(), list(lower), n=1, cutoff=cutoff)
    return [lower[name] for name in near]


def _words(detail: Error) -> list[str]:
    """The valid options or form, from ``detail``."""
    context = detail.get("ctx") or {}
    match detail["type"]:
        case "literal_error":
            return _quoted(context["expected"].replace(" or ", ", "))
        case "union_tag_invalid":
            return _quoted(context["expected_tags"])
        case "string_pattern_mismatch":
            return [DESCRIPTIONS[context["pattern"]]]
        case "bool_type":
            return ["true", "false"]
        case "int_type":
            return ["a whole number"]
        case _:
            return []


def _quoted(expected: str) -> list[str]:
    return re.findall(r"[^',\s]+", expected)


def _not_an_option(path: Path, value: Any, words: Sequence[str], near: Sequence[str]) -> Finding:
    if set(words) == {"true", "false"}:
        near = near or [word for word in words if value == (word == "true")]
        help = f"write {near[0]}" if near else ""
        fix = safe(put(path, near[0] == "true")) if near else None
        message = f"expected true or false, found {_shown(value)}"
        return form.TYPE.at(path, message, help=help, fix=fix)
    if isinstance(value, str) and value in words:
        fix = safe(put(path, resolve(value)))
        message = f"{value} in quotes is text"
        return form.TYPE.at(path, message, help="write it without quotes", fix=fix)
    help = f"did you mean {near[0]}?" if near else ""
    fix = corrected(path, str(value), near[0]) if near else None
    if value is False and "none" in words:
        help, fix = "write none", safe(put(path, "none"))
    if value == "none" and "false" in words:
        help, fix = "write false", safe(put(path, False))
    if value is None:
        return form.TYPE.at(path, "expected a value, found nothing", help=help)
    if len(words) == 1:
        help = help or f"write {words[0]}"
        fix = fix or unsafe(put(path, resolve(words[0])))
    shown = _shown(value) if isinstance(value, bool | dict | list | None) else repr(value)
    return form.OPTION.at(path, f"{shown} is not {_one_of(words)}", help=help, fix=fix)


def _one_of(words: Sequence[str]) -> str:
    forms = [word for word in words if word in _FORMS]
    if len(words) > 1 and forms:
        fixed = [f"`{word}`" for word in words if word not in _FORMS]
        return " or ".join([", ".join(fixed), *forms] if fixed else forms)
    return f"one of {', '.join(words)}" if len(words) > 1 else f"{words[0]}, the only choice"


def _repaired(details: Sequence[Error], value: Any) -> str:
    """A name in valid form, if only its form is invalid."""
    pattern = details[0]["ctx"]["pattern"]
    text = re.sub(r"[^A-Za-z0-9]+", "-", str(value)).strip("-")
    names = (text.lower(), text) if pattern in _NAMES else ()
    for repaired in (*names, *_with_beginning(str(value))):
        if re.search(pattern, repaired):
            return str(repaired)
    return ""


def _own_fix(path: Path, own: Mapping[str, Any]) -> Fix | None:
    """The fix that a validator of the field offers."""
    if "write" not in own:
        return None
    change = put(path, own["write"])
    return safe(change) if own["is_safe"] else unsafe(change)


def _with_beginning(value: str) -> Iterator[str]:
    """The value as an id, a path or a place in S3, whose beginning is missing or misspelt."""
    digits = re.search(r"([0-9a-f]{17}|[0-9a-f]{8})$", value)
    if digits:
        yield from (f"{kind}-{digits[0]}" for kind in patterns.ID_KINDS)
    if re.fullmatch(r"[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*", value):
        yield f"/{value}"
    yield re.sub(r"^(s3:)?/*", "s3://", value)


def _of_kind(path: Path, detail: Error, value: Any, data: Any) -> Finding:
    kind = detail["type"]
    if kind in _LIMITS:
        length = len(value) if isinstance(value, str | list | dict) else 0
        message, help = (t.format(value, length, **detail["ctx"]) for t in _LIMITS[kind])
        if kind == "greater_than_equal" and (more := misplaced.of_bound(path)):
            help = f"{help}: {more}"
        bound = next((detail["ctx"][name] for name in ("ge", "le") if name in detail["ctx"]), None)
        fix = None if bound is None else unsafe(put(path, bound))
        return form.VALUE.at(path, message, help=help, fix=fix)
    if expected := _KINDS.get(kind):
        message = f"expected {_EXPECTED[expected]}, found {_shown(value)}"
        several = f"{path[-1]}s"  # `instance_type` takes one, `instance_types` takes several
        if isinstance(value, list) and several in sections.keys(path[:-1], data):
            fix = safe(rename(path, several))
            return form.TYPE.at(path, message, help=f"write {several}: a list", fix=fix)
        help, meant = _repaired_kind(path, expected, value, data)
        if meant is None and value is None:
            return form.TYPE.at(path, message, help=help, fix=unsafe(drop(path)))
        fix = None if meant is None else safe(put(path, meant))  # 0 is a meaning, too
        return form.TYPE.at(path, message, help=help, fix=fix)
    message = detail["msg"]
    return form.VALUE.at(path, message[:1].lower() + message[1:])


def _repaired_kind(path: Path, expected: type, value: Any, data: Any) -> tuple[str, Any]:
    """How to write the value in the kind that the field accepts, and that value if it is known."""
    if expected is int and isinstance(value, str):
        number = None if _DURATION.fullmatch(value) else number_in(value)
        return ("", None) if number is None else (f"write {number}", number)
    if expected is str and isinstance(value, list) and len(value) == 1:
        return f"write {value[0]}, which is no list", None
    if expected is str and isinstance(value, bool | int | float):
        return f'write "{_plain(value)}", in quotes', _plain(value)
    if expected is list:
        one = isinstance(value, str)
        return (f"write [{value}]", [value]) if one else ("begin each item with `- `", None)
    if expected is dict:
        known = sections.keys(path, data)
        if meant := _as_mapping(value, known, sections.main_key(path, data)):
            return f"write {_flow(meant)}", meant
        if value is True and known and not sections.required(path, data):
            return "write {}", {}
        return f"known here: {', '.join(known)}" if known else "write key: value", None
    return "", None


def _as_mapping(value: Any, known: Sequence[str], main_key: str | None) -> dict[str, Any]:
    """The mapping that was meant by a list of its keys, a taint or a single text."""
    if isinstance(value, list) and value and all(item in known for item in value):
        return {item: {} for item in value}
    if not isinstance(value, str):
        return {}
    if taint := _TAINT.fullmatch(value):
        given = {name: text for name, text in taint.groupdict().items() if text}
        if set(given) <= set(known):
            return given
    return {main_key: value} if main_key else {}


def _flow(mapping: Mapping[str, Any]) -> str:
    texts = (f"{key}: {'{}' if value == {} else value}" for key, value in mapping.items())
    return f"{{{', '.join(texts)}}}"


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(value: object) -> str:
    match value:
        case None:
            return "nothing"
        case bool():
            return _plain(value)
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return f"the text {value!r}"
        case _:
            return f"the number {value}"
