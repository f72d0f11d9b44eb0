"""What built sets of two objects in spatial relations are asked with: the paper's prompts."""

from __future__ import annotations

from lmms_eval_tasks.build.pairs.layout import Prompts
from lmms_eval_tasks.build.pairs.spatial import CAPTIONS, PICTURES, logistics
from lmms_eval_tasks.pairbench import prompts


def spatial_prompts() -> tuple[Prompts, Prompts]:
    """The rows of `templates` for `wu_img_img` and `wu_img_text`, all transformations included."""
    return (
        logistics(PICTURES, prompts.IMAGE_IMAGE_TEMPLATES, prompts.IMAGE_IMAGE_CONDITIONS),
        logistics(CAPTIONS, prompts.IMAGE_TEXT_TEMPLATES, prompts.IMAGE_TEXT_CONDITIONS),
    )
