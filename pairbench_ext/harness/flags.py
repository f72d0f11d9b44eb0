"""Check the flags of lmms-eval and the settings of the model before one of our tasks starts.

Each is said in one line. `--repeats N` asks N times and scores the first reply.
`--system_instruction` reaches some backends only, glued to the prompt. `--predict_only` would drop
the trials that scoring needs, and would end a run with tasks in rounds.

A task that cannot be built does not end the others: it is left out, with an error message. Where
there is no other task, the run ends with the reason before the model is asked anything.

`--baseline` treats samples as independent, so clusters are logged as samples. Several samples are
about one item, or one source row. Treated as independent, they make equal judges differ far too
often. So the logged `score`, which the harness pairs by document, is there once for each cluster,
in its first sample: the cluster's linear term of the headline number. The mean of the terms is the
number, and the standard error of their differences is that of the clusters.
"""

from types import ModuleType
from typing import Any

from loguru import logger

from pairbench_ext.harness.on_import import after, before


def explain_flags(task_module: ModuleType) -> None:
    """Make our tasks check the flags of lmms-eval; other tasks are unchanged."""
    from pairbench_ext.core.sources import SourceError

    build, override = "Task.build_all_requests", "Task.override_metric"
    lost = (
        "one task that the model cannot answer may end the whole run, and --repeats may be "
        "ignored without a warning"
    )

    @before(task_module, build, lost, ends=(SourceError,))
    def leave_out(task: Any, *_: Any, **given: Any) -> None:
        if _is_ours(task):
            _require_something_to_ask(task, given.get("offset") or 0)

    @before(task_module, build, lost)
    def explain(task: Any, *_: Any, **given: Any) -> None:
        if not _is_ours(task):
            return
        _without_repeats(task)
        if given.get("system_instruction"):
            logger.warning(
                f"{_name(task)}: the model sees --system_instruction only with simple backends, "
                "directly before the prompt, without a space. If your backend has the argument "
                "system_prompt, use --model_args system_prompt=... instead"
            )

    @before(task_module, override, "a run with --predict_only logs nothing that can be scored")
    def keep_numbers(task: Any, *_: Any, **__: Any) -> bool:
        if _is_ours(task):
            logger.warning(
                f"{_name(task)}: --predict_only is ignored: numbers are computed, and the "
                "trials that `pairbench score` needs are logged, as with --log_samples"
            )
        return not _is_ours(task)


def _require_something_to_ask(task: Any, offset: int) -> None:
    """Say why a task cannot be built, if it cannot.

    Raises:
        SourceError: if no task of the run can be built.
    """
    from pairbench_ext.core.sources import SourceError
    from pairbench_ext.harness import hooks, probes
    from pairbench_ext.harness.documents import TrialDocs
    from pairbench_ext.harness.evaluated import documents_of_the_run

    docs = task.eval_docs
    docs.offset = offset
    docs.cached = bool(getattr(getattr(task, "args", None), "use_cache", None))
    if not docs.failure:
        docs.failure = probes.images_problem(docs, hooks.doc_to_visual)
    if not docs.failure and task.OUTPUT_TYPE == probes.ROUNDS:
        docs.failure = probes.rounds_problem(docs, _name(task))
    if not docs.failure:
        return
    if task.OUTPUT_TYPE == probes.ROUNDS:  # which the model may not answer, whatever is asked
        task.OUTPUT_TYPE = probes.ONE_ROUND
    run = documents_of_the_run(docs)
    if all(isinstance(docs, TrialDocs) and docs.failure for docs in run):
        raise SourceError("; ".join(dict.fromkeys(docs.failure for docs in run)))
    logger.error(f"{_name(task)} cannot run, so all its numbers will be nan: {docs.failure}")


def _without_repeats(task: Any) -> None:
    asked = task.get_config("repeats") or 1
    if asked > 1:
        logger.warning(
            f"{_name(task)}: --repeats {asked} is ignored, because the harness would score the "
            "first reply only. Every trial is asked once. For several judgments use a task that "
            "asks several times, such as vl_rewardbench_k5 or multimodal_rewardbench_k5"
        )
        task.set_config(key="repeats", value=1)


def _is_ours(task: Any) -> bool:
    from pairbench_ext.harness import hooks  # not when the harness starts: it takes a while

    return getattr(task.config, "process_results", None) is hooks.process_results


def _name(task: Any) -> str:
    return str(task.get_config("task"))


def log_scores_by_cluster(evaluator_utils: ModuleType) -> None:
    """Make our tasks log one score per cluster of samples, once all samples are scored."""

    @after(
        evaluator_utils,
        "TaskOutput.calculate_aggregate_metric",
        "do not use --baseline with these logs: it ignores that some samples belong together",
    )
    def calculate(result: Any, output: Any, *_: Any, **__: Any) -> Any:
        _score_clusters(output)
        return result


def _score_clusters(output: Any) -> None:
    from pairbench_ext.core import registry
    from pairbench_ext.harness.numbers import SampleValue, score_clusters
    from pairbench_ext.runs.samples import LEFT_OUT

    values = [
        value
        for (metric, _), of_metric in output.sample_metrics.items()
        for value in of_metric
        if metric == LEFT_OUT and isinstance(value, SampleValue)
    ]
    samples = output.logged_samples
    if not samples or not values:
        return
    benchmark = registry.benchmark_of(samples[0]["trial"]["benchmark"])
    if benchmark.headline is not None:
        number = benchmark.number(benchmark.headline)
        score_clusters(number, samples, [value.reading for value in values])
