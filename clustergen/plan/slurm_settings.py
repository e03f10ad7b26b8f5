"""Settings that Slurm or the service would reject.

Each function checks one setting of a spec or an overlaid document, and returns a problem or None.
The rules of :mod:`clustergen.rules.services.settings` and of the targets' documents call them.
"""

import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from clustergen.base.findings import Fix, Problem, Severity, corrected, drop, rename, safe, unwanted
from clustergen.base.patterns import pattern
from clustergen.facts.catalog import slurm, slurm_values
from clustergen.facts.catalog.slurm import Scope
from clustergen.plan.limits import SlurmSettings
from clustergen.plan.model import Database, Plan
from clustergen.plan.slurm import Setting

_PLACES: Mapping[Scope, str] = {
    "cluster": "slurm.settings",
    "partition": "a queue's slurm",
    "node": "a node group's slurm",
    "slurmdbd": "slurm.slurmdbd_settings",
    "cgroup": "slurm.cgroup_settings",
}
"""Names in messages for the part of the spec with the settings of a scope."""


class Service(NamedTuple):
    """The service that the settings are for, and its Slurm version."""

    title: str
    limits: SlurmSettings
    version: str
    """The Slurm version; empty if unknown."""
    database: bool
    """Whether the cluster uses an external accounting database."""


def service_of(plan: Plan) -> Service | None:
    """The service of a plan; None if it does not run Slurm."""
    limits = plan.limits
    if limits.slurm_settings is None:
        return None
    version = plan.slurm.version or limits.default_slurm_version
    database = isinstance(plan.slurm.accounting, Database)
    return Service(limits.title, limits.slurm_settings, version, database)


def unknown(setting: Setting, service: Service) -> Problem | None:
    """The problem with a key that Slurm does not have there."""
    known = slurm.find(setting.scope, setting.name)
    accepted = service.limits.accepted.get(setting.scope, frozenset())
    own = service.limits.own.get(setting.scope, frozenset())
    if known or setting.name.lower() in accepted | own:
        return None
    message = f"Slurm has no {setting.name} in {_PLACES[setting.scope]}"
    if near := _similar(setting, accepted):
        fix = safe(rename(setting.path, near))
        return Problem(setting.path, message, f"did you mean {near}?", on_key=True, fix=fix)
    scopes = slurm.scopes_of(setting.name.lower())
    help = "remove it; slurmctld does not start with an unknown key"
    return unwanted(setting.path, message, _belongs(scopes) or help, on_key=True)


def _similar(setting: Setting, accepted: frozenset[str]) -> str:
    """The key that was probably meant; empty if there is none, or if it belongs elsewhere."""
    name = setting.name.lower()
    if near := difflib.get_close_matches(name, accepted, n=1, cutoff=0.75):
        return slurm.spelt(setting.scope, near[0])
    return "" if slurm.scopes_of(name) else slurm.nearest(setting.scope, name) or ""


def _belongs(scopes: Sequence[Scope]) -> str:
    """Where to write a setting of one of ``scopes``; empty without them."""
    return f"it belongs in {' or '.join(_PLACES[scope] for scope in scopes)}" if scopes else ""


def not_taken(setting: Setting, service: Service) -> Problem | None:
    """The problem with a key that the service writes itself or does not accept."""
    name, limits = setting.name.lower(), service.limits
    accepted = limits.accepted.get(setting.scope)
    own = limits.own.get(setting.scope, frozenset())
    if setting.scope == "cluster" and service.database:
        own |= limits.own_with_database
    key = slurm.find(setting.scope, name)
    if key and key.form == "line":
        message = f"{setting.name} begins a line of slurm.conf"
        help = "describe partitions as queues, and nodes as node groups"
    elif name in own:
        message = f"{service.title} sets {setting.name} itself"
        help = limits.instead.get(name, "remove it")
    elif accepted is not None and name not in accepted and key:
        place = _PLACES[setting.scope]
        message = f"{service.title} does not accept {setting.name} in {place}"
        help = _instead_of_rejected(setting, limits)
    else:
        return None
    return unwanted(setting.path, message, help, on_key=True, source=limits.source)


def _instead_of_rejected(setting: Setting, limits: SlurmSettings) -> str:
    name = setting.name.lower()
    if name in limits.instead:
        return limits.instead[name]
    scopes = [scope for scope, names in limits.accepted.items() if name in names]
    accepted = len(limits.accepted[setting.scope])
    help = f"remove it; the page lists the {accepted} settings of {_PLACES[setting.scope]}"
    return _belongs(scopes) or help


