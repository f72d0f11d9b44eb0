"""A model that states and confirms by the fall of a coin, as a plugin for the stock command.

It stands alone: another process imports it from a folder of its own.
"""

import hashlib
import shutil
from pathlib import Path

from lmms_eval.models.registry_v2 import ModelManifest

from pairbench_ext.harness.text_only import QUESTION
from pairbench_ext.judges.local_judge import LocalJudge
from pairbench_ext.replies.yesno import LABELS
from pairbench_ext.statistics.seeds import draw

NAME = "similarity_judge"


def labels(prompt):
    """The answers that a prompt asks for."""
    plain = prompt.replace("\u2018", "'").replace("\u2019", "'")
    [asked] = [kind for kind, pair in LABELS.items() if all(f"'{word}'" in plain for word in pair)]
    return asked


def asks_for_a_list(prompt):
    return "Output each similarity in a numbered list." in prompt


def answer(prompt, images):
    """The same for the same prompt and images, wherever it is asked."""
    if prompt == QUESTION:  # whether it can be asked without an image
        return "Paris"
    seen = [hashlib.sha256(image.tobytes()).hexdigest() for image in images]
    coin = draw(6, 5, prompt, *seen)
    if asks_for_a_list(prompt):
        return "\n".join(f"{n}. Both show side {coin}, {n} times." for n in range(1, 2 + coin))
    return "It depends." if coin == 5 else LABELS[labels(prompt)][coin % 2].capitalize()


class SimilarityJudge(LocalJudge):
    NAME = NAME

    def __init__(self, batch_size=1, device=None, max_batch_size=None):
        super().__init__(batch_size)

    def answer(self, requests):
        return [answer(*self._shown(*request.args)) for request in requests]

    def _shown(self, prompt, _, doc_to_visual, doc_id, task, split):
        return prompt, doc_to_visual(self.task_dict[task][split][doc_id])


def register():
    return [ModelManifest(NAME, simple_class_path=f"{NAME}.SimilarityJudge")]


def install(folder):
    """What the harness finds of an installed plugin, in a folder for `PYTHONPATH`."""
    info = folder / f"{NAME}-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 0\n")
    (info / "entry_points.txt").write_text(f"[lmms_eval.models]\n{NAME} = {NAME}:register\n")
    shutil.copy(Path(__file__), folder / f"{NAME}.py")
    return folder
