"""Scripts of a bundle on their way to the bucket of the foundation.

They go up as an asset, and a function of CDK's copies them into the bucket, under the very keys
that the documents name. Nothing is ever deleted there: nodes that run keep the scripts they know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import aws_cdk as cdk
from aws_cdk import aws_s3, aws_s3_deployment
from aws_cdk.aws_s3_deployment import BucketDeployment, ISource, Source
from constructs import Construct

from clustergen import placeholders

BUCKET = "ScriptsBucketName"


def upload(
    scope: Construct, files: Mapping[str, str], imports: Mapping[str, str]
) -> BucketDeployment | None:
    """Put ``files`` (key to text) into the bucket of scripts; None where there are none.

    What stands as ``${Name}`` in a JSON file is filled with the output of that name, as
    ``deploy.sh`` does it.
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
    """The files with values of the foundation one by one, all others together."""
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
