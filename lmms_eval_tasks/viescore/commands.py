"""`pairbench people viescore`: recorded judgments of images, or a metric, beside human ratings."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from lmms_eval_tasks.viescore.correlations import (
    ALL_TASKS,
    Agreement,
    Averages,
    Mean,
    agreement,
    order,
)
from lmms_eval_tasks.viescore.intervals import spearman_interval
from lmms_eval_tasks.viescore.ratings import read_all_ratings
from lmms_eval_tasks.viescore.recorded import read_judgments, read_metric
from lmms_eval_tasks.viescore.scores import (
    ASPECTS,
    AllScores,
    Aspect,
    Guesses,
    judges_scores,
    kind_of,
)
from pairbench_ext.core.outcomes import OutcomeTable
from pairbench_ext.core.records import RecordError
from pairbench_ext.show.cli.console import (
    cell,
    console,
    fail_on,
    interval,
    print_json,
    print_table,
    table,
)
from pairbench_ext.show.cli.options import AsJson
from pairbench_ext.statistics.bootstrap import Interval

_MEANS: Mapping[Mean, str] = {
    "fisher": "Fisher average",
    "authors": "the authors' average, tanh(mean(r))",
}


def correlate(
    answers: Annotated[Path, typer.Option(help="Folder of one judge: <task>/<image model>.json.")],
    human: Annotated[Path, typer.Option(help="Folder of human ratings: <task>/rater1.tsv, ...")],
    metric: Annotated[
        str | None, typer.Option(help="Read this metric (LPIPS, ...) instead of judgments.")
    ] = None,
    guesses: Annotated[
        Guesses, typer.Option(help="Random guesses recorded as scores: drop, or keep as the paper.")
    ] = "drop",
    json_only: AsJson = False,
) -> None:
    """Correlate recorded judgments or metrics of images with human ratings.

    Answers may be .json or .json.gz, or in the authors' layout <task>/<image model>/SC.json.
    """
    with fail_on(RecordError, ValueError):
        humans = read_all_ratings(human)
        if metric is None:
            recorded = read_judgments(answers)
            scores = judges_scores(recorded, guesses=guesses)
        else:
            recorded, scores = OutcomeTable(()), read_metric(answers, metric)
        known = agreement(scores, humans)
    notes = _notes(recorded, scores, known)
    intervals = _intervals(known)
    if json_only:
        print_json(_document(metric or answers.resolve().name, known, intervals, notes))
    else:
        _print(known, intervals)
        for note in notes:
            console.print(note)


def _notes(recorded: OutcomeTable, scores: AllScores, known: Agreement) -> list[str]:
    kinds = Counter(map(kind_of, recorded))
    aspects = Counter(outcome.item for outcome in recorded)
    unrated = sum(len(scores[key]) - len(rated) for key, rated in known.scores.items())
    undefined = sum(math.isnan(correlation.value) for correlation in known.correlations)
    counts = {
        "verdicts": len(recorded),
        "random guesses in the place of unreadable replies": kinds["guess"],
        "verdicts without numbers, left out": kinds["unusable"],
        "verdicts with sub-scores outside 0-10, clipped": sum(o["outside"] for o in recorded),
        "images judged in one aspect only, left out": sum(n == 1 for n in aspects.values()),
        "image models without human ratings, left out": len(scores.keys() - known.humans.keys()),
        "other images without human ratings, left out": unrated,
        "correlations undefined, left out of averages": undefined,
    }
    return [f"{count} {what}" for what, count in counts.items() if count]


def _intervals(known: Agreement) -> dict[tuple[str, Aspect], Interval]:
    """95% intervals of the Fisher averages, by task (or `ALL_TASKS`) and aspect."""
    intervals = {}
    for task in (*dict.fromkeys(key.task for key in known.scores), ALL_TASKS):
        scores = {key: s for key, s in known.scores.items() if task in (key.task, ALL_TASKS)}
        for aspect in ASPECTS:
            average = known.means["fisher"][task, aspect, "spearman"]
            intervals[task, aspect] = spearman_interval(scores, known.humans, aspect, average)
    return intervals


def _print(known: Agreement, intervals: Mapping[tuple[str, Aspect], Interval]) -> None:
    averages = table(("task", "average"), ASPECTS)
    for task in (*(ranking.task for ranking in known.rankings), ALL_TASKS):
        for mean, name in _MEANS.items():
            for means, whose in ((known.means, "judge"), (known.human_means, "human raters")):
                values = [means[mean][task, aspect, "spearman"] for aspect in ASPECTS]
                averages.add_row(task, f"{whose}, {name}", *(cell(value, 4) for value in values))
        ends = [interval(*intervals[task, aspect]) for aspect in ASPECTS]
        averages.add_row(task, "judge, 95% interval of the Fisher average", *ends)
    print_table(averages, "Spearman's correlation with the mean rating")
    ranked = table(("task", "judge's order", "humans' order"), ("footrule", "rho"))
    for ranking in known.rankings:
        orders = (order(ranking.judge), order(ranking.human))
        ranked.add_row(ranking.task, *orders, cell(ranking.footrule, 0), cell(ranking.rho, 2))
    print_table(ranked, "Image models by mean O")
    models = table(("task", "image model"), ("n", *ASPECTS))
    for key, by_aspect in known.by_image_model().items():
        n = len(known.scores[key])
        models.add_row(*key, str(n), *(cell(by_aspect[aspect], 4) for aspect in ASPECTS))
    print_table(models, "Spearman's correlation by image model")


def _document(
    name: str,
    known: Agreement,
    intervals: Mapping[tuple[str, Aspect], Interval],
    notes: list[str],
) -> dict[str, Any]:
    def by_task(means: Averages) -> list[dict[str, Any]]:
        return [
            {"task": task, "aspect": aspect, "statistic": statistic, "value": value}
            for (task, aspect, statistic), value in means.items()
        ]

    return {
        "judge": name,
        "correlations": [correlation._asdict() for correlation in known.correlations],
        "averages": {mean: by_task(means) for mean, means in known.means.items()},
        "human_averages": {mean: by_task(means) for mean, means in known.human_means.items()},
        "intervals": [
            {"task": task, "aspect": aspect, **ends._asdict()}
            for (task, aspect), ends in intervals.items()
        ],
        "rankings": [ranking._asdict() for ranking in known.rankings],
        "notes": notes,
    }