# https://slurm.schedmd.com/slurm.conf.html: # begins a comment, \ at the end continues the line,
# and a value with blanks is quoted, in the spec or by the emitter.
_NAME = pattern(r"[A-Za-z][A-Za-z0-9]*")
_LINE = pattern(r'"[^"#\x00-\x1f\x7f]+"|(?! )[^"#\x00-\x1f\x7f]*[^"#\x00-\x20\x7f\\]')
_WORD = pattern(r'[^"#\x00-\x20\x7f]*[^"#\x00-\x20\x7f\\]')


def unreadable(setting: Setting, _: Service) -> Problem | None:
    """The problem with a name or value that would not be exactly one setting in the file."""
    if not _NAME.fullmatch(setting.name):
        return Problem(
            setting.path,
            f"{setting.name!r} is not a name of a setting",
            help="write a name of letters and digits, such as MaxTime",
            on_key=True,
        )
    # The settings of a partition or node are words of one line.
    is_word = setting.scope in ("partition", "node")
    if (_WORD if is_word else _LINE).fullmatch(setting.value):
        return None
    return Problem(
        setting.path,
        f"Slurm would not read {setting.value!r} as one value of {setting.name}",
        help="write it on one line, without #, quotes inside and \\ at the end"
        + (", without blanks" if is_word else ""),
    )


def _value(setting: Setting, service: Service, *, ignored: bool) -> Problem | None:
    key = slurm.find(setting.scope, setting.name)
    if key is None or key.ignored != ignored or unreadable(setting, service):
        return None
    wrong = slurm_values.wrong(key, setting.value, service.version)
    if wrong is None:
        return None
    does = "ignores" if ignored else "does not read"
    part = "" if wrong.value == setting.value else f" in {setting.value}"
    return Problem(
        setting.path,
        f"Slurm {does} {wrong.value!r}{part} as {key.name}",
        help=f"write {wrong.wanted}",
        fix=_fix_of_value(setting, wrong),
    )


misread = partial(_value, ignored=False)
"""The problem with a value that prevents Slurm from starting."""
ignored = partial(_value, ignored=True)
"""The problem with a value that Slurm ignores."""


def _fix_of_value(setting: Setting, wrong: slurm_values.Wrong) -> Fix | None:
    if not wrong.is_word:
        return None
    fixed = setting.value.replace(wrong.value, wrong.wanted, 1)
    return corrected(setting.path, setting.value, fixed)


_NEWEST_UNKNOWN = "24.11"
"""The minimum version in images of unknown version, as of 2026-11."""


def versions(setting: Setting, service: Service) -> Problem | None:
    """The problem with a key that this version of Slurm no longer reads, or does not read yet."""
    key = slurm.find(setting.scope, setting.name)
    if key is None:
        return None
    since = max(key.since, service.limits.since.get(setting.name.lower(), ""))
    known = service.version or _NEWEST_UNKNOWN
    if since > known:
        has = f"the cluster has {service.version}" if service.version else "the image may be older"
        return unwanted(
            setting.path,
            f"{key.name} needs Slurm {since}; {has}",
            help=f'remove it, or write slurm.version: "{since}" where the service offers it',
            severity=None if service.version else Severity.WARNING,
            on_key=True,
        )
    if key.until and key.until < known:
        message = f"Slurm has no {key.name} any more: the last version with it was {key.until}"
        return unwanted(setting.path, message, "remove it", on_key=True)
    if key.defunct and key.defunct <= known:
        return Problem(
            setting.path,
            f"{key.name} has no effect since Slurm {key.defunct}",
            help="remove it",
            fix=safe(drop(setting.path)),
            severity=Severity.WARNING,
            on_key=True,
        )
    return None


CHECKS: tuple[Callable[[Setting, Service], Problem | None], ...] = (
    unknown,
    not_taken,
    unreadable,
    misread,
    versions,
)
"""The checks for errors."""


def errors(settings: Iterable[Setting], service: Service) -> Iterator[Problem]:
    """All errors in settings, for the one rule that checks overlaid documents."""
    for setting in settings:
        yield from filter(None, (check(setting, service) for check in CHECKS))
