"""Capacity Blocks for ML and training plans: how long, how many, how far ahead, and their fee.

https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-purchase.html and
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/capacity-blocks-how.html (2026-11)
"""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Final

from clustergen.base.text_lists import words
from clustergen.facts.catalog import ultraservers
from clustergen.facts.catalog.prices import Book, Price

DAY_HOURS: Final = 24
SINGLE_DAYS: Final = 14
"""Up to this many days, a block lasts any number of days; then a multiple of a week."""
WEEK_DAYS: Final = 7
LONGEST_DAYS: Final = 182
MOST_INSTANCES: Final = 64
"""In one block, which is one fabric."""
MOST_IN_ALL: Final = 256
"""In all blocks that an account uses at a time; also the maximum of a training plan."""
EARLIEST_WEEKS: Final = 8
"""How far ahead a block may start."""
END_MINUTES: Final = 30
"""Before the end, EC2 begins to terminate instances; :data:`ULTRASERVER_END_MINUTES` for those."""
ULTRASERVER_END_MINUTES: Final = 60

END_UTC: Final = time(11, 30)
"""The time of day at which every block and plan ends:
https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-capacity-blocks.html"""
AS_OF: Final = datetime(2026, 11, 22, tzinfo=UTC)
"""The date of these facts. What ended before is over, whatever the clock of a machine says."""

PLAN_FACTOR: Final = 1.15
"""Rate of a training plan over that of a Capacity Block: 6 types of the price page of 2025-06, and
three offers of 2026-10-04. An estimate: SearchTrainingPlanOfferings has the fee."""


# AWS's price page of 2025-06; p6-b200 was added there last.
_PLAN_REGIONS_P5 = words("""
    us-east-1 us-east-2 us-west-1 us-west-2 sa-east-1 eu-north-1 eu-west-2 ap-northeast-1 ap-south-1
    ap-southeast-2 ap-southeast-4
""")
PLAN_REGIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "p4d": ("us-east-1", "us-east-2", "us-west-2"),
    "p5": _PLAN_REGIONS_P5,
    "p5e": _PLAN_REGIONS_P5,
    "p5en": _PLAN_REGIONS_P5,
    "p6-b200": ("us-west-2",),
    "trn1": ("us-east-1", "us-east-2", "us-west-2", "ap-southeast-4"),
    "trn2": ("us-east-2",),
}
"""Regions with a rate of training plans, by family, on 2025-06-16. Others may have been added."""


PLAN_ONLY: Final = ("p5e", "p6e-gb200")
"""Families that HyperPod has in training plans only; SageMaker's price page has no other price."""


def days(hours: float) -> int | None:
    """The days of the shortest block that lasts this long; None if no block does."""
    needed = max(1, -int(-hours // DAY_HOURS))
    if needed > SINGLE_DAYS:
        needed = -(-needed // WEEK_DAYS) * WEEK_DAYS
    return needed if needed <= LONGEST_DAYS else None


def rate(instance_type: str, place: str, book: Book) -> tuple[Price, float] | None:
    """A price, and how many of its units one instance is; None if the price is unknown.

    UltraServers are sold whole, so an instance is a part of one.
    """
    if found := book.find(f"Capacity Block {instance_type}", place):
        return found, 1.0
    for server in ultraservers.containing(instance_type):
        if found := book.find(f"Capacity Block {server.name}", place):
            return found, 1 / server.instances
    return None


def is_sold(length: timedelta, kind: str) -> bool:
    """Whether AWS sells a block or plan of about this length: one that starts at once is a part of
    a day shorter, because all end at the same time of day.

    Plans last any number of days:
    https://docs.aws.amazon.com/sagemaker/latest/dg/search-training-plan-offerings-api-cli-sdk.html
    """
    needed = -(-length // timedelta(days=1))
    return needed <= LONGEST_DAYS and (
        kind == "training-plan" or days(needed * DAY_HOURS) == needed
    )
