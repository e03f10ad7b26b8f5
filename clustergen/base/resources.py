"""Locating the data files of the package: templates, example specs, CDK settings.

In a checkout or an editable install, they are beside the package. A wheel has them inside the
package, because site-packages is shared.
"""

from pathlib import Path
from typing import Literal

_PACKAGE = Path(__file__).parents[1]


def presets() -> dict[str, Path]:
    """The starter specs of ``clustergen init``, by name."""
    return {path.stem: path for path in sorted((tree("templates") / "presets").glob("*.yaml"))}


def template(name: str) -> str:
    """The text of a template into which nothing is filled."""
    return (tree("templates") / name).read_text(encoding="utf-8")


def tree(
    name: Literal["templates", "specs", "cdk.json", "package.json"], package: Path = _PACKAGE
) -> Path:
    """The bundled folder or file ``name``.

    :raises FileNotFoundError: if the installation lacks it.
    """
    bundled = package / "_bundled" / name
    if bundled.exists():
        return bundled
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / name).exists():
        return checkout / name
    raise FileNotFoundError(
        f"clustergen is installed without its {name}: neither {bundled} nor {checkout / name} "
        "in a checkout exists; install it again from a wheel or a full checkout"
    )
