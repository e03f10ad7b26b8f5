"""The addresses of the published documentation, from ``project.urls`` in ``pyproject.toml``."""

import functools
from collections.abc import Mapping

from clustergen.base.findings import Rule


def help_uri(rule: Rule) -> str:
    """The page of a rule; where none is published, its source; empty if that is not on the web.

    A rule of a project has no page in our documentation.
    """
    own = rule.check is None or rule.check.__module__.partition(".")[0] == "clustergen"
    page = page_of(rule.code, addresses()) if own else ""
    return page or (rule.source if rule.source.startswith("https://") else "")


def page_of(code: str, urls: Mapping[str, str]) -> str:
    """The page of a code, given the project's URLs; empty if they name no place that has one.

    The site has a page for each rule. Without a site, a repository on GitHub shows docs/rules/.
    """
    area, anchor = code[:3].lower(), code.lower()
    site, repository = urls.get("Documentation", ""), urls.get("Repository", "")
    if site:
        return f"{site.rstrip('/')}/rules/{anchor}.html"
    if repository.startswith("https://github.com/"):
        return f"{repository.rstrip('/')}/blob/HEAD/docs/rules/{area}.md#{anchor}"
    return ""


@functools.cache
def addresses() -> Mapping[str, str]:
    """The project's URLs by name, as the installed package knows them."""
    from importlib import metadata  # few commands need it

    try:
        lines = metadata.metadata("clustergen").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:  # a checkout that is not installed
        return {}
    return dict(line.split(", ", 1) for line in lines)
