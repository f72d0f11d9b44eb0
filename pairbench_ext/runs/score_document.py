"""Numbers of runs as JSON, in one shape.

    {"benchmark": ..., "rule": ..., "pool": ..., "options": {...},
     "runs": [{"file": ..., "name": ..., "benchmark": ..., "samples": ...,
               "asked": {"samples": ..., "of": ..., "items": ..., "of_items": ..., "complete": ...},
               "failed": ..., "unusable": {reason: count}, "left_out": [reason], "numbers": {...},
               <breakdown>: {...}, "noise": {...}, "remarks": [...],
               "items": ..., "of_items": ...}],
     "passed_over": [{"file": ..., "why": ...}],
     "mean": {...}, <across>: {...}}

`mean` is there where the runs are tasks of a group, `noise` where items were asked several times,
`items` and `of_items` where a part of them was drawn (`limit_items`).
NaN, which JSON does not have, is null: also every number of a run that has no outcome, such as that
of a task whose data could not be read.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pairbench_ext.core.benchmark import Benchmark
from pairbench_ext.runs.run_groups import are_a_group, by_benchmark, means
from pairbench_ext.runs.sample_files import PassedOver
from pairbench_ext.runs.scoring import Run


def document(
    benchmark: Benchmark,
    rule: str | None,
    options: Mapping[str, Any],
    runs: Sequence[Run],
    pool: str | None = None,
    passed_over: Sequence[PassedOver] = (),
) -> dict[str, Any]:
    """All of it for JSON, in the shape that the module's text shows."""
    across = {
        one.name: one.of(own)
        for own in by_benchmark([run for run in runs if run.measured])
        for one in own[0].benchmark.across
    }
    made: dict[str, Any] = as_json(
        {
            "benchmark": benchmark.name,
            "rule": rule or "as the run says",
            "pool": pool or "as the run says",
            "options": dict(options),
            "runs": [_run_document(run) for run in runs],
            "passed_over": [{"file": str(one.file), "why": one.why} for one in passed_over],
            **({"mean": means(runs)} if are_a_group(runs) else {}),
            **{name: parts for name, parts in across.items() if parts},
        }
    )
    return made


def _run_document(run: Run) -> dict[str, Any]:
    noise = run.noise
    return {
        "file": str(run.file),
        "name": run.name,
        "benchmark": run.benchmark.name,
        "samples": len(run.readings),
        "asked": run.asked.document(),
        "failed": run.failed,
        "unusable": dict(run.unusable.most_common()),
        "left_out": list(run.left_out),
        **({"items": run.sampled.items, "of_items": run.sampled.of} if run.sampled else {}),
        "numbers": run.numbers,
        **run.breakdowns(),
        **({"noise": {"number": run.benchmark.headline, **noise.document()}} if noise else {}),
        "remarks": run.remarks(),
    }


def as_json(value: Any) -> Any:
    """Numbers, and mappings, sequences and named tuples of them, for JSON; NaN becomes null.

    >>> as_json({"a": [0.5, float("nan")], 1: "text"})
    {'a': [0.5, None], '1': 'text'}
    """
    if hasattr(value, "_asdict"):
        return as_json(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
