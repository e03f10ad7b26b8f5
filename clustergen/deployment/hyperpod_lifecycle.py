"""Lifecycle scripts of HyperPod, which nodes run when they start."""

from typing import Final

from clustergen.base.artifacts import Json
from clustergen.deployment import bucket, filling, foundation
from clustergen.deployment.hyperpod_api import groups_of
from clustergen.deployment.kinds import HyperPod
from clustergen.deployment.run import Outputs, Run
from clustergen.deployment.world import Stop, at

_FOLDER: Final = "lifecycle"


def upload(run: Run, service: HyperPod, outputs: Outputs) -> None:
    """Upload scripts. The prefix contains a hash of them, so existing nodes keep theirs."""
    if not service.prefix:
        return
    folder = run.folder / _FOLDER
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        name = path.relative_to(run.folder).as_posix()
        key = f"{_FOLDER}/{service.prefix}/{path.relative_to(folder).as_posix()}"
        if name in service.filled:
            bucket.put_text(run, outputs, key, name, filling.fill(run, name, outputs))
        else:
            bucket.put(run, outputs, key, name)


def check(run: Run, service: HyperPod) -> None:
    """Stop if the scripts are not in the bundle: nodes would start without them, and fail."""
    needed = [*service.filled, *([f"{_FOLDER}/{service.entry}"] if service.prefix else [])]
    if lost := [path for path in needed if not (run.folder / path).is_file()]:
        raise Stop(f"the bundle has no {', '.join(lost)}: render the spec again.")


def earlier(service: HyperPod, request: Json, shown: Json) -> list[str]:
    """The groups whose nodes keep the scripts of an earlier bundle."""
    there, folder = groups_of(shown), f"/{_FOLDER}/{service.prefix}"
    running = (n for n in groups_of(request) if int(there.get(n, {}).get("CurrentCount") or 0))
    source = "LifeCycleConfig.SourceS3Uri"
    return [name for name in running if folder not in str(at(there[name], source))]


def note(run: Run, service: HyperPod, groups: list[str], shown: Json) -> None:
    """HyperPod runs scripts on new nodes only, and no commands on others without a session."""
    if not groups:
        return
    place = f"s3://{bucket.name(foundation.outputs(run))}/{_FOLDER}/{service.prefix}/"
    id = str(shown.get("ClusterArn", "")).rpartition("/")[2]
    run.note(
        f"Running nodes of {', '.join(groups)} keep the scripts and settings that they started "
        f"with. To apply these to one of them, run there: sudo aws s3 cp --recursive {place} "
        f"/opt/clustergen/lifecycle/ && sudo bash /opt/clustergen/lifecycle/{service.entry}\n"
        f"To open a shell there: aws ssm start-session --region {run.bundle.region} --target "
        f"sagemaker-cluster:{id}_GROUP-INSTANCE-ID"
    )
