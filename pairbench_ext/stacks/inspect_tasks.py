"""Run our tasks with inspect: `inspect eval pairbench_ext/vl_rewardbench_both --model ...`.

inspect imports this module by an entry point; where there is no inspect it defines nothing. Every
task that asks once is there. A trial is a sample; the metadata of its score is the row that
`pairbench score` reads; all numbers, with their intervals, are one metric over all samples.
"""

import importlib.util
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from statistics import fmean
from typing import Any

from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.records import Record
from pairbench_ext.core.registry import benchmark_of
from pairbench_ext.core.user_cache import cache_folder
from pairbench_ext.runs.samples import read_record
from pairbench_ext.runs.scoring import Run
from pairbench_ext.stacks.plain import tasks
from pairbench_ext.stacks.plain.messages import picture_file, shown_parts

PICTURES = "inspect_pictures"  # in the cache: samples name files, so they need no memory
_INTERVAL = ("_ci95_low", "_ci95_high")


def numbers(benchmark: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the benchmark's metrics for logged rows; undefined metrics are left out.

    Args:
        benchmark: its name.
        rows: in the order of the run. A trial that is there n times was asked in n epochs: every
            epoch is scored by itself, the numbers are means over them, and there are no intervals,
            which would be of one epoch.
    """
    of_trial: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        of_trial[row["doc_id"]].append(row)
    epochs = zip_longest(*of_trial.values())
    scored = [_scored(benchmark, filter(None, epoch)) for epoch in epochs]
    if len(scored) < 2:
        return scored[0] if scored else {}
    shared = set.intersection(*map(set, scored))
    return {
        name: fmean(values[name] for values in scored)
        for name in scored[0]
        if name in shared and not name.endswith(_INTERVAL)
    }


def _scored(name: str, rows: Iterable[Mapping[str, Any]]) -> dict[str, float]:
    benchmark = benchmark_of(name)
    readings = [
        read_record(benchmark, Record(f"{name}, sample {row['doc_id']}", row)) for row in rows
    ]
    run = Run(benchmark, Path(f"samples_{name}.jsonl"), tuple(readings))
    return {key: float(value) for key, value in run.numbers.items() if value == value}


def _messages(trial: tasks.PlainTrial) -> list[Any]:
    """The messages of a trial in its order; inspect reads pictures from files when it asks."""
    from inspect_ai.model import ChatMessageSystem, ChatMessageUser, ContentImage, ContentText

    request, folder = trial.first_request, cache_folder() / PICTURES
    content = [
        ContentText(text=part)
        if isinstance(part, str)
        else ContentImage(image=str(picture_file(part, folder)))
        for part in shown_parts(request)
    ]
    system = [ChatMessageSystem(content=request.system)] if request.system else []
    return [*system, ChatMessageUser(content=content)]


def _sample(trial: tasks.PlainTrial) -> Any:
    from inspect_ai.dataset import Sample

    return Sample(
        input=_messages(trial),
        target=str(trial.row("")["target"]),
        id=trial.key,
        metadata=trial.scalars,
    )


def _score(opened: tasks.PlainTask, trial: tasks.PlainTrial, reply: str) -> Any:
    """Return a reply's score: the trial's value of the headline number, where it has one."""
    from inspect_ai.scorer import NOANSWER, Score

    row = trial.row(reply)
    value = row.get(opened.benchmark.headline or "")
    is_number = isinstance(value, (int, float)) and value == value
    why = row["trial"].get("unusable")
    return Score(
        value=float(value) if is_number and value is not None else NOANSWER,
        answer=reply,
        explanation=str(why) if why else None,
        metadata=row,
    )


def _scorer(opened: tasks.PlainTask) -> Any:
    from inspect_ai.scorer import SampleScore, metric, scorer

    def all_numbers() -> Any:
        def compute(scores: Any) -> dict[str, float]:
            return numbers(opened.benchmark.name, [each.score.metadata for each in scores])

        # inspect tells by this what to hand over.
        compute.__annotations__["scores"] = list[SampleScore]
        return compute

    def scores() -> Any:
        async def score(state: Any, target: Any) -> Any:  # noqa: ARG001  (inspect hands it over)
            trial = opened[tasks.number_of(str(state.sample_id))]
            return _score(opened, trial, state.output.completion)

        return score

    measured = metric(name="numbers", scores="unreduced")(all_numbers)()
    return scorer(metrics=[measured], name="pairbench")(scores)()


def _task(name: str) -> Any:
    from inspect_ai import Task as InspectTask
    from inspect_ai.dataset import MemoryDataset
    from inspect_ai.model import GenerateConfig
    from inspect_ai.solver import generate

    opened = tasks.open_task(name)
    how = opened.decoding
    return InspectTask(
        dataset=MemoryDataset([_sample(trial) for trial in opened], name=name),
        solver=generate(),
        scorer=_scorer(opened),
        config=GenerateConfig(max_tokens=how.tokens, temperature=how.temperature, top_p=how.top_p),
    )


def _define() -> None:
    """Register all tasks that ask once."""
    from inspect_ai import task

    def builder(name: str) -> Callable[[], Any]:
        return lambda: _task(name)

    for name, entry in tasks.declared().items():
        if isinstance(entry.task, Task) and entry.task.rounds == "once":
            task(name=name)(builder(name))


if importlib.util.find_spec("inspect_ai") is not None:
    _define()
