"""What a target must provide: each missing part is one sentence."""

import dataclasses
import importlib.util
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from clustergen import targets
from clustergen.plan import model
from clustergen.plan.features import FEATURES
from clustergen.plan.limits import Limits
from clustergen.spec import target_fields
from clustergen.targets import Target
from clustergen.targets.target import IncompleteTarget
from tests.support.checking import Fragments

PCS = targets.load("pcs")


def problems(name: str, target: Target) -> Iterator[str]:
    """What is missing of ``target``, which is registered as ``name``."""
    if target.name != name:
        yield f"its traits call it {target.name!r}"
    if not (target.title and target.limits.title):
        yield "title or limits.title is empty, the name that messages use"
    yield from options_without_words(target)
    known = {feature.id for feature in FEATURES}
    if missing := sorted(known - target.support.keys()):
        yield f"support lacks {', '.join(missing)}"
    if unknown := sorted(target.support.keys() - known):
        yield f"support lists {', '.join(unknown)}, which are no features"
    if not target.schema.path.is_file():
        yield f"missing schema {target.schema.path.name}"
    for module in filter(None, (target.emitter, target.fee_module)):
        if importlib.util.find_spec(module) is None:
            yield f"missing module {module}"


def options_without_words(target: Target) -> Iterator[str]:
    """Whether the compiled language has the target's options, if it has any."""
    own = {field.name for field in dataclasses.fields(target.traits.options)}
    section = target.traits.section
    if section in target_fields():
        written = target_fields()[section] - {"overlay"}
        if changed := sorted(written ^ own):
            program = "run `python -m tools.spec.build`"
            yield f"the language does not have {', '.join(changed)} as the options do: {program}"
    elif section or own:
        yield f"the language has no section targets.{section} for its options"


def traits(**changes: Any) -> model.Traits:
    return replace(PCS.traits, **changes)


def without(feature: str) -> Mapping[str, Any]:
    return {id: answer for id, answer in PCS.support.items() if id != feature}


@dataclass(frozen=True, slots=True)
class Few(model.Options):
    """Options that lack what the language has, and have what it lacks."""

    size: str
    color: str


MAGIC = {**PCS.support, "nodes.magic": PCS.support["nodes.mig"]}
FAULTS: list[tuple[Target, str]] = [
    (replace(PCS, traits=traits(name="psc")), "its traits call it 'psc'"),
    (replace(PCS, title=""), "title or limits.title is empty"),
    (replace(PCS, traits=traits(limits=Limits())), "title or limits.title is empty"),
    (replace(PCS, traits=traits(options=Few)), "purge_accounting, rest, stack as the options do"),
    (replace(PCS, traits=traits(section="psc")), "has no section targets.psc for its options"),
    (replace(PCS, support=without("nodes.mig")), "support lacks nodes.mig"),
    (replace(PCS, support=MAGIC), "support lists nodes.magic, which are no features"),
    (replace(PCS, schema=replace(PCS.schema, file="psc.json")), "missing schema psc.json"),
    (replace(PCS, emitter="clustergen.emitter"), "missing module clustergen.emitter"),
]


@pytest.mark.parametrize(("target", "message"), FAULTS, ids=[message for _, message in FAULTS])
def test_a_missing_part_is_one_sentence(target: Target, message: str) -> None:
    assert message in "\n".join(problems("pcs", target))


def test_options_that_the_language_lacks() -> None:
    @dataclass(frozen=True, slots=True)
    class More(PCS.traits.options):  # type: ignore[misc, name-defined]
        color: str = ""

    (problem,) = problems("pcs", replace(PCS, traits=traits(options=More)))
    assert "does not have color as the options do" in problem


def test_missing_rules_are_detected() -> None:
    lacking = replace(PCS, rule_packages=("clustergen.targets.pcs.roles",))
    with pytest.raises(ModuleNotFoundError, match=r"clustergen\.targets\.pcs\.roles"):
        list(lacking.check(Fragments("pcs").plan()))


def test_an_emitter_without_its_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    empty = types.ModuleType("empty_emitter")
    monkeypatch.setitem(__import__("sys").modules, "empty_emitter", empty)
    with pytest.raises(IncompleteTarget, match="has no deployment, document, emit, values"):
        replace(PCS, emitter="empty_emitter").document(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", targets.NAMES)
def test_every_target_is_complete(name: str) -> None:
    assert list(problems(name, targets.load(name))) == []
