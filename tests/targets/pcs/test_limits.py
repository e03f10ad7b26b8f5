"""The limits against the service's own model, where the model has them."""

from typing import Any

import pytest

from clustergen.services.aws import logs
from clustergen.targets.pcs import limits
from tests.support import service_models
from tests.support.tables import flow
from tests.validators.service_model import compiled


def _constraints(shape: str) -> dict[str, Any]:
    return dict(service_models.model("pcs").shape_for(shape).metadata)


@pytest.mark.parametrize(
    ("operation", "member"),
    [("CreateComputeNodeGroup", "computeNodeGroupName"), ("CreateQueue", "queueName")],
)
def test_lengths_of_names(operation: str, member: str) -> None:
    shape = service_models.model("pcs").operation_model(operation).input_shape.members[member]
    assert (shape.metadata["min"], shape.metadata["max"]) == (limits.MIN_NAME, limits.MAX_NAME)


def test_limits_of_scripts() -> None:
    assert _constraints("NodeLifecycleScriptList")["max"] == limits.MAX_SCRIPTS
    assert _constraints("NodeLifecycleScriptArguments")["max"] == limits.MAX_ARGUMENTS
    assert _constraints("NodeLifecycleScriptNameString")["max"] == limits.MAX_SCRIPT_NAME


@pytest.mark.parametrize(
    "url",
    flow("""
        [s3://my-bucket/a.sh, s3://my-bucket, s3://my-bucket/, https://example.com,
          'https://example.com:8443/a?b#c', https://localhost/a, https://example.com/a b,
          http://example.com/a]
    """),
)
def test_script_locations_are_validated_as_the_service_does(url: str) -> None:
    theirs = compiled(_constraints("ScriptSourceScriptLocationString")["pattern"]).fullmatch(url)
    assert bool(compiled(limits.SCRIPT_LOCATION).fullmatch(url)) == bool(theirs)


def test_sizes_are_those_of_the_service() -> None:
    assert [size.name for size in limits.SIZES] == _constraints("Size")["enum"]
    operation = service_models.model("pcs").operation_model("CreateCluster")
    described = operation.input_shape.members["size"].documentation.replace(",", "")
    for size in limits.SIZES:
        assert f"{size.name}</code>: {size.nodes} compute nodes and {size.jobs} jobs" in described


def test_retention_is_one_of_cloudwatch_logs() -> None:
    described = service_models.model("logs").shape_for("Days").documentation
    assert all(str(days) in described for days in logs.RETENTION_DAYS)


@pytest.mark.parametrize(
    ("nodes", "size"), [(1, "SMALL"), (32, "SMALL"), (33, "MEDIUM"), (2048, "LARGE"), (2049, None)]
)
def test_smallest_size(nodes: int, size: str | None) -> None:
    found = limits.smallest_size(nodes)
    assert (found.name if found else None) == size
