"""VIEScore's prompts as the authors' repository has them: what its `run.py` sends.

Source: github.com/TIGER-AI-Lab/VIEScore, the files of `paper_implementation/_questions`. `run.py`
joins a context, the rules of a task and its scale by line breaks, and fills in the text as it is;
spelling and line breaks are theirs. In the 1-shot prompt of subject-driven editing the example has
the subject of the image that is to be rated: their code fills in both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from lmms_eval_tasks.viescore.judgments import Aspect
from lmms_eval_tasks.viescore.prompts import Shot
from lmms_eval_tasks.viescore.tasks import Name, Task
from pairbench_ext.replies.subscores_authors import DELIMITER

#: Their three contexts: `context.txt`, the default; `context_no_delimit.txt`; and
#: `context_no_format.txt`.
Context: TypeAlias = Literal["delimiters", "no_delimiters", "no_format"]

_WHO = """You are a professional digital artist. You will have to evaluate the effectiveness of the AI-generated image(s) based on given rules.
All the input images are AI-generated. All human in the images are AI-generated too. so you need not worry about the privacy confidentials."""
_CONTEXTS: Mapping[Context, str] = {
    "delimiters": f"""{_WHO}

You will have to give your output in this way (the delimiter is necessary. Keep your reasoning concise and short.):
{DELIMITER}
{{
"score" : 
"reasoning" : 
}}
{DELIMITER}""",
    "no_delimiters": f"""{_WHO}

You will have to give your output in this way (Keep your reasoning concise and short.):
{{
"score" : [...],
"reasoning" : "..."
}}""",
    "no_format": _WHO,
}
CONTEXTS: tuple[Context, ...] = get_args(Context)

_GENERATED = "The objective is to evaluate how successfully the image has been generated.\n"
_ONE_IMAGE = f"One image will be provided; The image is an AI-generated image.\n{_GENERATED}"
_SCALE = "From scale 0 to 10: \n"
_FOLLOWS = f"""{_SCALE}A score from 0 to 10 will be given based on the success in following the prompt. 
(0 indicates that the second image does not follow the prompt at all. 10 indicates the second image follows the prompt perfectly.)
"""


@dataclass(frozen=True)
class _Rules:
    """The rules and the scale of one task, for SC, or those for PQ.

    Attributes:
        shown: which images there are, and what is evaluated.
        scale: the sub-scores.
        label: what the prompt, instruction or subject is called; empty for PQ.
        shown_with_example: `shown` in the 1-shot prompt; None for the same.
        breaks: before the scale and after the text, by the number of shots.
    """

    shown: str
    scale: str
    label: str = "Text Prompt"
    shown_with_example: str | None = None
    breaks: tuple[tuple[str, str], tuple[str, str]] = (("", "\n"), ("", "\n"))


_EDITED = """Two images will be provided: The first being the original AI-generated image and the second being an edited version of the first.
The objective is to evaluate how successfully the editing instruction has been executed in the second image.

Note that sometimes the two images might look identical due to the failure of image edit.
"""
_OVEREDITING = (
    "A second score from 0 to 10 will rate the degree of overediting in the second image. "
)
_EDIT = f"""{_SCALE}A score from 0 to 10 will be given based on the success of the editing. (0 indicates that the scene in the edited image does not follow the editing instruction at all. 10 indicates that the scene in the edited image follow the editing instruction text perfectly.)
{_OVEREDITING}(0 indicates that the scene in the edited image is completely different from the original. 10 indicates that the edited image can be recognized as a minimal edited yet effective version of original.)
Put the score in a list such that output score = [score1, score2], where 'score1' evaluates the editing success and 'score2' evaluates the degree of overediting."""

_SC: Mapping[Name, _Rules] = {
    "t2i": _Rules(
        f"The image is an AI-generated image according to the text prompt.\n{_GENERATED}",
        f"""{_SCALE}A score from 0 to 10 will be given based on the success in following the prompt. 
(0 indicates that the AI generated image does not follow the prompt at all. 10 indicates the AI generated image follows the prompt perfectly.)

Put the score in a list such that output score = [score].""",
        shown_with_example=_ONE_IMAGE,
    ),
    "mie": _Rules(_EDITED, _EDIT, "Editing instruction"),
    "tie": _Rules(_EDITED, _EDIT, "Editing instruction", breaks=(("\n", "\n"), ("", "\n"))),
    "cig": _Rules(
        f"Two images will be provided: The first being a processed image (e.g. Canny edges, openpose, grayscale etc.) and the second being an AI-generated image using the first image as guidance.\n{_GENERATED}",
        f"""{_FOLLOWS}A second score from 0 to 10 will rate how well the generated image is following the guidance image. 
(0 indicates that the second image is not following the guidance at all. 10 indicates that second image is following the guidance image.)
Put the score in a list such that output score = [score1, score2], where 'score1' evaluates the prompt and 'score2' evaluates the guidance.""",
        breaks=(("", ""), ("\n", "\n")),
    ),
    "sdig": _Rules(
        f"Two images will be provided: The first being a token subject image and the second being an AI-generated image using the first image as guidance.\n{_GENERATED}",
        f"""{_FOLLOWS}A second score from 0 to 10 will rate how well the subject in the generated image resemble to the token subject in the first image. 
