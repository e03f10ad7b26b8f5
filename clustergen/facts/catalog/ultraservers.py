"""UltraServers: several instances in one NVLink or NeuronLink domain, sold as a unit.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html (2026-08)
"""

from typing import NamedTuple


class UltraServer(NamedTuple):
    """One UltraServer type. SageMaker prefixes its name with ``ml.``."""

    name: str
    instance_type: str
    instances: int


ULTRASERVERS = (
    UltraServer("u-p6e-gb200x36", "p6e-gb200.36xlarge", 9),
    UltraServer("u-p6e-gb200x72", "p6e-gb200.36xlarge", 18),
    # The EC2 API has no name for this one. https://aws.amazon.com/ec2/instance-types/trn2/
    UltraServer("Trn2 UltraServer", "trn2u.48xlarge", 4),
)


def containing(instance_type: str) -> tuple[UltraServer, ...]:
    """The UltraServers that consist of this instance type, smallest first."""
    return tuple(server for server in ULTRASERVERS if server.instance_type == instance_type)


def find(name: str) -> UltraServer | None:
    """The UltraServer with this name, with or without SageMaker's ``ml.``."""
    bare = name.removeprefix("ml.")
    return next((server for server in ULTRASERVERS if server.name == bare), None)
