"""Declare the judge audit's tasks, on images that no model can have seen in training.

All images and questions are drawn anew from `PAIRBENCH_SEED`; nothing is downloaded. The tasks are
those of other benchmarks, on these images, so that all that reads and scores is theirs.

    export PAIRBENCH_SEED=7
    lmms-eval --model qwen2_5_vl --tasks judge_audit --log_samples --output_path out
    pairbench card out
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lmms_eval_tasks.judge_audit.differences import DifferenceTrials
from lmms_eval_tasks.judge_audit.preferences import GROUPING, DrawnPreferences
from lmms_eval_tasks.judge_audit.ratings import RatedScenes
from lmms_eval_tasks.pairbench.benchmark import BENCHMARK as PAIRBENCH
from lmms_eval_tasks.preference.numbers import numbers, pools, remarks, votes_by_source
from lmms_eval_tasks.preference.votes import votes_by
from lmms_eval_tasks.subtlebench.benchmark import CHOICES
from pairbench_ext.core.benchmark import Benchmark, Breakdown, Decoding, Group, PlainRows, Task
from pairbench_ext.harness import task_functions
from pairbench_ext.runs.card.choices import blind_evidence
from pairbench_ext.runs.card.model import Evidence
from pairbench_ext.runs.card.ratings import blind_rating_evidence

NAME = "judge_audit"
_GREEDY = Decoding("greedy", 256)
_SAMPLED = Decoding(
    "sampled", 256, 0.7, 0.95, "Sampled, so that repeats can differ where a judge is unsure."
)
_RATED: Mapping[str, Any] = {"config": "wu_img_img", "subset": "a", "features": ["spatial"]}
_DRAWN: Mapping[str, Any] = {"data": "synthetic", "greedy": True}
_BOTH: Mapping[str, Any] = {"orders": "both", "greedy": True}
_GREY: Mapping[str, Any] = {"orders": "data", "greedy": True, "n": 64, "grey": True}
_REPEATED: Mapping[str, Any] = {"orders": "data", "k": 3, "n": 48}


def _task(end: str, entry: Mapping[str, Any], about: str, decoding: Decoding = _GREEDY) -> Task:
    return Task(f"{NAME}_{end}", entry, about, decoding)


def _group(name: str, ends: str, about: str) -> Group:
    return Group(name, tuple(f"{NAME}_{end}" for end in ends.split()), about, mean=False)


PREFERENCES = Benchmark(
    name=f"{NAME}_preferences",
    title="Judge audit, preferences",
    trials=DrawnPreferences,
    read=votes_by(),
    numbers=numbers(GROUPING),
    breakdowns=(Breakdown("by_kind", "accuracy per vote, by kind of question", votes_by_source),),
    remarks=remarks,
    headline="vote_accuracy",
    main_numbers=("overall_accuracy", "vote_accuracy"),
    pools=pools(),
    tasks=(
        _task(
            "preferences",
            _BOTH,
            "which of two answers is right, in both orders; right and wrong answers are equally "
            "long on average",
        ),
        _task(
            "repeats",
            _REPEATED,
            "the preference questions three times, sampled: does the judge give the same answer "
            "again?",
            _SAMPLED,
        ),
        _task("demo_preferences", {**_BOTH, "n": 32}, "32 pairs of answers, both orders"),
        _group(
            NAME,
            "differences ratings preferences repeats "
            "blind_differences blind_ratings blind_preferences",
            "tests a judge on images drawn from the random seed PAIRBENCH_SEED; pairbench card "
            "prints the result",
        ),
        _group(
            f"{NAME}_demo",
            "demo_differences demo_ratings demo_preferences",
            "judge_audit with few images, to try it out with a judge that needs no download",
        ),
    ),
)
DIFFERENCES = replace(
    CHOICES,
    name=f"{NAME}_differences",
    title="Judge audit, differences",
    trials=DifferenceTrials,
    plain=PlainRows(),
    tasks=(
        _task(
            "differences",
            _DRAWN,
            "what differs between two drawn images, in four degrees of difficulty",
        ),
        _task(
            "demo_differences",
            {**_DRAWN, "n": 1},
            "what differs between two drawn images: one image pair per type of difference and "
            "difficulty",
        ),
    ),
    published=None,
)
RATINGS = replace(
    PAIRBENCH,
    name=f"{NAME}_ratings",
    title="Judge audit, ratings",
    trials=RatedScenes,
    plain=PlainRows(),
    tasks=(
        _task(
            "ratings",
            _RATED,
            "how similar two drawn scenes are, in both orders, sensitive and invariant condition",
        ),
        _task(
            "demo_ratings",
            {**_RATED, "sets": 2},
            "how similar two drawn scenes are, on only 8 rows",
        ),
    ),
    published=None,
)


def _blind(
    of: Benchmark, card: tuple[Evidence, ...], entry: Mapping[str, Any], about: str
) -> Benchmark:
    """Return the part of the audit that asks the same with grey images."""
    end = f"blind_{of.name.removeprefix(f'{NAME}_')}"
    declared = replace(of, name=f"{NAME}_{end}", title=f"{of.title} with grey images", card=card)
    return replace(declared, tasks=(_task(end, entry, about),))


BLIND_PREFERENCES = _blind(
    PREFERENCES,
    blind_evidence(),
    _GREY,
    "the first preference questions, but with a grey image: accuracy should be at chance",
)
BLIND_DIFFERENCES = _blind(
    DIFFERENCES,
    blind_evidence(),
    {**_DRAWN, "n": 2, "grey": True},
    "some difference questions, but with grey images: accuracy should be at chance",
)
BLIND_RATINGS = _blind(
    RATINGS,
    blind_rating_evidence(),
    {**_RATED, "orders": "fwd", "sets": 2, "grey": True},
    "some rating questions, but with grey images: ratings should not follow the truth",
)
BLIND = (BLIND_PREFERENCES, BLIND_DIFFERENCES, BLIND_RATINGS)
BENCHMARKS = (PREFERENCES, DIFFERENCES, RATINGS, *BLIND)

__getattr__ = task_functions(*BENCHMARKS)
