from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmms_eval_tasks.best_of_n.benchmark import BENCHMARK
from lmms_eval_tasks.best_of_n.picking import knockout, round_robin
from pairbench_ext.statistics.seeds import generator
from tests.files import score_file, write_lines


class Asked:
    """A judge that remembers what it was asked."""

    def __init__(self, judge):
        self.judge, self.pairs = judge, []

    def __call__(self, i, j):
        self.pairs.append((i, j))
        return self.judge(i, j)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 17])
@pytest.mark.parametrize("choose", [knockout, round_robin])
def test_the_best_wins_in_the_known_number_of_comparisons(choose, n):
    for best in range(n):
        judge = Asked(lambda i, j, best=best: best if best in (i, j) else None)
        assert choose(n, judge) == best
        assert len(judge.pairs) == {knockout: n - 1, round_robin: n * (n - 1) // 2}[choose]
        assert len(set(judge.pairs)) == len(judge.pairs)
        assert all(i < j for i, j in judge.pairs)


@pytest.mark.parametrize("choose", [knockout, round_robin])
def test_a_judge_without_preferences_leaves_the_first(choose):
    assert choose(6, lambda i, j: None) == 0


def test_of_equals_the_one_that_won_among_them():
    # 1 and 2 win three of four comparisons; 2 beats 1.
    beats = {(0, 1): 1, (0, 2): 0, (0, 3): 3, (0, 4): 4, (1, 2): 2, (1, 3): 1, (1, 4): 1,
             (2, 3): 2, (2, 4): 2, (3, 4): 3}  # fmt: skip
    assert round_robin(5, lambda i, j: beats[i, j]) == 2


def test_of_a_circle_the_lowest():
    assert round_robin(3, lambda i, j: {(0, 1): 0, (1, 2): 1, (0, 2): 2}[i, j]) == 0


@given(st.integers(1, 7), st.data())
def test_who_beats_everyone_wins_whatever_the_others_do(n, data):
    best = data.draw(st.integers(0, n - 1))
    outcome = {
        (i, j): best if best in (i, j) else data.draw(st.sampled_from([i, j, None]))
        for i, j in combinations(range(n), 2)
    }
    for choose in (knockout, round_robin):
        assert choose(n, lambda i, j: outcome[i, j]) == best


def test_every_comparison_of_a_log_counts(tmp_path):
    """200 random contests of three: who wins twice is picked; in a circle, the first is."""
    rng, rows, worth_of_picks = generator(0), [], []
    for number in range(200):
        worth = rng.permutation([0.0, 0.5, 1.0]).tolist()
        winners = {pair: pair[rng.integers(2)] for pair in combinations(range(3), 2)}
        won = [list(winners.values()).count(candidate) for candidate in range(3)]
        worth_of_picks.append(worth[won.index(max(won))])
        for pair, winner in winners.items():
            reverse = bool(rng.integers(2))
            place = pair.index(winner) ^ reverse
            said = f"Overall Judgment: Answer {place + 1} is better."
            order = "rev" if reverse else "fwd"
            row = {"question": f"q{number}", "worth": worth, "pair": pair, "order": order}
            rows.append({**row, "repeat": 0, "response": said})
    found = score_file(BENCHMARK, write_lines(tmp_path / "rows.jsonl", rows)).numbers
    assert found["round_robin"] == pytest.approx(sum(worth_of_picks) / 200)
    assert found["comparisons_decided"] == 600
