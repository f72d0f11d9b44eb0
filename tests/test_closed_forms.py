"""Judges of known accuracy, bias and noise: what is reported equals what follows on paper.

Every expected number is worked out from the judge's probabilities alone. A judge is right by chance
here, so the number that is reported may be 3 standard errors away from its expectation. Seeds are
fixed: of 200 numbers one would be farther away in every second draw.
"""

import math
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

from lmms_eval_tasks.cast.benchmark import BENCHMARK as CAST
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK as PAIRBENCH
from lmms_eval_tasks.subtlebench.benchmark import CHOICES as SUBTLEBENCH
from lmms_eval_tasks.viescore.benchmark import BENCHMARK as VIESCORE
from pairbench_ext.core.benchmark import OutcomeTable
from tests.files import score_file, write_lines
from tests.lmms_eval_tasks.cast.tables import Confirmation
from tests.lmms_eval_tasks.pairbench.rated import Rated, rated_table


class Judge(NamedTuple):
    """A judge, by probabilities.

    Attributes:
        accuracy: that it knows the answer; otherwise it names one of the wrong ones.
        bias: that it says the first one (A), whatever it is shown.
        noise: that it rates at random.
    """

    accuracy: float
    bias: float
    noise: float


JUDGES = {
    "knows": Judge(1, 0, 0),
    "sure": Judge(0.9, 0.1, 0.2),
    "biased": Judge(0.7, 0.5, 0.4),
    "noisy": Judge(0.4, 0.2, 0.7),
    "guesses": Judge(0.25, 0.3, 0.9),
}
ROWS, OPTIONS, SCALE = 800, 4, range(1, 11)
TRUTHS = {"sens": (10, 6, 1), "inv": (10, 10, 1)}


@pytest.fixture(params=JUDGES)
def judge(request):
    return JUDGES[request.param]


@pytest.fixture
def rng(judge):
    return np.random.default_rng([1, *(int(100 * share) for share in judge)])


def of_share(share, n):
    """A share and its standard error."""
    return share, math.sqrt(share * (1 - share) / n)


def agree(reported, expected):
    """All numbers are within 3 standard errors of those that follow."""
    for name, (value, error) in expected.items():
        assert abs(reported[name] - value) <= 3 * error + 1e-9, (name, reported[name], value, error)


def tau_b(joint):
    """Kendall's tau-b of two variables, from the probabilities of their values (rows, columns)."""
    above = np.zeros_like(joint)
    for i, j in np.ndindex(joint.shape):
        above[i, j] = joint[i + 1 :, j + 1 :].sum() - joint[i + 1 :, :j].sum()
    ties = [1 - (joint.sum(axis=axis) ** 2).sum() for axis in (0, 1)]
    return 2 * (joint * above).sum() / math.sqrt(ties[0] * ties[1])


def test_subtlebench_accuracy_letter_bias_and_swapped_options(judge, rng, tmp_path):
    letters, n = "ABCD", ROWS

    def said(truth):
        if rng.random() < judge.bias:
            return 0
        wrong = [place for place in range(OPTIONS) if place != truth]
        return truth if rng.random() < judge.accuracy else int(rng.choice(wrong))

    rows = []
    for item, order in product(range(n), ("fwd", "rev")):
        truth = item % OPTIONS if order == "fwd" else OPTIONS - 1 - item % OPTIONS
        known = {"item": str(item), "category": "state", "options": OPTIONS, "order": order}
        rows.append({**known, "truth": letters[truth], "response": letters[said(truth)]})
    reported = score_file(SUBTLEBENCH, write_lines(tmp_path / "a.jsonl", rows)).numbers

    def chances(truth, first):
        """Of each option, where the first one shown is option `first`."""
        wrong = (1 - judge.accuracy) / (OPTIONS - 1)
        known = np.where(np.arange(OPTIONS) == truth, judge.accuracy, wrong)
        return (1 - judge.bias) * known + judge.bias * (np.arange(OPTIONS) == first)

    orders = [(chances(truth, 0), chances(truth, OPTIONS - 1)) for truth in range(OPTIONS)]
    right = np.mean([orders[truth][0][truth] for truth in range(OPTIONS)])
    first = judge.bias + (1 - judge.bias) / OPTIONS
    expected = {
        "accuracy": of_share(right, 2 * n),
        "consistency": of_share(np.mean([one @ other for one, other in orders]), n),
        "accuracy_both_orders": of_share(
            np.mean([one[t] * other[t] for t, (one, other) in enumerate(orders)]), n
        ),
        "first_option_rate": of_share(first, 2 * n),
    }
    if judge.bias or judge.accuracy == 1:  # else the distance is of chance alone
        expected["letter_bias"] = first - 1 / OPTIONS, of_share(first, 2 * n)[1]
    agree(reported, expected)


