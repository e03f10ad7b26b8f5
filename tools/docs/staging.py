"""The sources of the site: the Markdown of this repository, written for Sphinx into one folder.

GitHub shows ``docs/`` as it is. The site has more: a page for each rule and each example spec. They
are written here and not committed, because they repeat what the code and ``specs/`` say.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath

from tools.docs import contents, rule_pages, spec_pages
from tools.docs.contents import ROOT

HOME = PurePosixPath("README.md")
RULES = PurePosixPath("docs/rules")
"""The site has a page for each of the rules on these pages."""
SPECS = PurePosixPath("specs")

_LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s#]*)(#[^)\s]+)?(?=\))")
_CODE = re.compile(r"(^```+[^\n]*\n.*?^```+$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_ANCHOR = re.compile(r'^(#+ )<a id="([^"]+)"></a>', re.MULTILINE)
_FILE = re.compile(r"<!-- file: (\S+) -->\n```(\w+)\n")
_PICTURE = re.compile(
    r'<picture>.*?srcset="(?P<dark>[^"]+)".*?alt="(?P<alt>[^"]+)" src="(?P<light>[^"]+)".*?'
    r"</picture>",
    re.DOTALL,
)


def stage(folder: Path) -> None:
    """Write the sources of the site into ``folder``."""
    listed = (entry.page for section in contents.sections() for entry in section.entries)
    for page in (HOME, contents.CONTENTS, *listed):
        if page not in (RULES.with_suffix(".md"), SPECS):
            text = for_sphinx(page, (ROOT / page).read_text(encoding="utf-8"))
            if page == HOME:
                text += "\n" + "\n".join(_navigation())
            if page == contents.CONTENTS:
                text = f"---\norphan: true\n---\n\n{text}"  # it is the navigation
            _write(folder, on_site(page), text)
    for name, text in (*rule_pages.pages(), *spec_pages.pages()):
        _write(folder, PurePosixPath(name), text)
    _copy_files(folder)


def _navigation() -> Iterator[str]:
    for section in contents.sections():
        yield f"```{{toctree}}\n:hidden:\n:caption: {section.title}\n"
        yield from (f"{title} <{on_site(page).as_posix()}>" for title, page in section.entries)
        yield "```\n"


def _write(folder: Path, page: PurePosixPath, text: str) -> None:
    path = folder / page
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _copy_files(folder: Path) -> None:
    """Copy the files that pages show or link to."""
    docs = ROOT / "docs"
    kept = (path for path in docs.rglob("*") if path.suffix in (".svg", ".png", ".json", ".yaml"))
    for file in (*kept, ROOT / "LICENSE"):
        copy = folder / on_site(PurePosixPath(file.relative_to(ROOT)))
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)


def on_site(path: PurePosixPath, anchor: str = "") -> PurePosixPath:
    """Where the site has a file of the repository."""
    if path == HOME:
        return PurePosixPath("index.md")
    if path == contents.CONTENTS:
        return PurePosixPath("contents.md")
    if path.parent == RULES and anchor:
        return PurePosixPath("rules", f"{anchor}.md")
    if path == SPECS:
        return PurePosixPath("specs.md")
    if path.parent == SPECS:
        return path.with_suffix(".md")
    if path.parts[0] == "docs":
        return path.relative_to("docs")
    return PurePosixPath(path.name.lower())


def for_sphinx(page: PurePosixPath, markdown: str) -> str:
    """The text of a page of the repository, with links and blocks in the forms that MyST reads."""
    text = _PICTURE.sub(_as_images, markdown)
    text = _ANCHOR.sub(r"(\2)=\n\1", text)
    text = _outside_code(text, lambda part: _LINK.sub(lambda link: _relinked(page, link), part))
    text = _FILE.sub(r"```{code-block} \2\n:caption: \1\n\n", text)
    return text.replace("```mermaid\n", "```text\n")


def _as_images(picture: re.Match[str]) -> str:
    return "\n".join(
        f"```{{image}} {picture[mode].removeprefix('docs/')}\n"
        f":class: only-{mode}\n:alt: {picture['alt']}\n```\n"
        for mode in ("light", "dark")
    )


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    parts = _CODE.split(text)
    return "".join(part if index % 2 else change(part) for index, part in enumerate(parts))


def _relinked(page: PurePosixPath, link: re.Match[str]) -> str:
    anchor = (link[2] or "").removeprefix("#")
    if not link[1]:
        return link[0]
    target = contents.resolve(page, link[1])
    place = on_site(target, anchor)
    kept = "" if target.parent == RULES or not anchor else f"#{anchor}"
    return os.path.relpath(place, on_site(page).parent) + kept
