"""Plans and files for the tests of what runs in a cluster."""

import functools

import yaml

from clustergen.base.artifacts import Json
from clustergen.services.kubernetes import bundle
from tests.support.checking import Fragments

plan_of = Fragments("eks").plan


@functools.cache
def files_of(text: str = "") -> dict[str, str]:
    """Path and text of every file of what runs in the cluster."""
    return {file.path: file.text for file in bundle.files(plan_of(text))}


def objects_of(text: str, path: str) -> list[Json]:
    """The objects of one file; none where there is no such file."""
    return [item for item in yaml.load_all(files_of(text).get(path, ""), yaml.CSafeLoader) if item]


def values_of(text: str, name: str) -> Json:
    """The values of a chart."""
    values: Json = yaml.safe_load(files_of(text)[f"values/{name}.yaml"])
    return values
