"""Files of the bundle with ``${Name}`` in place of outputs of stacks."""

import re
from typing import Final

from clustergen.deployment.run import FILLED, Outputs, Run
from clustergen.deployment.world import Stop

_PLACEHOLDER: Final = re.compile(r"\$\{([A-Za-z0-9]+)\}")
_OUTPUT: Final = re.compile(r"[A-Z].*[a-z]")
"""Outputs look like VpcId, variables of the shell like HOME."""


def names(text: str) -> set[str]:
    """The outputs that a text needs."""
    return {name for name in _PLACEHOLDER.findall(text) if _OUTPUT.match(name)}


def filled(text: str, outputs: Outputs) -> str:
    """The text with outputs in place of their names, as far as they are known."""
    return _PLACEHOLDER.sub(lambda m: outputs.get(m[1], m[0]), text)


def fill(run: Run, path: str, outputs: Outputs) -> str:
    """Write a file of the bundle with outputs in place of their names to ``.filled``; its text.

    :raises Stop: if a placeholder is left.
    """
    if run.options.rehearses:
        run.note(f"+ fill the placeholders of {path} into {FILLED}/{path}")
        return ""
    return fill_text(run, path, run.text(path), outputs)


def fill_text(run: Run, path: str, text: str, outputs: Outputs) -> str:
    """The same of a text that takes the place of the file's."""
    text = filled(text, outputs)
    run.write(path, text)
    if left := sorted(names(text)):
        words = " ".join(f"${{{name}}}" for name in left)
        raise Stop(
            f"{path} still has placeholders without a value: {words}. Stacks of the bundle have "
            "them, or the file of --outputs."
        )
    return text
