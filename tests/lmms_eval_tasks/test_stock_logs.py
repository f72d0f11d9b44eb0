"""Logs of lmms-eval's own judge tasks, as they lie: run with a scripted judge, then scored.

The stock tasks are the installed harness's; only where they read their data from is replaced. What
they ask another model about goes to a server on this machine.
"""

import html
import json

import datasets
import pytest

from tests.conftest import picture
from tests.endpoints import Endpoint
from tests.files import json_of, pairbench, text_of
from tests.judges import PromptJudge, evaluate
from tests.stock_tasks import write_task

ANSWERS = ("The mug is red, and it stands on the table. right", "A blue mug.")  # 49 and 11 letters
OTHERS = ("The mug is red and it stands there. right", "No mug.")  # lengths of another parity
N = 12


def pairs():
    """Texts and truth of the items: the right answer is the longer one, at either place."""
    for n in range(N):
        good, bad = (ANSWERS, OTHERS)[n % 2]
        yield n, (good, bad) if n % 3 else (bad, good), 0 if n % 3 else 1


def vl_rewardbench():
    return "vl_rewardbench/vl_rewardbench", [
        {
            "id": f"{('wildvision', 'mathverse', 'RLAIF')[n % 3]}-{n}",
            "query": f"Question {n}?",
            "response": list(answers),
            "human_ranking": [truth, 1 - truth],
        }
        for n, answers, truth in pairs()
    ]


def multimodal_rewardbench():
    return "multimodal_rewardbench/multimodal_rewardbench", [
        {
            "ID": f"math_{n}", "Category": "reasoning", "Text": f"Question {n}?",
            "Output1": answers[0], "Output2": answers[1], "Better": f"Output{truth + 1}",
        }
        for n, answers, truth in pairs()
    ]  # fmt: skip


def multi_crit_open_ended():
    return "multi_crit/multi_crit_open_ended", [
        {
            "question_id": f"q{n}", "image_path": f"{n}.png", "question": f"Question {n}?",
            "pred_a": answers[0], "pred_b": answers[1], "model_a": "x", "model_b": "y",
            "split": "open_ended", "criterion": ("clarity", "completeness")[n % 2],
            "preference": ("model_a", "model_b")[truth], "prompt_id": f"p{n // 2}",
        }
        for n, answers, truth in pairs()
    ]  # fmt: skip


VERDICTS = {
    "vl_rewardbench": "Overall Judgment: Answer {} is better.",
    "multimodal_rewardbench": "Clear. [[{}]]",
    "multi_crit_open_ended": "It is clearer.\nResponse {} is better.",
}
TASKS = {f.__name__: f for f in (vl_rewardbench, multimodal_rewardbench, multi_crit_open_ended)}


def judge(task):
    """Right but in a third of the items; it refuses two of them."""

    def answer(prompt):
        number = int(prompt.split("Question ")[1].split("?")[0])
        if number in (4, 9):
            return "I cannot judge this."
        shown = prompt.split(f"Question {number}?")[1]
        first = min(shown.find(text) for text in (*ANSWERS, *OTHERS) if text in shown)
        place = 1 if shown[first:].startswith("The mug") else 2
        place = 3 - place if number % 3 == 2 else place
        return VERDICTS[task].format("AB"[place - 1] if "[[" in VERDICTS[task] else place)

    return PromptJudge(answer)


@pytest.fixture(scope="module", params=TASKS)
def log(request, tmp_path_factory):
    """The folder of a stock task's log, and what the task printed."""
    from importlib.resources import files

    from lmms_eval.loggers.evaluation_tracker import EvaluationTracker
    from lmms_eval.tasks import TaskManager

    task, folder = request.param, tmp_path_factory.mktemp(request.param)
    place, rows = TASKS[task]()
    column = "Image" if task == "multimodal_rewardbench" else "image"
    rows = [{column: picture(n, 0), **row} for n, row in enumerate(rows)]
    split = "open_ended" if task.startswith("multi_crit") else "test"
    file = files("lmms_eval.tasks") / f"{place}.yaml"
    write_task(folder / "tasks", task, file, datasets.Dataset.from_list(rows), split)
    tracker = EvaluationTracker(output_path=str(folder / "out"))
    patch = pytest.MonkeyPatch()
    with Endpoint(lambda _: "no idea") as endpoint:
        patch.setenv("OPENAI_API_URL", f"{endpoint.url}/chat/completions")
        manager = TaskManager(include_path=str(folder / "tasks"), include_defaults=False)
        results = evaluate(judge(task), task, manager, evaluation_tracker=tracker)
        patch.undo()
    tracker.date_id = "20260101_000000"
    tracker.save_results_samples(task, results["samples"][task])
    printed = {key.split(",")[0]: value for key, value in results["results"][task].items()}
    return task, next((folder / "out").rglob("*.jsonl")), printed


NAMES = {
    "vl_rewardbench": ("vl_rewardbench", "vlreward_score", "vote_accuracy"),
    "multimodal_rewardbench": (
        "multimodal_rewardbench",
        "multimodal_rewardbench_accuracy",
        "vote_accuracy",
    ),
    "multi_crit_open_ended": ("multi_crit", "overall", "accuracy"),
}


