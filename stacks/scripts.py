"""Uploading scripts of a bundle to the foundation's bucket.

They are an asset, which a CDK function copies to the bucket, with the keys that the documents use.
Nothing is deleted there, because running nodes may still use older scripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

import aws_cdk as cdk
from aws_cdk import aws_s3, aws_s3_deployment
from aws_cdk.aws_s3_deployment import BucketDeployment, ISource, Source
from constructs import Construct

from clustergen.base import shell
from clustergen.services.slurm import tables
from clustergen.spec import placeholders

from . import acknowledged, template
from .rendered import RenderedCluster

BUCKET = "ScriptsBucketName"
_FOLDER = "scripts/"


def of_bundle(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the scripts bucket -> text: of scripts with a hash of their content, of tables."""
    named = {
        path.removeprefix(_FOLDER): text
        for path, text in rendered.files.items()
        if path.startswith(_FOLDER)
    }
    by_content = {shell.content_key(name, text): text for name, text in named.items()}
    return {**by_content, **tables.uploads(rendered.plan, rendered.files)}


class NodesStack(template.TemplateStack):
    """A cluster whose nodes run scripts of the foundation's bucket as soon as they boot."""

    def __init__(  # noqa: PLR0913 all but two say what differs between targets
        self,
        scope: Construct,
        rendered: RenderedCluster,
        *,
        uploads: Mapping[str, str],
        nodes: str,
        images: Mapping[str, str] = MappingProxyType({}),
        imports: Mapping[str, str] | None = None,
        **props: Any,
    ) -> None:
        """``nodes`` is the type of the resources that start them, after the scripts are there."""
        document = template.look_up_images(rendered.template, images)
        imports = imports or rendered.imports
        super().__init__(scope, rendered.stack_name, document, imports=imports, **props)
        if uploads:
            earlier = upload(self, uploads, imports)
            for resource in self.resources.values():
                if resource.cfn_resource_type == nodes:
                    resource.node.add_dependency(earlier)


def upload(
    stack: cdk.Stack, files: Mapping[str, str], imports: Mapping[str, str]
) -> BucketDeployment:
    """Upload ``files`` (key -> text) to the scripts bucket.

    In JSON files, ``${Name}`` is replaced by the output of that name, as in ``deploy.sh``.
    """
    name = cdk.Fn.import_value(imports[BUCKET])
    with TemporaryDirectory() as folder:
        made = aws_s3_deployment.BucketDeployment(
            stack,
            "Scripts",
            destination_bucket=aws_s3.Bucket.from_bucket_name(stack, "ScriptsBucket", name),
            sources=list(_sources(Path(folder), files, imports)),
            prune=False,
            retain_on_delete=True,
        )
    acknowledged.bucket_deployment(stack, imports[BUCKET])
    return made


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
