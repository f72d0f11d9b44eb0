"""What the audit draws: new by seed, balanced, true by its pixels, and no help to the blind."""

import math
import re
from collections import Counter

import numpy as np
import pytest

from lmms_eval_tasks.judge_audit.benchmark import BENCHMARKS
from lmms_eval_tasks.judge_audit.differences import object_pairs
from lmms_eval_tasks.preference.trials import in_order
from pairbench_ext.core.benchmark import Task
from tests.scene_measures import object_masks

TASKS = {
    task.name.removeprefix("judge_audit_"): (benchmark, task)
    for benchmark in BENCHMARKS
    for task in benchmark.tasks
    if isinstance(task, Task)
}
PAIRS = 1024  # of a blind solver's training and test


def trials(end, **more):
    benchmark, task = TASKS[end]
    return benchmark.trials({**task.entry, **more})


def request_images(made, trial):
    return made.ask(trial).images()


@pytest.mark.parametrize("end", ["preferences", "differences", "blind_preferences", "repeats"])
def test_the_seed_of_the_environment_draws_anew(end, monkeypatch):
    shown = {}
    for seed in ("", "0", "7", "7"):
        monkeypatch.setenv("PAIRBENCH_SEED", seed)
        made = trials(end)
        shown.setdefault(seed, []).append(
            ([made.ask(made[n]).text for n in range(6)], [made[n]["seed"] for n in range(6)])
        )
    assert shown[""] == shown["0"]
    assert shown["7"][0] == shown["7"][1]
    assert shown["7"][0][1] == [7] * 6
    assert all(one != other for one, other in zip(shown["0"][0][0], shown["7"][0][0], strict=True))


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("end", ["differences", "demo_differences", "blind_differences"])
def test_no_letter_and_no_place_is_right_more_often_than_another(end, seed):
    shown = [(len(t["options"]), "ABCD".index(t["truth"])) for t in trials(end, seed=seed)]
    chance = sum(1 / options for options, _ in shown) / len(shown)
    for place in range(4):
        assert sum(truth == place for _, truth in shown) / len(shown) <= chance + 1e-9
    assert sum(truth == options - 1 for options, truth in shown) / len(shown) <= chance + 1e-9
    of_four = [truth for options, truth in shown if options == 4]
    for block in range(0, len(of_four), 4):  # so it is under any limit
        assert sorted(of_four[block : block + 4]) == [0, 1, 2, 3]


@pytest.mark.parametrize("end", ["blind_preferences", "blind_differences", "blind_ratings"])
def test_controls_ask_the_same_of_grey_images(end):
    blind, seeing = trials(end), trials(end.removeprefix("blind_"))
    texts = {seeing.ask(trial).text for trial in seeing}
    assert {blind.ask(trial).text for trial in blind} <= texts
    for image, shown in zip(
        request_images(blind, blind[0]), request_images(seeing, seeing[0]), strict=True
    ):
        assert image.size == shown.size
        assert image.getcolors() == [(image.width * image.height, (128, 128, 128))]


# What blind solvers can know: the words of both answers and where they stand.
def words(text):
    return text.lower().replace(".", "").replace(",", "").split()


def solver_features(pair):
    first, second = (Counter(words(text)) for text in in_order(pair.responses, "fwd"))
    found = {f"1 {word}": n for word, n in first.items()}
    found |= {f"2 {word}": n for word, n in second.items()}
    found |= {f"- {word}": first[word] - second[word] for word in first | second}
    found |= {f"q {word}": n for word, n in Counter(words(pair.query)).items()}
    found["length"] = len(pair.responses[0]) - len(pair.responses[1])
    return found


def solved(pairs):
    """How often a cross-validated linear rule on the words is right."""
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.linear_model import RidgeClassifier
    from sklearn.model_selection import cross_val_predict

    truth = np.array([pair.truth for pair in pairs])
    features = DictVectorizer().fit_transform([solver_features(pair) for pair in pairs])
    return (cross_val_predict(RidgeClassifier(alpha=10), features, truth, cv=8) == truth).mean()


@pytest.fixture(scope="module")
def pairs():
    return list(trials("preferences", n=PAIRS).items.values())


def test_no_rule_of_the_text_alone_beats_chance(pairs):
    """Bags of words of question and answers, their differences and lengths, cross-validated."""
    assert abs(solved(pairs) - 0.5) < 3 * 0.5 / math.sqrt(PAIRS)


def shown(scene):
    """The relations that the pixels of two objects show, as a caption says them."""
    one, other = (np.argwhere(mask) for mask in object_masks(scene, 160))
    (y, x), (other_y, other_x) = one.mean(axis=0), other.mean(axis=0)
    low, other_low = one[:, 0].max(), other[:, 0].max()
    held = {
        "to the left of": x < other_x,
        "to the right of": x > other_x,
        "on": y < other_y,
        "under": y > other[:, 0].min(),
        "in front of": low > other_low,
        "behind": low < other_low,
    }
    return {phrase for phrase, holds in held.items() if holds}


def test_pictures_of_objects_show_what_the_answer_says():
    for pair in object_pairs(16, 2):
        name, other = pair.first.objects
        said = re.fullmatch(
            f"First the {name} is (.+) the {other}, then it is (.+) the {other}.", pair.item.answer
        )
        assert said[1] in shown(pair.first)
        assert said[2] in shown(pair.second)
        assert said[1] != said[2]
