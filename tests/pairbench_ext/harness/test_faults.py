"""Whatever fails in a task, the other tasks of a run keep their numbers."""

import json
import math
import sys
from dataclasses import replace
from types import ModuleType

import pytest
from lmms_eval import evaluator
from lmms_eval.tasks import TaskManager
from PIL import Image

from pairbench_ext.core.benchmark import Mean
from pairbench_ext.harness import task_functions
from pairbench_ext.harness.task_files import folder_files
from tests.judges import CannedChatJudge
from tests.toy_benchmark import TOY, Trials

ROWS = 3


class BrokenError(Exception):
    """Nothing that anybody expects."""


def fails(*_, **__):
    raise BrokenError("broken on purpose")


def in_trials(**members):
    return {"trials": type("Faulty", (Trials,), members)}


def in_number(**fields):
    return {"numbers": (replace(TOY.numbers[0], **fields), *TOY.numbers[1:])}


# What fails, and whether the task still has its numbers.
FAULTS = {
    "entry": (in_trials(entry=property(fails)), False),
    "rows": (in_trials(rows=property(fails)), False),
    "row": (in_trials(read=fails), False),
    "show": (in_trials(show=fails), False),
    "target": (in_trials(target=fails), True),
    "text only": (in_trials(text_only=property(fails)), True),
    "examine": (in_trials(examine=fails), False),
    "read": ({"read": replace(TOY.read, read=fails)}, False),
    "table": ({"read": replace(TOY.read, settled=fails)}, False),
    "remarks": ({"remarks": fails}, True),
    "number": (in_number(of=Mean(lambda answer: answer.right, value=fails)), False),
    "interval": (in_number(of=Mean(lambda answer: answer.right, clusters=fails)), True),
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """One run of a sound task and of one for each fault."""
    folder = tmp_path_factory.mktemp("toy")
    Image.new("RGB", (8, 8), "red").save(folder / "a.png")
    lines = [json.dumps({"value": value, "image": "a.png"}) for value in range(ROWS)]
    (folder / "rows.jsonl").write_text("\n".join(lines))
    [task] = TOY.tasks
    benchmarks = [TOY]
    for fault, (changes, _) in FAULTS.items():
        name = fault.replace(" ", "_")
        names = {"name": name, "tasks": (task._replace(name=f"fault_{name}"),)}
        benchmarks.append(replace(TOY, **names, **changes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOY_DATA", str(folder))
        for benchmark in benchmarks:
            module = f"benchmark_{benchmark.name}"
            patch.setitem(sys.modules, module, write(folder, benchmark, module))
        evaluation = evaluator.simple_evaluate(
            model=CannedChatJudge(lambda doc: "yes"),
            tasks=[benchmark.tasks[0].name for benchmark in reversed(benchmarks)],
            task_manager=TaskManager(include_defaults=False, include_path=str(folder)),
            bootstrap_iters=0,
            log_samples=True,
        )
    return evaluation["results"]


def write(folder, benchmark, module):
    """Write a benchmark's task files, whose functions are in a module of this name."""
    made = ModuleType(module)
    made.__getattr__ = task_functions(benchmark)
    (folder / benchmark.name).mkdir()
    for path, text in folder_files([benchmark], module).items():
        (folder / benchmark.name / path).write_text(text)
    return made


def test_the_sound_task_has_its_numbers(results):
    assert len(results) == 1 + len(FAULTS)
    assert results["toy_even"]["accuracy,none"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_one_is_nan_unless_its_numbers_do_not_depend_on_it(fault, results):
    accuracy = results[f"fault_{fault.replace(' ', '_')}"].get("accuracy,none", math.nan)
    assert (accuracy == pytest.approx(2 / 3)) if FAULTS[fault][1] else math.isnan(accuracy)
