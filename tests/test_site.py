"""The documentation site: it builds without a warning; its menu and search find the pages."""

import json
import re

import pytest

from tests.conftest import REPOSITORY
from tests.processes import python
from tests.test_docs import PAGES

# A fifth of the time would go to looking for garbage among pages that are all needed.
BUILD = (
    "import gc, sys; gc.disable(); from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
)
PARTS = ["Start", "Do", "Look up", "Why trust it"]


def test_the_site_has_every_page_a_menu_of_four_parts_and_a_search(tmp_path):
    pytest.importorskip("myst_nb")
    site = tmp_path / "html"
    folders = ["-d", tmp_path / "cache", "-c", "docs", ".", site]
    python(BUILD, "-q", "-W", "--keep-going", "-b", "html", *folders, cwd=REPOSITORY)

    built = {str(file.relative_to(site)) for file in site.rglob("*.html")}
    pages = {page.relative_to(REPOSITORY) for page in PAGES if page.parent.name == "docs"}
    assert {str(page.with_suffix(".html")) for page in pages} <= built

    first = (site / "docs/index.html").read_text(encoding="utf-8")
    assert re.findall(r'<span class="caption-text">([^<]*)', first)[:4] == PARTS
    assert "docs/index.html" in (site / "index.html").read_text(encoding="utf-8")

    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("Search.setIndex(").removesuffix(")"))
    in_titles = {"spreadsheet": "your_records", "vllm": "servers", "verdict": "trust"}
    for terms, word, page in (
        ("terms", "krippendorff", "docs/panel"),
        *(("titleterms", word, f"docs/{page}") for word, page in in_titles.items()),
    ):
        found = index[terms][word]
        named = {index["docnames"][n] for n in (found if isinstance(found, list) else [found])}
        assert page in named
        assert "CHANGELOG" not in named
