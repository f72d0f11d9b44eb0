"""`pairbench papers subtlety`: measure how similar the two images of a pair are (Table 1).

The paper calls a benchmark subtle if the mean similarity of its pairs, a cosine of DINOv3's
embeddings, is 0.8 or more. It does not name the checkpoint of DINOv3.
"""

from collections import defaultdict
from typing import Annotated

import numpy as np

from lmms_eval_tasks.subtlebench.pairs import PairTrials
from lmms_eval_tasks.subtlebench.tasks import NAME
from pairbench_ext.core.findings import Finding, Measure, plain_table
from pairbench_ext.core.sources import SourceError
from pairbench_ext.judges.encoders import load_encoder
from pairbench_ext.show.cli.console import fail_on, print_finding
from pairbench_ext.show.cli.options import AsJson, option
from pairbench_ext.stacks.plain.tasks import trials_of

SUBTLE = 0.8  # Table 1
ALL = "all"
_COLUMNS = (
    Measure("pairs", "Pairs", unit="count"),
    Measure(
        "similarity",
        "Mean similarity",
        "Mean cosine similarity of the embeddings of a pair's two images.",
        digits=3,
    ),
    Measure("subtle", f"Subtle ({SUBTLE:g} or more)", unit="text"),
)


def subtlety(
    encoder: Annotated[
        str, option("Vision checkpoint that compares two images, or `classical`, which needs none.")
    ],
    task: Annotated[str, option("Task whose image pairs are measured.")] = NAME,
    json_only: AsJson = False,
) -> None:
    """Measure how similar the images of VLM-SubtleBench's pairs are (Table 1, Figure 1).

    Prints the mean cosine of an encoder's embeddings by type of difference and by domain.

    pairbench papers subtlety --task subtlebench_demo --encoder classical
    """
    with fail_on(ValueError):
        trials = trials_of(task)
        if not isinstance(trials, PairTrials):
            raise SourceError(f"{task!r} is not a task on VLM-SubtleBench's pairs of images")
        loaded = load_encoder(encoder)
        alike: dict[str, dict[str, float]] = defaultdict(dict)
        for row in trials.rows:
            item = trials.pairs.items[row]
            if item.pair not in alike[ALL]:
                first, second = loaded.embed(trials.images(row))
                alike[ALL][item.pair] = float(first @ second)
            for part in (item.category, item.domain):
                alike[part][item.pair] = alike[ALL][item.pair]
    means = {part: float(np.mean(list(by_pair.values()))) for part, by_pair in alike.items()}
    rows = (
        (part, len(alike[part]), mean, "yes" if mean >= SUBTLE else "no")
        for part, mean in means.items()
    )
    table = plain_table("similarity", f"{task}, by {encoder}", ("Part",), _COLUMNS, rows)
    fields = {"task": task, "encoder": encoder, "similarity": means}
    print_finding(Finding("subtlety", tables=(table,), fields=fields), json_only=json_only)
