"""The user's lifecycle scripts, and what a running cluster does without."""

import json

import pytest

from tests.targets.hyperpod_slurm.planned import files_of, found, groups_of, request_of
from tests.targets.hyperpod_slurm.specs import EXISTING, LOGIN, STORAGE, USERS

OWN = "lifecycle: {source: 's3://my-scripts/src/', on_init_complete: setup.sh}"
AFTER = f"targets: {{hyperpod-slurm: {{{OWN}}}}}\n"
INSTEAD = f"targets: {{hyperpod-slurm: {{mode: %s, {OWN.replace('init_complete', 'create')}}}}}\n"
SPARSE = (
    EXISTING + "targets: {hyperpod-slurm: {leave_out: "
    "[second-volume, threads-per-core, node-recovery, one-subnet]}}\n"
)


@pytest.mark.parametrize("text", [AFTER, INSTEAD % "customer-managed", INSTEAD % "legacy"])
def test_the_bundle_has_no_scripts_of_clustergen(text: str) -> None:
    files = files_of(STORAGE + text)
    assert [path for path in files if path.startswith("lifecycle/")] == []
    assert "aws s3 cp" not in files["README.md"]


def test_every_group_runs_the_script() -> None:
    config = {"SourceS3Uri": "s3://my-scripts/src/", "OnInitComplete": "setup.sh"}
    groups = groups_of(LOGIN + AFTER)
    assert all(group["LifeCycleConfig"] == config for group in groups.values())


def test_the_role_of_the_foundation_may_download_the_folder() -> None:
    foundation = json.loads(files_of(AFTER)["foundation.template.json"])
    role = foundation["Resources"]["HyperPodExecutionRole"]["Properties"]
    statements = {s["Sid"]: s for s in role["Policies"][0]["PolicyDocument"]["Statement"]}
    objects = {"Fn::Sub": "arn:${AWS::Partition}:s3:::my-scripts/src/*"}
    assert statements["Lifecycle"]["Resource"] == [objects]
    bucket = {"Fn::Sub": "arn:${AWS::Partition}:s3:::my-scripts"}
    assert statements["LifecycleList"]["Resource"] == [bucket]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        (AFTER + USERS, [("users",)]),
        (AFTER + "queues: [{name: q, node_groups: [h200], time_limit: 1h}]",
         [("queues", 0, "time_limit")]),
        (AFTER + "storage: [{mount: /tools, type: efs}]", [("storage", 0)]),
        # HyperPod mounts these and has its own accounting.
        (AFTER + STORAGE + "slurm: {accounting: managed}", []),
        (INSTEAD % "customer-managed" + "slurm: {accounting: managed}",
         [("slurm", "accounting")]),
    ],
)  # fmt: skip
def test_what_the_scripts_have_to_do_is_a_warning(text: str, paths: list[object]) -> None:
    assert [finding.path for finding in found(text, "SLM365")] == paths


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (INSTEAD % "customer-managed" + "software: {containers: pyxis}", "IMG352"),
        (INSTEAD.replace("mode: %s", "mode: legacy, controllers: 2"), "SLM358"),
    ],
)
def test_what_the_scripts_may_do_is_no_error(text: str, code: str) -> None:
    """Without them, nothing would do it."""
    assert found(text, code) == []
    assert len(found(text.replace(f", {OWN.replace('init_complete', 'create')}", ""), code)) == 1


def test_what_is_left_out_is_absent() -> None:
    request = request_of(SPARSE)
    assert "NodeRecovery" not in request
    subnets = [f"subnet-0a1b2c3d4e5f6789{number}" for number in range(2)]
    assert request["VpcConfig"]["Subnets"] == subnets
    for group in request["InstanceGroups"]:
        assert not {"InstanceStorageConfigs", "ThreadsPerCore"} & set(group)


def test_what_the_spec_says_is_not_left_out() -> None:
    more = "node_groups: [{name: h200, threads_per_core: 1, root_volume: {size: 1TiB}}]"
    group = groups_of(SPARSE + more)["h200"]
    assert group["ThreadsPerCore"] == 1
    assert group["InstanceStorageConfigs"] == [{"EbsVolumeConfig": {"VolumeSizeInGB": 1024}}]


def test_groups_have_networks_of_their_own() -> None:
    own = "subnets: [subnet-0a1b2c3d4e5f67891], security_groups: [sg-0a1b2c3d4e5f67892]"
    groups = groups_of(f"{EXISTING}node_groups: [{{name: h200, {own}}}]")
    security = [f"sg-0a1b2c3d4e5f6789{number}" for number in range(3)]
    network = {"SecurityGroupIds": security, "Subnets": ["subnet-0a1b2c3d4e5f67891"]}
    assert groups["h200"]["OverrideVpcConfig"] == network
    assert "OverrideVpcConfig" not in groups["controller"]
