"""The tasks for the harness itself give the same numbers as the plugin's, reply by reply."""

import json
import re
import shutil
from pathlib import Path

import pytest
import yaml
from lmms_eval.tasks import TaskManager

from pairbench_ext.harness.task_files import tasks_dir
from pairbench_ext.replies import parse
from pairbench_ext.statistics.seeds import draw
from tests.conftest import image_rows, picture, template_row, text_rows, write_split
from tests.contrib.files import load
from tests.judges import (
    CannedChatJudge,
    CannedJudge,
    PromptChatJudge,
    PromptJudge,
    evaluate,
    numbers,
    rate,
)
from tests.lmms_eval_tasks.subtlebench.conftest import VAL, write_data

TASKS = Path(__file__).parents[2] / "contrib/lmms_eval/tasks"
VECTORS = Path(__file__).parents[1] / "vectors"


@pytest.fixture
def contributed(tmp_path):
    """A task manager over a contributed folder whose data are read from a local folder."""

    def index(name, data):
        folder = shutil.copytree(TASKS / name, tmp_path / "tasks" / name)
        files = (*folder.glob("*yaml"), *folder.glob("*.py"))
        texts = {file: file.read_text() for file in files}
        [hub] = set(re.findall(r"(?m)^dataset_path: (.*)$", "\n".join(texts.values())))
        for file, text in texts.items():
            file.write_text(text.replace(hub, str(data)))
        return TaskManager(include_defaults=False, include_path=str(folder))

    return index


@pytest.fixture
def plugin(tmp_path):
    """A task manager over the plugin's folder whose tasks read replies by a rule."""

    def index(name, rule):
        folder = shutil.copytree(Path(tasks_dir()) / name, tmp_path / "plugin" / name)
        entries = json.loads((folder / "sources.json").read_text())
        ruled = {task: [{**x, "rule": rule} for x in rows] for task, rows in entries.items()}
        (folder / "sources.json").write_text(json.dumps(ruled))
        return TaskManager(include_defaults=False, include_path=str(folder))

    return index


def both(judge, answer, task, managers):
    """The numbers of the contributed task, and of the plugin's, of the same judge."""
    runs = []
    for manager in managers:
        asked = judge(answer)
        runs.append((numbers(evaluate(asked, task, manager), task), len(asked.shown)))
    (theirs, asked), (ours, asked_by_us) = runs
    assert asked == asked_by_us
    return theirs, ours


def expect_same(theirs, ours, names):
    """Equal numbers, under the names that each has for them."""
    assert {name: theirs[name] for name in names} == pytest.approx(
        {name: ours[names[name]] for name in names}, abs=1e-12, nan_ok=True
    )


# What VL-RewardBench's judges say, by a draw from what they are shown.
VERDICTS = (
    "Overall Judgment: Answer 1 is better.",
    "Therefore, while Answer 1 is better in style,\n**Answer 2** is slightly better.",
    "Overall Judgment: Answer 2 is the better one.",  # not as their pattern wants it
    "Overall Judgment: Answer X is better.",
    "",
)


def mixed(replies, start="Answer 1"):
    """A judge that says one of the replies, drawn from what is shown from the first answer on."""
    return lambda prompt: replies[draw(len(replies), 0, prompt.partition(start)[2])]


VOTES = {
    "vlreward_accuracy_of_decided": "overall_accuracy",
    "vlreward_macro_accuracy_of_decided": "macro_accuracy",
    "vlreward_general_accuracy_of_decided": "general",
    "vlreward_hallucination_accuracy_of_decided": "hallucination",
    "vlreward_reasoning_accuracy_of_decided": "reasoning",
    "vlreward_accuracy_of_all": "overall_accuracy_strict",
    "vlreward_vote_accuracy": "vote_accuracy",
    "vlreward_position_consistency": "position_consistency",
    "vlreward_coverage": "coverage",
}


@pytest.mark.parametrize(
    ("task", "judge"),
    [("vl_rewardbench_both", PromptChatJudge), ("vl_rewardbench_k5", PromptJudge)],
)
def test_vl_rewardbench(task, judge, contributed, plugin, vlrb_data, monkeypatch):
    monkeypatch.setenv("VL_REWARDBENCH_DATA", str(vlrb_data))
    managers = contributed("vl_rewardbench", vlrb_data), plugin("vl_rewardbench", "authors")
    theirs, ours = both(judge, mixed(VERDICTS), task, managers)
    expect_same(theirs, ours, VOTES)
    assert theirs["vlreward_decided"] * ours["items"] == pytest.approx(ours["items_decided"])


