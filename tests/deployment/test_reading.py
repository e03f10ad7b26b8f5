"""`bundle.json`: what is read is what was written, and what cannot be read is said."""

import json
from pathlib import Path

import pytest

from clustergen import targets
from clustergen.deployment import model, reading
from tests.support.checking import Fragments

MONITORED = "monitoring: {metrics: cloudwatch, dashboards: cloudwatch}\n"


@pytest.mark.parametrize("target", targets.NAMES)
def test_a_bundle_says_what_it_deploys(target: str, tmp_path: Path) -> None:
    files = dict(Fragments(target).files(MONITORED))
    (tmp_path / model.PATH).write_text(files[model.PATH])
    found = reading.read(tmp_path)
    assert (found.cluster, found.target) == ("example", target)
    assert model.artifact(found).text == files[model.PATH]
    for stack in found.stacks.values():
        if stack.template:
            mark = json.loads(files[stack.template])["Metadata"]["clustergen"]
            assert mark == {"cluster": "example", "target": stack.mark.target, "format": 1}
    deployed = {stack.template for stack in found.stacks.values()}
    stacks = {path for path in files if path.endswith(".template.json")}
    # HyperPod's cluster is an API call; its template is for those who prefer a stack.
    requested = {"cluster.template.json", "governance.template.json"}
    assert stacks - deployed <= (requested if target.startswith("hyperpod") else set())


GOOD = Fragments("pcs").files()[model.PATH]
BAD = [
    ("", "the file: "),
    (GOOD.replace('"format": 1', '"format": 2'), "format: Input should be 1"),
    (GOOD.replace('"region"', '"place"'), "region: Field required"),
    (GOOD.replace('"kind"', '"sort": "x", "kind"'), "service.sort: Unexpected"),
]


@pytest.mark.parametrize(("text", "words"), BAD)
def test_what_cannot_be_read_is_named_with_a_way_out(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / model.PATH).write_text(text)
    with pytest.raises(reading.BadBundle, match=words) as caught:
        reading.read(tmp_path)
    assert "render the spec again" in str(caught.value)


def test_a_folder_without_one_is_no_bundle(tmp_path: Path) -> None:
    with pytest.raises(reading.BadBundle, match="No such file or directory; render"):
        reading.read(tmp_path)
