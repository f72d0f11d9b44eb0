"""Judges with one implanted defect, or none, as replies to the tasks of `judge_audit`.

No image is drawn: replies follow from what the trials say.
"""

from functools import cache
from pathlib import Path

from lmms_eval_tasks.judge_audit.benchmark import BENCHMARKS, BLIND_RATINGS, RATINGS
from pairbench_ext.core.benchmark import Task
from pairbench_ext.core.records import Record
from pairbench_ext.replies import letter
from pairbench_ext.runs.samples import read_record
from pairbench_ext.runs.scoring import Run
from pairbench_ext.statistics.seeds import generator
from tests.files import write_lines

_UNREAD = "These are pictures of several things."
RIGHT = 0.8  # how often a judge without defects is right
# Defect -> the flag that it raises.
DEFECTS = {
    "first": "first_position", "longer": "longer", "blind": "blind", "constant": "constant",
    "unreadable": "unreadable", "deaf": "ignores_condition",
}  # fmt: skip
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
    if benchmark in (RATINGS, BLIND_RATINGS):
        return [
            {"row": row, "pair": pair, "condition": condition, "order": order, "truth": truth}
            for row in range(_ROWS)
            for pair, truths in _KINDS.items()
            for condition, truth in zip(("sens", "inv"), truths, strict=True)
            for order in (("fwd", "rev") if benchmark is RATINGS else ("fwd",))
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

    def rating(self, trial, *, grey=False):
        if self.defect == "unreadable" and self.rng.random() < 0.4:
            return None
        if self.defect == "constant":
            return 7
        if grey or self.defect == "blind" or self.rng.random() > RIGHT:
            return int(self.rng.integers(1, 11))
        truth = trial["truth"]
        if self.defect == "deaf" and truth == 6:
            truth = 10
        return int(min(10, max(1, truth + self.rng.integers(-1, 2))))

    def reply(self, trial, *, grey=False):
        """The judge's reply to a trial, in the format that it was asked for."""
        if "condition" in trial:
            rating = self.rating(trial, grey=grey)
            return _UNREAD if rating is None else f"Score: {rating}\nReason: so it is."
        if "options" in trial:
            options = len(trial["options"])
            place = self.place(letter.position(trial["truth"], options), options, grey=grey)
            return _UNREAD if place is None else "ABCDEFGH"[place]
        reverse = trial["order"] == "rev"
        longer = None if trial["longer"] is None else trial["longer"] ^ reverse
        place = self.place(trial["truth"] ^ reverse, 2, longer, grey=grey)
        return _UNREAD if place is None else f"Overall Judgment: Answer {place + 1} is better."

    def samples(self, benchmark, task):
        """Samples of a task as the harness logs them."""
        grey = bool(task.entry.get("grey"))
        for trial in trials(task.name):
            for repeat in trial.get("repeats", (0,)):
                asked = {**trial, "repeats": [repeat]} if "repeats" in trial else trial
                logged = {"benchmark": benchmark.name, "template": 0, **asked}
                yield {"trial": logged, "filtered_resps": [self.reply(trial, grey=grey)]}

    def write_logs(self, folder):
        """Samples as the harness logs them, a file for each task of the group."""
        for name, (benchmark, task) in _TASKS.items():
            if "demo" not in name:
                write_lines(folder / f"1_samples_{name}.jsonl", self.samples(benchmark, task))

    def runs(self):
        """A run of each task of the group, without the numbers that no test needs."""
        for name, (benchmark, task) in _TASKS.items():
            if "demo" not in name:
                records = (Record(name, sample) for sample in self.samples(benchmark, task))
                readings = tuple(read_record(benchmark, record) for record in records)
                run = Run(benchmark, Path(f"{name}.jsonl"), readings, name)
                run.numbers = {}
                yield run
