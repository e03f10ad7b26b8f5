"""File systems of a foundation: its template says as much about them as the spec that made it."""

import json
from typing import Any

import pytest

from clustergen.base.findings import errors
from clustergen.base.text_lists import word_set
from tests.importing.test_round_trip import back
from tests.plan.features.evidence import PCS
from tests.plan.features.fields import FIELDS
from tests.plan.features.modes import MODES
from tests.plan.features.test_fields import checked, is_in, pair
from tests.support.checking import files_of

MODE = MODES[PCS]
CREATED = ("storage.Lustre.", "storage.OpenZfs.", "storage.Efs.")
NAMES = [name for name in FIELDS if name.startswith(CREATED) and is_in(MODE, name)]
LOST = word_set("storage.Efs.backup_days storage.Efs.one_zone")
"""Fields that an import does not read. None may join them."""


def stored(spec: str) -> dict[str, Any]:
    template = json.loads(files_of(checked(PCS, spec), PCS).get("foundation.template.json", "{}"))
    resources = template.get("Resources", {}).items()
    kinds = ("AWS::FSx::", "AWS::EFS::FileSystem")
    return {id: each["Properties"] for id, each in resources if each["Type"].startswith(kinds)}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", NAMES)
def test_an_imported_file_system_is_the_one_of_the_foundation(name: str) -> None:
    specs = [pair(MODE, change).after for change in FIELDS[name]]
    accepted = [spec for spec in specs if not errors(checked(PCS, spec).findings)]
    same = [stored(back(PCS, spec).text) == stored(spec) for spec in accepted]
    assert all(same) is (name not in LOST)
