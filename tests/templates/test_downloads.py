"""What is downloaded and then runs: by version, and checked, or named here with the reason why not.

The templates are looked through rather than bundles: so no spec has to lead to each of them.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import clustergen
from clustergen.base.resources import tree
from clustergen.base.shell import environment
from clustergen.services.kubernetes import charts

TEMPLATES: Final = Path(tree("templates"))
PACKAGE: Final = Path(clustergen.__file__).parent

_COMMENTS = re.compile(r"\{#.*?#\}|^\s*#[^\n]*", re.DOTALL | re.MULTILINE)
# What deploy.sh uploads, it runs with `run`.
_DOWNLOAD = re.compile(
    r"((?<!run )\baws (?:--region \S+ )?(?:s3 (?:cp|sync)|s3api get-object)"
    r"|\b(?:(?:curl|wget)(?= -)|pip3? install|git clone|helm pull|docker (?:pull|run)"
    r"|(?:apt-get|dnf|yum)\b[^\n]* install))\b"
)

_SIGNED = "the package manager checks the distribution's signatures"
_VERSION = "by version, on the machine that deploys; the registry's digests are not known offline"
_OURS = "an object of this cluster whose content is checked before it is used"
_METADATA = "the instance metadata of the node itself"
REASONS: Final = {
    # Template, program -> why there is no checksum.
    ("batch/jobs/join.sh.j2", "curl"): "a public key, from the main node of the same job",
    ("batch/jobs/mpi.sh.j2", "dnf"): _SIGNED,
    ("batch/packages.sh.j2", "dnf"): _SIGNED,
    ("batch/user-data.sh.j2", "dnf"): _SIGNED,
    ("shared/containers.sh.j2", "apt-get"): _SIGNED,
    ("shared/containers.sh.j2", "dnf"): _SIGNED,
    ("hyperpod/accounting-database.sh.j2", "apt-get"): _SIGNED,
    ("shared/mirror.sh.j2", "helm"): _VERSION,
    ("shared/mount.sh.j2", "dnf"): _SIGNED,
    ("shared/mount.sh.j2", "curl"): "AWS's installer, which has no version; where nothing else is",
    ("shared/monitoring.sh.j2", "docker"): "the image has a digest",
    ("shared/monitoring.sh.j2", "aws"): _OURS,
    ("shared/table.sh.j2", "aws"): _OURS,
    ("shared/instance-type.sh.j2", "curl"): _METADATA,
    (
        "hyperpod/readme-slurm.md.j2",
        "aws",
    ): "commands that the reader runs with scripts of this cluster",
}


def _downloads() -> Iterator[tuple[str, str, str]]:
    """Template, program, and the text of the template."""
    for path in sorted(TEMPLATES.rglob("*.j2")):
        text = _COMMENTS.sub("", path.read_text(encoding="utf-8"))
        for found in _DOWNLOAD.finditer(text):
            program = found[0].split()[0]
            yield path.relative_to(TEMPLATES).as_posix(), program, text


def test_what_scripts_download_is_checked() -> None:
    found = {(name, program): text for name, program, text in _downloads()}
    unchecked = {key for key, text in found.items() if "sha256sum --check" not in text}
    # Those that include it check what it downloads.
    unchecked -= {("shared/fetch.sh.j2", "aws"), ("shared/fetch.sh.j2", "curl")}
    named = {key for key in found if key in REASONS}
    assert (sorted(unchecked - named), sorted(REASONS.keys() - found.keys())) == ([], [])


def test_who_includes_the_download_includes_the_checksum() -> None:
    names = (path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.j2"))
    fetching = [n for n in names if "shared/fetch.sh.j2" in (TEMPLATES / n).read_text("utf-8")]
    assert len(fetching) > 1
    for name in fetching:
        assert "shared/checksum.sh.j2" in (TEMPLATES / name).read_text("utf-8"), name
    assert environment().get_template("shared/checksum.sh.j2")


_IMAGE = re.compile(
    r"(?<![\w./@-])(?:[a-z0-9-]+\.)+(?:com|aws|io|org|dev|net)/[\w./-]*[\w-]:[\w.-]+(?:@sha256:\w+)?"
    r"|\bpytorch/pytorch:[\w.-]+"
)
_FIXED = re.compile(r"@sha256:[0-9a-f]{64}$|:\D{0,20}\d+\.\d+\.\d+|:\d+\.\d{2}-py3$")
"""A digest, a version of three numbers, or NVIDIA's year and month, whose tags never change:
https://docs.nvidia.com/deeplearning/frameworks/support-matrix (2026-11)"""
_EXAMPLES = ("dkr.ecr.", "example.com")


def _texts() -> Iterator[str]:
    for path in (*PACKAGE.rglob("*.*"), *TEMPLATES.rglob("*.*")):
        if path.suffix in (".py", ".j2", ".yaml"):
            yield path.read_text(encoding="utf-8")


def test_no_image_is_a_moving_tag() -> None:
    images = {image for text in _texts() for image in _IMAGE.findall(text)}
    images |= {image for chart in charts.EVERY for image in chart.operands}
    images = {image for image in images if not any(each in image for each in _EXAMPLES)}
    assert len(images) > 10
    assert [image for image in sorted(images) if not _FIXED.search(image)] == []
