"""The page of ``clustergen report``: everything about a spec, as one HTML file.

``model`` collects what other commands answer: the README's sections, the bill, the comparison, the
differences, the diagram. ``readme`` reads the sections that are Markdown, ``cards`` adds the
network cards, and ``html`` renders the template.
"""

from clustergen.analysis.report.html import MARK, render
from clustergen.analysis.report.model import Given, Page, Section, bundle, page

__all__ = ["MARK", "Given", "Page", "Section", "bundle", "page", "render"]
