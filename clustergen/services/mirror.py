"""The registry of the spec: what must be in it, and the script that copies it there.

Nodes pull images, and deployments pull charts, from copies in the registry. The copy of an image is
below the name of its public registry, so that names never collide.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from clustergen.base import shell
from clustergen.base.artifacts import Artifact
from clustergen.plan import images
from clustergen.plan.model import Plan

SCRIPT: Final = "mirror.sh"
IMAGES: Final = "images.txt"
CHART_FOLDER: Final = "charts"
"""The folder of charts in the registry."""

_HEAD = f"""\
# Public images that the cluster pulls from its registry, for {SCRIPT}. Where there are charts, it
# finds their images by rendering them: `./{SCRIPT} --list` prints all.
"""


def files(
    plan: Plan,
    rendered: Iterable[Artifact],
    more: Iterable[str] = (),
    template: str = "shared/mirror.sh.j2",
    **values: Any,
) -> Iterator[Artifact]:
    """The list of images in ``rendered`` files and of ``more``, and the script from ``template``.

    Nothing without a registry.
    """
    if plan.software.registry:
        named = images.sources(plan, (file.text for file in rendered))
        yield Artifact(IMAGES, _HEAD + "".join(f"{name}\n" for name in sorted({*named, *more})))
        yield Artifact(SCRIPT, _script(plan, template, values), executable=True)


def _script(plan: Plan, template: str, values: dict[str, Any]) -> str:
    registry = plan.software.registry or ""
    defaults = {"charts": [], "helm": False, "private": [], "kubernetes": ""}
    return shell.render(
        template,
        **login(plan),
        registry=registry,
        prefix="".join(f"{folder}/" for folder in registry.split("/")[1:]),
        account=registry[:12] if images.region_of(registry) else "",
        region=plan.region,
        images_file=IMAGES,
        chart_folder=CHART_FOLDER,
        **defaults | values,
    )


def login(plan: Plan) -> dict[str, str]:
    """The values of templates/shared/registry.sh.j2."""
    registry = plan.software.registry or ""
    return {
        "registry_host": registry.partition("/")[0],
        "registry_region": images.region_of(registry),
    }


def chart(plan: Plan, name: str) -> str:
    """The address of a chart in the registry."""
    return f"oci://{plan.software.registry}/{CHART_FOLDER}/{name}"
