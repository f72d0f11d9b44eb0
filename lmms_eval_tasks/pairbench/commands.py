"""PairBench's own commands: people's ratings, and data sets of one's own."""

from __future__ import annotations

from collections.abc import Callable

from lmms_eval_tasks.build.pairs.images_command import build as build_images
from lmms_eval_tasks.build.pairs.whatsup_command import build_whatsup
from lmms_eval_tasks.pairbench.agreement import agreement
from lmms_eval_tasks.pairbench.rate.command import rate

COMMANDS: dict[str, Callable[..., None]] = {"rate": rate, "agreement": agreement}
BUILD: dict[str, Callable[..., None]] = {
    "images": build_images,
    "whatsup": build_whatsup,
}
