"""Reading with the stored core schema is reading with the models."""

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from pydantic_core import ValidationError

from clustergen.base.findings import EXAMPLE_BASE
from clustergen.base.resources import tree
from clustergen.checking.registry import every
from clustergen.spec import core_schema, source
from tests.support import checking
from tests.support.tiers import share
from tools.spec import build
from tools.spec.declared import language

BASE = source.read_text(EXAMPLE_BASE)[0]
SPECS = sorted(tree("specs").glob("*.yaml"))


def plain(value: Any) -> Any:
    """Sections, of models or not, as plain data, with the fields that were written."""
    if isinstance(value, BaseModel | core_schema.Section):
        fields = {key: plain(inner) for key, inner in vars(value).items()}
        return fields, sorted(value.__pydantic_fields_set__)
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    return [plain(inner) for inner in value] if isinstance(value, list) else value


def outcome(read: Any, data: Any) -> Any:
    """What reading ``data`` gives: the spec, or all errors in full."""
    try:
        return plain(read(data))
    except ValidationError as error:
        return [
            (e["type"], e["loc"], e["msg"], str(e.get("ctx")))
            for e in error.errors(include_url=False)
        ]


def test_the_file_is_up_to_date() -> None:
    for file, made in build.files().items():
        assert file.read_text(encoding="utf-8") == made


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_a_spec_reads_the_same(path: Any) -> None:
    document = source.read([path])[0]
    assert document is not None
    read = outcome(core_schema.read, document.data)
    assert isinstance(read, tuple)
    assert read == outcome(language().model_validate, document.data)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("rule", [r for r in every() if r.bad], ids=lambda rule: rule.code)
def test_an_example_reads_the_same(rule: Any) -> None:
    for text in (rule.bad, rule.good):
        document = source.read_text(text)[0]
        assert BASE is not None
        if document is None:
            continue
        whole = not isinstance(document.data, dict) or "version" in document.data
        data = document.data if whole else source.merge(BASE.data, document.data)
        assert outcome(core_schema.read, data) == outcome(language().model_validate, data)


VALUES = st.one_of(
    *(st.none(), st.booleans(), st.integers(-2, 70000), st.text(max_size=6), st.floats(0, 9)),
    st.sampled_from(["auto", "spot", "500GiB", "7d", "10.0.0.0/16", "p5.48xlarge", {}, [], [{}]]),
)


def places(data: Any, path: tuple[Any, ...] = ()) -> Any:
    entries = data.items() if isinstance(data, dict) else enumerate(data)
    for step, value in entries:
        yield (*path, step)
        if isinstance(value, dict | list):
            yield from places(value, (*path, step))


def replaced(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = replaced(data[path[0]], path[1:], value)
    return copy


EVERY_FIELD = source.read([checking.EVERY_FIELD])[0]
assert EVERY_FIELD is not None
PLACES = list(places(EVERY_FIELD.data))


@settings(max_examples=share(400))
@given(st.sampled_from(PLACES), VALUES)
def test_a_changed_spec_reads_the_same(path: tuple[Any, ...], value: Any) -> None:
    assert EVERY_FIELD is not None
    data = replaced(EVERY_FIELD.data, path, value)
    assert outcome(core_schema.read, data) == outcome(language().model_validate, data)


def test_a_check_loads_no_models() -> None:
    """Not even to explain errors."""
    check = ["check", str(SPECS[0]), "--target", "all"]
    code = (
        f"import sys; from clustergen.cli import main; main({check}); "
        f"main([*{check}, '--set', 'naem=x', '--set', 'node_groups.0.count=many']); "
        "sys.exit('pydantic.main' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
