"""cfn-lint over template files, in this process, without its known false alarms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from cfnlint.api import lint_file
from cfnlint.config import ManualArgs
from cfnlint.match import Match

from tests.oracles.instance_types import all_types


@dataclass(frozen=True, slots=True)
class Lint:
    """One match: the rule's id (`E3002`), the path in the template and the message."""

    file: Path
    rule: str
    where: str
    text: str


def lint(paths: Iterable[Path], regions: Iterable[str] = ("us-east-1",)) -> list[Lint]:
    """What cfn-lint reports of each template in the given regions, false alarms left out."""
    wanted = list(regions)
    return [found for path in paths for found in _lint(path, wanted)]


def _lint(path: Path, regions: list[str]) -> list[Lint]:
    matches = lint_file(path, config=ManualArgs(regions=regions))
    return [_found(path, match) for match in matches if not _is_false_alarm(match)]


def _found(path: Path, match: Match) -> Lint:
    where = ".".join(str(step) for step in getattr(match, "path", None) or [])
    return Lint(path, match.rule.id, where, match.message)


def _is_false_alarm(match: Match) -> bool:
    applies = _FALSE_ALARMS.get(match.rule.id)
    return applies is not None and applies(match.message)


def _names_an_existing_type(message: str) -> bool:
    found = re.match(r"'([^']+)' is not one of", message)
    return found is not None and found[1].removeprefix("ml.") in all_types()


# Rule id to whether a message of it is wrong.
_FALSE_ALARMS: dict[str, Callable[[str], bool]] = {
    # Instance types "not one of" the region's: the list is made from on-demand prices, so a type
    # that exists only as Capacity Block or training plan (p5e, p6e-gb200, trn2u) is in no region's.
    "E3628": _names_an_existing_type,  # AWS::EC2::LaunchTemplate, AWS::EC2::Instance
    "E3644": _names_an_existing_type,  # AWS::SageMaker::Cluster
}
