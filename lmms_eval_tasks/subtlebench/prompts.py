"""The prompts of VLM-SubtleBench, as the paper prints them, and what follows for other mixtures.

Source: "VLM-SubtleBench: How Far Are VLMs from Human-Level Subtle Comparative Reasoning?", Appendix
B.1, Figures 8-15 (multiple choice) and 16 (captions), B.3 (the judge of captions) and C.2
(descriptions of one image). Line breaks, the headings of Figure 9 and the lines of the options ("A.
text") are those of the authors' code, which has all but the two-step, the highlighting and the
language-only prompts; there, paragraphs and lists are laid out alike.

A way of showing images has its own words (`Words`), which the figures' prompts have in the same
places; so has every mixture. The code shows the grid without words on it: variant `authors`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from lmms_eval_tasks.subtlebench.strategy import (
    LANGUAGE_ONLY,
    PLAIN,
    REASONING,
    TWO_STEP,
    Strategy,
    read_strategy,
)


class Prompt(NamedTuple):
    """A system prompt and a user prompt, to be filled in by `render`."""

    system: str
    user: str


class Words(NamedTuple):
    """What a way of showing images adds to a prompt.

    Attributes:
        joined: after "two images".
        added: a sentence after that one.
        analyzed: what is to be analyzed.
        explained: after the task.
        guideline: among the guidelines.
        shown: before the user prompt, with the line breaks after it.
        intro: the same in the second of two steps.
        of_which: after "the key visual difference".
    """

    joined: str = ""
    added: str = ""
    analyzed: str = "both images"
    explained: str = ""
    guideline: str = ""
    shown: str = ""
    intro: str = "I am showing you two images (first and second)."
    of_which: str = ""


def _with_third(listed: str, explained: str) -> Words:
    """The words of a third image, Figures 14 and 15."""
    shown = f"I am showing you three images:\n1. First image\n2. Second image\n3. {listed}\n"
    return Words(
        analyzed="first and second images",
        explained=f" The third image is {explained}. You may use the third image to help you analyze the difference between the first and second images.",
        shown=shown,
        intro=shown.rstrip(),
        of_which=" of first and second images",
    )


_HIGHLIGHTED = """I am showing you four images:
1. Original first image
2. Original second image
3. Highlighted first image (green boxes mark significant change areas, other areas dimmed)
4. Highlighted second image (same areas marked)

The highlighted images (3 and 4) show you WHERE the main differences are located. The green boxes indicate the top 2-3 most significant change regions. Use these to guide your attention, then carefully examine those specific areas in the original images (1 and 2) to determine WHAT the difference is."""

# Figures 11-15.
WORDS: Mapping[str, Words] = {
    PLAIN: Words(),
    "grid": Words(
        added=" The grid lines are added to both images to help you compare the objects better."
    ),
    "concat": Words(
        joined=" that are concatenated horizontally (first image on the left and second image on the right, separated by a black line)",
        intro="I am showing you two images (first and second), concatenated horizontally.",
    ),
    "overlap": _with_third(
        "Overlapped image (50/50 blend of first and second images)",
        "the overlay of the first and second images",
    ),
    "subtract": _with_third(
        "Black-and-white difference map between the first and second images",
        "a black-and-white difference map between the first and second images, where brighter areas indicate larger differences",
    ),
    "highlight": Words(
        analyzed="the images",
        explained=""" I am showing you four images:
1. Original first image
2. Original second image
3. Highlighted first image (with areas of significant change marked with green boxes, and other areas dimmed)
4. Highlighted second image (with the same areas marked)

The highlighted images help you focus on the most significant differences between the two images. Use them to quickly identify where the changes occur, then examine those areas carefully in the original images.""",
        guideline="- Focus on the green-boxed regions in the highlighted images to identify where changes occur.\n",
        shown=f"{_HIGHLIGHTED}\n\n",
        intro=_HIGHLIGHTED,
    ),
}

_ASSISTANT = "You are a helpful assistant that answers multiple-choice questions about differences between two images"
DIRECTION = "- Unless specified in the options, the difference is described in terms of the second image relative to the first.\n"
# `camera_augmented` of the authors' code.
_CAMERA_HINT = "- For camera movement analysis, remember that the camera moves in the opposite direction to the perceived motion of objects in the scene. If objects appear to move left, the camera is actually moving right. If the scene appears to rotate clockwise, the camera is rotating counterclockwise.\n"
LETTER_ONLY = "- Respond **only** with the answer letter (A, B, C, D, etc.). Do not provide any reasoning or explanation."
WITH_REASONS = """- Respond **only** in the following format. The answer should be a single letter.

