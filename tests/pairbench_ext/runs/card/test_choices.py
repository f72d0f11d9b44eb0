"""What answers say of a judge, on counts that can be worked out by hand or by scipy."""

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from scipy.stats import binom, binomtest, chi2, fisher_exact, hypergeom
from sklearn.metrics import cohen_kappa_score

from pairbench_ext.core.outcomes import Outcome
from pairbench_ext.runs.card.choices import alike, kappa, length, order, says_yes, sees, verdicts
from pairbench_ext.statistics.seeds import generator


def chosen(item, options, truth, place, **more):
    return Outcome("chosen", item, place, truth, options=options, **more)


def both_orders(item, places, right=0, longer=None, options=2):
    """The two answers to an item, by the places named in each order."""
    for place, shown in zip(places, ("fwd", "rev"), strict=True):
        yield chosen(item, options, right, place, longer=longer, order=shown)


def asked(*groups, **more):
    """Items by how many there are of each pair of places."""
    return [
        answer
        for number, places in enumerate([places for places, count in groups for _ in range(count)])
        for answer in both_orders(number, places, number % 2, **more)
    ]


def mantel_haenszel(tables):
    """Two-sided, without correction for continuity: statsmodels' formulas, of 2 x 2 tables."""
    excess = sum(t[0][0] - sum(t[0]) * (t[0][0] + t[1][0]) / sum(map(sum, t)) for t in tables)
    variance = 0
    for (a, b), (c, d) in tables:
        n = a + b + c + d
        variance += (a + b) * (c + d) * (a + c) * (b + d) / n**2 / (n - 1)
    return chi2.sf(excess**2 / variance, 1)


def test_order_is_mcnemars_test_of_the_items_that_change():
    finding = order(asked(((0, 0), 17), ((1, 1), 5), ((0, 1), 30)))
    assert finding.p == pytest.approx(
        mantel_haenszel([[[1, 0], [0, 1]]] * 17 + [[[0, 1], [1, 0]]] * 5)
    )
    assert finding.p == pytest.approx(binomtest(17, 22).pvalue - binom.pmf(17, 22, 0.5), rel=0.15)
    assert finding.value == pytest.approx((104 / 2 + 17 - 5) / 104)
    assert (finding.flag, finding.says) == (
        "first_position",
        "chooses the first option in 64 of 104 answers; that option is right in 52",
    )
    finding = order(asked(((0, 0), 5), ((1, 1), 17)))
    assert (finding.value, finding.flag) == (17 / 22, "last_position")


def test_order_of_options_asked_once_is_mantel_and_haenszels_test():
    """Always A: right where A is right. With a right answer elsewhere, never."""
    finding = order([chosen(n, 4, n % 4, 0) for n in range(40)])
    assert finding.p == pytest.approx(mantel_haenszel([[[10, 0], [0, 30]]]))
    assert (finding.value, finding.flag) == (1, "first_position")
    assert order([chosen(n, 4, n % 4, 3) for n in range(40)]).flag == "last_position"
    assert order([chosen(n, 4, n % 4, n % 4) for n in range(40)]).p == 1


