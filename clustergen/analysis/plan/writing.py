"""Writing out the defaults of a spec."""

from collections.abc import Collection, Iterator
from typing import Any

from clustergen.analysis.plan import resolved
from clustergen.analysis.plan.model import Default, ExpandedSpec
from clustergen.analysis.plan.yaml import as_yaml
from clustergen.base import secrets
from clustergen.base.findings import Path
from clustergen.checking import compiler
from clustergen.checking.compiler import Checked
from clustergen.plan.model import Plan
from clustergen.spec.core_schema import Section
from clustergen.spec.quantities import format_duration


def expand(checked: Checked, target: str) -> ExpandedSpec:
    """The expanded spec of ``checked`` for ``target``, with stand-ins for secrets.

    :raises KeyError: if it was not planned for ``target``.
    """
    plan = checked.plans[target]
    everything = _Writer(plan).expanded(checked)
    again = compiler.check_text(as_yaml(everything), targets=[target])
    idle = list(_idle(everything, checked, again))
    found = _Writer(plan, frozenset(idle)).expanded(checked) if idle else everything
    return found._replace(spec=secrets.replaced(found.spec))


def _idle(expanded: ExpandedSpec, before: Checked, after: Checked) -> Iterator[Path]:
    """The defaults that get a finding if the spec has them."""
    known = {(finding.code, finding.path) for finding in before.findings}
    new = {f.path for f in after.findings if f.path and (f.code, f.path) not in known}
    return (path for path in expanded.defaults if any(path[: len(at)] == at for at in new))


class _Writer:
    """Collects the defaults for a plan, except those at the paths ``left_out``."""

    def __init__(self, plan: Plan, left_out: Collection[Path] = ()) -> None:
        self.plan = plan
        self.left_out = left_out
        self.resolved = resolved.values(plan)
        self.unused = resolved.unused(plan)
        self.defaults: dict[Path, Default] = {}

    def expanded(self, checked: Checked) -> ExpandedSpec:
        spec = self._section(checked.spec, checked.data, ())
        return ExpandedSpec(self.plan, spec, self.defaults)

    def _section(self, section: Any, data: Any, path: Path) -> dict[str, Any]:
        """A section in the order of the language: what is in ``data``, and defaults."""
        entries = {_key(name, path): value for name, value in vars(section).items()}
        found = {key: self._value(v, data.get(key), (*path, key)) for key, v in entries.items()}
        return {
            key: value
            for key, value in found.items()
            if value is not None and (value != {} or data.get(key) is not None)
        }

    def _value(self, value: Any, data: Any, path: Path) -> Any:
        """What to write at ``path``, where the user wrote ``data``; None for nothing."""
        if path in self.unused:
            return data
        found = self.resolved.get(path)
        if found and data in (None, "auto") and found.value != data:
            return self._default(path, found)
        if data is None:
            return self._open(value, path)
        if isinstance(data, list):
            pairs = zip(value, data, strict=True) if _has_sections(value) else ()
            return [self._value(*pair, (*path, i)) for i, pair in enumerate(pairs)] or data
        if isinstance(value, Section) and isinstance(data, dict):
            return self._section(value, data, path)
        return data

    def _open(self, value: Any, path: Path) -> Any:
        """What to write for a value that the user left open."""
        if isinstance(value, Section):
            return self._section(value, {}, path)
        if value is None or value in ("", [], {}):
            return None
        return self._default(path, Default(format_duration(value) if path in _TIMES else value))

    def _default(self, path: Path, default: Default) -> Any:
        if path in self.left_out:
            return None
        self.defaults[path] = default
        return default.value


_TIMES = (("monitoring", "interval"), ("monitoring", "log_retention"), ("slurm", "idle_timeout"))
"""The defaults that are times, in seconds."""


def _has_sections(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, Section) for item in value)


def _key(name: str, path: Path) -> str:
    """The key in the spec of a field of the models."""
    return name.replace("_", "-") if path == ("targets",) else name.removesuffix("_")
