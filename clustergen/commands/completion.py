"""``clustergen completion``."""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence

import shtab

from clustergen import targets
from clustergen.base import resources
from clustergen.checking import registry
from clustergen.commands.arguments import parser
from clustergen.commands.exit_status import OK
from clustergen.facts.catalog import lookup, regions


def run(args: argparse.Namespace) -> int:
    script = shtab.complete(_completing(parser()), shell=args.shell)
    sys.stdout.write(script + (_JOINED if args.shell == "bash" else ""))
    return OK


# bash makes three words of --option=value; what shtab writes knows only two.
_JOINED = """
_clustergen_joined() {
  local words=("${COMP_WORDS[@]}") last=$COMP_CWORD index
  COMP_WORDS=()
  for index in "${!words[@]}"; do
    if [[ ${words[index]} != = || ${words[index - 1]} != --* ]]; then
      COMP_WORDS+=("${words[index]}")
    elif ((index == last)); then
      COMP_WORDS+=("")
    elif ((index < last)); then
      ((COMP_CWORD -= 1))
    fi
  done
  _shtab_clustergen
}
complete -o bashdefault -F _clustergen_joined clustergen
"""


_FILES = ("specs", "files", "file", "outputs", "page")
_FOLDERS = ("dir", "out", "write")


def _completing(root: argparse.ArgumentParser) -> argparse.ArgumentParser:
    """The parser, with what may be completed: files, folders, names, and lists of names."""
    codes = list(registry.by_code())
    names = {
        "codes": codes,
        "types": list(lookup.names()),
        "region": list(regions.REGIONS),
        "preset": [*resources.presets(), "list"],
        "old": list(targets.NAMES),
        "new": list(targets.NAMES),
    }
    ways = {
        **dict.fromkeys(_FILES, shtab.FILE),
        **dict.fromkeys(_FOLDERS, shtab.DIRECTORY),
        **dict.fromkeys(("ignored", "selected"), _list("codes", codes)),
        "targets": _list("targets", [*targets.NAMES, "all"]),
        "regions": _list("regions", regions.REGIONS),
    }
    for action in _actions(root):
        if action.dest in ways:
            action.complete = ways[action.dest]  # type: ignore[attr-defined]
        elif action.dest in names:
            action.choices = names[action.dest]
    return root


# Each completes what follows the last comma.
_BASH = """\
_clustergen_{name}() {{
  local before=${{1%"${{1##*,}}"}}
  compgen -P "$before" -W '{words}' -- "${{1##*,}}"
}}
"""
_ZSH = """\
_clustergen_{name}() {{
  _values -s , '{name}' {words}
}}
"""
_FISH = """\
function _clustergen_{name}
  set -l token (string replace -r '^--[a-z]+=' '' -- (commandline -ct))
  for word in {words}
    echo (string replace -r '[^,]*$' '' -- $token)$word
  end
end
"""


def _list(name: str, words: Sequence[str]) -> Mapping[str, object]:
    """The functions that complete a list, by shell, in the form of shtab's ``complete``."""
    function = f"_clustergen_{name}"
    joined = " ".join(words)
    forms = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}
    return {
        "preamble": {shell: f.format(name=name, words=joined) for shell, f in forms.items()},
        "bash": function,
        "zsh": function,
        "fish": f"({function})",
        "tcsh": f"({joined})",
    }


def _actions(root: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in root._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
        else:
            yield action