AREAS = {
    "correctness": ("nocaps_1", "open_generation/correctness_task"),
    "preference": ("visitbench_2", "open_generation/preference_task"),
    "knowledge": ("mmmu-s_3", "knowledge"),
    "reasoning_math": ("mathvista_4", "reasoning"),
    "reasoning_coding": ("EMMA-Coding_5", "reasoning"),
    "safety_bias": ("PAIRS_6", "safety"),
    "safety_toxicity": ("hateful_7", "safety"),
    "vqa": ("SEED-Bench_8", "vqa"),
}
# What its judges say, by a draw from what they are shown.
LABELS = (
    "Assistant A is more exact. [[A]]",
    "[[A]] is tempting, yet the better one is [[B]].",
    'I shall say "[[A]]" if assistant A is better.',
    "Both are good.",
)


def assistant_rows():
    """The rows of Multimodal RewardBench, three of each area."""
    return [
        {
            "ID": f"{name}_{number}",
            "Category": category,
            "Text": f"Question {number}?",
            "Image": "picture.png",
            "Output1": f"an answer to {name}, {number}",
            "Output2": f"another answer to {name}, {number}",
            "Better": ("Output1", "Output2")[number % 2],
        }
        for name, category in AREAS.values()
        for number in range(3)
    ]


def write_assistants(hub, folder):
    """The same rows as a copy on the hub has them, and as the authors' script does."""
    rows, image = assistant_rows(), picture(0, 0)
    folder.mkdir()
    (folder / "all_data.json").write_text(json.dumps(rows))
    image.save(folder / "picture.png")
    write_split(hub, "data", "test", [{**row, "Image": image} for row in rows])


def test_multimodal_rewardbench(contributed, plugin, tmp_path, monkeypatch):
    task, name = "multimodal_rewardbench_both", "multimodal_rewardbench"
    write_assistants(tmp_path / "hub", tmp_path / "script")
    monkeypatch.setenv("MULTIMODAL_REWARDBENCH_DATA", str(tmp_path / "script"))
    managers = contributed(name, tmp_path / "hub"), plugin(name, "careful")
    answer = mixed(LABELS, "[The Start of Assistant A's Answer]")
    theirs, ours = both(PromptJudge, answer, task, managers)
    shares = {f"mmrb_{name}": name for name in ("coverage", "position_consistency")}
    expect_same(theirs, ours, shares | {"mmrb_accuracy": "vote_accuracy"})
    assert theirs["mmrb_right_in_both_orders"] == pytest.approx(ours["overall_accuracy_strict"])
    parts = [theirs[f"mmrb_{area}"] for area in AREAS]
    assert sum(parts) / len(parts) == pytest.approx(ours["vote_accuracy"])


CONFIGS = {
    "coco": (image_rows, ("colorjitter", "rotate")),
    "wu_img_img": (image_rows, ("subset_a_pos", "subset_a_pos_rotate")),
    "wu_img_text": (text_rows, ("subset_a_pos", "subset_b_pos")),
}


@pytest.fixture(scope="module")
def hub_copy(tmp_path_factory):
    """PairBench as the hub has it: templates, and a card that names configs and splits."""
    root = tmp_path_factory.mktemp("pairbench")
    features = ["color_jittering", "rotation", "spatial_position"]
    templates = [template_row(config, features=features) for config in CONFIGS]
    write_split(root, "templates", "train", templates)
    for config, (rows, splits) in CONFIGS.items():
        for split in splits:
            write_split(root, config, split, rows(3))
    splits = {config: names for config, (_, names) in CONFIGS.items()} | {"templates": ["train"]}
    card = [
        {
            "config_name": config,
            "data_files": [{"split": name, "path": f"{config}/{name}-*"} for name in names],
        }
        for config, names in splits.items()
    ]
    (root / "README.md").write_text(f"---\n{yaml.safe_dump({'configs': card})}---\n")
    return root


def rated(doc):
    """A rating that depends on everything that a trial is, also on its template."""
    noise = draw(7, 1, doc["row"], doc["condition"], doc["order"], doc["template"])
    rating = min(max(doc["truth"] + noise - 3, 1), 11)  # 11: not on the scale
    return "They look alike." if noise == 6 else rate(rating)


