"""What the limited eye makes of the scenes: right in easy cells, at chance in hard ones."""

import string
from collections import defaultdict
from operator import itemgetter

import numpy as np
import pytest
from lmms_eval.api.instance import Instance
from PIL import Image

from lmms_eval_tasks.build.common.photos import load_photos
from lmms_eval_tasks.subtlebench import prompts
from lmms_eval_tasks.subtlebench.sets.control import ControlSet
from lmms_eval_tasks.subtlebench.tasks import ONE_STEP
from lmms_eval_tasks.subtlebench.visual import strategies
from pairbench_ext.core.benchmark import Request
from pairbench_ext.harness.plugin import JUDGES
from pairbench_ext.harness.rounds import one_text
from pairbench_ext.judges.difference_judge import DifferenceJudge
from pairbench_ext.replies import letter
from pairbench_ext.statistics.seeds import draw, generator
from pairbench_ext.synthetic.shapes.render import render_pair
from tests.judges import evaluate, numbers

QUESTION = "Which shape appeared or disappeared?"
OPTIONS = ["A red circle appeared.", "A blue square appeared."]
# Cells of controlled sets, each with four options: (set, values of its axes).
EASY = [
    ("control_color", 100, 0.2),
    ("control_size", 80, 0.4),
    ("control_spatial", 100, 160),
    ("control_existence", 40, 2),
    ("control_viewpoint", 160, 8),
]
HARD = [
    ("control_color", 20, 0.05),
    ("control_spatial", 20, 10),
    ("control_existence", 10, 32),
    ("control_existence", 10, 64),
    ("control_hue", "green", 0.02),
]


def ask(judge, documents, prompt_of=itemgetter("prompt"), show=itemgetter("images")):
    """The judge's replies to documents of images and a prompt."""
    judge.task_dict = {"task": {"test": documents}}
    requests = [
        Instance(
            request_type="generate_until",
            arguments=(prompt_of(doc), {}, show, number, "task", "test"),
            idx=0,
            metadata={"task": "task", "doc_id": number, "repeats": 1},
        )
        for number, doc in enumerate(documents)
    ]
    return judge.generate_until(requests)


def prompt(question=QUESTION, options=OPTIONS, strategy="standard", description=None):
    filled = prompts.render(strategy, question, options, description)
    return one_text(Request((filled.user,), filled.system))


def document(one, key, strategy="standard"):
    """A pair as it is shown, with the right letter."""
    options = [one.answer, *one.distractors]
    order = generator(0, "order", key).permutation(len(options)).tolist()
    return {
        "images": render_pair(one.first, one.second),
        "prompt": prompt(one.question, [options[place] for place in order], strategy),
        "truth": string.ascii_uppercase[order.index(0)],
    }


def documents(name, first, second, n, start=0):
    """Pairs of a cell of a controlled set."""
    cells = ControlSet(name)
    [cell] = [
        number
        for number, found in enumerate(cells.cells)
        if tuple(found.values.values()) == (first, second)
    ]
    rounds = range(start, start + n)
    return [document(cells.pair(cell + k * len(cells.cells)), f"{name} {cell} {k}") for k in rounds]


def accuracy(judge, docs):
    replies = ask(judge, docs)
    return np.mean([reply == doc["truth"] for reply, doc in zip(replies, docs, strict=True)])


@pytest.fixture(scope="module")
def some():
    """Pairs of medium difficulty."""
    return [doc for size in (20, 30) for doc in documents("control_existence", size, 8, 6)]


def test_what_is_plain_is_seen():
    docs = [doc for cell in EASY for doc in documents(*cell, 12)]
    assert accuracy(DifferenceJudge(), docs) >= 0.9


def test_what_is_subtle_is_guessed():
    docs = [doc for cell in HARD for doc in documents(*cell, 16)]
    assert 0.12 < accuracy(DifferenceJudge(), docs) < 0.45  # a quarter, by chance


def test_accuracy_falls_with_difficulty():
    judge, found = DifferenceJudge(), defaultdict(list)
    for size in (10, 20, 40):
        for objects in (2, 8, 64):
            share = accuracy(judge, documents("control_existence", size, objects, 32))
            found[f"size {size}"].append(share)
            found[f"objects {objects}"].append(share)
    means = {name: np.mean(shares) for name, shares in found.items()}
    assert means["size 10"] + 0.1 < means["size 20"] < means["size 40"] - 0.1
    assert means["objects 64"] < means["objects 8"] <= means["objects 2"] + 0.05


def test_a_sharper_eye_sees_more(some):
    sharp = DifferenceJudge(resolution="200", noise="0", jitter="0")
    assert accuracy(sharp, some) == 1
    assert accuracy(DifferenceJudge(resolution=20), some) < 0.6


def test_replies_do_not_depend_on_the_batch_or_the_order(some):
    replies = ask(DifferenceJudge(batch_size=5), some)
    assert ask(DifferenceJudge(), some) == replies
    assert ask(DifferenceJudge(batch_size=2), some[::-1])[::-1] == replies
    assert ask(DifferenceJudge(seed=1), some) != replies


class Sealed:
    """A document of which nothing can be read."""

    def __getattribute__(self, name):
        raise AssertionError(f"the judge looked at {name}")

    __getitem__ = __iter__ = __len__ = __contains__ = __getattribute__


