import math
import re

import pytest

from lmms_eval_tasks.pairbench.rate.questions import KINDS
from lmms_eval_tasks.pairbench.rate.ratings import matrix
from lmms_eval_tasks.pairbench.rate.summary import (
    PAPER_RATERS,
    TABLE_10,
    CellName,
    spreads,
    summarise,
)
from lmms_eval_tasks.pairbench.rate.truth import settle
from pairbench_ext.statistics import seeds
from pairbench_ext.statistics.agreement import krippendorff_alpha, leave_one_out
from tests.conftest import SHARED
from tests.studies import rating

PAPER = SHARED / "papers" / "pairbench.txt"


SMALL = [
    *(rating("anna", row, "sens", score) for row, score in enumerate((9, 10, 1))),
    *(rating("ben", row, "sens", score) for row, score in enumerate((10, 10, 2))),
    rating("anna", 0, "inv", 10),
    rating("anna", 0, "inv", 1, kind="irrelevant"),
    rating("ben", 7, "inv", 3, kind="irrelevant", feature="blur"),
]


def simulated(seed=0, pairs_per_cell=6):
    """Raters who score as those of Table 10 on average: its means and deviations, on the scale."""
    ratings = []
    for feature, rows in TABLE_10.items():
        for kind, conditions in rows.items():
            for condition, (mean, std) in conditions.items():
                rng = seeds.generator(seed, feature, kind, condition)
                drawn = rng.normal(mean, std, (PAPER_RATERS, pairs_per_cell))
                ratings += [
                    rating(
                        f"r{rater}", row, condition, int(min(max(round(s), 1), 10)), kind, feature
                    )
                    for (rater, row), s in zip(
                        ((r, p) for r in range(PAPER_RATERS) for p in range(pairs_per_cell)),
                        drawn.ravel(),
                        strict=True,
                    )
                ]
    return ratings


def test_mean_and_spread_by_hand():
    found = spreads(SMALL)
    assert list(found) == [
        CellName("c", "rotate", "identical", "sens"),
        CellName("c", "rotate", "identical", "inv"),
        CellName("c", "blur", "irrelevant", "inv"),
        CellName("c", "rotate", "irrelevant", "inv"),
    ]
    first = found[CellName("c", "rotate", "identical", "sens")]
    assert first == (7, pytest.approx(math.sqrt(92 / 5)), 6)
    assert found[CellName("c", "blur", "irrelevant", "inv")].mean == 3


def test_the_summary_is_that_of_the_matrix():
    found = summarise(SMALL)
    raters, keys, values = matrix(SMALL)
    assert found.raters == raters == ["anna", "ben"]
    assert found.ratings == [5, 4]
    assert (found.pairs, found.overlapping) == (len(keys), 3) == (6, 3)
    assert found.alpha["all"] == krippendorff_alpha(values)
    assert found.ceiling["all"].value == leave_one_out(values).value
    assert found.alpha["inv"].reason == "no item has two ratings"
    assert summarise(SMALL, "ordinal").alpha["all"] == krippendorff_alpha(values, "ordinal")


def test_the_simulated_study_agrees_with_the_papers():
    """Means near Table 10, alpha near 0.94, the truth as the paper has it."""
    ratings = simulated()
    for cell, found in spreads(ratings).items():
        mean, std = TABLE_10[cell.feature][cell.kind][cell.condition]
        # The ends of the scale cut the normal distribution: within a third of its deviation.
        assert found.mean == pytest.approx(mean, abs=0.15 + std / 3)
        assert found.n == PAPER_RATERS * 6
    summary = summarise(ratings)
    assert 0.85 < summary.alpha["all"].value < 0.99
    assert 0.85 < summary.ceiling["all"].value < 0.99
    assert settle(ratings).truth["transformed"] == {"sens": 6, "inv": 10}


@pytest.mark.skipif(not PAPER.exists(), reason="the paper's text is not beside the repository")
@pytest.mark.parametrize("kind", KINDS)
def test_table_10_is_the_papers(kind):
    [row] = re.findall(rf"(?m)^.*{kind.capitalize()}\t.*\u00b1.*$", PAPER.read_text())
    printed = [(float(a), float(b)) for a, b in re.findall(r"([\d.]+) \u00b1 ([\d.]+)", row)]
    assert printed == [cell for rows in TABLE_10.values() for cell in rows[kind].values()]
