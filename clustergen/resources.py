"""Locating the data files of the package: templates, example specs, CDK settings.

In a checkout or an editable install, they are beside the package. A wheel has them inside the
package, because site-packages is shared.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_TREES = ("specs", "templates")
_FILES = ("cdk.json", "package.json")


class MissingTree(FileNotFoundError):
    """An installation without its data files."""


def tree(name: str, package: Path = _PACKAGE) -> Path:
    """The directory ``name``, either ``templates`` or ``specs``.

    Raises ValueError for another name, MissingTree if the installation lacks it.
    """
    if name not in _TREES:
        raise ValueError(f"{name!r} is not a bundled tree: one of {', '.join(_TREES)}")
    return _find(name, package)


def file(name: str, package: Path = _PACKAGE) -> Path:
    """The bundled file ``name``, ``cdk.json`` or ``package.json``.

    Raises ValueError for another name, MissingTree when the installation lacks it.
    """
    if name not in _FILES:
        raise ValueError(f"{name!r} is not a bundled file: one of {', '.join(_FILES)}")
    return _find(name, package)


def presets() -> dict[str, Path]:
    """The starter specs of ``clustergen init``, by name."""
    return {path.stem: path for path in sorted((tree("templates") / "presets").glob("*.yaml"))}


def _find(name: str, package: Path) -> Path:
    bundled = package / "_bundled" / name
    if bundled.exists():
        return bundled
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / name).exists():
        return checkout / name
    raise MissingTree(
        f"clustergen is installed without its {name}: neither {bundled} nor {checkout / name} "
        "in a checkout exists; install it again from a wheel or a full checkout"
    )
