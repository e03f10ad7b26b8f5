"""What runs on nodes, in which order, with which arguments."""

import hashlib
from typing import Any

import pytest

from clustergen.base.shell import content_key
from clustergen.base.text_lists import words
from clustergen.services.aws import mounts
from clustergen.targets.pcs.lifecycle import script_name
from tests.targets.pcs.planned import files_of, properties_of
from tests.targets.pcs.specs import SPECS


def _actions(text: str, group: str = "NodeGroupH200") -> list[dict[str, Any]]:
    actions = properties_of(text, group)["NodeLifecycleActions"]
    stage: list[dict[str, Any]] = actions["Stages"]["NodeBootstrapped"]
    return stage


def _named(text: str, name: str) -> dict[str, Any]:
    return next(action for action in _actions(text) if action["Name"].endswith(name))


@pytest.mark.parametrize(
    ("group", "names"),
    [
        ("NodeGroupH200", "logs baseline setup-sh scratch users containers health tune-sh-x-1"),
        ("NodeGroupLogin", "logs baseline setup-sh users containers"),
    ],
)
def test_order_on_a_node(group: str, names: str) -> None:
    actions = _actions(SPECS["everything on the nodes"], group)
    assert [action["Name"] for action in actions] == names.split()


def test_accounts_wait_for_slurmd() -> None:
    """Slurm's commands have no configuration on a node until its slurmd has fetched it."""
    text = """
slurm: {accounting: managed, accounts: [{name: vision, users: [alice]}]}
users: [{name: alice, uid: 2001}]
login: {instance_type: m7i.xlarge}
"""
    stages = properties_of(text, "NodeGroupLogin")["NodeLifecycleActions"]["Stages"]
    assert [action["Name"] for action in stages["NodeReady"]] == ["accounts"]
    assert "accounts" not in [action["Name"] for action in stages["NodeBootstrapped"]]
    assert "NodeReady" not in properties_of(text, "NodeGroupH200")["NodeLifecycleActions"]["Stages"]


def test_every_mount_comes_after_the_folder_it_is_in() -> None:
    names = [action["Name"] for action in _actions(SPECS["all kinds of storage"])]
    assert names[2:] == [f"mount {n}" for n in words("datasets fsx home old projects shared")]


OVER_EFA = "storage: [{mount: /f, type: fsx-lustre, size: 38400GiB, throughput: 250, efa: true}]"


@pytest.mark.parametrize(
    ("type", "nodes", "number"),
    [
        ("p5.48xlarge", 2, "8"),
        ("p5.48xlarge", 200, "5"),
        ("p6-b300.48xlarge", 2, "2"),
        ("g6e.8xlarge", 2, "1"),
        ("m7i.4xlarge", 2, None),
    ],
)
def test_lustre_over_efa_where_the_type_can(type: str, nodes: int, number: str | None) -> None:
    text = f"node_groups: [{{name: h200, instance_type: {type}, count: {nodes}}}]\n{OVER_EFA}"
    names = [action["Name"] for action in _actions(text)]
    found = [a["Arguments"] for a in _actions(text) if a["Name"].endswith("lustre efa")]
    assert found == ([[number]] if number else [])
    assert names[-1].endswith("mount f")


FSX = {"Fn::Sub": "${StorageFsxDnsName}@tcp:/${StorageFsxMountName}"}
OLD = "fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com@tcp:/abcdefgh"
SHARED = {"Fn::Sub": "${StorageSharedDnsName}:/"}
MOUNTS: list[tuple[str, list[object]]] = [
    ("fsx", ["lustre", "/fsx", FSX, "noatime,flock,lazystatfs", "new"]),
    ("old", ["lustre", "/old", OLD, "noatime,flock,lazystatfs", "existing"]),
    ("shared", ["efs", "/shared", SHARED, mounts.EFS_NFS_OPTIONS, "new"]),
    (
        "datasets",
        [*words("s3-read-only /datasets my-datasets imagenet/ existing - us-east-1")],
    ),
]


