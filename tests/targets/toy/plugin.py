"""A plugin of pytest: `-p tests.targets.toy.plugin` registers the toy, and gives it rows in the
tables.

A real target would have these rows in the tables themselves, which CONTRIBUTING names.
"""

from dataclasses import replace

from clustergen import targets

targets.register("toy", "tests.targets.toy")

# They list the targets when they are imported.
from tests.plan.features import table  # noqa: E402
from tests.plan.features.evidence import Evidence  # noqa: E402
from tests.targets import test_specs  # noqa: E402

EVIDENCE = {
    "capacity.on-demand": '"capacity": "on-demand"',
    "capacity.spot": '"capacity": "spot"',
    "instances.hpc": '"hpc7a.96xlarge"',
    "nodes.image": '"image": "ami-',
    "nodes.scaling": r'"nodes": \[\s*0,',
}
RENDERED = {"single-gpu-dev"}

for feature, pattern in EVIDENCE.items():
    row = table.TABLE[feature]
    shown = Evidence(r"toy\.json", pattern)
    vars(table)["TABLE"][feature] = replace(row, evidence={**row.evidence, "toy": shown})
for name, answers in test_specs.ANSWERS.items():
    answers["toy"] = set() if name in RENDERED else {"SUP001"}
# A rule for all targets: permissions beside an existing role.
test_specs.ANSWERS["every-field"]["toy"] |= {"IAM005"}
