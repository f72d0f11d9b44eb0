"""Multi-Crit through the harness, on rows in the hub's layout, and its numbers by enumeration."""

import re

import pytest

from lmms_eval_tasks.multi_crit.benchmark import BENCHMARK, PROMPTS, docs
from pairbench_ext.harness.hooks import doc_to_messages
from pairbench_ext.runs import controls
from pairbench_ext.stacks.plain import open_task
from tests.conftest import picture, write_split
from tests.files import score_file, write_lines
from tests.judges import PromptChatJudge, PromptJudge

TASK = "multi_crit_open_ended_both"
# Prompt -> person's choice by criterion: p0 has 2 conflicting pairs, p1 none, p2 one.
CHOICES = {
    "p0": {"completeness": "a", "visual-grounding": "a", "clarity": "b"},
    "p1": {"completeness": "b", "clarity": "b"},
    "p2": {"hallucination": "b", "expressiveness": "a"},
}


def write(root):
    """Rows of the benchmark, below a folder."""
    rows = [
        {"question_id": f"{prompt}-{criterion}", "prompt_id": prompt, "criterion": criterion}
        | {"question": f"Question {prompt}? {{Response1}}", "pred_a": f"First {prompt}"}
        | {"pred_b": f"Second {prompt}, in a few more words", "split": "open_ended"}
        | {"preference": f"model_{choice}"}
        for prompt, choices in CHOICES.items()
        for criterion, choice in choices.items()
    ]
    rows.append({**rows[0], "preference": "model_b"})  # a repeated question counts once
    rows = [{**row, "image": picture(n, 0)} for n, row in enumerate(rows)]
    for split in ("open_ended", "reasoning"):
        write_split(root, "default", split, rows)


def choosing(of, judge=PromptJudge):
    """A judge that says what a function of prompt and criterion says: "a" or "b"."""
    titles = {text: key.split("--")[1] for key, text in PROMPTS["criteria"].items()}

    def answer(text):
        criterion = next(name for title, name in titles.items() if title in text)
        place = 1 + (of(re.search(r"Question (p\d)\?", text)[1], criterion) == "b")
        if "[Response 1]: Second" in text:
            place = 3 - place
        return f"It is, as response {3 - place} is not.\nResponse {place} is better."

    return judge(answer)


def test_judges_whose_numbers_are_known(data, run):
    right = run(choosing(lambda prompt, name: CHOICES[prompt][name], PromptChatJudge), TASK)
    for name in ("accuracy", "pluralistic_accuracy", "tradeoff_sensitivity", "conflict_matching"):
        assert right[name] == 1, name
    one = run(choosing(lambda *_: "a"), TASK)  # the same of all criteria
    assert one["accuracy"] == pytest.approx(3 / 7)
    assert (one["pluralistic_accuracy"], one["tradeoff_sensitivity"]) == (0, 0)
    assert one["conflict_matching"] == 0
    # Of p0 all but one are right, of p2 all are wrong: it says different things of both.
    known = {("p0", "clarity"): "a", ("p2", "hallucination"): "a", ("p2", "expressiveness"): "b"}
    mixed = run(choosing(lambda p, name: known.get((p, name), CHOICES[p][name])), TASK)
    assert mixed["accuracy"] == pytest.approx(4 / 7)
    assert mixed["pluralistic_accuracy"] == pytest.approx(1 / 3)
    assert mixed["tradeoff_sensitivity"] == pytest.approx(1 / 2)
    assert mixed["conflict_matching"] == 0
    per_criterion = [2 / 2, 1 / 1, 1 / 2, 0, 0]  # completeness, grounding, clarity, two of p2
    assert mixed["macro_accuracy"] == pytest.approx(sum(per_criterion) / 5)


def test_a_reward_model_has_one_order_for_all_criteria(data):
    task = open_task(TASK)
    told = task.score([t.reward(lambda *shown: len(shown[2])) for t in task]).numbers
    assert told["accuracy"] == pytest.approx(4 / 7)  # the second is longer, and right in four
    assert (told["tradeoff_sensitivity"], told["conflict_matching"]) == (0, 0)


def test_the_prompt_is_the_authors(data):
    trials = BENCHMARK.trials({"split": "open_ended", "orders": "both"})
    request = trials.ask(trials[1])  # in reverse order
    text = request.text
    template, criterion = PROMPTS["template"], PROMPTS["criteria"]["open-ended--completeness"]
    assert text == (
        template.replace("{Criterion}", criterion)
        .replace("{Response1}", "Second p0, in a few more words")
        .replace("{Response2}", "First p0")
        .replace("{Question}", "Question p0? {Response1}")
    )
    [message] = doc_to_messages(docs([{"split": "open_ended", "orders": "data"}])[0])
    assert [part["type"] for part in message["content"]] == ["image", "text"]


@pytest.mark.parametrize(
    ("reply", "careful", "authors"),
    [
        ("Both are clear.\n**Response 2** is better.", 1, 1),
        ("Response 1 is better.", 0, 0),
        ("Response 2 is better\n\nLet me sum up.\nIt is long.\nAnd so on.\nThat is all.", 1, None),
        ("The second response wins, so Response 2 is the better one.", 1, None),
        ("I cannot see the image.", None, None),
    ],
)
def test_replies_that_are_hard_to_read(reply, careful, authors, tmp_path):
    row = {"item": "q", "pair": "p", "criterion": "clarity", "truth": 0, "response": reply}
    for rule, expected in (("careful", careful), ("authors", authors)):
        made = score_file(BENCHMARK, write_lines(tmp_path / "r.jsonl", [row]), rule=rule)
        assert made.outcomes[0].said == expected, rule


def test_controls_by_enumeration(tmp_path):
    rows = [
        {"item": f"{p}-{c}", "pair": p, "criterion": c, "truth": "ab".index(t), "longer": 1}
        for p, choices in CHOICES.items()
        for c, t in choices.items()
    ]
    asked = [{**row, "order": order} for row in rows for order in ("fwd", "rev")]
    said = [{**row, "response": "Response 1 is better."} for row in asked]
    run = score_file(BENCHMARK, write_lines(tmp_path / "r.jsonl", said))
    names = ("tradeoff_sensitivity", "conflict_matching", "accuracy")
    by_name = {control.name: control for control in BENCHMARK.every_control}
    wanted = [BENCHMARK.number(name) for name in names]
    of_longer = controls.of_control(run, by_name["longer"], wanted)
    assert of_longer["tradeoff_sensitivity"] == of_longer["conflict_matching"] == 0
    place = controls.of_control(run, by_name["place"], wanted)
    assert place == {"tradeoff_sensitivity": 0, "conflict_matching": 0, "accuracy": 0.5}
    assert controls.of_control(run, by_name["coin"], wanted)["accuracy"] == 0.5