RATINGS = {
    "pairbench_mmscore": "mmscore", "pairbench_sens": "mmscore_sens",
    "pairbench_inv": "mmscore_inv", "pairbench_relaxsym_eps1": "relaxsym",
    "pairbench_relaxsym_eps0": "relaxsym0", "pairbench_smoothness": "smoothness",
    "pairbench_controllability": "controllability", "pairbench_coverage": "coverage",
}  # fmt: skip


def constant(doc):
    return rate(5)


@pytest.mark.parametrize(
    ("task", "judge", "answer"),
    [("pairbench_coco_rotate", CannedJudge, rated), ("pairbench_wu_it", CannedChatJudge, rated)],
)
def test_pairbench(task, judge, answer, contributed, plugin, hub_copy, monkeypatch):
    monkeypatch.setenv("PAIRBENCH_DATA", str(hub_copy))
    managers = contributed("pairbench", hub_copy), plugin("pairbench", "strict")
    theirs, ours = both(judge, answer, task, managers)
    expect_same(theirs, ours, RATINGS)


def test_prompts_of_pairbench(contributed, plugin, hub_copy, monkeypatch):
    """Both show the same texts and pictures, prompt by prompt."""
    monkeypatch.setenv("PAIRBENCH_DATA", str(hub_copy))
    shown = []
    for manager in (contributed("pairbench", hub_copy), plugin("pairbench", "strict")):
        judge = CannedChatJudge(constant)
        for task in ("pairbench_wu_ii_a_sp_rotate", "pairbench_wu_it_a"):
            evaluate(judge, task, manager)
        shown.append([[plain(item) for item in message["content"]] for [message] in judge.shown])
    assert shown[0] == shown[1]


def plain(item):
    return item["text"] if item["type"] == "text" else item["url"].tobytes()


def module(name):
    """The functions of a contributed folder."""
    [file] = (TASKS / name).glob("*.py")
    return load(file, f"contributed_{name}")


def test_ratings_are_read_as_by_the_plugin_or_not_at_all():
    """The contributed pattern knows fewer forms than the declared answer and prose."""
    read = module("pairbench").parse_rating
    vectors = json.loads((VECTORS / "pairbench/parse_vectors.json").read_text())
    both = [(read(v["response"]), parse("rating", v["response"], "careful").value) for v in vectors]
    assert [values for values in both if None not in values and values[0] != values[1]] == []
    assert sum(theirs is not None for theirs, _ in both) > 0.2 * len(both)


def test_verdicts_are_read_by_the_authors_rule():
    read = module("vl_rewardbench").parse_verdict
    for vector in json.loads((VECTORS / "vlrb/parse_vectors.json").read_text()):
        reply = vector["text"]
        verdict = parse("verdict", reply, "authors").value
        assert read(reply) == (verdict if verdict in (1, 2) else None), reply


LETTERS = (
    "B",
    "### Answer\nA",
    "A change of colour: the answer is B.",
    "D",  # often of no option
    "I cannot tell",
    "",
)
TYPES = {f"subtlebench_{name}": f"accuracy_{name}" for name in ("attribute", "state", "existence")}
DOMAINS = {f"subtlebench_domain_{name}": f"domain_{name}" for name in ("industrial", "natural")}
BASIC = {f"subtlebench_{name}": name for name in ("accuracy", "coverage")}
BOTH = {
    "subtlebench_consistency": "consistency",
    "subtlebench_right_in_both_orders": "accuracy_both_orders",
}


@pytest.mark.parametrize(
    ("task", "judge", "names"),
    [
        ("subtlebench", PromptChatJudge, BASIC | TYPES | DOMAINS),
        ("subtlebench_swapped", PromptJudge, BASIC | BOTH),
    ],
)
def test_subtlebench(task, judge, names, contributed, plugin, tmp_path, monkeypatch):
    data = write_data(write_data(tmp_path / "data"), VAL, "val")
    for variable in ("SUBTLEBENCH_DATA", "SUBTLEBENCH_DIR"):
        monkeypatch.setenv(variable, str(data))
    managers = contributed("subtlebench", data), plugin("subtlebench", "authors")
    expect_same(*both(judge, mixed(LETTERS, "Options:"), task, managers), names)


def test_letters_are_read_by_the_authors_rule_but_for_the_article():
    read = module("subtlebench").parse_letter
    for vector in json.loads((VECTORS / "subtle/parse_vectors.json").read_text()):
        reply = vector["response"] or ""
        without = re.sub(r"\bA (dog|cat|red)\b", r"a \1", reply)
        assert read(reply) == parse("letter", without, "authors").value, reply
