"""EC2's facts of every instance type, read straight from moto's DescribeInstanceTypes table.

Not from the compiler's catalog: the validators must be able to disagree with it.
"""

from collections.abc import Mapping
from typing import Any

from tests.validators.parallelcluster.instance_types import instance_facts, instance_types


def all_types() -> dict[str, dict[str, Any]]:
    """Type name to its DescribeInstanceTypes entry."""
    return instance_types(instance_facts())


def gpus(facts: Mapping[str, Any]) -> int:
    """How many GPUs a type has by its entry."""
    return sum(gpu["Count"] for gpu in facts.get("GpuInfo", {}).get("Gpus", []))
