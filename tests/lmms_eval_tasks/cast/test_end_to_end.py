"""Canned models through the harness's own evaluator, with matrices worked out by hand."""

import collections
import math
import re

import pytest

from lmms_eval_tasks.cast.confirmations import MODALITIES
from pairbench_ext.harness.probes import QUESTION
from pairbench_ext.replies.yesno import LABELS, words
from pairbench_ext.resumable.model import Resumable
from pairbench_ext.statistics.seeds import draw
from tests.asked_models import fingerprint
from tests.files import text_of, write_lines
from tests.judges import SightedChatJudge, SightedJudge, SightedRoundsJudge, evaluate, numbers, run
from tests.lmms_eval_tasks.cast.conftest import PAIRS, colour

NAN = math.nan
FAILED = "[LMMS_EVAL_REQUEST_FAILED after 5 retries] 1. timeout 2. timeout"


@pytest.fixture(autouse=True)
def _data(cast_data, monkeypatch):
    monkeypatch.setenv("CAST_DATA", str(cast_data))


def labels(prompt):
    """The answers that a prompt asks for."""
    [asked] = [kind for kind, pair in LABELS.items() if set(pair) <= quoted(prompt)]
    return asked


def quoted(prompt):
    return set(re.findall(r"['\u2018](\w+)['\u2019]", prompt))


def asks_for_a_list(prompt):
    return "Output each similarity in a numbered list." in prompt


def in_text(prompt, images):
    """The pair whose descriptions are shown."""
    shown = set(re.findall(r"^Scene \d:\s+The \w+ scene of (p\d)\.", prompt, re.MULTILINE))
    return shown.pop() if shown else "nothing"


def in_images(prompt, images):
    """The pair whose images are shown, in one canvas or two images."""
    if not images:
        return "nothing"
    seen = [
        next(pair for pair in PAIRS if image.getpixel((x, 0)) == colour(pair, side))
        for image, x, side in [(images[0], 0, 0), (images[-1], images[-1].width - 1, 1)]
    ]
    assert seen[0] == seen[1]
    return seen[0]


def anywhere(prompt, images):
    seen = {in_text(prompt, images), in_images(prompt, images)} - {"nothing"}
    assert len(seen) == 1
    return seen.pop()


def says(prompt, confirms):
    return f"**{words(labels(prompt))[1 - int(confirms)].capitalize()}.**"


def states(seen):
    return "Here are they:\n\n" + "\n".join(
        f"{n}. **Topic {n}:** it is about {seen}." for n in range(1, 6)
    )


def sees(look):
    """A model that states what it sees and confirms a statement if it sees the same again."""

    def answer(prompt, images):
        seen = look(prompt, images)
        if asks_for_a_list(prompt):
            return states(seen)
        return says(prompt, f"it is about {seen}." in prompt)

    return answer


def ones(value=1.0):
    return [[value] * 3] * 3


# Rows: generated from text, image, both; columns: evaluated in text, image, both. In a modality
# that it is blind in, a model sees nothing, states that, and confirms it where it sees nothing
# again: so also for the swapped pair, in that one cell of nine.
LANDMARKS = {
    "consistent": (sees(anywhere), ones(), 0),
    "image-blind": (sees(in_text), [[1, 0, 1], [0, 1, 0], [1, 0, 1]], 1 / 9),
    "no list": (lambda *_: "There is nothing to list.", ones(NAN), NAN),
}


def cells(matrix):
    return {
        f"{generated}_by_{evaluated}": matrix[i][j]
        for i, generated in enumerate(MODALITIES)
        for j, evaluated in enumerate(MODALITIES)
    }


def mean(values):
    return sum(values) / len(values)


def expected(matrix, swapped_rate):
    same_modality = mean([matrix[i][i] for i in range(3)])
    across = mean([matrix[i][j] for i in range(3) for j in range(3) if i != j])
    return {
        **cells(matrix),
        "same_modality": same_modality, "cross_modality": across,
        "modality_gap": same_modality - across,
        "top1": same_modality, "top3": same_modality, "position_1": same_modality,
        "position_3": same_modality, "swapped_rate": swapped_rate,
        "own_minus_swapped": mean([value for row in matrix for value in row]) - swapped_rate,
        "pairs": 2, "generations": 6,
    }  # fmt: skip


