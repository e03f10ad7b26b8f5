"""Container images in a private registry (``software.registry``) in place of public ones."""

import re
from collections.abc import Iterable
from typing import Final

from clustergen.base.patterns import pattern
from clustergen.plan.model import Plan

# https://docs.aws.amazon.com/AmazonECR/latest/userguide/getting-started-endpoints.html (2026-11)
_ECR: Final = pattern(
    r"(?P<account>[0-9]{12})\.dkr[.-]ecr(-fips)?\.(?P<region>[a-z0-9-]+)"
    r"\.(amazonaws\.com(\.cn)?|on\.(aws|amazonwebservices\.com\.cn))(/.+)?"
)

AMAZON_LINUX: Final = "public.ecr.aws/amazonlinux/amazonlinux:2023.10.20260120.4"
"""An Amazon Linux release by date, for x86_64 and arm64; such tags never change.
https://gallery.ecr.aws/amazonlinux/amazonlinux (2026-11)"""
PYTHON: Final = "public.ecr.aws/docker/library/python:3.13.11-slim-bookworm"
"""For its standard library alone. Tags with a patch release and a Debian release stay as they are
once the next patch release is there. https://hub.docker.com/_/python (2026-11)"""


def pulled(plan: Plan, image: str) -> str:
    """The address from which nodes pull a public image."""
    return f"{plan.software.registry}/{full_name(image)}" if plan.software.registry else image


def full_name(image: str) -> str:
    """An image with its registry: Docker Hub's is left out in short names."""
    host, slash, _ = image.partition("/")
    if slash and ("." in host or ":" in host):
        return image
    return f"docker.io/{image}" if slash else f"docker.io/library/{image}"


def sources(plan: Plan, texts: Iterable[str]) -> set[str]:
    """The public images behind the addresses in the registry that ``texts`` name."""
    if not plan.software.registry:
        return set()
    address = pattern(rf"{re.escape(plan.software.registry)}/([^\s\"',]+:[^\s\"',]+)")
    return {found for text in texts for found in address.findall(text)}


def region_of(registry: str) -> str:
    """The region of a registry of ECR; empty for any other registry."""
    found = _ECR.fullmatch(registry)
    return found["region"] if found else ""
