"""The terminal session of the README as an SVG: what the commands print, one after another.

The commands run in an empty folder. The animation is CSS, which GitHub keeps; where motion is not
wanted, the picture shows the first screen.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from unittest import mock

from clustergen.cli import main

COLUMNS, ROWS = 96, 25
_CHARACTER, _LINE, _MARGIN, _TITLE = 8.4, 19, 16, 30
_WIDTH = int(COLUMNS * _CHARACTER) + 2 * _MARGIN
_HEIGHT = ROWS * _LINE + 2 * _MARGIN + _TITLE

SPEC = """\
version: 1
name: llm-pretrain
region: us-east-2
network: {zone: use2-az2}
node_groups:
  - {name: h200, instance_type: p5en.48xlarge, count: 16}
queues:
  - {name: train, node_groups: [h200], time_limit: 7d}
storage:
  - {mount: /fsx, type: fsx-lustre, size: 4800GiB, throughput: 250, efa: true}
"""
COMMANDS = (
    "cat cluster.yaml",
    "clustergen check cluster.yaml --target pcs",
    "clustergen check cluster.yaml --target pcs --fix --unsafe-fixes",
    "clustergen cost cluster.yaml --target pcs | head -n 11",
    "clustergen render cluster.yaml --target pcs --target parallelcluster -o out",
    "ls out/llm-pretrain/pcs",
    f"out/llm-pretrain/pcs/deploy.sh --dry-run 2>&1 | cut -c -{COLUMNS}",
)
_SECONDS_A_CHARACTER, _SECONDS_A_LINE, _SECONDS_AT_THE_END = 0.04, 0.35, 4.0
_COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "34": "#79c0ff", "36": "#76e3ea"}
_CODE = re.compile(r"\x1b\[([\d;]*)m")


@dataclass(frozen=True, slots=True)
class Step:
    """A command and the lines that it printed."""

    command: str
    printed: tuple[str, ...]


def picture() -> str:
    """The session as an SVG."""
    return "\n".join(_svg(session())) + "\n"


def session() -> list[Step]:
    """Run the commands."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("cluster.yaml").write_text(SPEC, encoding="utf-8")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        wanted = {"FORCE_COLOR": "1", "LC_ALL": "C", "NO_COLOR": "", "PATH": path}
        with mock.patch.dict(os.environ, wanted):
            return [Step(command, tuple(_printed(command))) for command in COMMANDS]


def _printed(command: str) -> list[str]:
    if "|" in command or not command.startswith("clustergen "):
        words = ["bash", "-c", command]
        done = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
        return done.stdout.splitlines()
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
        main(shlex.split(command)[1:])
    return text.getvalue().splitlines()


def _svg(steps: Sequence[Step]) -> Iterator[str]:
    frames = _timed(steps)
    seconds = frames[-1].shown + _SECONDS_AT_THE_END
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}"'
        f' width="{_WIDTH}" height="{_HEIGHT}" role="img" aria-labelledby="t">'
    )
    yield '<title id="t">A terminal in which clustergen checks and renders a spec</title>'
    yield f"<style>\n{_style(frames, seconds)}\n</style>"
    yield f'<rect width="{_WIDTH}" height="{_HEIGHT}" rx="8" fill="#0d1117"/>'
    for index, colour in enumerate(("#ff5f57", "#febc2e", "#28c840")):
        yield f'<circle cx="{20 + 20 * index}" cy="17" r="6" fill="{colour}"/>'
    top, height = _TITLE + _MARGIN // 2, ROWS * _LINE
    yield f'<svg y="{top}" width="{_WIDTH}" height="{height}"><g class="all">'
    for number, frame in enumerate(frames):
        yield from _frame(number, frame)
    yield "</g></svg>\n</svg>"


@dataclass(frozen=True, slots=True)
class _Frame:
    """Lines that appear together: a command while it is typed, or what it prints."""

    first: int
    """The number of its first line."""
    lines: tuple[str, ...]
    shown: float
    """Seconds from the beginning of the session."""
    typed: float = 0
    """Seconds that typing takes; none for output."""


def _timed(steps: Sequence[Step]) -> list[_Frame]:
    frames: list[_Frame] = []
    line, clock = 0, 0.5
    for step in steps:
        typing = len(step.command) * _SECONDS_A_CHARACTER
        frames.append(_Frame(line, (step.command,), clock, typing))
        clock += typing + 0.3
        frames.append(_Frame(line + 1, step.printed, clock))
        clock += 1.2 + _SECONDS_A_LINE * len(step.printed)
        line += 1 + len(step.printed) + 1
    return frames


def _style(frames: Sequence[_Frame], seconds: float) -> str:
    def at(time: float) -> str:
        return f"{100 * time / seconds:.2f}%"

    rules = [
        "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;"
        "fill:#e6edf3;white-space:pre}",
        ".b{font-weight:700}",
        *(f".c{code}{{fill:{colour}}}" for code, colour in _COLOURS.items()),
        ".p{fill:#7ee787}",
        "@media (prefers-reduced-motion:no-preference){",
    ]
    scroll = ["0%{transform:translateY(0)}"]
    for number, frame in enumerate(frames):
        hidden = "0%{visibility:hidden}"
        rules.append(f"@keyframes s{number}{{{hidden}{at(frame.shown)}{{visibility:visible}}}}")
        rules.append(f".s{number}{{animation:s{number} {seconds:.1f}s step-end infinite}}")
        if frame.typed:
            end = at(frame.shown + frame.typed)
            rules.append(
                f"@keyframes t{number}{{0%,{at(frame.shown)}{{clip-path:inset(0 100% 0 0);"
                f"animation-timing-function:steps({len(frame.lines[0])})}}"
                f"{end},100%{{clip-path:inset(0)}}}}"
            )
            rules.append(f".t{number}{{animation:t{number} {seconds:.1f}s linear infinite}}")
        above = max(0, frame.first + len(frame.lines) - ROWS)
        scroll.append(f"{at(frame.shown)}{{transform:translateY(-{above * _LINE}px)}}")
    rules.append(f"@keyframes all{{{''.join(scroll)}}}")
    rules.append(f".all{{animation:all {seconds:.1f}s step-end infinite}}")
    return "\n".join([*rules, "}"])


def _frame(number: int, frame: _Frame) -> Iterator[str]:
    yield f'<g class="s{number}">'
    for offset, line in enumerate(frame.lines):
        y = (frame.first + offset) * _LINE + 14
        if frame.typed:
            yield f'<text x="{_MARGIN}" y="{y}" class="p b">$</text>'
            yield f'<g class="t{number}">{_text(line, 2, y)}</g>'
        else:
            yield _text(line, 0, y)
    yield "</g>"


def _text(line: str, column: int, y: int) -> str:
    """A line as text elements, one for each colour, at fixed columns."""
    made: list[str] = []
    classes = ""
    for index, part in enumerate(_CODE.split(line)):
        if index % 2:
            codes = [code for code in part.split(";") if code not in ("", "0")]
            classes = " ".join("b" if code == "1" else f"c{code}" for code in codes)
        elif part:
            x = _MARGIN + column * _CHARACTER
            named = f' class="{classes}"' if classes else ""
            length = f' textLength="{len(part) * _CHARACTER:.1f}"'
            if part.strip():
                made.append(f'<text x="{x:.1f}" y="{y}"{length}{named}>{escape(part)}</text>')
            column += len(part)
    return "".join(made)
