"""Sizes of user data and of job definitions."""

import json
from collections.abc import Iterator

from clustergen.base.findings import Problem
from clustergen.plan.model import Plan
from clustergen.services.aws.launch_templates import MAX_USER_DATA
from clustergen.targets.batch import limits
from clustergen.targets.batch.rules import rule

_TAGS = ", ".join(f"team-{n:0115}: {'x' * 250}" for n in range(40))
_MOUNTS = ", ".join(f"{{mount: /data{n}, type: efs}}" for n in range(6))
_LONG = ", ".join(["'" + "x" * 1000 + "'"] * 16)


@rule(
    "LIM600",
    "User data above the maximum of EC2",
    why="User data has 16 KiB, with the part that Batch adds. It names every script with its "
    "arguments, and every file system.",
    source="https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-add-user-data.html",
    bad=f"software: {{scripts: [{{run: 's3://my-bucket/setup.sh', args: [{_LONG}]}}]}}",
    good="software: {scripts: [{run: 's3://my-bucket/setup.sh', args: [short]}]}",
)
def user_data_size(plan: Plan) -> Iterator[Problem]:
    # Most of it is ours, and has about this size.
    most = MAX_USER_DATA - limits.USER_DATA_OF_BATCH_BYTES
    for group in plan.node_groups:
        words = [word for s in plan.scripts_of(group) for word in (s.url, *s.args)]
        mounts = limits.MOUNT_BYTES * len(plan.storage)
        size = limits.USER_DATA_BYTES + mounts + len(json.dumps(words))
        if size > most:
            yield Problem(
                ("software", "scripts"),
                f"user data of {group.name} has about {size:,} bytes; EC2 and Batch leave {most:,}",
                help="put values into a file in S3, which a script reads",
            )
            return


@rule(
    "LIM601",
    "Job definition above the maximum of Batch",
    why="A job definition has 24 KiB, with its tags and the mounts of all file systems. This "
    "cannot be raised.",
    source="https://docs.aws.amazon.com/batch/latest/userguide/service_limits.html",
    bad=f"tags: {{{_TAGS}}}\nstorage: [{_MOUNTS}]",
    good="tags: {team: research}",
)
def definition_size(plan: Plan) -> Iterator[Problem]:
    tags = len(json.dumps(dict(plan.tags), ensure_ascii=False).encode())
    mounts = limits.MOUNT_OF_DEFINITION_BYTES * len(plan.storage)
    size = limits.DEFINITION_BYTES + mounts + tags
    if size > limits.MAX_DEFINITION_BYTES:
        yield Problem(
            ("tags",) if tags > mounts else ("storage",),
            f"job definitions have about {size:,} bytes; Batch accepts "
            f"{limits.MAX_DEFINITION_BYTES:,}",
            help="use fewer or shorter tags" if tags > mounts else "use fewer file systems",
        )
