"""JSON in bundles: the text of the standard library."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustergen.base.artifacts import json_text
from clustergen.base.yaml_text import Lines
from tests.support.tiers import share

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=20,
)


@settings(max_examples=share(300))
@given(DOCUMENTS)
def test_the_text_is_that_of_the_standard_library(document: object) -> None:
    assert json_text(document) == json.dumps(document, indent=2, ensure_ascii=False)


@pytest.mark.parametrize("document", [(1, (2,)), {None: 1, True: 2, 1.5: 3}, Lines("a\nb"), {}, []])
def test_unusual_values(document: object) -> None:
    assert json_text(document) == json.dumps(document, indent=2, ensure_ascii=False)


def test_what_json_cannot_hold() -> None:
    with pytest.raises(TypeError):
        json_text({"a": {1}})
