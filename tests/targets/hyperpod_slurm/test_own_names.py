"""Names of instance groups that a running cluster already has, and its roles."""

import json
import re

from tests.targets.hyperpod_slurm.planned import files_of, groups_of
from tests.targets.hyperpod_slurm.specs import LEGACY, LOGIN, USERS

NAMES = "targets: {hyperpod-slurm: {controller_group: controller-machine, login_group: front}}\n"
LEGACY_NAMES = NAMES.replace("{controller_group", "{mode: legacy, controller_group")
ROLE = "arn:aws:iam::111122223333:role/nodes"
ROLES = f"""head_node: {{iam: {{role: '{ROLE}'}}, threads_per_core: 1}}
login: {{iam: {{role: '{ROLE}'}}, threads_per_core: 2}}
node_groups: [{{name: h200, iam: {{role: '{ROLE}'}}}}]
"""


def test_everything_in_the_bundle_uses_the_names() -> None:
    files = files_of(LOGIN + USERS + LEGACY_NAMES)
    parameters = json.loads(files["lifecycle/provisioning_parameters.json"])
    groups = [parameters[f"{name}_group"] for name in ("controller", "login")]
    assert groups == ["controller-machine", "front"]
    assert set(groups_of(LOGIN + USERS + LEGACY_NAMES)) == {"controller-machine", "front", "h200"}
    assert json.loads(files["bundle.json"])["service"]["controller"] == "controller-machine"
    ours = files_of(LOGIN + USERS + LEGACY)
    entry = ours["lifecycle/on_create.sh"]
    renamed = re.sub(r"\bcontroller\b(?=\)| login )", "controller-machine", entry)
    renamed = re.sub(r"\blogin\b(?=\)| h200)", "front", renamed)
    assert files["lifecycle/on_create.sh"] == renamed != entry
    assert 'group == "controller-machine"' in files["lifecycle/resource-config.sh"]


def test_existing_roles_replace_that_of_the_foundation() -> None:
    groups = groups_of(ROLES)
    assert {group["ExecutionRole"] for group in groups.values()} == {ROLE}
    assert (groups["controller"]["ThreadsPerCore"], groups["login"]["ThreadsPerCore"]) == (1, 2)
    files = files_of(ROLES)
    assert "HyperPodExecutionRole" not in files["foundation.template.json"]
    assert "AmazonSageMakerClusterInstanceRolePolicy" in files["README.md"]


def test_the_foundation_has_a_role_while_one_group_lacks_its_own() -> None:
    files = files_of(ROLES.replace(f"login: {{iam: {{role: '{ROLE}'}}, ", "login: {"))
    assert "HyperPodExecutionRole" in files["foundation.template.json"]