def test_choices_of_two_and_of_four_options_have_one_scale():
    """Who says A in half of the items whatever it sees: 0.75 of two, 0.625 of four; 0.5."""
    by_options = {
        n: [chosen((n, k), n, k % n, 0 if k // n % 2 else k % n) for k in range(160)]
        for n in (2, 4)
    }
    assert [order(of).value for of in by_options.values()] == pytest.approx([0.75, 0.625])
    together = order([*by_options[2], *by_options[4]])
    assert (together.value, together.fair, together.span) == (pytest.approx(0.5), 0, 1)
    assert "items have 2 to 4 options" in together.says
    # A bias of ten points is as large as before: 0.1 / (1 - 3/8).
    assert together.matters == pytest.approx(0.16)


def lengths(number, right_at_longer, right_at_shorter, **more):
    """Items of which the longer option is right, then others, with so many right answers."""
    for item in range(2 * number):
        at_longer = item < number
        hit = item % number < (right_at_longer if at_longer else right_at_shorter)
        longer = item % 2
        right = longer if at_longer else 1 - longer
        yield chosen((number, item), 2, right, right if hit else 1 - right, longer=longer, **more)


def test_length_is_mantel_and_haenszels_test_of_right_answers():
    finding = length(list(lengths(20, 14, 6)))
    assert finding.p == pytest.approx(mantel_haenszel([[[14, 6], [6, 14]]]))
    mid_p = fisher_exact([[14, 6], [6, 14]]).pvalue - hypergeom.pmf(14, 40, 20, 20)
    assert finding.p == pytest.approx(mid_p, rel=0.2)
    assert (finding.value, finding.flag) == (0.7, "longer")
    assert length(asked(((0, 1), 4))) is None


def test_length_is_compared_within_groups():
    """Easy items whose longer answer is right, hard ones whose shorter answer is: no preference."""
    easy = [a for a in lengths(40, 36, 36, facets={"source": "easy"}) if a.longer == a.truth]
    hard = [a for a in lengths(41, 24, 24, facets={"source": "hard"}) if a.longer != a.truth]
    few = list(lengths(10, 7, 7, facets={"source": "few"}))
    assert length([*easy, *hard, *few]).p == pytest.approx(1)
    assert length([replace(answer, facets={}) for answer in (*easy, *hard, *few)]).p < 0.01


@pytest.mark.parametrize(
    "answers",
    [
        pytest.param(asked(((0, 0), 40)), id="always first"),
        pytest.param([chosen(n, 4, n % 4, 0) for n in range(60)], id="always A"),
        pytest.param(asked(((1, 0), 60), longer=1), id="always the longer"),
        pytest.param(asked(((None, None), 9)), id="nothing read"),
    ],
)
def test_whose_place_or_length_decides_is_not_called_blind(answers):
    finding = sees(answers)
    assert math.isnan(finding.p)
    assert not finding.flag


def test_eyes_are_told_from_chance_and_chance_needs_many_items():
    right = [chosen(n, 2, n % 2, n % 2) for n in range(60)]
    assert (sees(right).chance < 1e-9, sees(right).value) == (True, 1)
    by_coin = lambda n: [chosen(k, 2, k % 2, (k // 2) % 2) for k in range(n)]  # noqa: E731
    assert sees(by_coin(12)).chance == sees(by_coin(200)).chance == 0.5
    assert (sees(by_coin(12)).p > 0.1, sees(by_coin(200)).p < 0.001) == (True, True)
    assert sees(right, blind=True).flag == "solved_blind"
    assert sees(right, blind=True).p < 1e-9


def test_items_with_the_same_winner_have_an_exact_interval():
    finding = alike(asked(((0, 1), 6), ((0, 0), 3), ((None, 0), 1)))
    exact = binomtest(6, 10).proportion_ci(method="exact")
    assert finding.value == 0.6
    assert (finding.low, finding.high) == pytest.approx((exact.low, exact.high), abs=0.02)


def shuffled(item, right, say, orders):
    """Answers to an item with five options, asked in several orders."""
    for order_shown in orders:
        yield chosen(item, 5, right, say(order_shown), order=order_shown)


ORDERS = ((0, 1, 2, 3, 4), (3, 1, 4, 2, 0), (4, 2, 0, 1, 3))


def test_who_always_says_the_first_place_of_several_orders_is_found_out():
    answers = [a for n in range(40) for a in shuffled(n, n % 5, lambda _: 0, ORDERS)]
    assert verdicts(answers) == []
    finding = order(answers)
    assert (finding.flag, finding.value) == ("first_position", 1)
    assert finding.p < 1e-6


def biased(kind, bias, favoured, n=3000):
    """A judge that says what it favours in a share of the items, and is else right in 75%.

    Args:
        kind: what it favours: "position" or "yes" (what stands first), or the "longer" option.
        bias: how often.
        favoured: how often that is right.
    """
    rng = generator(0, "biased", kind, int(100 * favoured))
    for item, (by_bias, is_right, hit, side) in enumerate(rng.random((n, 4))):
        liked = int(kind == "longer" and side < 0.5)  # its place
        right = liked if is_right < favoured else 1 - liked
        said = liked if by_bias < bias else right if hit < 0.75 else 1 - right
        yield chosen(item, 2, right, said, longer=liked if kind == "longer" else None)


@pytest.mark.parametrize("kind", ["position", "longer", "yes"])
@pytest.mark.parametrize("favoured", [0.5, 0.7, 0.9])
def test_no_number_of_a_judge_rises_with_its_bias(kind, favoured):
    by_bias = [list(biased(kind, bias, favoured)) for bias in (0, 0.1, 0.2, 0.4)]
    found = [[kappa(answers).value for answers in by_bias]]
    if favoured == 0.5:
        found.append([sees(answers).value for answers in by_bias])
    for values in found:
        assert all(after < before + 0.002 for before, after in pairwise(values))
        assert values[0] - values[-1] > 0.02


def test_accuracy_stands_beside_guessing_and_the_commonest_answer():
    """Of 20 answers 12 are right, 2 cannot be read; the first option is right in 15."""
    said = [0] * 12 + [None] * 2 + [1] + [0] * 5
    answers = [chosen(n, 2, int(n >= 15), place) for n, place in enumerate(said)]
    assert sees(answers).says == (
        "right in 12 of 20 answers (guessing: 50%; always the same answer: 75%)"
    )
    assert sees(answers).value == 0.6


def test_kappa_is_scikit_learns_and_of_people_that_of_each_with_the_others():
    rng = generator(0, "kappa")
    said, right = rng.integers(2, size=(2, 80))
    pairs = enumerate(zip(said, right, strict=True))
    answers = [chosen(n, 2, int(t), int(s)) for n, (s, t) in pairs]
    assert kappa(answers).value == pytest.approx(cohen_kappa_score(said, right))
    votes = rng.integers(2, size=(3, 80))
    asked_people = [
        replace(answer, people=dict(zip("xyz", map(int, of_item), strict=True)))
        for answer, of_item in zip(answers, votes.T, strict=True)
    ]
    rows = [
        (said[n], votes[other, n], votes[person, n])
        for n in range(80)
        for person in range(3)
        for other, last in [[x for x in range(3) if x != person]]
        if votes[other, n] == votes[last, n]
    ]
    judge, majority, person = zip(*rows, strict=True)
    found = kappa(asked_people)
    assert found.value == pytest.approx(cohen_kappa_score(judge, majority))
    assert f"; one person's kappa is {cohen_kappa_score(person, majority):.2f} (" in found.says


def test_yes_bias_is_the_share_of_yes_beside_peoples():
    """The flag needs unequal errors: 28 of 30 right where yes is, 9 of 30 where no is."""
    answers = [chosen(n, 2, int(n >= 30), int(n in (5, 6) or 30 <= n < 39)) for n in range(60)]
    finding = says_yes(answers)
    assert finding.value == pytest.approx(49 / 60 - 30 / 60)
    assert finding.low > 0 == finding.fair
    assert finding.p == pytest.approx(mantel_haenszel([[[28, 2], [9, 21]]]))
    assert (finding.flag, finding.says) == (
        "says_yes",
        "says yes in 49 of 60 items; that option is right in 30. Accuracy: 93% where yes is "
        "right, 30% where no is right",
    )
