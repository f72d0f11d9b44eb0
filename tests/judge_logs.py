"""Logs of judges of VL-RewardBench in both orders, as the harness writes them."""

import json

from pairbench_ext.core import registry
from tests.files import write_lines

TASK = "vl_rewardbench_both"


def say(number):
    return f"Both show a mug. 😀\n\nOverall Judgment: Answer {number} is better."


def write_log(folder, reply, task=TASK):
    """The log of a judge, whose reply follows from a trial and the right answer, 1 or 2."""
    benchmark = registry.benchmark_of("vl_rewardbench")
    trials = benchmark.trials(next(one.entry for one in benchmark.tasks if one.name == task))
    folder.mkdir(parents=True)
    with (folder / f"1_samples_{task}.jsonl").open("w") as file:
        for number, trial in enumerate(trials):
            right = int(trials.target(trial))
            sample = {
                "doc_id": number,
                "target": str(right),
                "filtered_resps": reply(trial, right),
                "input": trials.ask(trial).text,
                "trial": {"benchmark": benchmark.name, **trial, "protocol": "simple"},
            }
            file.write(json.dumps(sample) + "\n")
    return folder


def write_rows(file, replies):
    """Plain rows: an item of its own for each reply."""
    file.parent.mkdir(parents=True, exist_ok=True)
    known = {"benchmark": "vl_rewardbench", "source": "povid", "repeat": 0, "order": "fwd"}
    rows = ({**known, "item": f"i{n}", "truth": 0, "response": r} for n, r in enumerate(replies))
    return write_lines(file, rows)
