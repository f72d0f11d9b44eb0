"""The documentation site: the same Markdown pages that the repository shows, built by Sphinx.

`make docs` runs it with the repository as its source folder, so that links between pages,
benchmarks' READMEs and other files are the same on the site and in the repository.
"""

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

import pairbench_ext  # noqa: E402

project = "pairbench-ext"
author = "the authors of pairbench-ext"
copyright = f"2026, {author}"  # noqa: A001
version = release = pairbench_ext.__version__

root_doc = "docs/index"
include_patterns = [
    "docs/**.md",
    "docs/**.ipynb",
    "lmms_eval_tasks/*/README.md",
    "benchmarks/README.md",
    "contrib/README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
nb_execution_mode = "off"  # a test executes it and compares what is stored
autodoc_typehints = "description"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = "pairbench-ext"
html_extra_path = ["site"]  # the address of the site leads to its first page
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True


def _as_written(*args: object) -> None:
    """Show code in docstrings as code, and asterisks as they are."""
    lines: list[str] = args[-1]  # type: ignore[assignment]
    if args[1] == "module":  # the pages introduce them
        lines.clear()
    for number, line in enumerate(lines):
        if not line.startswith((".. ", ":")):
            code = re.sub(r"(?<!`)`([^`]+)`(?!`)", r"``\1``\\ ", line)
            lines[number] = re.sub(r'(?<=/)\*(?=")', r"\\*", code)


def _without_changes(_: object, env: object) -> None:
    """Leave the list of changes out of the search: it names everything and explains nothing."""
    env.metadata["CHANGELOG"]["nosearch"] = True  # type: ignore[attr-defined]


def setup(app: object) -> None:
    """Read docstrings in the form in which they are written, and limit the search."""
    app.connect("env-updated", _without_changes)  # type: ignore[attr-defined]
    app.connect("autodoc-process-docstring", _as_written, priority=400)  # type: ignore[attr-defined]
