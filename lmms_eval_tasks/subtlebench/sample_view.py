"""How the report shows a question about two images: with what differs between them marked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from lmms_eval_tasks.subtlebench.visual.highlight import highlight
from pairbench_ext.core.benchmark import Exchange, SampleView, Trial
from pairbench_ext.core.sample_view import Span
from pairbench_ext.replies import letter

_SIDE = 480  # pixels: enough to see it, and quick


def _pictures(trial: Trial, images: Sequence[Image.Image]) -> Mapping[str, Sequence[Image.Image]]:
    """Both images with the regions of the largest differences; none where one image is shown."""
    if len(images) != 2 or trial.get("category") == "viewpoint":
        return {}  # where the camera moves, all differs
    small = []
    for image in images:
        small.append(image.convert("RGB"))
        small[-1].thumbnail((_SIDE, _SIDE))
    return {"where they differ most": highlight(*small)}


def _span(trial: Trial, exchange: Exchange, rule: str) -> Span:
    options = trial.get("options")
    if exchange.failed or not isinstance(options, (int, list)):
        return None
    return letter.read(exchange.reply, rule, options).span


VIEW = SampleView(
    group=lambda trial: str(trial.get("category") or ""),
    pictures=_pictures,
    span=_span,
)
