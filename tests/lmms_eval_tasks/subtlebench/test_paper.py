"""What the paper prints follows from what it prints elsewhere, by our scoring functions."""

from collections import defaultdict

import pytest

from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from lmms_eval_tasks.subtlebench.choices import FIELDS
from lmms_eval_tasks.subtlebench.items import DOMAINS, TYPES
from lmms_eval_tasks.subtlebench.numbers import accuracy, part, random_guess
from lmms_eval_tasks.subtlebench.published import FOLDER, RANDOM, questions, reference
from pairbench_ext.core.benchmark import OutcomeTable
from pairbench_ext.runs.published import read_cells

SOURCES = defaultdict(dict)  # accuracy by model, type and source
for cell in read_cells(FOLDER / "table_13.csv"):
    category, _, source = cell.part.partition(" / ")
    SOURCES[cell.model][category, source] = cell.middle
OF_TABLE_2 = (*(f"accuracy_{name}" for name in TYPES), "accuracy")
# Sources of YT8M are filed under natural and game, and Table 13 does not tell them apart.
FROM_SOURCES = ("industrial", "medical", "synthetic", "aerial")
TABLE_10 = "area"
STRATEGIES = ("reasoning", "two_step", "grid", "concat", "overlap", "subtract", "highlight")
ROUNDING = 0.0005 + 1e-9  # of a number printed as per cent with one decimal


def simulated_run(model: str) -> OutcomeTable:
    """Answers to as many questions as Table 7 has, of which Table 13's share is right."""
    by_source = defaultdict(list)
    for (category, domain, source), n in questions().items():
        items = [(f"{category}_{domain}_{source}_{number}", domain) for number in range(n)]
        by_source[category, source] += items
    choices = []
    for (category, source), items in by_source.items():
        share = SOURCES[model][category, source]
        n_options = round(1 / SOURCES[RANDOM][category, source])
        n_right = round(len(items) * share)
        for n, (item, domain) in enumerate(items):
            truth = n % n_options
            # Wrong answers are a wrong letter or, now and then, unusable.
            wrong = None if n % 7 == 0 else (truth + 1) % n_options
            chosen = truth if n < n_right else wrong
            trial = {
                "item": item, "pair": item, "category": category, "domain": domain,
                "source": source, "options": n_options, "truth": "ABCDEFGHIJ"[truth],
                "order": "fwd", "cell": None,
            }  # fmt: skip
            choices.append(FIELDS.outcome(trial, chosen))
    return OutcomeTable(reversed(choices))


@pytest.fixture(scope="module", params=[*SOURCES])
def run(request):
    return request.param, simulated_run(request.param)


def test_table_2_follows_from_tables_7_and_13(run):
    model, table = run
    for name in OF_TABLE_2:
        computed = CHOICES.number(name).of(table)
        assert computed == pytest.approx(reference(name)[model], abs=ROUNDING), name


def test_table_10_follows_where_sources_are_of_one_domain(run):
    model, table = run
    for domain in FROM_SOURCES:
        computed = accuracy(part(table, TABLE_10, domain)).value
        assert computed == pytest.approx(reference(f"domain_{domain}")[model], abs=ROUNDING), domain


def test_random_guesses_have_the_printed_accuracy_in_expectation():
    table = simulated_run(RANDOM)
    for name in TYPES:
        expected = random_guess(part(table, "category", name))
        assert expected == pytest.approx(reference(f"accuracy_{name}")[RANDOM], abs=ROUNDING)
    for name in DOMAINS:
        expected = random_guess(part(table, TABLE_10, name))
        assert expected == pytest.approx(reference(f"domain_{name}")[RANDOM], abs=ROUNDING)
    assert random_guess(table) == pytest.approx(reference("accuracy")[RANDOM], abs=ROUNDING)


@pytest.mark.parametrize("strategy", ["", *STRATEGIES])
def test_averages_are_over_questions(strategy):
    counts = {name: sum(n for (of, *_), n in questions().items() if of == name) for name in TYPES}
    by_type = {name: reference(f"accuracy_{name}", strategy) for name in TYPES}
    for model, printed in reference("accuracy", strategy).items():
        right = sum(counts[name] * by_type[name][model] for name in TYPES)
        # Ten rounded numbers and their rounded mean.
        assert right / sum(counts.values()) == pytest.approx(printed, abs=2 * ROUNDING), model
