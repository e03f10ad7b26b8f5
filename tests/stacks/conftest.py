"""The CDK's command, and one AWS for all tests of a process."""

import logging
from collections.abc import Iterator

import pytest

from clustergen.commands.app import kernel

kernel.load()  # before other modules do: it silences what jsii says of versions of Node.js

from tests.support.aws import Aws, install_cdk, serving  # noqa: E402


@pytest.fixture(scope="session")
def command() -> None:
    """The CDK's command."""
    install_cdk()


@pytest.fixture(scope="session")
def aws(command: None) -> Iterator[Aws]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    with serving() as found:
        yield found
