"""Applying the fixes of findings to the files of a spec.

:func:`fix` works on contents in memory; :func:`clustergen.fixing.files.write` writes them.
"""

from clustergen.fixing.rounds import Fixed, edited, fix

__all__ = ["Fixed", "edited", "fix"]
