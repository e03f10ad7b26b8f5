"""cfn-lint over templates, in this process, without its known false alarms."""

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from cfnlint.config import ConfigMixIn, ManualArgs
from cfnlint.decode.decode import decode_str
from cfnlint.match import Match
from cfnlint.rules import Rules
from cfnlint.runner import Runner, run_template_by_data

from tests.support import service_models
from tests.validators import shared
from tests.validators.cloudformation import shortcuts
from tests.validators.instance_types import all_types


@dataclass(frozen=True, slots=True)
class Lint:
    """One match: the rule's id (`E3002`), the path in the template and the message."""

    template: str
    rule: str
    where: str
    text: str


def lint(templates: Mapping[str, str], regions: Iterable[str] = ("us-east-1",)) -> list[Lint]:
    """What cfn-lint reports of template texts by name in `regions`, false alarms left out."""
    places = tuple(regions)
    return [
        Lint(name, *found) for name, text in templates.items() for found in _found(text, places)
    ]


@functools.cache
def _found(text: str, regions: tuple[str, ...]) -> list[list[str]]:
    """Its matches in a text; the same foundation is in the bundles of all targets."""
    found: list[list[str]] = shared.answer(_linted, text, *regions)
    return found


def _linted(text: str, *regions: str) -> list[list[str]]:
    return [
        [match.rule.id, _where(match), match.message]
        for match in matches(text, regions)
        if not _is_false_alarm(match)
    ]


def matches(text: str, regions: Iterable[str], rules: Rules | None = None) -> list[Match]:
    """What the linter finds in a text, with its quick rules or with others."""
    config = ConfigMixIn(**ManualArgs(regions=list(regions)))
    template, unreadable = decode_str(text)
    return unreadable or list(run_template_by_data(template, config, rules or _quick_rules()))


@functools.cache
def _quick_rules() -> Rules:
    """Its rules, made once: its own command, too, validates all templates with the same ones."""
    made = new_rules()
    shortcuts.install(made)
    return made


def new_rules() -> Rules:
    """The linter's rules as they are."""
    return Runner(ConfigMixIn()).rules


def _where(match: Match) -> str:
    return ".".join(str(step) for step in getattr(match, "path", None) or [])


def _is_false_alarm(match: Match) -> bool:
    applies = _FALSE_ALARMS.get(match.rule.id)
    return applies is not None and applies(match.message)


def _names_an_existing_type(message: str) -> bool:
    found = re.match(r"'([^']+)' is not one of", message)
    return found is not None and found[1] in all_types()


def _names_a_cluster_type(message: str) -> bool:
    found = re.match(r"'(ml\.[^']+)' is not one of", message)
    types = service_models.model("sagemaker").shape_for("ClusterInstanceType").metadata["enum"]
    return found is not None and found[1] in types


def _is_of_the_cdk(message: str) -> bool:
    return message.startswith(("'CustomCDKBucketDeployment", "'SoftwareKubectl"))


def _is_in_a_command(message: str) -> bool:
    """The linter says it of each import within an output: here, of parameters in a command."""
    return "NodeRoleArn" in message and "is an import from another output" in message


# Rule id to whether a message of it is wrong.
_FALSE_ALARMS: dict[str, Callable[[str], bool]] = {
    # Instance types "not one of" the region's: the list is made from on-demand prices, so a type
    # that exists only as Capacity Block or training plan (p5e, p6e-gb200, trn2u) is in no region's.
    "E3628": _names_an_existing_type,  # AWS::EC2::LaunchTemplate, AWS::EC2::Instance
    # The same of AWS::SageMaker::Cluster; whether there is the type, its API says.
    "E3644": _names_a_cluster_type,
    # An output that is an import and nothing else; the one of schedules is a command to run.
    "W6001": _is_in_a_command,
    # CDK writes the order of its own functions' roles down twice.
    "W3005": _is_of_the_cdk,
}
