"""Expressions that choose instance types."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clustergen.base.text_lists import word_set, words
from clustergen.facts.catalog.select import FIELDS, SelectionError, select

P4_TO_P6 = list(
    words("""
    p4d.24xlarge p4de.24xlarge p5.48xlarge p5.4xlarge p5e.48xlarge p5en.48xlarge p6-b200.48xlarge
    p6-b300.48xlarge p6e-gb200.36xlarge
""")
)

CHOSEN = [
    ("efa and accelerator=H200", ["p5e.48xlarge", "p5en.48xlarge"]),
    ("EFA and ACCELERATOR=h200", ["p5e.48xlarge", "p5en.48xlarge"]),
    ("capacity-block and gpus>0", P4_TO_P6),
    ("capacity_block and gpus>0", P4_TO_P6),
    ("capacity-block and neuron-devices=16", ["trn1.32xlarge", "trn2.48xlarge", "trn2u.48xlarge"]),
    ("memory>=4TiB and gpus>0", ["p6-b300.48xlarge"]),
    ("memory>=4096 and gpus>0", ["p6-b300.48xlarge"]),
    ("network>=6.4Tbps", ["p6-b300.48xlarge"]),
    ("name=p5*.48xlarge", ["p5.48xlarge", "p5e.48xlarge", "p5en.48xlarge"]),
    ('name="p5en.48xlarge"', ["p5en.48xlarge"]),
    ("gpus=8 and arch=arm64 or name=p5e.48xlarge", ["p5e.48xlarge"]),
    ("name=p5e.48xlarge or arch=arm64 and gpus=4", ["p5e.48xlarge", "p6e-gb200.36xlarge"]),
    ("(name=p5e.48xlarge or arch=arm64) and gpus=4", ["p6e-gb200.36xlarge"]),
    ("capacity-block and not spot", ["p6e-gb200.36xlarge", "trn2u.48xlarge"]),
    ("capacity-block and not not spot=false", ["p6e-gb200.36xlarge", "trn2u.48xlarge"]),
    ("zone=use1-az6 and accelerator=B*", ["p6-b200.48xlarge", "p6-b300.48xlarge"]),
    ("region=sa-east-1 and accelerator=trainium2", ["trn2.3xlarge"]),
    ("accelerator!=H200 and family=p5*", ["p5.48xlarge", "p5.4xlarge"]),
    ("accelerator != H200 and family == p5*", ["p5.48xlarge", "p5.4xlarge"]),
    ("price>100 and gpus>0", ["p6-b200.48xlarge", "p6-b300.48xlarge"]),
    ("ultraserver", ["p6e-gb200.36xlarge", "trn2u.48xlarge"]),
    ("gpus>1000", []),
]


# Each of these lacks one of the conditions of some expression, and has the others.
NEARLY = word_set("u7i-12tb.224xlarge g5.12xlarge hpc7g.16xlarge inf1.24xlarge")
KNOWN = NEARLY | {name for _, names in CHOSEN for name in names}


@pytest.mark.parametrize(("expression", "names"), CHOSEN)
def test_chosen(expression: str, names: list[str]) -> None:
    """Of the types in the table: others that EC2 gets since are no concern of it."""
    assert [one.name for one in select(expression) if one.name in KNOWN] == names


# expression, part of the message, position of the mistake
WRONG = [
    ("", "the filter is empty", 0),
    ("  ", "the filter is empty", 0),
    ("efa and", "a field is missing", 7),
    ("efa and and", "expected a field", 8),
    ("efa efa", "expected and, or", 4),
    ("(efa", "not closed", 0),
    ("efa)", "expected and, or", 3),
    ("()", "expected a field", 1),
    ("vcpus", "needs a value", 0),
    ("arch", "needs a value", 0),
    ("vcpus>", "a value is missing", 6),
    ("vcpus>many", "not a number", 6),
    ("vcpus>1GiB", "not a number", 6),
    ("memory>1GB", "with or without mib, gib, tib", 7),
    ("efa=maybe", "either true or false", 4),
    ("efa>true", "has no order", 3),
    ("arch>=arm64", "has no order", 4),
    ("acelerator=H200", "did you mean accelerator?", 0),
    ("accelerator=H2000", "did you mean H200?", 12),
    ("region=us-est-1", "no instance type has region=us-est-1", 7),
    ("region=cn-north-1", "no instance type has", 7),
    ("efa and  !spot", "cannot be read", 9),
    ('name="p5', "cannot be read", 5),
    ("name=[p5", "no instance type has", 5),
    ("(" * 5000, "more than 20", 20),
]


@pytest.mark.parametrize(("expression", "message", "position"), WRONG)
def test_a_mistake_has_a_message_and_a_position(
    expression: str, message: str, position: int
) -> None:
    with pytest.raises(SelectionError) as caught:
        select(expression)
    assert message in caught.value.message
    assert caught.value.position == position


WORDS = ["and", "or", "not", "(", ")", "=", "!=", ">=", "<", '"', "*", "8", "H200", *FIELDS]


@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_any_text_is_a_selection_or_a_selection_error(expression: str) -> None:
    position, names = _mistake_or_names(expression)
    assert 0 <= position <= len(expression)
    assert names == sorted(names)


def _mistake_or_names(expression: str) -> tuple[int, list[str]]:
    try:
        return 0, [instance.name for instance in select(expression)]
    except SelectionError as error:
        return error.position, []
