"""One AWS for all tests of a process, bootstrapped once for each region."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest

from clustergen.cdk import kernel

kernel.load()  # before other modules do: it silences what jsii says of versions of Node.js

from tests.support.aws import Aws, cdk_is_missing, serving  # noqa: E402


@pytest.fixture(scope="session")
def command() -> None:
    """The CDK's command; where there is no Node.js, what needs it is skipped."""
    if reason := cdk_is_missing():
        pytest.skip(reason)


@pytest.fixture(scope="session")
def aws(command: None) -> Iterator[Aws]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with serving() as found:
        yield found


@pytest.fixture(scope="session")
def bootstrapped(aws: Aws) -> Callable[..., None]:
    """Runs `cdk bootstrap` for a region, the first time that it is asked for."""
    done: set[str] = set()

    def bootstrap(region: str, *context: str) -> None:
        if region not in done:
            answer = aws.cdk("bootstrap", *context, region=region)
            assert answer.status == 0, answer.output
            assert "bootstrapped" in answer.output
            done.add(region)

    return bootstrap
