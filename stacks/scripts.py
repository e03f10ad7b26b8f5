"""Uploading scripts of a bundle to the foundation's bucket.

They are an asset, which a CDK function copies to the bucket, with the keys that the documents use.
Nothing is deleted there, because running nodes may still use older scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import aws_cdk as cdk
from aws_cdk import aws_s3, aws_s3_deployment
from aws_cdk.aws_s3_deployment import BucketDeployment, ISource, Source
from constructs import Construct

from clustergen import placeholders, shell

from .rendered import RenderedCluster

BUCKET = "ScriptsBucketName"
_FOLDER = "scripts/"


def of_bundle(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the scripts bucket -> text, for scripts whose keys have a hash of their content."""
    named = {
        path.removeprefix(_FOLDER): text
        for path, text in rendered.files.items()
        if path.startswith(_FOLDER)
    }
    return {shell.content_key(name, text): text for name, text in named.items()}


def upload(
    scope: Construct, files: Mapping[str, str], imports: Mapping[str, str]
) -> BucketDeployment | None:
    """Upload ``files`` (key -> text) to the scripts bucket; None if there are none.

    In JSON files, ``${Name}`` is replaced by the output of that name, as in ``deploy.sh``.
    """
    if not files:
        return None
    name = cdk.Fn.import_value(imports[BUCKET])
    with TemporaryDirectory() as folder:
        return aws_s3_deployment.BucketDeployment(
            scope,
            "Scripts",
            destination_bucket=aws_s3.Bucket.from_bucket_name(scope, "ScriptsBucket", name),
            sources=list(_sources(Path(folder), files, imports)),
            prune=False,
            retain_on_delete=True,
        )


def _sources(
    folder: Path, files: Mapping[str, str], imports: Mapping[str, str]
) -> Iterator[ISource]:
    """The sources: files with values of the foundation one by one, all others together."""
    whole = {key: text for key, text in files.items() if not _has_values(key, text, imports)}
    for key, text in whole.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    if whole:
        yield Source.asset(str(folder))
    for key in sorted(files.keys() - whole.keys()):
        yield Source.data(key, filled(files[key], imports))


def _has_values(key: str, text: str, imports: Mapping[str, str]) -> bool:
    return key.endswith(".json") and not placeholders.names(text).isdisjoint(imports)


def filled(text: str, imports: Mapping[str, str]) -> str:
    """``text`` with the placeholders of the foundation's outputs replaced by imported values."""
    for name in sorted(placeholders.names(text) & imports.keys()):
        text = text.replace(f"${{{name}}}", cdk.Fn.import_value(imports[name]))
    return text
