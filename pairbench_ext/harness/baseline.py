"""`--baseline` of the harness treats samples as independent, so clusters are logged as samples.

Several samples are about one item, or one source row. Treated as independent, they make equal
judges differ far too often. So the logged `score`, which the harness pairs by document, is there
once for each cluster, in its first sample: the cluster's linear term of the headline number. The
mean of the terms is the number, and the standard error of their differences is that of the
clusters.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from pairbench_ext.harness.on_import import after


def log_scores_by_cluster(evaluator_utils: ModuleType) -> None:
    """Have our tasks log one score for each cluster once their numbers are computed.

    Args:
        evaluator_utils: the imported `lmms_eval.evaluator_utils`.
    """

    @after(
        evaluator_utils,
        "TaskOutput.calculate_aggregate_metric",
        "--baseline takes samples as independent, do not use it with these logs",
    )
    def calculate(result: Any, output: Any, *_: Any, **__: Any) -> Any:
        _score_clusters(output)
        return result


def _score_clusters(output: Any) -> None:
    from pairbench_ext.core import registry
    from pairbench_ext.harness.numbers import Value, score_clusters
    from pairbench_ext.runs.samples import LEFT_OUT

    values = [
        value
        for (metric, _), of_metric in output.sample_metrics.items()
        for value in of_metric
        if metric == LEFT_OUT and isinstance(value, Value)
    ]
    samples = output.logged_samples
    if not samples or not values:
        return
    benchmark = registry.benchmark_of(samples[0]["trial"]["benchmark"])
    if benchmark.headline is not None:
        number = benchmark.number(benchmark.headline)
        score_clusters(number, samples, [value.reading for value in values])
