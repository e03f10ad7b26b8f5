"""Checks the links of a built site: pages, anchors, and that nothing is loaded from elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

_LINK = re.compile(r'<(\w+)[^>]*?\s(?:href|src|srcset)="([^"]*)"')
_ID = re.compile(r'\s(?:id|name)="([^"]*)"')
_LOADED = re.compile(r"(?:url\(|@import )\s*[\"']?(https?://[^\"')\s]+)")


def broken(site: Path) -> list[str]:
    """What is wrong, one line for each link."""
    found: list[str] = []
    for page in sorted(site.rglob("*.html")):
        found += (f"{page.relative_to(site)}: {what}" for what in _broken_in(page))
    for style in sorted(site.rglob("*.css")):
        text = style.read_text(encoding="utf-8")
        found += (f"{style.relative_to(site)}: loads {url}" for url in _LOADED.findall(text))
    return found


def _broken_in(page: Path) -> Iterator[str]:
    for tag, link in dict.fromkeys(_LINK.findall(_text(page))):
        if link.startswith(("https:", "http:", "//")):
            if tag != "a":
                yield f"loads {link}"
        elif not link.startswith(("mailto:", "data:")) and not _leads(page, link):
            yield f"leads nowhere: {link}"


def _leads(page: Path, link: str) -> bool:
    path, _, anchor = unquote(link).partition("#")
    target = page.parent / path.partition("?")[0] if path else page
    if not target.is_file():
        return False
    return not anchor or target.suffix != ".html" or anchor in _ids(target.resolve())


@cache
def _ids(page: Path) -> frozenset[str]:
    return frozenset(_ID.findall(_text(page)))


@cache
def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")
