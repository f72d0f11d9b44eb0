"""What follows from `Benchmark.answers` alone."""

import json
from dataclasses import dataclass, replace

import pytest

from pairbench_ext.core import registry
from pairbench_ext.core.answers import TIE, Answers, Chosen
from pairbench_ext.core.outcome_table import each_once
from pairbench_ext.runs.card.choices import chosen_of
from pairbench_ext.runs.card.lines import card
from pairbench_ext.runs.files import judge_runs
from pairbench_ext.runs.panel import panel
from pairbench_ext.runs.scoring import score_file
from pairbench_ext.statistics.seeds import generator
from tests.toy_benchmark import TOY, Answer


def _answer(one):
    said = None if one.said is None else int(one.said)
    return Chosen(one.item, 2, int(one.truth == "yes"), said)


SAYS = Answers(
    "choice", _answer, lambda own, place: replace(own[0], said=place), labels=("no", "yes")
)
DECLARED = replace(TOY, answers=SAYS, card=())
READ, UNREAD = Answer("4", "plain", "yes", 1.0), Answer("4", "plain", "yes")


def test_what_is_usable_and_what_is_a_repeat_need_not_be_declared():
    assert (DECLARED.usable(READ), DECLARED.usable(UNREAD)) == (True, False)
    assert DECLARED.repeat(READ) == ("4", 0)
    table = DECLARED.pool("readable").table([READ, replace(UNREAD, wording="polite")])
    assert table.rows == [READ]
    assert TOY.usable is TOY.repeat is None


def test_a_panel_without_ties_says_its_last_label():
    assert SAYS.said(SAYS.saying([UNREAD], "yes")) == "yes"


def test_the_card_asks_what_choices_can_say():
    assert {one.aspect for one in TOY.card} == {"instructions"}
    aspects = {one.aspect for one in DECLARED.card}
    assert aspects == {"instructions", "sees", "order", "length", "itself"}


def test_a_declared_card_and_pool_are_kept():
    kept = replace(DECLARED, card=TOY.card, usable=lambda _: True)
    assert kept.card == TOY.card
    assert kept.usable(UNREAD)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("ties", [False, True])
def test_what_a_panel_says_is_what_is_read_of_it(reverse, ties):
    def put(own, place):
        return own[0]._replace(said=place)

    answers = Answers("choice", lambda one: one, put, labels="ABCDx", ties=ties)
    one = Chosen("q", 4, 2, None, reverse, people={"anna": 0, "ben": TIE})
    for label in "ABCDx":
        assert answers.said(answers.saying([one], label)) == label
    assert answers.said(answers.saying([one], None)) is None
    assert answers.saying([one], "A").said == (3 if reverse else 0)
    assert (answers.truth(one), answers.choices(one)) == ("C", 4 + ties)
    assert answers.people(one) == {"anna": "A", "ben": "x"}


def coin_flips(folder, seed, repeats):
    """A judge that votes by coin on all pairs of 30 questions, a reply for several votes."""
    rng = generator(seed, "coin")
    worth = [0.0, 0.5, 1.0, 0.25]
    rows = [
        {
            "trial": {
                "benchmark": "best_of_n", "question": f"q{n}", "worth": worth, "pair": [i, j],
                "order": ("fwd", "rev")[(n + i + j) % 2], "repeats": list(range(repeats)),
            },
            "filtered_resps": f"Overall Judgment: Answer {rng.integers(1, 3)} is better.",
        }
        for n in range(30) for i in range(4) for j in range(i + 1, 4)
    ]  # fmt: skip
    folder.mkdir()
    file = folder / "samples_best_of_n.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def test_votes_by_coin_agree_no_more_than_by_chance(tmp_path):
    """Which of two candidates: by number of a candidate, chance would be one in four."""
    for seed, name in enumerate("ab"):
        coin_flips(tmp_path / name, seed, 1)
    [one] = panel(judge_runs([tmp_path / "a", tmp_path / "b"])).tasks
    assert one.questions == 180
    assert abs(one.kappa) < 0.2
    assert abs(one.alpha) < 0.2


def test_votes_of_one_reply_are_no_repeats(tmp_path):
    file = coin_flips(tmp_path / "a", 0, 3)
    run = score_file(registry.benchmark_of("best_of_n"), file)
    assert len(chosen_of(run)) == 180
    [own] = judge_runs([tmp_path / "a"])
    assert not [line for line in card(own) if line.aspect == "itself" and line.task]


def test_outcomes_may_hold_what_people_say_as_a_mapping():
    """It cannot be hashed; an outcome of two ranks counts once all the same."""

    @dataclass(frozen=True)
    class Judged:
        item: str
        people: dict

    ann = Judged("4", {"ann": 1})
    assert each_once([ann, Judged("4", {"ann": 1}), Judged("4", {"ann": 0})]) == [
        ann,
        Judged("4", {"ann": 0}),
    ]
