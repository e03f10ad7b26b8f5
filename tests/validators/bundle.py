"""Every validator over the files of one rendered bundle."""

import functools
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from tests.support.paths import DOCS
from tests.validators import shared
from tests.validators.batch import batch_violations
from tests.validators.cloudformation import check, lint, resolve
from tests.validators.eks import eks_violations
from tests.validators.hyperpod import cluster_violations
from tests.validators.iam import iam_violations
from tests.validators.kubernetes import kubernetes_violations
from tests.validators.parallelcluster import Message, ParallelCluster
from tests.validators.shell import script_violations, scripts_in_job, scripts_in_user_data


def bundle_violations(
    files: Mapping[str, str], parallelcluster: ParallelCluster, region: str, name: str = "validated"
) -> list[str]:
    """What validators find in `files` (path to text); a violation begins with its path.

    `name` is the cluster's. ParallelCluster's INFO messages are no violations; its warnings are.
    """
    templates = {path: text for path, text in files.items() if path.endswith(".template.json")}
    documents = {path: json.loads(text) for path, text in templates.items()}
    return [
        *_of_clusters(files, parallelcluster, name),
        *(f"{path}: {b}" for path, text in templates.items() for b in _of_template(text, region)),
        *(f"{f.template}: {f.rule} {f.where}: {f.text}" for f in lint(templates, [region])),
        *cluster_violations(files, region),
        *script_violations(_scripts(files, documents, region)),
        *_in_the_cluster(files, documents, region),
        *_of_batch(files, documents, region),
        *_of_deployment(files),
    ]


def _of_deployment(files: Mapping[str, str]) -> Iterator[str]:
    """`bundle.json` by its published schema."""
    for path, text in files.items():
        if path.endswith("bundle.json"):
            errors = _published().iter_errors(json.loads(text))
            yield from (f"{path}: {error.json_path}: {error.message}" for error in errors)


@functools.cache
def _published() -> Draft202012Validator:
    return Draft202012Validator(json.loads((DOCS / "bundle.schema.json").read_text()))


@functools.cache
def _of_template(text: str, region: str) -> list[str]:
    """What the validators of requests, roles and EKS say; bundles share their foundation."""
    found: list[str] = shared.answer(_validated, text, region)
    return found


def _validated(text: str, region: str) -> list[str]:
    template = json.loads(text)
    return [
        *check(template, region),
        *iam_violations(template, region),
        *eks_violations(template, region),
    ]


def _of_batch(files: Mapping[str, str], documents: Mapping[str, Any], region: str) -> Iterator[str]:
    """The compute environments of AWS Batch, and the jobs that run on their nodes."""
    for path, template in documents.items():
        if "AWS::Batch::" in files[path]:
            yield from (f"{path}: {b}" for b in batch_violations(template, _jobs(files), region))


def _jobs(files: Mapping[str, str]) -> dict[str, Any]:
    found = (path for path in files if path.startswith("jobs/") and path.endswith(".json"))
    return {path: json.loads(files[path]) for path in found}


def _in_the_cluster(
    files: Mapping[str, str], documents: Mapping[str, Any], region: str
) -> Iterator[str]:
    """The objects in an EKS cluster, by the version of its control plane where one is made."""
    made = [
        resource["Properties"]
        for template in documents.values()
        for resource in template.get("Resources", {}).values()
        if resource.get("Type") == "AWS::EKS::Cluster"
    ]
    version = made[0]["Version"] if made else _AN_OLDER_VERSION
    yield from kubernetes_violations(files, version, region)


_AN_OLDER_VERSION = "1.33"
"""Of a cluster that is there: nothing newer is taken for granted."""


def _of_clusters(
    files: Mapping[str, str], parallelcluster: ParallelCluster, name: str
) -> Iterator[str]:
    for path, text in files.items():
        if re.search(r"(^|/)cluster\.yaml$", path):
            for message in parallelcluster.validator(text, cluster_name=name):
                if message.level != "INFO" and not _is_accepted(message, text):
                    yield f"{path}: {message.level} {message.validator}: {message.text}"


def _is_accepted(message: Message, cluster: str) -> bool:
    return message.level == "WARNING" and any(
        message.validator == validator and words in message.text and in_cluster in cluster
        for validator, words, in_cluster in _ACCEPTED_WARNINGS
    )


# Warnings of ParallelCluster that are no faults: validator, words of the warning, and what must
# stand in the cluster's file for it to be none.
_ACCEPTED_WARNINGS = (
    # Nodes are reached through Session Manager, and users bring keys of their own.
    ("KeyPairValidator", "do not specify a key pair", ""),
    # A group of the cluster's own would keep nodes out of the reservation's.
    ("EfaPlacementGroupValidator", "Placement group is disabled", "CapacityReservationTarget:"),
    # `efa: false` is the user's word: EFA could not be had over several zones or types.
    ("InstancesEFAValidator", "support enhanced networking", "Instances:"),
)


def _scripts(files: Mapping[str, str], documents: Mapping[str, Any], region: str) -> dict[str, str]:
    """The scripts among the files and those within the user data of launch templates."""
    scripts = {path: text for path, text in files.items() if path.endswith((".sh", ".sbatch"))}
    for path, template in documents.items():
        for resource in resolve(template, region=region):
            user_data = resource.properties.get("LaunchTemplateData", {}).get("UserData")
            if user_data:
                scripts |= scripts_in_user_data(f"{path}: {resource.logical_id}", user_data)
    for path, job in _jobs(files).items():
        scripts |= {f"{path} {n}": text for n, text in enumerate(scripts_in_job(job))}
    return scripts
