"""Where the trees of text that come with the package are: templates and example specs.

In a checkout, and in an editable install of one, they stand beside the package; a wheel carries
them inside it, because files beside a package in site-packages belong to other packages.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent
_TREES = ("specs", "templates")


class MissingTree(FileNotFoundError):
    """An installation without its data files."""


def tree(name: str, package: Path = _PACKAGE) -> Path:
    """The directory of the bundled tree ``name``, ``templates`` or ``specs``.

    Raises ValueError for another name, MissingTree when the installation lacks it.
    """
    if name not in _TREES:
        raise ValueError(f"{name!r} is not a bundled tree: one of {', '.join(_TREES)}")
    bundled = package / "_bundled" / name
    if bundled.is_dir():
        return bundled
    checkout = package.parent
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    raise MissingTree(
        f"clustergen is installed without its {name}: neither {bundled} nor {checkout / name} "
        "in a checkout exists; install it again from a wheel or a full checkout"
    )