def test_nothing_but_the_images_and_the_prompt_is_looked_at(some):
    replies = ask(DifferenceJudge(), some)
    others = some[::-1]
    scrambled = [
        {**doc, "truth": "A", "answer": other["truth"], "cell": {"size": 1}, "category": "hue"}
        for doc, other in zip(some, others, strict=True)
    ]
    assert ask(DifferenceJudge(), scrambled) == replies

    sealed = [Sealed() for _ in some]
    known = {id(seal): doc for seal, doc in zip(sealed, some, strict=True)}
    shown = ask(
        DifferenceJudge(),
        sealed,
        prompt_of=lambda seal: known[id(seal)]["prompt"],
        show=lambda seal: known[id(seal)]["images"],
    )
    assert shown == replies


def test_letters_follow_their_options(some):
    """The options in reverse: what is seen is the same, under other letters."""
    sharp = DifferenceJudge(resolution=200, noise=0, jitter=0)
    lines = [doc["prompt"].split("Options:\n") for doc in some]
    turned = [
        {
            "images": doc["images"],
            "prompt": f"{head}Options:\n"
            + "\n".join(
                f"{new}. {line[3:]}"
                for new, line in zip("ABCD", reversed(tail.splitlines()), strict=True)
            ),
        }
        for doc, (head, tail) in zip(some, lines, strict=True)
    ]
    expected = ["DCBA"["ABCD".index(doc["truth"])] for doc in some]
    assert ask(sharp, turned) == expected


@pytest.mark.parametrize("strategy", ONE_STEP)
def test_every_strategy(strategy, some):
    judge = DifferenceJudge()
    plain = ask(judge, some)
    docs = []
    for doc in some:
        asked = doc["prompt"]
        visual = strategy if strategy in strategies.STRATEGIES else "none"
        question, options = (
            asked.split("Question: ")[1].split("\n")[0],
            asked.split("Options:\n")[1],
        )
        docs.append(
            {
                "images": strategies.shown(visual, *doc["images"]),
                "prompt": prompt(question, [o[3:] for o in options.splitlines()], strategy),
            }
        )
    replies = ask(judge, docs)
    letters = [letter.careful(reply, 4).value for reply in replies]
    if strategy == "grid":  # its lines cross shapes
        assert sum(a == b for a, b in zip(letters, plain, strict=True)) > len(plain) / 2
    else:
        assert letters == plain
    assert all(len(reply) == 1 for reply in replies) == (strategy != "reasoning")


def test_a_description_where_none_is_to_choose(some):
    [first] = ask(DifferenceJudge(), [{**some[0], "prompt": prompt(strategy="two_step")}])
    assert first.startswith("There seem to be ")
    second = prompt(strategy="two_step", description=first)
    assert ask(DifferenceJudge(), [{**some[0], "prompt": second}])[0] in ("A", "B")


def test_what_it_cannot_judge_is_guessed_by_the_images():
    photos = [photo.image for photo in load_photos(64)]
    docs = [
        {"images": [one, other], "prompt": prompt("Which is it?", ["a", "b", "c"])}
        for one in photos[:6]
        for other in photos[:6]
    ]
    replies = ask(DifferenceJudge(), docs)
    assert set(replies) == {"A", "B", "C"}
    assert ask(DifferenceJudge(), docs[::-1]) == replies[::-1]
    reasons = prompt("Which is it?", ["a", "b", "c"], strategy="reasoning")
    [reply] = ask(DifferenceJudge(), [{**docs[1], "prompt": reasons}])
    assert "The rest is a guess." in reply
    assert reply.endswith(f"### Answer\n{replies[1]}")


def test_without_images_there_is_a_guess_too():
    docs = [{"images": [], "prompt": prompt()}, {"images": None, "prompt": "Rate it."}]
    letter_, refusal = ask(DifferenceJudge(), docs)
    assert letter_ == "AB"[draw(2, 0, "difference_judge")]
    assert "can compare nothing else" in refusal


def test_one_image_is_two_side_by_side():
    image = Image.new("RGB", (801, 600), "white")
    [reply] = ask(DifferenceJudge(), [{"images": image, "prompt": "What differs?"}])
    assert reply.startswith("There seem to be 0 shapes in the first image and 0 in the second")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sharp": 1}, "difference_judge has no argument 'sharp': it takes resolution, noise"),
        ({"resolution": "x"}, "resolution must be a whole number, not 'x'"),
        ({"noise": "much"}, "noise must be a number, not 'much'"),
        ({"jitter": -1}, "jitter must be 0 or more, not -1"),
    ],
)
def test_wrong_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        DifferenceJudge(**arguments)


def test_in_the_harness(task_manager):
    assert JUDGES["difference_judge"] == "difference_judge.DifferenceJudge"
    results = evaluate(DifferenceJudge(), "subtlebench_demo", task_manager, limit=48)
    found = numbers(results, "subtlebench_demo")
    assert (found["answers"], found["coverage"]) == (48, 1)
    assert found["random_guess"] + 0.2 < found["accuracy"] < 0.95
    trials = [sample["trial"] for sample in results["samples"]["subtlebench_demo"]]
    plain, subtle = (
        [trial["letter"] == trial["truth"] for trial in trials if trial["cell"]["size"] in sizes]
        for sizes in ((30, 40), (10,))
    )
    assert np.mean(plain) > np.mean(subtle) + 0.3
