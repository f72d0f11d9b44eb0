"""A control judge that compares nothing: it rates by traces of the transformation alone.

In the paper's pairs the transformed and the irrelevant image carry the transformation and the
identical one does not. With n pairs of each kind, ratings of 5 and 10, and Kendall's tau-b:

    sens: P - Q = 2n^2, untied in ratings 2n^2, in truths 3n^2, so 2 / sqrt(6) = .816
    inv:  P - Q = n^2, untied in ratings 2n^2, in truths 2n^2, so 1 / 2
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from lmms_eval_tasks.pairbench.splits import features_of
from pairbench_ext.core.benchmark import Control, Outcome

TRACED, CLEAN = 5, 10


def is_traced(outcome: Outcome) -> bool:
    """Return whether one or both images of the pair were transformed."""
    if outcome["transformed"]:
        return bool(outcome["transformed"] != "none")
    assert isinstance(outcome.item, tuple)  # row and pair
    return not str(outcome.item[1]).startswith("identical")


def _has_traces(outcome: Outcome) -> bool:
    """Return whether the split's images are transformed: not where positions change alone."""
    if "text" in outcome["config"].lower():
        return False  # a caption has no traces
    named = set(features_of(outcome["split"]))
    return bool(named - {"spatial"}) or not (named or outcome["config"].startswith("wu_"))


def _judges(
    outcomes: Sequence[Outcome], put: Callable[[Sequence[Outcome], Any], Outcome]
) -> Iterator[Callable[[Outcome], Outcome]]:
    if outcomes and all(outcome["split"] and _has_traces(outcome) for outcome in outcomes):
        yield lambda outcome: put([outcome], TRACED if is_traced(outcome) else CLEAN)


TRACES = Control(
    "traces", "looks for traces of the transformation in each image and compares nothing", _judges
)
