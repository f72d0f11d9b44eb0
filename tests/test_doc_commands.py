"""Commands on the pages: models, tasks, sub-commands and options that they name are there."""

import configparser
import json
import re
import shlex
from functools import cache
from itertools import pairwise
from pathlib import Path

import lmms_eval
import pytest
from lmms_eval.models import list_available_models
from lmms_eval.utils import load_yaml_config
from typer.main import get_command

from pairbench_ext.core import registry
from pairbench_ext.harness.task_files import tasks_dir
from pairbench_ext.replies import grammars
from pairbench_ext.show.cli.main import app
from tests.conftest import REPOSITORY
from tests.files import subcommands
from tests.test_docs import PAGES

HARNESS = Path(lmms_eval.__file__).parent
MADE_ON_THE_PAGE = {
    "captions", "captions_both", "my_pairs", "my_selection", "pairbench_birds",
    "subtlebench_two_step_grid_rounds",
}  # fmt: skip
ENDS = {"|", "||", "&&", ";", ">", ">>", "2>", "<", "#", "&"}


def commands(text):
    """The commands of a page: in blocks, and in code within sentences; without what is piped on."""
    text = text.replace("\\\n", " ")
    blocks = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.M | re.S)
    prose = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    indented = re.findall(r"^ {4}(.*)$", prose, re.M)
    lines = [line for block in blocks for line in block.splitlines()]
    for line in [*lines, *indented, *re.findall(r"`([^`]+)`", prose)]:
        words = split(line)
        for start, word in enumerate(words):
            ours = word == "pairbench" and all(is_before(one) for one in words[:start])
            module = word == "lmms_eval" and start and words[start - 1] == "-m"
            theirs = word == "lmms-eval" and "pairbench" not in words[:start]
            if ours or theirs or module:
                end = next((k for k, one in enumerate(words) if k > start and one in ENDS), None)
                yield ("pairbench" if ours else "lmms-eval"), words[start + 1 : end]


def is_before(word):
    """What may stand before a command: a prompt, a setting of the environment."""
    return word in ("$", "&&", "|") or re.fullmatch(r"\w+=\S*", word) is not None


def split(line):
    try:
        return shlex.split(line, comments=True)
    except ValueError:  # an apostrophe
        return line.split()


@cache
def harness_options():
    files = [HARNESS / "__main__.py", *(HARNESS / "cli").glob("*.py")]
    return {one for file in files for one in re.findall(r'"(--[\w-]+)"', file.read_text())}


@cache
def models():
    return set(list_available_models(include_aliases=True))


@cache
def harness_tasks():
    return {file.stem for file in (HARNESS / "tasks").rglob("*.yaml")}


def values(words, option):
    """What is given for an option, but for what stands for a name of one's own."""
    given = [value for name, value in pairwise(words) if name == option]
    return [one for value in given for one in value.split(",") if re.fullmatch(r"[a-z]\w+", one)]


def wrong_for_the_harness(words, tasks):
    """Names and options that lmms-eval does not know."""
    if words[:1] in (["models"], ["version"], ["plugins"]):
        return
    known = harness_options()
    yield from (one for one in words if re.match(r"--\w", one) and one not in known)
    yield from (name for name in values(words, "--model") if name not in models())
    arguments = " ".join(words)
    yield from (name for name in re.findall(r"\bbase=(\w+)", arguments) if name not in models())
    for name in values(words, "--tasks"):
        if name not in MADE_ON_THE_PAGE and name not in tasks and name not in harness_tasks():
            yield name


def wrong_for_us(words):
    """Sub-commands and options that `pairbench` does not know."""
    command, words = get_command(app), list(words)
    while words and hasattr(command, "lazy") and re.fullmatch(r"[a-z][\w-]+", words[0]):
        name = words.pop(0)
        if name not in command.lazy():
            yield from {name} - MADE_ON_THE_PAGE
            return
        command = command.get_command(None, name)
    # `score BENCHMARK --rule`: an option of any of those that may stand there.
    options = [option for one in [command, *subcommands(command).values()] for option in one.params]
    known = {name for one in options for name in (*one.opts, *one.secondary_opts)}
    for word in words:
        option = word.partition("=")[0]
        if re.match(r"--\w", option) and option not in known | {"--help"}:
            yield option


