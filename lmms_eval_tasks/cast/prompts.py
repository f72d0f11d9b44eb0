"""The prompts of CAST: those that the authors' code sends, and those that the paper prints.

Paper: "CAST: Cross-modal Alignment Similarity Test for Vision Language Models", Appendix A, Figures
5 (generation) and 6 (evaluation). It does not print where the descriptions and the statement stand;
there our order is descriptions, prompt, statement. Code: `consistency/generator.py` and
`consistency/validator.py` of github.com/gautierdag/cast. It also writes how the reply begins. Most
of its models find that after the prompt, as the beginning of their own turn, which no backend of
the harness can be told; two (InternVL2, MiniCPM) at the end of the prompt, on a line of its own:
so do ours.

The example that may stand before a request for a list is `ICL_1_TEXT`, `ICL_1_IMAGE` and `ICL_1_BOTH`
of their `consistency/sample_prompt.py`, placed as by `similarity_generator_with_ICL`. Their `main.py`
uses neither, and the paper reports no number with examples. Two more examples there are texts alone.

Images come first, always. All texts are in `prompts.json`; quotation marks are those of the source.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from pairbench_ext.replies.answer_format import AnswerFormat

Prompts: TypeAlias = Literal["authors", "paper"]

_TEXTS = json.loads(Path(__file__).with_name("prompts.json").read_text(encoding="utf-8"))


def asks(words: str) -> AnswerFormat:
    """Declare the two words of an evaluation, such as "yes/no"; the first confirms."""
    confirms, denies = words.split("/")
    labels = ((confirms, 1), (denies, 0))
    return AnswerFormat("yesno", labels, form="announced", authors=(("labels", words),))


@dataclass(frozen=True)
class Wording:
    """All that is said to a model.

    Attributes:
        generation: what asks for a list, by modality.
        evaluation: what asks about a statement, by the answers that are asked for and modality.
        scene: a description, with `{number}` from 1 and `{text}`.
        statement: what is to be confirmed, with `{text}`.
        order: of the parts of a prompt; a blank line is between any two.
        list_begins: how the reply to `generation` begins.
        answer_begins: how the reply to `evaluation` begins.
    """

    generation: Mapping[str, str]
    evaluation: Mapping[str, Mapping[str, str]]
    scene: str
    statement: str
    order: Sequence[Literal["scenes", "asked", "statement"]]
    list_begins: str = ""
    answer_begins: str = ""

    def generation_text(self, modality: str, descriptions: tuple[str, str]) -> str:
        """Return all text of a request for similarities; in "image", descriptions are not shown."""
        parts = {"scenes": self._scenes(modality, descriptions), "asked": self.generation[modality]}
        return self._joined(parts, self.list_begins)

    def generation_texts_after_example(
        self, modality: str, descriptions: tuple[str, str]
    ) -> list[str]:
        """Return a request's texts with the authors' example; an image is between any two texts."""
        asked, scenes = self.generation[modality], self._scenes(modality, descriptions)
        before, shown, between = _example(modality).partition(_IMAGE)
        after = f"{scenes}\n{self.list_begins}" if scenes else self.list_begins
        if not shown:
            return [f"{asked}\n\n{before}\n\n{after}"]
        gap = "\n\n" if scenes else "\n"
        return [f"{asked}\n\n{before}", f"{between}\n\n", f"{gap}{after}"]

    def evaluation_text(
        self, prompt: str, modality: str, descriptions: tuple[str, str], statement: str
    ) -> str:
        """Return all text of a request to evaluate a statement."""
        parts = {
            "scenes": self._scenes(modality, descriptions),
            "asked": self.evaluation[prompt][modality],
            "statement": self.statement.format(text=statement),
        }
        return self._joined(parts, self.answer_begins)

    def _scenes(self, modality: str, descriptions: tuple[str, str]) -> str:
        if modality == "image":
            return ""
        scenes = enumerate(descriptions, start=1)
        return "\n\n".join(self.scene.format(number=number, text=text) for number, text in scenes)

    def _joined(self, parts: Mapping[str, str], begins: str) -> str:
        text = "\n\n".join(parts[name] for name in self.order if parts.get(name))
        return f"{text}\n{begins}" if begins else text


def shows_images(modality: str) -> bool:
    """Return whether the images are shown in a modality."""
    return modality != "text"


def _example(modality: str) -> str:
    """The authors' example as it is shown in a modality, with `_IMAGE` where its images stand."""
    scenes = enumerate(_TEXTS["example"]["scenes"], start=1)
    similarities = enumerate(_TEXTS["example"]["similarities"], start=1)
    return "".join(
        (
            "\n",
            f"{_IMAGE}\n\n" if shows_images(modality) else "",
            *(f"Scene {n}: \n\n{text}\n\n" for n, text in scenes if modality != "image"),
            "Similarities:\n\n",
            *(f"{n}. {text}\n" for n, text in similarities),
        )
    )


_IMAGE = "<image>"
WORDINGS: Mapping[Prompts, Wording] = {who: Wording(**_TEXTS[who]) for who in get_args(Prompts)}
