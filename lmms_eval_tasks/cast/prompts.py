"""The prompts of CAST, as the paper prints them.

Source: "CAST: Cross-modal Alignment Similarity Test for Vision Language Models", Appendix A,
Figures 5 (generation) and 6 (evaluation), each in the wording of its modality. Quotation marks are
the paper's.

The paper does not print where the descriptions and the statement stand. Here the images come first,
then the descriptions as "Scene 1: ..." and "Scene 2: ...", as models call them in the replies that
Appendix E prints, then the prompt, then the statement.
"""

from __future__ import annotations

from collections.abc import Mapping

# By modality.
GENERATION: Mapping[str, str] = {
    "text": "Given two scenes, find up to five similarities between each scene. Output each similarity in a numbered list.",
    "image": "Given two side-by-side images, find up to five similarities between each image. Output each similarity in a numbered list.",
    "both": "Given two scenes and their corresponding images, find up to five similarities between each scene. Output each similarity in a numbered list.",
}

# By the answers that are asked for, and by modality.
EVALUATION: Mapping[str, Mapping[str, str]] = {
    "yes/no": {
        "text": "Given two descriptions, does the following statement describe both of the descriptions? Answer with ‘yes’ or ‘no’ if the statement is not applicable to one of the descriptions.",
        "image": "Given two side-by-side images, does the following statement describe both of the images? Answer with ‘yes’ or ‘no’ if the statement is not applicable to one of the images.",
        "both": "Given two descriptions and their corresponding images, does the following statement describe both of the descriptions? Answer with ‘yes’ or ‘no’ if the statement is not applicable to one of the descriptions.",
    },
    "both/one": {
        "text": "Given two scenes, does the following statement apply to only one of the scenes? Answer with ‘one’ or ‘both’.",
        "image": "Given two side-by-side images, does the following statement apply to only one of the images? Answer with ‘one’ or ‘both’.",
        "both": "Given two scenes and their corresponding images, does the following statement apply to only one of the scenes? Answer with ‘one’ or ‘both’.",
    },
    "true/false": {
        "text": "Given two scenes, is the following statement true for both of the scenes? Answer with ‘true’ or ‘false’ if the statement is untrue or only true for one of the scenes.",
        "image": "Given two side-by-side images, is the following statement true for both of the images? Answer with ‘true’ or ‘false’ if the statement is untrue or only true for one of the images.",
        "both": "Given two scenes and their corresponding images, is the following statement true for both of the scenes? Answer with ‘true’ or ‘false’ if the statement is untrue or only true for one of the scenes.",
    },
}


def generation_text(modality: str, descriptions: tuple[str, str]) -> str:
    """All text of a request for similarities.

    Args:
        modality: `"text"`, `"image"` or `"both"`; the descriptions are not shown in `"image"`.
        descriptions: of the two scenes.
    """
    return "\n\n".join([*_scenes(modality, descriptions), GENERATION[modality]])


def evaluation_text(
    prompt: str, modality: str, descriptions: tuple[str, str], statement: str
) -> str:
    """All text of a request to evaluate a statement; arguments as for `generation_text`.

    Args:
        prompt: the answers that are asked for, a key of `EVALUATION`.
        modality: see there.
        descriptions: see there.
        statement: what is to be confirmed.
    """
    asked = EVALUATION[prompt][modality]
    return "\n\n".join([*_scenes(modality, descriptions), asked, f"Statement: {statement}"])


def shows_images(modality: str) -> bool:
    """Whether the images are shown in a modality."""
    return modality != "text"


def _scenes(modality: str, descriptions: tuple[str, str]) -> list[str]:
    if modality == "image":
        return []
    return [f"Scene {number}: {text}" for number, text in enumerate(descriptions, start=1)]
