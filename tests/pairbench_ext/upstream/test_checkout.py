"""What is written into a checkout of the harness, and when nothing is."""

import shlex
import subprocess

import pytest
import yaml

from pairbench_ext.stacks.plain.tasks import declared
from pairbench_ext.upstream.checkout import LIST, TASKS
from pairbench_ext.upstream.export import MOST_FILES, MOST_LINES
from pairbench_ext.upstream.formatting import formatted
from pairbench_ext.upstream.registry import exports
from tests.files import pairbench
from tests.upstream_checkout import LISTED, imported, small_checkout

EXPORTS = exports()
SECTIONS = ("Summary", "In scope", "Out of scope", "Validation", "Risk / Compatibility")


@pytest.fixture
def checkout(tmp_path):
    return small_checkout(tmp_path / "lmms-eval")


def export(line):
    return pairbench("export", *shlex.split(line))


def config(text):
    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: loader.construct_scalar(node))
    return yaml.load(text, Loader=Loader)


def functions(found):
    """The functions that a task file names."""
    values = found.values() if isinstance(found, dict) else found
    for value in values:
        if isinstance(value, str) and value.startswith("utils."):
            yield value.removeprefix("utils.")
        elif isinstance(value, dict | list):
            yield from functions(value)


def task_files(files):
    return [text for path, text in files.items() if "yaml" in path]


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_is_small_and_alone(name, tmp_path):
    export = EXPORTS[name]
    files = export.files
    assert len(files) <= MOST_FILES
    assert sum(len(text.splitlines()) for text in files.values()) <= MOST_LINES
    for path, text in files.items():
        for package in ("pairbench_ext", "lmms_eval_tasks"):
            assert package not in text, path
        if path.endswith(".py"):
            assert formatted(text) == text, path
    assert not set(export.names) & set(declared())
    loaded = [found for found in map(config, task_files(files)) if "dataset_path" in found]
    for found in loaded:  # of the hub, or from an address that is written out
        assert found["dataset_path"].count("/") == 1 or "https://" in str(found["dataset_kwargs"])
    assert loaded
    with imported(export.utils, tmp_path) as utils:
        for text in task_files(files):
            for function in functions(config(text)):
                assert callable(getattr(utils, function)), function
    for section in SECTIONS:
        assert f"## {section}\n" in export.pull_request


def test_files_and_a_line_in_the_list_are_written_once(checkout, tmp_path):
    line = f"lmms-eval vl_rewardbench --to {checkout} --pull-request {tmp_path / 'pr.md'}"
    done = export(line)
    assert done.exit_code == 0, done.output
    own = EXPORTS["vl_rewardbench"]
    for name, text in own.files.items():
        assert (checkout / name).read_text() == text
        assert name in done.output
    before, after = LISTED.split("- [VL-RewardBench]")
    added = "\n".join(own.listed)
    assert (checkout / LIST).read_text() == f"{before}{added}\n- [VL-RewardBench]{after}"
    assert (tmp_path / "pr.md").read_text() == own.pull_request

    again = export(line)
    assert again.exit_code == 1
    assert "is there already" in again.output
    assert export(f"{line} --overwrite").exit_code == 0
    assert (checkout / LIST).read_text().count(own.listed[0]) == 1


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda root: (root / LIST).unlink(), "is no checkout of lmms-eval"),
        (lambda root: (root / LIST).write_text("# Tasks\n"), "has no section 'Multimodal Evalu"),
        (
            lambda root: (root / TASKS / "emma/x.yaml").write_text("task: vl_rewardbench_votes_k5"),
            "has a task 'vl_rewardbench_votes_k5' already",
        ),
    ],
)
def test_nothing_is_written_where_it_does_not_fit(checkout, spoil, said):
    spoil(checkout)
    before = sorted(checkout.rglob("*"))
    done = export(f"lmms-eval vl_rewardbench --to {checkout}")
    assert done.exit_code == 1
    assert said in " ".join(done.output.split())
    assert sorted(checkout.rglob("*")) == before


def test_the_change_for_plugins_names_what_it_changes_or_leaves_all_as_it_was(checkout):
    subprocess.run(["git", "init", "-q", str(checkout)], check=True)
    done = export(f"lmms-eval-plugins --to {checkout}")
    assert done.exit_code == 1
    assert "the change does not fit" in done.output
    assert not (checkout / "test").exists()
