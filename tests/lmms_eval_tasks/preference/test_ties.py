"""A benchmark of pairs of images that people may tie, declared with what `preference` shares."""

import pytest

from lmms_eval_tasks.preference.ties import (
    CONSISTENCY,
    TIED,
    TIES,
    TiedPair,
    TiedPairs,
    place_or_tie,
)
from pairbench_ext.core.benchmark import TIE, Benchmark, Decoding, Exchange, Request, Task
from pairbench_ext.core.items import Source
from pairbench_ext.core.outcome_numbers import by_field
from pairbench_ext.core.readers import one_reply
from tests.conftest import picture
from tests.files import write_lines


class VotedPairs(TiedPairs):
    source = Source(variable="VOTED_PAIRS_DATA", files=("votes.jsonl",))

    def read(self, record):
        votes = {"left": 0, "right": 1, "tie": TIE}
        images = (record.text("left"), record.text("right"))
        truth = votes[record.text("vote")]
        return TiedPair(record.text("id"), record.text("prompt"), images, truth, record.text("of"))

    def show(self, item, trial):
        return Request((item.query, *self.pictures(item, trial)))


BENCHMARK = Benchmark(
    name="voted_pairs",
    title="Voted pairs",
    trials=VotedPairs,
    grammar="labels",
    outcome=TIED,
    read=one_reply(
        TIED, "labels", options=lambda _: {"labels": "ABC", "ties": True}, said=place_or_tie
    ),
    numbers=(*TIES, CONSISTENCY),
    breakdowns=(by_field("source", TIES[0], "by part"),),
    tasks=(
        Task("voted_pairs_both", {"orders": "both"}, "which is better", Decoding("greedy", 64)),
    ),
)
VOTES = (("a", "left", "drawn"), ("b", "right", "drawn"), ("c", "tie", "edited"))


@pytest.fixture
def trials(tmp_path):
    for number in (0, 1):
        picture(number, 0).save(tmp_path / f"{number}.png")
    rows = [
        {"id": name, "prompt": f"Draw {name}.", "vote": vote, "of": part}
        | {"left": "0.png", "right": "1.png"}
        for name, vote, part in VOTES
    ]
    write_lines(tmp_path / "votes.jsonl", rows)
    return VotedPairs({"data": str(tmp_path), "orders": "both"})


def scores(trials, judge):
    """The numbers of a judge, from its replies to trials, and its accuracy by part."""
    replies = ((trial, Exchange({}, judge(trial))) for trial in trials)
    readings = [BENCHMARK.read(trial, [reply], "careful") for trial, reply in replies]
    table = BENCHMARK.table([outcome for reading in readings for outcome in reading.outcomes])
    parts = BENCHMARK.breakdowns[0].of(table)
    return {**{number.name: number.of(table) for number in BENCHMARK.numbers}, **parts}


JUDGES = {
    "right": (lambda trial: {"1": "[[A]]", "2": "[[B]]", "tie": "[[C]]"}[trial["target"]],
              (1, 1, 1 / 3, 1 / 2, 1, 1, 1)),
    "first": (lambda trial: "[[A]]", (1 / 3, 1 / 2, 0, 1, 0, 1 / 2, 0)),
    "tie": (lambda trial: "[[C]]", (1 / 3, 0, 1, None, 1, 0, 1)),
    "unreadable": (lambda trial: "Hm.", (0, 0, 0, None, 0, 0, 0)),
}  # fmt: skip


@pytest.mark.parametrize(("judge", "expected"), JUDGES.values(), ids=JUDGES)
def test_numbers_of_judges_worked_out_by_hand(trials, judge, expected):
    names = ("accuracy_with_ties", "accuracy_without_ties", "tie_rate", "first_position_rate")
    names = (*names, "position_consistency", "drawn", "edited")
    known = [{**trial, "target": trials.target(trial)} for trial in trials]
    values = scores(known, judge)
    undefined = {name for name, value in values.items() if value != value}
    assert undefined == {name for name, value in zip(names, expected, strict=True) if value is None}
    wanted = {name: x for name, x in zip(names, expected, strict=True) if x is not None}
    assert {name: values[name] for name in wanted} == pytest.approx(wanted)


def test_both_orders_show_the_images_in_turn(trials):
    shown = [
        [image.tobytes() for part in trials.ask(trial).content[1:] for image in part()]
        for trial in list(trials)[:2]
    ]
    assert shown[0] == shown[1][::-1]
    assert shown[0][0] != shown[0][1]
