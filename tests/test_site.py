"""The documentation site: it builds without a warning; its menu and search find the pages."""

import json
import re
import subprocess
import sys

import pytest

from tests.conftest import REPOSITORY
from tests.test_docs import PAGES

PARTS = ["Start", "Do", "Look up", "Why trust it"]


def test_the_site_has_every_page_a_menu_of_four_parts_and_a_search(tmp_path):
    pytest.importorskip("myst_nb")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html"]
    site = tmp_path / "html"
    folders = ["-d", str(tmp_path / "cache"), "-c", "docs", ".", str(site)]
    done = subprocess.run(build + folders, cwd=REPOSITORY, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

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