@pytest.mark.parametrize(("answer", "matrix", "swapped"), LANDMARKS.values(), ids=LANDMARKS)
def test_landmarks(answer, matrix, swapped, task_manager, recwarn):
    found, _ = run(SightedJudge(answer), "cast", task_manager)
    for name, value in expected(matrix, swapped).items():
        assert found[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name
    assert not [w for w in recwarn if issubclass(w.category, RuntimeWarning)]
    for name in ("same_modality", "cross_modality", "own_minus_swapped"):
        if not math.isnan(found[name]):
            assert found[f"{name}_ci95_low"] <= found[name] <= found[f"{name}_ci95_high"]


def ways():
    """Every way in which the task can be run: task, judge, wrapper."""
    yield "cast", SightedJudge, None
    yield "cast_rounds", SightedChatJudge, Resumable
    yield "cast_rounds", SightedRoundsJudge, None


def uneven(prompt, images):
    """Lists of none to four statements, now and then a failed request and a thought."""
    coin = draw(12, 1, prompt, fingerprint(images))
    if coin == 11:
        return FAILED
    if asks_for_a_list(prompt):
        return "<think>1. No.\n2. No.</think>" + "\n".join(
            f"{n}) Statement {n} of coin {coin}" for n in range(1, 1 + coin % 5)
        )
    return f"<analysis>{says(prompt, True)}</analysis>{says(prompt, coin % 2)}"


def test_every_way_asks_and_finds_the_same(task_manager):
    """The same prompts, images, replies and numbers, whatever the protocol."""
    outcomes = []
    for task, kind, wrapper in ways():
        judge = kind(uneven)
        found, trials = run(wrapper(judge) if wrapper else judge, task, task_manager)
        shown = collections.Counter(fingerprint(request) for request in judge.shown)
        chats = task == "cast_rounds" and not judge.is_simple  # one by one, none is asked to chat
        assert {trial.pop("protocol") for trial in trials} == {"chat" if chats else "simple"}
        outcomes.append((shown, trials, {name: repr(value) for name, value in found.items()}))
    for other in outcomes[1:]:
        assert other == outcomes[0]
    assert {len(trial["exchanges"]) for trial in outcomes[0][1]} == {1, 10, 19, 28}
    assert not any("nalysis>" in row["response"] for row in outcomes[0][1][0]["exchanges"])


def test_a_run_without_a_single_list_says_so(task_manager, said, tmp_path):
    results = evaluate(SightedJudge(lambda prompt, images: "I see nothing."), "cast", task_manager)
    found = numbers(results, "cast")
    assert (found["no_statements"], found["evaluations"]) == (6, 0)
    assert any("none of the 6 lists of statements could be read" in told for told in said)
    write_lines(tmp_path / "samples_cast.jsonl", results["samples"]["cast"])
    printed = text_of("score", "cast", tmp_path / "samples_cast.jsonl")
    assert "none of the 6 lists of statements could be read" in printed
    assert "own_rate is undefined. Most often (12 times): the list has no statement." in printed
    [undefined] = re.findall(
        r"`-` means that a number is undefined here, or was not measured: ([^.]*)\.", printed
    )
    assert re.fullmatch(r"\d+ of \d+ numbers", undefined)


def test_replies_that_are_too_few_are_said(task_manager, said):
    class Forgetful(SightedRoundsJudge):
        def generate_until_multi_round(self, requests):
            first, *others = super().generate_until_multi_round(requests)
            return [first, *others] if requests[0].args[0] == QUESTION else [first[:-1], *others]

    found, trials = run(Forgetful(sees(anywhere)), "cast_rounds", task_manager)
    assert found["evaluations"] == 161
    assert [trial.get("complete") for trial in trials] == [False, *[None] * 11]
    assert any("1 documents have too few or too many" in message for message in said)


def test_all_statements_are_evaluated_where_a_task_says_so(task_manager):
    """From the fourth statement on it denies: top 1 to 3 are 1, top 4 is 3 of 4, not 3 of 5."""

    def tired(prompt, images):
        if asks_for_a_list(prompt):
            return states("nothing")
        return says(prompt, not re.search(r"\*\*Topic [45]:", prompt))

    found, trials = run(SightedJudge(tired), "cast_all", task_manager, limit=6)
    assert [found[f"top{n}"] for n in (1, 2, 3, 4)] == [1, 1, 1, 3 / 4]
    assert found["same_modality"] == found["own_rate"] == 1  # of the first three, as in Table 1
    assert {len(trial["exchanges"]) for trial in trials} == {1 + 5 * 9}