def test_viescore_sub_scores_and_correlations(judge, rng, tmp_path):
    """A judge that rates at random with probability q has the correlation 1 - q."""
    n, grid = ROWS, (0, 0.5, 1)
    human = rng.choice(grid, size=(n, 2))
    said = np.where(rng.random((n, 2)) < judge.noise, rng.choice(grid, size=(n, 2)), human)
    higher = [[int(10 * value + rng.integers(0, 11 - 10 * value)) for value in row] for row in said]
    rows = [
        {"task": "tie", "image_model": "m", "sample": str(item), "aspect": aspect}
        | {"ratings": [human[item].tolist()] * 3}
        | {"response": str([int(10 * said[item, k]), higher[item][k]])}
        for item in range(n)
        for k, aspect in enumerate(("SC", "PQ"))
    ]
    reported = score_file(VIESCORE, write_lines(tmp_path / "a.jsonl", rows)).numbers
    kept, mean, root = 1 - judge.noise, np.mean(grid), np.mean(np.sqrt(grid))
    of_roots = kept * mean + judge.noise * root**2  # mean of the root of one times the other's
    overall = (of_roots**2 - root**4) / (mean**2 - root**4)
    joint = judge.noise * np.full((3, 3), 1 / 9) + kept * np.eye(3) / 3
    error = 1.5 / math.sqrt(n)  # (1 - r^2) / sqrt(n) for normal values, more for others
    spread = math.sqrt(np.var(grid) / n)
    agree(
        reported,
        {
            **{f"spearman_{aspect}": (kept, (1 - kept**2) * error) for aspect in ("sc", "pq")},
            **{f"pearson_{aspect}": (kept, (1 - kept**2) * error) for aspect in ("sc", "pq")},
            "kendall_sc": (tau_b(joint), (1 - kept**2) * error),
            "pearson_o": (overall, (1 - overall**2) * error),
            "mean_sc": (mean, spread),
            "mean_o": (root**2, spread),
        },
    )


def test_cast_matrix(judge, rng):
    """What is said in a modality is confirmed there, and elsewhere as often as it is known."""
    modalities, prompts, pairs = ("text", "image", "both"), ("yes/no", "both/one", "true/false"), 60
    chance = {
        (said, seen): judge.accuracy if said == seen else judge.accuracy * (1 - judge.noise)
        for said, seen in product(modalities, modalities)
    }
    rows = [
        Confirmation(pair, said, position, seen, prompt, int(rng.random() < chance[said, seen]))
        for pair, said, position, seen, prompt in product(
            range(pairs), modalities, (1, 2, 3), modalities, prompts
        )
    ]
    reported = CAST.score(OutcomeTable([row.outcome for row in rows]))
    n = pairs * 3 * len(prompts)
    agree(
        reported,
        {
            **{f"{said}_by_{seen}": of_share(share, n) for (said, seen), share in chance.items()},
            "same_modality": of_share(judge.accuracy, 3 * n),
            "cross_modality": of_share(judge.accuracy * (1 - judge.noise), 6 * n),
            "top1": of_share(judge.accuracy, n),
            "top3": of_share(judge.accuracy, 3 * n),
        },
    )


def test_pairbench_mmscore_symmetry_smoothness_and_controllability(judge, rng):
    pairs = ("identical", "transformed", "irrelevant")

    def rated(truth):
        return int(rng.choice(SCALE)) if rng.random() < judge.noise else truth

    rows = [
        Rated(row, pair, condition, order, 0, truth, rated(truth))
        for row, condition in product(range(ROWS), TRUTHS)
        for pair, truth in zip(pairs, TRUTHS[condition], strict=True)
        for order in ("fwd", "rev")
    ]
    reported = PAIRBENCH.score(rated_table(rows))
    uniform, n = np.full(10, 0.1), 6 * ROWS  # ratings of a condition

    def ratings(truth):
        return judge.noise * uniform + (1 - judge.noise) * (np.array(SCALE) == truth)

    taus, entropies, variances = {}, [], []
    for condition, truths in TRUTHS.items():
        joint = sum(np.outer(np.array(SCALE) == t, ratings(t)) for t in truths) / len(truths)
        taus[condition] = tau_b(joint)
        shares = joint.sum(axis=0)[joint.sum(axis=0) > 0]
        entropies.append(-(shares * np.log(shares)).sum())
        variances.append((shares * np.log(shares) ** 2).sum() - entropies[-1] ** 2)
    near = np.abs(np.subtract.outer(SCALE, SCALE)) <= 1
    symmetric = [ratings(t) @ near @ ratings(t) for truths in TRUTHS.values() for t in truths]
    sens, inv = taus["sens"], taus["inv"]
    error = 1.2 * judge.noise**0.5 / math.sqrt(n)  # of a tau-b of n ratings, at most
    slopes = [(sens + inv) / (2 * a**1.5 * b**0.5) for a, b in ((sens, inv), (inv, sens))]
    agree(
        reported,
        {
            "mmscore_sens": (sens, error),
            "mmscore_inv": (inv, error),
            "mmscore": ((sens + inv) / 2, error),
            "relaxsym": of_share(np.mean(symmetric), n),
            "smoothness": (np.mean(entropies), math.sqrt(sum(variances) / n) / 2 + 4 / n),
            "controllability": (
                1 - abs(sens - inv) / math.sqrt(sens * inv), error * math.hypot(*slopes)
            ),
        },
    )  # fmt: skip