def test_accuracy_and_coverage_are_as_scripted_beside_the_stock_number(log):
    task, file, printed = log
    benchmark, metric, accuracy = NAMES[task]
    [run] = json_of("score", benchmark, file)["runs"]
    right = sum(n % 3 != 2 and n not in (4, 9) for n in range(N))
    assert run["numbers"][accuracy] == pytest.approx(right / N)
    assert run["numbers"]["coverage"] == pytest.approx(10 / 12)
    assert sum(run["unusable"].values()) == 2
    said = " ".join(run["remarks"])
    assert f"prints {float(printed[metric]):.3f} ({metric})" in said
    points = sum(json.loads(line)[metric].get("score", json.loads(line)[metric].get(
        "answer_match")) for line in file.read_text().splitlines())  # fmt: skip
    assert "2 replies are unreadable. The task of lmms-eval counts such replies as answers" in said
    assert f"{points - right:g} of its {points:g} points" in said


def test_every_command_takes_the_log(log, tmp_path):
    task, file, _ = log
    card = text_of("card", file)
    assert task in card
    assert "no samples" not in card
    page = tmp_path / "page.html"
    pairbench("report", file, "--out", page, status=0)
    told = f"lmms-eval's {task.removesuffix('_open_ended')} prints"
    assert told in html.unescape(page.read_text())
    one, two = tmp_path / "one", tmp_path / "two"
    for folder, change in ((one, str), (two, lambda text: text.replace("is better", "is worse"))):
        folder.mkdir()
        (folder / file.name).write_text(change(file.read_text()))
    assert "one" in pairbench("compare", one, two, status=0).stdout


def test_where_one_order_is_all_there_is_the_command_says_which_task_has_both(log):
    task, file, _ = log
    assert f"{NAMES[task][0]}_both" in text_of("score", NAMES[task][0], file)


@pytest.mark.parametrize("log", ["multi_crit_open_ended"], indirect=True)
def test_a_repeated_question_counts_once_as_in_the_stock_task(log, tmp_path):
    _, file, _ = log
    lines = file.read_text().splitlines()
    again = [json.dumps({**json.loads(lines[0]), "doc_id": 100 + n}) for n in range(5)]
    (tmp_path / file.name).write_text("\n".join([*lines, *again]))
    once, repeated = (
        json_of("score", "multi_crit", path)["runs"][0] for path in (file, tmp_path / file.name)
    )
    assert repeated["numbers"] == once["numbers"]


def test_a_sample_that_is_not_as_the_harness_logs_it_is_named(log, tmp_path):
    task, file, _ = log
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    del rows[3][NAMES[task][1]]
    broken = tmp_path / file.name
    broken.write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = pairbench("score", NAMES[task][0], broken, status=1)
    assert f"line 4: no field {NAMES[task][1]!r}" in " ".join(done.stderr.split())


# --- An API judge that compares the model with a baseline: People did not label

REPLIES = {"A": "It is. My final verdict is: [[A>>B]]", "B": "[[B>A]]", "tie": "[[A=B]]"}


def wildvision_sample(n, reply, winner, judgement):
    battle = {"model_a": "claude-3-sonnet", "model_b": "evaluation_model", "winner": winner}
    return {
        "doc_id": n,
        "input": f"Question {n}",
        "target": "the baseline's answer",
        "filtered_resps": "the model's answer",
        "elo_scores": {**battle, "gpt_resps": reply, "judgement": judgement},
        "win_rates": battle,
    }


def llava_sample(n, scores):
    review = {"category": "llava_bench_conv", "scores": scores, "review": f"{scores}", "ans1": "x"}
    return {
        "doc_id": n,
        "input": f"Question {n}",
        "target": "x",
        "filtered_resps": "y",
        "gpt_eval_llava_all": review,
    }


def test_a_comparison_without_truth_has_coverage_and_the_share_of_each_choice(tmp_path):
    """As the harness's functions return them: what it cannot read is called a tie."""
    said = [
        *[(REPLIES["A"], "model_a", "Worse++")] * 3,
        *[(REPLIES["B"], "model_b", "Better")] * 2,
        (REPLIES["tie"], "tie", "Tie"),
        *[("I cannot judge this.", "tie", "Unclear")] * 2,
    ]
    samples = [wildvision_sample(n, *each) for n, each in enumerate(said)]
    file = tmp_path / "1_samples_wildvision_0630.jsonl"
    file.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    [run] = json_of("score", "judgments", file)["runs"]
    assert run["benchmark"] == "judgments_pair"
    assert run["numbers"]["coverage"] == 6 / 8
    assert run["numbers"]["tie_rate"] == pytest.approx(1 / 6, abs=0.1)
    assert run["by_system"] == {
        "claude-3-sonnet": pytest.approx((3 + 0.5) / 6),
        "evaluation_model": pytest.approx((2 + 0.5) / 6),
    }
    text = " ".join(run["remarks"])
    assert "lmms-eval's wildvision prints 25.000 (win_rates)" in text
    assert "People did not label" in text
    assert pairbench("card", file, status=0).stdout


def test_two_scores_of_a_judge_are_a_verdict(tmp_path):
    samples = [llava_sample(n, each) for n, each in enumerate([[8, 6], [5, 5], [4, 9], [-1, -1]])]
    file = tmp_path / "1_samples_llava_in_the_wild.jsonl"
    file.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    [run] = json_of("score", "judgments", file)["runs"]
    assert run["numbers"]["coverage"] == 3 / 4
    assert run["by_system"] == {"gpt_answer": 0.5, "evaluation_model": 0.5}
    assert "prints 118.800 (gpt_eval_llava_all)" in " ".join(run["remarks"])
