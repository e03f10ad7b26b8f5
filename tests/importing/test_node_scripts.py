"""What nodes run: arguments of our scripts, and user data with changes by hand."""

import pytest

from clustergen.importing import node_scripts
from clustergen.importing.companion_files import NOTHING
from clustergen.importing.notes import Notes
from clustergen.importing.settings import LAUNCH_TEMPLATE, Json

OURS = "s3://${ScriptsBucketName}/0123456789abcdef/mount.sh"


def group(*lines: str) -> Json:
    """A node group with user data of clustergen's form."""
    text = "\n".join(('Content-Type: multipart/mixed; boundary="CLUSTERGEN"', "", *lines, ""))
    return {LAUNCH_TEMPLATE: {"LaunchTemplateData": {"UserData": {"Fn::Base64": text}}}}


def storage(*arguments: str) -> list[Json]:
    nodes = [node_scripts.Node("a", [node_scripts.Action(OURS, arguments)])]
    found: list[Json] = node_scripts.of_cluster(nodes, NOTHING, Notes())["storage"]
    return found


@pytest.mark.parametrize(
    ("lines", "actions"),
    [
        (["run_script yes s3://b/a.sh '' --fast"], [("s3://b/a.sh", ("--fast",), "", True)]),
        (["run_script no s3://b/a.sh abc"], [("s3://b/a.sh", (), "abc", False)]),
        (["run_script s3://b/a.sh '' 'two words'"], [("s3://b/a.sh", ("two words",), "", None)]),
        (["run_script yes"], []),
        (["run_script yes s3://b/a.sh '' 'open"], []),
        (["echo run_script"], []),
    ],
)
def test_scripts_in_user_data(lines: list[str], actions: list[tuple[object, ...]]) -> None:
    found = node_scripts.user_data(group(*lines))
    assert [(a.url, a.arguments, a.checksum, a.required) for a in found] == actions


def test_user_data_of_others_is_not_read() -> None:
    data = {"UserData": {"Fn::Base64": "#!/bin/bash\nrun_script yes s3://b/a.sh ''\n"}}
    assert node_scripts.user_data({LAUNCH_TEMPLATE: {"LaunchTemplateData": data}}) == []


@pytest.mark.parametrize(
    ("arguments", "entries"),
    [
        (("efs", "/a", "${StorageADnsName}:/", "-", "new"), [{"mount": "/a", "type": "efs"}]),
        (
            ("s3", "/a", "b", "in/", "existing", "-", "us-east-1"),
            [{"mount": "/a", "type": "s3", "bucket": "s3://b/in", "read_only": False}],
        ),
        (("efs", "/a"), []),
        (("beegfs", "/a", "b", "-", "existing"), []),
    ],
)
def test_mounts(arguments: tuple[str, ...], entries: list[Json]) -> None:
    """Those of other versions stay in the overlay."""
    assert storage(*arguments) == entries
