"""OmniRewardBench's image tasks through the harness, on rows in the hub's layout."""

import math

import pytest

from lmms_eval_tasks.omni_rewardbench.benchmark import BENCHMARK, PROMPTS, docs
from lmms_eval_tasks.omni_rewardbench.grammars.response_labels import asks
from pairbench_ext.harness.hooks import doc_to_messages
from pairbench_ext.replies import parse
from pairbench_ext.runs import controls
from pairbench_ext.stacks.plain import open_task
from tests.conftest import picture, write_split
from tests.files import score_file, write_lines
from tests.judges import PromptChatJudge, SightedJudge

# Two responses of one prompt under two criteria that conflict, and one that people tie.
ROWS = [
    {"id": "1", "prompt": "A mug", "criteria": "It is {red}.", "criteria_preference": "response1"},
    {"id": "1", "prompt": "A mug", "criteria": "It is large.", "criteria_preference": "response2"},
    {"id": "2", "prompt": "A cat", "criteria": "It is neat.", "criteria_preference": "tie"},
]


def shown(part, row):
    """What is shown in a row of a part: the image, and the responses, with paths of images."""
    asked = {} if part == "text_to_image" else {"image": picture(9, 9)}
    names = ("response1", "response2")
    if part == "text_image_to_text":
        return asked | {name: f"{name} {'word ' * n}" for n, name in enumerate(names)}
    images = {name: picture(row["prompt"] == "A cat", n) for n, name in enumerate(names)}
    return asked | images | {f"{name}_path": f"{row['prompt']}/{name}.png" for name in names}


def write(root):
    """Rows of the benchmark, below a folder."""
    for part in PROMPTS:
        write_split(root, part, "test", [row | shown(part, row) for row in ROWS])


@pytest.mark.parametrize("part", PROMPTS)
def test_what_is_shown_is_the_authors(data, part):
    trials = BENCHMARK.trials({"part": part, "orders": "both"})
    assert len(trials) == 2 * 2  # the tied pair is left out
    request = trials.ask(trials[0])
    assert request.system == PROMPTS[part]["system_prompt_template"].format(criteria="It is {red}.")
    places = trials.images(next(iter(trials.items.values())))
    first, second = picture(False, 0), picture(False, 1)
    seen = request.images()
    if part == "text_image_to_text":
        assert "response1" in request.text.split("[[RESPONSE A]]")[1].split("[[END")[0]
        assert len(seen) == 1
    else:
        *before, one, two = seen
        assert (one.tobytes(), two.tobytes()) == (first.tobytes(), second.tobytes())
        swapped = trials.ask(trials[1]).images()[-2:]
        assert [x.tobytes() for x in swapped] == [second.tobytes(), first.tobytes()]
        assert len(before) == len(places) - 2
    ties = BENCHMARK.trials({"part": part, "ties": True})
    assert len(ties) == 3
    assert "[[C]]" in ties.ask(ties[0]).system
    system, message = doc_to_messages(docs([{"part": part}])[0])
    assert (system["role"], message["role"]) == ("system", "user")


def test_judges_whose_numbers_are_known(data, run):
    def right(prompt, images):
        """By the criterion in the system prompt, and by the first image's place."""
        first = images[-2].tobytes() == picture(False, 0).tobytes()
        return "[[A]]" if ("{red}" in prompt) == first else "[[B]]"

    task = "omni_rewardbench_text_to_image_both"
    known = run(SightedJudge(right), task)
    for name in ("accuracy", "tradeoff_sensitivity", "conflict_matching"):
        assert known[name] == 1
    blind = run(SightedJudge(lambda *_: "[[A]]"), task)
    assert (blind["accuracy"], blind["position_consistency"]) == (0.5, 0)
    task = "omni_rewardbench_text_image_to_text_ties"
    tied = run(PromptChatJudge(lambda _: "[[C]]"), task)
    assert tied["accuracy"] == pytest.approx(1 / 3)
    assert (tied["accuracy_without_ties"], tied["tie_rate"]) == (0, 1)


def test_a_reward_model_of_images_judges_pairs(data):
    task = open_task("omni_rewardbench_text_to_image_both")
    told = task.score([t.reward(lambda x, *_: float(sum(x[-1].tobytes()[:99]))) for t in task])
    assert told.numbers["accuracy"] == 0.5  # one order of the images for opposite criteria
    assert math.isnan(told.numbers["coverage"])


@pytest.mark.parametrize(
    ("reply", "careful", "authors"),
    [
        ('"[[A]]"', 1, 1),
        (r"The answer is \boxed{B}.", 2, 2),
        ("[[A]] is not better than [[B]], so [[C]].", None, None),
        ("Both are good: [[C]]", 0, 0),
        ("Response B is better.", 2, None),
    ],
)
def test_replies_that_are_hard_to_read(reply, careful, authors):
    asked = asks(ties=True)
    if careful is not None:
        assert parse("response_labels", reply, None, asked).value == careful
    assert parse("response_labels", reply, "authors", asked).value == authors


def test_ignoring_the_criterion_is_a_control(tmp_path):
    rows = [
        {"item": f"{n}", "pair": "p", "criterion": f"c{n}", "truth": truth, "response": "[[A]]"}
        for n, truth in enumerate((0, 0, 1))
    ]
    run = score_file(BENCHMARK, write_lines(tmp_path / "r.jsonl", rows))
    [control] = BENCHMARK.controls
    accuracy = BENCHMARK.number("accuracy")
    assert controls.of_control(run, control, [accuracy])["accuracy"] == pytest.approx(2 / 3)
    tells = BENCHMARK.number("tradeoff_sensitivity")
    assert controls.of_control(run, control, [tells])["tradeoff_sensitivity"] == 0
