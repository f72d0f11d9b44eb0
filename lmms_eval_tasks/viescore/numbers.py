"""VIEScore's numbers, declared over aspects and statistics; README.md says what each means."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from lmms_eval_tasks.viescore.correlations import ALL_TASKS, MEANS, Mean, order
from lmms_eval_tasks.viescore.judged_images import JudgedImages
from lmms_eval_tasks.viescore.judgments import ASPECTS, Aspect, Policy, Setting
from pairbench_ext.core.benchmark import Breakdown, Number, Option, Pool
from pairbench_ext.runs.card.model import READABLE, above_zero, number_alone
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.correlation import Statistic
from pairbench_ext.statistics.means import mean_of_defined

POLICY_OPTION = Option(
    "policy", Policy | None, None, "As --pool, by the name of the key in an entry."
)
_RANDOM = "one of 0 to 10, drawn by seed: the penalty of Appendix C.1"
POOLS = (
    Pool("paper", _RANDOM, partial(JudgedImages, policy="random"), "random"),
    Pool(
        "authors",
        "one of 0 to 10, drawn by seed, as their code guesses",
        partial(JudgedImages, policy="random"),
    ),
    Pool("readable", "left out with its image", partial(JudgedImages, policy="drop"), "drop"),
    Pool("zero", "0", partial(JudgedImages, policy="zero")),
)
HISTOGRAMS_OPTION = Option(
    "histograms", bool, False, "Tables of how scores are distributed also where there are raters."
)


def numbers() -> Iterator[Number]:
    """All numbers, by aspect."""
    for aspect in ASPECTS:
        yield _correlation(aspect, "spearman", interval=lambda run, a=aspect: run.interval(a))
        yield _correlation(aspect, "spearman", raters=True)
    for raters in (False, True):
        for aspect in ASPECTS:
            yield _correlation(aspect, "spearman", "authors", raters=raters)
    for statistic in ("pearson", "kendall"):
        for aspect in ASPECTS:
            yield _correlation(aspect, statistic)
    yield from _ranking()
    yield from _replies()


_SECTIONS: Mapping[tuple[Statistic, Mean], str] = {
    ("spearman", "fisher"): "Spearman's correlation with the raters, true Fisher average",
    ("spearman", "authors"): "the authors' average of the same, tanh(mean(r)), which pulls to 0",
}


def _correlation(
    aspect: Aspect,
    statistic: Statistic,
    mean: Mean = "fisher",
    *,
    raters: bool = False,
    interval: Any = None,
) -> Number:
    start = "human_" if raters else ""
    name = f"{start}{statistic}_{aspect.lower()}"
    section = _SECTIONS.get((statistic, mean), "Pearson's and Kendall's correlation")
    title = aspect if statistic == "spearman" else f"{statistic.title()} {aspect}"
    return Number(
        name if mean == "fisher" else f"{name}_authors",
        f"raters' {title}" if raters else title,
        lambda run: run.average(aspect, statistic, mean, raters=raters),
        "correlation",
        None if raters else "higher",
        section,
        clustered=(lambda run: run.clustered(aspect)) if interval else None,
        interval=interval,
        ci95=f"ci95_{aspect.lower()}" if interval else "",
        over=MEANS[mean],
        formerly="" if mean == "fisher" else f"{name}_notebook",
    )


def _ranking() -> Iterator[Number]:
    """Shown with the orders themselves (Table 5)."""
    of = JudgedImages.ranking
    yield Number(
        "ranking_footrule", "footrule", lambda run: of(run, "footrule"), "score", "lower", None
    )
    yield Number("ranking_rho", "rho", lambda run: of(run, "rho"), "correlation", "higher", None)


def _replies() -> Iterator[Number]:
    where = "replies, and mean scores"
    for aspect in ASPECTS:
        yield Number(
            f"mean_{aspect.lower()}",
            f"mean {aspect}",
            lambda run, a=aspect: run.mean(a),  # type: ignore[misc]
            "mean",
            None,
            where,
        )
    yield Number(
        "closeness",
        "closeness to the raters",
        lambda run: mean_of_defined(
            [known for row in run.table.rows if (known := row.closeness) is not None]
        ),
        section=where,
        per_trial=lambda judgment: judgment.closeness,
    )
    yield Number(
        "coverage",
        "coverage",
        lambda run: run.coverage(),
        section=where,
        per_trial=lambda judgment: float(judgment.kind == "judged"),
    )
    counts = (
        ("refusals", "refusals", "lower", lambda run: run.table.counts()["refusal"]),
        ("images", "images scored", None, lambda run: sum(map(len, run.every_score.values()))),
        ("image_models", "image models", None, lambda run: len(run.every_score)),
    )
    for name, title, better, of in counts:
        yield Number(name, title, of, "count", better, where)  # type: ignore[arg-type]


def _by_image_model(run: JudgedImages) -> dict[str, dict[str, float]]:
    correlations = run.agreement.by_image_model() if run.agreement else {}
    return {
        run.name(key): {
            "n": one.n,
            **{f"mean_{aspect.lower()}": one.means[aspect] for aspect in ASPECTS},
            **{
                f"spearman_{aspect.lower()}": correlations[key][1][aspect]
                if key in correlations
                else math.nan
                for aspect in ASPECTS
            },
        }
        for key, one in run.summaries.items()
    }


def _histograms(run: JudgedImages) -> dict[str, dict[str, int]]:
    return {
        f"{run.name(key)} {aspect}": {
            f"{k / 10:g}": n for k, n in enumerate(one.histograms[aspect])
        }
        for key, one in run.summaries.items()
        for aspect in ASPECTS
    }


def _rankings(run: JudgedImages) -> dict[str, dict[str, Any]]:
    return {
        one.task: {
            "judge": order(one.judge),
            "raters": order(one.human),
            "footrule": one.footrule,
            "rho": one.rho,
        }
        for one in (run.agreement.rankings if run.agreement else ())
    }


BREAKDOWNS = (
    Breakdown("setting", "how it was asked and counted", lambda run: run.setting._asdict()),
    Breakdown("replies", "replies", lambda run: run.table.counts()),
    Breakdown(
        "by_image_model",
        "by image model: mean scores, and Spearman's correlation",
        _by_image_model,
    ),
    Breakdown(
        "histograms",
        "how many images have a score of 0, 0.1, ..., 1",
        _histograms,
        shown=lambda run: run.shows_histograms,
    ),
    Breakdown("rankings", "image models by mean O (as Table 5)", _rankings),
)


def over_tasks(runs: Sequence[Run]) -> dict[str, Mapping[str, float]]:
    """What each run says over all of its tasks, where its files are of several.

    Files of one folder and one setting are one run. Those of one task, such as a task and its demo,
    are not put together.
    """
    members: dict[tuple[Path, Setting], list[Run]] = {}
    for run in runs:
        place = run.file.resolve().parent
        members.setdefault((place, run.table.setting), []).append(run)
    together = {}
    for (folder, setting), files in members.items():
        tasks = [task for run in files for task in run.table.tasks]
        if len(files) > 1 and len(set(tasks)) == len(tasks):
            every = (row for run in files for row in run.table.table.rows)
            judged = JudgedImages(every, policy=setting.policy)
            together[folder, setting] = files[0].benchmark.score(judged)
    names = _run_names(together, {folder for folder, _ in members})
    return dict(zip(names, together.values(), strict=True))


def _run_names(runs: Collection[tuple[Path, Setting]], folders: Collection[Path]) -> list[str]:
    """A name of its own for each run: as much of folder and setting as it takes."""
    depth = 0 if len(folders) == 1 else 1
    while depth and len({folder.parts[-depth:] for folder in folders}) < len(folders):
        depth += 1
    settings = Counter(folder for folder, _ in runs)
    return [
        (f"{'/'.join(folder.parts[-depth:])}: " if depth else "")
        + ALL_TASKS
        + (f", {setting}" if settings[folder] > 1 else "")
        for folder, setting in runs
    ]


ACROSS = (Breakdown("over_tasks", "over all tasks of a run", over_tasks),)


def remarks(run: JudgedImages) -> Iterator[str]:
    """What to say beside the numbers, where there is nothing to correlate."""
    if not run.humans:
        yield "no ratings: mean scores of each image model, and how they are distributed"
    elif run.agreement is None:
        yield ("there are ratings, but none of an image that has a score; nothing to correlate")


CARD = (
    READABLE,
    above_zero(
        "people",
        "spearman_o",
        "correlation with the raters",
        says="its overall scores correlate with people's by",
        null="no correlation",
        flag="unlike_people",
        todo="do not use its scores in people's place",
    ),
    number_alone("people", "human_spearman_o", "the raters' among themselves", "correlation"),
)
