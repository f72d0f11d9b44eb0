"""The pages: what they link to and name is there."""

import ast
import json
import re

import pytest
import yaml

from tests import number_page
from tests.conftest import REPOSITORY

_WHERE = ("*.md", "docs/*.md", "benchmarks/*.md", "lmms_eval_tasks/*/*.md", "contrib/**/*.md")
PAGES = sorted(page for pattern in _WHERE for page in REPOSITORY.glob(pattern))
THE_AUTHORS_FILES = {
    "cal.py", "get_acc.py", "inference_hf.py", "main.py", "prompt.py", "sample_prompt.py",
    "save_analysis.py", "validator.py",
}  # fmt: skip
_FOLDERS = "tests|pairbench_ext|lmms_eval_tasks|benchmarks|docs|task_yamls"


def anchors(page):
    """The headings of a page, as links name them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def is_module_or_in_one(name):
    """Whether a dotted name is that of a module, or of something that a module defines."""
    path = REPOSITORY / name.replace(".", "/")
    if path.is_dir() or path.with_suffix(".py").is_file():
        return True
    module = path.parent.with_suffix(".py")
    module = module if module.is_file() else path.parent / "__init__.py"
    return module.is_file() and re.search(rf"\b{path.name}\b", module.read_text()) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_what_a_page_names_is_there(page):
    text = page.read_text(encoding="utf-8")
    missing = []
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = link.partition("#")
        if re.match(r"\w+:", link):
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            missing.append(link)
    named = re.findall(rf"`((?:{_FOLDERS})/[\w./]+?)/?`", text)
    missing += [path for path in named if not (REPOSITORY / path).exists()]
    if page.parent.parent.name == "lmms_eval_tasks":  # a module without a folder is the page's own
        own = set(re.findall(r"`(\w+\.py)`", text)) - THE_AUTHORS_FILES
        missing += [name for name in own if not list(page.parent.rglob(name))]
    missing += set(re.findall(r"(?<![\w-])pairbench-[a-z-]+", text)) - {"pairbench-ext"}
    modules = re.findall(r"`((?:pairbench_ext|lmms_eval_tasks)(?:\.[a-z_]+)+)`", text)
    missing += [name for name in modules if not is_module_or_in_one(name)]
    assert not missing


BLOCKS = [
    (page, kind, block)
    for page in PAGES
    for kind, block in re.findall(
        r"^```(python|json|yaml)\n(.*?)^```", page.read_text("utf-8"), re.M | re.S
    )
]


@pytest.mark.parametrize(
    ("kind", "block"),
    [block for _, *block in BLOCKS],
    ids=[f"{page.relative_to(REPOSITORY)}-{kind}" for page, kind, _ in BLOCKS],
)
def test_blocks_of_code_can_be_read_and_what_they_import_is_there(kind, block):
    if kind == "python":
        imports = (ast.Import, ast.ImportFrom)
        tree = ast.parse(block)
        tree.body = [line for line in tree.body if isinstance(line, imports)]
        exec(compile(tree, "page", "exec"), {})
    else:
        assert {"json": json.loads, "yaml": yaml.safe_load}[kind](block)


def test_every_variable_of_the_environment_has_its_line():
    page = (REPOSITORY / "docs/settings.md").read_text(encoding="utf-8")
    packages = [(REPOSITORY / name).rglob("*.py") for name in ("pairbench_ext", "lmms_eval_tasks")]
    code = "".join(file.read_text(encoding="utf-8") for files in packages for file in files)
    ours = set(re.findall(r'"((?:PAIRBENCH|SUBTLEBENCH)_[A-Z_]+|[A-Z0-9_]+_DATA)"', code))
    assert len(ours) > 10
    assert not [name for name in ours if f"`{name}`" not in page]


def test_the_page_of_numbers_has_those_that_benchmarks_declare():
    assert number_page.PAGE.read_text(encoding="utf-8") == number_page.page()


def test_every_benchmark_has_a_page_that_newcomers_find():
    main = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    folders = [file.parent.name for file in REPOSITORY.glob("lmms_eval_tasks/*/benchmark.py")]
    assert folders
    assert not [one for one in folders if f"](lmms_eval_tasks/{one}/README.md)" not in main]


def test_the_citation_has_what_a_reader_needs():
    import pairbench_ext

    cited = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == pairbench_ext.__version__
    assert all(paper["authors"] and paper["url"] for paper in cited["references"])


# Numbered figures and tables of each paper, as its text has them.
NUMBERED = {
    "PairBench": (16, 10),
    "VL-RewardBench": (6, 19),
    "VLM-SubtleBench": (20, 13),
    "VIEScore": (5, 12),
    "CAST": (13, 3),
}


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_table_and_figure_of_a_paper_has_its_line(paper):
    page = (REPOSITORY / "docs/papers.md").read_text()
    section = page.split(f"## {paper}\n")[1].split("\n## ")[0]
    line = r"^\| ([^|]*) \|.*\| (?:printed|recorded|made|model|data|-) \|$"
    known = {"Figure": set(), "Table": set()}
    for where in re.findall(line, section, re.MULTILINE):
        for kind, numbers in re.findall(r"(Figure|Table)s? ((?:\d+[ab]?(?:, | to )?)+)", where):
            for first, last in re.findall(r"(\d+)[ab]?(?: to (\d+))?", numbers):
                known[kind] |= set(range(int(first), int(last or first) + 1))
    figures, tables = NUMBERED[paper]
    assert known == {"Figure": set(range(1, figures + 1)), "Table": set(range(1, tables + 1))}
