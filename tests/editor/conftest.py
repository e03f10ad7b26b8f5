"""A running language server."""

from collections.abc import Iterator

import pytest

from tests.editor.client import Client


@pytest.fixture(scope="package")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """One server for all tests, whose texts have names of their own."""
    running = Client(tmp_path_factory.mktemp("project"))
    yield running
    assert running.leave() == 0
    assert running.messages == []