### Reasoning
[explanation of the key visual difference between the two images]

### Answer
[answer (single letter)]"""

_USER = """Question: {question}

Carefully examine the images and choose the best description of the key visual difference{of_which}.

Options:
{options}"""
# Figure 10: the first step, and what the second one adds to Figure 8.
_DESCRIBE_SYSTEM = "You are an expert image analyst. Your task is to carefully describe the differences between two images{joined}.{added}{explained} Do not answer any questions about the images yet - only analyze and describe what is different between them."
_DESCRIBE_USER = """Please provide a careful and detailed description of the differences between these two images. Focus on what changed, what's different, or what distinguishes the first image from the second image. Using the description of the differences, you will be asked the following question and you will need to choose one correct answer. However, do not answer the question yet - just analyze the differences:

{question}

{options}"""
_DESCRIBED = (
    " You will be provided with a description of the differences to help guide your analysis."
)
_USE_DESCRIPTION = """- Use the provided difference description to understand what has changed between the images.
- Verify the described difference by examining the images.
"""
_CHOOSE_USER = """{intro}

Description of the differences: {description}

Question: {question}

Based on the images and the description of differences, choose the best answer.

Options:
{options}"""

# Appendix C.2: what is asked of each image alone, by the type of difference; the paper prints no
# other ones, and not what it asks in the end. `_OF_OTHER_TYPES` and the last prompt are ours.
ONE_IMAGE: Mapping[str, str] = {
    "emotion": "Describe the emotion expressed in the image in detail and rate its intensity on a scale of 1–10.",
    "existence": "Carefully list all objects visible in the image, including their approximate locations.",
    "quality": "Analyze the quality of the image and rate it on a scale of 1–10, considering blur, noise, overexposure, compression artifacts, and other quality issues.",
}
_OF_OTHER_TYPES = "Describe the image in detail."
_FROM_TEXTS = """Your task is to identify the main difference between them. You are not shown the images, but given a description of each."""
_FROM_TEXTS_USER = """Description of the first image: {first}

Description of the second image: {second}

Question: {question}

Based on the descriptions, choose the best answer.

Options:
{options}"""

# Figure 16.
CAPTION = Prompt(
    """You are an expert at visual analysis and image comparison. Compare the two images and briefly describe what's different between them.

Keep your response concise and direct. Use simple phrases like "In the first image, X, however in the second image, Y" or "X appeared in the second image" or "In the first image, X is relatively Y". Avoid detailed explanations or structured lists.""",
    "Describe the differences between the two images",
)
_STANDARD_CAPTION = """You are an expert at visual analysis and image comparison. Your task is to compare two images and describe the differences between them.

Describe what you observe that's different between the two images. This might include differences in attributes, states, emotions, temporal aspects, spatial aspects, existence of objects, quantities, image quality, viewpoints, actions, or interactions. Write your response as one or several sentences describing what you notice."""
# By prompt type of the authors' code: there, "simple" has the standard system prompt as user prompt.
AUTHORS_CAPTION: Mapping[str, Prompt] = {
    "standard": Prompt(_STANDARD_CAPTION, CAPTION.user),
    "simple": Prompt(CAPTION.system, _STANDARD_CAPTION),
    "line_by_line": Prompt(
        """You are an expert at visual analysis and image comparison. Your task is to compare two images and identify all the differences between them. Return the differences as a list of strings in the specified format.

Adhere to the following guidelines:
- Analyze two images to identify the differences.
- Ensure each string clearly states a specific difference with a focus on the second image as compared to the first.
- The description should be detailed.

# Steps
1. **Analyze the Differences**: Review the images and identify the differences.
2. **Formulate Descriptions**: Write clear and concise descriptions for each identified difference, focusing on changes in the second image compared to the first.
3. **Output in Required Format**: Return the descriptions in the specified structured format.

# Output Format
Return a dictionary with a "differences" key containing a list of strings, where each string describes a specific difference between the images, emphasizing adjustments in the second image.

# Examples

### Example 1
**Output**:
{
    "differences": [
        "The person with the umbrella has appeared in the first image.",
        "The person in the red coat has been moved to the right in the second image.",
        "In the first image, the person in blue shirt remains stationary, whereas in the second image, he is running."
    ]
}

### Example 2
**Output**:
{
    "differences": [
        "The cat on the couch in Image 1 is replaced by a dog in Image 2."
    ]
}""",
        CAPTION.user,
    ),
}

