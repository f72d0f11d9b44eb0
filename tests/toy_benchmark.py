"""A benchmark of a few lines, for tests of the kernel: is a number even?"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from pairbench_ext.core.benchmark import (
    Benchmark,
    Decoding,
    Mean,
    Number,
    OutcomeFields,
    PlainRows,
    Reader,
    Reading,
    Request,
    Task,
)
from pairbench_ext.core.items import ItemEntry, ItemTrials, Source
from pairbench_ext.core.records import RecordError
from pairbench_ext.core.trials import Plan
from pairbench_ext.harness import task_functions


class Item(NamedTuple):
    key: str
    value: int
    image: str


@dataclass(frozen=True)
class Row:
    item: str
    wording: Literal["plain", "polite"]
    truth: Literal["yes", "no"]


FIELDS = OutcomeFields("text", Row, variant=("wording",))


def answer(item, wording, truth, said):
    """An outcome, from 1.0 for yes and 0.0 for no."""
    asked = {"item": item, "wording": wording, "truth": truth}
    return FIELDS.outcome(asked, {1.0: "yes", 0.0: "no"}.get(said))


class Trials(ItemTrials[Item]):
    source = Source(variable="TOY_DATA", files=("rows.jsonl",), how="Write some numbers.")
    entry_type = ItemEntry

    def read(self, record):
        value = record.get("value", int)
        if value < 0:
            raise RecordError(f"{record.where}: {value} is negative")
        return Item(str(value), value, record.get("image", str))

    def plan(self):
        return Plan({"wording": ("plain", "polite")})

    def describe_item(self, item, request):
        return {"item": item.key, "truth": "no" if item.value % 2 else "yes"}

    def show(self, item, trial):
        please = "Please say: " if trial["wording"] == "polite" else ""
        text = f"{please}is {item.value} even?"
        return Request((self.rows.picture(trial["row"], item.image), text))

    def target(self, trial):
        return trial["truth"]


def read(trial, exchanges, rule):
    said = exchanges[0].reply.strip().lower().rstrip(".") if exchanges else ""
    said = said if said in ("yes", "no") else None
    why = () if said else ("neither yes nor no",)
    failed = sum(exchange.failed for exchange in exchanges)
    return Reading((FIELDS.outcome(trial, said),), {"said": said}, (), why, failed)


TOY = Benchmark(
    name="toy",
    title="Toy",
    trials=Trials,
    read=Reader(FIELDS, read, "yesno"),
    numbers=(
        Number("accuracy", "accuracy", Mean(lambda answer: answer.right), interval=True),
        Number("coverage", "coverage", Mean(lambda answer: answer.usable)),
        Number(
            "answers", "answers", len, "count", None, when=lambda trials: trials.entry.seed == 0
        ),
    ),
    plain=PlainRows("Plain rows are JSON lines {item, wording, truth, response}."),
    remarks=lambda answers: ["there is one item only"] if len(answers.labels("item")) == 1 else [],
    tasks=(Task("toy_even", {}, "is a number even?", Decoding("greedy", 16)),),
    headline="accuracy",
)

__getattr__ = task_functions(TOY)