(0 indicates that the subject in the second image does not look like the token subject at all. 10 indicates the subject in the second image look exactly alike the token subject.)
Put the score in a list such that output score = [score1, score2], where 'score1' evaluates the prompt and 'score2' evaluates the resemblance.""",
    ),
    "sdie": _Rules(
        """Three images will be provided: 
The first image is a input image to be edited.
The second image is a token subject image.
The third image is an AI-edited image from the first image. it should contain a subject that looks alike the subject in second image.
The objective is to evaluate how successfully the image has been edited.
""",
        f"""{_SCALE}A score from 0 to 10 will rate how well the subject in the generated image resemble to the token subject in the second image. 
(0 indicates that the subject in the third image does not look like the token subject at all. 10 indicates the subject in the third image look exactly alike the token subject.)
{_OVEREDITING}
(0 indicates that the scene in the edited image is completely different from the first image. 10 indicates that the edited image can be recognized as a minimal edited yet effective version of original.)
Put the score in a list such that output score = [score1, score2], where 'score1' evaluates the resemblance and 'score2' evaluates the degree of overediting.""",
        "Subject",
        breaks=(("", ""), ("", "\n")),
    ),
    "mcic": _Rules(
        f"""Two images will be provided: 
This first image is a concatenation of two sub-images, each sub-image contain one token subject.
The second image being an AI-generated image using the first image as guidance.
{_GENERATED}""",
        f"""{_FOLLOWS}A second score from 0 to 10 will rate how well the subject in the generated image resemble to the token subject in the first sub-image. 
(0 indicates that the subject in the second image does not look like the token subject in the first sub-image at all. 10 indicates the subject in the second image look exactly alike the token subject in the first sub-image.)
A third score from 0 to 10 will rate how well the subject in the generated image resemble to the token subject in the second sub-image. 
(0 indicates that the subject in the second image does not look like the token subject in the second sub-image at all. 10 indicates the subject in the second image look exactly alike the token subject in the second sub-image.)
Put the score in a list such that output score = [score1, score2, score3], where 'score1' evaluates the prompt and 'score2' evaluates the resemblance for the first sub-image, and 'score3' evaluates the resemblance for the second sub-image.""",
        breaks=(("", "\n"), ("", "")),
    ),
}
_PQ = _Rules(
    f"The image is an AI-generated image.\n{_GENERATED}",
    f"""{_SCALE}A score from 0 to 10 will be given based on image naturalness. 
(
    0 indicates that the scene in the image does not look natural at all or give a unnatural feeling such as wrong sense of distance, or wrong shadow, or wrong lighting. 
    10 indicates that the image looks natural.
)
A second score from 0 to 10 will rate the image artifacts. 
(
    0 indicates that the image contains a large portion of distortion, or watermark, or scratches, or blurred faces, or unusual body parts, or subjects not harmonized. 
    10 indicates the image has no artifacts.
)
Put the score in a list such that output score = [naturalness, artifacts]""",
    label="",
    shown_with_example=_ONE_IMAGE,
)
# What they call the images of the example and those to rate, by how many an example has.
_SETS = {
    1: ("1st image", "2nd image"),
    2: ("1st and 2nd images", "3th, 4th images"),
    3: ("1st, 2nd and 3rd images", "4th, 5th, and 6th images"),
}


def render(
    task: Task,
    aspect: Aspect,
    text: str,
    *,
    context: Context = "delimiters",
    shot: Shot | None = None,
) -> str:
    """The prompt for one aspect of an image.

    Args:
        task: what the image was made for.
        aspect: `"SC"` or `"PQ"`.
        text: the prompt, instruction or subject, as the museum has it; not shown for PQ.
        context: what comes first.
        shot: a rated example; None for 0-shot.
    """
    rules = _SC[task.name] if aspect == "SC" else _PQ
    before, after = rules.breaks[shot is not None]
    label = f"{rules.label}: " if rules.label else ""
    if shot is None:
        shown = f"RULES:\n\n{rules.shown}"
        asked = f"\n\n{label}{text}" if label else ""
    else:
        shown = f"RULES of each set of inputs:\n\n{rules.shown_with_example or rules.shown}"
        asked = _with_example(shot, label, text)
    return f"{_CONTEXTS[context]}\n{shown}\n{before}{rules.scale}{asked}{after}"


def _with_example(shot: Shot, label: str, text: str) -> str:
    example, asked = _SETS[shot.images]
    shown = f"{label}{text if shot.text is None else shot.text}\n" if label else ""
    gap = "\n\n" if label else "\n\n\n"
    return f"""{gap}First lets look at the first set of input ({example}) as an example. 
{shown}Output:
{DELIMITER}
{{
"score" : {list(shot.score)},
"reasoning" :  "{shot.reasoning}"
}}
{DELIMITER}

Now evaluate the second set of input ({asked}).
{label}{text if label else ""}"""
