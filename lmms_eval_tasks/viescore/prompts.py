"""VIEScore's prompts, the paper's and those that the authors' code sends.

Paper: "VIEScore: Towards Explainable Metrics for Conditional Image Synthesis Evaluation", Appendix
A: the context, the rating of PQ, and the rating of SC for six tasks are its words (line breaks of
the print mended). Parts that the paper describes, but does not print, are put together from them:

- SC of multi-concept composition: the subject-driven template, once for each sub-image, as Section
  4 says (three sub-scores; Figure 3);
- one shot: the example in the words of Figure 4, the answer in the form of Appendix A;
- PQ with inputs (Table 4): the images as the template for SC introduces them, then PQ's scale.

Authors: github.com/TIGER-AI-Lab/VIEScore, the files of `paper_implementation/_questions`, joined and
filled in as its `run.py` does; spelling and line breaks are theirs. In the 1-shot prompt of
subject-driven editing the example has the subject of the image that is to be rated: their code
fills in both.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmms_eval_tasks.viescore.examples import Example
from lmms_eval_tasks.viescore.scores import Aspect
from lmms_eval_tasks.viescore.tasks import Task

_TEXT = "<<TEXT>>"  # the place of the text in the authors' prompts


def _read(name: str) -> Any:
    return json.loads((Path(__file__).parent / "data" / name).read_text(encoding="utf-8"))


_PAPER, _AUTHORS = _read("prompts.json"), _read("authors_prompts.json")


def authors_prompt(task: Task, aspect: Aspect, text: str, *, shots: int = 0) -> str:
    """Return the prompt of the authors' code for one aspect of an image.

    Args:
        task: what the image was made for.
        aspect: `"SC"` or `"PQ"`.
        text: the prompt, instruction or subject, as the museum has it; not shown for PQ.
        shots: 1 for the prompt with the authors' rated example.
    """
    template = _AUTHORS[f"{shots}shot"][task.name if aspect == "SC" else aspect]
    return f"{_AUTHORS['context']}\n{template.replace(_TEXT, text)}"


def paper_prompt(
    task: Task,
    aspect: Aspect,
    text: str,
    *,
    with_inputs: bool = False,
    example: Example | None = None,
) -> str:
    """Return the paper's prompt for one aspect of an image.

    Args:
        task: what the image was made for.
        aspect: `"SC"` or `"PQ"`.
        text: the prompt, instruction or subject; not shown for PQ.
        with_inputs: for PQ: whether the images are shown that the image was made from.
        example: a rated example; None for 0-shot.
    """
    template, text = _PAPER["SC"][task.name], text.strip()
    label, scale = "", _PAPER["PQ"]["scale"]
    if aspect == "SC":
        label, scale = template["label"], template["scale"]
        shown = f"{template['shown']} {template['objective']}"
    elif with_inputs:
        shown = f"{template['shown']} {_PAPER['generated']}"
    else:
        shown = _PAPER["PQ"]["shown"]
    heading = "RULES:" if example is None else "RULES for each set of images:"
    parts = [_PAPER["context"], f"{heading}\n\n{shown}\n\n{scale}"]
    if example is not None:
        images = 1 + (len(task.conditions) if aspect == "SC" or with_inputs else 0)
        first = len(example.images) + 1
        asked = f"Please evaluate the {_ordinals(range(first, first + images))}."
        parts += [_example(example, label, text), _lines(asked, label, text)]
    elif label:
        parts.append(f"{label}: {text}")
    return "\n\n".join(parts)


def _example(example: Example, label: str, text: str) -> str:
    score = json.dumps(list(example.score))
    reasoning = json.dumps(example.reasoning, ensure_ascii=False)
    answer = f'{{\n"score" : {score},\n"reasoning" : {reasoning}\n}}'
    opening = f"{_ordinals(range(1, len(example.images) + 1))} as a rating example."
    return f"{_lines(opening, label, text if example.text is None else example.text)}\n{answer}"


def _lines(opening: str, label: str, text: str) -> str:
    return f"{opening}\n{label}: {text}" if label else opening


def _ordinals(numbers: Sequence[int]) -> str:
    """`1st image`, `1st and 2nd images`, `4th, 5th and 6th images`."""
    endings = {1: "st", 2: "nd", 3: "rd"}
    words = [f"{number}{endings.get(number, 'th')}" for number in numbers]
    if len(words) == 1:
        return f"{words[0]} image"
    return f"{', '.join(words[:-1])} and {words[-1]} images"
