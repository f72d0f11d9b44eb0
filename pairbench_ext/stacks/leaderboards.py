"""Write the metrics of runs in the file formats that leaderboards accept.

`eval_results` makes an entry of `.eval_results/*.yaml`, which model pages of the hub show.
`every_eval_ever` makes a record of Every Eval Ever, schema 0.3.0 (`evaleval/every_eval_ever`), and
`every_eval_ever_samples` those of its samples, from which `pairbench import judgments` makes the
logged samples again.
"""

import json
import math
import time
from collections.abc import Iterator, Mapping
from typing import Any

from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.records import RecordError, read_jsonl
from pairbench_ext.runs.completeness import judge_of, results_of
from pairbench_ext.runs.files import date_of, task_name
from pairbench_ext.runs.samples import response_of
from pairbench_ext.runs.scoring import Run

LOGGED = "pairbench_sample"  # of a sample's metadata: it as it was logged
_SCHEMA = "0.3.0"
_BOUNDS = {"share": (0, 1), "correlation": (-1, 1)}  # of other kinds nothing is known


def eval_results(run: Run, data: str | None = None, number: str | None = None) -> dict[str, Any]:
    """Return one metric of a run in the format of Hugging Face's `.eval_results`.

    Args:
        run: all that its task asks.
        data: the data set's repository on the hub; the benchmark's own by default.
        number: its name; the benchmark's headline by default.

    Raises:
        RecordError: if the run is incomplete, has no such number, or nothing names its data set.
    """
    _require_all(run)
    data = data or _repository(run)
    if data is None:
        raise RecordError(
            f"{run.name}: no repository of the hub holds the data of this run; name one with --data"
        )
    name = number or str(run.benchmark.headline)
    value = run.numbers.get(name, math.nan)
    if math.isnan(value):
        raise RecordError(f"{run.name}: the metric {name!r} is undefined for this run")
    dataset = {"id": data, "task_id": task_name(run.file)}
    notes = f"{name}; lmms-eval, {run.asked.samples} prompts"
    return {"dataset": dataset, "value": value, **_date("date", run), "notes": notes}


def every_eval_ever(run: Run, organization: str, relationship: str) -> dict[str, Any]:
    """Return a run's metrics as a record in the format of Every Eval Ever.

    Args:
        run: all that its task asks.
        organization: who ran it.
        relationship: its relation to the model's developer, as the schema calls it.

    Raises:
        RecordError: if the run is incomplete.
    """
    _require_all(run)
    results, now = results_of(run.file).content, str(int(time.time()))
    model = str(results.get("model_name") or judge_of(run.file))
    version = str(results.get("lmms_eval_version", "unknown"))
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {
        "schema_version": _SCHEMA,
        "evaluation_id": f"{task_name(run.file)}/{model}/{now}",
        **_date("evaluation_timestamp", run),
        "retrieved_timestamp": now,
        "source_metadata": {
            "source_name": "lmms-eval",
            "source_type": "evaluation_run",
            "source_organization_name": organization,
            "evaluator_relationship": relationship,
        },
        "eval_library": {"name": "lmms_eval", "version": version},
        "model_info": {"name": model, "id": model, "additional_details": unknown},
        "evaluation_results": list(_results(run)),
    }


def every_eval_ever_samples(run: Run, record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each sample of a run as a record in the format of Every Eval Ever.

    The score is the sample's value of the headline number, and 0 where it has none.
    """
    headline = str(run.benchmark.headline)
    for number, sample in enumerate(read_jsonl(run.file)):
        score = sample.fields.get(headline)
        value = float(score) if isinstance(score, int | float) and math.isfinite(score) else 0.0
        yield {
            "schema_version": _SCHEMA,
            "evaluation_id": record["evaluation_id"],
            "model_id": record["model_info"]["id"],
            "evaluation_name": task_name(run.file),
            "evaluation_result_id": f"{task_name(run.file)}.{headline}",
            "sample_id": str(sample.fields.get("doc_id", number)),
            "interaction_type": "single_turn",
            "input": {
                "raw": str(sample.fields.get("input", "")),
                "reference": [str(sample.fields.get("target", ""))],
            },
            "output": {"raw": [response_of(sample)]},
            "answer_attribution": [],
            "evaluation": {"score": value, "is_correct": value == 1},
            "metadata": {LOGGED: json.dumps(dict(sample.fields), ensure_ascii=False)},
        }


def _results(run: Run) -> Iterator[dict[str, Any]]:
    benchmark, task, data = run.benchmark, task_name(run.file), _repository(run)
    source = {"source_type": "hf_dataset", "hf_repo": data} if data else {"source_type": "other"}
    for number in benchmark.numbers:
        score, *ends = (run.numbers.get(name, math.nan) for name in number.names)
        if number.kind == "count" or number.better is None or not math.isfinite(score):
            continue
        metric: dict[str, Any] = {
            "metric_id": f"{benchmark.name}.{number.name}",
            "metric_name": number.title,
            "metric_kind": number.kind,
            "lower_is_better": number.better == "lower",
        }
        if number.kind in _BOUNDS:
            least, most = _BOUNDS[number.kind]
            metric |= {"score_type": "continuous", "min_score": least, "max_score": most}
        uncertainty: dict[str, Any] = {"num_samples": run.asked.samples}
        if ends and all(map(math.isfinite, ends)):
            interval = {"lower": ends[0], "upper": ends[1], "confidence_level": 0.95}
            uncertainty["confidence_interval"] = interval
        yield {
            "evaluation_result_id": f"{task}.{number.name}",
            "evaluation_name": task,
            "source_data": {"dataset_name": benchmark.title, **source},
            "metric_config": metric,
            "score_details": {"score": score, "uncertainty": uncertainty},
        }


def _require_all(run: Run) -> None:
    if not run.measured:
        raise RecordError(f"{run.name}: no sample has a result")
    if run.asked.part or not run.asked.complete:
        why = "; ".join(filter(None, (*run.asked.describe(), run.asked.part)))
        raise RecordError(f"{run.name}: {why}; a record must cover a whole task")


def _repository(run: Run) -> str | None:
    """The hub's repository of a task's data; None where the task is the user's, or its data are."""
    benchmark, name = run.benchmark, task_name(run.file)
    tasks = [task for task in benchmark.tasks if isinstance(task, Task) and task.name == name]
    source = getattr(benchmark.trials, "source", None)
    if source is None or not tasks or tasks[0].entry.get("data"):
        return None
    return source.hub or None


def _date(key: str, run: Run) -> dict[str, str]:
    """Return the day of a run, from the name of its file; nothing where that does not say it."""
    date = date_of(run.file)
    return {key: f"{date[:4]}-{date[4:6]}-{date[6:8]}"} if date[:8].isdecimal() else {}
