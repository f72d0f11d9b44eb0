"""Pairs of answers about drawn scenes: half of the right answers are first, half are longer.

Of every eight pairs of a kind, each combination of these occurs once: which answer is right, which
is longer, which of the two statements is true. What the answers say is drawn before all three.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, ClassVar

from annotated_types import Ge

from lmms_eval_tasks.judge_audit.drawn import DrawnTrials, in_grey
from lmms_eval_tasks.judge_audit.facts import KINDS, Fact, worded
from lmms_eval_tasks.preference.trials import Pair, PreferenceEntry, PreferenceTrials, in_order
from lmms_eval_tasks.preference.votes import Grouping
from pairbench_ext.core.benchmark import Request, Trial
from pairbench_ext.statistics.seeds import generator
from pairbench_ext.synthetic.shapes import render

# In the form of VL-RewardBench's prompt (Table 18), without the essay that it asks for.
PROMPT = """Look at the image and the question, then say which of the two answers is right.

Question: {query}

Answer 1: {answers[0]}

Answer 2: {answers[1]}

Please evaluate both answers by what the image shows. Reply with one line: \
"Overall Judgment: Answer X is better.\""""

GROUPING = Grouping(tuple(KINDS), str)


@dataclass(frozen=True)
class DrawnEntry(PreferenceEntry):
    """The settings of a task: the number of answer pairs, and whether images are plain grey."""

    n: Annotated[int, Ge(1)] = 160
    grey: bool = False


def drawn(number: int, seed: int) -> tuple[Pair, Fact]:
    """Draw and return a pair of answers, and the fact and scene that they are about."""
    turn, kind = divmod(number, len(KINDS))
    better, longer, true = turn & 1, turn >> 1 & 1, turn >> 2 & 1
    rng = generator(seed, "judge_audit", "preference", number)
    fact = list(KINDS.values())[kind](rng, true)
    texts = [worded(rng, fact.statements[n ^ better ^ true], long=n == longer) for n in (0, 1)]
    key = f"{fact.kind}-{number:03d}"
    return Pair(key, fact.question, (texts[0], texts[1]), fact.kind, better, ("image",)), fact


class DrawnPreferences(DrawnTrials, PreferenceTrials):
    """Trials that ask which of two answers about a drawn scene is right."""

    entry_type: ClassVar[type[Any]] = DrawnEntry
    name = "judge_audit"
    grouping = GROUPING

    @cached_property
    def items(self) -> dict[int, Pair]:
        """Return the pairs of answers, keyed by number."""
        return {number: drawn(number, self.entry.seed)[0] for number in range(self.entry.n)}

    def show(self, item: Pair, trial: Trial) -> Request:
        """Return the request: the image, the question, and both answers in the trial's order."""
        text = PROMPT.format(query=item.query, answers=in_order(item.responses, trial["order"]))
        return Request((lambda: self.images_of(trial), text))

    def images_of(self, trial: Trial) -> list[Any]:
        """Return the image to show: the drawn scene, or a grey image in its place."""
        images = [render(drawn(trial["row"], self.entry.seed)[1].scene)]
        return in_grey(images) if self.entry.grey else images