# Appendix B.3. It is printed in one line, with the quotation marks of typesetting.
_JUDGE = 'Reference caption: "{reference}" Candidate caption: "{candidate}" Does the candidate caption match the reference caption? Answer Yes or No.'


def render(
    strategy: Strategy | str,
    question: str,
    options: Sequence[str],
    description: str | None = None,
    variant: str = "paper",
) -> Prompt:
    """The prompts of a request that shows both images, filled in.

    Args:
        strategy: a strategy, or its name; of `language_only`, see `render_one_image`.
        question: what is asked of the pair.
        options: texts of the options, in the order in which they are shown.
        description: of the differences, the model's reply to the first of two steps; None asks for
            it.
        variant: "paper", or "authors", whose code shows the grid without words on it.
    """
    asked = read_strategy(strategy) if isinstance(strategy, str) else strategy
    plain = variant == "authors" and asked.images == "grid"
    words = WORDS[PLAIN if plain else asked.images]
    guidelines = _guidelines(asked, words)
    if asked.prompt != TWO_STEP:
        return rendered(words, guidelines, question, options)
    filled = {"question": question, "options": _lines(options), **words._asdict()}
    if description is None:
        user = words.shown.rstrip() + "\n\n" * bool(words.shown) + _DESCRIBE_USER.format(**filled)
        return Prompt(_DESCRIBE_SYSTEM.format(**filled), user)
    system, _ = rendered(words, guidelines, question, options, _DESCRIBED)
    return Prompt(system, _CHOOSE_USER.format(**filled, description=description))


def rendered(
    words: Words,
    guidelines: Iterable[str],
    question: str,
    options: Sequence[str],
    helped: str = "",
) -> Prompt:
    """The prompt of one request.

    Args:
        words: what the way of showing images adds.
        guidelines: how to answer.
        question: what is asked of the pair.
        options: texts of the options, in the order in which they are shown.
        helped: a sentence after the task.
    """
    task = f"Your task is to carefully analyze {words.analyzed} and identify the main difference between them.{words.explained}{helped}"
    system = f"{_ASSISTANT}{words.joined}.{words.added}\n{task}\n\n{_listed(guidelines)}"
    shown = {"options": _lines(options), "of_which": words.of_which}
    return Prompt(system, words.shown + _USER.format(question=question, **shown))


def render_one_image(category: str) -> Prompt:
    """What is asked of each image alone, of a type of difference (Appendix C.2)."""
    return Prompt("", ONE_IMAGE.get(category, _OF_OTHER_TYPES))


def render_from_texts(
    strategy: Strategy, question: str, options: Sequence[str], first: str, second: str
) -> Prompt:
    """The question on two images of which there are descriptions only.

    Args:
        strategy: whose hint counts.
        question: what is asked of the pair.
        options: texts of the options, in the order in which they are shown.
        first: what the model said of the first image.
        second: the same of the second image.
    """
    user = _FROM_TEXTS_USER.format(
        first=first, second=second, question=question, options=_lines(options)
    )
    system = f"{_ASSISTANT}.\n{_FROM_TEXTS}\n\n{_listed(_guidelines(strategy, Words()))}"
    return Prompt(system, user)


def _guidelines(asked: Strategy, words: Words) -> tuple[str, ...]:
    return (
        _USE_DESCRIPTION if asked.prompt == TWO_STEP else "",
        DIRECTION,
        words.guideline if asked.prompt != LANGUAGE_ONLY else "",
        _CAMERA_HINT if asked.camera_hint else "",
        WITH_REASONS if asked.prompt == REASONING else LETTER_ONLY,
    )


def _listed(guidelines: Iterable[str]) -> str:
    return "Guidelines:\n" + "".join(guidelines)


def _lines(options: Sequence[str]) -> str:
    return "\n".join(f"{chr(ord('A') + k)}. {option}" for k, option in enumerate(options))


def render_judge(reference: str, candidate: str) -> str:
    """What the judge of a caption is asked.

    Args:
        reference: a person's caption.
        candidate: the model's.
    """
    return _JUDGE.format(reference=reference, candidate=candidate)
