"""Clusters whose nodes run scripts, and uploading these to the foundation's bucket.

The scripts are an asset, which a CDK function copies to the bucket, with the keys that the
documents use. Nothing is deleted there, because running nodes may still use older scripts.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import aws_cdk as cdk
from aws_cdk import aws_s3, aws_s3_deployment
from aws_cdk.aws_s3_deployment import BucketDeployment, ISource, Source
from constructs import Construct

from clustergen.base.text_lists import word_set
from clustergen.deployment.kinds import HyperPod
from clustergen.services.hyperpod.scripts import FOLDER
from clustergen.spec import placeholders

from . import acknowledged, template
from .rendered import RenderedCluster

BUCKET = "ScriptsBucketName"
_NODES: Final = word_set("""
    AWS::Batch::ComputeEnvironment AWS::PCS::ComputeNodeGroup AWS::SageMaker::Cluster
""")
"""Types of resources that start nodes."""


def of_bundle(rendered: RenderedCluster) -> dict[str, str]:
    """Key in the scripts bucket -> text: of scripts, and of tables."""
    bundle, files = rendered.bundle, rendered.files
    paths = {**bundle.uploads, **{each.key: each.file for each in bundle.tables if each.file}}
    if isinstance(bundle.service, HyperPod):
        place = f"{FOLDER}/{bundle.service.prefix}/"
        scripts = (path for path in files if path.startswith(f"{FOLDER}/"))
        paths |= {path.replace(f"{FOLDER}/", place, 1): path for path in scripts}
    return {key: files[path] for key, path in paths.items()}


class NodesStack(template.TemplateStack):
    """A cluster whose nodes run scripts of the foundation's bucket as soon as they boot.

    They start after the scripts are there.
    """

    def __init__(
        self,
        scope: Construct,
        rendered: RenderedCluster,
        imports: Mapping[str, str] | None = None,
        **props: Any,
    ) -> None:
        document = template.look_up_images(rendered.template, _images(rendered))
        imports = imports or rendered.imports
        super().__init__(scope, rendered.stack_name, document, imports=imports, **props)
        if uploads := of_bundle(rendered):
            earlier = upload(self, uploads, imports)
            for resource in self.resources.values():
                if resource.cfn_resource_type in _NODES:
                    resource.node.add_dependency(earlier)


def _images(rendered: RenderedCluster) -> dict[str, str]:
    """Parameter of the template -> public parameter that names the newest image."""
    known = [each for stack in rendered.bundle.stacks.values() for each in stack.parameters.items()]
    return {name: source.image for name, source in known if source.image}


def stacks(scope: Construct, rendered: RenderedCluster, **props: Any) -> list[cdk.Stack]:
    """The stacks of a cluster besides the foundation."""
    return [NodesStack(scope, rendered, **props)]


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
