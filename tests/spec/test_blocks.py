"""Blocks of addresses."""

import pytest

from tests.support.checking import check_fragment

WRONG = ["0.0.0.0", "::", "0.0.0.0/32", "203.0.113.7/0", "10.0.0.0/0"]


@pytest.mark.parametrize("block", WRONG)
def test_no_message_suggests_to_open_ssh_to_everyone(block: str) -> None:
    found = check_fragment(f"network: {{ssh_from: ['{block}']}}").findings
    [error] = [each for each in found if "ssh_from" in each.path and each.severity == "error"]
    assert error.help == "write the block of your own addresses, such as 203.0.113.0/24"
    assert error.fix is None


def test_addresses_of_machines_and_everyone_are_blocks() -> None:
    found = check_fragment("network: {ssh_from: [203.0.113.7, 0.0.0.0/0]}").findings
    assert [each.code for each in found if each.severity == "error"] == []
