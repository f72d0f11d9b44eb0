"""What a maintainer of the harness would check of the contributed tasks."""

import re
from pathlib import Path

import lmms_eval
import yaml

CONTRIBUTED = Path(__file__).parents[2] / "contrib/lmms_eval"
TASKS = CONTRIBUTED / "tasks"
STOCK = Path(lmms_eval.__file__).parent / "tasks"
MOST_LINES = {
    "multimodal_rewardbench": 120,
    "pairbench": 300,
    "subtlebench": 250,
    "vl_rewardbench": 150,
}


def names(folder):
    """The tasks and groups that the YAML files of a folder define."""
    for file in folder.rglob("*.yaml"):
        text = file.read_text(encoding="utf-8", errors="replace")
        yield from re.findall(r"""(?m)^(?:task|group): *["']?([\w.+-]+)""", text)


def test_no_name_is_taken():
    ours = list(names(TASKS))
    assert len(ours) == len(set(ours))
    assert not set(ours) & set(names(STOCK))


def test_no_file_is_overwritten():
    ours = {path.relative_to(TASKS) for path in TASKS.rglob("*") if path.is_file()}
    assert not [path for path in ours if (STOCK / path).exists()]


def test_the_tasks_are_short_and_import_nothing_of_this_package():
    assert {folder.name for folder in TASKS.iterdir()} == set(MOST_LINES)
    for name, most in MOST_LINES.items():
        text = "".join(file.read_text() for file in (TASKS / name).glob("*.py"))
        assert text.count("\n") <= most
        assert "pairbench_ext" not in text
        assert "lmms_eval_tasks" not in text


def test_every_metric_says_what_is_better():
    """Every metric has a direction, and an aggregation that is a function of the folder."""
    for file in TASKS.rglob("*yaml"):
        text = file.read_text()
        functions = re.findall(r"!function (\w+)\.(\w+)", text)
        config = yaml.safe_load(text.replace("!function", ""))
        for metric in config.get("metric_list", ()):
            assert isinstance(metric["higher_is_better"], bool)
            assert "aggregation" in metric
        for module, function in functions:
            source = (file.parent / f"{module}.py").read_text()
            assert re.search(rf"\b{function}\b", source), f"{file}: {function}"
