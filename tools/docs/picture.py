"""The picture of the README: from a spec to bundles, and what a bundle deploys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from types import MappingProxyType

from clustergen import targets

WIDTH, HEIGHT = 920, 322
LIGHT: Mapping[str, str] = MappingProxyType(
    {
        "text": "#1f2328",
        "quiet": "#59636e",
        "line": "#8c959f",
        "card": "#f6f8fa",
        "edge": "#d1d9e0",
        "accent": "#0b5cad",
        "tint": "#ddf0ff",
        "error": "#c0262d",
        "stays": "#e3f6e5",
        "stays-edge": "#4a9d57",
    }
)
DARK: Mapping[str, str] = MappingProxyType(
    {
        "text": "#e6edf3",
        "quiet": "#9da7b3",
        "line": "#7d8590",
        "card": "#161b22",
        "edge": "#3d444d",
        "accent": "#6cb2f7",
        "tint": "#12283f",
        "error": "#ff7b72",
        "stays": "#12261a",
        "stays-edge": "#4a9d57",
    }
)
_SPEC = """\
name: llm-pretrain
node_groups:
  - name: h200
    instance_type:
      p5en.48xlarge
    count: 16
storage:
  - mount: /fsx
    type: fsx-lustre
    size: 4800GiB
    efa: true"""
_FINDING = ("line 10:", "4800GiB is not a size", "nearest: 19200GiB")


_PITCH = 250 // len(targets.NAMES)
"""From one bundle to the next."""


def light() -> str:
    """The picture for a light page."""
    return _picture(LIGHT)


def dark() -> str:
    """The picture for a dark page."""
    return _picture(DARK)


def _picture(colours: Mapping[str, str]) -> str:
    return "\n".join([*_head(colours), *_spec(), *_plan(), *_bundles(), *_deployed(), "</svg>", ""])


def _head(colours: Mapping[str, str]) -> Iterator[str]:
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}"'
        f' height="{HEIGHT}" role="img" aria-labelledby="t">'
    )
    yield '<title id="t">A spec becomes a plan, the plan a bundle for each target</title>'
    yield (
        "<style>text{font:14px system-ui,-apple-system,Segoe UI,Helvetica,Arial,sans-serif;"
        f"fill:{colours['text']}}}"
        ".h{font-weight:600;font-size:15px}"
        f".q{{fill:{colours['quiet']};font-size:13px}}"
        ".m{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre}"
        f".e{{fill:{colours['error']}}}"
        f".card{{fill:{colours['card']};stroke:{colours['edge']}}}"
        f".tint{{fill:{colours['tint']};stroke:{colours['accent']}}}"
        f".stays{{fill:{colours['stays']};stroke:{colours['stays-edge']}}}"
        f".arrow{{stroke:{colours['line']};stroke-width:1.6;fill:none;marker-end:url(#a)}}"
        f".way{{stroke:{colours['line']};stroke-width:1.6;fill:none}}"
        f"#a path{{fill:{colours['line']}}}</style>"
    )
    yield (
        '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
        ' orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>'
    )


def _spec() -> Iterator[str]:
    yield _label(105, "spec")
    yield _box(10, 40, 190, 240)
    for number, line in enumerate(_SPEC.splitlines()):
        yield _text(24, 64 + 20 * number, line, "m")
    yield _text(105, 304, "what you write, once", "q", "middle")
    yield '<path class="arrow" d="M200 130H238"/>'


def _plan() -> Iterator[str]:
    yield _label(337, "plan")
    yield _box(240, 40, 194, 104)
    for number, line in enumerate(
        ("every default decided", "facts of each type:", "network cards, zones, ...")
    ):
        yield _text(337, 72 + 25 * number, line, anchor="middle")
    yield '<path class="arrow" d="M337 144V178"/>'
    yield _text(326, 166, "checked offline", "q", "end")
    yield _box(240, 180, 194, 100)
    for number, (line, style) in enumerate(zip(_FINDING, ("q", "e", ""), strict=True)):
        yield _text(337, 210 + 25 * number, line, style, "middle")
    yield _text(337, 304, "findings with a way out", "q", "middle")


def _bundles() -> Iterator[str]:
    yield _label(560, "bundles")
    for name, middle in zip(targets.NAMES, _middles(), strict=True):
        yield f'<path class="arrow" d="M434 92C460 92 460 {middle} 482 {middle}"/>'
        yield _box(484, middle - _PITCH // 2 + 5, 152, _PITCH - 10, "tint")
        yield _text(560, middle + 5, name, "m", "middle")
    yield _text(560, 304, "files to review and commit", "q", "middle")


def _middles() -> list[int]:
    """The height of each bundle's middle."""
    return [35 + _PITCH // 2 + _PITCH * number for number in range(len(targets.NAMES))]


def _deployed() -> Iterator[str]:
    yield _label(802, "deployed by deploy.sh")
    for middle in _middles():
        yield f'<path class="way" d="M636 {middle}H660"/>'
    yield f'<path class="way" d="M660 {_middles()[0]}V{_middles()[-1]}"/>'
    yield '<path class="arrow" d="M660 94H692"/><path class="arrow" d="M660 220H692"/>'
    yield _box(694, 40, 216, 108, "tint")
    yield _text(802, 68, "cluster", "h", "middle")
    yield _text(802, 94, "nodes, queues, add-ons", anchor="middle")
    yield _text(802, 120, "replace it, change the target", "q", "middle")
    yield '<path class="arrow" d="M802 148V170"/>'
    yield _box(694, 172, 216, 108, "stays")
    yield _text(802, 200, "foundation", "h", "middle")
    yield _text(802, 226, "network, file systems, roles", anchor="middle")
    yield _text(802, 252, "stays, with your data", "q", "middle")
    yield _text(802, 304, "two stacks in your account", "q", "middle")


def _label(x: int, text: str) -> str:
    return _text(x, 26, text, "h", "middle")


def _text(x: int, y: int, text: str, style: str = "", anchor: str = "") -> str:
    styled = f' class="{style}"' if style else ""
    anchored = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x}" y="{y}"{styled}{anchored}>{escape(text)}</text>'


def _box(x: int, y: int, width: int, height: int, style: str = "card") -> str:
    return f'<rect class="{style}" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>'
