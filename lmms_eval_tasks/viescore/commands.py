"""`pairbench papers viescore`: correlate recorded judgments or a metric with human ratings."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

from lmms_eval_tasks.viescore.correlations import ALL_TASKS, Agreement, agreement, order
from lmms_eval_tasks.viescore.ratings import read_all_ratings
from lmms_eval_tasks.viescore.recorded import read_judgments, read_metric
from lmms_eval_tasks.viescore.scores import ASPECTS, AllScores, Guesses, judges_scores, kind_of
from pairbench_ext.core.findings import Finding, FindingTable, Measure, plain_table
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.table import OutcomeTable
from pairbench_ext.show.cli.console import fail_on, print_finding
from pairbench_ext.show.cli.options import AsJson, option

_MEANS = {"fisher": "Fisher average", "authors": "the authors' average, tanh(mean(r))"}
_ASPECTS = tuple(Measure(aspect, aspect, digits=4) for aspect in ASPECTS)
_ORDERS = ("Task", "Judge's order", "Humans' order")
_RANKING = (Measure("footrule", "Footrule", unit="count"), Measure("rho", "Rho"))
_AVERAGE = ("task", "aspect", "statistic", "value")


def correlate(
    answers: Annotated[Path, option("Folder of one judge: <task>/<image model>.json.")],
    human: Annotated[Path, option("Folder of human ratings: <task>/rater1.tsv, ...")],
    metric: Annotated[
        str | None, option("Correlate this recorded metric (LPIPS, ...) instead of judgments.")
    ] = None,
    guesses: Annotated[
        Guesses,
        option(
            "Random guesses that were recorded as scores: `drop` leaves them out, `keep` "
            "counts them as the paper does."
        ),
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
        agreed = agreement(scores, humans)
    finding = Finding(
        "viescore",
        tables=_tables(agreed),
        notes=tuple(_notes(recorded, scores, agreed)),
        fields=_fields(metric or answers.resolve().name, agreed),
    )
    print_finding(finding, json_only=json_only)


def _notes(recorded: OutcomeTable, scores: AllScores, agreed: Agreement) -> list[str]:
    kinds = Counter(map(kind_of, recorded))
    aspects = Counter(outcome.item for outcome in recorded)
    unrated = sum(len(scores[key]) - len(rated) for key, rated in agreed.scores.items())
    counts = {
        "verdicts": len(recorded),
        "random guesses recorded in place of unreadable replies": kinds["guess"],
        "verdicts without numbers, which are left out": kinds["unusable"],
        "verdicts with sub-scores outside 0-10, which are clipped": sum(
            o["outside"] for o in recorded
        ),
        "images judged in one aspect only, which are left out": sum(
            n == 1 for n in aspects.values()
        ),
        "image models without human ratings, which are left out": len(
            scores.keys() - agreed.humans.keys()
        ),
        "other images without human ratings, which are left out": unrated,
    }
    return [f"{count} {what}" for what, count in counts.items() if count]


def _tables(agreed: Agreement) -> tuple[FindingTable, ...]:
    averages = []
    for task in (*(ranking.task for ranking in agreed.rankings), ALL_TASKS):
        for means, whose in ((agreed.means, "judge"), (agreed.human_means, "human raters")):
            for mean, by_task in means.items():
                values = [by_task[task, aspect, "spearman"] for aspect in ASPECTS]
                averages.append((task, f"{whose}, {_MEANS[mean]}", *values))
    title = "Spearman's correlation with the mean human rating"
    ranked = [(r.task, order(r.judge), order(r.human), r.footrule, r.rho) for r in agreed.rankings]
    models = [
        (*key, len(agreed.scores[key]), *(by_aspect[aspect] for aspect in ASPECTS))
        for key, by_aspect in agreed.by_image_model().items()
    ]
    return (
        plain_table("averages", title, ("Task", "Average"), _ASPECTS, averages),
        plain_table(
            "rankings",
            "Image models ranked by their mean overall score (O)",
            _ORDERS,
            _RANKING,
            ranked,
        ),
        plain_table(
            "by_image_model",
            "Spearman's correlation with the mean human rating, by image model",
            ("Task", "Image model"),
            (Measure("n", "Images", unit="count"), *_ASPECTS),
            models,
        ),
    )


def _fields(name: str, agreed: Agreement) -> dict[str, Any]:
    averages = {
        whose: {
            mean: [dict(zip(_AVERAGE, (*key, x), strict=True)) for key, x in averages_of.items()]
            for mean, averages_of in means.items()
        }
        for whose, means in (("averages", agreed.means), ("human_averages", agreed.human_means))
    }
    return {
        "judge": name,
        "correlations": [correlation._asdict() for correlation in agreed.correlations],
        **averages,
        "rankings": [ranking._asdict() for ranking in agreed.rankings],
    }
