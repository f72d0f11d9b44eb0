"""Judges with one implanted defect, or none, as replies to the tasks of `judge_audit`.

No image is drawn: replies follow from what the trials say.
"""

import json
from functools import cache
from pathlib import Path

from lmms_eval_tasks.judge_audit.benchmark import BENCHMARKS, RATINGS
from lmms_eval_tasks.pairbench.ratings import Rating
from lmms_eval_tasks.preference.votes import Vote
from lmms_eval_tasks.subtlebench.choices import Choice
from pairbench_ext.core.benchmark import Reading, Task
from pairbench_ext.replies import letter
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.seeds import generator

_UNREAD = "These are pictures of several things."
RIGHT = 0.8  # how often a judge without defects is right
# Defect -> the flag that it raises.
DEFECTS = {
    "first": "first_position",
    "longer": "longer",
    "blind": "blind",
    "constant": "constant",
    "unreadable": "unreadable",
    "deaf": "ignores_condition",
}
_ROWS = 20
_KINDS = {"identical": (10, 10), "moved": (6, 10), "moved_too": (6, 10), "irrelevant": (1, 1)}


_TASKS = {
    task.name: (benchmark, task)
    for benchmark in BENCHMARKS
    for task in benchmark.tasks
    if isinstance(task, Task)
}


@cache
def trials(name):
    """What the log says of each trial of a task; of ratings, without the scenes."""
    benchmark, task = _TASKS[name]
    if benchmark is RATINGS:
        return [
            {"row": row, "pair": pair, "condition": condition, "order": order, "truth": truth}
            for row in range(_ROWS)
            for pair, truths in _KINDS.items()
            for condition, truth in zip(("sens", "inv"), truths, strict=True)
            for order in ("fwd", "rev")
        ]
    return list(benchmark.trials(task.entry))


class Judge:
    """Replies of a judge that is right in `RIGHT` of its answers, but for its defect."""

    def __init__(self, seed, defect=""):
        self.rng = generator(seed, "judge", defect)
        self.defect = defect

    def place(self, right, options, longer=None, *, grey=False):
        if self.defect == "unreadable" and self.rng.random() < 0.4:
            return None
        if self.defect == "first" and self.rng.random() < 0.9:
            return 0
        if self.defect == "longer" and longer is not None and self.rng.random() < 0.9:
            return longer
        if grey or self.defect == "blind":
            return int(self.rng.integers(options))
        if self.rng.random() < RIGHT:
            return right
        return int((right + 1 + self.rng.integers(options - 1)) % options)

    def rating(self, trial):
        if self.defect == "unreadable" and self.rng.random() < 0.4:
            return None
        if self.defect == "constant":
            return 7
        if self.defect == "blind" or self.rng.random() > RIGHT:
            return int(self.rng.integers(1, 11))
        truth = trial["truth"]
        if self.defect == "deaf" and truth == 6:
            truth = 10
        return int(min(10, max(1, truth + self.rng.integers(-1, 2))))

    def outcome(self, trial, repeat=0, *, grey=False):
        if "condition" in trial:
            return Rating(**trial, template=0, value=self.rating(trial))
        if "options" in trial:
            options = len(trial["options"])
            truth = letter.position(trial["truth"], options)
            said = self.place(truth, options, grey=grey)
            kept = {key: trial[key] for key in ("item", "pair", "category", "domain", "source")}
            return Choice(**kept, n_options=options, truth=truth, chosen=said)
        reverse = trial["order"] == "rev"
        longer = None if trial["longer"] is None else trial["longer"] ^ reverse
        said = self.place(trial["truth"] ^ reverse, 2, longer, grey=grey)
        kept = {key: trial[key] for key in ("item", "source", "order", "truth", "longer")}
        return Vote(**kept, repeat=repeat, verdict=None if said is None else said + 1)

    def readings(self, task):
        grey = bool(task.entry.get("grey"))
        for trial in trials(task.name):
            for repeat in trial.get("repeats", (0,)):
                outcome = self.outcome(trial, repeat, grey=grey)
                said = getattr(outcome, "value", None)
                said = getattr(outcome, "verdict", getattr(outcome, "chosen", said))
                yield Reading((outcome,), unusable=() if said is not None else ("no answer",))

    def reply(self, outcome):
        """What the judge writes, in the format that it was asked for."""
        if isinstance(outcome, Rating):
            return (
                _UNREAD if outcome.value is None else f"Score: {outcome.value}\nReason: so it is."
            )
        if isinstance(outcome, Choice):
            return _UNREAD if outcome.chosen is None else "ABCDEFGH"[outcome.chosen]
        if outcome.verdict is None:
            return _UNREAD
        return f"Overall Judgment: Answer {outcome.verdict} is better."

    def write_logs(self, folder):
        """Samples as the harness logs them, a file for each task of the group."""
        for name, (benchmark, task) in _TASKS.items():
            if "demo" in name:
                continue
            with (folder / f"1_samples_{name}.jsonl").open("w", encoding="utf-8") as out:
                for trial in trials(name):
                    grey = bool(task.entry.get("grey"))
                    reply = self.reply(self.outcome(trial, grey=grey))
                    logged = {"benchmark": benchmark.name, "template": 0, **trial}
                    out.write(json.dumps({"trial": logged, "filtered_resps": [reply]}) + "\n")

    def runs(self):
        """A run of each task of the group, without the numbers that no test needs."""
        for name, (benchmark, task) in _TASKS.items():
            if "demo" not in name:
                readings = tuple(self.readings(task))
                table = benchmark.table([one for r in readings for one in r.outcomes])
                yield Run(benchmark, Path(f"{name}.jsonl"), name, readings, table, {})