@pytest.mark.parametrize(("name", "arguments"), MOUNTS)
def test_arguments_of_mounts(name: str, arguments: list[object]) -> None:
    assert _named(SPECS["all kinds of storage"], f"mount {name}")["Arguments"] == arguments


@pytest.mark.parametrize(
    ("name", "age"),
    [
        ("mount home", ["new"]),
        ("mount projects", ["existing", "fsvol-0123456789abcdef0", "us-east-1"]),
    ],
)
def test_a_volume_whose_path_only_fsx_knows(name: str, age: list[str]) -> None:
    assert _named(SPECS["all kinds of storage"], name)["Arguments"][4:] == age


@pytest.mark.parametrize("text", SPECS.values(), ids=SPECS)
def test_keys_of_scripts_contain_their_checksum(text: str) -> None:
    files = files_of(text)
    deploy = files["bundle.json"]
    for action in _actions(text) if "name: h200" in text or not text else []:
        source = action["ScriptSource"]
        if isinstance(source["ScriptLocation"], str):
            continue
        key = source["ScriptLocation"]["Fn::Sub"].removeprefix("s3://${ScriptsBucketName}/")
        script = files[f"scripts/{key.partition('/')[2]}"]
        assert source["Checksum"] == hashlib.sha256(script.encode()).hexdigest()
        assert key == content_key(key.partition("/")[2], script)
        assert key in deploy


def test_user_scripts_run_from_their_location() -> None:
    text = 'software: {scripts: [{run: "s3://my-bucket/a.sh", sha256: "' + "0" * 64 + '"}]}'
    source = {"ScriptLocation": "s3://my-bucket/a.sh", "Checksum": "0" * 64}
    assert _named(text, "a-sh")["ScriptSource"] == source


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("mount data/x", "mount data-x"),
        ("../$(reboot).sh", "reboot-sh"),
        ("x" * 80, "x" * 64),
        ("--", "script"),
    ],
)
def test_script_names_have_the_form_of_the_service(label: str, name: str) -> None:
    assert script_name(label) == name


def test_a_name_does_not_change_with_what_runs_before() -> None:
    """An overlay changes the action of a name: with another one it would add an action."""
    before = "storage: [{mount: /home, type: fsx-openzfs, size: 64GiB}]"
    after = before.replace("[{", "[{mount: /data, type: efs}, {")
    names = [[action["Name"] for action in _actions(text)] for text in (before, after)]
    assert [name for name in names[1] if name != "mount data"] == names[0]


def test_a_script_that_runs_twice_has_two_names() -> None:
    first, second = (f"{{run: 's3://my-bucket/a.sh', args: [{n}]}}" for n in ("1", "2"))
    text = f"software: {{scripts: [{first}, {second}]}}"
    assert [action["Name"] for action in _actions(text)][-2:] == ["a-sh", "a-sh 2"]


@pytest.mark.parametrize(
    ("group", "answer"), [("NodeGroupH200", "TERMINATE"), ("NodeGroupLogin", "CONTINUE")]
)
def test_a_failed_user_script_does_not_terminate_login_nodes(group: str, answer: str) -> None:
    text = (
        "login: {instance_type: m7i.large}\n"
        "software: {scripts: [{run: 's3://my-bucket/a.sh', on: [login, compute]}]}"
    )
    (action,) = [item for item in _actions(text, group) if item["Name"] == "a-sh"]
    assert action["OnError"] == answer


@pytest.mark.parametrize("image", ["", ", image: ami-0a1b2c3d4e5f67890"])
def test_an_image_that_cannot_mount_buckets_stays(image: str) -> None:
    """PCS would replace its nodes again and again."""
    text = (
        "storage: [{mount: /data, type: s3, bucket: 's3://my-data'}]\n"
        f"node_groups: [{{name: h200{image}}}]"
    )
    assert _named(text, "mount data")["OnError"] == "CONTINUE"


def test_users_are_data_in_a_table() -> None:
    files = files_of(SPECS["everything on the nodes"])
    assert "alice 2001 ssh-ed25519 AAAA $(reboot) 'quoted'\n" in files["users.tsv"]
    assert "alice" not in files["scripts/users.sh"] + files["cluster.template.json"]
