"""What people are asked about a pair of answers (VL-RewardBench, Appendix C).

People see the image, the question and both answers, and say which is better. They do not see the
draft label or the names of the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PIL.Image import Image

from lmms_eval_tasks.people import study
from lmms_eval_tasks.people.questions import PAGE, Key
from lmms_eval_tasks.people.study import Datum, Question, digest_of, of_image, of_text
from lmms_eval_tasks.preference.trials import PairItems
from pairbench_ext.statistics import seeds

#: What can be chosen besides the two answers, which are options A and B.
ANSWERS = ("Both are wrong", "I cannot tell (style, knowledge, poor image)")


class Study(study.Study[Key]):
    """A draw of a task's pairs, in the order of the data. A score is an option's number, from 1.

    Args:
        task: its name.
        pairs: its trials.
        n: pairs in a round.
        seed: of the draw and of people's orders.
    """

    page = PAGE
    title = "Preference: which answer is better?"
    thing = "pair"
    given = "answer"

    def __init__(self, task: str, pairs: PairItems, n: int, seed: int) -> None:
        self.n, self.seed, self._pairs = n, seed, pairs
        self._rows = {Key(task, item.key, "fwd"): row for row, item in pairs.items.items()}
        self.total = len(self._rows)
        self.rounds = -(-self.total // n)
        keys = sorted(self._rows)
        order = seeds.generator(seed, "preferences", task).permutation(self.total)
        self._drawn = [keys[place] for place in order]
        names = (key.item for key in keys)
        self.name = f"{seeds.stable_hash(seed, 'preferences', task, n, *names):016x}"

    def drawn(self, number: int) -> list[Key]:
        """Return the pairs of a round, from 0; none is in two rounds."""
        return self._drawn[number * self.n : (number + 1) * self.n]

    def content(self, key: Key) -> str:
        """Return a digest of pixels, question and answers."""
        shown = self.question(key).told
        texts = map(of_text, (shown["question"], *shown["options"]))
        return digest_of([*texts, *of_image(self.picture(key, 0))])

    def question(self, key: Key) -> Question:
        """Return the question, and both answers as options."""
        item = self._pairs.items[self._rows[key]]
        reference = f"The right answer is: {item.ground_truth}" if item.ground_truth else ""
        options = [*item.responses, *ANSWERS]
        shown = {"question": f"{item.query} Which answer is better?", "options": options}
        return Question((Datum("Image"),), {**shown, "note": reference}, len(options))

    def picture(self, key: Key, side: int) -> Image:  # noqa: ARG002
        """Return the image."""
        row = self._rows[key]
        return self._pairs.rows.picture(row, self._pairs.items[row].images[0])()[0]

    def recorded(self, key: Key, score: int) -> Mapping[str, Any]:
        """Return the option's letter, and what was chosen from."""
        return {"choice": "ABCD"[score - 1], "options": self.question(key).told["options"]}
