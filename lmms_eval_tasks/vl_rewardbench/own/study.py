"""The question that people answer about each pair of answers (Appendix C).

People see the image, the question and both answers, and say which is better. They do not see the
draft label or the names of the models.
"""

from PIL.Image import Image

from lmms_eval_tasks.people import questions
from lmms_eval_tasks.people.questions import Key
from lmms_eval_tasks.people.study import Datum, Question
from lmms_eval_tasks.preference.trials import PairItems
from pairbench_ext.statistics import seeds

#: What can be chosen besides the two answers, which are options A and B.
ANSWERS = ("Both are wrong", "I cannot tell (style, knowledge, poor image)")


class PreferenceStudy(questions.QuestionStudy):
    """A random draw of a task's pairs of answers, for people to judge."""

    title = "Preference: which answer is better?"
    thing = "pair"

    def __init__(
        self, task: str, pairs: PairItems, n: int, seed: int, only: frozenset[str] | None = None
    ) -> None:
        self._pairs = pairs
        self._rows = {Key(task, item.key, "fwd"): row for row, item in pairs.items.items()}
        keys = sorted(questions.asked_about(self._rows, only))
        order = seeds.generator(seed, "preferences", task).permutation(len(keys))
        drawn = [keys[place] for place in order]
        parts: list[str | int] = ["preferences", task, n, *(key.item for key in keys)]
        super().__init__([drawn], n, seed, parts)

    def question(self, key: Key) -> Question:
        """Return the question; options: both answers, "Both are wrong" and "I cannot tell"."""
        item = self._pairs.items[self._rows[key]]
        reference = f"The right answer is: {item.ground_truth}" if item.ground_truth else ""
        options = [*item.responses, *ANSWERS]
        shown = {"question": f"{item.query} Which answer is better?", "options": options}
        return Question((Datum("Image"),), {**shown, "note": reference}, len(options))

    def picture(self, key: Key, side: int) -> Image:  # noqa: ARG002
        """Return the image that the question is about."""
        row = self._rows[key]
        return self._pairs.rows.picture(row, self._pairs.items[row].images[0])()[0]