def wrong(text, tasks):
    return [
        name
        for program, words in commands(text)
        for name in (
            wrong_for_us(words) if program == "pairbench" else wrong_for_the_harness(words, tasks)
        )
    ]


@pytest.mark.parametrize(
    "page",
    [one for one in PAGES if one.name != "CHANGELOG.md"],
    ids=lambda page: str(page.relative_to(REPOSITORY)),
)
def test_what_commands_name_is_there(page, task_manager):
    assert not wrong(page.read_text(encoding="utf-8"), set(task_manager.all_tasks))


@pytest.mark.parametrize("name", ["cast", "pairbench", "subtlebench", "viescore", "vl_rewardbench"])
def test_a_task_of_ones_own_can_be_copied_from_its_page(name, tmp_path):
    """The file that it includes is there, and the benchmark takes its entry."""
    page = (REPOSITORY / "lmms_eval_tasks" / name / "README.md").read_text(encoding="utf-8")
    [written] = re.findall(r"^```yaml\n(include: .*?)^```", page, re.M | re.S)
    [sources] = re.findall(r"^```json\n(.*?)^```", page, re.M | re.S)
    (tmp_path / "mine.yaml").write_text(written.replace("FOLDER", str(tasks_dir())))
    config = load_yaml_config(str(tmp_path / "mine.yaml"), mode="full")
    assert callable(config["process_docs"])
    for entry in json.loads(sources)[config["dataset_kwargs"]["field"]]:
        assert registry.benchmark_of(name).trials(entry).entry


def ends(command, name):
    """The full names of commands, as they are typed."""
    own = subcommands(command)
    return [one for key in own for one in ends(own[key], f"{name} {key}")] or [name]


def test_the_page_of_commands_has_every_command_and_those_that_most_need_are_in_front():
    page = (REPOSITORY / "docs" / "commands.md").read_text(encoding="utf-8")
    shown = re.findall(r"`(pairbench [^`]*)`", page)
    every = ends(get_command(app), "pairbench")
    assert len(every) > 30
    assert not [
        one
        for one in set(every) - {f"pairbench score {name}" for name in registry.benchmarks()}
        if not any(f"{it} ".startswith(f"{one} ") for it in shown)
    ]
    assert not [one for one in (*registry.benchmarks(), *grammars()) if f"`{one}`" not in page]
    front = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    table = re.search(r"^## Commands$(.*?)^## ", front, re.M | re.S)[1]
    assert len(re.findall(r"^\| `pairbench ", table, re.M)) == 10


def test_extras_that_pages_name_are_there():
    setup = configparser.ConfigParser()
    setup.read(REPOSITORY / "setup.cfg")
    named = {
        extra
        for page in PAGES
        for extras in re.findall(r"(?:'\.|pairbench-ext)\[([\w,-]+)\]", page.read_text())
        for extra in extras.split(",")
    }
    assert {"demo", "lmms-eval", "flash-attn"} <= named
    assert named <= set(setup["options.extras_require"])


def test_backends_of_tables_are_there():
    rows = [
        row
        for text in [page.read_text(encoding="utf-8") for page in PAGES]
        for table in re.findall(r"^\| (?:backend|`--model`) \|.*?\n\n", text, re.M | re.S)
        for cell in re.findall(r"^\| (`\w[^|]*)\|", table, re.M)
        for row in re.findall(r"`(\w+)", cell)
    ]
    assert {"openai", "vllm", "sglang", "qwen2_5_vl", "pair_encoder"} <= set(rows)
    assert not [one for one in rows if one not in models() and one != "__model"]


def test_models_of_papers_are_asked_with_models_and_tasks_that_are_there(task_manager):
    page = (REPOSITORY / "docs" / "reproduce.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \|.*\| ([a-z][\w,]+) \|$", page, re.MULTILINE)
    assert len(rows) > 40
    assert {model for model, _ in rows} <= models()
    assert {task for _, names in rows for task in names.split(",")} <= set(task_manager.all_tasks)
