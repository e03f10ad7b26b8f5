"""Where the tests find the parts of the checkout."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
DOCS: Final = ROOT / "docs"
SPECS: Final = ROOT / "specs"
TEMPLATES: Final = ROOT / "templates"
