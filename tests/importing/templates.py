"""Templates and descriptions of clusters, and what the tests ask of each import."""

import json
from typing import Any

import yaml

from clustergen import overlay, targets
from clustergen.checking.compiler import Checked, check_text
from clustergen.importing import Answers, Imported, Request, imported
from tests.support.checking import EXAMPLES, check_example
from tests.targets.test_specs import ANSWERS

VPC = "vpc-0a1b2c3d4e5f67890"
SUBNET = "subnet-0a1b2c3d4e5f6789{}"
GROUP = "sg-0a1b2c3d4e5f6789{}"


def bring(*files: Any, **answers: Any) -> Imported:
    """The import of texts, or of data as JSON."""
    given = {"name": "imported", "region": "us-west-2", "vpc": VPC, "zones": {}, **answers}
    texts = [
        each
        if isinstance(each, tuple)
        else (f"file-{number}.json", each if isinstance(each, str) else json.dumps(each))
        for number, each in enumerate(files)
    ]
    return imported(Request(texts, Answers(**given)))


def lossless(result: Imported) -> Imported:
    """An import that loses nothing, of a cluster that the rules accept."""
    assert result.lossless, result.findings
    assert not result.errors
    return result


def filled(result: Imported) -> Imported:
    """An import whose stand-ins somebody replaced, as `check` asks."""
    text = result.text.replace("FILL-IN-", "our-").replace("-00000000", "-0a1b2c3d")
    return result._replace(text=text.replace("0" * 12, "111122223333"))


def spec_of(result: Imported) -> Any:
    """The spec that an import wrote; a part that it lacks is None."""
    return check_text(result.text).spec


def codes(result: Imported) -> list[str]:
    return [finding.code for finding in result.findings]


def rendered(checked: Checked, target: str) -> dict[str, Any]:
    """The document of a spec, with its overlay."""
    chosen, plan = targets.load(target), checked.plans[target]
    merged: dict[str, Any] = overlay.apply(
        chosen.document(plan), plan.overlay, keys=chosen.schema.list_keys
    )
    return merged


def document(result: Imported, target: str) -> dict[str, Any]:
    """What an imported spec renders to."""
    return rendered(check_text(result.text, targets=(target,)), target)


def by_name(template: dict[str, Any], type: str, key: str) -> dict[str, dict[str, Any]]:
    """The properties of the resources of a type, by their name."""
    found = [each["Properties"] for each in template["Resources"].values() if each["Type"] == type]
    return {each[key]: each for each in found}


def examples_of(target: str) -> list[str]:
    """The names of the example specs that a target accepts."""
    return [name for name, answers in ANSWERS.items() if not answers[target]]


def original_of(example: str, target: str) -> dict[str, Any]:
    """The document of an example spec."""
    return rendered(check_example(example, target), target)


def properties(template: dict[str, Any]) -> dict[str, Any]:
    """The properties of all resources."""
    return {id: each.get("Properties") for id, each in template["Resources"].items()}


def region_of(example: str) -> str:
    """The region of an example spec."""
    region: str = yaml.safe_load(EXAMPLES[example].read_text(encoding="utf-8"))["region"]
    return region
