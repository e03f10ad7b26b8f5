"""Scripts of a bundle on their way to the bucket of the foundation.

They go up as an asset, and a function of CDK's copies them into the bucket, under the very keys
that the documents name. Nothing is ever deleted there: nodes that run keep the scripts they know.
"""

from __future__ import annotations

from collections.abc import Mapping

import aws_cdk as cdk
from aws_cdk import aws_s3, aws_s3_deployment
from constructs import Construct

from clustergen import placeholders
from clustergen.cdk import acknowledged

BUCKET = "ScriptsBucketName"


def upload(
    scope: Construct, files: Mapping[str, str], imports: Mapping[str, str]
) -> aws_s3_deployment.BucketDeployment | None:
    """Put ``files`` (key to text) into the bucket of scripts; None where there are none.

    What stands as ``${Name}`` in a JSON file is filled with the output of that name.
    """
    if not files:
        return None
    bucket = aws_s3.Bucket.from_bucket_name(
        scope, "ScriptsBucket", cdk.Fn.import_value(imports[BUCKET])
    )
    made = aws_s3_deployment.BucketDeployment(
        scope,
        "Scripts",
        destination_bucket=bucket,
        sources=[
            aws_s3_deployment.Source.data(key, _filled(key, text, imports))
            for key, text in files.items()
        ],
        prune=False,
        retain_on_delete=True,
    )
    acknowledged.bucket_deployment(made)
    return made


def _filled(key: str, text: str, imports: Mapping[str, str]) -> str:
    return filled(text, imports) if key.endswith(".json") else text


def filled(text: str, imports: Mapping[str, str]) -> str:
    """``text`` with the placeholders of the foundation's outputs replaced by imported values."""
    values = {
        name: cdk.Fn.import_value(imports[name])
        for name in sorted(placeholders.names(text))
        if name in imports
    }
    for name, value in values.items():
        text = text.replace(f"${{{name}}}", value)
    return text
